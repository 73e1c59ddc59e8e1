//! Parameters of the core that can be varied, and what a run takes with another value.

use super::out_of_order::CoreModel;

/// A parameter of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreParameter {
    Window,
    IssueWidth,
    /// Of the nearest level.
    Ports,
    /// Of the nearest level.
    Mshrs,
}

impl CoreParameter {
    pub const ALL: [CoreParameter; 4] = [
        CoreParameter::Window,
        CoreParameter::IssueWidth,
        CoreParameter::Ports,
        CoreParameter::Mshrs,
    ];

    /// As on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            CoreParameter::Window => "window",
            CoreParameter::IssueWidth => "issue-width",
            CoreParameter::Ports => "ports",
            CoreParameter::Mshrs => "mshrs",
        }
    }

    pub fn meaning(self) -> &'static str {
        match self {
            CoreParameter::Window => "instructions of the window",
            CoreParameter::IssueWidth => "instructions issued in a cycle",
            CoreParameter::Ports => "ports of the nearest level",
            CoreParameter::Mshrs => "MSHRs of the nearest level",
        }
    }

    /// The model with another value of it.
    pub fn set(self, model: &CoreModel, value: u32) -> CoreModel {
        let mut model = model.clone();
        match self {
            CoreParameter::Window => model.window = value as usize,
            CoreParameter::IssueWidth => model.width = value,
            CoreParameter::Ports => model
                .levels
                .iter_mut()
                .take(1)
                .for_each(|own| own.ports = value),
            CoreParameter::Mshrs => model
                .levels
                .iter_mut()
                .take(1)
                .for_each(|own| own.mshrs = value),
        }
        model
    }
}

/// What the run takes with one parameter at one value and the others as given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VariedCore {
    pub parameter: CoreParameter,
    pub value: u32,
    pub instructions: u64,
    /// Of all harts.
    pub cycles: u64,
    /// Of the nearest level.
    pub amat: Option<f64>,
    pub camat: Option<f64>,
    pub hit_concurrency: Option<f64>,
    pub pure_miss_concurrency: Option<f64>,
}

impl VariedCore {
    /// `None` without instructions.
    pub fn cycles_per_instruction(&self) -> Option<f64> {
        (self.instructions > 0).then(|| self.cycles as f64 / self.instructions as f64)
    }
}
