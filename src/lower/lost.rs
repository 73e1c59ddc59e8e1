//! A file that a defect of ours keeps from being lowered: its loops stay listed.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::attempt::Defect;
use crate::ir::{Conventions, Function, Unit, is_lost, lost_loop};
use crate::source::{Form, Language, SourceText};
use crate::syntax::{Grammar, Role, SyntaxTree, named_children};

/// The file with nothing but its loops, in one function, and a remark that they are lost.
pub fn unit(
    path: &Arc<str>,
    language: Language,
    form: Form,
    source: &SourceText,
    defect: &Defect,
) -> Unit {
    let place = source.place(0, 0);
    let mut function = Function::new(
        "<lost>".to_string(),
        place.clone(),
        Conventions::of(language),
    );
    function.body = loops(&Grammar::of(language).parse(&source.text), source);
    let mut diagnostics = source.diagnostics.clone();
    diagnostics.push(is_lost("this file", place, defect));
    Unit {
        path: path.clone(),
        language,
        form,
        lines: source.origins.len(),
        parallel: None,
        is_listed: false,
        is_built: false,
        preprocessing: source.preprocessing,
        functions: vec![function],
        addressed: Vec::new(),
        named: Vec::new(),
        generics: BTreeMap::new(),
        diagnostics,
    }
}

/// The loops of a file in order, side by side.
fn loops(tree: &SyntaxTree, source: &SourceText) -> Vec<crate::ir::Stmt> {
    let mut found = Vec::new();
    let mut left = vec![tree.root()];
    while let Some(node) = left.pop() {
        if let Some(Role::Loop | Role::WhileLoop | Role::DoWhileLoop) = tree.role(node) {
            let (start, end) = (node.start_position(), node.end_position());
            let last = source.place(end.row, 0).line;
            found.push(lost_loop(source.place(start.row, start.column), last));
        }
        left.extend(named_children(node).into_iter().rev());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempt::attempt;
    use crate::diagnostic::Severity;
    use crate::ir::Stmt;

    #[test]
    fn the_loops_of_a_lost_file_stay_listed() {
        let defect = attempt(|| -> u32 { panic!("on purpose") }).unwrap_err();
        let files = [
            (
                Language::C,
                "void f(int n, double *a) {\n  for (int i = 0; i < n; i++)\n    while (a[i] > 1) a[i] /= 2;\n}\n",
            ),
            (
                Language::Fortran,
                "subroutine f(n, a)\n  do i = 1, n\n    do while (a(i) > 1)\n      a(i) = a(i) / 2\n    end do\n  end do\nend\n",
            ),
        ];
        for (language, text) in files {
            let path: Arc<str> = "file".into();
            let source = SourceText::verbatim(&path, text.to_string());
            let unit = unit(&path, language, Form::Free, &source, &defect);
            let lines: Vec<u32> = (unit.functions[0].body.iter())
                .map(|stmt| stmt.place().line)
                .collect();
            assert_eq!(lines, [2, 3]);
            assert!(matches!(unit.functions[0].body[0], Stmt::Loop(_)));
            let [remark] = &unit.diagnostics[..] else {
                panic!("one remark");
            };
            assert_eq!(remark.severity, Severity::Error);
            assert!(remark.message.contains("on purpose"));
            assert!(
                remark
                    .help
                    .as_deref()
                    .unwrap_or("")
                    .contains("--ignore 'file'")
            );
        }
    }
}
