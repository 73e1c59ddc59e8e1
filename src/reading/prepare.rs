//! Sources before lowering: read, preprocessed, in free form.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Context;
use rayon::prelude::*;

use super::compile_commands::Flags;
use super::files::{self, ReadNotes, decode};
use super::headers::{Guess, HeaderIndex, Includes};
use super::input::{Input, Kind};
use super::preprocess::{self, Cpp};
use crate::attempt::{Defect, attempt};
use crate::diagnostic::{Diagnostic, DiagnosticCode, Place, Severity};
use crate::ir::is_lost;
use crate::lower::c::Declarations;
use crate::source::flags::FortranFlags;
use crate::source::form::{self, Evidence, Header};
use crate::source::parallel::Parallel;
use crate::source::preprocess::SharedHeaders;
use crate::source::{self, Form, Language, SourceText, fixed_form};
use crate::syntax::{Grammar, problems};

/// Text before lowering.
pub struct Prepared<'a> {
    pub input: &'a Input,
    pub language: Language,
    pub form: Form,
    pub parallel: Parallel,
    pub source: SourceText,
}

/// Reads all sources.
///
/// # Errors
/// One that was named cannot be read or is not text.
pub fn all<'a>(
    inputs: &[&'a Input],
    flags: &[Flags],
    headers: &HeaderIndex,
    cpp: &Cpp,
) -> anyhow::Result<Vec<Prepared<'a>>> {
    let shared = Shared::default();
    let notes = ReadNotes::of_thread();
    let each = inputs.par_iter().zip(flags);
    let begun = each.map(|(input, flags)| {
        let begun = notes.within(|| begun(input, bytes(input)?, flags, headers, cpp, &shared));
        begun.map(Part::Begun)
    });
    Ok(together(
        begun.collect::<anyhow::Result<_>>()?,
        flags,
        headers,
    ))
}

/// A source at a first glance.
pub enum Glanced<'a> {
    /// Fortran that is what it is whatever other files hold, and not prepared yet: what is in the file.
    Alone(Vec<u8>),
    Prepared(Prepared<'a>, Vote<'a>),
}

impl Glanced<'_> {
    pub fn bytes(&self) -> usize {
        match self {
            Glanced::Alone(bytes) => bytes.len(),
            Glanced::Prepared(prepared, _) => prepared.source.text.len(),
        }
    }
}

/// What a file has to say on the form of those beside it, in their directory.
type Vote<'a> = (Option<&'a Path>, i64);

/// Reads all sources, and prepares those that do not stand alone.
///
/// # Errors
/// As [`all`], but for what is wrong with those that stand alone.
pub fn glance<'a>(
    inputs: &[&'a Input],
    flags: &[Flags],
    headers: &HeaderIndex,
    cpp: &Cpp,
) -> anyhow::Result<Vec<Glanced<'a>>> {
    enum Begins<'a> {
        Alone(Vec<u8>),
        Begun(Begun<'a>),
    }
    let shared = Shared::default();
    let notes = ReadNotes::of_thread();
    let each = inputs.par_iter().zip(flags);
    let each = each.map(|(input, flags)| {
        notes.within(|| {
            let bytes = bytes(input)?;
            Ok(match stands_alone(input, &bytes, flags, cpp) {
                true => Begins::Alone(bytes),
                false => Begins::Begun(begun(input, bytes, flags, headers, cpp, &shared)?),
            })
        })
    });
    let each = each.collect::<anyhow::Result<Vec<Begins>>>()?;
    let is_undecided =
        |begins: &Begins| matches!(begins, Begins::Begun(begun) if begun.form.is_none());
    if each.iter().any(is_undecided) {
        // Those beside it decide.
        let each = each.into_par_iter().zip(inputs).zip(flags);
        let parts = each.map(|((begins, input), flags)| {
            Ok(Part::Begun(match begins {
                Begins::Begun(begun) => begun,
                Begins::Alone(bytes) => begun(input, bytes, flags, headers, cpp, &shared)?,
            }))
        });
        let all = together(parts.collect::<anyhow::Result<_>>()?, flags, headers);
        let ready = all
            .into_iter()
            .map(|prepared| Glanced::Prepared(prepared, (None, 0)));
        return Ok(ready.collect());
    }
    let none = HashMap::new();
    let glanced = each
        .into_par_iter()
        .zip(flags)
        .map(|(begins, flags)| match begins {
            Begins::Alone(bytes) => Glanced::Alone(bytes),
            Begins::Begun(begun) => {
                let vote = begun.vote();
                let prepared = notes.within(|| finished(begun, flags, headers, &none));
                Glanced::Prepared(prepared, vote)
            }
        });
    Ok(glanced.collect())
}

