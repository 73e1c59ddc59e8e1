//! Vectors that lie in two lines.
//!
//! Compilers let arrays that they lay out themselves begin with a line, or where a vector may: statically allocated ones and
//! automatic ones of constant extents (GCC: `DATA_ALIGNMENT` of x86, `vect_can_force_dr_alignment_p`). Where the vectors of such
//! an array begin follows from its subscripts, as far as these are numbers.

use crate::analysis::facts::{Access, Stream};
use crate::expr::{Comparison, Expr};

use super::{Code, bytes_of};

/// Where vectors begin in what is at most as large as the largest vector.
#[derive(Clone, Copy)]
struct Begins {
    /// Bytes behind a boundary of the largest vector, up to multiples of `apart`.
    at: i64,
    /// A power of two.
    apart: i64,
}

/// Nothing tells boundaries of more bytes than this apart.
const LARGEST: i64 = 4096;

impl Code<'_> {
    /// The share of a stream's loaded vectors that lie in two lines.
    pub(super) fn share_in_two_lines(&self, stream: &Stream) -> Expr {
        if !self.is_laid_out(stream) {
            return self.where_multiples(self.width);
        }
        let loaded = stream.accesses.iter().filter(|access| access.reads > 0);
        let shares = loaded.map(|access| Some(self.of_access(self.begins(stream, access)?)));
        match shares.collect::<Option<Vec<Expr>>>() {
            Some(shares) if !shares.is_empty() => {
                let count = shares.len() as f64;
                Expr::sum(shares).quotient(count.into())
            }
            _ => self.where_multiples(self.width),
        }
    }

    /// The share of those that begin at any multiple of so many bytes in a line.
    fn where_multiples(&self, apart: f64) -> Expr {
        Expr::max([self.vector_bytes() - apart, 0.0.into()]).quotient(Expr::machine("line_bytes"))
    }

    fn of_access(&self, begins: Begins) -> Expr {
        match begins.at % begins.apart {
            0 if begins.apart == LARGEST => 0.0.into(),
            0 => self.where_multiples(begins.apart as f64),
            at => {
                let boundary = 1_i64 << at.trailing_zeros();
                let order = Comparison::LessOrEqual;
                let vector = self.vector_bytes();
                let all = vector.clone().quotient(Expr::machine("line_bytes"));
                Expr::choose(order, vector, (boundary as f64).into(), 0.0.into(), all)
            }
        }
    }

    /// Whether a stream's array is one that begins where a vector may.
    fn is_laid_out(&self, stream: &Stream) -> bool {
        let program = self.nest.program;
        let function = program.and_then(|program| program.functions.get(self.nest.function));
        let objects = function.into_iter().flat_map(|function| &function.objects);
        let mut named = objects
            .filter(|named| named.name == stream.array)
            .peekable();
        stream.component.is_empty()
            && named.peek().is_some()
            && named.all(|named| named.is_whole && named.is_laid_out)
    }

    /// `None` where that is not known.
    fn begins(&self, stream: &Stream, access: &Access) -> Option<Begins> {
        let vectors = self.vector_loop();
        let mut stride = bytes_of(stream) as i64;
        let mut begins = Begins {
            at: 0,
            apart: LARGEST,
        };
        for (d, subscript) in stream.subscripts.iter().enumerate() {
            if subscript.gather.is_some() {
                return None;
            }
            let extent = stream.extents.get(d).and_then(Option::as_ref);
            // All arrays of C begin with element 0.
            let first = match extent {
                Some((first, _)) => first.clone(),
                None => Some(0.0)
                    .filter(|first| *first == self.nest.first_index)?
                    .into(),
            };
            let offset = Expr::from(*access.offset.get(d)? as f64);
            let offset = offset + subscript.base.clone() - first;
            begins.add(&offset, stride)?;
            for (variable, by) in &subscript.terms {
                let by = by.as_integer()?.checked_mul(stride)?;
                let mut loops = self.nest.loops.iter().map(|one| one.facts);
                let one = loops.find(|one| one.variable == *variable)?;
                begins.add(&one.lower, by)?;
                if one.variable != vectors.variable {
                    begins.repeat(by.checked_mul(one.step.as_integer()?)?);
                }
            }
            if d + 1 < stream.subscripts.len() {
                let (first, last) = extent?;
                let length = (last.clone() - first.clone() + 1.0).as_integer()?;
                stride = stride.checked_mul(length)?;
            }
        }
        Some(begins)
    }
}

impl Begins {
    /// `times` whole numbers of so many bytes further on.
    fn add(&mut self, times: &Expr, bytes: i64) -> Option<()> {
        match times.as_integer() {
            Some(times) => self.at = self.at.checked_add(times.checked_mul(bytes)?)?,
            None => self.repeat(bytes),
        }
        Some(())
    }

    /// Any number of so many bytes further on.
    fn repeat(&mut self, bytes: i64) {
        let zeros = bytes.trailing_zeros().min(self.apart.trailing_zeros());
        self.apart = 1 << zeros;
    }
}
