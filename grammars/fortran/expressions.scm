; Expressions.

(identifier) @name
(number_literal) @number
(boolean_literal) @logical
[(string_literal) (hollerith_constant)] @text

; `.not.` is a unary operator in the grammar of logical expressions.
(logical_expression !left) @unary
[
  (math_expression)
  (logical_expression)
  (relational_expression)
  (concatenation_expression)
] @binary
(unary_expression) @unary
(conditional_expression) @conditional
(parenthesized_expression) @parenthesised

; An array reference, a function reference or a substring: only declarations tell.
(call_expression) @call
(derived_type_member_expression) @member
(complex_literal) @complex
(array_literal) @array_constructor
(implied_do_loop_expression) @implied_do
(extent_specifier) @range
(keyword_argument) @keyword
