//! Statements that open files and read from them, for the values that a file has for what is read in order.
//!
//! ```text
//! open (10, file = 'run.dat')
//! read (10, *) n, m               the first line has values for both
//! ```

use tree_sitter::Node;

use super::names::{field, kind};
use super::procedure::Lowering;
use crate::ir::{FileAction, FileStatement, FileUnit, ListItem, Type, Value};
use crate::syntax::{Role, named_children};

impl Lowering<'_> {
    /// Notes what a statement does with the file that it names; `file` is what it opens.
    pub fn note_file_statement(&mut self, node: Node, keyword: &str, file: Option<&Value>) {
        let action = match (keyword, file) {
            ("open", Some(file)) => FileAction::Open(file.clone()),
            ("read", _) if self.reads_list(node) => FileAction::List(self.listed(node)),
            // What is written goes to files of other names, as a rule.
            ("write" | "print" | "inquire", _) => return,
            _ => FileAction::Other,
        };
        if let Some(unit) = self.unit(node) {
            self.draft.add_file_statement(FileStatement {
                place: self.place(node),
                unit: FileUnit::Is(unit),
                action,
            });
        }
    }

    /// The number of a file; `None` for the standard input.
    fn unit(&mut self, statement: Node) -> Option<Value> {
        let parts = named_children(statement);
        let unit = parts.iter().find_map(|part| match part.kind() {
            kind::UNIT_IDENTIFIER => named_children(*part).into_iter().last(),
            kind::KEYWORD_ARGUMENT => {
                let name = self.reader.name(part.child_by_field_name(field::NAME)?);
                let value = part.child_by_field_name(field::VALUE);
                value.filter(|_| matches!(&*name, "unit" | "newunit"))
            }
            _ => None,
        })?;
        let value = self.reader.read(unit);
        let value = self.own_value(&value);
        // A text may be read like a file.
        let is_number = matches!(value.ty(self.draft.function()), Type::Integer(..));
        let is_plain = matches!(value, Value::Integer(_) | Value::Variable(_));
        (is_number && is_plain).then_some(value)
    }

    /// Whether a statement reads values as they stand in the file: `read (unit, *)`.
    fn reads_list(&self, statement: Node) -> bool {
        named_children(statement).into_iter().any(|part| {
            let format = match part.kind() {
                kind::FORMAT_IDENTIFIER => true,
                kind::KEYWORD_ARGUMENT => (part.child_by_field_name(field::NAME))
                    .is_some_and(|name| *self.reader.name(name) == *"fmt"),
                _ => false,
            };
            let text = self.reader.tree.text(part);
            format
                && text
                    .rsplit('=')
                    .next()
                    .is_some_and(|format| format.trim() == "*")
        })
    }

    fn listed(&mut self, statement: Node) -> Vec<ListItem> {
        let lists = named_children(statement).into_iter();
        let lists = lists.filter(|list| list.kind() == kind::INPUT_ITEMS);
        let items: Vec<Node> = lists.flat_map(named_children).collect();
        let mut found = Vec::new();
        for item in items {
            found.push(match self.reader.tree.role(item) {
                None | Some(Role::Nothing) => continue,
                Some(Role::ImpliedDo) => ListItem::Several,
                Some(_) => {
                    let value = self.reader.read(item);
                    let value = self.own_value(&value);
                    match (&value, self.rank(&value)) {
                        (Value::Variable(id), Some(0)) => ListItem::Variable(*id),
                        (_, Some(0)) => ListItem::Single,
                        _ => ListItem::Several,
                    }
                }
            });
        }
        found
    }
}
