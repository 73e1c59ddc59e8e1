//! The function that is being written, until it is complete.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::diagnostic::Place;
use crate::ir::{
    CallTable, Callee, Conventions, Extent, FileStatement, Function, Home, Length, Listed,
    MemberLayout, PointerLayout, Role, Stmt, Type, Value, VarId, Variable,
};

use super::jumps::Marks;
use super::stored;

/// Lists of values for the elements of an array that are longer are tables, not sizes.
pub const MOST_LISTED: usize = 64;

/// A function of the IR with the variables that its statements name so far. Everybody may read it, and nobody changes
/// it but by what this type offers.
#[derive(Debug)]
pub struct Draft {
    function: Function,
    /// Dummy arguments that statements allocate.
    allocated: BTreeSet<VarId>,
    /// Arrays whose length statements decide, as their declaration leaves it open.
    deferred: BTreeSet<VarId>,
    /// Those that a statement allocates though they may be allocated already, or that begin without what is passed.
    anew: BTreeSet<VarId>,
}

impl Draft {
    pub fn new(name: String, place: Place, conventions: Conventions) -> Draft {
        Draft {
            function: Function::new(name, place, conventions),
            allocated: BTreeSet::new(),
            deferred: BTreeSet::new(),
            anew: BTreeSet::new(),
        }
    }

    pub fn function(&self) -> &Function {
        &self.function
    }

    pub fn variable(&self, id: VarId) -> &Variable {
        self.function.variable(id)
    }

    /// Where the function is declared.
    pub fn place(&self) -> &Place {
        &self.function.place
    }

    /// Whether a variable has that name.
    pub fn has_name(&self, name: &str) -> bool {
        self.function.variables.iter().any(|v| v.name == name)
    }

    pub fn add(&mut self, variable: Variable) -> VarId {
        self.function.variables.push(variable);
        VarId(self.function.variables.len() as u32 - 1)
    }

    fn variable_mut(&mut self, id: VarId) -> &mut Variable {
        &mut self.function.variables[id.0 as usize]
    }

    pub fn set_type(&mut self, id: VarId, ty: Type) {
        self.variable_mut(id).ty = ty;
    }

    pub fn set_dimensions(&mut self, id: VarId, dimensions: Vec<Extent>) {
        self.variable_mut(id).dimensions = dimensions;
    }

    /// Adds outer dimensions to a variable.
    pub fn add_dimensions(&mut self, id: VarId, outer: impl IntoIterator<Item = Extent>) {
        self.variable_mut(id).dimensions.extend(outer);
    }

    /// Gives a variable that many dimensions at least.
    pub fn extend_rank(&mut self, id: VarId, rank: usize) {
        let dimensions = &mut self.variable_mut(id).dimensions;
        if dimensions.len() < rank {
            dimensions.resize(rank, Extent::default());
        }
    }

    /// Notes that a statement gives an array another length than it was allocated with.
    pub fn note_grown(&mut self, id: VarId) {
        self.function.grown.insert(id);
    }

    /// Notes that the declaration of an array leaves its length to statements.
    pub fn note_deferred(&mut self, id: VarId) {
        self.deferred.insert(id);
    }

    /// Whether statements decide how long an array is.
    pub fn is_deferred(&self, id: VarId) -> bool {
        self.deferred.contains(&id)
    }

    /// Notes how long another statement makes an array. Its dimensions stay open from there on.
    pub fn note_length(&mut self, id: VarId, length: Length) {
        self.function.open_length(id);
        let lengths = self.function.lengths.entry(id).or_default();
        if !lengths.contains(&length) {
            lengths.push(length);
        }
    }

    /// Notes that nobody knows how long a statement makes an array.
    pub fn note_unknown_length(&mut self, id: VarId) {
        let open = vec![Extent::default(); self.variable(id).dimensions.len()];
        self.note_length(id, Length::Bounds(open));
        self.note_grown(id);
    }

    /// Leaves it open how long an array is that another procedure may allocate anew.
    pub fn open_length(&mut self, id: VarId) {
        if self.is_deferred(id) {
            self.function.open_length(id);
        }
    }

    /// Notes that an array is allocated where it was not.
    pub fn note_kept(&mut self, id: VarId) {
        if !self.anew.contains(&id) {
            self.function.kept.insert(id);
        }
    }

    /// Notes that an array is allocated whatever it was.
    pub fn note_anew(&mut self, id: VarId) {
        self.anew.insert(id);
        self.function.kept.remove(&id);
    }

    /// Fills in the dimensions that a declaration leaves open, where a statement allocates a variable.
    pub fn complete_dimensions(&mut self, id: VarId, extents: Vec<Extent>) {
        let known = &self.variable(id).dimensions;
        let is_complete = known.iter().all(|extent| extent.upper.is_some());
        let is_another = self.function.lengths.contains_key(&id)
            || is_complete && known.len() == extents.len() && !Extent::are_as_long(known, &extents);
        if is_another && self.deferred.contains(&id) {
            return self.note_length(id, Length::Bounds(extents));
        }
        if self.deferred.contains(&id) {
            self.function.sized.insert(id);
        }
        // Which of several statements has allocated it callers do not know.
        if self.variable(id).role == Role::Argument {
            match self.allocated.insert(id) {
                true => self.function.allocated.insert(id),
                false => self.function.allocated.remove(&id),
            };
        }
        let dimensions = &mut self.variable_mut(id).dimensions;
        if dimensions.is_empty() {
            *dimensions = extents;
        } else if dimensions.len() >= extents.len() {
            for (known, extent) in dimensions.iter_mut().zip(extents) {
                if known.lower.is_none() && known.upper.is_none() {
                    *known = extent;
                }
            }
        }
    }

