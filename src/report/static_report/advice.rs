//! What would make the costliest nests faster.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::analysis::dependence::order::Doubt;
use crate::model::advice::{Check, words};
use crate::model::{Advice, AdviceKind, Change, Model};

/// One change and what it gives. Times are over all calls where calls are followed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AdviceReport {
    /// Absent from reports of earlier versions.
    #[serde(flatten)]
    pub brief: Option<BriefAdvice>,
    pub change: ChangeReport,
    /// The nests that it is about.
    pub nests: Vec<AdvisedNestReport>,
    pub seconds_before: Figure,
    pub seconds_after: Figure,
    pub seconds_saved: Figure,
    /// Seconds saved over the time of the program.
    pub share: Figure,
    pub speedup: Figure,
    /// Bytes of memory traffic.
    pub bytes_saved: Figure,
    pub legality: LegalityReport,
    /// What has to be checked or done before.
    pub checks: Vec<CheckReport>,
    /// What a cache holds then that it did not hold before.
    pub fits: Option<FitReport>,
    /// Sizes that the figures depend on and that are guessed.
    pub guessed: Vec<String>,
}

/// What there is to say of it in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BriefAdvice {
    pub kind: AdviceKind,
    /// In words, with what it gives and what has to be checked.
    pub text: String,
    pub gain_seconds: Figure,
    /// The gain over figures by their names, in guillemets, and inputs.
    pub formula: String,
    pub legal: LegalityReport,
}

/// What to change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ChangeReport {
    Block {
        loops: Vec<BlockedLoopReport>,
    },
    /// Loops by variable, outermost first.
    Interchange {
        from: Vec<String>,
        to: Vec<String>,
    },
    Fuse {
        arrays: Vec<String>,
    },
    StreamingStores {
        arrays: Vec<String>,
    },
    SplitRecords {
        records: Vec<RecordsReport>,
    },
    LargerCache {
        level: String,
        factor: Figure,
        bytes: Figure,
    },
    /// What holds the sums.
    ReorderSums {
        sums: Vec<String>,
    },
    /// What iterations wait for.
    IndependentWork {
        waits: Vec<String>,
    },
}

/// A loop that is to be blocked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BlockedLoopReport {
    /// The parameter of the model.
    pub parameter: String,
    pub variable: String,
    /// Iterations.
    pub size: Figure,
}

/// An array of records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordsReport {
    pub array: String,
    /// Of one record.
    pub elements: u64,
    pub used: u64,
}

/// A nest by its loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AdvisedNestReport {
    #[serde(rename = "loop")]
    pub id: String,
    pub function: String,
    pub file: String,
    pub line: u32,
}

/// Whether the change keeps what the program computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LegalityReport {
    /// By the dependences that were found.
    Proven,
    /// If the checks hold.
    Check,
}

/// One of the checks, with what it says in words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CheckReport {
    #[serde(flatten)]
    pub check: CheckKind,
    pub text: String,
}

/// What is to be checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CheckKind {
    SharedStorage { arrays: [String; 2] },
    CarriedScalar { scalar: String },
    NotUnderstood,
    SplitFirst { variable: String },
    ParallelLoop { variable: String },
    OtherUses { array: String, nests: usize },
    Independent { name: String },
}

/// What fits a cache, and up to which size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FitReport {
    pub cache: String,
    pub parameter: Option<String>,
    pub at_most: Figure,
}

pub(super) fn all(model: &Model) -> Vec<AdviceReport> {
    model
        .advice
        .iter()
        .map(|one| AdviceReport::of(model, one))
        .collect()
}

/// By function and head of the nests that it is about.
pub(super) fn by_nest<'m>(model: &'m Model) -> HashMap<(usize, &'m str), Vec<BriefAdvice>> {
    let mut found: HashMap<(usize, &str), Vec<BriefAdvice>> = HashMap::new();
    for advice in &model.advice {
        let brief = BriefAdvice::of(model, advice);
        for nest in &advice.nests {
            let nest = &model.nests[*nest].nest;
            let about = found.entry((nest.function, &nest.head().id)).or_default();
            about.push(brief.clone());
        }
    }
    found
}

impl BriefAdvice {
    fn of(model: &Model, advice: &Advice) -> BriefAdvice {
        BriefAdvice {
            kind: advice.change.kind(),
            text: words::sentence(model, advice),
            gain_seconds: Figure::of(model, advice.figures.saved),
            formula: words::formula(model, advice),
            legal: LegalityReport::of(advice),
        }
    }
}

