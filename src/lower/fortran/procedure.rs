//! One procedure on its way to the IR: its variables, made when they are first named.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::super::jumps;
use super::expression::{Expr, Reader};
use super::intrinsic_types::Shape;
use super::kinds::{ASSUMED_KIND, Resolved};
use super::layouts::RecordLayout;
use super::modules::{Found, World};
use super::names::{field, kind};
use super::scope::{Bounds, Class, DerivedType, Scope, Symbol, TypeSpec};
use super::units::{self, ProcedureUnit};
use crate::diagnostic::{Diagnostic, Place, Severity};
use crate::ir::{
    self, ConstantOrigin, Extent, Function, Reason, Role, Stmt, Type, VarId, Variable,
};
use crate::reason::ReasonCode;
use crate::syntax::named_children;

/// State of lowering one procedure.
pub struct Lowering<'a> {
    pub reader: &'a Reader<'a>,
    pub world: World<'a>,
    pub scope: &'a Scope,
    pub function: Function,
    pub diagnostics: Vec<Diagnostic>,
    /// Variables by the scope that declares them (its address) and their path there.
    pub ids: FxHashMap<(usize, Arc<str>), VarId>,
    /// Names that `associate` gave to other expressions, innermost last.
    pub aliases: Vec<(Arc<str>, Expr)>,
    /// Statements inside statements, values inside values: bounded.
    pub depth: usize,
    pub nesting: usize,
    /// Statement functions that are being expanded, outermost first, and how many have been.
    pub expanding: Vec<Arc<str>>,
    pub expansions: usize,
    /// What has to be evaluated before the statement at hand; `None` where nothing can stand before it.
    pub before: Option<Vec<ir::Stmt>>,
    /// Names of the loops around, innermost last.
    pub loops: Vec<Option<Arc<str>>>,
    /// Ranks of what the unit assigns to with subscripts, by path; made when first needed.
    pub assigned: Option<FxHashMap<String, usize>>,
    pub unit: Node<'a>,
    /// Whether marks of labels and jumps stand in the body.
    pub has_marks: bool,
    /// Variables that `equivalence` lays over a common block: they may reach into its other members.
    pub overlays: Vec<VarId>,
    /// The statement at hand, for what has no place of its own.
    pub here: Place,
    /// How the derived types met so far lie in memory.
    pub records: FxHashMap<*const DerivedType, RecordLayout>,
    /// How functions treat arrays that calls name otherwise than the scope does, and the ranks of their results.
    pub results: FxHashMap<String, (Shape, usize)>,
    /// Variables that may be of a type that extends their own.
    pub polymorphic: FxHashSet<VarId>,
    /// What was already remarked upon.
    pub remarked: FxHashSet<String>,
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

pub fn lower<'a>(
    reader: &'a Reader<'a>,
    world: World<'a>,
    unit: &'a ProcedureUnit<'a>,
    remarked: FxHashSet<String>,
) -> (Function, Vec<Diagnostic>, FxHashSet<String>) {
    let place = reader.place(unit.node);
    let function = Function::new(unit.name.to_string(), place);
    let mut lowering = Lowering {
        reader,
        world,
        scope: &unit.scope,
        function,
        diagnostics: Vec::new(),
        ids: FxHashMap::default(),
        aliases: Vec::new(),
        depth: 0,
        nesting: 0,
        expanding: Vec::new(),
        expansions: 0,
        before: None,
        loops: Vec::new(),
        assigned: None,
        unit: unit.node,
        has_marks: false,
        overlays: Vec::new(),
        here: reader.place(unit.node),
        records: FxHashMap::default(),
        results: FxHashMap::default(),
        polymorphic: FxHashSet::default(),
        remarked,
    };
    lowering.arguments(&unit.arguments);
    let body = lowering.block(&unit.statements);
    lowering.function.body = body;
    if lowering.has_marks {
        jumps::structure(&mut lowering.function);
    }
    lowering.share_overlays();
    // What a submodule holds belongs to its module.
    let name = |host: &Arc<Scope>| host.ancestor.as_ref().unwrap_or(&host.name).to_string();
    let host = unit.scope.host.as_ref().map(name);
    lowering.function.is_private = unit
        .scope
        .host
        .as_ref()
        .is_some_and(|host| !host.shows(&unit.name));
    lowering.function.host = host.filter(|name| !name.is_empty());
    // Of a structure that is the result the body may name nothing but components.
    if unit.node.kind() == kind::FUNCTION {
        lowering.meaning(&unit.result, lowering.scope);
    }
    lowering.function.result = lowering
        .ids
        .get(&(key(lowering.scope), unit.result.clone()))
        .copied();
    (lowering.function, lowering.diagnostics, lowering.remarked)
}

