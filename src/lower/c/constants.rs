//! Constants known without running anything: macros, enumerators, `static const`.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::fields::{Field, children, part};
use super::literals;
use super::misread::{self, TypeNames};
use super::scope::{EnumeratorValue, Lowering, Symbol};
use crate::diagnostic::Place;
use crate::ir::{BinaryOp, Function, UnaryOp, Value};
use crate::reason::ReasonCode;
use crate::source::SourceText;
use crate::syntax::{Grammar, Role, SyntaxTree};

/// Deeper expressions are not constants for us.
const DEPTH: u32 = 100;
/// Nor are expressions of more nodes, counted with the macros they name.
const FUEL: u32 = 20_000;

/// A macro as a declaration that the grammar can read.
pub struct MacroText {
    name: String,
    place: Place,
    declaration: String,
    /// The declaration with its expressions disambiguated, at equal length.
    corrected: String,
}

/// A macro that stands for a constant expression.
pub struct Macro<'t> {
    pub place: Place,
    pub tree: SyntaxTree<'t>,
    /// The text of the tree as it was written.
    pub original: &'t str,
}

/// Macros by name.
#[derive(Default)]
pub struct Macros<'t>(FxHashMap<&'t str, Macro<'t>>);

/// The macros that the preprocessor left as names and those whose definitions still stand in the
/// text. The former win, and of several definitions the first.
pub fn macro_texts(
    grammar: &'static Grammar,
    tree: &SyntaxTree,
    source: &SourceText,
    types: &TypeNames,
) -> Vec<MacroText> {
    let mut found = Vec::new();
    let mut known = FxHashSet::default();
    let mut add = |name: &str, text: &str, place: Place| {
        if !text.trim().is_empty() && known.insert(name.to_string()) {
            // The line break ends a comment that the definition may have carried.
            let declaration = format!("long {name} = ({text}\n);\n");
            let corrected = misread::corrected_with(grammar, declaration.clone(), types);
            found.push(MacroText {
                name: name.to_string(),
                place,
                declaration,
                corrected,
            });
        }
    };
    for constant in &source.macros {
        add(&constant.name, &constant.text, constant.place.clone());
    }
    let mut cursor = tree.root().walk();
    'walk: loop {
        let node = cursor.node();
        if tree.role(node) == Some(Role::Macro) {
            let start = node.start_position();
            if let (Some(name), Some(value)) = (part(node, Field::Name), part(node, Field::Value)) {
                add(
                    tree.text(name),
                    tree.text(value),
                    source.place(start.row, start.column),
                );
            }
        } else if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
    found
}

impl<'t> Macros<'t> {
    /// Keeps the macros whose text is built of literals and other such macros.
    pub fn parse(grammar: &'static Grammar, texts: &'t [MacroText]) -> Macros<'t> {
        let mut macros = FxHashMap::default();
        for text in texts {
            let tree = grammar.parse(&text.corrected);
            if !tree.root().has_error() {
                macros.insert(
                    text.name.as_str(),
                    Macro {
                        place: text.place.clone(),
                        tree,
                        original: &text.declaration,
                    },
                );
            }
        }
        // What names something unknown is dropped, and so is what names that, and so on.
        loop {
            let unknown = |found: &Macro| {
                !found
                    .value()
                    .is_some_and(|value| is_constant(&found.tree, value, &macros))
            };
            let dropped = macros
                .iter()
                .filter(|(_, found)| unknown(found))
                .map(|(name, _)| *name)
                .collect::<Vec<_>>();
            if dropped.is_empty() {
                return Macros(macros);
            }
            dropped.iter().for_each(|name| drop(macros.remove(name)));
        }
    }

    pub fn get(&self, name: &str) -> Option<&Macro<'t>> {
        self.0.get(name)
    }
}

impl Macro<'_> {
    /// The expression between the parentheses of the declaration.
    pub fn value(&self) -> Option<Node<'_>> {
        let declaration = children(self.tree.root()).into_iter().next()?;
        part(part(declaration, Field::Declarator)?, Field::Value)
    }
}

fn is_constant(tree: &SyntaxTree, node: Node, macros: &FxHashMap<&str, Macro>) -> bool {
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        match tree.role(node) {
            Some(Role::Number | Role::LogicalLiteral | Role::TypeDescriptor) => {}
            Some(Role::Name) if macros.contains_key(tree.text(node)) => {}
            Some(
                Role::Binary
                | Role::Unary
                | Role::Parenthesised
                | Role::Cast
                | Role::Conditional
                | Role::Sizeof,
            ) => {
                todo.extend(children(node));
            }
            _ => return false,
        }
    }
    true
}

impl<'t> Lowering<'t> {
    /// The integer that a constant expression stands for.
    pub fn constant(&self, node: Node<'t>) -> Option<i64> {
        let mut fuel = FUEL;
        self.fold(self.tree, node, DEPTH, &mut fuel)
    }

