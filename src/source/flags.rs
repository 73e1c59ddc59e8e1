//! What a compiler's flags say of how Fortran is read: sizes of types where the source gives no kind, form and width of
//! lines. Flags of the compilers that people use; one that is known to change figures and is not heeded is reported.

use super::Form;
use super::fixed_form::Columns;
use serde::{Deserialize, Serialize};

/// Sizes in bytes of Fortran's types where the source gives no kind, and what stands for given kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kinds {
    pub real: u32,
    /// `double precision`, and literals such as `1d0`.
    pub double: u32,
    pub integer: u32,
    pub logical: u32,
    /// What `-freal-4-real-8` and `-freal-8-real-4` make of kinds 4 and 8.
    promoted_reals: [u32; 2],
    /// What `-finteger-4-integer-8` makes of kind 4.
    promoted_integer: u32,
}

impl Default for Kinds {
    /// Those of the standard on every machine of today.
    fn default() -> Kinds {
        Kinds {
            real: 4,
            double: 8,
            integer: 4,
            logical: 4,
            promoted_reals: [4, 8],
            promoted_integer: 4,
        }
    }
}

impl Kinds {
    /// Bytes of a real of that kind.
    pub fn real_of_kind(&self, kind: u32) -> u32 {
        match kind {
            4 => self.promoted_reals[0],
            8 => self.promoted_reals[1],
            other => other,
        }
    }

    /// Bytes of an integer of that kind.
    pub fn integer_of_kind(&self, kind: u32) -> u32 {
        match kind {
            4 => self.promoted_integer,
            other => other,
        }
    }
}

/// What a compiler's flags say of Fortran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FortranFlags {
    real: Option<u32>,
    /// What a larger default real makes of double precision.
    double_beside_real: Option<u32>,
    double: Option<u32>,
    integer: Option<u32>,
    promoted_reals: [Option<u32>; 2],
    promoted_integer: Option<u32>,
    /// `None`: the extension and the text decide.
    pub form: Option<Form>,
    /// `None`: 72 columns, unless the text needs more.
    pub columns: Option<Columns>,
    /// Whether lines that begin with `d` are code.
    pub debug_lines: bool,
    /// `None`: the extension and the text decide.
    pub preprocess: Option<bool>,
}

/// What one flag does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Bytes of default reals, and of double precision beside them.
    Real(u32, u32),
    Double(u32),
    /// Bytes of default integers and logicals.
    Integer(u32),
    /// The real kind in the first place stands for so many bytes.
    PromoteReal(u32, u32),
    PromoteInteger(u32),
    Form(Form),
    Columns(Columns),
    DebugLines(bool),
    Preprocess(bool),
}

use Effect::{DebugLines, Double, Integer, Preprocess, PromoteInteger, PromoteReal, Real};

