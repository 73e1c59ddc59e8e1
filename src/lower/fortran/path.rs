//! Designators taken apart.

use std::sync::Arc;

use super::expression::{Argument, Expr};
use super::scope::Scope;
use crate::diagnostic::Place;

/// What stands behind a name: `(arguments)`.
pub type Applied<'e> = Option<(&'e [Argument], &'e Place)>;

/// A designator taken apart: `chunk%tiles(t)%p(j, k)(1:2)`.
pub struct Path<'e> {
    pub parts: Vec<Part<'e>>,
    pub substring: Applied<'e>,
}

/// A name with its arguments.
#[derive(Clone, Copy)]
pub struct Part<'e> {
    pub name: &'e Arc<str>,
    pub applied: Applied<'e>,
}

/// The type that a procedure is looked for in.
pub struct Owner<'a> {
    pub ty: Arc<str>,
    /// The scope that knows it.
    pub home: &'a Scope,
    /// Whether the object is of that very type, not of one that extends it.
    pub is_exact: bool,
}

impl<'e> Path<'e> {
    /// `None` if the expression does not start with a name.
    pub fn of(mut expr: &'e Expr) -> Option<Path<'e>> {
        let mut path = Path {
            parts: Vec::new(),
            substring: None,
        };
        let mut applied: Applied = None;
        loop {
            match expr {
                Expr::Apply(base, arguments, place) => {
                    if applied.is_some() {
                        if !path.parts.is_empty() || path.substring.is_some() {
                            return None;
                        }
                        path.substring = applied;
                    }
                    applied = Some((arguments, place));
                    expr = base;
                }
                Expr::Member(base, name) => {
                    path.parts.push(Part {
                        name,
                        applied: applied.take(),
                    });
                    expr = base;
                }
                Expr::Name(name) => {
                    path.parts.push(Part { name, applied });
                    path.parts.reverse();
                    return Some(path);
                }
                _ => return None,
            }
        }
    }

    /// `chunk%tiles%p`
    pub fn text(&self) -> String {
        self.parts
            .iter()
            .map(|part| &**part.name)
            .collect::<Vec<_>>()
            .join("%")
    }
}