impl LegalityReport {
    fn of(advice: &Advice) -> LegalityReport {
        match advice.checks.is_empty() {
            true => LegalityReport::Proven,
            false => LegalityReport::Check,
        }
    }
}

impl AdviceReport {
    fn of(model: &Model, advice: &Advice) -> AdviceReport {
        let figure = |id| Figure::of(model, id);
        let figures = &advice.figures;
        let nest = |nest: &usize| {
            let nest = &model.nests[*nest].nest;
            let head = nest.head();
            AdvisedNestReport {
                id: head.id.clone(),
                function: model.program.functions[nest.function].name.clone(),
                file: head.file.to_string(),
                line: head.line,
            }
        };
        AdviceReport {
            brief: Some(BriefAdvice::of(model, advice)),
            change: ChangeReport::of(model, advice),
            nests: advice.nests.iter().map(nest).collect(),
            seconds_before: figure(figures.before),
            seconds_after: figure(figures.after),
            seconds_saved: figure(figures.saved),
            share: figure(figures.share),
            speedup: figure(figures.speedup),
            bytes_saved: figure(figures.bytes),
            legality: LegalityReport::of(advice),
            checks: advice.checks.iter().map(CheckReport::of).collect(),
            fits: advice.fit.as_ref().map(|fit| FitReport {
                cache: fit.cache.clone(),
                parameter: fit.size.as_ref().map(|(name, _)| name.clone()),
                at_most: fit
                    .size
                    .as_ref()
                    .map_or(Figure::UNKNOWN, |(_, most)| figure(*most)),
            }),
            guessed: advice.guessed.clone(),
        }
    }
}

impl ChangeReport {
    fn of(model: &Model, advice: &Advice) -> ChangeReport {
        match &advice.change {
            Change::Block(loops) => ChangeReport::Block {
                loops: (loops.iter())
                    .map(|one| BlockedLoopReport {
                        parameter: one.parameter.clone(),
                        variable: one.variable.clone(),
                        size: one.size.into(),
                    })
                    .collect(),
            },
            Change::Interchange { from, to } => ChangeReport::Interchange {
                from: from.clone(),
                to: to.clone(),
            },
            Change::Fuse { arrays } => ChangeReport::Fuse {
                arrays: arrays.clone(),
            },
            Change::StreamingStores { arrays } => ChangeReport::StreamingStores {
                arrays: arrays.clone(),
            },
            Change::SplitRecords(records) => ChangeReport::SplitRecords {
                records: (records.iter())
                    .map(|one| RecordsReport {
                        array: one.array.clone(),
                        elements: one.elements,
                        used: one.used,
                    })
                    .collect(),
            },
            Change::ReorderSums { sums } => ChangeReport::ReorderSums { sums: sums.clone() },
            Change::IndependentWork { waits } => ChangeReport::IndependentWork {
                waits: waits.clone(),
            },
            Change::LargerCache { level, factor } => {
                let bytes = advice.figures.inputs.first();
                ChangeReport::LargerCache {
                    level: level.clone(),
                    factor: (*factor).into(),
                    bytes: bytes.map_or(Figure::UNKNOWN, |id| Figure::of(model, *id)),
                }
            }
        }
    }
}

impl CheckReport {
    fn of(check: &Check) -> CheckReport {
        let kind = match check {
            Check::Order(Doubt::SharedStorage(a, b)) => CheckKind::SharedStorage {
                arrays: [a.clone(), b.clone()],
            },
            Check::Order(Doubt::Carried(scalar)) => CheckKind::CarriedScalar {
                scalar: scalar.clone(),
            },
            Check::Order(Doubt::Obstacle(_)) => CheckKind::NotUnderstood,
            Check::SplitFirst(variable) => CheckKind::SplitFirst {
                variable: variable.clone(),
            },
            Check::Parallel(variable) => CheckKind::ParallelLoop {
                variable: variable.clone(),
            },
            Check::Independent(name) => CheckKind::Independent { name: name.clone() },
            Check::OtherUses { array, nests } => CheckKind::OtherUses {
                array: array.clone(),
                nests: *nests,
            },
        };
        CheckReport {
            check: kind,
            text: check.to_string(),
        }
    }
}
