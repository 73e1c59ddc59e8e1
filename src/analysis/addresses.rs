//! Addresses that C programs keep in pointers: rows (`&u[k-1][j][0]`, `u[k][j]`), moved pointers
//! (`p + n`, `p++`), elements of arrays of structures (`&boxes[b]`). Where a pointer points is known
//! as an element of an array, so that what is read through it is read from that array.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::symbols::{Address, Known, Symbols};
use crate::expr::Expr;
use crate::ir::{
    BinaryOp, Function, Stmt, Value, VarId, Variable, addressed, dimensions_behind, is_address,
    is_left_out,
};

impl Symbols<'_> {
    /// Whether a value is an address, so that arithmetic on it is not arithmetic of its element type.
    pub fn is_address(&self, value: &Value) -> bool {
        self.function.conventions.has_pointers() && is_address(value, self.function)
    }

    /// Whether a value is an element of an array of pointers: `row[i]` of `double *row[10]` or of
    /// `double **row`, not of `double row[10][20]`.
    pub fn is_pointer_element(&self, value: &Value) -> bool {
        let Value::Element {
            array, subscripts, ..
        } = value
        else {
            return false;
        };
        self.function.conventions.has_pointers()
            && dimensions_behind(self.function.variable(*array), subscripts).is_some()
    }

    /// Where a pointer with this value points; `None` if that has no expression.
    pub fn address(&mut self, value: &Value) -> Option<Address> {
        match value {
            Value::Variable(id) if self.is_address(value) => self.start_of(*id),
            Value::Element {
                array, subscripts, ..
            } => {
                let left_out = subscripts.iter().take_while(|s| is_left_out(s)).count();
                let row = (left_out > 0).then(|| Expr::from(0.0));
                self.element_address(*array, &subscripts[left_out..], row)
            }
            Value::Binary(BinaryOp::Add, left, right) if self.is_address(left) => {
                self.moved(left, right, 1.0)
            }
            Value::Binary(BinaryOp::Add, left, right) if self.is_address(right) => {
                self.moved(right, left, 1.0)
            }
            Value::Binary(BinaryOp::Subtract, left, right) if !self.is_address(right) => {
                self.moved(left, right, -1.0)
            }
            _ => match addressed(value)? {
                Value::Element {
                    array, subscripts, ..
                } => {
                    let left_out = subscripts.iter().take_while(|s| is_left_out(s)).count();
                    self.element_address(*array, &subscripts[left_out..], None)
                }
                _ => None,
            },
        }
    }

    fn start_of(&self, array: VarId) -> Option<Address> {
        match self.known.get(&array) {
            Some(Known::Points(address)) => Some(address.clone()),
            Some(_) => None,
            None if self.root_changes(array) => None,
            None => Some(Address {
                array,
                subscripts: vec![Expr::from(0.0)],
            }),
        }
    }

    fn element_address(
        &mut self,
        array: VarId,
        given: &[Value],
        row: Option<Expr>,
    ) -> Option<Address> {
        let Address {
            array,
            subscripts: base,
        } = self.start_of(array)?;
        let mut subscripts: Vec<Expr> = row.into_iter().collect();
        for subscript in given {
            self.may_move = true;
            let expression = self.expression(subscript);
            self.may_move = false;
            subscripts.push(expression?);
        }
        let mut base = base.into_iter();
        let last = subscripts.last_mut()?;
        if let Some(first) = base.next() {
            *last = last.clone() + first;
        }
        subscripts.extend(base);
        Some(Address { array, subscripts })
    }

    fn moved(&mut self, pointer: &Value, amount: &Value, sign: f64) -> Option<Address> {
        let mut address = self.address(pointer)?;
        let amount = self.expression(amount)?;
        let first = address.subscripts.first_mut()?;
        *first = first.clone() + amount * sign;
        Some(address)
    }
}

/// Pointers that some statement loads: `p = list[i]`, `p = p->next`, `p = first(list)`.
pub fn chased(function: &Function) -> BTreeSet<VarId> {
    fn visit(function: &Function, statements: &[Stmt], found: &mut BTreeSet<VarId>) {
        for statement in statements {
            match statement {
                Stmt::Assign {
                    target: Value::Variable(id),
                    value,
                    ..
                } => {
                    let is_loaded = match value.unconverted() {
                        Value::Element { .. } | Value::Call { .. } => true,
                        Value::Variable(other) => {
                            function.variable(*other).name.is_behind_pointer()
                        }
                        _ => false,
                    };
                    if is_loaded && !function.variable(*id).dimensions.is_empty() {
                        found.insert(*id);
                    }
                }
                Stmt::Loop(inner) => visit(function, &inner.body, found),
                Stmt::If(branch) => {
                    visit(function, &branch.then, found);
                    visit(function, &branch.otherwise, found);
                }
                Stmt::Opaque { inner, .. } => visit(function, inner, found),
                _ => {}
            }
        }
    }
    let mut found = BTreeSet::new();
    visit(function, &function.body, &mut found);
    found
}

/// The pointer that every member (`p->x`, `p[2].x`) is reached through.
pub fn roots(function: &Function) -> BTreeMap<VarId, VarId> {
    let ids = (0..).map(VarId);
    let pointers = ids
        .clone()
        .zip(&function.variables)
        .filter(|(_, v)| !v.dimensions.is_empty());
    let by_name: HashMap<&str, VarId> = pointers.map(|(id, v)| (v.name.as_str(), id)).collect();
    let root = |(id, variable): (VarId, &Variable)| {
        let by_name = *by_name.get(variable.name.structure()?)?;
        // Of several of the name that blocks declare, the one that it was selected from.
        let own = function.selected_from.get(&id).copied();
        let is_namesake =
            |own: &VarId| function.variable(*own).name == function.variable(by_name).name;
        Some((id, own.filter(is_namesake).unwrap_or(by_name)))
    };
    ids.zip(&function.variables).filter_map(root).collect()
}