    fn fold(
        &self,
        tree: &'t SyntaxTree<'t>,
        node: Node<'t>,
        depth: u32,
        fuel: &mut u32,
    ) -> Option<i64> {
        let depth = depth.checked_sub(1)?;
        *fuel = fuel.checked_sub(1)?;
        let mut of = |field| self.fold(tree, part(node, field)?, depth, fuel);
        match tree.role(node)? {
            Role::Number => match literals::number(tree.text(node)) {
                Value::Integer(n) => Some(n),
                _ => None,
            },
            Role::LogicalLiteral => Some(i64::from(tree.text(node).eq_ignore_ascii_case("true"))),
            Role::Name => self.fold_name(tree.text(node), depth, fuel),
            Role::Parenthesised => self.fold(tree, *children(node).first()?, depth, fuel),
            Role::Unary => {
                let argument = of(Field::Argument)?;
                match tree.text(part(node, Field::Operator)?) {
                    "-" => argument.checked_neg(),
                    "+" => Some(argument),
                    "!" => Some(i64::from(argument == 0)),
                    "~" => Some(!argument),
                    _ => None,
                }
            }
            Role::Binary => {
                let (left, right) = (of(Field::Left)?, of(Field::Right)?);
                operate(tree.text(part(node, Field::Operator)?), left, right)
            }
            Role::Conditional => {
                let condition = of(Field::Condition)?;
                of(if condition != 0 {
                    Field::Consequence
                } else {
                    Field::Alternative
                })
            }
            Role::Cast => {
                let integral = |text: &str| !matches!(text, "float" | "double");
                part(node, Field::Type).filter(|ty| integral(tree.text(*ty)))?;
                of(Field::Value)
            }
            Role::Sizeof => {
                let ty = part(node, Field::Type)?;
                self.size_of(&self.known_description(ty)?).map(i64::from)
            }
            _ => None,
        }
    }

    fn fold_name(&self, name: &str, depth: u32, fuel: &mut u32) -> Option<i64> {
        if let Some(Symbol::Local(id)) = self.symbol(name) {
            return fold_value(
                &self.function,
                self.function.variable(*id).constant.as_ref()?,
            );
        }
        let macros = self.macros;
        if let Some(found) = macros.get(name) {
            return self.fold(&found.tree, found.value()?, depth, fuel);
        }
        match self.symbol(name)? {
            Symbol::Global {
                constant: Some(value),
                ..
            } => self.fold(self.tree, *value, depth, fuel),
            Symbol::Enumerator {
                value: EnumeratorValue::Known(n),
                ..
            } => Some(*n),
            _ => None,
        }
    }

    /// Whether an expression is built of literals and named constants only.
    pub fn is_constant_expression(&self, node: Node<'t>) -> bool {
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            match self.role(node) {
                Some(Role::Number | Role::LogicalLiteral | Role::TypeDescriptor) => {}
                Some(Role::Name) if self.is_constant_name(self.text(node)) => {}
                Some(
                    Role::Binary
                    | Role::Unary
                    | Role::Parenthesised
                    | Role::Cast
                    | Role::Conditional
                    | Role::Sizeof,
                ) => todo.extend(children(node)),
                _ => return false,
            }
        }
        true
    }

    fn is_constant_name(&self, name: &str) -> bool {
        match self.symbol(name) {
            Some(Symbol::Local(id)) => self.function.variable(*id).constant.is_some(),
            _ if self.macros.get(name).is_some() => true,
            Some(
                Symbol::Enumerator { .. }
                | Symbol::Global {
                    constant: Some(_), ..
                },
            ) => true,
            _ => false,
        }
    }

    /// The value of a macro, read in the macro's own tree.
    pub fn macro_value(&mut self, found: &'t Macro<'t>) -> Value {
        let Some(node) = found.value() else {
            return Value::opaque(ReasonCode::UnsupportedExpression, "");
        };
        let tree = std::mem::replace(&mut self.tree, &found.tree);
        let outer = self
            .expansion
            .replace((found.place.clone(), found.original));
        let value = self.value(node);
        self.tree = tree;
        self.expansion = outer;
        value
    }
}

fn operate(operator: &str, left: i64, right: i64) -> Option<i64> {
    match operator {
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => left.checked_div(right),
        "%" => left.checked_rem(right),
        "<<" => u32::try_from(right)
            .ok()
            .and_then(|bits| left.checked_shl(bits)),
        ">>" => u32::try_from(right)
            .ok()
            .and_then(|bits| left.checked_shr(bits)),
        "&" => Some(left & right),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        "<" => Some(i64::from(left < right)),
        "<=" => Some(i64::from(left <= right)),
        ">" => Some(i64::from(left > right)),
        ">=" => Some(i64::from(left >= right)),
        "==" => Some(i64::from(left == right)),
        "!=" => Some(i64::from(left != right)),
        "&&" => Some(i64::from(left != 0 && right != 0)),
        "||" => Some(i64::from(left != 0 || right != 0)),
        _ => None,
    }
}

/// The integer that a value of the IR stands for, through named constants.
pub fn fold_value(function: &Function, value: &Value) -> Option<i64> {
    fold_within(function, value, DEPTH)
}

fn fold_within(function: &Function, value: &Value, depth: u32) -> Option<i64> {
    let depth = depth.checked_sub(1)?;
    match value {
        Value::Integer(n) => Some(*n),
        Value::Variable(id) => {
            fold_within(function, function.variable(*id).constant.as_ref()?, depth)
        }
        Value::Convert(ty, inner) if !ty.is_floating() => fold_within(function, inner, depth),
        Value::Unary(UnaryOp::Negate, inner) => fold_within(function, inner, depth)?.checked_neg(),
        Value::Binary(op, left, right) => {
            let sign = match op {
                BinaryOp::Add
                | BinaryOp::Subtract
                | BinaryOp::Multiply
                | BinaryOp::Divide
                | BinaryOp::Remainder => op.sign(),
                _ => return None,
            };
            operate(
                sign,
                fold_within(function, left, depth)?,
                fold_within(function, right, depth)?,
            )
        }
        _ => None,
    }
}
