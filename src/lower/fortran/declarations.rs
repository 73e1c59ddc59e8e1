//! Specification parts: syntax nodes to the symbols of a scope.

use std::sync::Arc;

use tree_sitter::Node;

use super::super::draft::MOST_LISTED;
use super::declarators::{attributes, declared, is_only_in, is_only_out, sized};
use super::expression::{Argument, Expr, Reader};
use super::implicit::Implicit;
use super::intrinsic_types::Shape;
use super::names::{field, kind};
use super::scope::*;
use super::spelling::generic_name;
use super::statement_functions;
use super::types::{define_type, type_spec};
use super::units::Detail;
use super::written_lists::named_elements;
use crate::ir::Role as Storage;
use crate::syntax::{Role, named_children};

/// Reads the declarations of a module or procedure among the children of `unit`. Returns the child
/// statements that are not declarations, in order.
pub fn read<'t>(reader: &Reader, unit: Node<'t>, scope: &mut Scope) -> Vec<Node<'t>> {
    let default = match reader.tree.role(unit) {
        Some(Role::Module) => Storage::Global,
        _ => Storage::Local,
    };
    let mut part = Part::new(reader, scope, default);
    part.block(unit, 0);
    let Part {
        statements,
        commons,
        overlaid,
        functions,
        scope,
        ..
    } = part;
    alias_blocks(scope, &overlaid);
    for name in commons {
        if let Some(symbol) = scope.symbols.get_mut(&name)
            && matches!(symbol.class, Class::Variable(Storage::Local))
        {
            symbol.class = Class::Variable(Storage::Global);
        }
    }
    if reader.has_blocks {
        blocks(reader, unit, scope);
    }
    // Only now is it known which of `f(x) = …` has a declared array on its left.
    functions
        .into_iter()
        .filter_map(|node| statement_functions::define(reader, node, scope))
        .chain(statements)
        .collect()
}

/// What lies over a member of a common block may reach into its others.
fn alias_blocks(scope: &mut Scope, overlaid: &[Arc<str>]) {
    let block_of = |name: &Arc<str>| scope.symbols.get(name)?.common.clone();
    let blocks: Vec<Arc<str>> = overlaid.iter().filter_map(block_of).collect();
    for symbol in scope.symbols.values_mut() {
        let block = symbol.common.as_ref();
        symbol.aliased |= block.is_some_and(|block| blocks.contains(block));
    }
}

/// Declarations of `block` constructs, taken for the procedure's own unless it has others of the name.
fn blocks(reader: &Reader, unit: Node, scope: &mut Scope) {
    let mut pending = named_children(unit);
    while let Some(node) = pending.pop() {
        match reader.tree.role(node) {
            Some(Role::Procedure | Role::Module | Role::InternalProcedures) => continue,
            Some(Role::Scope) if node.kind() == kind::BLOCK_CONSTRUCT => {
                let mut inside = Scope::new(reader);
                Part::new(reader, &mut inside, Storage::Local).block(node, 0);
                for (name, symbol) in inside.symbols {
                    scope.symbols.entry(name).or_insert(symbol);
                }
                scope.uses.extend(inside.uses);
            }
            _ => {}
        }
        pending.extend(named_children(node));
    }
}

struct Part<'r, 'a, 't> {
    reader: &'r Reader<'a>,
    scope: &'r mut Scope,
    /// What variables are that nothing more is said about.
    default: Storage,
    statements: Vec<Node<'t>>,
    /// Whether an executable statement has been seen.
    executable: bool,
    commons: Vec<Arc<str>>,
    /// Names in `equivalence`.
    overlaid: Vec<Arc<str>>,
    /// Assignments before the first executable statement.
    functions: Vec<Node<'t>>,
}

impl<'r, 'a> Part<'r, 'a, '_> {
    fn new(reader: &'r Reader<'a>, scope: &'r mut Scope, default: Storage) -> Self {
        Part {
            reader,
            scope,
            default,
            statements: Vec::new(),
            executable: false,
            commons: Vec::new(),
            overlaid: Vec::new(),
            functions: Vec::new(),
        }
    }
}

