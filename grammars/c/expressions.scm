; Expressions of C.

(identifier) @name
(field_identifier) @name
(number_literal) @number
(char_literal) @number
(true) @logical
(false) @logical
(null) @null
(string_literal) @text
(concatenated_string) @text
(binary_expression) @binary
(unary_expression) @unary
(parenthesized_expression) @parenthesised
(extension_expression) @parenthesised
(call_expression) @call
(subscript_expression) @subscript
(field_expression) @member
(pointer_expression) @pointer
(cast_expression) @cast
(conditional_expression) @conditional
(assignment_expression) @assignment.expression
(update_expression) @update
(comma_expression) @comma
(sizeof_expression) @sizeof
(initializer_list) @array_constructor
(initializer_pair) @keyword
(compound_literal_expression) @compound_literal
