//! `loopsheet.toml`: what a project always says, so that nobody has to type it.

use crate::reading::files;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::budgets;
use crate::cli::SourceArgs;
use crate::diagnostic::Place;
use crate::diff::Budget;
use crate::export::explain;
use crate::machine::names_file;
use crate::wording;

/// The name under which it is looked for.
pub const FILE_NAME: &str = "loopsheet.toml";

/// What the file may say, in the order of its description.
const KEYS: [&str; 12] = [
    "machine",
    "entry",
    "input",
    "sizes",
    "probabilities",
    "counts",
    "measured",
    "include",
    "define",
    "flags",
    "ignore",
    "budget",
];

/// What a file says; empty where there is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// Where relative paths in it begin.
    pub directory: PathBuf,
    /// A preset, or a path.
    pub machine: Option<String>,
    pub entry: Vec<String>,
    /// What a run of the program reads.
    pub input: Vec<PathBuf>,
    /// `[sizes]` and `[probabilities]`.
    pub values: Vec<Value>,
    /// Counts of lines of a native run.
    pub counts: Vec<PathBuf>,
    /// Tables of measured times.
    pub measured: Vec<PathBuf>,
    pub include: Vec<PathBuf>,
    /// `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
    /// Compiler flags, in words.
    pub flags: Vec<String>,
    /// Patterns as in `.gitignore`.
    pub ignore: Vec<String>,
    /// What nests may cost at most, which `diff` checks.
    pub budgets: Vec<Budget>,
}

/// A parameter's value.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    pub name: String,
    /// A number as written.
    pub text: String,
    pub place: Place,
}

/// The nearest file above the sources, each of which may be a directory, or else above the current directory.
///
/// # Errors
/// The sources are under different ones.
pub fn find(sources: &[PathBuf]) -> anyhow::Result<Option<PathBuf>> {
    let found = find_below(None, sources)?;
    Ok(found.or_else(|| above(None, Path::new("."))))
}

/// The nearest file above the sources that is not above `root`.
///
/// # Errors
/// The sources are under different ones.
pub fn find_below(root: Option<&Path>, sources: &[PathBuf]) -> anyhow::Result<Option<PathBuf>> {
    let mut found: Option<PathBuf> = None;
    for source in sources {
        let Some(path) = above(root, source) else {
            continue;
        };
        if let Some(other) = found.as_ref().filter(|other| **other != path) {
            bail!(
                "the sources are under {} and under {}: choose one with --config, or none with --no-config",
                other.display(),
                path.display()
            );
        }
        found = Some(path);
    }
    Ok(found)
}

fn above(root: Option<&Path>, path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    path.ancestors()
        .take_while(|above| root.is_none_or(|root| above.starts_with(root)))
        .map(|directory| directory.join(FILE_NAME))
        .find(|file| file.is_file())
}

/// The file that the command line chooses, or the nearest one above the sources, and what it says.
///
/// # Errors
/// It cannot be read, or the sources are under different ones.
pub fn chosen(
    source: &SourceArgs,
    sources: &[PathBuf],
) -> anyhow::Result<(Option<PathBuf>, Config)> {
    let path = match (&source.config, source.no_config) {
        (Some(path), _) => Some(path.clone()),
        (None, true) => None,
        (None, false) => find(sources)?.map(|path| from_here(&path)),
    };
    let config = match &path {
        Some(path) => read(path)?,
        None => Config::default(),
    };
    Ok((path, config))
}

/// A path as seen from the current directory, which it need not lie in.
pub fn from_here(path: &Path) -> PathBuf {
    let Ok(here) = std::env::current_dir().and_then(|here| here.canonicalize()) else {
        return path.to_path_buf();
    };
    if let Ok(inside) = path.strip_prefix(&here) {
        return inside.to_path_buf();
    }
    let parent = path.parent().unwrap_or(path);
    match (here.strip_prefix(parent), path.file_name()) {
        (Ok(steps), Some(name)) => steps
            .components()
            .map(|_| "..")
            .collect::<PathBuf>()
            .join(name),
        _ => path.to_path_buf(),
    }
}

/// That a file, if it is there, may be replaced by `text`, a list of sizes and probabilities: it has no more than these.
///
/// # Errors
/// It has other settings, or values of parameters that `text` does not have.
pub fn spare_settings(path: &Path, text: &str) -> anyhow::Result<()> {
    let Ok(before) = files::read_text(path) else {
        return Ok(());
    };
    // What is no table of settings is replaced as by every other output.
    let Ok(table) = DeTable::parse(&before) else {
        return Ok(());
    };
    let keeps = |key: &str| matches!(key, "sizes" | "probabilities");
    let keys = table.get_ref().keys().map(|key| key.get_ref().as_ref());
    let mut lost: Vec<String> = keys
        .filter(|key| !keeps(key))
        .map(|key| format!("`{key}`"))
        .collect();
    let values = |text: &str| parse(text, &path.display().to_string(), Path::new(""));
    let (before, written) = (values(&before)?.values, values(text)?.values);
    let is_lost = |value: &&Value| !written.iter().any(|own| own.name == value.name);
    let values = before.iter().filter(is_lost);
    lost.extend(values.map(|value| format!("`{}`", value.name)));
    anyhow::ensure!(
        lost.is_empty(),
        "cannot write {}: it has {}, which would be lost; write another file, and copy from it what you need",
        path.display(),
        wording::some(&lost, MOST_LOST)
    );
    Ok(())
}

