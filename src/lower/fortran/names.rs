//! Names of grammar nodes and fields that lowering relies on beside the roles. A test checks that the
//! grammar knows each of them, so a typo cannot pass in silence.

macro_rules! names {
    ($module:ident, $all:ident: $($name:ident = $text:literal,)*) => {
        pub mod $module { $(pub const $name: &str = $text;)* }
        #[cfg(test)]
        const $all: &[&str] = &[$($text),*];
    };
}

names! { kind, KINDS:
    ARGUMENT_LIST = "argument_list",
    ASSOCIATION_LIST = "association_list",
    ARITHMETIC_IF = "arithmetic_if_statement",
    ASSIGNMENT = "assignment",
    ASSUMED_SIZE = "assumed_size",
    BINDING = "binding",
    BINDING_LIST = "binding_list",
    BINDING_NAME = "binding_name",
    BLOCK_CONSTRUCT = "block_construct",
    BLOCK_LABEL_START = "block_label_start_expression",
    CASE = "case_statement",
    CASE_VALUES = "case_value_range_list",
    CHARACTER_LENGTH = "character_length",
    COARRAY_ALLOCATION = "coarray_allocation",
    COARRAY_DECLARATOR = "coarray_declarator",
    COARRAY_EXPRESSION = "coarray_expression",
    CONCURRENT = "concurrent_statement",
    CONCURRENT_CONTROL = "concurrent_control",
    CONCURRENT_HEADER = "concurrent_header",
    CONCURRENT_MASK = "concurrent_mask",
    DATA_SET = "data_set",
    DATA_VALUE = "data_value",
    DEALLOCATE = "deallocate_statement",
    DEFAULT = "default",
    DERIVED_TYPE = "derived_type",
    DERIVED_TYPE_STATEMENT = "derived_type_statement",
    DERIVED_TYPE_PROCEDURES = "derived_type_procedures",
    DO_STATEMENT = "do_statement",
    ELSE = "else_clause",
    ELSE_IF = "elseif_clause",
    ELSEWHERE = "elsewhere_clause",
    ENUMERATOR = "enumerator_statement",
    FORMAT_IDENTIFIER = "format_identifier",
    FUNCTION = "function",
    FUNCTION_RESULT = "function_result",
    GENERIC_STATEMENT = "generic_statement",
    IDENTIFIER = "identifier",
    IMPLICIT_RANGE = "implicit_range",
    INCLUDED_ITEMS = "included_items",
    INPUT_ITEMS = "input_item_list",
    INTERFACE_STATEMENT = "interface_statement",
    KEYWORD_ARGUMENT = "keyword_argument",
    INTRINSIC_TYPE = "intrinsic_type",
    LOOP_CONTROL = "loop_control_expression",
    METHOD_NAME = "method_name",
    MODULE_NAME = "module_name",
    MODULE_STATEMENT = "module_statement",
    NAME = "name",
    NIL = "nil_literal",
    NONE = "none",
    NULL = "null_literal",
    OPERATOR = "operator",
    OUTPUT_ITEMS = "output_item_list",
    PRIVATE = "private_statement",
    PROCEDURE_ATTRIBUTE = "procedure_attribute",
    PROCEDURE_INTERFACE = "procedure_interface",
    PROCEDURE_STATEMENT = "procedure_statement",
    PROGRAM = "program",
    PROGRAM_STATEMENT = "program_statement",
    QUALIFIER = "procedure_qualifier",
    RANK_STATEMENT = "rank_statement",
    SELECTOR = "selector",
    SELECT_CASE = "select_case_statement",
    SIZE = "size",
    SIZED_ALLOCATION = "sized_allocation",
    STATEMENT_LABEL = "statement_label",
    STATEMENT_LABEL_REFERENCE = "statement_label_reference",
    SUBMODULE_STATEMENT = "submodule_statement",
    TRIPLET = "triplet_spec",
    TYPE_NAME = "type_name",
    TYPE_QUALIFIER = "type_qualifier",
    TYPE_STATEMENT = "type_statement",
    UNIT_IDENTIFIER = "unit_identifier",
    UNLIMITED_POLYMORPHIC = "unlimited_polymorphic",
    USE_ALIAS = "use_alias",
    VARIABLE_GROUP = "variable_group",
    WHILE = "while_statement",
}

names! { field, FIELDS:
    ACCESS = "access",
    ALLOCATION = "allocation",
    ALTERNATIVE = "alternative",
    ANCESTOR = "ancestor",
    ARGUMENT = "argument",
    ATTRIBUTE = "attribute",
    BASE = "base",
    CONDITION = "condition",
    CONSEQUENCE = "consequence",
    DECLARATOR = "declarator",
    FINAL = "final",
    INITIAL = "initial",
    KIND = "kind",
    LEFT = "left",
    NAME = "name",
    OPERATOR = "operator",
    PARAMETERS = "parameters",
    REPEAT = "repeat",
    RIGHT = "right",
    SELECTOR = "selector",
    STEP = "step",
    SUBROUTINE = "subroutine",
    TYPE = "type",
    VALUE = "value",
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Language;
    use crate::syntax::Grammar;

    #[test]
    fn the_grammar_knows_every_name() {
        let language = &Grammar::of(Language::Fortran).language;
        for kind in KINDS {
            assert_ne!(
                language.id_for_node_kind(kind, true),
                0,
                "no node kind `{kind}`"
            );
        }
        for field in FIELDS {
            assert!(
                language.field_id_for_name(field).is_some(),
                "no field `{field}`"
            );
        }
    }
}
