//! The manifest: a line of JSON on the sweep as a whole, then a line for each shard.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::hash::Hash;
use crate::latency::RunLatency;
use crate::swept::{Ambiguous, SettingRole, SweptSetting};
use crate::wording::counted;

/// Of manifests.
pub const SCHEMA: &str = "loopsheet/sweep/2";

/// What the figures of this version are made by: another one may compute others.
pub const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// Everything that is to be computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    pub header: Header,
    /// Those of one input stand together.
    pub shards: Vec<Shard>,
}

/// The first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    pub schema: String,
    /// Version of the program that planned it.
    pub program: String,
    /// Where relative paths begin, seen from the manifest.
    pub root: String,
    /// Parameters of sources that are set, in the order of the values of [`Model::values`].
    pub settings: Vec<String>,
    /// What each of them is.
    pub roles: Vec<SettingRole>,
    pub shards: usize,
    /// Rows that differ in more than the place that they are about.
    pub configurations: usize,
    /// What was read for the plan beside the inputs: `sweep.toml`, machine files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    /// `sweep.toml`; none in manifests of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<FileHash>,
    /// What of the sources could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_read: Vec<NotRead>,
    /// Settings of machines whose names sources give to variables, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ambiguous: Vec<Ambiguous>,
}

/// A file that a source is analysed without, or without a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotRead {
    /// The source, as it was named.
    pub input: String,
    pub file: String,
    pub why: NotReadWhy,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NotReadWhy {
    /// It has so many places that could not be read.
    Errors(usize),
    /// A remark: what it includes is missing, say.
    Remark(String),
}

impl NotRead {
    /// Whether `analyze` would end with errors for it.
    pub fn is_error(&self) -> bool {
        matches!(self.why, NotReadWhy::Errors(_))
    }

    /// In column `not_read`.
    pub fn named(&self) -> String {
        match &self.why {
            NotReadWhy::Errors(count) => format!("{} ({})", self.file, counted(*count, "error")),
            NotReadWhy::Remark(what) => format!("{} ({what})", self.file),
        }
    }
}

impl fmt::Display for NotRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotRead { input, file, why } = self;
        if input != file {
            write!(f, "{input}: ")?;
        }
        match why {
            NotReadWhy::Errors(count) => write!(
                f,
                "{file} could not be read in full ({}), so figures leave the rest out; `loopsheet analyze` shows where",
                counted(*count, "error")
            ),
            NotReadWhy::Remark(what) => {
                write!(f, "{file}: {what}, so figures leave it out")
            }
        }
    }
}

impl Header {
    /// The parameters that are set, with what they are.
    pub fn swept(&self) -> Vec<SweptSetting> {
        let all = self.settings.iter().zip(&self.roles);
        let all = all.map(|(name, role)| {
            let also = self.ambiguous.iter().filter(|also| also.setting == *name);
            SweptSetting {
                name: name.clone(),
                role: *role,
                also_of: also.map(|also| also.input.clone()).collect(),
            }
        });
        all.collect()
    }
}

/// Work that is done in one go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shard {
    /// Of all that its result depends on.
    pub hash: Hash,
    /// The source or trace, as it was named.
    pub input: String,
    /// What is read, with what it held when this was planned.
    pub files: Vec<FileHash>,
    pub work: Work,
}

impl Shard {
    /// With the hash of all that its result depends on.
    pub fn new(settings: &[String], input: String, files: Vec<FileHash>, work: Work) -> Shard {
        Shard {
            hash: hash(settings, (&input, &files, &work)),
            input,
            files,
            work,
        }
    }

    /// Whether its hash is that of all that its result depends on.
    fn is_of_hash(&self, settings: &[String]) -> bool {
        self.hash == hash(settings, (&self.input, &self.files, &self.work))
    }
}

fn hash(settings: &[String], (input, files, work): (&str, &[FileHash], &Work)) -> Hash {
    let all = (SCHEMA, PROGRAM, settings, input, files, work);
    Hash::of(&serde_json::to_vec(&all).expect("names and numbers are JSON"))
}

/// A file and its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileHash {
    pub path: String,
    pub sha256: Hash,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Work {
    Source(SourceWork),
    Trace(TraceWork),
}

/// A source that is read once, for many models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceWork {
    pub models: Vec<Model>,
}

/// One model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// A preset or a file; without one the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Of [`Header::settings`].
    pub values: Vec<f64>,
}

/// A trace that is read once, for many caches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceWork {
    pub runs: Vec<CacheRun>,
    /// Issue slots, each with every run and latency.
    pub slots: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epochs: Option<EpochWork>,
}

/// One hierarchy of caches, and what does not need another pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CacheRun {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Clock; none where no machine says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ghz: Option<f64>,
    /// Nearest first, as for `--cache`; none is no cache.
    pub caches: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area_mm2: Option<f64>,
    /// Cycles of a RAM access.
    pub latencies: Vec<RunLatency>,
}

/// Epochs of every window and capacity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpochWork {
    pub windows: Vec<u32>,
    /// Bytes.
    pub capacities: Vec<u64>,
    pub slots: Vec<u32>,
}

/// Why a text is not a manifest.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("line {line}, column {column}: {reason}; plan again")]
    Json {
        line: usize,
        column: usize,
        reason: String,
    },
    #[error("it ends in the middle of line {line}: plan again")]
    CutLine { line: usize },
    #[error("line {line}: its hash is not that of what stands there: plan again")]
    Altered { line: usize },
    #[error("it is empty; `loopsheet sweep plan` writes it")]
    Empty,
    #[error("its schema is {0}, not {SCHEMA}: plan again")]
    Schema(String),
    #[error("it was planned by loopsheet {0}, and this is {PROGRAM}: plan again")]
    Program(String),
    #[error("it has {found} shards of {expected}: plan again")]
    Cut { found: usize, expected: usize },
}

