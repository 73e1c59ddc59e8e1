//! What gives places their values, over all statements of the program?
//!
//! Statements are walked once and each way to a value becomes a [`Definition`]: assigned, passed by a call,
//! returned through an argument, counted by a loop, read from outside, limited (`if (x > n) x = n`). Nothing is
//! evaluated here: `values` does that over all definitions together, as a value may come from a procedure that
//! is walked later.
//!
//! Procedures that no run gets to come last, and count only for places that nothing else gives a value: a test
//! program beside the real one must not set its sizes.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::aliases;
use super::alive::Dead;
use super::amended::{Reads, amended};
use super::asked::{instead_of_input, read_in, under_input, under_words};
use super::at_once::run_at_once;
use super::command_line::{CommandLine, command_line};
use super::counted_arguments::{CountedArguments, by_loop, counted_arguments};
use super::counters::{Counter, Role, counters};
use super::definition::{Definition, Definitions, Without, is_among};
use super::guarded::{Guarded, guarded};
use super::inputs;
use super::keys::{is_literal, keyed};
use super::order;
use super::own_readers::OwnReaders;
use super::places::{PlaceId, Places, asked_of_images, inquired};
use super::presence::Presence;
use super::stand_ins::{asked_for_some, stand_in, stand_ins};
use super::taken_back::taken_back;
use super::words::words;
use crate::calls::{ProcedureId, Procedures, Target, reached};
use crate::inputs::Inputs;
use crate::intrinsics::{IntrinsicKind, Meaning};
use crate::ir::visit::{InLoop, calls_of, each_value, statements, values_of};
use crate::ir::{
    self, BinaryOp, Control, If, Jump, Length, Stmt, Type, Value, VarId, address_bases,
    kept_addresses, source_text,
};

/// Procedures are asked for the extents of an array that many of them share.
const MOST_ALLOCATIONS: usize = 8;

/// Procedures that pass on what they are passed are followed so far.
const MOST_CALLS: usize = 4;

/// What was collected.
pub struct Collected<'u> {
    pub places: Places,
    /// Of every place.
    pub definitions: Vec<Definitions<'u>>,
    /// Procedures that read input, or call one that does.
    pub readers: FxHashSet<ProcedureId>,
}

/// Collects the definitions of all places.
pub struct Collector<'k, 'u> {
    pub known: &'k Procedures<'u>,
    pub places: Places,
    pub all: Vec<Definitions<'u>>,
    /// Procedures that read input, or call one that does.
    pub readers: FxHashSet<ProcedureId>,
    /// Calls of procedures, caller first.
    pub calls: Vec<(ProcedureId, ProcedureId)>,
    reads: Reads,
    command_line: CommandLine,
    own_readers: OwnReaders,
    /// Which optional arguments calls pass.
    presence: &'k Presence,
    /// Procedures that every run calls, where there is a main program.
    at_once: FxHashSet<ProcedureId>,
    /// Calls and assignments that never run.
    dead: Vec<(ProcedureId, &'u Stmt)>,
    /// Types of structures that are given values as a whole, which are not followed to their components.
    pub opened: FxHashSet<String>,
    /// Whether a statement gives something a value that only a computed address leads to.
    pub is_anything_set: bool,
    /// Places whose addresses calls pass that no condition and no loop is around, and the dummy arguments for which they do.
    read_there: Vec<(PlaceId, PlaceId)>,
    /// Types of structures whose address a procedure without a body gets, which may give them other values.
    pub handed_over: FxHashSet<String>,
    /// Arguments of the procedure that is looked at.
    counted_arguments: CountedArguments<'u>,
}

impl<'k, 'u> Collector<'k, 'u> {
    pub fn new(
        known: &'k Procedures<'u>,
        inputs: &Inputs,
        presence: &'k Presence,
    ) -> Collector<'k, 'u> {
        let set = inputs.sizes.iter().map(|size| size.name.clone());
        Collector {
            known,
            places: Places::with_set(set),
            all: Vec::new(),
            readers: FxHashSet::default(),
            calls: Vec::new(),
            command_line: command_line(known),
            reads: Reads::default(),
            own_readers: OwnReaders::of(known),
            presence,
            at_once: run_at_once(known),
            dead: Vec::new(),
            opened: FxHashSet::default(),
            is_anything_set: false,
            read_there: Vec::new(),
            handed_over: FxHashSet::default(),
            counted_arguments: CountedArguments::default(),
        }
    }

