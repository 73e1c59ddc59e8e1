//! The roles that `grammars/*/*.scm` give to syntax nodes, shared by all languages.

macro_rules! roles {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// What a syntax node is. The text is the capture name in the query files.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Role { $($(#[$doc])* $name,)* }

        impl Role {
            pub const ALL: &[(&str, Role)] = &[$(($text, Role::$name),)*];

            pub fn parse(text: &str) -> Option<Role> {
                Role::ALL.iter().find(|(name, _)| *name == text).map(|(_, role)| *role)
            }
        }
    };
}

roles! {
    // declarations
    /// A function, subroutine or main program with a body.
    Procedure = "procedure";
    /// Fortran module or submodule.
    Module = "module";
    /// `contains` part of a module or procedure.
    InternalProcedures = "internal";
    /// A declaration of variables with a type.
    Declaration = "declaration";
    /// `implicit none` or `implicit real*8 (a-h,o-z)`.
    Implicit = "implicit";
    /// Fortran `parameter (n = 1)`.
    ParameterStatement = "parameter";
    /// Fortran `dimension a(10)`.
    DimensionStatement = "dimension";
    /// Fortran `common /block/ a, b(10)`.
    Common = "common";
    /// Fortran `namelist /group/ a, b`.
    Namelist = "namelist";
    /// Fortran `data a, b / 1, 2 /`.
    Data = "data";
    /// Fortran `equivalence`.
    Equivalence = "equivalence";
    /// Fortran `use`.
    Use = "use";
    /// Other specification statements, nothing to compute: `external`, `save`, `interface` …
    Specification = "specification";
    /// Fortran `interface`: generic names and external procedures.
    Interface = "interface";
    /// Fortran `public` and `private`.
    Visibility = "visibility";
    /// Fortran `entry`.
    Entry = "entry";
    /// Derived type or struct definition.
    TypeDefinition = "type.definition";
    /// C typedef.
    Typedef = "typedef";
    /// C enumeration.
    Enumeration = "enumeration";
    /// One name of a C enumeration.
    Enumerator = "enumerator";
    /// C preprocessor definition.
    Macro = "macro";
    /// `#if`, `#ifdef` and `#ifndef` with what they enclose.
    PreprocessorIf = "preprocessor.if";
    /// `#else`, `#elif` with what they enclose.
    PreprocessorElse = "preprocessor.else";
    /// `defined(NAME)` in an `#if`.
    PreprocessorDefined = "preprocessor.defined";
    /// Union definition.
    Union = "type.union";
    /// The name of a type: `double`, `unsigned long`, a typedef name.
    TypeName = "type.name";
    /// A type without a declared name: in a cast or `sizeof`.
    TypeDescriptor = "type.descriptor";
    /// `const`, `volatile`, `restrict`.
    Qualifier = "qualifier";
    /// `static`, `extern`, `inline`.
    Storage = "storage";
    /// A declared array with its bounds: `a(10)`, `a[10]`.
    ArrayDeclarator = "declarator.array";
    /// A pointer declarator.
    PointerDeclarator = "declarator.pointer";
    /// A function declarator.
    FunctionDeclarator = "declarator.function";
    /// C `__attribute__((…))`.
    Attribute = "attribute";
    /// C `_Alignas(…)`.
    Alignment = "alignment";
    /// A declarator in parentheses or with attributes.
    WrappedDeclarator = "declarator.wrapped";
    /// `: 3` after a member.
    BitField = "bitfield";
    /// A declarator with an initial value.
    Initialised = "declarator.initialised";

    // statements
    /// A counted or `for` loop.
    Loop = "loop";
    /// `while (c) …`, `do while`.
    WhileLoop = "loop.while";
    /// C's `do … while`.
    DoWhileLoop = "loop.do_while";
    /// Fortran `do concurrent` and `forall`.
    ConcurrentLoop = "loop.concurrent";
    /// Fortran `where`.
    Where = "where";
    If = "if";
    /// `select case`, `switch`.
    Select = "select";
    /// One `case` of a `switch`.
    Case = "case";
    /// Arithmetic if, computed and plain goto.
    Goto = "goto";
    Assignment = "assignment";
    /// Pointer assignment `p => t`.
    PointerAssignment = "assignment.pointer";
    /// `call f(x)`.
    CallStatement = "call.statement";
    /// A statement that is an expression (C).
    ExpressionStatement = "statement.expression";
    /// A block of statements.
    Block = "block";
    /// A statement with a label.
    Labelled = "labelled";
    Exit = "exit";
    Cycle = "cycle";
    Return = "return";
    Stop = "stop";
    /// `print`, `write`, `read`, `open` …: evaluated, no arithmetic of interest.
    InputOutput = "io";
    /// `allocate`, `deallocate`, `nullify`.
    Allocation = "allocation";
    /// `continue`, empty statements: nothing to do.
    Nothing = "nothing";
    /// `associate … end associate`, `block … end block`.
    Scope = "scope";
    /// `!$omp …`, `#pragma omp …`.
    Directive = "directive";

    // expressions
    Name = "name";
    Number = "number";
    LogicalLiteral = "logical";
    Text = "text";
    /// `a + b`.
    Binary = "binary";
    /// `-a`, `!a`.
    Unary = "unary";
    Parenthesised = "parenthesised";
    /// `f(x)` or, in Fortran, `a(i)`.
    Call = "call";
    /// `a[i]`.
    Subscript = "subscript";
    /// A component: `a%b`, `a.b`, `a->b`.
    Member = "member";
    /// `*p`, `&a`.
    Pointer = "pointer";
    Cast = "cast";
    /// `c ? a : b`.
    Conditional = "conditional";
    /// `a = b`, `a += b` as an expression.
    AssignmentExpression = "assignment.expression";
    /// `i++`.
    Update = "update";
    /// `a, b`.
    Comma = "comma";
    Sizeof = "sizeof";
    /// `(re, im)`.
    ComplexLiteral = "complex";
    /// `[1, 2]`, `(/ 1, 2 /)`, `{1, 2}`.
    ArrayConstructor = "array_constructor";
    /// Fortran `(a(i), i = 1, n)`.
    ImpliedDo = "implied_do";
    /// `(type){1, 2}`.
    CompoundLiteral = "compound_literal";
    /// `NULL`.
    Null = "null";
    /// An array section bound `a:b`.
    Range = "range";
    /// `name = value` in an argument list.
    Keyword = "keyword";
}

#[cfg(test)]
mod tests {
    use super::super::Grammar;
    use crate::source::Language;

    #[test]
    fn queries_compile_and_name_known_roles() {
        Grammar::of(Language::C);
        Grammar::of(Language::Fortran);
    }
}