/// Whether a text begins as a manifest does, of whichever version: a header with a schema, a program and shards.
pub fn is_begun(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Begun {
        #[serde(rename = "schema")]
        _schema: String,
        #[serde(rename = "program")]
        _program: String,
        #[serde(rename = "shards")]
        _shards: usize,
    }
    let first = text.lines().next().unwrap_or_default();
    serde_json::from_str::<Begun>(first).is_ok()
}

impl Manifest {
    /// The text.
    pub fn to_lines(&self) -> String {
        let mut text = line(&HeaderLine {
            hash: Some(self.hash()),
            header: self.header.clone(),
        });
        for shard in &self.shards {
            text.push_str(&line(shard));
        }
        text
    }

    /// # Errors
    /// It is not a manifest, not a whole one, or of another version.
    pub fn parse(text: &str) -> Result<Manifest, ManifestError> {
        let mut lines = text.lines().enumerate();
        let (_, first) = lines.next().ok_or(ManifestError::Empty)?;
        let HeaderLine { hash, header } = read(0, first)?;
        if header.schema != SCHEMA {
            return Err(ManifestError::Schema(header.schema));
        }
        if header.program != PROGRAM {
            return Err(ManifestError::Program(header.program));
        }
        if !text.ends_with('\n') {
            let line = text.lines().count();
            return Err(ManifestError::CutLine { line });
        }
        let shards = lines.map(|(number, line)| {
            let shard: Shard = read(number, line)?;
            match shard.is_of_hash(&header.settings) {
                true => Ok(shard),
                false => Err(ManifestError::Altered { line: number + 1 }),
            }
        });
        let shards = shards.collect::<Result<Vec<Shard>, ManifestError>>()?;
        if shards.len() != header.shards {
            return Err(ManifestError::Cut {
                found: shards.len(),
                expected: header.shards,
            });
        }
        let manifest = Manifest { header, shards };
        match hash == Some(manifest.hash()) {
            true => Ok(manifest),
            false => Err(ManifestError::Altered { line: 1 }),
        }
    }

    /// Of the first line and of which shards there are, in their order.
    fn hash(&self) -> Hash {
        let shards: Vec<&Hash> = self.shards.iter().map(|shard| &shard.hash).collect();
        Hash::of(&serde_json::to_vec(&(&self.header, shards)).expect("names and numbers are JSON"))
    }
}

/// The first line, with what makes sure that nobody edited it.
#[derive(Serialize, Deserialize)]
struct HeaderLine {
    /// Other versions have none.
    #[serde(default)]
    hash: Option<Hash>,
    #[serde(flatten)]
    header: Header,
}

fn line(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string(value).expect("names and numbers are JSON");
    text.push('\n');
    text
}

fn read<T: for<'de> Deserialize<'de>>(number: usize, line: &str) -> Result<T, ManifestError> {
    serde_json::from_str(line).map_err(|error| {
        // It counts lines of its own.
        let reason = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        ManifestError::Json {
            line: number + 1,
            column: error.column(),
            reason: reason.strip_suffix(&place).unwrap_or(&reason).to_string(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let settings = vec!["n".to_string()];
        let shard = |input: &str| {
            let model = Model {
                machine: None,
                values: vec![0.1 + 0.2],
            };
            let work = Work::Source(SourceWork {
                models: vec![model],
            });
            Shard::new(&settings, input.to_string(), Vec::new(), work)
        };
        let shards = vec![shard("a.c"), shard("b.c")];
        Manifest {
            header: Header {
                schema: SCHEMA.to_string(),
                program: PROGRAM.to_string(),
                root: ".".to_string(),
                roles: vec![SettingRole::PROBLEM],
                ambiguous: Vec::new(),
                settings,
                shards: 2,
                configurations: 2,
                read: Vec::new(),
                spec: None,
                not_read: Vec::new(),
            },
            shards,
        }
    }

    #[test]
    fn what_is_not_a_whole_manifest_says_where() {
        let text = manifest().to_lines();
        assert_eq!(Manifest::parse(&text).expect("its own text"), manifest());
        let refused = |text: &str, why: &str| {
            let error = Manifest::parse(text).expect_err(why).to_string();
            assert!(error.contains(why), "{error}");
            assert!(error.matches("line").count() <= 1, "{error}");
        };
        refused("", "it is empty");
        refused(&text[..text.len() - 9], "it ends in the middle of line 3");
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        refused(&lines[..2].concat(), "1 shards of 2");
        refused(&text.replace("b.c", "c.c"), "line 3: its hash is not that");
        let broken = [
            lines[0],
            &lines[1].replace("{\"hash\":", "{hash:"),
            lines[2],
        ]
        .concat();
        refused(&broken, "line 2, column 2");
        for (from, to) in [
            ("\"problem\"", "\"machine\""),
            ("\"configurations\":2", "\"configurations\":3"),
            ("\"root\":\".\"", "\"root\":\"..\""),
        ] {
            let edited = text.replacen(from, to, 1);
            assert_ne!(edited, text, "{from}");
            refused(&edited, "line 1: its hash is not that");
        }
        let swapped = [lines[0], lines[2], lines[1]].concat();
        refused(&swapped, "line 1: its hash is not that");
        let shard = &manifest().shards[1];
        let evil = text.replace(shard.hash.as_str(), "../../evil");
        refused(&evil, "`../../evil` is not a hash");
        let other = text.replace(shard.hash.as_str(), Hash::of(b"").as_str());
        refused(&other, "line 3: its hash is not that");
    }
}