impl<'a> Lowering<'a> {
    pub fn place(&self, node: Node) -> Place {
        self.reader.place(node)
    }

    /// What `name` is, seen from `scope`; makes the variable if it is one.
    pub fn meaning(&mut self, name: &Arc<str>, scope: &'a Scope) -> Meaning<'a> {
        if let Some(id) = self.ids.get(&(key(scope), name.clone())) {
            return Meaning::Variable(*id);
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
                    self.ids.insert((key(scope), name.clone()), id);
                    Meaning::Variable(id)
                }
            },
            Found::Builtin(value) => {
                let constant = Some(ir::Value::Integer(value));
                let role = Role::Constant(ConstantOrigin::Parameter);
                Meaning::Variable(self.add(scope, name, Type::Integer(4), role, constant))
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
        let place = self.function.place.clone();
        let id = self.push(Variable {
            name: name.to_string(),
            ty,
            dimensions: Vec::new(),
            role,
            constant,
            place,
        });
        self.ids.insert((key(scope), name.clone()), id);
        id
    }

    pub fn push(&mut self, variable: Variable) -> VarId {
        self.function.variables.push(variable);
        VarId(self.function.variables.len() as u32 - 1)
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
        self.function
            .entries
            .push(self.reader.name(name).to_string());
        let list = node.child_by_field_name(field::PARAMETERS);
        let arguments = list.map_or_else(Vec::new, named_children);
        let own = units::heading(self.reader, self.unit).1;
        let is_same = arguments.iter().map(|n| self.reader.name(*n)).eq(own);
        if !is_same || !out.is_empty() || self.unit.kind() == kind::FUNCTION {
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
        if let Some(id) = self.ids.get(&(key(home), name.clone())) {
            return *id;
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
        let foreign = !std::ptr::eq(home, self.scope);
        let role = match &symbol.class {
            Class::Constant(_) => Role::Constant(ConstantOrigin::Parameter),
            Class::Variable(_) if foreign => Role::Global,
            Class::Variable(role) => *role,
            _ => Role::Argument,
        };
        let shown = self.distinct_name(name, home, foreign);
        let dimensions = vec![Extent::default(); symbol.dimensions.len()];
        let place = symbol.place.clone();
        let id = self.push(Variable {
            name: shown,
            ty,
            dimensions,
            role,
            constant: None,
            place,
        });
        if let Some(bytes) = symbol
            .ty
            .as_ref()
            .and_then(|spec| self.bytes_of_record(spec, home))
        {
            self.function.record_bytes.insert(id, bytes);
        }
        if symbol.polymorphic {
            self.polymorphic.insert(id);
        }
        self.ids.insert((key(home), name.clone()), id);
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
        self.function.variables[id.0 as usize].dimensions = dimensions;
        if let Class::Constant(value) = &symbol.class {
            let value = self.value(value, home);
            self.function.variables[id.0 as usize].constant = Some(value);
        }
    }

    /// A name from elsewhere that the procedure also has on its own is told apart by its module.
    fn distinct_name(&self, name: &Arc<str>, home: &Scope, foreign: bool) -> String {
        let clashes = foreign
            && (self.scope.symbols.contains_key(name)
                || self.function.variables.iter().any(|v| *v.name == **name));
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
            self.remark(Severity::Warning, "unknown-kind", kind, message, Some(help));
        }
        resolved.ty
    }

    /// A remark about the procedure, once a file for each `what`.
    pub fn remark(
        &mut self,
        severity: Severity,
        code: &str,
        what: String,
        message: String,
        help: Option<&str>,
    ) {
        if self.remarked.insert(format!("{code} {what}")) {
            self.diagnostics.push(Diagnostic {
                severity,
                code: code.into(),
                place: self.function.place.clone(),
                width: 1,
                message,
                help: help.map(str::to_string),
            });
        }
    }

    /// A loop variable of our own.
    pub fn fresh_index(&mut self, at: usize) -> VarId {
        let name: Arc<str> = format!("i_{}", at + 1).into();
        // No scope has the address zero.
        let key = (0, name.clone());
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        let mut shown = name.to_string();
        while self.scope.symbols.contains_key(&*shown)
            || self.function.variables.iter().any(|v| v.name == shown)
        {
            shown.push('_');
        }
        let place = self.function.place.clone();
        let variable = Variable {
            name: shown,
            ty: Type::Integer(4),
            dimensions: Vec::new(),
            role: Role::Local,
            constant: None,
            place,
        };
        let id = self.push(variable);
        self.ids.insert(key, id);
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

/// Scopes are told apart by where they are.
pub fn key(scope: &Scope) -> usize {
    std::ptr::from_ref(scope) as usize
}
