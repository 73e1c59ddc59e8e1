//! The workbook as a package: every part is XML, every reference leads somewhere, every formula uses functions that
//! Excel and LibreOffice 7.4 have.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};

use crate::support::command::{loopsheet, root};
use crate::support::programs::{WORKED, mixed, model};
use crate::support::trace_reports;
use loopsheet_export::xlsx::{ROOM, trace_workbook, workbook};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Functions that both programs have under the same name, without a prefix; one is added here only after a look at
/// both lists.
const FUNCTIONS: &[&str] = &[
    "ABS",
    "AND",
    "AVERAGE",
    "CEILING",
    "CHOOSE",
    "CONCATENATE",
    "COUNT",
    "COUNTIF",
    "EXP",
    "FLOOR",
    "HLOOKUP",
    "HYPERLINK",
    "IF",
    "IFERROR",
    "INDEX",
    "INT",
    "ISERROR",
    "ISNUMBER",
    "ISTEXT",
    "LARGE",
    "LEFT",
    "LEN",
    "LN",
    "LOG",
    "LOG10",
    "LOOKUP",
    "MATCH",
    "MAX",
    "MEDIAN",
    "MID",
    "MIN",
    "MOD",
    "N",
    "NA",
    "NOT",
    "OR",
    "POWER",
    "RIGHT",
    "ROUND",
    "ROUNDDOWN",
    "ROUNDUP",
    "ROW",
    "ROWS",
    "SMALL",
    "SQRT",
    "SUBTOTAL",
    "SUM",
    "SUMIF",
    "SUMIFS",
    "SUMPRODUCT",
    "TEXT",
    "TRIM",
    "TRUNC",
    "VLOOKUP",
];

struct Package {
    parts: BTreeMap<String, String>,
}

/// An element with its attributes and the text right after it.
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    text: String,
}

fn element(start: &BytesStart) -> Element {
    let attribute = |a: quick_xml::events::attributes::Attribute| {
        let key = a.key.as_ref().to_string();
        (
            key,
            quick_xml::escape::unescape(&a.value).unwrap().into_owned(),
        )
    };
    Element {
        name: start.name().as_ref().to_string(),
        attributes: start.attributes().map(|a| attribute(a.unwrap())).collect(),
        text: String::new(),
    }
}

