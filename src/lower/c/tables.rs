//! Calls through tables of functions: `steps[i](x)`, `solvers[i].solve(x)`.

use tree_sitter::Node;

use super::ctype::CType;
use super::fields::{Field, children, part};
use super::lowering::Lowering;
use super::names::Symbol;
use crate::ir::CallTable;
use crate::syntax::Role;

impl<'t> Lowering<'t> {
    /// Notes what a call through a table may mean; nothing where a function is called by its name.
    pub fn note_table(&mut self, call: Node<'t>, name: &str) {
        let Some(called) = self.called(call) else {
            return;
        };
        let (mut base, mut member) = (called, None);
        loop {
            match self.role(base) {
                Some(Role::Member) if member.is_none() => {
                    member = part(base, Field::Member).map(|node| self.text(node));
                }
                Some(Role::Member | Role::Subscript) => {}
                _ => break,
            }
            match part(base, Field::Argument) {
                Some(inner) => base = inner,
                None => return,
            }
        }
        if self.role(base) != Some(Role::Name) {
            return;
        }
        let mut procedures = Vec::new();
        match self.names.symbol(self.text(base)) {
            Some(Symbol::Global {
                table: Some(table),
                ty,
                ..
            }) => self.named_in(*table, (member, &self.positions(ty)), &mut procedures),
            Some(Symbol::Global { .. } | Symbol::Local(_)) if called != base => {}
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

    /// Names of the members of the structures that an array holds, in order.
    fn positions(&self, ty: &CType<'t>) -> Vec<&'t str> {
        let mut ty = ty.clone();
        while ty.is_address() {
            ty = ty.element();
        }
        let CType::Record(id) = ty else {
            return Vec::new();
        };
        let members = &self.names.records.get(id).members;
        members.iter().map(|member| member.name).collect()
    }

    /// The functions that an initialiser names; of lists that initialise structures those at the place of the member.
    fn named_in(
        &self,
        node: Node<'t>,
        (member, positions): (Option<&str>, &[&'t str]),
        found: &mut Vec<String>,
    ) {
        let place = (member, positions);
        match self.role(node) {
            Some(Role::Name) => {
                let name = self.text(node);
                let is_function = matches!(self.names.symbol(name), Some(Symbol::Function(_)));
                if is_function && !found.iter().any(|known| known == name) {
                    found.push(name.to_string());
                }
            }
            Some(Role::ArrayConstructor) => {
                let given = children(node);
                let is_structure = !given
                    .iter()
                    .any(|child| self.role(*child) == Some(Role::ArrayConstructor));
                for (position, child) in given.into_iter().enumerate() {
                    let own = positions.get(position).copied();
                    let is_other =
                        is_structure && member.zip(own).is_some_and(|(member, own)| member != own);
                    if self.role(child) == Some(Role::Keyword) || !is_other {
                        self.named_in(child, place, found);
                    }
                }
            }
            Some(Role::Keyword) => {
                let designator = part(node, Field::Designator);
                let name = designator.map(|node| self.text(node).trim_start_matches('.').trim());
                let is_other = member
                    .zip(name)
                    .is_some_and(|(member, name)| positions.contains(&name) && member != name);
                if let (false, Some(value)) = (is_other, part(node, Field::Value)) {
                    self.named_in(value, place, found);
                }
            }
            _ => {
                for child in children(node) {
                    self.named_in(child, place, found);
                }
            }
        }
    }
}
