//! One procedure on its way to the IR: its variables, made when they are first named.
//!
//! Variables are made late because a scope sees far more names than a procedure uses, all of its modules' among
//! them. What changes on the way has a small type for each thing (`context`): nesting, expansions of statement
//! functions, the place of the statement at hand.

use std::sync::Arc;

use tree_sitter::Node;

use super::super::draft::Draft;
use super::super::jumps::Marks;
use super::assigned::Assigned;
use super::context::{Aliases, Expansions, Loops, Nesting, Results, Statement};
use super::expression::{Expr, Reader};
use super::kinds::{ASSUMED_KIND, Resolved};
use super::layouts::Layouts;
use super::modules::{Found, World};
use super::names::{field, kind};
use super::remarks::Remarks;
use super::scope::{Bounds, Class, Scope, Symbol, TypeSpec};
use super::units::ProcedureUnit;
use super::variables::Variables;
use crate::diagnostic::{DiagnosticCode, Place, Severity};
use crate::ir::{
    self, ConstantOrigin, Conventions, Extent, Function, Home, Reason, Role, Stmt, Type, VarId,
    Variable,
};
use crate::reason::ReasonCode;
use crate::syntax::{self, named_children};

/// One procedure on its way to the IR. What is only read stands first; each of the rest owns one thing.
pub struct Lowering<'a> {
    pub(super) reader: &'a Reader<'a>,
    pub(super) world: World<'a>,
    pub(super) scope: &'a Scope,
    pub(super) unit: &'a ProcedureUnit<'a>,
    pub(super) draft: Draft,
    pub(super) variables: Variables,
    pub(super) marks: Marks,
    pub(super) statement: Statement,
    pub(super) loops: Loops,
    pub(super) nesting: Nesting,
    pub(super) aliases: Aliases,
    pub(super) expansions: Expansions,
    pub(super) assigned: Assigned,
    /// Arrays that conditions around the statement say are not allocated.
    pub(super) missing: Vec<VarId>,
    pub(super) layouts: Layouts,
    pub(super) results: Results,
    pub(super) remarks: &'a mut Remarks,
}

/// What a name means where it stands.
pub enum Meaning<'a> {
    Variable(VarId),
    Procedure(&'a Symbol, &'a Scope),
    StatementFunction(&'a [Arc<str>], &'a Expr),
    /// A module that was not read may say.
    Elsewhere(Arc<str>),
    Nowhere,
}

/// Lowers one procedure; what there is to report of it goes into `remarks`.
pub fn lower<'a>(
    reader: &'a Reader<'a>,
    world: World<'a>,
    unit: &'a ProcedureUnit<'a>,
    remarks: &'a mut Remarks,
) -> Function {
    let place = reader.place(unit.node);
    let mut lowering = Lowering {
        reader,
        world,
        scope: &unit.scope,
        unit,
        draft: Draft::new(unit.name.to_string(), place.clone(), Conventions::FORTRAN),
        variables: Variables::default(),
        marks: Marks::default(),
        statement: Statement::at(place),
        loops: Loops::default(),
        nesting: Nesting::default(),
        aliases: Aliases::default(),
        expansions: Expansions::default(),
        assigned: Assigned::default(),
        missing: Vec::new(),
        layouts: Layouts::default(),
        results: Results::default(),
        remarks,
    };
    lowering.arguments(&unit.arguments);
    let body = lowering.block(&unit.statements);
    lowering.draft.set_body(body, &lowering.marks);
    lowering.share_overlays();
    lowering.name_host();
    lowering.draft.set_main(unit.node.kind() == kind::PROGRAM);
    let is_host = |part: &Node| reader.tree.role(*part) == Some(syntax::Role::InternalProcedures);
    if !named_children(unit.node).iter().any(is_host) {
        lowering.draft.set_end_line(lowering.end_line(unit.node));
    }
    // Of a structure that is the result the body may name nothing but components.
    if unit.node.kind() == kind::FUNCTION {
        lowering.meaning(&unit.result, lowering.scope);
    }
    let result = lowering.variables.get(lowering.scope.id, &unit.result);
    lowering.draft.set_result(result);
    lowering.draft.finish()
}