impl<'t> Part<'_, '_, 't> {
    fn block(&mut self, unit: Node<'t>, depth: usize) {
        let mut cursor = unit.walk();
        for node in unit.children(&mut cursor) {
            match self.reader.tree.role(node) {
                Some(Role::Block) if depth < 20 && !self.executable => self.block(node, depth + 1),
                Some(Role::Assignment) if !self.executable && self.is_function_like(node) => {
                    self.functions.push(node);
                }
                Some(Role::Nothing) if node.kind() == kind::STATEMENT_LABEL => {
                    self.statements.push(node);
                }
                Some(Role::InternalProcedures | Role::Nothing) | None if !node.is_error() => {}
                Some(role) if self.declaration(role, node) => {}
                _ => {
                    self.executable |= !node.is_extra();
                    self.statements.push(node);
                }
            }
        }
    }

    fn is_function_like(&self, node: Node) -> bool {
        let left = node.child_by_field_name(field::LEFT);
        left.is_some_and(|left| self.reader.tree.role(left) == Some(Role::Call))
    }

    /// Reads a declaration; whether the node was one.
    fn declaration(&mut self, role: Role, node: Node<'t>) -> bool {
        match role {
            Role::Declaration => self.variables(node),
            Role::Implicit => self.implicit(node),
            Role::ParameterStatement => self.parameters(node),
            Role::DimensionStatement => self.attributes(node),
            Role::Common => self.common(node),
            Role::Data => self.data(node),
            Role::Namelist => self.namelist(node),
            Role::Use => self.use_statement(node),
            Role::TypeDefinition => define_type(self.reader, node, self.scope),
            Role::Enumeration => self.enumeration(node),
            Role::Interface => self.interface(node),
            Role::Visibility => self.visibility(node),
            Role::Macro | Role::Specification => {}
            Role::Equivalence => self.equivalence(node),
            Role::Procedure | Role::Module => {}
            _ => return false,
        }
        true
    }

    fn variables(&mut self, node: Node) {
        let reader = self.reader;
        let ty = node.child_by_field_name(field::TYPE);
        let spec = ty.and_then(|ty| type_spec(reader, ty));
        let is_class = ty.is_some_and(|ty| {
            reader
                .tree
                .text(ty)
                .get(..5)
                .is_some_and(|t| t.eq_ignore_ascii_case("class"))
        });
        let attributes = attributes(reader, node);
        let interface = ty.and_then(|ty| {
            named_children(ty)
                .into_iter()
                .find(|n| n.kind() == kind::PROCEDURE_INTERFACE)
        });
        let result = interface
            .and_then(|n| self.scope.symbols.get(&reader.name(n)))
            .and_then(|symbol| symbol.ty.clone());
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name(field::DECLARATOR, &mut cursor) {
            let (name_node, value) = match reader.tree.role(declarator) {
                Some(Role::Initialised) => (
                    declarator.child_by_field_name(field::LEFT),
                    declarator.child_by_field_name(field::RIGHT),
                ),
                _ => (Some(declarator), None),
            };
            let Some((name, dimensions)) = name_node.and_then(|node| declared(reader, node)) else {
                continue;
            };
            let place = reader.place(declarator);
            let default = self.default;
            let symbol = self.scope.symbol(&name, &place);
            if let Class::Variable(storage @ Storage::Local) = &mut symbol.class {
                *storage = default;
            }
            match &spec {
                Some(spec) => symbol.ty = Some(sized(reader, declarator, spec)),
                // `procedure(…) :: f`
                None => {
                    symbol.class = Class::Procedure(Shape::Scalar);
                    symbol.ty = result.clone();
                }
            }
            symbol.polymorphic = is_class;
            symbol.optional |= attributes.optional;
            symbol.aliased |= attributes.target;
            symbol.read_only |= attributes.read_only;
            symbol.renewed |= attributes.renewed;
            symbol.allocatable |= attributes.allocatable;
            let dimensions = dimensions.or_else(|| attributes.dimensions.clone());
            if let Some(dimensions) = dimensions {
                symbol.dimensions = dimensions;
            }
            if attributes.external {
                symbol.class = Class::Procedure(Shape::Scalar);
            }
            match value {
                Some(value) if attributes.parameter => {
                    let value = reader.read(value);
                    symbol.begin_elements(&value);
                    symbol.class = Class::Constant(value);
                }
                Some(value) if symbol.dimensions.is_empty() && has_initial(&spec) => {
                    symbol.initial = Some(reader.read(value));
                }
                Some(value) if has_initial(&spec) => {
                    let is_short = value.named_child_count() <= MOST_LISTED;
                    if is_short {
                        symbol.begin_elements(&reader.read(value));
                    }
                }
                _ => {}
            }
            if attributes.private {
                self.scope.visibility.private.insert(name.clone());
            }
            if attributes.public {
                self.scope.visibility.public.insert(name);
            }
        }
    }