/// Flags that are one word.
const WORDS: &[(&str, &[Effect])] = &[
    // GNU and LLVM.
    ("-fdefault-real-8", &[Real(8, 16)]),
    ("-fdefault-real-10", &[Real(16, 16)]),
    ("-fdefault-real-16", &[Real(16, 16)]),
    ("-fdefault-double-8", &[Double(8)]),
    ("-fdefault-integer-8", &[Integer(8)]),
    ("-freal-4-real-8", &[PromoteReal(4, 8)]),
    ("-freal-4-real-10", &[PromoteReal(4, 16)]),
    ("-freal-4-real-16", &[PromoteReal(4, 16)]),
    ("-freal-8-real-4", &[PromoteReal(8, 4)]),
    ("-freal-8-real-10", &[PromoteReal(8, 16)]),
    ("-freal-8-real-16", &[PromoteReal(8, 16)]),
    ("-finteger-4-integer-8", &[PromoteInteger(8)]),
    ("-ffixed-form", &[Effect::Form(Form::Fixed)]),
    ("-ffree-form", &[Effect::Form(Form::Free)]),
    ("-fd-lines-as-code", &[DebugLines(true)]),
    ("-fd-lines-as-comments", &[DebugLines(false)]),
    ("-cpp", &[Preprocess(true)]),
    ("-nocpp", &[Preprocess(false)]),
    // Intel, NVIDIA, NAG and many others.
    ("-r4", &[Real(4, 8)]),
    ("-r8", &[Real(8, 8)]),
    ("-r16", &[Real(16, 16)]),
    ("-autodouble", &[Real(8, 8)]),
    ("-i2", &[Integer(2)]),
    ("-i4", &[Integer(4)]),
    ("-i8", &[Integer(8)]),
    ("-Mr8", &[Real(8, 8)]),
    ("-Mnor8", &[Real(4, 8)]),
    ("-double", &[Real(8, 16), Integer(8)]),
    ("-fixed", &[Effect::Form(Form::Fixed)]),
    ("-nofree", &[Effect::Form(Form::Fixed)]),
    ("-free", &[Effect::Form(Form::Free)]),
    ("-nofixed", &[Effect::Form(Form::Free)]),
    ("-Mfixed", &[Effect::Form(Form::Fixed)]),
    ("-Mnofree", &[Effect::Form(Form::Fixed)]),
    ("-Mnofreeform", &[Effect::Form(Form::Fixed)]),
    ("-Mfree", &[Effect::Form(Form::Free)]),
    ("-Mfreeform", &[Effect::Form(Form::Free)]),
    ("-Fixed", &[Effect::Form(Form::Fixed)]),
    ("-Free", &[Effect::Form(Form::Free)]),
    ("-extend-source", &[Effect::Columns(Columns::First(132))]),
    ("-noextend-source", &[Effect::Columns(Columns::First(72))]),
    ("-Mextend", &[Effect::Columns(Columns::First(132))]),
    ("-Mnoextend", &[Effect::Columns(Columns::First(72))]),
    ("-72", &[Effect::Columns(Columns::First(72))]),
    ("-80", &[Effect::Columns(Columns::First(80))]),
    ("-132", &[Effect::Columns(Columns::First(132))]),
    ("-Fwide", &[Effect::Columns(Columns::First(255))]),
    ("-fpp", &[Preprocess(true)]),
    ("-nofpp", &[Preprocess(false)]),
    ("-Mpreprocess", &[Preprocess(true)]),
    ("-d-lines", &[DebugLines(true)]),
    ("-nod-lines", &[DebugLines(false)]),
    ("-Mdlines", &[DebugLines(true)]),
    ("-Mnodlines", &[DebugLines(false)]),
    // Cray: double precision as large as a real of 64 bits.
    ("-dp", &[Double(8)]),
    // IBM.
    ("-qfixed", &[Effect::Form(Form::Fixed)]),
    ("-qfree", &[Effect::Form(Form::Free)]),
    ("-qdlines", &[DebugLines(true)]),
];

/// Flags with a value, and how the value may follow.
const VALUED: &[(&str, Value)] = &[
    (
        "-real-size",
        Value::Bits(|bytes| vec![Real(bytes, bytes.max(8))]),
    ),
    ("-double-size", Value::Bits(|bytes| vec![Double(bytes)])),
    ("-integer-size", Value::Bits(|bytes| vec![Integer(bytes)])),
    ("-extend-source", Value::Columns),
    ("-ffixed-line-length", Value::Columns),
    ("-N", Value::Columns),
    ("-qfixed", Value::FixedColumns),
    (
        "-qrealsize",
        Value::Bytes(|bytes| vec![Real(bytes, 2 * bytes)]),
    ),
    ("-qintsize", Value::Bytes(|bytes| vec![Integer(bytes)])),
    (
        "-qautodbl",
        Value::Named(&[
            ("none", &[]),
            ("dbl4", &[PromoteReal(4, 8)]),
            ("dblpad4", &[PromoteReal(4, 8)]),
            ("dbl8", &[PromoteReal(8, 16)]),
            ("dblpad8", &[PromoteReal(8, 16)]),
            ("dbl", &[PromoteReal(4, 8), PromoteReal(8, 16)]),
            ("dblpad", &[PromoteReal(4, 8), PromoteReal(8, 16)]),
        ]),
    ),
    (
        "-qfree",
        Value::Named(&[("f90", &[Effect::Form(Form::Free)])]),
    ),
    (
        "-s",
        Value::Named(&[
            ("real32", &[Real(4, 8)]),
            ("real64", &[Real(8, 16)]),
            ("integer32", &[Integer(4)]),
            ("integer64", &[Integer(8)]),
            ("default32", &[Real(4, 8), Integer(4)]),
            ("default64", &[Real(8, 16), Integer(8)]),
        ]),
    ),
    (
        "-f",
        Value::Named(&[
            ("fixed", &[Effect::Form(Form::Fixed)]),
            ("free", &[Effect::Form(Form::Free)]),
        ]),
    ),
];

