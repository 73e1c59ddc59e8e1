//! Names of the grammar that the code relies on: a field is a named part of a node. A test asks the
//! grammar for each, so a typo cannot ship.

use tree_sitter::Node;

macro_rules! fields {
    ($($name:ident = $text:literal;)*) => {
        /// A named part of a syntax node.
        #[derive(Clone, Copy, Debug)]
        pub enum Field { $($name,)* }

        impl Field {
            #[cfg(test)]
            pub const ALL: &[Field] = &[$(Field::$name,)*];

            pub fn name(self) -> &'static str {
                match self { $(Field::$name => $text,)* }
            }
        }
    };
}

fields! {
    Alternative = "alternative";
    Argument = "argument";
    Arguments = "arguments";
    Body = "body";
    Condition = "condition";
    Consequence = "consequence";
    Declarator = "declarator";
    Designator = "designator";
    Function = "function";
    Index = "index";
    Initializer = "initializer";
    Left = "left";
    Member = "field";
    Name = "name";
    Operator = "operator";
    Parameters = "parameters";
    Right = "right";
    Size = "size";
    Start = "start";
    Type = "type";
    Update = "update";
    Value = "value";
}

/// Keywords that tell preprocessor lines of one role apart.
pub const IFNDEF: &str = "#ifndef";
pub const ELIFNDEF: &str = "#elifndef";
pub const ELSE: &str = "#else";
/// Ends the type of a cast.
pub const CLOSE: &str = ")";

/// The part of a node that a field names.
pub fn part(node: Node<'_>, field: Field) -> Option<Node<'_>> {
    node.child_by_field_name(field.name())
}

/// All parts of a node under one field name.
pub fn parts(node: Node<'_>, field: Field) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children_by_field_name(field.name(), &mut cursor)
        .filter(tree_sitter::Node::is_named)
        .collect()
}

/// Named children but comments; unlike [`crate::syntax::named_children`], with unreadable regions,
/// which tree-sitter counts among the extras.
pub fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| !child.is_extra() || child.is_error())
        .collect()
}

/// The statements of one `case`, without its label.
pub fn case_statements(case: Node<'_>) -> Vec<Node<'_>> {
    let label = part(case, Field::Value);
    children(case)
        .into_iter()
        .filter(|child| Some(*child) != label)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Language;
    use crate::syntax::Grammar;

    #[test]
    fn the_grammar_knows_every_field_and_keyword() {
        let language = &Grammar::of(Language::C).language;
        for field in Field::ALL {
            assert!(
                language.field_id_for_name(field.name()).is_some(),
                "no field {}",
                field.name()
            );
        }
        for keyword in [IFNDEF, ELIFNDEF, ELSE, CLOSE] {
            assert_ne!(
                language.id_for_node_kind(keyword, false),
                0,
                "no keyword {keyword}"
            );
        }
    }
}
