; Executable statements.

(do_loop) @loop
(forall_statement) @loop.concurrent
(where_statement) @where
(if_statement) @if
[(select_case_statement) (select_type_statement) (select_rank_statement)] @select

(keyword_statement "exit") @exit
(keyword_statement "cycle") @cycle
(keyword_statement "return") @return
(keyword_statement "continue") @nothing
; What is left of keyword statements is `go to` in its spellings.
(keyword_statement) @goto
[(arithmetic_if_statement) (assign_statement)] @goto
(stop_statement) @stop

(assignment_statement) @assignment
(pointer_association_statement) @assignment.pointer
(subroutine_call) @call.statement
(entry_statement) @entry

[(associate_statement) (block_construct)] @scope
[(coarray_team_statement) (coarray_critical_statement)] @block

[
  (print_statement)
  (write_statement)
  (read_statement)
  (open_statement)
  (close_statement)
  (inquire_statement)
  (file_position_statement)
] @io

[(allocate_statement) (deallocate_statement) (nullify_statement)] @allocation

; Beginnings and ends of blocks, which say nothing that their parents do not.

[
  (program_statement)
  (subroutine_statement)
  (function_statement)
  (module_procedure_statement)
  (end_program_statement)
  (end_subroutine_statement)
  (end_function_statement)
  (end_module_procedure_statement)
  (do_statement)
  (end_do_loop_statement)
  (end_if_statement)
  (end_select_statement)
  (end_where_statement)
  (end_forall_statement)
  (end_associate_statement)
  (end_block_construct_statement)
  (end_coarray_team_statement)
  (end_coarray_critical_statement)
  (block_label_start_expression)
  (statement_label)
  (format_statement)
  (do_label_virtual)
  (block_label)
] @nothing
; The end of a labelled loop can be a statement: `10 x = x + 1`.
(end_do_label_loop_statement) @labelled

((comment) @directive
  (#match? @directive "^!([$](omp|OMP|Omp|acc|ACC|Acc)|(dir|DIR|dec|DEC)[$])"))