/// How a flag's value is read.
enum Value {
    /// 32, 64 or 128.
    Bits(fn(u32) -> Vec<Effect>),
    /// 2, 4 or 8.
    Bytes(fn(u32) -> Vec<Effect>),
    /// A number of columns, `none` or 0.
    Columns,
    /// The same, of fixed form.
    FixedColumns,
    Named(&'static [(&'static str, &'static [Effect])]),
}

/// Beginnings of flags that change sizes, offsets or lines of Fortran and are not heeded, unless one above is meant.
const NOT_HEEDED: &[&str] = &[
    "-fdefault-real-",
    "-fdefault-integer-",
    "-fdefault-double-",
    "-freal-",
    "-finteger-",
    "-real-size",
    "-double-size",
    "-integer-size",
    "-qrealsize",
    "-qintsize",
    "-qautodbl",
    "-ffixed-line-length",
    "-xtypemap",
    "-fpack-derived",
    "-noalign",
    "-CcR",
    "-CcdR",
    "-CcI",
    "-CcdI",
    "-CcL",
    "-CcdL",
];

/// Words that the flag `-align` lays out members with.
const ALIGNMENTS: &[&str] = &["rec1byte", "rec2byte", "rec4byte", "norecords", "packed"];

/// Beginnings of flags that change sizes or offsets of C's types and are not heeded.
const NOT_HEEDED_IN_C: &[&str] = &[
    "-m32",
    "-mx32",
    "-m16",
    "-mabi=ilp32",
    "-mlong-double-64",
    "-fshort-enums",
    "-fshort-double",
    "-fpack-struct",
];

/// What became of a word of a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heeded {
    /// It says nothing of how Fortran is read.
    Other,
    Word,
    /// With the next word.
    Two,
    /// It changes figures in a way that is not known here.
    No,
    /// It does so together with the next word.
    NotTwo,
}

/// Whether a flag changes figures of C in a way that is not known here.
pub fn changes_c(word: &str) -> bool {
    NOT_HEEDED_IN_C.iter().any(|start| word.starts_with(start))
}

impl FortranFlags {
    /// Takes a word of a compiler's command line, perhaps with the one after it. A later flag counts more.
    pub fn read(&mut self, word: &str, next: Option<&str>) -> Heeded {
        // Intel's may be written with underscores.
        let word = word.replace('_', "-");
        for (flag, value) in VALUED {
            let Some(attached) = word.strip_prefix(flag) else {
                continue;
            };
            let inside = attached.strip_prefix(['=', ':', '-']).unwrap_or(attached);
            let (text, heeded) = match (inside, next) {
                ("", Some(next)) => (next, Heeded::Two),
                ("", None) => continue,
                (text, _) => (text, Heeded::Word),
            };
            if let Some(effects) = value.effects(text) {
                effects.into_iter().for_each(|effect| self.apply(effect));
                return heeded;
            }
        }
        if let Some((_, effects)) = WORDS.iter().find(|(known, _)| *known == word) {
            effects.iter().for_each(|effect| self.apply(*effect));
            return Heeded::Word;
        }
        let value = next.filter(|next| match word.as_str() {
            "-align" => ALIGNMENTS.contains(next),
            "-real-size" | "-double-size" | "-integer-size" => true,
            _ => false,
        });
        match value {
            Some(_) => Heeded::NotTwo,
            None if NOT_HEEDED.iter().any(|start| word.starts_with(start)) => Heeded::No,
            None => Heeded::Other,
        }
    }