    /// Adds what the statements of all procedures do. What no run gets to counts only for places that nothing else gives
    /// a value.
    pub fn program(&mut self) {
        match reached(self.known) {
            None => {
                self.known.ids().for_each(|id| self.procedure(id));
                self.forget_opened();
            }
            Some(reached) => {
                let is_reached = |id: &ProcedureId| reached[id.at()];
                let (first, others): (Vec<_>, Vec<_>) = self.known.ids().partition(is_reached);
                first.into_iter().for_each(|id| self.procedure(id));
                self.forget_opened();
                self.all
                    .resize_with(self.places.len(), Definitions::default);
                for known in &mut self.all {
                    known.is_settled = known.is_given_so_far();
                    known.is_unset_so_far = !known.is_settled;
                }
                others.into_iter().for_each(|id| self.procedure(id));
                self.forget_opened();
            }
        }
        self.never_run();
    }

    /// Adds what statements do that never run, which counts only for places that nothing else gives a value.
    fn never_run(&mut self) {
        let dead = std::mem::take(&mut self.dead);
        if dead.is_empty() {
            return;
        }
        for known in &mut self.all {
            known.is_settled |= known.is_given_so_far();
        }
        for (id, stmt) in dead {
            if let Stmt::Assign { target, value, .. } = stmt {
                self.assigned(id, target, (value, false));
            }
            calls_of(stmt, &mut |name, arguments| self.call(id, name, arguments));
        }
    }

    /// Named constants are places where a setting names them.
    fn set_constants(&mut self, id: ProcedureId) {
        let function = self.known.get(id).function;
        for (number, variable) in (0..).map(VarId).zip(&function.variables) {
            if self.places.is_set(function, number)
                && let Some(value) = &variable.constant
                && let Some(place) = self.places.variable(self.known, id, number)
            {
                self.of(place).initial.get_or_insert((id, value));
            }
        }
    }

    /// Adds what elements of arrays begin with.
    fn begin_elements(&mut self, id: ProcedureId) {
        let function = self.known.get(id).function;
        for (variable, elements) in &function.listed {
            let Some(array) = self.places.variable(self.known, id, *variable) else {
                continue;
            };
            let is_constant = matches!(function.variable(*variable).role, ir::Role::Constant(_));
            let is_component = self.places.get(array).structure.is_some();
            for (subscripts, value) in elements {
                let element = self.places.numbered(array, subscripts.clone());
                // An array that a procedure has for itself gets them whenever it begins.
                let is_set = is_constant || self.places.get(element).is_own;
                // What points to a structure may point to one of the array.
                let places = [Some(element), is_component.then_some(array)];
                for place in places.into_iter().flatten() {
                    let of = self.of(place);
                    match is_set {
                        true => of.assign(Definition::Value(id, value)),
                        false => of.begin(id, value),
                    }
                }
            }
        }
    }

