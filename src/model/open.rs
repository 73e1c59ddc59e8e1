//! What a source leaves open of a nest's time, and what lies between (see `band`).

use crate::expr::FigureId;

/// The shortest and the longest time of a nest.
#[derive(Clone, Copy)]
pub struct Band {
    pub low: FigureId,
    pub high: FigureId,
    pub open: Open,
    /// One and, of what is open of `Open::NAMES`, as much as each counts, whatever inputs become.
    pub left_open: FigureId,
}

/// What the source leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Open {
    /// Whether caches have what the last execution left there.
    pub caches: bool,
    /// Whether the code is in vectors.
    pub vectors: bool,
    /// In which order sums are added.
    pub sums: bool,
    /// Which of the lines of a crowded set its replacement evicts.
    pub conflicts: bool,
    /// Whether the core predicts branches that data decide.
    pub branches: bool,
}

impl Open {
    /// What may be open: caches count one, vectors two, sums four, conflicts eight, branches sixteen.
    pub const NAMES: [&str; 5] = ["caches", "vectors", "sums", "conflicts", "branches"];

    pub fn or(self, other: Open) -> Open {
        Open {
            caches: self.caches || other.caches,
            vectors: self.vectors || other.vectors,
            sums: self.sums || other.sums,
            conflicts: self.conflicts || other.conflicts,
            branches: self.branches || other.branches,
        }
    }

    /// What of it is open.
    pub fn all(self) -> impl Iterator<Item = Question> {
        let all = [
            (self.caches, Question::Caches),
            (self.vectors, Question::Vectors),
            (self.sums, Question::Sums),
            (self.conflicts, Question::Conflicts),
            (self.branches, Question::Branches),
        ];
        all.into_iter()
            .filter(|(is_open, _)| *is_open)
            .map(|(_, question)| question)
    }
}

/// What a source may leave open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    Caches,
    Vectors,
    Sums,
    Conflicts,
    Branches,
}

impl Question {
    pub fn name(self) -> &'static str {
        match self {
            Question::Caches => "caches",
            Question::Vectors => "vectors",
            Question::Sums => "sums",
            Question::Conflicts => "conflicts",
            Question::Branches => "branches",
        }
    }

    /// The answer that takes less time.
    pub fn if_it_goes_well(self) -> &'static str {
        match self {
            Question::Caches => "caches are warm",
            Question::Vectors => "loops are vectorised",
            Question::Sums => "sums are reordered",
            Question::Conflicts => "no lines evict each other",
            Question::Branches => "branches are predicted",
        }
    }
}