    fn implicit(&mut self, node: Node) {
        let rules = self.scope.implicit.get_or_insert_with(Implicit::default);
        let mut spec = None;
        for child in named_children(node) {
            match child.kind() {
                kind::NONE => rules.set_none(),
                kind::IMPLICIT_RANGE => {
                    if let Some(spec) = &spec {
                        rules.add(self.reader.tree.text(child), spec);
                    }
                }
                _ => spec = type_spec(self.reader, child),
            }
        }
    }

    fn parameters(&mut self, node: Node) {
        for assignment in named_children(node) {
            if let [name, value] = named_children(assignment)[..] {
                let place = self.reader.place(name);
                let value = self.reader.read(value);
                let name = self.reader.name(name);
                let symbol = self.scope.symbol(&name, &place);
                symbol.begin_elements(&value);
                symbol.class = Class::Constant(value);
            }
        }
    }

    /// `dimension a(10)`, `external f`, `allocatable b(:)` …
    fn attributes(&mut self, node: Node) {
        let reader = self.reader;
        let words: Vec<String> = named_children(node)
            .into_iter()
            .filter(|n| n.kind() == kind::TYPE_QUALIFIER)
            .map(|n| reader.tree.text(n).to_ascii_lowercase())
            .collect();
        let is = |word: &str| words.iter().any(|w| w.starts_with(word));
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name(field::DECLARATOR, &mut cursor) {
            let Some((name, dimensions)) = declared(reader, declarator) else {
                continue;
            };
            if is("private") {
                self.scope.visibility.private.insert(name);
                continue;
            }
            if is("public") {
                self.scope.visibility.public.insert(name);
                continue;
            }
            if is("intrinsic") {
                continue;
            }
            let place = reader.place(declarator);
            let default = self.default;
            let symbol = self.scope.symbol(&name, &place);
            if let Class::Variable(storage @ Storage::Local) = &mut symbol.class {
                *storage = default;
            }
            symbol.optional |= is("optional");
            symbol.aliased |= is("target");
            symbol.allocatable |= is("allocatable");
            symbol.read_only |= words.iter().any(|word| is_only_in(word));
            symbol.renewed |= words.iter().any(|word| is_only_out(word));
            if is("external") {
                symbol.class = Class::Procedure(Shape::Scalar);
            }
            if let Some(dimensions) = dimensions {
                symbol.dimensions = dimensions;
            }
        }
    }

    fn common(&mut self, node: Node) {
        let mut block: Arc<str> = "".into();
        for child in named_children(node) {
            let members = if child.kind() == kind::VARIABLE_GROUP {
                named_children(child)
            } else {
                vec![child]
            };
            for member in members {
                if member.kind() == kind::NAME {
                    block = self.reader.name(member);
                    continue;
                }
                let Some((name, dimensions)) = declared(self.reader, member) else {
                    continue;
                };
                let place = self.reader.place(member);
                let symbol = self.scope.symbol(&name, &place);
                if let Some(dimensions) = dimensions {
                    symbol.dimensions = dimensions;
                }
                symbol.common = Some(block.clone());
                let members = self.scope.commons.entry(block.clone()).or_default();
                members.push(name.clone());
                self.commons.push(name);
            }
        }
    }

