//! Calls through tables of functions: `steps[i](x)`, `solvers[i].solve(x)`.

use tree_sitter::Node;

use super::ctype::CType;
use super::fields::{Field, children, part};
use super::lowering::Lowering;
use super::names::Symbol;
use super::record::{Member, RecordId};
use crate::ir::CallTable;
use crate::syntax::Role;

impl<'t> Lowering<'t> {
    /// Notes what a call through a table may mean; nothing where a function is called by its name.
    pub fn note_table(&mut self, call: Node<'t>, name: &str) {
        let Some(called) = self.called(call) else {
            return;
        };
        let (mut base, mut member, mut steps) = (called, None, 0);
        loop {
            match self.role(base) {
                Some(Role::Member) if steps == 0 => {
                    member = part(base, Field::Member).map(|node| self.text(node));
                    steps = 1;
                }
                Some(Role::Member) => steps += 1,
                Some(Role::Subscript) => {}
                _ => break,
            }
            match part(base, Field::Argument) {
                Some(inner) => base = inner,
                None => return,
            }
        }
        let mut procedures = Vec::new();
        if self.role(base) != Some(Role::Name) {
            // A value that is called: `(fast ? euler : rk4)(y)`, `step_of(order)(y)`.
            if self.role(base) == Some(Role::Conditional) {
                self.named_in(base, (None, None), &mut procedures);
            }
            let table = CallTable {
                variable: None,
                procedures,
            };
            self.draft.set_table(name, table);
            return;
        }
        match self.names.symbol(self.text(base)) {
            Some(Symbol::Global {
                initial: Some(initial),
                ty,
                ..
            }) if !matches!(ty, CType::Arithmetic(_)) => {
                // In lists of lists, braces may be left out: where a member is, is not known then.
                let place = match steps {
                    0 | 1 => (member, self.record_in(ty)),
                    _ => (None, None),
                };
                self.named_in(*initial, place, &mut procedures);
            }
            // A pointer of file scope that statements give procedures is a variable of the function only if it is used here.
            Some(Symbol::Global { .. }) => {}
            Some(Symbol::Local(_)) if called != base => {}
            _ => return,
        }
        // Members of structures are found by their own names.
        let variable = match member {
            Some(_) => None,
            None => self.captured(|this| this.value(base)).0.variable(),
        };
        let table = CallTable {
            variable,
            procedures,
        };
        self.draft.set_table(name, table);
    }

    /// Notes the functions that a list of values names: pointers may get them from there.
    pub fn note_named(&mut self, list: Node<'t>) {
        let mut found = Vec::new();
        self.named_in(list, (None, None), &mut found);
        self.draft.add_named(found);
    }

    /// Notes those of what a variable has in the beginning, if that is a list.
    pub fn note_list(&mut self, value: Node<'t>) {
        if self.role(value) == Some(Role::ArrayConstructor) {
            self.note_named(value);
        }
    }

    /// The type of the structures that an array holds.
    fn record_in(&self, ty: &CType<'t>) -> Option<RecordId> {
        let mut ty = ty.clone();
        while ty.is_address() {
            ty = ty.element();
        }
        match ty {
            CType::Record(id) => Some(id),
            _ => None,
        }
    }

    /// The functions that an initialiser names; of lists that initialise structures those at the place of the member.
    fn named_in(
        &self,
        node: Node<'t>,
        (member, record): (Option<&str>, Option<RecordId>),
        found: &mut Vec<String>,
    ) {
        let parts = match self.role(node) {
            Some(Role::Name) => {
                let name = self.text(node);
                let is_function = matches!(self.names.symbol(name), Some(Symbol::Function(_)));
                if is_function && !found.iter().any(|known| known == name) {
                    found.push(name.to_string());
                }
                return;
            }
            Some(Role::ArrayConstructor) => {
                let is_list = |child: &Node<'t>| self.role(*child) == Some(Role::ArrayConstructor);
                match record.filter(|_| !children(node).iter().any(is_list)) {
                    Some(record) => {
                        let placed = self.placed(record, node).into_iter();
                        let is_other = |of: &Member| member.is_some_and(|name| name != of.name);
                        placed
                            .filter(|(of, _)| !of.is_some_and(is_other))
                            .map(|(_, value)| value)
                            .collect()
                    }
                    None => children(node),
                }
            }
            Some(Role::Keyword) => part(node, Field::Value).into_iter().collect(),
            _ => children(node),
        };
        for part in parts {
            self.named_in(part, (member, record), found);
        }
    }
}
