//! Names of variables: what the source calls one, or the way from one to a member of its structure.

use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt::{self, Debug, Display};
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use smallvec::SmallVec;

/// A name as reports print it, `fab%p` or `level->box.v`, and the steps that it is made of. Lowering makes it step by
/// step, and nobody takes its text apart. Names are compared by their texts, which are different where their steps are.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Name {
    text: String,
    #[serde(with = "marks")]
    steps: SmallVec<[Mark; 2]>,
}

/// Where a step begins in the text.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Mark {
    step: Step,
    at: u32,
}

/// Steps are written as a list.
mod marks {
    use super::{Deserialize, Mark, SmallVec};
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(
        marks: &SmallVec<[Mark; 2]>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(marks)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<SmallVec<[Mark; 2]>, D::Error> {
        Ok(Vec::deserialize(deserializer)?.into_iter().collect())
    }
}

/// What leads from one part of a name to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// To a member of a structure: `s.x`.
    Member,
    /// To a member of the structure that a pointer points to: `p->x`.
    Target,
    /// To a component of a derived type: `s%x`.
    Component,
    /// To the same storage as elements of another type: `p(real4 *)`.
    View,
}

impl Step {
    /// What the source writes between.
    fn sign(self) -> &'static str {
        match self {
            Step::Member => ".",
            Step::Target => "->",
            Step::Component => "%",
            Step::View => "",
        }
    }

    fn is_member(self) -> bool {
        self != Step::View
    }
}

impl Name {
    /// The name with one step more.
    pub fn then(mut self, step: Step, to: &str) -> Name {
        self.push(step, to);
        self
    }

    pub fn push(&mut self, step: Step, to: &str) {
        let at = self.text.len() as u32;
        self.steps.push(Mark { step, at });
        self.text.push_str(step.sign());
        self.text.push_str(to);
    }

    /// The name with the steps of a way behind it, which is a name that begins with a step.
    pub fn along(&self, way: &Name) -> Name {
        way.steps()
            .fold(self.clone(), |name, (step, to)| name.then(step, to))
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its steps and what they lead to.
    pub fn steps(&self) -> impl Iterator<Item = (Step, &str)> {
        let ends = self.steps.iter().skip(1).map(|mark| mark.at as usize);
        let ends = ends.chain([self.text.len()]);
        self.steps.iter().zip(ends).map(|(mark, end)| {
            let begin = mark.at as usize + mark.step.sign().len();
            (mark.step, &self.text[begin..end])
        })
    }

    /// How many steps it has.
    pub fn len_of_way(&self) -> usize {
        self.steps.len()
    }

    /// Whether it has no steps: it is a variable of the source.
    pub fn is_plain(&self) -> bool {
        self.steps.is_empty()
    }

    /// Whether it is that of a member of a structure.
    pub fn is_member(&self) -> bool {
        self.steps.iter().any(|mark| mark.step.is_member())
    }

    /// Whether it is storage read as another type than it was declared with: `(double *)bytes`.
    pub fn is_view(&self) -> bool {
        self.steps.iter().any(|mark| mark.step == Step::View)
    }

    /// Whether a pointer leads to it.
    pub fn is_behind_pointer(&self) -> bool {
        self.steps.iter().any(|mark| mark.step == Step::Target)
    }

    /// The variable of the source that it begins with.
    pub fn variable(&self) -> &str {
        self.steps
            .first()
            .map_or(&self.text, |mark| &self.text[..mark.at as usize])
    }

    /// The members that lead from the variable to it.
    pub fn members(&self) -> impl Iterator<Item = &str> {
        self.steps()
            .filter(|(step, _)| step.is_member())
            .map(|(_, to)| to)
    }

    /// The variable that holds the structure, or points to it, and the way from there; `None` if it is not a member.
    pub fn split(&self) -> Option<(&str, Name)> {
        let first = self.steps.iter().position(|mark| mark.step.is_member())?;
        let at = self.steps[first].at;
        let (structure, way) = self.text.split_at(at as usize);
        let steps = self.steps[first..].iter().map(|mark| Mark {
            at: mark.at - at,
            ..*mark
        });
        let way = Name {
            text: way.to_string(),
            steps: steps.collect(),
        };
        Some((structure, way))
    }

    /// The variable that holds the structure, or points to it; `None` if it is not a member.
    pub fn structure(&self) -> Option<&str> {
        let first = self.steps.iter().find(|mark| mark.step.is_member())?;
        Some(&self.text[..first.at as usize])
    }

    /// The first step.
    pub fn first_step(&self) -> Option<Step> {
        self.steps.first().map(|mark| mark.step)
    }

    /// The same way by another first step.
    pub fn by(&self, first: Step) -> Name {
        let replaced = self.steps().enumerate();
        replaced.fold(Name::default(), |name, (at, (step, to))| {
            name.then(if at == 0 { first } else { step }, to)
        })
    }

    /// The name without its last steps.
    pub fn without_last(&self, steps: usize) -> Name {
        let kept = self.steps.len().saturating_sub(steps);
        Name {
            text: self.text_without_last(steps).to_string(),
            steps: self.steps[..kept].into(),
        }
    }

    /// The text of the name without its last steps.
    pub fn text_without_last(&self, steps: usize) -> &str {
        let first = self.steps.len().saturating_sub(steps);
        let end = self.steps.get(first).map(|mark| mark.at as usize);
        &self.text[..end.unwrap_or(self.text.len())]
    }

    /// The name of a copy of the variable, and of the same member in it, that belongs to a function.
    pub fn copied_for(&self, function: &str) -> Name {
        let first = self.steps.iter().position(|mark| mark.step.is_member());
        let kept = first.unwrap_or(self.steps.len());
        let (structure, way) = match self.split() {
            Some((structure, way)) => (structure, way),
            None => (self.as_str(), Name::default()),
        };
        let copy = Name {
            text: format!("{structure} ({function})"),
            steps: self.steps[..kept].into(),
        };
        copy.along(&way)
    }

    /// A name that was printed before, as it stands in a file of ours.
    pub fn read(text: &str) -> Name {
        let mut name = Name {
            text: text.to_string(),
            steps: SmallVec::new(),
        };
        let (mut depth, mut before) = (0, ' ');
        for (at, c) in text.char_indices() {
            let step = match c {
                '(' | '[' => {
                    depth += 1;
                    (depth == 1 && before != ' ').then_some(Step::View)
                }
                ')' | ']' => {
                    depth -= 1;
                    None
                }
                '.' if depth == 0 => Some(Step::Member),
                '%' if depth == 0 => Some(Step::Component),
                '-' if depth == 0 && text[at..].starts_with("->") => Some(Step::Target),
                _ => None,
            };
            before = c;
            let at = at as u32;
            name.steps.extend(step.map(|step| Mark { step, at }));
        }
        name
    }
}

impl From<String> for Name {
    fn from(text: String) -> Name {
        let steps = SmallVec::new();
        Name { text, steps }
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        text.to_string().into()
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.text
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.text, f)
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        self.text == other.text
    }
}

