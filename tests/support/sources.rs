//! Files of the repository, lowered.

use std::sync::Arc;

use loopsheet_ir::Unit;
use loopsheet_lower::{self as lower, fortran::Modules};
use loopsheet_source::flags::FortranFlags;
use loopsheet_source::parallel::Parallel;
use loopsheet_source::{self as source, Form, Language, SourceText, fixed_form};

use super::command::files;

/// The sources of some directories, in the order of their names; each without the modules of others.
pub fn units(directories: &[&str]) -> Vec<Unit> {
    let files = directories.iter().flat_map(|directory| files(directory));
    let lowered = files.filter_map(|path| {
        let (language, form, _) = source::classify(&path)?;
        let text = std::fs::read_to_string(&path).expect("text");
        Some(unit(path.to_string_lossy().into(), language, form, text))
    });
    lowered.collect()
}

/// A text by a file's name.
pub fn of_text(name: &str, text: &str) -> Unit {
    let (language, form, _) = source::classify(name.as_ref()).expect("a source");
    unit(name.into(), language, form, text.to_string())
}

fn unit(path: Arc<str>, language: Language, form: Form, text: String) -> Unit {
    let parallel = Some(Parallel::of(&text, language));
    let text = SourceText::verbatim(&path, text);
    let unit = match (language, form) {
        (Language::C, _) => lower::c::lower(&path, &text),
        (Language::Fortran, Form::Free) => {
            lower::fortran::lower(&path, form, &text, &Modules::default())
        }
        (Language::Fortran, Form::Fixed) => lower::fortran::lower(
            &path,
            form,
            &fixed_form::to_free_form(text, &FortranFlags::default()),
            &Modules::default(),
        ),
    };
    Unit { parallel, ..unit }
}
