//! C to IR.
//!
//! The tree is read twice: first every declaration at file scope (`file_scope`), then each function definition,
//! wherever it stands. `names` keeps what declarations say: types, structures, constants. Around it, `lowering`
//! holds the function at hand: `statements` and `for_loop` write the IR, `expressions` and `access` give the
//! values, `effects` makes statements of what an expression does on the way.
//!
//! ```text
//! text ── mask, lone_names ──► tree ── misread: is `(a) - b` a cast? then the text is rewritten, read again
//!                               │      ── implicit_int: `main() {…}`, likewise
//!        file_scope, specifiers, ctype ► names           headers: declarations that files share, read once
//!                               │
//!        functions ── statements, for_loop, switch, jumps     a[i++] = f(x) && g(y)
//!                               │                              effects: statements before the one at hand
//!                       expressions ► Value ◄── access: places in memory
//!                               ▼
//!                         ir::Function                  ranks: arrays that nothing declares, at the end
//! ```
//!
//! C has no array syntax and no modules, and the trouble lies elsewhere: a text that only its types make
//! unambiguous, side effects inside expressions, and places in memory that are written in many ways.

mod access;
mod alignment;
mod calls;
mod completed;
mod constants;
mod context;
mod ctype;
mod declarations;
mod effects;
mod expressions;
mod fields;
mod file_scope;
mod for_loop;
mod functions;
mod headers;
mod implicit_int;
mod jumps;
mod labels;
mod lists;
mod literals;
mod lone_names;
mod lowering;
mod macros;
mod mask;
mod misread;
mod names;
mod packing;
mod ranks;
mod reading;
mod record;
mod sizes_of_types;
mod specifiers;
mod statements;
mod structures;
mod switch;
mod tables;
#[cfg(test)]
mod tests;
mod type_of;
mod types;
mod variables;

pub use headers::Declarations;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ir;
use crate::source::{Form, Language, SourceText};
use crate::syntax::{Grammar, problems};

/// Lowers every function definition of a file. Statements outside of functions, as in a fragment
/// that is only a loop nest, make a function called `<file scope>`.
pub fn lower(path: &Arc<str>, source: &SourceText) -> ir::Unit {
    lower_masked(
        path,
        source,
        mask::Masked::new(&source.text),
        misread::TypeNames::default(),
        misread::PASSES,
    )
}

/// Parses again as long as the tree shows that the grammar guessed wrong.
fn lower_masked(
    path: &Arc<str>,
    source: &SourceText,
    masked: mask::Masked,
    mut types: misread::TypeNames,
    passes: usize,
) -> ir::Unit {
    let grammar = Grammar::of(Language::C);
    let tree = grammar.parse(&masked.text);
    if (tree.root().has_error() || implicit_int::has_assignments(&tree))
        && passes == misread::PASSES
        && let Some(text) = implicit_int::typed(&source.text)
    {
        let source = source.clone();
        return lower(path, &SourceText { text, ..source });
    }
    types.learn(&tree);
    if let Some(text) = misread::rewritten(&tree, &types).filter(|_| passes > 0) {
        drop(tree);
        return lower_masked(
            path,
            source,
            mask::Masked { text, ..masked },
            types,
            passes - 1,
        );
    }
    let texts = macros::macro_texts(grammar, &tree, source, &types);
    let macros = macros::Macros::parse(grammar, &texts);
    let reading = reading::Reading::new(&tree, source, &masked, &macros);
    let mut lowering = lowering::Lowering::new(reading);
    lowering.names.declare_file_scope();
    let initial = lowering.names.initial_values();
    let functions = lowering.functions();

    let mut diagnostics = source.diagnostics.clone();
    diagnostics.extend(problems::find(&tree, source));
    diagnostics.extend(lowering.into_diagnostics());
    ir::Unit {
        path: path.clone(),
        language: Language::C,
        form: Form::Free,
        lines: lines(path, source),
        parallel: None,
        is_listed: false,
        is_built: false,
        preprocessing: source.preprocessing,
        functions,
        addressed: initial.addressed,
        named: initial.named.into_iter().collect(),
        generics: BTreeMap::new(),
        diagnostics,
    }
}

/// Lines of the file itself, not of what it includes.
fn lines(path: &Arc<str>, source: &SourceText) -> usize {
    let own = source
        .origins
        .iter()
        .filter(|origin| origin.file == *path)
        .map(|origin| origin.line)
        .max();
    let empty_end = usize::from(source.text.ends_with('\n'));
    own.map_or(source.origins.len(), |line| line as usize)
        .saturating_sub(empty_end)
}
