//! What the declarations of one text say, ready to be asked.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::lone_names;
use super::Declarations;
use super::facts::{Facts, Standing, Word};
use super::pieces::{Piece, Rows, split};

/// So many declarations stay on each side of what the grammar may not read: recovery looks around.
const NEIGHBOURS: usize = 3;

/// For how many files a table is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// For one, behind the headers that it shares with others.
    OneFile,
    /// For a header that several files share, each with other things before and behind it.
    Shared,
}

/// Whether a text has the word that makes `I` the imaginary unit, wherever it stands.
pub fn says_complex(text: &str) -> bool {
    text.contains("omplex")
}

/// The pieces of a text, or of a header that several texts share.
pub struct Table {
    pub rows: Rows,
    pub pieces: Vec<Piece>,
    /// What the declarations of headers say; `None` for all else.
    pub facts: Vec<Option<Arc<Facts>>>,
    /// Whether every piece ends in this text.
    pub is_finished: bool,
    pub says_complex: bool,
    /// The pieces that stay whatever is used.
    pub always: Vec<bool>,
    /// The words of these.
    pub words: Vec<Word>,
    /// Names alone in parentheses in these, which may be types or variables.
    pub suspects: BTreeSet<String>,
    /// Types that declarations of this text need and none of it declares before, with the declaration.
    pub needs: Vec<(Word, usize)>,
    pub typedefs: FxHashSet<Word>,
    /// The declarations of a name that count.
    by_name: FxHashMap<Word, Vec<u32>>,
    /// The first declaration that shows a name to be a type.
    by_type: FxHashMap<Word, u32>,
}

impl Table {
    pub fn new(declarations: &Declarations, text: &str, rows: Rows, service: Service) -> Table {
        let pieces = split(text, &rows);
        let of_piece = |piece: &Piece| {
            let text = &text[piece.bytes.clone()];
            piece.is_declaration.then(|| declarations.facts(text))
        };
        let facts: Vec<Option<Arc<Facts>>> = pieces.iter().map(of_piece).collect();
        let mut table = Table {
            is_finished: pieces.last().is_none_or(|last| last.is_finished),
            says_complex: says_complex(text),
            always: facts.iter().map(Option::is_none).collect(),
            rows,
            pieces,
            facts,
            words: Vec::new(),
            suspects: BTreeSet::new(),
            needs: Vec::new(),
            typedefs: FxHashSet::default(),
            by_name: FxHashMap::default(),
            by_type: FxHashMap::default(),
        };
        table.mark_what_is_not_plain(text);
        if service == Service::Shared {
            table.mark_ends();
        }
        table.find_needs();
        table.read_what_stays(declarations, text, service);
        table.index();
        table
    }

    /// The declarations of a name that count, and the first that shows it to be a type.
    pub fn declaring(&self, name: Word) -> impl Iterator<Item = usize> {
        let by_name = self.by_name.get(&name).into_iter().flatten();
        by_name
            .chain(self.by_type.get(&name))
            .map(|at| *at as usize)
    }

    fn mark_what_is_not_plain(&mut self, text: &str) {
        let mut around = BTreeSet::new();
        for (at, facts) in self.facts.iter().enumerate() {
            let piece = &self.pieces[at];
            match facts.as_deref().map(|facts| facts.standing) {
                Some(Standing::Plain) => {}
                // Perhaps the body of a function whose parameters are declared before it.
                Some(Standing::Bound) if text[piece.bytes.clone()].starts_with('{') => {
                    around.insert(at);
                }
                Some(Standing::Bound) => self.always[at] = true,
                // A directive is read by itself.
                None if piece.is_directive => {}
                Some(Standing::Unread) | None => {
                    around.insert(at);
                }
            }
        }
        let count = self.pieces.len();
        for at in around {
            let end = (at + NEIGHBOURS + 1).min(count);
            self.always[at.saturating_sub(NEIGHBOURS)..end].fill(true);
        }
    }

    /// Marks the neighbours of what stands before and behind a shared header, which may be anything.
    fn mark_ends(&mut self) {
        let count = self.pieces.len();
        self.always[..NEIGHBOURS.min(count)].fill(true);
        self.always[count.saturating_sub(NEIGHBOURS)..].fill(true);
    }

    /// Which types have to be declared before this text, or there is a remark.
    fn find_needs(&mut self) {
        for (at, facts) in self.facts.iter().enumerate() {
            let Some(facts) = facts else { continue };
            let open = facts
                .needs
                .iter()
                .filter(|name| !self.typedefs.contains(name));
            self.needs.extend(open.map(|name| (*name, at)));
            self.typedefs.extend(&facts.typedefs);
        }
    }

    /// The words and lone names of what stays.
    fn read_what_stays(&mut self, declarations: &Declarations, text: &str, service: Service) {
        let mut stays = String::new();
        for (at, piece) in self.pieces.iter().enumerate() {
            if self.always[at] {
                stays.push_str(&text[piece.bytes.clone()]);
                stays.push('\n');
            }
        }
        // Headers that are met later may declare what this one names.
        self.words = match service {
            Service::OneFile => declarations.words().of(&stays),
            Service::Shared => declarations.words_to_add().all_of(&stays),
        };
        let suspects = lone_names::suspects(&stays).into_iter();
        self.suspects = suspects.map(str::to_string).collect();
    }

    fn index(&mut self) {
        for (at, facts) in self.facts.iter().enumerate() {
            let Some(facts) = facts.as_ref().filter(|_| !self.always[at]) else {
                continue;
            };
            for name in &facts.variables {
                self.by_name.entry(*name).or_default().push(at as u32);
            }
            for name in &facts.settled {
                let known = self.by_name.entry(*name).or_default();
                if known.is_empty() {
                    known.push(at as u32);
                }
            }
            for name in &facts.shows_as_type {
                self.by_type.entry(*name).or_insert(at as u32);
            }
        }
    }
}
