//! What lowering keeps on its way through a function: one small type for each thing, which alone changes it.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::ctype::CType;
use super::labels::Labels;
use super::names::Enumerator;
use crate::ir::{Name, Stmt, VarId};

/// Addresses in initial values lead to others so often.
const MOST_BEHIND: u32 = 16;

/// What is known of the function's variables beside what the IR keeps.
#[derive(Default)]
pub struct Variables<'t> {
    /// Types by id.
    types: Vec<CType<'t>>,
    /// Names of file scope, macros and undeclared names that the function uses.
    imported: FxHashMap<(&'t str, Enumerator), VarId>,
    /// Variables made of a variable and the members selected from it.
    components: FxHashMap<VarId, FxHashMap<Name, VarId>>,
    /// The first variable made of a member of a union, by the union.
    unions: FxHashMap<(VarId, Name), VarId>,
    /// Variables whose address was taken, in order.
    addressed: Vec<VarId>,
    /// Constants whose values are being read.
    expanding: Vec<&'t str>,
    /// How many initial values are being read, each for an address that the one before has.
    behind: u32,
}

/// A variable and the members selected from it.
pub struct Selected {
    pub root: VarId,
    pub members: Name,
}

impl<'t> Variables<'t> {
    /// Notes the type of the variable that was added last.
    pub fn add_type(&mut self, ty: CType<'t>) {
        self.types.push(ty);
    }

    pub fn type_of(&self, id: VarId) -> &CType<'t> {
        &self.types[id.0 as usize]
    }

    pub fn set_type(&mut self, id: VarId, ty: CType<'t>) {
        self.types[id.0 as usize] = ty;
    }

    /// The variable of a name from outside of the function, if it has been made.
    pub fn imported(&self, name: &'t str, enumerator: Enumerator) -> Option<VarId> {
        self.imported.get(&(name, enumerator)).copied()
    }

    pub fn import(&mut self, name: &'t str, enumerator: Enumerator, id: VarId) {
        self.imported.insert((name, enumerator), id);
    }

    /// The variable made of the members of another, if it has been.
    pub fn component(&self, root: VarId, members: &Name) -> Option<VarId> {
        self.components.get(&root)?.get(members).copied()
    }

    pub fn add_component(&mut self, selected: Selected, id: VarId) {
        let known = self.components.entry(selected.root).or_default();
        known.insert(selected.members, id);
    }

    /// What a variable was made of: itself, if it has no members.
    pub fn selection(&self, id: VarId) -> Selected {
        let made = self.components.iter().find_map(|(root, known)| {
            let (members, _) = known.iter().find(|(_, made)| **made == id)?;
            Some((*root, members.clone()))
        });
        let (root, members) = made.unwrap_or((id, Name::default()));
        Selected { root, members }
    }

    /// The first variable that was made of a member of a union: `id` if there was none.
    pub fn first_of_union(&mut self, root: VarId, union: Name, id: VarId) -> VarId {
        *self.unions.entry((root, union)).or_insert(id)
    }

    /// Notes that the address of a variable was taken.
    pub fn take_address(&mut self, id: VarId) {
        self.addressed.push(id);
    }

    /// How many addresses have been taken.
    pub fn addresses(&self) -> usize {
        self.addressed.len()
    }

    /// Whether the address of a variable was taken after so many others.
    pub fn is_addressed_since(&self, addresses: usize, id: VarId) -> bool {
        self.addressed[addresses..].contains(&id)
    }

    pub fn is_expanding(&self, name: &str) -> bool {
        self.expanding.contains(&name)
    }

    pub fn begin_expansion(&mut self, name: &'t str) {
        self.expanding.push(name);
    }

    pub fn end_expansion(&mut self) {
        self.expanding.pop();
    }

    /// Whether initial values are to be read that the address of something leads to.
    pub fn go_behind(&mut self) -> bool {
        let is_near = self.behind < MOST_BEHIND;
        self.behind += u32::from(is_near);
        is_near
    }

    pub fn come_back(&mut self) {
        self.behind -= 1;
    }
}

/// The statements of the block at hand, so far.
#[derive(Default)]
pub struct Code {
    block: Vec<Stmt>,
    /// Where the increment of `i++` may wait for the end of the statement; `None` where the value is
    /// needed before that.
    deferred: Option<Vec<Stmt>>,
}

/// What waited for the end of the statement around.
pub struct Waiting(Option<Vec<Stmt>>);

impl Code {
    pub fn emit(&mut self, stmt: Stmt) {
        self.block.push(stmt);
    }

    pub fn append(&mut self, stmts: Vec<Stmt>) {
        self.block.extend(stmts);
    }

    /// Begins a block; gives the one around.
    pub fn begin(&mut self) -> Vec<Stmt> {
        std::mem::take(&mut self.block)
    }

    /// Ends a block and goes on with the one around.
    pub fn end(&mut self, outer: Vec<Stmt>) -> Vec<Stmt> {
        std::mem::replace(&mut self.block, outer)
    }

    /// From here on increments may wait.
    pub fn begin_waiting(&mut self) -> Waiting {
        Waiting(self.deferred.replace(Vec::new()))
    }

    /// From here on no increment waits.
    pub fn forbid_waiting(&mut self) -> Waiting {
        Waiting(self.deferred.take())
    }

    /// Goes on as before.
    pub fn restore(&mut self, outer: Waiting) {
        self.deferred = outer.0;
    }

    /// Has a statement wait for the end of the one at hand; gives it back if it may not.
    pub fn defer(&mut self, stmt: Stmt) -> Option<Stmt> {
        match &mut self.deferred {
            Some(deferred) => {
                deferred.push(stmt);
                None
            }
            None => Some(stmt),
        }
    }

    /// Emits what has waited.
    pub fn flush(&mut self) {
        if let Some(deferred) = &mut self.deferred {
            self.block.append(deferred);
        }
    }
}

/// What `break` leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Breaks {
    #[default]
    Loop,
    Switch,
}

/// The loops around a statement, and where its jumps may go.
#[derive(Default)]
pub struct Jumps<'t> {
    breaks: Breaks,
    /// The loops around, innermost last, by their bytes.
    loops: Vec<Range<usize>>,
    /// The labels of the function; read when first needed.
    labels: Option<Labels<'t>>,
}

impl<'t> Jumps<'t> {
    pub fn breaks(&self) -> Breaks {
        self.breaks
    }

    /// Notes what `break` leaves from here on; gives what it left before.
    pub fn set_breaks(&mut self, breaks: Breaks) -> Breaks {
        std::mem::replace(&mut self.breaks, breaks)
    }

    pub fn enter_loop(&mut self, bytes: Range<usize>) {
        self.loops.push(bytes);
    }

    pub fn leave_loop(&mut self) {
        self.loops.pop();
    }

    /// How many loops a jump to a byte leaves.
    pub fn loops_left(&self, target: usize) -> usize {
        let around = self.loops.iter().rev();
        around.take_while(|range| !range.contains(&target)).count()
    }

    pub fn labels(&self) -> Option<&Labels<'t>> {
        self.labels.as_ref()
    }

    pub fn set_labels(&mut self, labels: Labels<'t>) {
        self.labels = Some(labels);
    }
}
