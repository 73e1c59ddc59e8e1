//! `compile_commands.json`: the flags that each file of a project is compiled with.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use serde_json::Value;

use super::files;
use crate::source::Language;
use crate::source::flags::{self, FortranFlags, Heeded};
use crate::source::optimisation::Optimisation;

/// The name that build systems give it.
pub const FILE_NAME: &str = "compile_commands.json";

/// The compiler's options for one file, as far as it changes what is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    pub include: Vec<PathBuf>,
    /// `-D` in order; a name alone is worth one.
    pub define: Vec<(String, Option<String>)>,
    pub undefine: Vec<String>,
    /// Files read before the source: `-include`.
    pub before: Vec<PathBuf>,
    /// Other flags that a preprocessor heeds: `-std=gnu11`, `-fopenmp`.
    pub other: Vec<String>,
    pub fortran: FortranFlags,
    /// What the compiler may do with floating-point operations.
    pub optimisation: Optimisation,
    /// What would change figures of a language and is not known.
    pub not_heeded: BTreeSet<(Language, String)>,
    /// Whether a database says how the file is compiled: by itself.
    pub is_listed: bool,
}

impl Flags {
    /// Adds `-D NAME[=VALUE]`.
    pub fn define(&mut self, text: &str) {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name.to_string(), Some(value.to_string())),
            None => (text.to_string(), None),
        };
        self.undefine.retain(|undefined| *undefined != name);
        self.define.push((name, value));
    }

    /// Adds `-U NAME`.
    pub fn undefine(&mut self, name: &str) {
        self.define.retain(|(defined, _)| defined != name);
        self.undefine.push(name.to_string());
    }

    /// The flags in a compiler's command line; relative paths start at `directory`.
    fn parse(words: &[String], directory: &Path) -> Flags {
        let mut flags = Flags {
            is_listed: true,
            ..Flags::default()
        };
        if let Some((compiler, words)) = words.split_first() {
            flags.read(words, directory);
            if compiler.contains("nagfor") {
                flags.fortran.double_all();
            }
        }
        flags
    }

    /// Adds the flags of a command line without its compiler; later ones count more.
    pub fn read(&mut self, words: &[String], directory: &Path) {
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            let known = ["-isystem", "-iquote", "-include", "-I", "-D", "-U"];
            let Some(option) = known.into_iter().find(|option| word.starts_with(option)) else {
                let next = words.peek().map(|next| next.as_str());
                if matches!(self.read_other(word, next), Heeded::Two | Heeded::NotTwo) {
                    words.next();
                }
                continue;
            };
            let value = match &word[option.len()..] {
                "" => match words.next() {
                    Some(value) => value,
                    None => break,
                },
                attached => attached,
            };
            match option {
                "-D" => self.define(value),
                "-U" => self.undefine(value),
                "-include" => self.before.push(directory.join(value)),
                _ => self.include.push(directory.join(value)),
            }
        }
    }

    /// A flag that is none of a preprocessor's own.
    fn read_other(&mut self, word: &str, next: Option<&str>) -> Heeded {
        if word.starts_with("-std=") || word.starts_with("-fopenmp") || word == "-fopenacc" {
            self.other.push(word.to_string());
        }
        self.optimisation.read(word);
        if flags::changes_c(word) {
            self.not_heeded.insert((Language::C, word.to_string()));
        }
        let heeded = self.fortran.read(word, next);
        let flag = match (heeded, next) {
            (Heeded::No, _) => Some(word.to_string()),
            (Heeded::NotTwo, Some(next)) => Some(format!("{word} {next}")),
            _ => None,
        };
        self.not_heeded
            .extend(flag.map(|flag| (Language::Fortran, flag)));
        heeded
    }
}

/// One `compile_commands.json`.
#[derive(Debug, Default)]
pub struct Database {
    by_file: HashMap<PathBuf, Flags>,
}

impl Database {
    /// # Errors
    /// The file cannot be read, or is not a list of objects with `directory`, `file` and a command.
    pub fn read(path: &Path) -> anyhow::Result<Database> {
        let text =
            files::read_text(path).with_context(|| format!("cannot read {}", path.display()))?;
        let here = path.parent().unwrap_or(Path::new("."));
        Database::parse(&text, here)
            .with_context(|| format!("{} is not a list of compile commands", path.display()))
    }

    fn parse(text: &str, here: &Path) -> anyhow::Result<Database> {
        let entries: Vec<Value> = serde_json::from_str(text)?;
        let mut database = Database::default();
        for (index, entry) in entries.iter().enumerate() {
            let text = |key: &str| entry.get(key).and_then(Value::as_str);
            let directory = here.join(text("directory").unwrap_or("."));
            let file = text("file").with_context(|| format!("entry {index} names no `file`"))?;
            let words = match (
                entry.get("arguments").and_then(Value::as_array),
                text("command"),
            ) {
                (Some(words), _) => words
                    .iter()
                    .filter_map(|w| w.as_str().map(String::from))
                    .collect(),
                (None, Some(command)) => shlex::split(command).with_context(|| {
                    format!("a quote in entry {index} is not closed: {command}")
                })?,
                (None, None) => {
                    anyhow::bail!("entry {index} has neither `arguments` nor `command`")
                }
            };
            let flags = Flags::parse(&words, &directory);
            // A file that is compiled several times is read as it is the first time.
            database
                .by_file
                .entry(resolved(&directory.join(file)))
                .or_insert(flags);
        }
        Ok(database)
    }

    pub fn flags(&self, file: &Path) -> Option<&Flags> {
        self.by_file.get(&resolved(file))
    }
}

