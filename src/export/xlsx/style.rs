//! How cells look: one look a kind of content, and one style for what may be changed.

use rust_xlsxwriter::{
    ConditionalFormatDataBar, ConditionalFormatType, Format, FormatAlign, FormatBorder,
    FormatUnderline, Worksheet,
};

use crate::model::BoundBy;

pub(crate) use crate::listings::Look;

impl Look {
    fn number_format(self) -> &'static str {
        match self {
            Look::Text | Look::Number => "General",
            Look::Count => "#,##0",
            Look::Times => "[=0]0;[<100]0.00;#,##0",
            // With exponents of thousandths, millionths … below a second: E-3 are milliseconds. What is too large to fit a
            // cell has a power of ten.
            Look::Seconds => "[>=1000000]0.00E+00;[>=1]#,##0.000;##0.00E+0",
            Look::Bytes => {
                "[>=1000000000000000]0.00E+00\" B\";[>=1000000000]#,##0.00,,,\" GB\";0.00,,\" MB\""
            }
            Look::Flops => {
                "[>=1000000000000000]0.00E+00\" flop\";[>=1000000000]#,##0.00,,,\" Gflop\";#,##0"
            }
            Look::Ratio => "[=0]0.000;[<0.01]0.00E+00;#,##0.000",
            Look::Share => "0.0%",
        }
    }

    /// Characters that a value takes.
    pub fn shown_length(self, value: f64) -> usize {
        let digits = (value.abs().max(1.0).log10().floor() as usize) + 1;
        match self {
            Look::Text => 0,
            Look::Number => format!("{value}").len().min(11),
            Look::Count => digits + (digits - 1) / 3,
            Look::Times => (digits + (digits - 1) / 3).max(5),
            Look::Seconds if digits > 6 => 10,
            Look::Seconds => 10.max(digits + 4 + (digits - 1) / 3),
            Look::Bytes if digits <= 12 => 12,
            Look::Bytes => 13,
            Look::Flops => {
                if digits <= 12 {
                    12
                } else {
                    16
                }
            }
            Look::Ratio => digits + (digits - 1) / 3 + 4,
            Look::Share => 6,
        }
    }
}

/// Role of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Follows from others, or is a fact of the source.
    Plain,
    /// May be changed.
    Input,
    /// May be changed, and nothing says what it is.
    Guessed,
    /// A parameter that the source defines by others; may be replaced by a number.
    Derived,
    Unknown,
}

/// Of flops where no heading has the unit.
pub(super) const FLOPS: &str =
    "[>=1000000000000000]0.00E+00\" flop\";[>=1000000000]#,##0.00,,,\" Gflop\";#,##0\" flop\"";

/// Of bytes below a million.
pub(super) const SMALL_BYTES: &str = "[>=1000]0.0,\" kB\";0\" B\"";

/// Of what holds, and of what does not.
pub(super) const GOOD: u32 = 0xCDE8C6;
pub(super) const FAIR: u32 = 0xFBE8B8;
pub(super) const BAD: u32 = 0xF4B6A6;

/// Lines of levels, from the nearest on.
pub(super) const LEVELS: [u32; 8] = [
    0xC9A227, 0xD9772B, 0x8064A2, 0x3A6491, 0xB0413E, 0x7F8C8D, 0x24476B, 0x4F8A4C,
];

/// Caches that bound a nest, from the nearest on.
const CACHES: [u32; 4] = [0xC9A227, 0xD9772B, 0x8064A2, 0xA9745B];

/// Of what bounds a nest, whatever else there is; `memory` is the position of the level that is the memory.
pub(super) fn of_bound(bound: BoundBy, memory: usize) -> u32 {
    match bound {
        BoundBy::Arithmetic => 0x4F8A4C,
        BoundBy::Level(level) if level == memory => 0x3A6491,
        BoundBy::Level(level) => CACHES[level % CACHES.len()],
        BoundBy::Chains => 0xB0413E,
        BoundBy::Ports => 0x7F8C8D,
        BoundBy::Irregular => 0x24476B,
        BoundBy::Text => 0x2E9C9C,
        BoundBy::Branches => 0x9C5BA8,
    }
}

const INK: u32 = 0x1F2A37;
const HEAD: u32 = 0x24476B;
const HEAD_ALTERNATE: u32 = 0x3A6491;
const UNITS: u32 = 0xDCE6F1;
const INPUT: u32 = 0xFFF4C2;
const INPUT_EDGE: u32 = 0xC9A227;
const GUESSED: u32 = 0xFBD9C5;
const GUESSED_EDGE: u32 = 0xC2571A;
const DERIVED: u32 = 0xE8F3E4;
pub(super) const FAINT: u32 = 0x6B7280;