    /// Adds what the statements of a procedure do.
    fn procedure(&mut self, id: ProcedureId) {
        let function = self.known.get(id).function;
        self.set_constants(id);
        self.begin_variables(id);
        self.unconditional(id, &function.body);
        let under_input = under_input(self.known, &self.command_line, id);
        let under_words = under_words(self.known, &self.command_line, id);
        let not_read = instead_of_input(self.known, id);
        let taken_back = taken_back(&function.body);
        let counters: Vec<Arc<Counter>> = counters(function).into_iter().map(Arc::new).collect();
        let [mut limits, mut floors, mut instead]: [Vec<&Value>; 3] = Default::default();
        self.counted_arguments = counted_arguments(function);
        let dead = Dead::of(
            function,
            &|constant| self.places.is_set(function, constant),
            &|condition| self.presence.truth(id, function, condition),
        );
        statements(&function.body, InLoop::No, &mut |stmt, _| {
            let is_dead = dead.contains(stmt);
            if is_dead {
                self.dead.push((id, stmt));
            } else {
                self.note_kept_addresses(id, stmt);
            }
            match stmt {
                Stmt::Assign { .. } | Stmt::Call { .. } if is_dead => {}
                Stmt::Assign { target, value, .. } => {
                    let stand_in = stand_in(function, (target, value));
                    instead.extend(stand_in);
                    let value = stand_in.unwrap_or(value);
                    self.assigned_as_a_whole(id, target, value);
                    if !self.counted_up(id, target, (&counters, value)) {
                        self.assigned(id, target, (value, is_among(&limits, value)));
                    }
                    if let Some(place) = self.place(id, target) {
                        let of = self.of(place);
                        for (all, own) in [
                            (&floors, &mut of.floors),
                            (&taken_back, &mut of.taken_back),
                            (&instead, &mut of.stand_ins),
                            (&under_input, &mut of.under_input),
                            (&under_words, &mut of.under_words),
                            (&not_read.all, &mut of.instead_of_input),
                            (&not_read.always, &mut of.always_instead),
                        ] {
                            own.extend(is_among(all, value).then_some(value));
                        }
                        of.is_set_again |= is_among(&not_read.before, value);
                    }
                }
                Stmt::Call {
                    name, arguments, ..
                } => {
                    self.call(id, name, arguments);
                    self.handed_by_place(id, name, arguments);
                }
                Stmt::Loop(inner) => {
                    self.counted(id, &inner.control);
                }
                Stmt::If(branch) => {
                    match Limit::of(branch) {
                        Some(Limit::Upper(limit)) => limits.push(limit),
                        Some(Limit::Lower(limit)) => floors.push(limit),
                        None => instead.extend(stand_ins(function, branch)),
                    }
                    self.note_asked(id, branch);
                }
                Stmt::Jump { .. }
                | Stmt::Mark { .. }
                | Stmt::Evaluate { .. }
                | Stmt::Opaque { .. } => {}
            }
            values_of(stmt, &mut |value| {
                if let Value::Call {
                    name,
                    arguments,
                    ty,
                } = value
                    && !is_dead
                {
                    self.call(id, name, arguments);
                    // Without a type it may be an array of a module that is not there.
                    if *ty != Type::Unknown {
                        self.handed_by_place(id, name, arguments);
                    }
                }
                // Read somewhere: it has a place, whatever gives it a value.
                self.place(id, value);
            });
        });
        self.note_guards(id);
        self.note_amended(id);
        if function.result.is_none() {
            self.returns(id, &function.body);
        }
        self.name_by_keys(id);
        self.allocated(id);
        self.bounds(id);
        for alias in &function.aliased {
            self.alias(id, &Value::Variable(*alias));
        }
    }

    /// Notes of what a branch asks to be more than zero whether the program goes on without.
    fn note_asked(&mut self, id: ProcedureId, branch: &'u If) {
        let function = self.known.get(id).function;
        let reads = |variable| read_in(self.known, id, &function.body).contains(&variable);
        let Some((asked, without)) = asked_for_some(function, branch, &reads) else {
            return;
        };
        if let Some(place) = self.place(id, asked) {
            let known = &mut self.of(place).without;
            *known = known
                .filter(|known| *known == Without::Ends)
                .or(Some(without));
        }
    }

    /// Adds what variables begin with.
    fn begin_variables(&mut self, id: ProcedureId) {
        let function = self.known.get(id).function;
        for (variable, value) in &function.initial {
            if let Some(place) = self.places.variable(self.known, id, *variable) {
                self.of(place).begin(id, value);
            }
        }
        self.begin_elements(id);
        // The language gives it the command line.
        if function.is_main
            && let Some(count) = self.known.formals(id).first()
            && let Some(place) = self.places.variable(self.known, id, *count)
        {
            let words = words(self.known, id, *count);
            self.of(place).pass(Definition::Words(words));
        }
    }

    /// Adds what a loop gives its variable.
    fn counted(&mut self, id: ProcedureId, control: &'u Control) {
        if let Control::Counted { variable, .. } = control
            && let Some(definition) = by_loop(id, control)
        {
            self.assign(id, &Value::Variable(*variable), definition);
        }
    }