    /// Variables that share storage; the procedure remarks upon it.
    fn equivalence(&mut self, node: Node<'t>) {
        let mut pending = named_children(node);
        while let Some(part) = pending.pop() {
            if part.kind() == kind::IDENTIFIER {
                let (name, place) = (self.reader.name(part), self.reader.place(part));
                self.scope.symbol(&name, &place).aliased = true;
                self.overlaid.push(name);
            }
            pending.extend(named_children(part));
        }
        self.statements.push(node);
    }

    fn namelist(&mut self, node: Node) {
        for group in named_children(node) {
            let names: Vec<Arc<str>> = named_children(group)
                .into_iter()
                .map(|name| self.reader.name(name))
                .collect();
            if let Some((group, names)) = names.split_first() {
                let own = self.scope.groups.entry(group.clone()).or_default();
                own.extend(names.iter().cloned());
            }
        }
    }

    /// The first values of elements; nothing if it is not known which they are.
    fn data_elements(&mut self, item: Node, values: &mut dyn Iterator<Item = Node>) -> Option<()> {
        let place = self.reader.place(item);
        let item = match self.reader.tree.role(item) {
            Some(Role::ImpliedDo) => self.reader.implied_do(item, 0),
            _ => self.reader.read(item),
        };
        for element in named_elements(&item)? {
            let Expr::Apply(base, arguments, _) = element else {
                return None;
            };
            let Expr::Name(array) = *base else {
                return None;
            };
            let subscript = |argument| match argument {
                Argument::Value(value) => Some(value),
                _ => None,
            };
            let subscripts = arguments
                .into_iter()
                .map(subscript)
                .collect::<Option<Vec<Expr>>>()?;
            let value = self.reader.read(values.next()?);
            let elements = &mut self.scope.symbol(&array, &place).elements;
            if elements.len() < MOST_LISTED {
                elements.push((subscripts, value));
            }
        }
        Some(())
    }

    /// The first values of scalars; those after an array are not told apart.
    fn data(&mut self, node: Node) {
        let reader = self.reader;
        for set in named_children(node) {
            let parts = named_children(set);
            let Some((values, names)) = parts.split_last() else {
                continue;
            };
            if set.kind() != kind::DATA_SET || values.kind() != kind::DATA_VALUE {
                continue;
            }
            let mut values = data_values(reader, *values).into_iter();
            for name in names {
                if name.kind() != kind::IDENTIFIER {
                    match self.data_elements(*name, &mut values) {
                        Some(()) => continue,
                        None => break,
                    }
                }
                let Some(value) = values.next() else { break };
                let place = reader.place(*name);
                let symbol = self.scope.symbol(&reader.name(*name), &place);
                if !symbol.dimensions.is_empty() {
                    if names.len() == 1 && values.len() < MOST_LISTED {
                        let values = std::iter::once(value).chain(values);
                        symbol.listed = values.map(|value| reader.read(value)).collect();
                    }
                    break;
                }
                symbol.initial = Some(reader.read(value));
            }
        }
    }

    fn use_statement(&mut self, node: Node) {
        let reader = self.reader;
        let mut import = Use {
            module: "".into(),
            only: false,
            renames: Vec::new(),
        };
        let mut items = named_children(node);
        while let Some(item) = items.pop() {
            match item.kind() {
                kind::MODULE_NAME => import.module = reader.name(item),
                kind::INCLUDED_ITEMS => {
                    import.only = true;
                    items.extend(named_children(item));
                }
                kind::USE_ALIAS => {
                    if let [local, remote] = named_children(item)[..] {
                        import
                            .renames
                            .push((reader.name(local), reader.name(remote)));
                    }
                }
                kind::IDENTIFIER | kind::OPERATOR | kind::ASSIGNMENT => {
                    let name = generic_name(reader.tree.text(item));
                    import.renames.push((name.clone(), name));
                }
                _ => {}
            }
        }
        self.scope.uses.push(import);
    }