/// All elements of a part; panics if it is not well-formed.
fn elements(part: &str, text: &str) -> Vec<Element> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let (mut found, mut depth): (Vec<Element>, usize) = (Vec::new(), 0);
    loop {
        match reader
            .read_event()
            .unwrap_or_else(|error| panic!("{part}: {error}"))
        {
            Event::Start(start) => {
                found.push(element(&start));
                depth += 1;
            }
            Event::Empty(start) => found.push(element(&start)),
            Event::End(_) => depth -= 1,
            Event::Text(text) => {
                if let Some(last) = found.last_mut() {
                    last.text.push_str(&text);
                }
            }
            Event::GeneralRef(reference) => {
                let name = reference.to_string();
                if let Some(last) = found.last_mut() {
                    last.text
                        .push_str(&quick_xml::escape::unescape(&format!("&{name};")).unwrap());
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0, "{part} ends early");
    found
}

impl Package {
    fn open(bytes: &[u8]) -> Package {
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let mut parts = BTreeMap::new();
        for index in 0..archive.len() {
            let mut part = archive.by_index(index).unwrap();
            let mut text = String::new();
            part.read_to_string(&mut text).unwrap();
            assert!(
                parts
                    .insert(part.name().unwrap().into_owned(), text)
                    .is_none(),
                "a part is there twice"
            );
        }
        Package { parts }
    }

    fn elements(&self, part: &str) -> Vec<Element> {
        elements(part, &self.parts[part])
    }

    fn sheets(&self) -> BTreeSet<String> {
        let sheets = self
            .elements("xl/workbook.xml")
            .into_iter()
            .filter(|e| e.name == "sheet");
        sheets.map(|e| e.attributes["name"].clone()).collect()
    }

    fn names(&self) -> Vec<(String, String)> {
        let names = self
            .elements("xl/workbook.xml")
            .into_iter()
            .filter(|e| e.name == "definedName");
        names
            .map(|e| (e.attributes["name"].clone(), e.text))
            .collect()
    }

    /// Part and text of all formulas: of cells, validations, conditional formats, charts.
    fn formulas(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for part in self
            .parts
            .keys()
            .filter(|part| part.starts_with("xl/worksheets/sheet") || part.contains("/charts/"))
        {
            let is_formula = |e: &Element| {
                matches!(
                    e.name.as_str(),
                    "f" | "c:f" | "formula" | "formula1" | "formula2"
                ) && !e.text.is_empty()
            };
            found.extend(
                self.elements(part)
                    .into_iter()
                    .filter(is_formula)
                    .map(|e| (part.clone(), e.text)),
            );
        }
        found
    }

    fn check(&self) {
        self.check_content_types();
        self.check_relationships();
        self.check_names();
        self.check_formulas();
    }

    fn check_content_types(&self) {
        let types = self.elements("[Content_Types].xml");
        let all = |name: &str, key: &str| -> BTreeSet<String> {
            types
                .iter()
                .filter(|e| e.name == name)
                .map(|e| e.attributes[key].clone())
                .collect()
        };
        let (extensions, parts) = (all("Default", "Extension"), all("Override", "PartName"));
        for part in self
            .parts
            .keys()
            .filter(|part| *part != "[Content_Types].xml")
        {
            let extension = part.rsplit('.').next().unwrap();
            let own = parts.contains(&format!("/{part}"));
            assert!(
                own || extensions.contains(extension),
                "{part} has no content type"
            );
            assert!(own || extension != "xml", "{part} is plain XML only");
        }
        for part in parts {
            assert!(
                self.parts.contains_key(&part[1..]),
                "{part} has a type and is not there"
            );
        }
    }

    fn check_relationships(&self) {
        let mut reached = BTreeSet::new();
        for part in self.parts.keys().filter(|part| part.ends_with(".rels")) {
            let (folder, file) = part.rsplit_once("_rels/").unwrap();
            let source = format!("{folder}{}", file.strip_suffix(".rels").unwrap());
            assert!(
                source.is_empty() || self.parts.contains_key(&source),
                "{part} is of no part"
            );
            let mut ids = BTreeSet::new();
            for relation in self
                .elements(part)
                .into_iter()
                .filter(|e| e.name == "Relationship")
            {
                assert!(
                    ids.insert(relation.attributes["Id"].clone()),
                    "{part}: an Id is there twice"
                );
                if relation
                    .attributes
                    .get("TargetMode")
                    .is_some_and(|mode| mode == "External")
                {
                    continue;
                }
                let target = resolved(folder, &relation.attributes["Target"]);
                assert!(
                    self.parts.contains_key(&target),
                    "{part}: there is no {target}"
                );
                reached.insert(target);
            }
            if self.parts.contains_key(&source) {
                let used = self
                    .elements(&source)
                    .into_iter()
                    .flat_map(|e| e.attributes)
                    .filter(|(k, _)| k == "r:id");
                used.for_each(|(_, id)| {
                    assert!(ids.contains(&id), "{source}: there is no relation {id}")
                });
            }
        }
        for part in self
            .parts
            .keys()
            .filter(|part| !part.ends_with(".rels") && *part != "[Content_Types].xml")
        {
            assert!(reached.contains(part), "nothing leads to {part}");
        }
    }

    fn check_names(&self) {
        let sheets = self.sheets();
        assert!(sheets.iter().all(|sheet| sheet.chars().count() <= 31));
        let mut seen = BTreeSet::new();
        for (name, reference) in self.names() {
            let is_built_in = name.starts_with("_xlnm.");
            assert!(
                is_built_in || seen.insert(name.to_lowercase()),
                "{name} is defined twice"
            );
            let mut characters = name.chars();
            assert!(
                characters
                    .next()
                    .is_some_and(|c| c.is_ascii_alphabetic() || c == '_'),
                "{name}"
            );
            assert!(
                characters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.')),
                "{name}"
            );
            assert!(!is_cell(&name), "{name} is a cell");
            for area in reference.split(',') {
                let (sheet, cells) = area
                    .rsplit_once('!')
                    .unwrap_or_else(|| panic!("{name} = {reference}"));
                assert!(
                    sheets.contains(&unquoted(sheet)),
                    "{name} = {reference}: there is no such sheet"
                );
                let is_area = |cell: &str| {
                    is_cell(cell) || is_built_in && cell.chars().all(char::is_alphanumeric)
                };
                assert!(
                    cells.replace('$', "").split(':').all(is_area),
                    "{name} = {reference} is no range"
                );
            }
        }
    }

    fn check_formulas(&self) {
        let sheets = self.sheets();
        let names: BTreeSet<String> = self
            .names()
            .into_iter()
            .map(|(name, _)| name.to_lowercase())
            .collect();
        for (part, formula) in self.formulas() {
            assert!(
                formula.len() <= 8192,
                "{part}: {} characters",
                formula.len()
            );
            for token in tokens(&formula) {
                match token {
                    Token::Function(name) => {
                        assert!(
                            FUNCTIONS.contains(&name.as_str()),
                            "{part}: {name} in {formula}"
                        );
                    }
                    Token::Sheet(name) => assert!(
                        sheets.contains(&name),
                        "{part}: no sheet {name} in {formula}"
                    ),
                    Token::Name(name) => {
                        let is_known =
                            names.contains(&name.to_lowercase()) || is_cell(&name.replace('$', ""));
                        assert!(
                            is_known || matches!(name.as_str(), "TRUE" | "FALSE"),
                            "{part}: {name} in {formula}"
                        );
                    }
                }
            }
        }
    }
}

enum Token {
    Function(String),
    Sheet(String),
    /// A defined name or a cell.
    Name(String),
}

/// What a formula names; texts and numbers are passed over.
fn tokens(formula: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let characters: Vec<char> = formula.chars().collect();
    let mut at = 0;
    while at < characters.len() {
        let start = at;
        match characters[at] {
            quote @ ('"' | '\'') => {
                let mut text = String::new();
                at += 1;
                while characters[at] != quote || characters.get(at + 1) == Some(&quote) {
                    at += if characters[at] == quote { 2 } else { 1 };
                    text.push(characters[at - 1]);
                }
                at += 1;
                if quote == '\'' {
                    assert_eq!(characters.get(at), Some(&'!'), "{formula}");
                    found.push(Token::Sheet(text));
                }
            }
            c if c.is_ascii_digit() => {
                let in_number = |at: usize| {
                    let c = characters[at];
                    c.is_ascii_digit()
                        || matches!(c, '.' | 'E')
                        || matches!(c, '+' | '-') && characters[at - 1] == 'E'
                };
                while at < characters.len() && in_number(at) {
                    at += 1;
                }
            }
            c if c.is_alphabetic() || matches!(c, '_' | '$') => {
                let in_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
                while at < characters.len() && in_name(characters[at]) {
                    at += 1;
                }
                let name: String = characters[start..at].iter().collect();
                found.push(match characters.get(at) {
                    Some('(') => Token::Function(name),
                    Some('!') => Token::Sheet(name),
                    _ => Token::Name(name),
                });
            }
            _ => at += 1,
        }
    }
    found
}

/// `../charts/chart1.xml` of a folder.
fn resolved(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_string();
    }
    let mut path: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in target.split('/') {
        if step == ".." {
            path.pop().map(|_| ()).unwrap()
        } else {
            path.push(step)
        }
    }
    path.join("/")
}

fn unquoted(sheet: &str) -> String {
    sheet.trim_matches('\'').replace("''", "'")
}

/// `C5`, in a sheet of 16,384 columns and 1,048,576 rows.
fn is_cell(text: &str) -> bool {
    let letters = text.chars().take_while(char::is_ascii_uppercase).count();
    let column = text[..letters]
        .bytes()
        .fold(0u32, |n, b| (n * 26 + u32::from(b - b'A') + 1).min(99_999));
    let row = text[letters..].parse::<u32>();
    (1..=16_384).contains(&column) && row.is_ok_and(|row| (1..=1_048_576).contains(&row))
}

#[test]
fn static_workbooks_are_sound() {
    let program = mixed();
    for machine in ["exasat", "xeon-8380", "grace"] {
        let model = model(&program, machine, WORKED);
        for bytes in [workbook(&model), workbook(&model.for_any_machine(ROOM))] {
            let package = Package::open(&bytes.unwrap());
            package.check();
            assert!(package.formulas().len() > 500);
        }
    }
}

#[test]
fn workbooks_of_traces_are_sound() {
    for report in [trace_reports::full(), trace_reports::large()] {
        Package::open(&trace_workbook(&report).unwrap()).check();
    }
}

#[test]
fn the_workbook_of_a_difference_is_sound() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("diff.xlsx");
    let mut command = loopsheet();
    command.current_dir(root()).arg("diff");
    command.args(["samples/changes/old", "samples/changes/new", "-q", "-o"]);
    command.arg(&path).assert().success();
    let package = Package::open(&std::fs::read(path).unwrap());
    package.check();
    assert_eq!(
        package.sheets(),
        ["Changes", "Flips and limits"].map(String::from).into()
    );
    assert!(package.formulas().len() > 30);
}

#[test]
fn the_check_finds_what_is_wrong() {
    let sound = Package::open(&workbook(&model(&mixed(), "exasat", WORKED)).unwrap());
    let broken = |part: &str, from: &str, to: &str| {
        let mut parts = sound.parts.clone();
        let text = parts.get_mut(part).unwrap();
        assert!(text.contains(from), "{part} has no {from}");
        *text = text.replacen(from, to, 1);
        std::panic::catch_unwind(|| Package { parts }.check()).is_err()
    };
    assert!(!broken("xl/workbook.xml", "Summary", "Summary"));
    assert!(broken("xl/workbook.xml", "<sheets>", "<sheets"));
    assert!(broken("xl/workbook.xml", "Machine!", "Machines!"));
    assert!(broken(
        "[Content_Types].xml",
        "/xl/worksheets/sheet1.xml",
        "/xl/worksheets/sheet0.xml"
    ));
    assert!(broken(
        "xl/_rels/workbook.xml.rels",
        "worksheets/sheet1.xml",
        "worksheets/sheet0.xml"
    ));
    assert!(broken("xl/worksheets/sheet1.xml", "MATCH(", "XLOOKUP("));
    assert!(broken("xl/worksheets/sheet1.xml", "Loops!", "Loop!"));
}