/// The sources at which somebody has glanced, all of them prepared.
///
/// # Errors
/// As [`all`].
pub fn rest<'a>(
    glanced: Vec<Glanced<'a>>,
    inputs: &[&'a Input],
    flags: &[Flags],
    headers: &HeaderIndex,
    cpp: &Cpp,
) -> anyhow::Result<Vec<Prepared<'a>>> {
    let shared = Shared::default();
    let notes = ReadNotes::of_thread();
    let each = glanced.into_par_iter().zip(inputs).zip(flags);
    let parts = each.map(|((glanced, input), flags)| match glanced {
        Glanced::Prepared(prepared, vote) => Ok(Part::Prepared(prepared, vote)),
        Glanced::Alone(bytes) => {
            let begun = notes.within(|| begun(input, bytes, flags, headers, cpp, &shared));
            begun.map(Part::Begun)
        }
    });
    Ok(together(
        parts.collect::<anyhow::Result<_>>()?,
        flags,
        headers,
    ))
}

/// A source that is being prepared, or is.
enum Part<'a> {
    Begun(Begun<'a>),
    Prepared(Prepared<'a>, Vote<'a>),
}

/// All of them prepared, in the forms that those of a directory have.
fn together<'a>(parts: Vec<Part<'a>>, flags: &[Flags], headers: &HeaderIndex) -> Vec<Prepared<'a>> {
    let notes = ReadNotes::of_thread();
    let usual = usual_forms(parts.iter().map(|part| match part {
        Part::Begun(begun) => begun.vote(),
        Part::Prepared(_, vote) => *vote,
    }));
    let prepared = parts
        .into_par_iter()
        .zip(flags)
        .map(|(part, flags)| match part {
            Part::Prepared(prepared, _) => prepared,
            Part::Begun(begun) => notes.within(|| finished(begun, flags, headers, &usual)),
        });
    prepared.collect()
}

/// Whether nothing but a file and its flags decides how it is prepared, its form apart: it includes nothing, and nothing
/// preprocesses it.
fn stands_alone(input: &Input, bytes: &[u8], flags: &Flags, cpp: &Cpp) -> bool {
    match input.kind {
        Kind::Source {
            language: Language::Fortran,
            preprocessed,
            ..
        } => {
            !preprocess::is_preset(preprocessed, cpp, flags.fortran.preprocess)
                && !source::include::may_be_in(bytes)
        }
        _ => false,
    }
}

fn bytes(input: &Input) -> anyhow::Result<Vec<u8>> {
    files::read(&input.path).with_context(|| format!("cannot read {}", input.name))
}

fn begun<'a>(
    input: &'a Input,
    bytes: Vec<u8>,
    flags: &Flags,
    headers: &HeaderIndex,
    cpp: &Cpp,
    shared: &Shared,
) -> anyhow::Result<Begun<'a>> {
    attempt(|| begin(input, bytes, flags, headers, cpp, shared))
        .unwrap_or_else(|defect| Ok(Begun::lost(input, &defect)))
}

fn finished<'a>(
    begun: Begun<'a>,
    flags: &Flags,
    headers: &HeaderIndex,
    usual: &HashMap<Option<&Path>, Form>,
) -> Prepared<'a> {
    let input = begun.input;
    attempt(|| finish(begun, flags, headers, usual)).unwrap_or_else(|defect| {
        let Begun {
            input,
            language,
            parallel,
            source,
            ..
        } = Begun::lost(input, &defect);
        Prepared {
            input,
            language,
            form: Form::Free,
            parallel,
            source,
        }
    })
}

/// What is read of the headers of C sources once for all of them.
#[derive(Default)]
struct Shared {
    headers: SharedHeaders,
    declarations: Declarations,
}

/// A file that is read and preprocessed.
struct Begun<'a> {
    input: &'a Input,
    language: Language,
    by_extension: Form,
    /// `None` if it reads the same in both forms.
    form: Option<Form>,
    parallel: Parallel,
    source: SourceText,
}