    /// NAG's `-r8` doubles double precision too.
    pub fn double_all(&mut self) {
        if let Some(real) = self.real {
            self.double_beside_real = Some(2 * real);
        }
    }

    fn apply(&mut self, effect: Effect) {
        match effect {
            Real(real, double) => {
                self.real = Some(real);
                self.double_beside_real = Some(double);
            }
            Double(bytes) => self.double = Some(bytes),
            Integer(bytes) => self.integer = Some(bytes),
            PromoteReal(kind, bytes) => {
                self.promoted_reals[usize::from(kind == 8)] = Some(bytes);
            }
            PromoteInteger(bytes) => self.promoted_integer = Some(bytes),
            Effect::Form(form) => self.form = Some(form),
            Effect::Columns(columns) => self.columns = Some(columns),
            DebugLines(are_code) => self.debug_lines = are_code,
            Preprocess(is_wanted) => self.preprocess = Some(is_wanted),
        }
    }

    /// The sizes that follow.
    pub fn kinds(&self) -> Kinds {
        let plain = Kinds::default();
        let double = self.double.or(self.double_beside_real);
        let promoted = Kinds {
            promoted_reals: [
                self.promoted_reals[0].unwrap_or(4),
                self.promoted_reals[1].unwrap_or(8),
            ],
            promoted_integer: self.promoted_integer.unwrap_or(4),
            ..plain
        };
        Kinds {
            real: promoted.real_of_kind(self.real.unwrap_or(plain.real)),
            double: promoted.real_of_kind(double.unwrap_or(plain.double)),
            integer: promoted.integer_of_kind(self.integer.unwrap_or(plain.integer)),
            logical: self.integer.unwrap_or(plain.logical),
            ..promoted
        }
    }
}

impl Value {
    /// `None` if the text is no such value.
    fn effects(&self, text: &str) -> Option<Vec<Effect>> {
        match self {
            Value::Bits(effects) => match text.parse().ok()? {
                bits @ (16 | 32 | 64 | 128) => Some(effects(bits / 8)),
                _ => None,
            },
            Value::Bytes(effects) => match text.parse().ok()? {
                bytes @ (2 | 4 | 8) => Some(effects(bytes)),
                _ => None,
            },
            Value::Columns => Some(vec![Effect::Columns(columns(text)?)]),
            Value::FixedColumns => Some(vec![
                Effect::Form(Form::Fixed),
                Effect::Columns(columns(text)?),
            ]),
            Value::Named(known) => {
                let mut all = Vec::new();
                for part in text.split(',') {
                    let (_, effects) = known.iter().find(|(name, _)| *name == part)?;
                    all.extend_from_slice(effects);
                }
                Some(all)
            }
        }
    }
}

