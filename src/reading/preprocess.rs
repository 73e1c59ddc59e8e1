//! Preprocessing as the command line asks for it: built in, or by a compiler.

use std::io::Read;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::compile_commands::Flags;
use super::files::{decode, name};
use crate::diagnostic::{Diagnostic, DiagnosticCode, Severity};
use crate::source::preprocess::{self, Apart, Options, SharedHeaders};
use crate::source::{Language, LineOrigin, ReadFile, SourceText, line_markers};

/// Which sources are preprocessed, and by what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cpp {
    /// Those that need it, by the built-in preprocessor, which keeps the names of numeric constants.
    #[default]
    Auto,
    /// All, by `cc -E`.
    Always,
    Never,
    /// By a command that writes preprocessed text, in words.
    Command(Vec<String>),
}

/// The preprocessor of `--cpp always`.
const COMPILER: &str = "cc";

/// Whether a file is preprocessed: as --cpp says, then as the compiler's flags say, then if its extension or its text
/// asks for it.
pub fn is_wanted(
    source: &SourceText,
    by_extension: bool,
    cpp: &Cpp,
    by_flags: Option<bool>,
) -> bool {
    match cpp {
        Cpp::Auto if by_flags.is_none() && !by_extension => {
            let is_any = |words: &[&str]| directive(source, words).is_some();
            is_any(&DECIDING) || is_any(&INCLUDING)
        }
        _ => is_preset(by_extension, cpp, by_flags),
    }
}

/// The same of a file without directives.
pub fn is_preset(by_extension: bool, cpp: &Cpp, by_flags: Option<bool>) -> bool {
    match cpp {
        Cpp::Never => false,
        Cpp::Always | Cpp::Command(_) => true,
        Cpp::Auto => by_flags.unwrap_or(by_extension),
    }
}

/// What decides what is read, or what names mean.
const DECIDING: [&str; 8] = [
    "if", "ifdef", "ifndef", "elif", "else", "endif", "define", "undef",
];
/// What only a preprocessor reads: an included text may have what decides.
const INCLUDING: [&str; 1] = ["include"];

/// The first line, counted from zero, with one of these directives.
fn directive(source: &SourceText, words: &[&str]) -> Option<usize> {
    (source.text.lines()).position(|line| is_directive(line, words))
}

fn is_directive(line: &str, words: &[&str]) -> bool {
    let word = line.strip_prefix('#').map(str::trim_start);
    let word = word.and_then(|rest| rest.split(|c: char| !c.is_ascii_alphabetic()).next());
    word.is_some_and(|word| words.contains(&word))
}

/// Remarks what is done about directives in a Fortran file whose extension does not ask for a preprocessor.
pub fn remark_directives(source: &mut SourceText, cpp: &Cpp, by_flags: Option<bool>) {
    let (severity, code, row, message, help) = if is_wanted(source, false, cpp, by_flags) {
        let any = directive(source, &[&DECIDING[..], &INCLUDING].concat());
        let message = "this file has directives and is preprocessed, though its extension does not ask for it";
        let help = "--cpp never reads it as it is";
        let code = DiagnosticCode::Preprocessed;
        (Severity::Note, code, any, message, help)
    } else {
        let deciding = directive(source, &DECIDING);
        let message = "the directives of this file are not followed: every branch is read";
        let help = "--cpp auto follows them";
        let code = DiagnosticCode::UndecidedBranch;
        (Severity::Warning, code, deciding, message, help)
    };
    if let Some(row) = row {
        remark(source, row, (severity, code), message, help);
    }
}

/// Remarks that directives came with the text of an `include` line, which preprocessors do not read.
pub fn remark_included(source: &mut SourceText, main: &str) {
    let mut lines = source.text.lines().zip(&source.origins);
    let is_included = |(line, origin): (&str, &LineOrigin)| {
        *origin.file != *main && is_directive(line, &DECIDING)
    };
    if let Some(row) = lines.position(is_included) {
        remark(
            source,
            row,
            (Severity::Warning, DiagnosticCode::UndecidedBranch),
            "the directives of this file, which an `include` line names, are not followed: every branch is read",
            "`#include` names a file whose directives are followed",
        );
    }
}

fn remark(
    source: &mut SourceText,
    row: usize,
    (severity, code): (Severity, DiagnosticCode),
    message: &str,
    help: &str,
) {
    let place = source.place(row, 0);
    source.diagnostics.push(Diagnostic {
        severity,
        code,
        place,
        width: 1,
        message: message.to_string(),
        help: Some(help.to_string()),
    });
}

