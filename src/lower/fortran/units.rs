//! Program units: modules and procedures, found wherever they stand, with the scope of each.

use std::collections::BTreeMap;
use std::sync::Arc;

use tree_sitter::Node;

use super::declarations;
use super::expression::Reader;
use super::intrinsic_types::Shape;
use super::modules::Modules;
use super::names::{field, kind};
use super::scope::{Class, Dummy, Scope, Symbol};
use super::types::type_spec;
use crate::ir::Role as Storage;
use crate::syntax::{Role, named_children};

/// Units inside units deeper than this are not looked for.
const DEPTH_LIMIT: usize = 60;

/// A procedure with its scope and the statements of its body.
pub struct ProcedureUnit<'t> {
    pub node: Node<'t>,
    pub name: Arc<str>,
    /// Dummy arguments in order.
    pub arguments: Vec<Arc<str>>,
    /// What holds a function's result; the procedure's own name unless it says otherwise.
    pub result: Arc<str>,
    pub scope: Arc<Scope>,
    pub statements: Vec<Node<'t>>,
}

/// The units of a file.
#[derive(Default)]
pub struct Units<'t> {
    pub modules: Vec<Arc<Scope>>,
    /// In the order of the source, hosts before what they contain.
    pub procedures: Vec<ProcedureUnit<'t>>,
}

impl Units<'_> {
    /// Generic names of modules and procedures, with the specific ones behind them.
    pub fn generics(&self) -> BTreeMap<String, Vec<String>> {
        let scopes = self
            .modules
            .iter()
            .chain(self.procedures.iter().map(|unit| &unit.scope));
        let symbols = scopes.flat_map(|scope| &scope.symbols);
        let generic = |(name, symbol): (&Arc<str>, &Symbol)| match &symbol.class {
            Class::Generic(specific) => Some((
                name.to_string(),
                specific
                    .iter()
                    .map(std::string::ToString::to_string)
                    .collect(),
            )),
            _ => None,
        };
        symbols.filter_map(generic).collect()
    }

    /// The modules, with what the procedures allocate.
    pub fn modules(&self, reader: &Reader) -> Modules {
        let mut modules = Modules::default();
        self.modules
            .iter()
            .for_each(|scope| modules.insert(scope.clone()));
        for unit in &self.procedures {
            modules
                .allocations
                .read(reader, &unit.statements, &unit.scope);
        }
        modules
    }
}

/// Finds all units below `root`.
pub fn find<'t>(reader: &Reader, root: Node<'t>) -> Units<'t> {
    let mut units = Units::default();
    // What a procedure outside of every module defines is known to the other units of the file.
    let file = Scope {
        symbols: contained_symbols(reader, root, Detail::Names),
        ..Scope::new(reader)
    };
    collect(reader, root, &Arc::new(file), &mut units, 0);
    units
}

fn collect<'t>(
    reader: &Reader,
    node: Node<'t>,
    host: &Arc<Scope>,
    units: &mut Units<'t>,
    depth: usize,
) {
    if depth > DEPTH_LIMIT {
        return;
    }
    for child in named_children(node) {
        match reader.tree.role(child) {
            Some(Role::Module) => {
                let (scope, _) = scope_of(reader, child, module_name(reader, child), host, &[]);
                units.modules.push(scope.clone());
                collect(reader, child, &scope, units, depth + 1);
            }
            Some(Role::Procedure) => {
                let Heading {
                    name,
                    arguments,
                    header,
                } = heading(reader, child);
                let (scope, statements) = scope_of(reader, child, name.clone(), host, &arguments);
                let result = header
                    .and_then(|header| result_name(reader, header))
                    .unwrap_or_else(|| name.clone());
                let unit = ProcedureUnit {
                    node: child,
                    name,
                    arguments,
                    result,
                    scope: scope.clone(),
                    statements,
                };
                units.procedures.push(unit);
                collect(reader, child, &scope, units, depth + 1);
            }
            Some(Role::InternalProcedures | Role::Block) => {
                collect(reader, child, host, units, depth + 1);
            }
            None if child.is_error() => collect(reader, child, host, units, depth + 1),
            _ => {}
        }
    }
}

fn scope_of<'t>(
    reader: &Reader,
    node: Node<'t>,
    name: Arc<str>,
    host: &Arc<Scope>,
    arguments: &[Arc<str>],
) -> (Arc<Scope>, Vec<Node<'t>>) {
    let mut scope = Scope {
        name,
        host: Some(host.clone()),
        ..Scope::new(reader)
    };
    let header = named_children(node)
        .into_iter()
        .find(|n| n.kind() == kind::SUBMODULE_STATEMENT);
    scope.ancestor = header
        .and_then(|n| n.child_by_field_name(field::ANCESTOR))
        .map(|n| reader.name(n));
    let place = reader.place(node);
    for argument in arguments {
        scope.symbol(argument, &place).class = Class::Variable(Storage::Argument);
    }
    let Heading { name, header, .. } = heading(reader, node);
    if let (kind::FUNCTION, Some(header)) = (node.kind(), header) {
        let result = result_name(reader, header).unwrap_or(name);
        let ty = header
            .child_by_field_name(field::TYPE)
            .and_then(|ty| type_spec(reader, ty));
        scope.symbol(&result, &place).ty = ty;
    }
    let statements = declarations::read(reader, node, &mut scope);
    for (name, symbol) in contained_symbols(reader, node, Detail::Dummies) {
        scope.symbols.entry(name).or_insert(symbol);
    }
    (Arc::new(scope), statements)
}