/// Of lost settings more are not named.
const MOST_LOST: usize = 6;

/// Reads the file.
///
/// # Errors
/// It cannot be read, is not valid TOML, has an unknown key or a value of the wrong type: with line and column.
pub fn read(path: &Path) -> anyhow::Result<Config> {
    let name = path.display().to_string();
    let text = files::read_text(path).with_context(|| format!("cannot read {name}"))?;
    let directory = path.parent().unwrap_or(Path::new(""));
    parse(&text, &name, directory)
}

fn parse(text: &str, name: &str, directory: &Path) -> anyhow::Result<Config> {
    let file = File {
        text,
        name: name.into(),
    };
    let table = DeTable::parse(text)
        .map_err(|error| file.complaint(error.span().unwrap_or(0..0).start, error.message()))?;
    let mut config = Config {
        directory: directory.to_path_buf(),
        ..Config::default()
    };
    for (key, value) in table.get_ref() {
        match key.get_ref().as_ref() {
            "machine" => {
                let machine = file.text(value, "machine")?;
                let path = || directory.join(&machine).display().to_string();
                config.machine = Some(if names_file(&machine) {
                    path()
                } else {
                    machine
                });
            }
            "entry" => config.entry = file.texts(value, "entry")?,
            "sizes" => config.values.extend(file.values(value, "sizes")?),
            "probabilities" => {
                let values = file.values(value, "probabilities")?;
                for value in &values {
                    let number: f64 = value.text.parse().unwrap_or(f64::NAN);
                    if !(0.0..=1.0).contains(&number) {
                        bail!(
                            "{}: `{}` = {}: a probability is between 0 and 1",
                            value.place,
                            value.name,
                            value.text
                        );
                    }
                }
                config.values.extend(values);
            }
            "include" => {
                let include = file.texts(value, "include")?.into_iter();
                config.include = include.map(|path| directory.join(path)).collect();
            }
            "input" => {
                let input = file.texts(value, "input")?.into_iter();
                config.input = input.map(|path| directory.join(path)).collect();
            }
            "counts" => {
                let counts = file.texts(value, "counts")?.into_iter();
                config.counts = counts.map(|path| directory.join(path)).collect();
            }
            "measured" => {
                let measured = file.texts(value, "measured")?.into_iter();
                config.measured = measured.map(|path| directory.join(path)).collect();
            }
            "define" => config.define = file.texts(value, "define")?,
            "flags" => {
                for text in file.texts(value, "flags")? {
                    let words = shlex::split(&text).ok_or_else(|| {
                        file.complaint(value.span().start, "a quote in `flags` is not closed")
                    })?;
                    config.flags.extend(words);
                }
            }
            "ignore" => config.ignore = file.texts(value, "ignore")?,
            "budget" => config.budgets = budgets::read(&file, value)?,
            unknown => {
                let near = explain::did_you_mean(unknown, KEYS.into_iter());
                let message = format!(
                    "unknown key `{unknown}`{near}; known are {}",
                    KEYS.join(", ")
                );
                return Err(file.complaint(key.span().start, &message));
            }
        }
    }
    Ok(config)
}

/// The text being read, to say where in it something is.
pub(super) struct File<'t> {
    text: &'t str,
    name: Arc<str>,
}