fn columns(text: &str) -> Option<Columns> {
    match text {
        "none" | "0" => Some(Columns::All),
        _ => Some(Columns::First(
            text.parse().ok().filter(|columns| *columns >= 7)?,
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The flags of a command line, and those of its words that are not heeded.
    fn read(line: &str) -> (FortranFlags, Vec<&str>) {
        let (mut flags, mut not_heeded) = (FortranFlags::default(), Vec::new());
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut at = 0;
        while at < words.len() {
            match flags.read(words[at], words.get(at + 1).copied()) {
                Heeded::Two => at += 1,
                Heeded::No | Heeded::NotTwo => not_heeded.push(words[at]),
                Heeded::Word | Heeded::Other => {}
            }
            at += 1;
        }
        (flags, not_heeded)
    }

    /// Bytes of default reals, double precision, default integers and logicals.
    fn sizes(line: &str) -> [u32; 4] {
        let (flags, not_heeded) = read(line);
        assert!(not_heeded.is_empty(), "{line}: {not_heeded:?}");
        let kinds = flags.kinds();
        [kinds.real, kinds.double, kinds.integer, kinds.logical]
    }

    /// As the manuals of the compilers have it.
    #[test]
    fn default_sizes_follow_the_flags_of_every_compiler() {
        for (line, expected) in [
            ("gfortran -O2 -c", [4, 8, 4, 4]),
            ("-fdefault-real-8", [8, 16, 4, 4]),
            ("-fdefault-real-8 -fdefault-double-8", [8, 8, 4, 4]),
            ("-fdefault-double-8 -fdefault-real-8", [8, 8, 4, 4]),
            ("-fdefault-integer-8", [4, 8, 8, 8]),
            ("-freal-4-real-8", [8, 8, 4, 4]),
            ("-freal-8-real-4", [4, 4, 4, 4]),
            ("-freal-4-real-8 -freal-8-real-16", [8, 16, 4, 4]),
            ("-finteger-4-integer-8", [4, 8, 8, 4]),
            ("-r8", [8, 8, 4, 4]),
            ("-r8 -i8", [8, 8, 8, 8]),
            ("-r8 -r4", [4, 8, 4, 4]),
            ("-autodouble", [8, 8, 4, 4]),
            ("-real-size 64", [8, 8, 4, 4]),
            ("-real_size 64 -integer_size 64", [8, 8, 8, 8]),
            ("-real-size=128", [16, 16, 4, 4]),
            ("-real-size:32 -double-size 128", [4, 16, 4, 4]),
            ("-Mr8", [8, 8, 4, 4]),
            ("-s real64", [8, 16, 4, 4]),
            ("-sdefault64 -dp", [8, 8, 8, 8]),
            ("-s real64,integer64 -s strip", [8, 16, 8, 8]),
            ("-qrealsize=8 -qintsize=8", [8, 16, 8, 8]),
            ("-qautodbl=dbl4", [8, 8, 4, 4]),
            ("-double", [8, 16, 8, 8]),
        ] {
            assert_eq!(sizes(line), expected, "{line}");
        }
    }

    #[test]
    fn kinds_that_are_given_are_promoted_by_flags_for_them_only() {
        let of = |line: &str| {
            let kinds = read(line).0.kinds();
            [
                kinds.real_of_kind(4),
                kinds.real_of_kind(8),
                kinds.integer_of_kind(4),
            ]
        };
        assert_eq!(of("-fdefault-real-8 -i8"), [4, 8, 4]);
        assert_eq!(of("-freal-4-real-8"), [8, 8, 4]);
        assert_eq!(of("-freal-8-real-4 -finteger-4-integer-8"), [4, 4, 8]);
    }

    #[test]
    fn form_and_columns() {
        for (line, form, columns) in [
            (
                "-ffixed-form -ffixed-line-length-132",
                Some(Form::Fixed),
                Some(Columns::First(132)),
            ),
            ("-ffixed-line-length-none", None, Some(Columns::All)),
            ("-ffixed-line-length-0", None, Some(Columns::All)),
            (
                "-ffree-form -ffree-line-length-none",
                Some(Form::Free),
                None,
            ),
            (
                "-fixed -extend-source",
                Some(Form::Fixed),
                Some(Columns::First(132)),
            ),
            (
                "-extend_source 80 -nofree",
                Some(Form::Fixed),
                Some(Columns::First(80)),
            ),
            ("-extend-source x.f", None, Some(Columns::First(132))),
            (
                "-f free -N 255",
                Some(Form::Free),
                Some(Columns::First(255)),
            ),
            ("-qfixed=132", Some(Form::Fixed), Some(Columns::First(132))),
            ("-qfree=f90", Some(Form::Free), None),
            (
                "-Mfreeform -Mextend",
                Some(Form::Free),
                Some(Columns::First(132)),
            ),
        ] {
            let (flags, _) = read(line);
            assert_eq!((flags.form, flags.columns), (form, columns), "{line}");
        }
        assert!(read("-fd-lines-as-code").0.debug_lines);
    }

    #[test]
    fn what_changes_figures_and_is_not_known_is_reported() {
        let line = "-O2 -real-size 80 -xtypemap=real:64 -fdefault-real-12 -align rec1byte -align array64byte -fpack-derived -s -free-form";
        assert_eq!(
            read(line).1,
            [
                "-real-size",
                "-xtypemap=real:64",
                "-fdefault-real-12",
                "-align",
                "-fpack-derived"
            ]
        );
        assert!(changes_c("-m32") && changes_c("-fpack-struct=1") && !changes_c("-march=native"));
    }
}