/// The procedures that a unit contains, as symbols.
fn contained_symbols(
    reader: &Reader,
    node: Node,
    detail: Detail,
) -> rustc_hash::FxHashMap<Arc<str>, Symbol> {
    let mut found = rustc_hash::FxHashMap::default();
    let mut pending = named_children(node);
    while let Some(child) = pending.pop() {
        match reader.tree.role(child) {
            Some(Role::Procedure) => found.extend(procedure_symbol(reader, child, detail)),
            Some(Role::InternalProcedures | Role::Block) => pending.extend(named_children(child)),
            _ => {}
        }
    }
    found
}

/// How much of a procedure its symbol says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Names,
    /// What the dummy arguments are, to tell the procedures behind a generic name apart.
    Dummies,
}

/// The symbol of a procedure; the type of a function's result as its own declarations give it.
pub fn procedure_symbol(reader: &Reader, node: Node, detail: Detail) -> Option<(Arc<str>, Symbol)> {
    let Heading {
        name,
        arguments,
        header,
    } = heading(reader, node);
    let header = header?;
    let place = reader.place(node);
    let mut symbol = Symbol {
        arguments,
        ..Symbol::new(Class::Procedure(Shape::Scalar), place)
    };
    let is_elemental = |n: &Node| reader.tree.text(*n).eq_ignore_ascii_case("elemental");
    let is_elemental = named_children(header)
        .iter()
        .any(|n| n.kind() == kind::QUALIFIER && is_elemental(n));
    if node.kind() != kind::FUNCTION && detail == Detail::Dummies {
        let mut inside = Scope::new(reader);
        declarations::read(reader, node, &mut inside);
        symbol.dummies = dummies(&symbol.arguments, &inside);
        if is_elemental {
            symbol.class = Class::Procedure(Shape::Elemental);
        }
    }
    if node.kind() == kind::FUNCTION {
        let result = result_name(reader, header).unwrap_or_else(|| name.clone());
        symbol.ty = header
            .child_by_field_name(field::TYPE)
            .and_then(|ty| type_spec(reader, ty));
        let mut inside = Scope::new(reader);
        declarations::read(reader, node, &mut inside);
        if detail == Detail::Dummies {
            symbol.dummies = dummies(&symbol.arguments, &inside);
        }
        if let Some(declared) = inside.symbols.remove(&result) {
            symbol.ty = symbol.ty.or(declared.ty);
            symbol.dimensions = declared.dimensions;
        }
        symbol.ty = symbol.ty.or_else(|| inside.implicit_type(&result));
        if is_elemental {
            symbol.class = Class::Procedure(Shape::Elemental);
        } else if !symbol.dimensions.is_empty() {
            symbol.class = Class::Procedure(Shape::Array);
        }
    }
    Some((name, symbol))
}

/// The dummy arguments as a procedure declares them.
fn dummies(names: &[Arc<str>], inside: &Scope) -> Vec<Dummy> {
    let dummy = |name: &Arc<str>| {
        let symbol = inside.symbols.get(name);
        let variable = symbol.filter(|symbol| matches!(symbol.class, Class::Variable(_)));
        Dummy {
            ty: variable.and_then(|symbol| symbol.ty.clone()),
            rank: variable.map_or(0, |symbol| symbol.dimensions.len()),
            polymorphic: variable.is_some_and(|symbol| symbol.polymorphic),
            optional: symbol.is_some_and(|symbol| symbol.optional),
            may_be_allocated: variable
                .is_some_and(|symbol| symbol.allocatable && !symbol.read_only),
        }
    };
    names.iter().map(dummy).collect()
}

fn result_name(reader: &Reader, header: Node) -> Option<Arc<str>> {
    let result = named_children(header)
        .into_iter()
        .find(|n| n.kind() == kind::FUNCTION_RESULT)?;
    named_children(result).first().map(|n| reader.name(*n))
}

/// The beginning of a procedure.
struct Heading<'t> {
    name: Arc<str>,
    /// Dummy arguments in order.
    arguments: Vec<Arc<str>>,
    /// The heading statement; a main program may have none.
    header: Option<Node<'t>>,
}

fn heading<'t>(reader: &Reader, node: Node<'t>) -> Heading<'t> {
    let header = named_children(node)
        .into_iter()
        .find(|n| reader.tree.role(*n) == Some(Role::Nothing));
    let Some(header) = header else {
        return Heading {
            name: "main".into(),
            arguments: Vec::new(),
            header: None,
        };
    };
    if node.kind() == kind::PROGRAM {
        let named = header.kind() == kind::PROGRAM_STATEMENT;
        let name = named_children(header)
            .into_iter()
            .find(|n| named && n.kind() == kind::NAME);
        return Heading {
            name: name.map_or_else(|| "main".into(), |n| reader.name(n)),
            arguments: Vec::new(),
            header: Some(header),
        };
    }
    let name = header
        .child_by_field_name(field::NAME)
        .map_or_else(|| "unnamed".into(), |n| reader.name(n));
    let list = header.child_by_field_name(field::PARAMETERS);
    let arguments = list.map(|list| {
        named_children(list)
            .into_iter()
            .map(|n| reader.name(n))
            .collect()
    });
    Heading {
        name,
        arguments: arguments.unwrap_or_default(),
        header: Some(header),
    }
}

fn module_name(reader: &Reader, node: Node) -> Arc<str> {
    let is_heading =
        |n: &Node| matches!(n.kind(), kind::MODULE_STATEMENT | kind::SUBMODULE_STATEMENT);
    let heading = named_children(node).into_iter().find(is_heading);
    let name = heading.and_then(|n| {
        named_children(n)
            .into_iter()
            .find(|n| n.kind() == kind::NAME)
    });
    name.map_or_else(|| "".into(), |n| reader.name(n))
}