    fn enumeration(&mut self, node: Node) {
        let mut previous: Option<Expr> = None;
        for statement in named_children(node)
            .into_iter()
            .filter(|n| n.kind() == kind::ENUMERATOR)
        {
            let mut cursor = statement.walk();
            for declarator in statement.children_by_field_name(field::DECLARATOR, &mut cursor) {
                let left = declarator
                    .child_by_field_name(field::LEFT)
                    .unwrap_or(declarator);
                let value = match (declarator.child_by_field_name(field::RIGHT), &previous) {
                    (Some(value), _) => self.reader.read(value),
                    (None, None) => Expr::Integer(0),
                    (None, Some(Expr::Integer(last) | Expr::IntegerOf(last, _))) => {
                        Expr::Integer(last.wrapping_add(1))
                    }
                    (None, Some(last)) => {
                        let one = Box::new(Expr::Integer(1));
                        Expr::Binary(crate::ir::BinaryOp::Add, Box::new(last.clone()), one)
                    }
                };
                previous = Some(value.clone());
                let place = self.reader.place(declarator);
                let symbol = self.scope.symbol(&self.reader.name(left), &place);
                symbol.ty = Some(TypeSpec::intrinsic(Base::Integer));
                symbol.class = Class::Constant(value);
            }
        }
    }

    /// Generic names, and the external procedures that an interface describes.
    fn interface(&mut self, node: Node) {
        let reader = self.reader;
        let mut generic = None;
        let mut specifics = Vec::new();
        for child in named_children(node) {
            match (reader.tree.role(child), child.kind()) {
                (_, kind::INTERFACE_STATEMENT) => {
                    let names = [kind::NAME, kind::OPERATOR, kind::ASSIGNMENT];
                    generic = named_children(child)
                        .into_iter()
                        .find(|n| names.contains(&n.kind()));
                }
                (Some(Role::Procedure), _) => {
                    if let Some((name, symbol)) =
                        super::units::procedure_symbol(reader, child, Detail::Dummies)
                    {
                        specifics.push(name.clone());
                        // A dummy procedure stays an argument.
                        self.scope.symbols.insert(name, symbol);
                    }
                }
                (_, kind::PROCEDURE_STATEMENT) => {
                    let names = named_children(child)
                        .into_iter()
                        .filter(|n| n.kind() == kind::METHOD_NAME);
                    specifics.extend(names.map(|n| reader.name(n)));
                }
                _ => {}
            }
        }
        if let Some(generic) = generic {
            let name = generic_name(reader.tree.text(generic));
            let place = reader.place(generic);
            match self
                .scope
                .symbols
                .get_mut(&name)
                .map(|symbol| &mut symbol.class)
            {
                // Several interfaces of one name make one.
                Some(Class::Generic(known)) => known.extend(specifics),
                // `interface f` around the one function `f` adds nothing.
                Some(_) => {}
                None => {
                    self.scope
                        .symbols
                        .insert(name, Symbol::new(Class::Generic(specifics), place));
                }
            }
        }
    }

    fn visibility(&mut self, node: Node) {
        let private = node.kind() == kind::PRIVATE;
        let names: Vec<Node> = named_children(node);
        let visibility = &mut self.scope.visibility;
        if names.is_empty() {
            visibility.private_by_default = private;
            return;
        }
        let set = if private {
            &mut visibility.private
        } else {
            &mut visibility.public
        };
        set.extend(
            names
                .into_iter()
                .map(|n| generic_name(self.reader.tree.text(n))),
        );
    }
}

/// The values of `/ 1, 3*2 /` up to one that is repeated so often that nobody knows.
fn data_values<'t>(reader: &Reader, node: Node<'t>) -> Vec<Node<'t>> {
    /// No list of scalars is longer.
    const MOST: usize = 1000;
    let (mut values, mut repeat) = (Vec::new(), 1);
    let mut cursor = node.walk();
    cursor.goto_first_child();
    loop {
        let child = cursor.node();
        if cursor.field_name() == Some(field::REPEAT) {
            let Ok(count) = reader.tree.text(child).parse::<usize>() else {
                break;
            };
            repeat = count;
        } else if child.is_named() {
            values.extend(std::iter::repeat_n(child, repeat.min(MOST)));
            repeat = 1;
        }
        if !cursor.goto_next_sibling() {
            break;
        }
    }
    values
}
