//! `read`, `write` and `print`: what their lists name is read or gets a value, whole arrays in loops.

use tree_sitter::Node;

use super::array_syntax::nest;
use super::names::{field, kind};
use super::path::Path;
use super::procedure::Lowering;
use crate::diagnostic::Place;
use crate::ir::{Printed, Stmt, Type, Value};
use crate::reason::ReasonCode;
use crate::syntax::{Role, named_children};

/// What a statement does with the items of its list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The statement that gives them values.
    In(&'static str),
    Out(Printed),
}

impl Lowering<'_> {
    /// The statement stands as a call in front of its items: what comes before it stays before it.
    pub fn input_output(&mut self, node: Node, out: &mut Vec<Stmt>) {
        let text = self.reader.tree.text(node);
        let keyword = text
            .split(|c: char| !c.is_ascii_alphabetic())
            .next()
            .unwrap_or("")
            .to_ascii_lowercase();
        let place = self.place(node);
        let group = match keyword == "read" {
            true => self.group(node),
            false => Vec::new(),
        };
        let (arrays, scalars): (Vec<Value>, Vec<Value>) = group
            .into_iter()
            .partition(|value| self.rank(value) != Some(0));
        if matches!(keyword.as_str(), "read" | "write" | "print") {
            out.push(Stmt::Call {
                place: place.clone(),
                name: format!("{keyword} statement"),
                arguments: arrays,
            });
        }
        for value in scalars {
            self.filled_by(&place, "read statement", value, out);
        }
        let file = match keyword == "open" {
            true => self.file_of(node),
            false => None,
        };
        self.note_file_statement(node, &keyword, file.as_ref());
        if let Some(file) = file {
            out.push(Stmt::Call {
                place: self.place(node),
                name: format!("{keyword} statement"),
                arguments: vec![file],
            });
        }
        for status in self.statuses(node, &keyword) {
            self.filled_by(&place, "status statement", status, out);
        }
        for list in named_children(node) {
            match list.kind() {
                kind::OUTPUT_ITEMS => {
                    let way = Way::Out(self.printed_by(node, &keyword));
                    self.items(node, &named_children(list), way, out);
                }
                kind::INPUT_ITEMS => {
                    let way = Way::In(match self.has_format(node) {
                        true => "formatted read statement",
                        false => "read statement",
                    });
                    self.items(node, &named_children(list), way, out);
                }
                _ => {}
            }
        }
    }

    /// What a statement says of itself, or finds: `iostat=`, `newunit=`; of an `inquire` all but what it asks about.
    fn statuses(&mut self, statement: Node, keyword: &str) -> Vec<Value> {
        let mut found = Vec::new();
        for argument in named_children(statement) {
            let (Some(name), Some(value)) = (
                argument.child_by_field_name(field::NAME),
                argument.child_by_field_name(field::VALUE),
            ) else {
                continue;
            };
            let name = self.reader.name(name);
            let is_status = match keyword {
                "inquire" => !matches!(&*name, "unit" | "file" | "err"),
                _ => matches!(&*name, "iostat" | "newunit" | "size" | "iomsg" | "id"),
            };
            if is_status {
                let value = self.reader.read(value);
                found.push(self.own_value(&value));
            }
        }
        found.retain(|value| matches!(value, Value::Variable(_) | Value::Element { .. }));
        found
    }

    /// Whether a statement writes what it lists as text: a `print`, a `write` with a format, be it `*` or a label.
    fn printed_by(&self, statement: Node, keyword: &str) -> Printed {
        match keyword == "print" || (keyword == "write" && self.has_format(statement)) {
            true => Printed::AsText,
            false => Printed::No,
        }
    }

    /// Whether a statement has a format, be it `*` or a label.
    fn has_format(&self, statement: Node) -> bool {
        named_children(statement).iter().any(|part| {
            let is_named = |name: Node| matches!(&*self.reader.name(name), "fmt" | "nml");
            match part.kind() {
                kind::FORMAT_IDENTIFIER => true,
                kind::KEYWORD_ARGUMENT => {
                    part.child_by_field_name(field::NAME).is_some_and(is_named)
                }
                _ => false,
            }
        })
    }

    /// The name of the file that a statement opens, where it is a literal, a constant or a variable.
    fn file_of(&mut self, statement: Node) -> Option<Value> {
        let arguments = named_children(statement);
        let file = arguments.into_iter().find(|argument| {
            let name = argument.child_by_field_name(field::NAME);
            name.is_some_and(|name| *self.reader.name(name) == *"file")
        });
        let value = self.reader.read(file?.child_by_field_name(field::VALUE)?);
        let value = self.own_value(&value);
        let is_known = match &value {
            Value::Text(_) | Value::Variable(_) => true,
            // `trim(name)`
            Value::Call { arguments, .. } => matches!(arguments[..], [Value::Variable(_)]),
            _ => false,
        };
        is_known.then_some(value)
    }

    /// What a statement reads by the name of a group: `read (unit, nml = group)`, `read (unit, group)`. Of its arrays those
    /// of whole numbers and truth values, which may give sizes; of its structures the components.
    fn group(&mut self, statement: Node) -> Vec<Value> {
        let group = named_children(statement).into_iter().find_map(|argument| {
            let is_argument = matches!(
                argument.kind(),
                kind::KEYWORD_ARGUMENT | kind::FORMAT_IDENTIFIER
            );
            let name = match argument.child_by_field_name(field::NAME) {
                _ if !is_argument => None,
                Some(keyword) if *self.reader.name(keyword) == *"nml" => {
                    argument.child_by_field_name(field::VALUE)
                }
                Some(_) => None,
                None => Some(argument),
            };
            let name = self.reader.name(name?);
            self.world.group(self.scope, &name)
        });
        let Some((names, scope)) = group else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for name in names {
            let components = self.components_of(name, scope);
            if components.is_empty() {
                let value = self.plain_name(name, scope);
                self.add_of_group(value, &mut found);
            }
            for component in components {
                let path = Path::of(&component);
                let value = path.map(|path| self.component(&path, scope));
                value
                    .into_iter()
                    .for_each(|value| self.add_of_group(value, &mut found));
            }
        }
        found
    }

    fn add_of_group(&self, value: Value, found: &mut Vec<Value>) {
        let is_counted = || {
            let ty = value.ty(self.draft.function());
            matches!(ty, Type::Integer(..) | Type::Logical(_))
        };
        let is_whole = matches!(value, Value::Variable(_));
        match self.rank(&value) {
            Some(0) => found.push(value),
            Some(_) if is_whole && is_counted() => found.push(value),
            _ => {}
        }
    }

    /// What an input or output list names; an implied do is a loop over its items.
    fn items(&mut self, statement: Node, nodes: &[Node], way: Way, out: &mut Vec<Stmt>) {
        if !self.nesting.enter_statement() {
            out.push(self.opaque(statement, ReasonCode::TooDeep, "", Vec::new()));
            return;
        }
        let place = self.place(statement);
        for item in nodes {
            match self.reader.tree.role(*item) {
                None | Some(Role::Nothing) => {}
                Some(Role::ImpliedDo) => {
                    let mut body = Vec::new();
                    let parts = named_children(*item);
                    let control = parts.iter().find(|n| n.kind() == kind::LOOP_CONTROL);
                    self.items(statement, &parts, way, &mut body);
                    out.push(match control {
                        Some(control) => self.loop_over(statement, *control, body),
                        None => self.opaque(
                            *item,
                            ReasonCode::IoImpliedDo,
                            self.first_line(*item),
                            body,
                        ),
                    });
                }
                Some(_) => {
                    let value = self.reader.read(*item);
                    let value = self.own_value(&value);
                    match way {
                        Way::In(name) => self.filled_by(&place, name, value, out),
                        Way::Out(printed) => self.printed(&place, value, printed, out),
                    }
                }
            }
        }
        self.nesting.leave_statement();
    }

    fn printed(&mut self, place: &Place, value: Value, printed: Printed, out: &mut Vec<Stmt>) {
        let value = self.hoist_reductions(place, value, out);
        let nested = match self.rank(&value) {
            Some(1..) => self
                .shape_of(&value)
                .and_then(|indices| Some((self.element_of(&value, &indices)?, indices))),
            _ => None,
        };
        match nested {
            Some((element, indices)) => {
                out.extend(nest(
                    place,
                    indices,
                    vec![Stmt::Evaluate {
                        place: place.clone(),
                        values: vec![element],
                        printed,
                    }],
                ));
            }
            None => out.push(Stmt::Evaluate {
                place: place.clone(),
                values: vec![value],
                printed,
            }),
        }
    }

    /// A variable that a routine of the language gives a value, an array element by element.
    pub fn filled_by(&mut self, place: &Place, name: &str, target: Value, out: &mut Vec<Stmt>) {
        let assign = |this: &Self, target: Value| {
            let ty = target.ty(this.draft.function());
            let value = Value::Call {
                name: name.to_string(),
                arguments: Vec::new(),
                ty,
            };
            Stmt::Assign {
                place: place.clone(),
                target,
                value,
            }
        };
        if !matches!(target, Value::Variable(_) | Value::Element { .. }) {
            out.push(Stmt::Evaluate {
                place: place.clone(),
                values: vec![target],
                printed: Printed::No,
            });
            return;
        }
        let nested = match self.rank(&target) {
            Some(1..) => self
                .indices(&target)
                .and_then(|indices| Some((self.element_of(&target, &indices)?, indices))),
            _ => None,
        };
        match nested {
            Some((element, indices)) => {
                out.extend(nest(place, indices, vec![assign(self, element)]));
            }
            None => out.push(assign(self, target)),
        }
    }
}
