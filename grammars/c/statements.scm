; Statements of C.

(for_statement) @loop
(while_statement) @loop.while
(do_statement) @loop.do_while
(if_statement) @if
(switch_statement) @select
(case_statement) @case
(goto_statement) @goto
(expression_statement) @statement.expression
(compound_statement) @block
(labeled_statement) @labelled
(break_statement) @exit
(continue_statement) @cycle
(return_statement) @return

; `[[likely]] x = 1;`: the attribute says nothing about the work.
(attributed_statement) @scope
(attribute_declaration) @nothing
(attribute_specifier) @attribute
(statement_identifier) @nothing