impl<'a> Begun<'a> {
    /// Nothing of a file, and why.
    fn without(
        input: &'a Input,
        (severity, code): (Severity, DiagnosticCode),
        message: String,
    ) -> Begun<'a> {
        let source = SourceText::verbatim(&input.name, String::new());
        let remark = Diagnostic {
            severity,
            code,
            place: source.place(0, 0),
            width: 1,
            message,
            help: None,
        };
        Begun::with_remark(input, source, remark)
    }

    /// Nothing of a file but the remark that it is lost.
    fn lost(input: &'a Input, defect: &Defect) -> Begun<'a> {
        let source = SourceText::verbatim(&input.name, String::new());
        let remark = is_lost("this file", source.place(0, 0), defect);
        Begun::with_remark(input, source, remark)
    }

    /// More than zero for free form.
    fn vote(&self) -> Vote<'a> {
        let counts = self.language == Language::Fortran && self.by_extension == Form::Fixed;
        let vote = match self.form.filter(|_| counts) {
            Some(Form::Free) => 1,
            Some(Form::Fixed) => -1,
            None => 0,
        };
        (self.input.path.parent(), vote)
    }

    fn with_remark(input: &'a Input, mut source: SourceText, remark: Diagnostic) -> Begun<'a> {
        source.diagnostics.push(remark);
        let (language, form) = match input.kind {
            Kind::Source { language, form, .. } => (language, form),
            Kind::Model => (Language::C, Form::Free),
        };
        Begun {
            input,
            language,
            by_extension: form,
            form: Some(form),
            parallel: Parallel::No,
            source,
        }
    }
}

fn begin<'a>(
    input: &'a Input,
    mut bytes: Vec<u8>,
    flags: &Flags,
    headers: &HeaderIndex,
    cpp: &Cpp,
    shared: &Shared,
) -> anyhow::Result<Begun<'a>> {
    let Kind::Source {
        language,
        form: by_extension,
        preprocessed,
    } = input.kind
    else {
        anyhow::bail!("{} is a model", input.name);
    };
    // Copied from a block device or padded by an editor of old: the text ends there.
    let end = bytes
        .iter()
        .rposition(|b| *b != 0)
        .map_or(0, |last| last + 1);
    let padding = bytes.len() - end;
    bytes.truncate(end);
    if let Some(offset) = memchr::memchr(0, &bytes) {
        let what =
            format!("a binary file, not source text (it has a zero byte at offset {offset})");
        anyhow::ensure!(!input.is_named, "{} is {what}", input.name);
        let remark = (Severity::Error, DiagnosticCode::NotRead);
        return Ok(Begun::without(input, remark, what));
    }
    let text = decode(bytes);
    let mut parallel = Parallel::of(&text, language);
    // Looked at again where something is not compiled.
    let whole = parallel.begins().then(|| text.clone());
    if language == Language::C && input.name.ends_with(".h") {
        match form::header(&text) {
            Header::Fortran => return Ok(fortran_header(input, &text)),
            Header::CPlusPlus if !input.is_named => {
                let message = "C++, which is not read".to_string();
                let remark = (Severity::Note, DiagnosticCode::NotRead);
                return Ok(Begun::without(input, remark, message));
            }
            Header::CPlusPlus | Header::C => {}
        }
    }
    let mut source = SourceText::verbatim(&input.name, text);
    if padding > 0 {
        source.diagnostics.push(Diagnostic {
            severity: Severity::Warning,
            code: DiagnosticCode::ZeroBytes,
            place: source.place(0, 0),
            width: 1,
            message: format!("{padding} zero bytes at the end of the file were left out"),
            help: None,
        });
    }
    let by_flags = (flags.fortran.preprocess).filter(|_| language == Language::Fortran);
    if !preprocessed {
        preprocess::remark_directives(&mut source, cpp, by_flags);
    }
    if preprocess::is_wanted(&source, preprocessed, cpp, by_flags) {
        let files = Includes::new(&flags.include, headers);
        let apart = preprocess::preprocess(
            source,
            &input.path,
            language,
            cpp,
            flags,
            &files,
            &shared.headers,
        );
        source = match language {
            Language::C => shared.declarations.without_unused(&input.name, apart),
            Language::Fortran => apart.joined(),
        };
        if let Some(whole) = whole {
            parallel = Parallel::compiled(&whole, &source.text, language);
        }
        add_guesses(&mut source, input, files);
    }
    let form = match (language, flags.fortran.form, by_extension) {
        (Language::C, ..) | (_, None, Form::Free) => Some(by_extension),
        (_, Some(given), _) => Some(given),
        (_, None, Form::Fixed) => decide(&source, &flags.fortran),
    };
    Ok(Begun {
        input,
        language,
        by_extension,
        form,
        parallel,
        source,
    })
}