impl Eq for Name {}

/// Compares a name with texts, either way round.
#[macro_export]
macro_rules! compares_with_text {
    ($name:ty) => {
        $crate::compares_with_text!($name, str, String, &str);
    };
    ($name:ty, $($text:ty),+) => {$(
        impl PartialEq<$text> for $name {
            fn eq(&self, other: &$text) -> bool {
                let other: &str = other.as_ref();
                self.as_str() == other
            }
        }

        impl PartialEq<$name> for $text {
            fn eq(&self, other: &$name) -> bool {
                other == self
            }
        }
    )+};
}

compares_with_text!(Name);

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Name) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(name: &Name) -> (&str, Vec<&str>) {
        (name.variable(), name.members().collect())
    }

    #[test]
    fn names_know_their_parts() {
        let view = Name::from("a").then(Step::View, "(real4 *)");
        let pointed = Name::from("g").then(Step::Target, "a");
        let nested = pointed.clone().then(Step::Member, "x");
        assert_eq!(nested, "g->a.x");
        assert_eq!(parts(&nested), ("g", vec!["a", "x"]));
        assert_eq!(parts(&view), ("a", vec![]));
        assert_eq!(nested.without_last(1), pointed);
        assert_eq!(nested.without_last(2), "g");
        let (structure, way) = nested.split().expect("a member");
        assert_eq!((structure, &way), ("g", &Name::read("->a.x")));
        assert_eq!(Name::from("q").along(&way.by(Step::Member)), "q.a.x");
        assert_eq!(nested.copied_for("f"), "g (f)->a.x");
        assert_eq!(view.copied_for("f"), "a(real4 *) (f)");
        assert!(view.split().is_none() && !view.is_plain());
    }

    #[test]
    fn printed_names_are_read_as_they_were_made() {
        for (text, variable, members) in [
            ("g->a", "g", vec!["a"]),
            ("p[].v.x", "p", vec!["v", "x"]),
            ("a(real4 *)", "a", vec![]),
            ("q%c(1)%rho", "q", vec!["c", "rho"]),
            ("x (f)", "x (f)", vec![]),
        ] {
            assert_eq!(parts(&Name::read(text)), (variable, members), "{text}");
        }
    }
}