impl File<'_> {
    pub(super) fn complaint(&self, offset: usize, message: &str) -> anyhow::Error {
        anyhow::anyhow!("{}: {message}", self.place(offset))
    }

    fn place(&self, offset: usize) -> Place {
        Place::at(&self.name, self.text, offset)
    }

    pub(super) fn text(&self, value: &Spanned<DeValue<'_>>, key: &str) -> anyhow::Result<String> {
        match value.get_ref().as_str() {
            Some(text) => Ok(text.to_string()),
            None => {
                let message = format!("`{key}` must be a text in quotes");
                Err(self.complaint(value.span().start, &message))
            }
        }
    }

    /// One text, or a list of them.
    fn texts(&self, value: &Spanned<DeValue<'_>>, key: &str) -> anyhow::Result<Vec<String>> {
        let refuse = |value: &Spanned<DeValue<'_>>| {
            let message = format!("`{key}` must be a text in quotes or a list of them");
            self.complaint(value.span().start, &message)
        };
        match value.get_ref() {
            DeValue::String(text) => Ok(vec![text.to_string()]),
            DeValue::Array(list) => list
                .iter()
                .map(|item| match item.get_ref().as_str() {
                    Some(text) => Ok(text.to_string()),
                    None => Err(refuse(item)),
                })
                .collect(),
            _ => Err(refuse(value)),
        }
    }

    /// A table of names and numbers.
    fn values(&self, value: &Spanned<DeValue<'_>>, key: &str) -> anyhow::Result<Vec<Value>> {
        let Some(table) = value.get_ref().as_table() else {
            let message = format!("`{key}` must be a table: [{key}], then lines NAME = NUMBER");
            return Err(self.complaint(value.span().start, &message));
        };
        let mut values = Vec::new();
        self.add_values(table, (key, ""), &mut values)?;
        Ok(values)
    }

    /// The same of a table inside of one: `solve.n = 4` is the table `solve` with `n` in it.
    fn add_values(
        &self,
        table: &DeTable<'_>,
        (key, prefix): (&str, &str),
        values: &mut Vec<Value>,
    ) -> anyhow::Result<()> {
        for (name, value) in table {
            let full = format!("{prefix}{}", name.get_ref());
            if let DeValue::Table(inner) = value.get_ref() {
                self.add_values(inner, (key, &format!("{full}.")), values)?;
                continue;
            }
            let text = decimal(value.get_ref()).ok_or_else(|| {
                let message = format!("`{full}` in [{key}] must be a number");
                self.complaint(value.span().start, &message)
            })?;
            values.push(Value {
                name: full,
                text: text.to_string(),
                place: self.place(name.span().start),
            });
        }
        Ok(())
    }
}

/// The text of a decimal number.
pub(super) fn decimal<'v>(value: &'v DeValue<'_>) -> Option<&'v str> {
    match value {
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str()),
        DeValue::Float(number) => Some(number.as_str()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Config, String> {
        parse(text, "loopsheet.toml", Path::new("project")).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn everything_is_read() {
        let config = parsed(
            r#"
            machine = "machines/ours.toml"
            entry = "main"
            include = ["inc", "/abs"]
            define = ["USE_MPI", "N=4"]
            flags = "-r8 -i8"
            ignore = ["tests/", "*_old.f90"]
            [sizes]
            nx = 1_000
            "hi(1)" = 64
            [probabilities]
            prob_f_3 = 0.25
            "#,
        )
        .unwrap();
        assert_eq!(
            config.machine.as_deref(),
            Some("project/machines/ours.toml")
        );
        assert_eq!(config.entry, ["main"]);
        assert_eq!(
            config.include,
            [PathBuf::from("project/inc"), PathBuf::from("/abs")]
        );
        assert_eq!((config.define.len(), config.ignore.len()), (2, 2));
        assert_eq!(config.flags, ["-r8", "-i8"]);
        let values: Vec<(&str, &str, u32)> = (config.values.iter())
            .map(|value| (value.name.as_str(), value.text.as_str(), value.place.line))
            .collect();
        // A table has its keys in the order of their names.
        assert_eq!(
            values,
            [
                ("prob_f_3", "0.25", 12),
                ("hi(1)", "64", 10),
                ("nx", "1000", 9)
            ]
        );
        assert_eq!(
            parsed("machine = \"grace\"").unwrap().machine.as_deref(),
            Some("grace")
        );
        assert_eq!(parsed("").unwrap().values, []);
    }

    #[test]
    fn complaints_say_where_and_what() {
        for (text, complaint) in [
            (
                "\nmachin = \"grace\"",
                "loopsheet.toml:2:1: unknown key `machin`",
            ),
            (
                "machine = 4",
                "loopsheet.toml:1:11: `machine` must be a text in quotes",
            ),
            (
                "include = [\"a\",\n 4]",
                "loopsheet.toml:2:2: `include` must be a text in quotes or a list of them",
            ),
            ("ignore = true", "loopsheet.toml:1:10: `ignore` must be"),
            ("sizes = 4", "loopsheet.toml:1:9: `sizes` must be a table"),
            (
                "[sizes]\nnx = \"many\"",
                "loopsheet.toml:2:6: `nx` in [sizes] must be a number",
            ),
            (
                "[probabilities]\np = 2",
                "loopsheet.toml:2:1: `p` = 2: a probability is between 0 and 1",
            ),
            ("[sizes\n", "loopsheet.toml:1:"),
            ("entry = \"a\"\nentry = \"b\"", "loopsheet.toml:2:1: "),
        ] {
            let message = parsed(text).unwrap_err();
            assert!(message.starts_with(complaint), "{message}");
        }
        assert!(parsed("[size]\n").unwrap_err().contains("sizes"));
    }
}
