//! What the elements of arrays of whole numbers have by their lists.
//!
//! ```text
//! int a[4] = {[2] = 5, 6};            0 0 5 6
//! int b[2][3] = {1, 2, 3, 4};         1 2 3, 4 0 0
//! struct { int n, m; } c[2] = {1, 2, 3};
//! ```

use std::collections::BTreeMap;

use tree_sitter::Node;

use super::super::draft::MOST_LISTED;
use super::super::layout::Arrangement;
use super::ctype::{CType, Size};
use super::fields::{Field, children, part, parts};
use super::lowering::Lowering;
use super::record::{Member, RecordId};
use crate::ir::{Listed, Type, Value, VarId};
use crate::reason::ReasonCode;
use crate::syntax::Role;

/// Longer ranges of designators and longer lists are not followed.
pub const LONGEST: i64 = 4096;

/// Values by their place in storage order.
type Placed<'t> = BTreeMap<i64, Node<'t>>;

impl<'t> Lowering<'t> {
    /// Notes the whole numbers that a list gives the elements of an array.
    pub fn begin_elements(&mut self, id: VarId, list: Node<'t>) {
        let Some(extents) = self.extents_of_numbers(id) else {
            return;
        };
        let mut found = Placed::new();
        if self.fill(&extents, (list, 0), &mut found).is_none() {
            return;
        }
        let inner: i64 = extents[1..].iter().copied().flatten().product();
        let rows = match extents[0] {
            Some(rows) => rows,
            None => found.keys().last().map_or(0, |last| last / inner + 1),
        };
        let count = rows.saturating_mul(inner);
        let mut values: Listed = Vec::new();
        let mut add = |this: &mut Self, at: i64, node: Option<&Node<'t>>| {
            let value = node.map_or(Value::Integer(0), |node| this.value(*node));
            values.push((subscripts(&extents, at), value));
        };
        // What a list leaves out is zero.
        if (0..=MOST_LISTED as i64).contains(&count) {
            for at in 0..count {
                add(self, at, found.get(&at));
            }
        } else if found.len() <= MOST_LISTED {
            for (at, node) in &found {
                add(self, *at, Some(node));
            }
        }
        self.draft.set_listed(id, values);
    }

    /// Extents of an array of whole numbers, outermost first; only the first may be open.
    fn extents_of_numbers(&self, id: VarId) -> Option<Vec<Option<i64>>> {
        let ty = self.type_of_variable(id);
        let mut element = &ty;
        while let CType::Array(inner, _) = element {
            element = inner;
        }
        if !matches!(element, CType::Arithmetic(Type::Integer(..))) {
            return None;
        }
        let number = |extent: Option<Size<'t>>| self.names.number_of(extent?);
        let extents: Vec<Option<i64>> = ty.extents().into_iter().map(number).collect();
        let inner = extents.get(1..)?;
        (inner.iter().all(|extent| extent.is_some_and(|n| n > 0))).then_some(extents)
    }

    /// Adds the values of a list, for elements from a place on; `None` if it is not known which they are for.
    fn fill(
        &self,
        extents: &[Option<i64>],
        (list, first): (Node<'t>, i64),
        found: &mut Placed<'t>,
    ) -> Option<()> {
        let is_list = |node: &Node<'t>| self.role(*node) == Some(Role::ArrayConstructor);
        if !is_list(&list) {
            return None;
        }
        let row: i64 = extents[1..].iter().copied().flatten().product();
        let mut at = 0;
        for item in children(list) {
            let (value, times) = match self.role(item) {
                Some(Role::Keyword) => {
                    let (start, times) = self.names.designated(item)?;
                    at = start.checked_mul(row)?;
                    (part(item, Field::Value)?, times)
                }
                Some(_) => (item, 1),
                None => return None,
            };
            // A string gives several elements their values.
            if self.role(value) == Some(Role::Text) {
                return None;
            }
            for _ in 0..times {
                match (is_list(&value), extents.len()) {
                    (true, 2..) if at % row == 0 => {
                        self.fill(&extents[1..], (value, first + at), found)?;
                        at += row;
                    }
                    (false, 1) => {
                        found.insert(first + at, value);
                        at += 1;
                    }
                    // A flat list; a designator would need braces of its own.
                    (false, _) if times == 1 => {
                        found.insert(first + at, value);
                        at += 1;
                    }
                    _ => return None,
                }
            }
        }
        (found.len() as i64 <= LONGEST).then_some(())
    }

    /// Notes the whole numbers among the members of the structures in an array.
    pub fn begin_members(&mut self, id: VarId, record: RecordId, list: Node<'t>) {
        let items = self.structures_in(record, list);
        let is_followed = items.is_some();
        let items = items.unwrap_or_default();
        let rows = self
            .type_of_variable(id)
            .extents()
            .first()
            .copied()
            .flatten();
        let rows = rows.and_then(|size| self.names.number_of(size));
        let rows = rows.unwrap_or_else(|| items.keys().last().map_or(0, |last| last + 1));
        if !(0..=MOST_LISTED as i64).contains(&rows) {
            return;
        }
        let mut found: BTreeMap<VarId, Listed> = BTreeMap::new();
        for member in self.whole_numbers(record) {
            let component = self.component_variable(id, member);
            for at in 0..rows {
                let node = items.get(&at).and_then(|given| {
                    given
                        .iter()
                        .rfind(|(name, _)| *name == member)
                        .map(|(_, node)| *node)
                });
                // What other structures of the type have does not count for these.
                let value = match (node, is_followed) {
                    (Some(node), _) => {
                        let value = self.value(node);
                        self.in_bits(record, member, value)
                    }
                    (None, true) => Value::Integer(0),
                    (None, false) => Value::opaque(ReasonCode::UnsupportedExpression, member),
                };
                found
                    .entry(component)
                    .or_default()
                    .push((Box::from([at]), value));
            }
        }
        for (component, values) in found {
            self.draft.set_listed(component, values);
        }
    }

    /// The values for whole numbers in structures that a list has, by the place of the structure.
    fn structures_in(
        &self,
        record: RecordId,
        list: Node<'t>,
    ) -> Option<BTreeMap<i64, Vec<(&'t str, Node<'t>)>>> {
        let is_list = |node: &Node<'t>| self.role(*node) == Some(Role::ArrayConstructor);
        let members = &self.names.records.get(record).members;
        let items = children(list);
        if !is_list(&list) || items.len() > MOST_LISTED {
            return None;
        }
        let mut found: BTreeMap<i64, Vec<(&'t str, Node<'t>)>> = BTreeMap::new();
        let is_flat = |item: &Node<'t>| !is_list(item) && self.role(*item) != Some(Role::Keyword);
        if items.iter().all(is_flat) {
            let is_one =
                |member: &Member| matches!(member.ty, CType::Arithmetic(_) | CType::Pointer(_));
            if members.is_empty() || !members.iter().all(is_one) {
                return None;
            }
            for (at, given) in (0..).zip(items.chunks(members.len())) {
                let named = members.iter().zip(given);
                let values = named.map(|(member, value)| (member.name, *value));
                found.insert(at, values.collect());
            }
            return Some(found);
        }
        let mut at = 0;
        for item in items {
            let value = match self.role(item) {
                Some(Role::Keyword) => {
                    let designators = parts(item, Field::Designator);
                    let (first, times) = self.names.subscripts_of(*designators.first()?)?;
                    at = first;
                    let value = part(item, Field::Value).filter(|_| times == 1)?;
                    // `[2].n = 5`
                    if let [_, member] = designators[..] {
                        let name = self.text(member).trim_start_matches('.').trim();
                        found.entry(at).or_default().push((name, value));
                        continue;
                    }
                    value
                }
                _ => item,
            };
            if !is_list(&value) {
                return None;
            }
            found.insert(at, self.listed(record, value)?);
            at += 1;
        }
        Some(found)
    }

    /// The members of a structure that are whole numbers; none of a union.
    pub fn whole_numbers(&self, record: RecordId) -> Vec<&'t str> {
        let record = self.names.records.get(record);
        let is_whole = |member: &&Member| matches!(member.ty, CType::Arithmetic(Type::Integer(..)));
        match record.arrangement {
            Arrangement::Union => Vec::new(),
            _ => record
                .members
                .iter()
                .filter(is_whole)
                .map(|member| member.name)
                .collect(),
        }
    }
}

/// The subscripts of an element in storage order.
fn subscripts(extents: &[Option<i64>], mut at: i64) -> Box<[i64]> {
    let mut found = Vec::with_capacity(extents.len());
    for extent in extents[1..].iter().rev() {
        let extent = extent.unwrap_or(1);
        found.push(at % extent);
        at /= extent;
    }
    found.push(at);
    found.into()
}