impl<'a> Lowering<'a> {
    pub fn place(&self, node: Node) -> Place {
        self.reader.place(node)
    }

    /// What contains the procedure, and whether that shows it.
    fn name_host(&mut self) {
        let host = self.scope.host.as_deref();
        let is_hidden = host.is_some_and(|host| !host.shows(&self.unit.name));
        self.draft.set_private(is_hidden);
        // What a submodule holds belongs to its module.
        let name = host.map(|host| host.ancestor.as_ref().unwrap_or(&host.name));
        self.draft.set_host(
            name.map(std::string::ToString::to_string)
                .filter(|name| !name.is_empty()),
        );
    }

    /// What `name` is, seen from `scope`; makes the variable if it is one.
    pub fn meaning(&mut self, name: &Arc<str>, scope: &'a Scope) -> Meaning<'a> {
        if let Some(id) = self.variables.get(scope.id, name) {
            return Meaning::Variable(id);
        }
        match self.world.symbol(scope, name) {
            Found::Symbol(symbol, home) => match &symbol.class {
                Class::Procedure(_) => Meaning::Procedure(symbol, home),
                Class::Generic(_) => match self.world.specific(symbol, home) {
                    Some((symbol, home)) => Meaning::Procedure(symbol, home),
                    None => Meaning::Procedure(symbol, home),
                },
                Class::StatementFunction(parameters, body) => {
                    Meaning::StatementFunction(parameters, body)
                }
                Class::Variable(_) | Class::Constant(_) => {
                    let id = self.variable(name, symbol, home);
                    self.variables.insert(scope.id, name, id);
                    Meaning::Variable(id)
                }
            },
            Found::Builtin(value) => {
                let constant = Some(ir::Value::Integer(value));
                let role = Role::Constant(ConstantOrigin::Parameter);
                Meaning::Variable(self.add(scope, name, Type::integer(4), role, constant))
            }
            Found::Elsewhere(module) => Meaning::Elsewhere(module),
            Found::Nowhere => Meaning::Nowhere,
        }
    }

    /// The variable of a name that is not declared: typed by the implicit rules, or unknown. `role`
    /// says which of the two is likely: undeclared if a module that was not read may declare it.
    pub fn undeclared(&mut self, name: &Arc<str>, scope: &'a Scope, role: Role) -> VarId {
        let (ty, role) = match scope.implicit_type(name) {
            Some(spec) => (self.resolve(&spec, scope), role),
            None => (Type::Unknown, Role::Undeclared),
        };
        self.add(scope, name, ty, role, None)
    }

    pub fn add(
        &mut self,
        scope: &Scope,
        name: &Arc<str>,
        ty: Type,
        role: Role,
        constant: Option<ir::Value>,
    ) -> VarId {
        let place = self.draft.place().clone();
        let id = self.draft.add(Variable {
            name: name.to_string().into(),
            ty,
            dimensions: Vec::new(),
            role,
            constant,
            place,
        });
        self.variables.insert(scope.id, name, id);
        id
    }

    /// Dummy arguments come first, in order, whatever their bounds name.
    fn arguments(&mut self, arguments: &'a [Arc<str>]) {
        let scope = self.scope;
        let known = |name: &'a Arc<str>| scope.symbols.get(name).map(|symbol| (name, symbol));
        let declared: Vec<_> = arguments
            .iter()
            .filter_map(known)
            .map(|(name, symbol)| (name, self.declare(name, symbol, scope), symbol))
            .collect();
        for (name, id, symbol) in declared {
            self.complete(id, name, symbol, scope);
        }
    }

    /// An entry: another name of the procedure. What it leaves out, or calls by other dummy arguments or another
    /// result, is not told apart from a call of the procedure itself, and that has a reason.
    pub fn entry(&mut self, node: Node, out: &mut Vec<Stmt>) {
        let Some(name) = node.child_by_field_name(field::NAME) else {
            return;
        };
        self.draft.add_entry(self.reader.name(name).to_string());
        let list = node.child_by_field_name(field::PARAMETERS);
        let arguments = list.map_or_else(Vec::new, named_children);
        let names = arguments.iter().map(|n| self.reader.name(*n));
        let is_same = names.eq(self.unit.arguments.iter().cloned());
        if !is_same || !out.is_empty() || self.unit.node.kind() == kind::FUNCTION {
            let text = self.first_line(node);
            let reason = Reason {
                code: ReasonCode::Entry,
                detail: text,
            };
            out.push(Stmt::Opaque {
                place: self.place(node),
                reason,
                inner: Vec::new(),
            });
        }
    }

    /// The variable of a declared name, made if it is new, with type, bounds and value seen from `home`.
    pub fn variable(&mut self, name: &Arc<str>, symbol: &'a Symbol, home: &'a Scope) -> VarId {
        if let Some(id) = self.variables.get(home.id, name) {
            return id;
        }
        let id = self.declare(name, symbol, home);
        self.complete(id, name, symbol, home);
        id
    }

    /// A variable with its type and rank: enough for bounds that name it.
    fn declare(&mut self, name: &Arc<str>, symbol: &'a Symbol, home: &'a Scope) -> VarId {
        let spec = symbol.ty.clone().or_else(|| home.implicit_type(name));
        let ty = spec.map_or(Type::Unknown, |spec| self.resolve(&spec, home));
        let ty = ty.of_elements(!symbol.dimensions.is_empty());
        let foreign = home.id != self.scope.id;
        let role = match &symbol.class {
            Class::Constant(_) => Role::Constant(ConstantOrigin::Parameter),
            Class::Variable(_) if foreign => Role::Global,
            Class::Variable(role) => *role,
            _ => Role::Argument,
        };
        let shown = self.distinct_name(name, home, foreign);
        let dimensions = vec![Extent::default(); symbol.dimensions.len()];
        let place = symbol.place.clone();
        let id = self.draft.add(Variable {
            name: shown.into(),
            ty,
            dimensions,
            role,
            constant: None,
            place,
        });
        if let Some(block) = &symbol.common
            && let Some(members) = home.commons.get(block)
        {
            self.draft.set_common(block, members);
        }
        if let Some(home) = home_of(name, symbol, home) {
            self.draft.set_home(id, home);
        }
        if symbol.aliased {
            self.draft.set_aliased(id);
        }
        if symbol.read_only {
            self.draft.set_read_only(id);
        }
        if symbol.renewed {
            self.draft.note_anew(id);
        }
        let spec = symbol.ty.as_ref();
        if let Some(bytes) = spec.and_then(|spec| self.layouts.bytes(self.world, spec, home)) {
            self.draft.set_record_bytes(id, bytes);
        }
        if symbol.polymorphic {
            self.variables.set_polymorphic(id);
        }
        self.variables.insert(home.id, name, id);
        id
    }

    /// Fills in bounds and value.
    fn complete(&mut self, id: VarId, name: &str, symbol: &'a Symbol, home: &'a Scope) {
        let is_open = |bounds: &Bounds| bounds.lower.is_none() && bounds.upper.is_none();
        let is_open = !symbol.dimensions.is_empty() && symbol.dimensions.iter().all(is_open);
        let allocated = if is_open {
            self.world.allocated(name, home)
        } else {
            None
        };
        let (bounds, scope) = match allocated {
            Some((bounds, scope)) if bounds.len() == symbol.dimensions.len() => (bounds, scope),
            _ => (&symbol.dimensions[..], home),
        };
        let dimensions = self.extents(bounds, scope);
        self.draft.set_dimensions(id, dimensions);
        let is_dummy = self.draft.variable(id).role == Role::Argument;
        if is_open && (symbol.allocatable || !is_dummy) {
            self.draft.note_deferred(id);
        }
        if let Class::Constant(value) = &symbol.class {
            let value = self.value(value, home);
            self.draft.set_constant(id, value);
        }
        if let Some(value) = symbol
            .initial
            .as_ref()
            .filter(|_| symbol.dimensions.is_empty())
            .filter(|_| !matches!(symbol.ty, Some(TypeSpec::Derived(_))))
        {
            let value = self.value(value, home);
            self.draft.set_initial(id, value);
        }
        self.begin_elements(id, symbol, home);
    }

    /// A name from elsewhere that the procedure also has on its own is told apart by its module.
    fn distinct_name(&self, name: &Arc<str>, home: &Scope, foreign: bool) -> String {
        let clashes =
            foreign && (self.scope.symbols.contains_key(name) || self.draft.has_name(name));
        if clashes {
            format!("{}::{name}", home.name)
        } else {
            name.to_string()
        }
    }

    pub fn extents(&mut self, bounds: &[Bounds], home: &'a Scope) -> Vec<Extent> {
        let mut extents = Vec::with_capacity(bounds.len());
        for bounds in bounds {
            let lower = bounds.lower.as_ref().map(|e| self.value(e, home));
            let upper = bounds.upper.as_ref().map(|e| self.value(e, home));
            extents.push(Extent { lower, upper });
        }
        extents
    }

    pub fn resolve(&mut self, spec: &TypeSpec, scope: &'a Scope) -> Type {
        let resolved = self.world.resolve(spec, scope);
        self.known(resolved)
    }

    /// The type, with a remark if its size was only assumed.
    pub fn known(&mut self, resolved: Resolved) -> Type {
        if let Some(kind) = resolved.unknown_kind {
            let message =
                format!("the kind `{kind}` is not known here: taken as {ASSUMED_KIND} bytes");
            let help = "name the file of the module that defines it as well";
            self.remark(
                Severity::Warning,
                DiagnosticCode::UnknownKind,
                &kind,
                message,
                Some(help),
            );
        }
        resolved.ty
    }

    /// A remark about the procedure, once a file for each `what`.
    pub fn remark(
        &mut self,
        severity: Severity,
        code: DiagnosticCode,
        what: &str,
        message: String,
        help: Option<&str>,
    ) {
        let place = self.draft.place();
        self.remarks.add(severity, code, what, place, message, help);
    }

    /// A loop variable of our own.
    pub fn fresh_index(&mut self, at: usize) -> VarId {
        if let Some(id) = self.variables.index(at) {
            return id;
        }
        let mut shown = format!("i_{}", at + 1);
        while self.scope.symbols.contains_key(&*shown) || self.draft.has_name(&shown) {
            shown.push('_');
        }
        let place = self.draft.place().clone();
        let variable = Variable {
            name: shown.into(),
            ty: Type::integer(4),
            dimensions: Vec::new(),
            role: Role::Local,
            constant: None,
            place,
        };
        let id = self.draft.add(variable);
        self.variables.insert_index(at, id);
        id
    }

    pub fn opaque(
        &self,
        node: Node,
        code: ReasonCode,
        detail: impl Into<String>,
        inner: Vec<Stmt>,
    ) -> Stmt {
        Stmt::Opaque {
            place: self.place(node),
            reason: ir::Reason {
                code,
                detail: detail.into(),
            },
            inner,
        }
    }

    /// The first line of a statement, for reasons.
    pub fn first_line(&self, node: Node) -> String {
        self.reader
            .tree
            .text(node)
            .lines()
            .next()
            .unwrap_or("")
            .trim()
            .to_string()
    }
}

/// The name that its scope gives a symbol, which a `use` may rename.
fn declared_name(name: &Arc<str>, symbol: &Symbol, scope: &Scope) -> Arc<str> {
    let is_it = |own: &Symbol| std::ptr::eq(own, symbol);
    if scope.symbols.get(name).is_some_and(is_it) {
        return name.clone();
    }
    let mut declared = scope.symbols.iter();
    let found = declared.find(|(_, own)| is_it(own));
    found.map_or_else(|| name.clone(), |(own, _)| own.clone())
}

/// What storage of the program a name stands for; nothing for dummy arguments.
fn home_of(name: &Arc<str>, symbol: &Symbol, scope: &Scope) -> Option<Home> {
    if !matches!(symbol.class, Class::Variable(Role::Local | Role::Global)) {
        return None;
    }
    Some(match &symbol.common {
        Some(block) => Home::Common {
            block: block.clone(),
            name: name.clone(),
        },
        None => Home::Declaration {
            file: symbol.place.file.clone(),
            line: symbol.place.line,
            scope: scope.name.clone(),
            name: declared_name(name, symbol, scope),
        },
    })
}