    /// What a call passes for a scalar: of the variable of a loop around it, what that loop gives it.
    pub(super) fn passed_scalar(&self, caller: ProcedureId, actual: &'u Value) -> Definition<'u> {
        let control = self.counted_arguments.get(&std::ptr::from_ref(actual));
        control
            .and_then(|control| by_loop(caller, control))
            .unwrap_or(Definition::Value(caller, actual))
    }

    /// Notes the statements that change what has been read.
    fn note_amended(&mut self, id: ProcedureId) {
        for amended in amended(self.known, id, &mut self.reads) {
            if let Some(place) = self.place(id, amended.target) {
                self.of(place).amended.push(amended);
            }
        }
    }

    /// Notes the statements under conditions that give places literals, or count them.
    fn note_guards(&mut self, id: ProcedureId) {
        for Guarded {
            target,
            value,
            around,
        } in guarded(&self.known.get(id).function.body)
        {
            if let Some(place) = self.place(id, target) {
                self.of(place).guards.push((id, value, around));
            }
        }
    }

    /// Notes what the statements assign and read that no condition and no loop is around.
    fn unconditional(&mut self, id: ProcedureId, body: &'u [Stmt]) {
        for stmt in body {
            if let Stmt::Assign { target, value, .. } = stmt
                && let Some(place) = self.place(id, target)
            {
                self.of(place).unconditional.push(value);
            }
            self.always_read(id, stmt);
        }
    }

    /// Notes what a statement of C that no condition and no loop is around reads. A list of Fortran may be a namelist, which
    /// leaves what the input does not name as it is.
    fn always_read(&mut self, id: ProcedureId, stmt: &'u Stmt) {
        let known = self.known;
        let mut read: Vec<&Value> = Vec::new();
        let gives_state = |name: &str| matches!(known.target(id, name), Target::Library(called) if called.kind.gives_state());
        if let Stmt::Assign {
            target,
            value: Value::Call { name, .. },
            ..
        } = stmt
            && gives_state(name)
        {
            read.push(target);
        }
        calls_of(stmt, &mut |name, arguments| {
            if gives_state(name) {
                let written = |argument| self.written(id, argument);
                read.extend(arguments.iter().filter_map(written));
            }
        });
        self.note_always_read(id, &read);
        if !known.get(id).function.conventions.has_pointers() {
            return;
        }
        read.clear();
        let mut passed: Vec<(&Value, ProcedureId, VarId)> = Vec::new();
        if let Stmt::Assign { target, value, .. } = stmt
            && inputs::is_input(value, known, id)
            && inputs::default_of(value, known, id).is_none()
        {
            read.push(target);
        }
        calls_of(stmt, &mut |name, arguments| {
            let written = |argument| self.written(id, argument);
            match known.target(id, name) {
                Target::Library(called) if called.kind == IntrinsicKind::Input => {
                    let any = |argument| written(argument).or(Some(argument));
                    read.extend(arguments.iter().filter_map(any));
                }
                Target::Library(called) if called.kind == IntrinsicKind::Read => {
                    read.extend(arguments.iter().filter_map(written));
                }
                // What it had before is nobody's choice.
                Target::Unknown if known.candidates(id, name).is_empty() => {
                    read.extend(arguments.iter().filter_map(written));
                }
                Target::Body(callee) => {
                    for (formal, argument) in known.formals(callee).into_iter().zip(arguments) {
                        if let Some(read) = written(argument) {
                            passed.push((read, callee, formal));
                        }
                    }
                }
                _ => {}
            }
        });
        self.note_always_read(id, &read);
        for (value, callee, formal) in passed {
            if let Some(place) = self.read_for_certain(id, value)
                && let Some(dummy) = self.place(callee, &Value::Variable(formal))
            {
                self.read_there.push((place, dummy));
            }
        }
    }

    fn note_always_read(&mut self, id: ProcedureId, read: &[&Value]) {
        for value in read {
            if let Some(place) = self.read_for_certain(id, value) {
                self.of(place).is_always_read = true;
            }
        }
    }

    /// The place of what a statement of a procedure reads that no condition and no loop is around, if that is so in each run.
    fn read_for_certain(&mut self, id: ProcedureId, value: &Value) -> Option<PlaceId> {
        let place = self.place(id, value)?;
        let known = self.places.get(place);
        let runs = self.at_once.contains(&id);
        // A component may be of a structure that others have, too, where this procedure does not run.
        let is_elsewhere = known.structure.is_some() && !self.at_once.is_empty() && !runs;
        let is_private = known.is_own || known.is_local && !is_elsewhere;
        (is_private || runs).then_some(place)
    }

    /// What a called procedure reads for certain where it is passed is read for certain.
    fn note_read_there(&mut self) {
        for _ in 0..MOST_CALLS {
            for (place, dummy) in std::mem::take(&mut self.read_there) {
                match self.of(dummy).is_always_read {
                    true => self.of(place).is_always_read = true,
                    false => self.read_there.push((place, dummy)),
                }
            }
        }
    }

    /// Notes the places whose addresses a statement keeps.
    fn note_kept_addresses(&mut self, id: ProcedureId, stmt: &'u Stmt) {
        for value in kept_addresses(stmt, self.known.get(id).function) {
            self.alias_around(id, value);
        }
    }

    /// Notes what a procedure of C without a body gets the address of, and may give any value.
    pub(super) fn handed_by_address(&mut self, id: ProcedureId, argument: &'u Value) {
        let function = self.known.get(id).function;
        if !function.conventions.has_pointers() {
            return;
        }
        let mut kept = Vec::new();
        address_bases(argument, function, &mut kept);
        kept.extend(self.written(id, argument));
        for value in kept {
            self.alias_around(id, value);
        }
    }

    /// Notes the scalars that a call of a procedure without a body gets the places of, in a language that passes these.
    fn handed_by_place(&mut self, id: ProcedureId, name: &str, arguments: &[Value]) {
        let function = self.known.get(id).function;
        let is_unknown = match self.known.target(id, name) {
            Target::Library(called) => called.kind.gives_state(),
            Target::Unknown => self.known.candidates(id, name).is_empty(),
            _ => false,
        };
        if !function.conventions.passes_places() || !is_unknown {
            return;
        }
        for argument in arguments {
            if argument
                .variable()
                .is_some_and(|id| !function.read_only.contains(&id))
                && let Some(place) = self.place(id, argument)
            {
                self.of(place).may_be_reset = true;
            }
        }
    }

    /// Through the address of one element others are reached.
    pub(super) fn alias_around(&mut self, id: ProcedureId, value: &Value) {
        self.alias(id, value);
        if let Some(place) = self.place(id, value)
            && let Some(array) = self.places.get(place).array
        {
            self.of(array).is_aliased = true;
        }
    }

    /// Notes that statements may give a variable values by another name.
    pub fn alias(&mut self, id: ProcedureId, variable: &Value) {
        if let Some(place) = self.place(id, variable) {
            self.of(place).is_aliased = true;
        }
    }

    /// Adds what a counter ends at, where its first step stands; whether the value is one of a counter.
    fn counted_up(
        &mut self,
        id: ProcedureId,
        target: &Value,
        (counters, value): (&[Arc<Counter<'u>>], &Value),
    ) -> bool {
        let mut roles = counters
            .iter()
            .filter_map(|one| Some((one, one.role(value)?)));
        let Some((counter, role)) = roles.next() else {
            return false;
        };
        if role == Role::FirstStep {
            self.assign(id, target, Definition::CountedUp(id, counter.clone()));
        }
        true
    }

    /// Gives places to what the bounds of a procedure's arrays are made from.
    fn bounds(&mut self, id: ProcedureId) {
        for variable in &self.known.get(id).function.variables {
            for extent in &variable.dimensions {
                for bound in [&extent.lower, &extent.upper].into_iter().flatten() {
                    each_value(bound, &mut |value| {
                        self.place(id, value);
                    });
                }
            }
        }
    }

    /// Adds what a statement assigns, which may be a limit of what the target has.
    fn assigned(
        &mut self,
        id: ProcedureId,
        target: &'u Value,
        (value, is_limit): (&'u Value, bool),
    ) {
        let by_own_reader = self.own_readers.default_of(self.known, id, value);
        let definition = if by_own_reader.is_some() || inputs::is_input(value, self.known, id) {
            self.readers.insert(id);
            let default = by_own_reader.or_else(|| inputs::default_of(value, self.known, id));
            if let Some(default) = default
                && let Some(place) = self.place(id, target)
            {
                let of = self.of(place);
                of.instead_of_input.push(default);
                of.assign(Definition::Value(id, default));
            }
            match inputs::about(value, self.known, id) {
                Some(about) => Definition::About(about),
                None => Definition::Given,
            }
        } else if is_limit {
            Definition::AtMost(id, value)
        } else {
            Definition::Value(id, value)
        };
        if matches!(definition, Definition::Given) {
            self.name_as_read(id, target);
        }
        match self.copied(id, target, value) {
            Some((to, from)) if to == from => {}
            Some((to, from)) => self.of(to).assign(Definition::Array(from)),
            None => self.assign(id, target, definition),
        }
    }

    /// Adds the whole numbers that a function returns, where it has no variable for them.
    fn returns(&mut self, id: ProcedureId, block: &'u [Stmt]) {
        let function = self.known.get(id).function;
        for pair in block.windows(2) {
            if let [Stmt::Evaluate { values, .. }, Stmt::Jump { kind, .. }] = pair
                && *kind == Jump::Return
                && let [value] = &values[..]
                && matches!(value.ty(function), Type::Integer(..))
            {
                let place = self.places.returned(function, id);
                let definition = match inputs::is_input(value, self.known, id) {
                    true => Definition::Given,
                    false => Definition::Value(id, value),
                };
                self.of(place).assign(definition);
            }
        }
        for stmt in block {
            match stmt {
                Stmt::Loop(inner) => self.returns(id, &inner.body),
                Stmt::If(branch) => {
                    self.returns(id, &branch.then);
                    self.returns(id, &branch.otherwise);
                }
                Stmt::Opaque { inner, .. } => self.returns(id, inner),
                _ => {}
            }
        }
    }

    /// Gives places the names that the input has for them: those that are read alone behind a comparison with a word.
    fn name_by_keys(&mut self, id: ProcedureId) {
        for (key, branch) in keyed(self.known.get(id).function) {
            let mut read: Vec<PlaceId> = Vec::new();
            for stmt in branch {
                match stmt {
                    Stmt::Assign { target, value, .. } if !is_literal(value) => {
                        read.extend(self.place(id, target));
                    }
                    Stmt::Call {
                        name, arguments, ..
                    } if matches!(self.known.target(id, name), Target::Library(called) if called.kind.gives_from_outside()) => {
                        for argument in arguments {
                            let target = self.written(id, argument).unwrap_or(argument);
                            read.extend(self.place(id, target));
                        }
                    }
                    _ => {}
                }
            }
            if let [place] = read[..] {
                self.of(place).keys.push(key);
            }
        }
    }

    /// Adds the extents of arrays that the procedure shares with others, which may not see how they are allocated.
    fn allocated(&mut self, id: ProcedureId) {
        let function = self.known.get(id).function;
        let mut shared: Vec<VarId> = function.homes.keys().copied().collect();
        shared.sort();
        for array in &function.grown {
            for (_, dimension) in function.variable(*array).dimensions.iter().zip(0..) {
                let place = self.places.extent(self.known, id, *array, dimension);
                self.of(place).is_aliased = true;
            }
        }
        for (array, lengths) in &function.lengths {
            for length in lengths {
                self.made_as_long(id, *array, length);
            }
        }
        for array in shared {
            for (extent, dimension) in function.variable(array).dimensions.iter().zip(0..) {
                if extent.upper.is_none() {
                    continue;
                }
                let place = self.places.extent(self.known, id, array, dimension);
                let definition = Definition::Allocated(id, array, dimension);
                if self.of(place).assigned.len() < MOST_ALLOCATIONS {
                    self.of(place).assign(definition);
                }
            }
        }
    }

    /// One of several lengths that statements give an array.
    fn made_as_long(&mut self, id: ProcedureId, array: VarId, length: &'u Length) {
        let rank = self.known.get(id).function.variable(array).dimensions.len();
        for at in 0..rank {
            let dimension = at as u32;
            let definition = match length {
                Length::Bounds(extents) => {
                    let Some(extent) = extents.get(at).filter(|extent| extent.upper.is_some())
                    else {
                        continue;
                    };
                    Definition::Between(id, extent)
                }
                Length::Shape(value) => Definition::Extent(id, value, dimension),
            };
            let place = self.places.extent(self.known, id, array, dimension);
            if self.of(place).assigned.len() < MOST_ALLOCATIONS {
                self.of(place).assign(definition);
            }
        }
    }

    pub fn of(&mut self, place: PlaceId) -> &mut Definitions<'u> {
        if self.all.len() < self.places.len() {
            self.all
                .resize_with(self.places.len(), Definitions::default);
        }
        &mut self.all[place.at()]
    }

    /// Ends the collection: every place has its definitions.
    pub fn finish(mut self) -> Collected<'u> {
        self.all
            .resize_with(self.places.len(), Definitions::default);
        let read = |(_, callee): &&(ProcedureId, ProcedureId)| self.readers.contains(callee);
        let through: Vec<ProcedureId> = self
            .calls
            .iter()
            .filter(read)
            .map(|(caller, _)| *caller)
            .collect();
        self.readers.extend(through);
        self.begin_with_zero();
        self.note_read_there();
        self.note_handed_over();
        self.all
            .resize_with(self.places.len(), Definitions::default);
        aliases::note(self.known, &self.places, &mut self.all);
        order::note(self.known, &self.places, &mut self.all);
        Collected {
            places: self.places,
            definitions: self.all,
            readers: self.readers,
        }
    }

    pub fn place(&mut self, id: ProcedureId, value: &Value) -> Option<PlaceId> {
        match value {
            Value::Variable(variable) => self.places.variable(self.known, id, *variable),
            Value::Element {
                array, subscripts, ..
            } => {
                let array = self.places.variable(self.known, id, *array)?;
                Some(self.places.element(array, subscripts))
            }
            Value::Call { name, .. } => {
                let function = self.known.get(id).function;
                let is_own = matches!(self.known.target(id, name), Target::Body(_));
                if let Some(meaning) = asked_of_images(function, value).filter(|_| !is_own) {
                    let text = source_text(value, function);
                    let place = self.places.image(function, meaning, text);
                    let known = self.of(place);
                    if known.assigned.is_empty() {
                        known.assign(match meaning {
                            // What they do together is one's share of one: how many there are decides nothing.
                            Meaning::Threads => Definition::About(1),
                            Meaning::Thread => Definition::Alone(0),
                            _ => Definition::Alone(1),
                        });
                    }
                    return Some(place);
                }
                let (array, dimension) = inquired(function, value)?;
                (!is_own).then(|| self.places.extent(self.known, id, array, dimension))
            }
            _ => None,
        }
    }

    pub fn assign(&mut self, id: ProcedureId, target: &Value, definition: Definition<'u>) {
        if let Some(place) = self.place(id, target) {
            self.of(place).assign(definition);
        }
    }
}

/// A value that a variable is kept from passing: the `n` of `if (x > n) x = n`, also where the other limit is asked for
/// next.
enum Limit<'v> {
    Upper(&'v Value),
    Lower(&'v Value),
}

impl<'v> Limit<'v> {
    fn of(branch: &'v If) -> Option<Limit<'v>> {
        let [Stmt::Assign { target, value, .. }] = &branch.then[..] else {
            return None;
        };
        let Value::Binary(op, left, right) = &branch.condition else {
            return None;
        };
        let (smaller, larger) = match op {
            BinaryOp::Less | BinaryOp::LessOrEqual => (&**left, &**right),
            BinaryOp::Greater | BinaryOp::GreaterOrEqual => (&**right, &**left),
            _ => return None,
        };
        let is_alone = match &branch.otherwise[..] {
            [] => true,
            [Stmt::If(next)] => {
                Limit::of(next).is_some()
                    && matches!(&next.then[..], [Stmt::Assign { target: other, .. }] if other == target)
            }
            _ => false,
        };
        match is_alone {
            true if value == smaller && target == larger => Some(Limit::Upper(value)),
            true if value == larger && target == smaller => Some(Limit::Lower(value)),
            _ => None,
        }
    }
}
