//! One page for a browser, with all that it needs inside: tables, a roofline, dependence graphs, source lines, and inputs
//! that every figure follows.
//!
//! The page computes with the model's own expressions, as steps that its scripts interpret; values are in it only as far as
//! they are inputs. Text of the source is data for scripts, never markup. The same model gives the same bytes.

mod compared;
mod data;
mod details;
mod figures;
mod formulas;
mod graphs;
mod inputs;
mod maps;
mod nests;
mod remarks;
mod tables;

pub use compared::Study;

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::expr::FigureId;
use crate::model::Model;
use figures::Figures;

/// The text of a source file by its path, if it can be read.
pub type Sources<'s> = &'s dyn Fn(&str) -> Option<String>;

const PAGE: &str = include_str!("../templates/report.html");
const STYLE: &str = include_str!("../templates/report.css");
/// In the order in which they name each other.
const SCRIPTS: [&str; 12] = [
    include_str!("../templates/unpack.js"),
    include_str!("../templates/evaluate.js"),
    include_str!("../templates/format.js"),
    include_str!("../templates/state.js"),
    include_str!("../templates/table.js"),
    include_str!("../templates/inputs.js"),
    include_str!("../templates/maps.js"),
    include_str!("../templates/roofline.js"),
    include_str!("../templates/scatter.js"),
    include_str!("../templates/staircase.js"),
    include_str!("../templates/nests.js"),
    include_str!("../templates/main.js"),
];

/// The page. Values and formulas are those of a model built with [`crate::model::Detail::Formulas`].
pub fn report(model: &Model, sources: Sources) -> String {
    page(model, None, sources)
}

/// The same page with what a run did beside what the model says: a scatter chart and tables.
pub fn study(model: &Model, study: Study, sources: Sources) -> String {
    page(model, Some(study), sources)
}

fn page(model: &Model, study: Option<Study>, sources: Sources) -> String {
    let mut figures = Figures::new(model);
    let graphs = graphs::drawings(model, &mut figures);
    let data = data::build(model, study, sources, &mut figures);
    let kept = figures.kept_inputs();
    let formulas = figures.formulas(&kept);
    let mut page = String::new();
    let mut rest = PAGE;
    while let Some((before, (name, after))) = rest
        .split_once("{{")
        .and_then(|(b, a)| Some((b, a.split_once("}}")?)))
    {
        page.push_str(before);
        match name {
            "title" => page.push_str(&title(model, study)),
            "style" => page.push_str(STYLE),
            "data" => page.push_str(&packed(data.to_string().as_bytes())),
            "formulas" => page.push_str(&packed(&formulas.bytes())),
            "scripts" => SCRIPTS.iter().for_each(|script| page.push_str(script)),
            "graphs" => page.push_str(&packed(graphs.as_bytes())),
            _ => unreachable!("the template names a missing part: {name}"),
        }
        rest = after;
    }
    page + rest
}

/// The figures that the page shows or needs, at the positions by which its cells name them; `None` is a formula that only
/// the page has.
pub fn bound_figures(model: &Model) -> Vec<Option<FigureId>> {
    let mut figures = Figures::new(model);
    graphs::drawings(model, &mut figures);
    data::build(model, None, &|_| None, &mut figures);
    figures.bound()
}

fn title(model: &Model, study: Option<Study>) -> String {
    let files = match model.program.files.as_slice() {
        [] => "no files".to_string(),
        [file] => file.path.to_string(),
        files => format!("{} files", files.len()),
    };
    let done = if study.is_some() {
        ", and what a run did"
    } else {
        ""
    };
    escaped(&format!(
        "What the loops cost: {files} on {}{done}",
        model.machine.name
    ))
}

/// Text as markup takes it.
fn escaped(text: &str) -> String {
    super::svg::escaped(text)
}

/// Deflated, and in base64: characters that end no script, in a fraction of the size.
fn packed(content: &[u8]) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(content);
    let bytes = written.and_then(|()| encoder.finish());
    base64(&bytes.expect("memory takes all that is written"))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or_default());
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        for digit in 0..4 {
            match digit <= three.len() {
                true => text.push(char::from(
                    DIGITS[((bits >> (18 - 6 * digit)) & 63) as usize],
                )),
                false => text.push('='),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    /// The test vectors of RFC 4648, section 10.
    #[test]
    fn base64_is_as_the_standard_says() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let codes = [
            "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy",
        ];
        assert_eq!(texts.map(|text| base64(text.as_bytes())), codes);
    }
}
