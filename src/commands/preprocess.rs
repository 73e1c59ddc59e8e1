//! Preprocessing as the command line asks for it: built in, or by a compiler.

use std::path::Path;
use std::process::{Command, Stdio};

use super::compile_commands::{Flags, split_words};
use super::inputs::{decode, name};
use crate::cli::Cpp;
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::preprocess::{self, Options};
use crate::source::{Language, LineOrigin, ReadFile, SourceText, line_markers};

/// The preprocessor of `--cpp always`.
const COMPILER: &str = "cc";

/// Preprocesses one source. A command that fails leaves the work to the built-in preprocessor.
pub fn preprocess(
    mut source: SourceText,
    path: &Path,
    language: Language,
    cpp: &Cpp,
    flags: &Flags,
    files: &dyn ReadFile,
) -> SourceText {
    let command = match cpp {
        Cpp::Never => return source,
        Cpp::Auto => None,
        Cpp::Always if language == Language::Fortran => {
            Some([COMPILER, "-E", "-traditional-cpp", "-x", "c"].map(String::from).to_vec())
        }
        Cpp::Always => Some([COMPILER, "-E"].map(String::from).to_vec()),
        Cpp::Command(command) => Some(split_words(command)),
    };
    if let Some(command) = command {
        match run(&command, flags, path) {
            Ok(output) if output.trim().is_empty() && !source.text.trim().is_empty() => {
                source.diagnostics.push(Diagnostic {
                    severity: Severity::Warning,
                    code: "cpp-no-output".into(),
                    place: source.place(0, 0),
                    width: 1,
                    message: format!(
                        "`{}` printed nothing, the built-in preprocessor read the file",
                        command.join(" ")
                    ),
                    help: Some("name a command that preprocesses, such as --cpp 'cc -E'".to_string()),
                });
            }
            Ok(output) => {
                let main = name(path);
                let mut read = line_markers::read(&output, &main, &|file| name(Path::new(file)));
                if language == Language::C {
                    preprocess::tidy(&mut read);
                }
                read.diagnostics.splice(0..0, source.diagnostics);
                return read;
            }
            Err(why) => source.diagnostics.push(Diagnostic {
                severity: Severity::Warning,
                code: "cpp-failed".into(),
                place: source.place(0, 0),
                width: 1,
                message: format!("`{}` failed, the built-in preprocessor read the file: {why}", command.join(" ")),
                help: None,
            }),
        }
    }
    for before in flags.before.iter().rev() {
        source.text.insert_str(0, &format!("#include \"{}\"\n", before.display()));
        let first = source.origins.first().cloned();
        source.origins.insert(0, first.unwrap_or(LineOrigin { file: name(path), line: 1 }));
    }
    let options = Options { defines: flags.define.clone(), language };
    preprocess::preprocess(source, &options, files)
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
    let output = process.arg(path).stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(decode(output.stdout));
    }
    let complaint = decode(output.stderr);
    let line = complaint.lines().find(|line| line.contains("error")).or(complaint.lines().next());
    Err(line.map_or_else(|| output.status.to_string(), str::to_string))
}
