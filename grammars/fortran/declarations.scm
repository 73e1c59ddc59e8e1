; Program units and specification statements.

[(subroutine) (function) (program) (module_procedure)] @procedure
[(module) (submodule)] @module
(internal_procedures) @internal

(variable_declaration) @declaration
(implicit_statement) @implicit
(parameter_statement) @parameter
(variable_modification) @dimension
(common_statement) @common
(data_statement) @data
(namelist_statement) @namelist
(equivalence_statement) @equivalence
(use_statement) @use
(derived_type_definition) @type.definition
[(enum) (enumeration_type)] @enumeration
(interface) @interface
[(public_statement) (private_statement)] @visibility

[
  (block_data)
  (save_statement)
  (import_statement)
  (bind_statement)
  (cray_pointer_declaration)
  (include_statement)
] @specification

; Declarators.

(sized_declarator) @declarator.array
[(init_declarator) (pointer_init_declarator) (data_declarator)] @declarator.initialised

; Conditional compilation that nobody resolved: everything inside is read.

[
  (preproc_if)
  (preproc_ifdef)
  (preproc_else)
  (preproc_elif)
  (preproc_elifdef)
] @block
(preproc_def) @macro
[(preproc_function_def) (preproc_include) (preproc_call)] @specification
