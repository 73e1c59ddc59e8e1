; What declares names in C. Capture names are the roles of src/syntax/roles.rs.

(function_definition) @procedure
(declaration) @declaration
(field_declaration) @declaration
(parameter_declaration) @declaration
(type_definition) @typedef
(struct_specifier) @type.definition
(union_specifier) @type.union
(enum_specifier) @enumeration
(enumerator) @enumerator

; Names of types; `unsigned long` is one node.
(primitive_type) @type.name
(sized_type_specifier) @type.name
(type_identifier) @type.name
(type_descriptor) @type.descriptor
(type_qualifier) @qualifier
(alignas_qualifier) @alignment
(storage_class_specifier) @storage

; Declarators are wrapped round the name from the outside in.
(array_declarator) @declarator.array
(abstract_array_declarator) @declarator.array
(pointer_declarator) @declarator.pointer
(abstract_pointer_declarator) @declarator.pointer
(function_declarator) @declarator.function
(abstract_function_declarator) @declarator.function
(init_declarator) @declarator.initialised
(parenthesized_declarator) @declarator.wrapped
(abstract_parenthesized_declarator) @declarator.wrapped
(attributed_declarator) @declarator.wrapped
(bitfield_clause) @bitfield

; What is left of the preprocessor's lines.
(preproc_def) @macro
(preproc_if) @preprocessor.if
(preproc_ifdef) @preprocessor.if
(preproc_else) @preprocessor.else
(preproc_elif) @preprocessor.else
(preproc_elifdef) @preprocessor.else
(preproc_defined) @preprocessor.defined
(preproc_include) @nothing
(preproc_function_def) @nothing
(preproc_call) @nothing

; `extern "C" { … }`
(linkage_specification) @scope
(declaration_list) @scope
