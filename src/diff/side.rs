//! One side of a difference: what of a report is compared.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::diagnostic::Severity;
use crate::model::parameters::{Kind, ValueSource};
use crate::nest::Nest;
use crate::report::Figure;
use crate::report::static_report::{
    DiagnosticReport, FunctionReport, LoopReport, MachineReport, ParameterReport, SCHEMA,
    TotalsReport,
};
use crate::report::{ReadError, StaticReport, read};

/// A report with what is compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// What people call it.
    pub name: String,
    #[serde(with = "as_json")]
    pub machine: MachineReport,
    pub parameters: IndexMap<String, Parameter>,
    /// What of the source could not be read.
    pub unread: Vec<DiagnosticReport>,
    /// What was read otherwise than a compiler might, such as without a header that was not found.
    pub warnings: Vec<DiagnosticReport>,
    /// How many places outside loops are not modelled, by the code of the reason.
    pub outside: BTreeMap<String, usize>,
    /// Procedures without a body, with how many calls there are.
    pub absent: BTreeMap<String, usize>,
    /// Share of the time of all nests in those whose figures rest on guessed sizes or trip counts.
    pub on_guesses: Figure,
    pub functions: Vec<Function>,
    #[serde(with = "as_json")]
    pub totals: TotalsReport,
    /// Whether something says where a run begins, so that calls are followed from there.
    pub has_entry: bool,
}

/// A parameter of the program, as far as it is compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    pub value: Figure,
    pub source: ValueSource,
    pub kind: Kind,
    /// As the source writes it.
    pub source_name: String,
    /// Those that know it by that name; none if all do.
    pub functions: Vec<String>,
}

/// A function with its nests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    pub name: String,
    pub file: String,
    pub nests: Vec<Nest>,
    pub(crate) fusions: Vec<Fusion>,
    /// The file below the directory that the side is of.
    pub(crate) place: String,
}

/// Two loops that follow each other, and whether they may be made one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Fusion {
    /// Ids of loops.
    pub first: String,
    pub second: String,
    /// Why they may not.
    pub prevented_by: Option<String>,
    pub arrays: Vec<String>,
}

/// Where the files of a side lie: paths of both sides are compared from there on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the directory that all of them have in common.
    Common,
    /// In this directory, or it is the only file.
    Below(String),
    /// In this directory, which nobody has seen: files are named without it.
    Hidden(String),
}

impl From<ParameterReport> for Parameter {
    fn from(report: ParameterReport) -> Parameter {
        Parameter {
            value: report.value,
            source: report.source,
            kind: report.kind,
            source_name: report.source_name,
            functions: report.functions,
        }
    }
}

impl From<FunctionReport> for Function {
    fn from(report: FunctionReport) -> Function {
        let loops: IndexMap<&str, &LoopReport> = (report.loops.iter())
            .map(|found| (found.id.as_str(), found))
            .collect();
        let nests = report.nests.into_iter();
        let nests = nests.map(|nest| Nest::of(nest, &report.file, &loops));
        let fusions = report.sequences.into_iter().flat_map(|found| found.fusions);
        Function {
            nests: nests.collect(),
            fusions: fusions
                .map(|fusion| Fusion {
                    first: fusion.first,
                    second: fusion.second,
                    prevented_by: fusion.prevented_by,
                    arrays: fusion.arrays,
                })
                .collect(),
            name: report.name,
            place: report.file.clone(),
            file: report.file,
        }
    }
}

impl Side {
    /// Of a report as it stands in a file.
    ///
    /// # Errors
    /// The text is not what `loopsheet analyze --json` writes.
    pub fn parse(text: &str, name: &str) -> Result<Side, ReadError> {
        let hint = "it must come from `loopsheet analyze --json`";
        let report: StaticReport<Condensed> = read(text, SCHEMA, hint)?;
        let report = report.map_functions(|Condensed(function)| function);
        Ok(Side::of(report, name, &Place::Common))
    }