/// The format of a cell.
pub(super) fn cell(look: Look, role: Role) -> Format {
    let format = Format::new()
        .set_font_color(INK)
        .set_num_format(look.number_format());
    let format = match look {
        Look::Text => format.set_align(FormatAlign::Left).set_indent(1),
        _ => format.set_align(FormatAlign::Right),
    };
    match role {
        Role::Plain => format.set_align(FormatAlign::Top),
        Role::Input => (format.set_background_color(INPUT))
            .set_align(FormatAlign::Top)
            .set_border(FormatBorder::Thin)
            .set_border_color(INPUT_EDGE)
            .set_unlocked(),
        Role::Guessed => (format.set_background_color(GUESSED))
            .set_align(FormatAlign::Top)
            .set_border(FormatBorder::Thin)
            .set_border_color(GUESSED_EDGE)
            .set_italic()
            .set_unlocked(),
        Role::Derived => format
            .set_align(FormatAlign::Top)
            .set_background_color(DERIVED)
            .set_italic(),
        Role::Unknown => format
            .set_align(FormatAlign::Top)
            .set_font_color(FAINT)
            .set_italic(),
    }
}

/// The format of a figure that is not exact.
pub(super) fn starred(look: Look) -> Format {
    let sections = look.number_format().split(';');
    let starred: Vec<String> = sections.map(|section| format!("{section}\" *\"")).collect();
    cell(look, Role::Plain).set_num_format(starred.join(";"))
}

/// Height of a row whose longest text takes so many lines.
pub(super) fn row_height(lines: usize) -> f64 {
    15.0 * lines.clamp(1, 27) as f64
}

/// Lines that a text takes in a column of that width.
pub(super) fn lines(text: &str, width: f64) -> usize {
    let room = (width * 1.05).max(8.0);
    ((text.chars().count() as f64 / room).ceil() as usize).max(1)
}

/// Text that continues on further lines of its cell.
pub(super) fn wrapped() -> Format {
    cell(Look::Text, Role::Plain).set_text_wrap()
}

pub(super) fn title() -> Format {
    Format::new()
        .set_bold()
        .set_font_size(16)
        .set_font_color(HEAD)
}

/// A link to another sheet.
pub(super) fn link() -> Format {
    cell(Look::Text, Role::Plain)
        .set_font_color(HEAD_ALTERNATE)
        .set_underline(FormatUnderline::Single)
}

/// Heading of a section within a sheet.
pub(super) fn section() -> Format {
    Format::new()
        .set_bold()
        .set_font_size(12)
        .set_font_color(HEAD)
}

/// Remark below a title.
pub(super) fn remark() -> Format {
    Format::new().set_italic().set_font_color(FAINT)
}

/// Heading over several columns; neighbours alternate.
pub(super) fn group(index: usize) -> Format {
    let colour = if index.is_multiple_of(2) {
        HEAD
    } else {
        HEAD_ALTERNATE
    };
    header()
        .set_background_color(colour)
        .set_align(FormatAlign::Left)
        .set_text_wrap()
}

/// Heading of a column.
pub(super) fn header() -> Format {
    Format::new()
        .set_bold()
        .set_font_color(0xFFFFFF)
        .set_background_color(HEAD)
        .set_align(FormatAlign::VerticalCenter)
        .set_align(FormatAlign::Center)
        .set_text_wrap()
        .set_border(FormatBorder::Thin)
        .set_border_color(UNITS)
}

/// Unit of a column.
pub(super) fn unit() -> Format {
    Format::new()
        .set_font_color(HEAD)
        .set_background_color(UNITS)
        .set_align(FormatAlign::Center)
        .set_border_bottom(FormatBorder::Thin)
        .set_border_bottom_color(HEAD)
}

/// Bars behind shares, from none to all: in the form that the first Excel with bars wrote, which all programs read. Of what
/// came later openpyxl warns that it is lost.
pub(super) fn bars() -> ConditionalFormatDataBar {
    ConditionalFormatDataBar::new()
        .use_classic_style()
        .set_fill_color(0x9DB9D9)
        .set_minimum(ConditionalFormatType::Number, 0)
        .set_maximum(ConditionalFormatType::Number, 1)
}

/// Landscape on A4, one page wide, headings and page numbers on each.
pub(super) fn print_setup(worksheet: &mut Worksheet) {
    const A4: u8 = 9;
    worksheet.set_landscape();
    worksheet.set_paper_size(A4);
    worksheet.set_print_fit_to_pages(1, 0);
    worksheet.set_margins(0.4, 0.4, 0.6, 0.6, 0.3, 0.3);
    worksheet.set_footer("&L&A&RPage &P of &N");
}
