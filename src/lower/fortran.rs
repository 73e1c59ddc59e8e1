//! Fortran to IR.
//!
//! A file is read in two steps. `declarations` turns every specification part into a scope of symbols that keep
//! expressions as written; scopes live without the syntax tree, so that `use` works across files ([`Modules`]).
//! Then each procedure is lowered: its names are looked up through scopes, and a variable of the IR is made for
//! each that it uses.
//!
//! ```text
//! tree ── units ──► modules, procedures, each with its scope (declarations, declarators, types, implicit)
//!   │                     │
//!   │ expression: syntax  │ modules: names through `use` and hosts
//!   │ to Expr, as written ▼
//!   └─────────► statements, loops, branches       one procedure (procedure, context, variables)
//!                         │
//!                       value: Expr ► Value       subscripts, component (path), calls, generic, bound,
//!                         │                       operators, kinds, intrinsic_types, statement_functions
//!                         ▼
//!               array_syntax: whole arrays and sections become loops (elementwise, reductions,
//!                         │   array_functions, constructors)
//!                         ▼
//!                     ir::Function                contained: what internal procedures share with their hosts
//!                                                 remarks: what could not be understood, once each
//! ```
//!
//! Nothing that is not understood is dropped: it stays as an opaque value or statement, with a reason and what
//! is inside it (guide: languages, "Nothing is dropped silently").

mod allocations;
mod array_functions;
mod array_syntax;
mod assigned;
mod associate;
mod bindings;
mod bits;
mod blocks;
mod bound;
mod branches;
mod calls;
mod component;
mod constructors;
mod contained;
mod context;
mod declarations;
mod declarators;
mod directives;
mod elementwise;
mod evaluated_once;
mod expression;
mod files;
mod generic;
mod implicit;
mod input_output;
mod inquiries;
mod intrinsic_types;
mod keywords;
mod kinds;
mod layouts;
mod lengths;
mod listed;
mod loops;
mod modules;
mod names;
mod operators;
mod path;
mod pointers;
mod procedure;
mod reductions;
mod remarks;
mod scope;
mod spelling;
mod statement_functions;
mod statements;
mod structures;
mod subscripts;
mod substitution;
#[cfg(test)]
mod tests;
mod texts;
mod types;
mod units;
mod value;
mod variables;
mod visit;
mod written_lists;

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use modules::{Asked, Modules};

use crate::ir;
use crate::reason::ReasonCode;
use crate::source::{Form, Language, SourceText};
use crate::syntax::{Grammar, Role, SyntaxTree, problems};
use expression::{Expr, MacroValue, Reader};
use modules::World;

/// A file whose text is parsed.
pub struct Parsed<'s> {
    source: &'s SourceText,
    tree: SyntaxTree<'s>,
}

impl<'s> Parsed<'s> {
    pub fn new(source: &'s SourceText) -> Parsed<'s> {
        let tree = Grammar::of(Language::Fortran).parse(&source.text);
        Parsed { source, tree }
    }

    /// The declarations of its modules.
    pub fn modules(&self) -> Modules {
        let macros = macros(self.source);
        let reader = Reader::new(&self.tree, self.source, &macros);
        units::find(&reader, self.tree.root()).modules(&reader)
    }

    /// Lowers every procedure. `modules` are those of all files; its own need not be among them. With what it asked of
    /// them.
    pub fn lower(&self, path: &Arc<str>, form: Form, modules: &Modules) -> (ir::Unit, Asked) {
        let Parsed { source, tree } = self;
        let macros = macros(source);
        let reader = Reader::new(tree, source, &macros);
        let mut diagnostics = source.diagnostics.clone();
        diagnostics.extend(problems::find(tree, source));
        let units = units::find(&reader, tree.root());
        let own = units.modules(&reader);
        let asked = RefCell::default();
        let world = World::new(&own, modules, &asked);
        let mut remarks = remarks::Remarks::default();
        let mut functions: Vec<ir::Function> = units
            .procedures
            .iter()
            .map(|unit| procedure::lower(&reader, world, unit, &mut remarks))
            .collect();
        contained::share(&mut functions);
        diagnostics.extend(remarks.finish());
        let lines = source.origins.len();
        let preprocessing = source.preprocessing;
        let unit = ir::Unit {
            path: path.clone(),
            language: Language::Fortran,
            form,
            parallel: None,
            is_listed: false,
            is_built: false,
            lines,
            preprocessing,
            functions,
            addressed: Vec::new(),
            named: Vec::new(),
            generics: units.generics(),
            diagnostics,
        };
        (unit, asked.into_inner())
    }
}

/// Lowers every procedure of a file, as [`Parsed::lower`] does.
pub fn lower(path: &Arc<str>, form: Form, source: &SourceText, modules: &Modules) -> ir::Unit {
    Parsed::new(source).lower(path, form, modules).0
}

/// Whether some line of a file begins as modules do: parsing costs more than looking for a word.
pub fn may_have_modules(source: &SourceText) -> bool {
    source.text.lines().any(|line| {
        let line = line.trim_start();
        [6, 9]
            .into_iter()
            .zip(["module", "submodule"])
            .any(|(length, word)| {
                line.get(..length)
                    .is_some_and(|start| start.eq_ignore_ascii_case(word))
            })
    })
}

/// The declarations of the modules in a file.
pub fn modules(source: &SourceText) -> Modules {
    match may_have_modules(source) {
        true => Parsed::new(source).modules(),
        false => Modules::default(),
    }
}

/// The constants that the preprocessor left in the text. One may name those before it.
fn macros(source: &SourceText) -> FxHashMap<&str, Arc<MacroValue>> {
    let mut macros: FxHashMap<&str, Arc<MacroValue>> = FxHashMap::default();
    for constant in &source.macros {
        let text = format!("x = {}\nend\n", constant.text);
        let tree = Grammar::of(Language::Fortran).parse(&text);
        let reader = Reader::new(&tree, source, &macros);
        let value = macro_value(&reader, tree.root());
        let name = constant.name.as_str().into();
        let value = Arc::new(MacroValue {
            name,
            value,
            place: constant.place.clone(),
        });
        macros.insert(&constant.name, value);
    }
    macros
}

fn macro_value(reader: &Reader, root: tree_sitter::Node) -> Expr {
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        if reader.tree.role(node) == Some(Role::Assignment)
            && let Some(right) = node.child_by_field_name(names::field::RIGHT)
        {
            return reader.read(right);
        }
        pending.extend(crate::syntax::named_children(node));
    }
    Expr::Opaque(ReasonCode::SyntaxError, String::new(), Vec::new())
}