/// Preprocesses one source; the text of headers that several share stays apart. A command that fails leaves the work to the built-in preprocessor.
pub fn preprocess(
    mut source: SourceText,
    path: &Path,
    language: Language,
    cpp: &Cpp,
    flags: &Flags,
    files: &dyn ReadFile,
    shared: &SharedHeaders,
) -> Apart {
    let command = match cpp {
        Cpp::Never => return source.into(),
        Cpp::Auto => None,
        Cpp::Always if language == Language::Fortran => Some(
            [COMPILER, "-E", "-traditional-cpp", "-x", "c"]
                .map(String::from)
                .to_vec(),
        ),
        Cpp::Always => Some([COMPILER, "-E"].map(String::from).to_vec()),
        Cpp::Command(command) => Some(command.clone()),
    };
    if let Some(command) = command {
        match run(&command, flags, path) {
            Ok(output) if output.trim().is_empty() && !source.text.trim().is_empty() => {
                source.diagnostics.push(Diagnostic {
                    severity: Severity::Warning,
                    code: DiagnosticCode::CppNoOutput,
                    place: source.place(0, 0),
                    width: 1,
                    message: format!(
                        "`{}` printed nothing, the built-in preprocessor read the file",
                        command.join(" ")
                    ),
                    help: Some(
                        "name a command that preprocesses, such as --cpp 'cc -E'".to_string(),
                    ),
                });
            }
            Ok(output) => {
                let main = name(path);
                let mut read = line_markers::read(&output, &main, &|file| name(Path::new(file)));
                if language == Language::C {
                    preprocess::tidy(&mut read);
                }
                read.diagnostics.splice(0..0, source.diagnostics);
                return read.into();
            }
            Err(why) => source.diagnostics.push(Diagnostic {
                severity: Severity::Warning,
                code: DiagnosticCode::CppFailed,
                place: source.place(0, 0),
                width: 1,
                message: format!(
                    "`{}` failed, the built-in preprocessor read the file: {why}",
                    command.join(" ")
                ),
                help: None,
            }),
        }
    }
    for before in flags.before.iter().rev() {
        source
            .text
            .insert_str(0, &format!("#include \"{}\"\n", before.display()));
        let first = source.origins.first().cloned();
        source.origins.insert(
            0,
            first.unwrap_or(LineOrigin {
                file: name(path),
                line: 1,
            }),
        );
    }
    let options = Options {
        defines: flags.define.clone(),
        language,
    };
    preprocess::preprocess_apart(source, &options, files, shared)
}

/// Runs a preprocessor; its standard output, or the first line that it complains with.
fn run(command: &[String], flags: &Flags, path: &Path) -> Result<String, String> {
    let (program, arguments) = command.split_first().ok_or("there is no command")?;
    let mut process = Command::new(program);
    process.args(arguments).args(&flags.other);
    for directory in &flags.include {
        process.arg("-I").arg(directory);
    }
    for (name, value) in &flags.define {
        process.arg(format!("-D{name}={}", value.as_deref().unwrap_or("1")));
    }
    for name in &flags.undefine {
        process.arg(format!("-U{name}"));
    }
    for before in &flags.before {
        process.arg("-include").arg(before);
    }
    process
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let (status, text, complaint) = within_limits(&mut process)?;
    if status.success() {
        return Ok(decode(text));
    }
    let complaint = decode(complaint);
    let line = complaint
        .lines()
        .find(|line| line.contains("error"))
        .or(complaint.lines().next());
    Err(line.map_or_else(|| status.to_string(), str::to_string))
}

/// More than any preprocessed file has.
const MOST_BYTES: u64 = 256 << 20;
/// Longer than any preprocessor takes.
const MOST_TIME: Duration = Duration::from_secs(300);

/// Runs a command to its end; what it wrote. One that does not end, or writes without end, is stopped.
fn within_limits(process: &mut Command) -> Result<(ExitStatus, Vec<u8>, Vec<u8>), String> {
    let mut child = process.spawn().map_err(|error| error.to_string())?;
    let (send, receive) = mpsc::channel();
    let pipes: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|pipe| Box::new(pipe) as _),
        child.stderr.take().map(|pipe| Box::new(pipe) as _),
    ];
    for (number, pipe) in pipes.into_iter().enumerate() {
        let (send, pipe) = (send.clone(), pipe.ok_or("it has no output")?);
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = pipe
                .take(MOST_BYTES + 1)
                .read_to_end(&mut bytes)
                .map(|_| bytes);
            // Nobody listens any more when the other pipe was too long.
            let _ = send.send((number, read));
        });
    }
    let start = Instant::now();
    let mut written = [Vec::new(), Vec::new()];
    for _ in 0..written.len() {
        let why = match receive.recv_timeout(MOST_TIME.saturating_sub(start.elapsed())) {
            Ok((number, Ok(bytes))) if bytes.len() as u64 <= MOST_BYTES => {
                written[number] = bytes;
                continue;
            }
            Ok((_, Ok(_))) => format!(
                "it wrote more than {} MiB and was stopped",
                MOST_BYTES >> 20
            ),
            Ok((_, Err(error))) => error.to_string(),
            Err(_) => format!(
                "it did not end within {} s and was stopped",
                MOST_TIME.as_secs()
            ),
        };
        // It may have ended meanwhile.
        let _ = child.kill();
        let _ = child.wait();
        return Err(why);
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    let [text, complaint] = written;
    Ok((status, text, complaint))
}
