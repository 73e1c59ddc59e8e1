//! How what a call hands over behaves in the loops around it.

use std::fmt::{self, Display};

/// Dummy arguments, by position and counted from zero, that decide which storage something touches and how often, together
/// with nothing but constants and storage of the program that stays as it is while loops run. `None`: something else may
/// decide it, or that is not known.
pub type Needs = Option<Vec<u32>>;

/// An argument of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handed {
    /// How it behaves in each loop around the call, the outermost first.
    pub loops: Vec<Constancy>,
    /// What it is made of.
    pub needs: Needs,
}

/// Needs as files have them: positions with commas between them.
pub fn needs_text(needs: &[u32]) -> String {
    let all: Vec<String> = needs.iter().map(ToString::to_string).collect();
    all.join(",")
}

/// What [`needs_text`] wrote.
pub fn read_needs(text: &str) -> Option<Vec<u32>> {
    let positions = text.split(',').filter(|position| !position.is_empty());
    positions.map(|position| position.parse().ok()).collect()
}

impl Display for Handed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let loops: String = self.loops.iter().map(|one| one.letter()).collect();
        match &self.needs {
            Some(needs) => write!(f, "{loops}:{}", needs_text(needs)),
            None => write!(f, "{loops}:?"),
        }
    }
}

impl Handed {
    /// What it is printed as.
    pub fn read(text: &str) -> Option<Handed> {
        let (loops, needs) = text.split_once(':')?;
        Some(Handed {
            loops: loops.chars().map(Constancy::read).collect::<Option<_>>()?,
            needs: match needs {
                "?" => None,
                needs => Some(read_needs(needs)?),
            },
        })
    }
}

/// How something behaves from iteration to iteration of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Constancy {
    /// It has one value.
    Same,
    /// It goes through the same values in each iteration.
    Repeats,
    /// It may be another one each time.
    Changes,
}

impl Constancy {
    pub const ALL: [Constancy; 3] = [Constancy::Same, Constancy::Repeats, Constancy::Changes];

    /// A letter for files.
    pub fn letter(self) -> char {
        match self {
            Constancy::Same => 's',
            Constancy::Repeats => 'r',
            Constancy::Changes => 'c',
        }
    }

    pub fn read(letter: char) -> Option<Constancy> {
        let mut all = Constancy::ALL.into_iter();
        all.find(|known| known.letter() == letter)
    }
}