/// Declarations, which have no meaning by themselves.
fn fortran_header<'a>(input: &'a Input, text: &str) -> Begun<'a> {
    let message =
        "Fortran declarations: read where a source includes them, not on their own".to_string();
    let remark = (Severity::Note, DiagnosticCode::FortranHeader);
    Begun {
        language: Language::Fortran,
        by_extension: Form::Fixed,
        form: Some(Form::Fixed),
        parallel: Parallel::of(text, Language::Fortran),
        ..Begun::without(input, remark, message)
    }
}

/// The form of a Fortran text whose extension is not to be trusted; `None` if it may be either.
fn decide(source: &SourceText, flags: &FortranFlags) -> Option<Form> {
    match form::evidence(&source.text) {
        Evidence::Of(form) => Some(form),
        Evidence::None => None,
        Evidence::Mixed => {
            let unread = |form: Form| {
                let text = in_free_form(source.clone(), form, flags);
                let text = fixed_form::nest_labelled_do(text).text;
                problems::unread_bytes(&Grammar::of(Language::Fortran).parse(&text))
            };
            Some(match unread(Form::Free) < unread(Form::Fixed) {
                true => Form::Free,
                false => Form::Fixed,
            })
        }
    }
}

fn in_free_form(source: SourceText, form: Form, flags: &FortranFlags) -> SourceText {
    match form {
        Form::Fixed => fixed_form::to_free_form(source, flags),
        Form::Free => source,
    }
}

/// For every directory the form of most of its files whose extension says fixed form.
fn usual_forms<'a>(votes: impl Iterator<Item = Vote<'a>>) -> HashMap<Option<&'a Path>, Form> {
    let mut balance: HashMap<Option<&Path>, i64> = HashMap::new();
    for (directory, vote) in votes {
        *balance.entry(directory).or_default() += vote;
    }
    let form = |balance: i64| match balance > 0 {
        true => Form::Free,
        false => Form::Fixed,
    };
    (balance.into_iter())
        .map(|(directory, balance)| (directory, form(balance)))
        .collect()
}

fn finish<'a>(
    begun: Begun<'a>,
    flags: &Flags,
    headers: &HeaderIndex,
    usual: &HashMap<Option<&Path>, Form>,
) -> Prepared<'a> {
    let Begun {
        input,
        language,
        by_extension,
        form,
        parallel,
        mut source,
    } = begun;
    let usual = || usual.get(&input.path.parent()).copied();
    let form = form.or_else(usual).unwrap_or(by_extension);
    if language == Language::Fortran {
        let files = Includes::new(&flags.include, headers);
        let convert = |source: SourceText| in_free_form(source, form, &flags.fortran);
        source = source::include::inline_fortran(convert(source), &files, &convert);
        preprocess::remark_included(&mut source, &input.name);
        source = source::spelling::respell(source, form);
        source = fixed_form::nest_labelled_do(source);
        source.kinds = flags.fortran.kinds();
        add_guesses(&mut source, input, files);
    }
    Prepared {
        input,
        language,
        form,
        parallel,
        source,
    }
}

/// Remarks that included files were found by their names only.
fn add_guesses(source: &mut SourceText, input: &Input, files: Includes) {
    let guesses = files.into_guesses();
    let remarks = guesses.iter().map(|guess| guessed(input, guess));
    source.diagnostics.extend(remarks);
}

/// The remark that an included file was found by its name only: a warning where it may be another one.
fn guessed(input: &Input, guess: &Guess) -> Diagnostic {
    let Guess {
        wanted,
        file,
        others,
    } = guess;
    let (severity, choice) = match others {
        0 => (Severity::Note, String::new()),
        others => (
            Severity::Warning,
            format!(", one of {} files of that name", others + 1),
        ),
    };
    let text = decode(files::read(&input.path).unwrap_or_default());
    let line = text
        .lines()
        .position(|line| line.contains("include") && line.contains(wanted.as_str()))
        .unwrap_or(0);
    Diagnostic {
        severity,
        code: DiagnosticCode::IncludeGuessed,
        place: Place {
            file: input.name.clone(),
            line: line as u32 + 1,
            column: 1,
        },
        width: 1,
        message: format!("`{wanted}` is not on the include path; {file} is read{choice}"),
        help: Some("pass -I DIR to choose another one".to_string()),
    }
}