/// The databases of a run: the one that `-p` names, or else the nearest one above each file.
#[derive(Default)]
pub struct Databases {
    given: Option<Database>,
    /// A directory, and another one that stands for it: files below this are compiled as those below that.
    moved: Option<(PathBuf, PathBuf)>,
    above: HashMap<PathBuf, Option<Arc<Database>>>,
    /// Databases that were found but could not be read.
    pub unreadable: Vec<(PathBuf, String)>,
}

impl Databases {
    /// # Errors
    /// `-p` was given and there is no database, or none that can be read.
    pub fn open(
        given: Option<&Path>,
        moved: Option<(PathBuf, PathBuf)>,
    ) -> anyhow::Result<Databases> {
        let path = |path: &Path| {
            if path.is_dir() {
                path.join(FILE_NAME)
            } else {
                path.to_path_buf()
            }
        };
        let given = given
            .map(|given| Database::read(&path(given)))
            .transpose()?;
        Ok(Databases {
            given,
            moved,
            ..Databases::default()
        })
    }

    /// The flags of a file, if a database has some.
    pub fn flags(&mut self, file: &Path) -> Option<Flags> {
        let own = resolved(file);
        let moved = self.moved.clone();
        let listed = match &moved {
            Some((from, to)) => from.join(own.strip_prefix(to).ok()?),
            None => own,
        };
        let mut flags = match &self.given {
            Some(given) => given.flags(&listed)?.clone(),
            None => self.nearest(listed.parent()?)?.flags(&listed)?.clone(),
        };
        if let Some((from, to)) = &moved {
            let paths = flags.include.iter_mut().chain(&mut flags.before);
            paths.for_each(|path| follow(path, from, to));
        }
        Some(flags)
    }

    fn nearest(&mut self, directory: &Path) -> Option<Arc<Database>> {
        if let Some(known) = self.above.get(directory) {
            return known.clone();
        }
        let here = directory.join(FILE_NAME);
        let found = if here.is_file() {
            match Database::read(&here) {
                Ok(database) => Some(Arc::new(database)),
                Err(error) => {
                    self.unreadable.push((here, format!("{error:#}")));
                    None
                }
            }
        } else {
            directory.parent().and_then(|parent| self.nearest(parent))
        };
        self.above.insert(directory.to_path_buf(), found.clone());
        found
    }
}

/// Lets a path below the first directory lead to the same one below the second, if it is there.
fn follow(path: &mut PathBuf, from: &Path, to: &Path) {
    if let Ok(rest) = resolved(path).strip_prefix(from) {
        let moved = to.join(rest);
        if moved.exists() {
            *path = moved;
        }
    }
}

fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_has_its_own_flags() {
        let text = r#"[{"directory": "/b", "file": "x.c", "command": "cc -Iinc -I /abs -DN=4 -D M -UQ -std=c99 -c x.c"},
                       {"directory": "/b", "file": "/y.c", "arguments": ["cc", "-DN=5", "-UN", "-include", "c.h"]}]"#;
        let database = Database::parse(text, Path::new("/")).unwrap();
        let x = database.flags(Path::new("/b/x.c")).unwrap();
        assert_eq!(x.include, [PathBuf::from("/b/inc"), PathBuf::from("/abs")]);
        assert_eq!(
            x.define,
            [
                ("N".to_string(), Some("4".to_string())),
                ("M".to_string(), None)
            ]
        );
        assert_eq!(
            (x.undefine.as_slice(), x.other.as_slice()),
            (&["Q".to_string()][..], &["-std=c99".to_string()][..])
        );
        let y = database.flags(Path::new("/y.c")).unwrap();
        assert_eq!(
            (y.define.len(), y.before.as_slice()),
            (0, &[PathBuf::from("/b/c.h")][..])
        );
        assert!(database.flags(Path::new("/b/z.c")).is_none());
    }

    #[test]
    fn flags_of_fortran_and_those_that_are_not_heeded_are_kept() {
        let text = r#"[{"directory": "/b", "file": "x.F90",
            "command": "gfortran -fdefault-real-8 -fpack-derived x.F90 -real-size 80 -align rec2byte -m32 -o x.o"},
            {"directory": "/b", "file": "y.f", "command": "/opt/nagfor -r8 -c y.f"}]"#;
        let database = Database::parse(text, Path::new("/")).unwrap();
        let x = database.flags(Path::new("/b/x.F90")).unwrap();
        let not_heeded: Vec<(Language, &str)> = (x.not_heeded.iter())
            .map(|(language, flag)| (*language, flag.as_str()))
            .collect();
        assert_eq!(
            not_heeded,
            [
                (Language::C, "-m32"),
                (Language::Fortran, "-align rec2byte"),
                (Language::Fortran, "-fpack-derived"),
                (Language::Fortran, "-real-size 80")
            ]
        );
        let sizes = |file: &str| {
            let kinds = database.flags(Path::new(file)).unwrap().fortran.kinds();
            (kinds.real, kinds.double)
        };
        assert_eq!(sizes("/b/x.F90"), (8, 16));
        assert_eq!(sizes("/b/y.f"), (8, 16), "nagfor doubles both");
    }

    #[test]
    fn what_is_no_database_is_refused() {
        for text in [
            "",
            "{}",
            "[1]",
            r#"[{"file": "x.c"}]"#,
            r#"[{"file": "x.c", "command": "cc -DA='1"}]"#,
        ] {
            assert!(Database::parse(text, Path::new("/")).is_err(), "{text}");
        }
    }
}