    /// As it is kept in a cache; `None` if it cannot be written.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        postcard::to_stdvec(self).ok()
    }

    /// What [`Side::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Option<Side> {
        postcard::from_bytes(bytes).ok()
    }

    /// Of a report whose functions are condensed already.
    pub fn of(report: StaticReport<Function>, name: &str, place: &Place) -> Side {
        let (mut unread, mut warnings) = (Vec::new(), Vec::new());
        for found in report.files.into_iter().flat_map(|file| file.diagnostics) {
            match found.severity {
                Severity::Error => unread.push(found),
                Severity::Warning => warnings.push(found),
                Severity::Note => {}
            }
        }
        let mut side = Side {
            name: name.to_string(),
            machine: report.machine,
            parameters: (report.parameters.into_iter())
                .map(|(name, parameter)| (name, parameter.into()))
                .collect(),
            unread,
            warnings,
            outside: report.coverage.outside.into_iter().collect(),
            absent: report.calls.unknown,
            on_guesses: report.on_guesses,
            functions: report.functions,
            totals: report.totals,
            has_entry: !report.entry.is_empty(),
        };
        match place {
            Place::Common => side.place_below(&side.common_directory()),
            Place::Below(directory) => side.place_below(directory),
            Place::Hidden(directory) => {
                side.hide(directory);
                side.place_below("");
            }
        }
        side
    }

    fn place_below(&mut self, directory: &str) {
        for function in &mut self.functions {
            function.place = below(&function.file, directory).to_string();
        }
    }

    /// Names files without the directory.
    fn hide(&mut self, directory: &str) {
        for function in &mut self.functions {
            function.file = below(&function.file, directory).to_string();
            for nest in &mut function.nests {
                nest.file = below(&nest.file, directory).to_string();
            }
        }
        let prefix = format!("{directory}/");
        for found in self.unread.iter_mut().chain(&mut self.warnings) {
            found.file = below(&found.file, directory).to_string();
            found.message = found.message.replace(&prefix, "");
        }
    }

    /// What the paths of all files have in common, up to a slash; the whole path of a single file.
    fn common_directory(&self) -> String {
        let mut files = self.functions.iter().map(|function| &function.file);
        let Some(first) = files.next() else {
            return String::new();
        };
        let mut common = first.as_str();
        for file in files {
            while !file.starts_with(&format!("{common}/")) && file != common && !common.is_empty() {
                common = common.rsplit_once('/').map_or("", |(parent, _)| parent);
            }
        }
        common.to_string()
    }
}

/// A function of a report that is read, without what is not compared.
#[derive(Deserialize)]
#[serde(from = "FunctionReport")]
struct Condensed(Function);

impl From<FunctionReport> for Condensed {
    fn from(report: FunctionReport) -> Condensed {
        Condensed(report.into())
    }
}

/// Parts of reports, whose fields have names, in what has none.
mod as_json {
    use serde::de::{DeserializeOwned, Error as _};
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<T: Serialize, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let text = serde_json::to_string(value).map_err(S::Error::custom)?;
        text.serialize(serializer)
    }

    pub fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let text = String::deserialize(deserializer)?;
        serde_json::from_str(&text).map_err(D::Error::custom)
    }
}

/// A path from the directory on.
fn below<'p>(path: &'p str, directory: &str) -> &'p str {
    match path.strip_prefix(directory) {
        Some(rest) if rest.is_empty() => rest,
        Some(rest) if directory.is_empty() || directory.ends_with('/') => rest,
        Some(rest) => rest.strip_prefix('/').unwrap_or(path),
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::below;

    #[test]
    fn paths_are_cut_at_slashes() {
        for (path, directory, expected) in [
            ("src/a.f90", "src", "a.f90"),
            ("src/a.f90", "", "src/a.f90"),
            ("srcs/a.f90", "src", "srcs/a.f90"),
            ("a.f90", "a.f90", ""),
            ("/a.f90", "/", "a.f90"),
        ] {
            assert_eq!(below(path, directory), expected, "{path} {directory}");
        }
    }
}