    /// Gives a constant its value, rounded to what its type holds.
    pub fn set_constant(&mut self, id: VarId, value: Value) {
        let ty = self.variable(id).ty.clone();
        let value = match (&ty, value.ty(&self.function)) {
            (Type::Real(own), Type::Real(given)) if *own < given => {
                Value::Convert(ty, Box::new(value))
            }
            _ => value,
        };
        self.variable_mut(id).constant = Some(value);
    }

    /// Notes that a variable is a member of the structures that are the elements of an array.
    pub fn set_member(&mut self, id: VarId, layout: MemberLayout) {
        self.function.members.insert(id, layout);
    }

    /// Notes that a pointer to what a variable's elements are is a member of the structures of an array.
    pub fn set_pointer(&mut self, id: VarId, layout: PointerLayout) {
        self.function.pointers.insert(id, layout);
    }

    /// Notes that a variable is a part of a single structure.
    pub fn set_part(&mut self, id: VarId, layout: MemberLayout) {
        self.function.parts.insert(id, layout);
    }

    /// Notes what a member was selected from, if that is an array or a pointer.
    pub fn set_selected(&mut self, member: VarId, root: VarId) {
        if !self.function.variable(root).dimensions.is_empty() {
            self.function.selected_from.insert(member, root);
        }
    }

    /// Notes how many bytes the structures of a variable take.
    pub fn set_record_bytes(&mut self, id: VarId, bytes: u32) {
        self.function.record_bytes.insert(id, bytes);
    }

    /// Notes what storage of the program a variable names.
    pub fn set_home(&mut self, id: VarId, home: Home) {
        self.function.homes.insert(id, home);
    }

    /// Notes the value that a scalar has before the program runs.
    pub fn set_initial(&mut self, id: VarId, value: Value) {
        self.function.initial.insert(id, value);
    }

    /// Notes the values that elements of an array have before the program runs.
    pub fn set_listed(&mut self, id: VarId, values: Listed) {
        if !values.is_empty() {
            self.function.listed.insert(id, values);
        }
    }

    /// Notes that a variable is zero before the program runs.
    pub fn set_zero(&mut self, id: VarId) {
        self.function.zero.insert(id);
    }

    /// Notes pairs of variables that share storage.
    pub fn share(&mut self, pairs: impl IntoIterator<Item = (VarId, VarId)>) {
        self.function.shared.extend(pairs);
    }

    /// Notes that a pointer points into an array, at an unknown place.
    pub fn point(&mut self, pointer: VarId, target: VarId) {
        self.function.pointed.push((pointer, target));
    }

    /// Notes that statements may give a variable values by another name.
    pub fn set_aliased(&mut self, id: VarId) {
        self.function.aliased.insert(id);
    }

    /// Notes that a dummy argument keeps what is passed.
    pub fn set_read_only(&mut self, id: VarId) {
        self.function.read_only.insert(id);
    }

    /// Notes that the address of a scalar is passed to a procedure.
    pub fn set_passed(&mut self, id: VarId) {
        self.function.passed.insert(id);
    }

    /// Notes the members of a common block.
    pub fn set_common(&mut self, block: &str, members: &[Arc<str>]) {
        let names = members.iter().map(ToString::to_string).collect();
        self.function.commons.insert(block.to_string(), names);
    }

    /// Notes which procedure calls mean by a name.
    pub fn set_callee(&mut self, name: String, callee: Callee) {
        self.function.callees.insert(name, callee);
    }

    /// Notes the table that a call of this name goes through.
    pub fn set_table(&mut self, name: &str, table: CallTable) {
        self.function.tables.insert(name.to_string(), table);
    }

    /// Notes procedures that a list of values names.
    pub fn add_named(&mut self, names: Vec<String>) {
        self.function.named.extend(names);
    }

    /// Notes that a name calls a procedure of an object, unless it stands for another one.
    pub fn note_object(&mut self, called: &str, object: String, name: &str) {
        let callees = &mut self.function.callees;
        (callees.entry(called.to_string())).or_insert_with(|| Callee::OfObject {
            object,
            name: name.to_string(),
        });
    }

    /// Notes another name that the function is entered by.
    pub fn add_entry(&mut self, name: String) {
        self.function.entries.push(name);
    }

    /// Notes a statement that opens a file or reads from it.
    pub fn add_file_statement(&mut self, statement: FileStatement) {
        self.function.file_statements.push(statement);
    }

    pub fn set_name(&mut self, name: String, place: Place) {
        self.function.name = name;
        self.function.place = place;
    }

    /// Notes that other files cannot call the function.
    pub fn set_private(&mut self, is_private: bool) {
        self.function.is_private = is_private;
    }

    /// Notes whether a run begins with the function.
    pub fn set_main(&mut self, is_main: bool) {
        self.function.is_main = is_main;
    }

    /// Notes the module or procedure that contains the function.
    pub fn set_host(&mut self, host: Option<String>) {
        self.function.host = host;
    }

    /// Notes which variable holds the result.
    pub fn set_result(&mut self, id: Option<VarId>) {
        self.function.result = id;
    }

    /// Gives the function its body, with jumps as structure.
    pub fn set_body(&mut self, body: Vec<Stmt>, marks: &Marks) {
        self.function.body = body;
        stored::convert(&mut self.function);
        marks.resolve(&mut self.function);
    }

    pub fn set_end_line(&mut self, line: u32) {
        self.function.end_line = Some(line);
    }

    pub fn finish(mut self) -> Function {
        stored::convert_beginnings(&mut self.function);
        self.function
    }
}
