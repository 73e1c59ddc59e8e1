//! The guide and the README: examples print what they show, citations lead somewhere, words are explained.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use calamine::{Reader, Xlsx};
use clap::Parser;
use loopsheet::cli::Cli;
use loopsheet::guide::Topic;
use loopsheet_base::reason::ReasonCode;
use loopsheet_compare::Cause;
use loopsheet_export::listings::plain_tables;
use loopsheet_export::xlsx::{ROOM, trace_workbook, workbook};
use strum::VariantArray;

use crate::support::command::{files, loopsheet, root};
use crate::support::programs::{WORKED, mixed, model};
use crate::support::trace_reports;

/// Columns of a page, tables aside.
const WIDTH: usize = 100;
/// What stands for lines, or the rest of a line, that are left out.
const LEFT_OUT: char = '…';

/// The pages by name, the README among them.
fn pages() -> BTreeMap<&'static str, String> {
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    let topics = Topic::ALL
        .iter()
        .map(|topic| (topic.name(), topic.text().to_string()));
    topics.chain([("README", readme)]).collect()
}

/// One line, whatever the lines were.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// The headings below the title.
fn headings(topic: Topic) -> Vec<&'static str> {
    let lines = topic.text().lines();
    lines.filter_map(|line| line.strip_prefix("## ")).collect()
}

fn topic(name: &str) -> Option<Topic> {
    Topic::ALL.iter().copied().find(|t| t.name() == name)
}

/// The lines of the blocks that are marked so.
fn blocks<'t>(page: &'t str, mark: &str) -> Vec<Vec<&'t str>> {
    let mut found: Vec<Vec<&str>> = Vec::new();
    let mut open: Option<bool> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), open) {
            (Some(info), None) => {
                open = Some(info == mark);
                if info == mark {
                    found.push(Vec::new());
                }
            }
            (Some(_), Some(_)) => open = None,
            (None, Some(true)) => found.last_mut().expect("an open block").push(line),
            (None, _) => {}
        }
    }
    assert_eq!(open, None, "a block does not end");
    found
}

#[test]
fn every_file_of_the_guide_is_a_topic() {
    let names: BTreeSet<String> = files("src/guide")
        .iter()
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into())
        .collect();
    let topics: BTreeSet<String> = Topic::ALL.iter().map(|t| t.name().to_string()).collect();
    assert_eq!(names, topics);
}

#[test]
fn pages_have_a_title_headings_of_their_own_and_lines_of_bounded_length() {
    for (name, page) in pages() {
        assert!(page.starts_with("# "), "{name}");
        for line in page.lines().filter(|line| !line.starts_with('|')) {
            assert!(line.chars().count() <= WIDTH, "{name}: {line}");
        }
        // Unmarked and indented blocks are Rust to rustdoc.
        for mark in page.lines().filter_map(|line| line.strip_prefix("```")) {
            assert!(
                ["", "text", "console", "python"].contains(&mark),
                "{name}: {mark}"
            );
        }
        assert!(blocks(&page, "").is_empty(), "{name}: a block has no mark");
    }
    for topic in Topic::ALL {
        let all = headings(*topic);
        let different: BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(all.len(), different.len(), "{}", topic.name());
    }
}

#[test]
fn the_readme_is_short_and_names_every_topic() {
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    assert!(readme.len() < 8000, "{} bytes", readme.len());
    for topic in Topic::ALL {
        let link = format!("(src/guide/{}.md)", topic.name());
        assert!(readme.contains(&link), "{link}");
    }
}

#[test]
fn links_lead_to_files() {
    for (name, page) in pages() {
        let directory = if name == "README" { "." } else { "src/guide" };
        let directory = root().join(directory);
        for link in page
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let is_elsewhere = link.starts_with("http") || link.contains(' ');
            assert!(
                is_elsewhere || directory.join(link).exists(),
                "{name}: {link}"
            );
        }
    }
}

#[test]
fn the_command_lists_topics_and_prints_pages() {
    let printed = |arguments: &[&str]| {
        let output = loopsheet().args(arguments).output().expect("it runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let (status, list, _) = printed(&["guide"]);
    assert_eq!(status, Some(0));
    for topic in Topic::ALL {
        assert!(list.contains(&format!("  {}", topic.name())) && list.contains(topic.about()));
        let page = (Some(0), topic.text().to_string(), String::new());
        assert_eq!(printed(&["guide", topic.name()]), page);
    }
    let (status, output, error) = printed(&["guide", "static"]);
    assert_eq!((status, output.as_str()), (Some(2), ""));
    assert!(error.contains("static-model"), "{error}");
}

/// A command of an example, and the lines below it.
struct Example<'t> {
    command: String,
    shown: Vec<&'t str>,
}

/// The examples of a page whose output is to be seen.
fn examples(page: &str) -> Vec<Example<'_>> {
    let mut found: Vec<Example> = Vec::new();
    for block in blocks(page, "console") {
        let mut goes_on = false;
        for line in block {
            let part = line.strip_suffix('\\');
            let text = part.unwrap_or(line);
            match line.strip_prefix("$ ") {
                _ if goes_on => found.last_mut().expect("a command").command += text.trim(),
                Some(_) => found.push(Example {
                    command: text["$ ".len()..].to_string(),
                    shown: Vec::new(),
                }),
                None => found.last_mut().expect("a command").shown.push(line),
            }
            goes_on = part.is_some();
        }
    }
    found
}

/// Whether a line is shown as it was printed, perhaps without its end.
fn is_line(shown: &str, printed: &str) -> bool {
    let (shown, printed) = (shown.trim_end(), printed.trim_end());
    let beginning = shown.strip_suffix(LEFT_OUT);
    shown == printed || beginning.is_some_and(|part| printed.starts_with(part))
}

/// The first line that is shown and was not printed there.
fn first_untrue<'t>(shown: &[&'t str], printed: &str) -> Option<&'t str> {
    let mut printed = printed.lines();
    let mut is_anywhere = false;
    for line in shown {
        if line.trim() == LEFT_OUT.to_string() {
            is_anywhere = true;
            continue;
        }
        let is_there = if is_anywhere {
            printed.any(|other| is_line(line, other))
        } else {
            printed.next().is_some_and(|other| is_line(line, other))
        };
        if !is_there {
            return Some(line);
        }
        is_anywhere = false;
    }
    let is_whole = is_anywhere || printed.all(|line| line.trim().is_empty());
    (!is_whole).then_some("the end: there is more")
}

/// What is wrong with an example, if anything is.
fn mistake(Example { command, shown }: &Example) -> Option<String> {
    let words = shlex::split(command).expect("words");
    assert_eq!(words[0], "loopsheet", "{command}");
    let mut program = loopsheet();
    program.args(&words[1..]).current_dir(root());
    program
        .env("COLUMNS", WIDTH.to_string())
        .env("NO_COLOR", "1");
    let output = program.output().expect("it runs");
    if !output.status.success() {
        return Some(String::from_utf8_lossy(&output.stderr).into());
    }
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    let untrue = first_untrue(shown, &printed)?;
    Some(format!("not printed there: {untrue}"))
}

#[test]
fn examples_print_what_they_show() {
    let (mut checked, mut mistakes) = (0, String::new());
    for (name, page) in pages() {
        for example in examples(&page) {
            if let Some(mistake) = mistake(&example) {
                mistakes += &format!("{name}: {}\n    {mistake}\n", example.command);
            }
            checked += example.shown.len();
        }
    }
    assert!(mistakes.is_empty(), "{mistakes}");
    assert!(checked > 100, "{checked}");
}

#[test]
fn what_an_example_shows_must_be_printed() {
    let printed = "a\nb\n\nc d\ne\n";
    for shown in [
        &["a", "b", "", "c d", "e"][..],
        &["a", "…"],
        &["…", "c …", "e"],
    ] {
        assert_eq!(first_untrue(shown, printed), None, "{shown:?}");
    }
    for shown in [
        &["a", "c d", "…"][..],
        &["a", "b"],
        &["…", "x", "…"],
        &["…", "e", "a"],
    ] {
        assert!(first_untrue(shown, printed).is_some(), "{shown:?}");
    }
}

/// The shape of a report on the page, as the words in it that are keys: not values that stand for one another (`a|b`), names
/// in capitals, or explanations in braces.
fn keys_shown(shape: &str) -> BTreeSet<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut shown = BTreeSet::new();
    for (start, part) in shape.match_indices(is_word) {
        let is_start = !shape[..start].ends_with(is_word);
        let rest = &shape[start..];
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let word = &rest[..end];
        let is_value = shape[..start].ends_with(['|', '/']) || rest[end..].starts_with(['|', '/']);
        let is_name = word.chars().all(|c| !c.is_ascii_lowercase());
        if is_start && !is_value && !is_name && !part.chars().all(|c| c.is_ascii_digit()) {
            shown.insert(word);
        }
    }
    shown
}

/// The page says what reports look like: every key on it is one that reports have.
#[test]
fn keys_on_the_page_are_keys_of_reports() {
    /// Words that explain, and what stands for a number.
    const EXPLANATIONS: &[&str] = &[
        "n", "lo", "hi", "as", "that", "of", "a", "its", "own", "the", "same", "figures",
    ];
    let page = Topic::Outputs.text();
    for schema in ["static", "trace", "rank", "validate", "compare"] {
        let name = format!("loopsheet/{schema}/1");
        let (before, after) = page.split_once(&name).unwrap_or_else(|| panic!("{name}"));
        // The name stands in the shape itself, or the shape follows it.
        let shape = match before.ends_with("\"schema\": \"") {
            true => after.split("```").next(),
            false => after
                .split("{ \"schema\"")
                .nth(1)
                .and_then(|rest| rest.split("```").next()),
        };
        let shape = shape
            .expect("a shape")
            .split("\n\n")
            .next()
            .expect("a shape");
        let golden = root().join(format!("tests/golden/keys/{schema}.txt"));
        let golden = fs::read_to_string(golden).expect("keys");
        let keys: BTreeSet<&str> = golden.split(['.', '[', ']', '\n']).collect();
        let shown = keys_shown(shape);
        let unknown: Vec<&&str> = shown
            .iter()
            .filter(|word| !keys.contains(**word) && !EXPLANATIONS.contains(word))
            .collect();
        assert!(unknown.is_empty(), "{name}: {unknown:?}");
        assert!(shown.len() > 8, "{name}: {shown:?}");
    }
}

/// Commands that are not run are commands of this version all the same.
#[test]
fn commands_that_are_shown_exist() {
    let mut checked = 0;
    for (name, page) in pages() {
        for line in blocks(&page, "text").into_iter().flatten() {
            for part in line.split('|').map(str::trim) {
                if !part.starts_with("loopsheet ") {
                    continue;
                }
                let words = shlex::split(part).expect("words");
                let is_argument = |word: &&String| !["#", ">"].contains(&word.as_str());
                let words: Vec<&String> = words.iter().take_while(is_argument).collect();
                if let Err(error) = Cli::try_parse_from(&words) {
                    panic!("{name}: {line}: {error}");
                }
                checked += 1;
            }
        }
    }
    assert!(checked > 30, "{checked}");
}

/// A directory with what the commands of the README name: `mycode`, its input, a repository with a branch.
fn own_code() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    let copy = |from: &str, to: &str| {
        fs::copy(root().join(from), path(to)).expect("a copy");
    };
    for name in ["mycode", "src"] {
        fs::create_dir(path(name)).expect("a directory");
        copy("samples/input/jacobi.f90", &format!("{name}/jacobi.f90"));
    }
    copy("samples/input/jacobi.in", "run.in");
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.current_dir(&directory).args(arguments);
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "A");
            command.env(format!("GIT_{role}_EMAIL"), "a@example.org");
        }
        assert!(command.output().expect("git runs").status.success());
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    git(&["checkout", "-qb", "change"]);
    copy("samples/kernels/redblack.f90", "src/jacobi.f90");
    git(&["commit", "-qam", "second"]);
    directory
}

/// The commands of the README's blocks without output, and those that need more than the program itself: a build, an
/// installation, an emulator (`components::study` runs that one).
#[test]
fn every_command_of_the_readme_runs() {
    const ELSEWHERE: &[&str] = &[
        "cargo build --release",
        "bash tests/run",
        "loopsheet study kernel.c -- ./kernel",
    ];
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    let directory = own_code();
    let (mut ran, mut elsewhere) = (0, BTreeSet::new());
    for line in blocks(&readme, "text").into_iter().flatten() {
        let line = line.split(" #").next().expect("a command").trim();
        if let Some(known) = ELSEWHERE.iter().find(|known| **known == line) {
            elsewhere.insert(*known);
            continue;
        }
        let arguments = line
            .strip_prefix("loopsheet ")
            .or_else(|| line.strip_prefix("cargo run --release -- "))
            .unwrap_or_else(|| panic!("README.md: {line}: nothing runs this"));
        let mut program = loopsheet();
        program
            .args(shlex::split(arguments).expect("words"))
            .current_dir(&directory);
        let output = program.output().expect("it runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {errors}");
        ran += 1;
    }
    assert_eq!(elsewhere.len(), ELSEWHERE.len(), "{elsewhere:?}");
    assert!(ran >= 7, "{ran}");
    for written in [
        "loopsheet-demo/report.html",
        "loopsheet-demo/report.xlsx",
        "report.xlsx",
    ] {
        assert!(directory.path().join(written).exists(), "{written}");
    }
}

/// The names in backquotes that look like files of the repository, as the page writes them.
fn files_named(page: &str) -> BTreeSet<&str> {
    let quoted = page.split('`').skip(1).step_by(2);
    let is_file = |name: &&str| {
        let is_path = name.contains('/') && !name.contains([' ', '*', '=']);
        is_path
            && [".rs", ".md", ".toml", ".f90"]
                .iter()
                .any(|end| name.ends_with(end))
    };
    // Names in capitals stand for what a reader adds.
    let is_real = |name: &&str| !name.contains("NAME") && !name.contains("CODE");
    quoted.filter(is_file).filter(is_real).collect()
}

#[test]
fn files_that_the_architecture_names_exist() {
    let named = files_named(Topic::Architecture.text());
    for name in &named {
        let is_there = ["", "src"]
            .iter()
            .any(|directory| root().join(directory).join(name).exists());
        assert!(is_there, "architecture: {name}");
    }
    assert!(named.len() > 40, "{}", named.len());
}

/// Who adds something is told which files to touch: five at most.
#[test]
fn what_is_added_takes_five_files_at_most() {
    let sections = Topic::Architecture.text().split("\n## ").skip(1);
    let mut checked = 0;
    for section in sections.filter(|section| section.starts_with("How to add")) {
        let title = section.lines().next().expect("a title");
        let steps: Vec<&str> = section
            .lines()
            .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
            .collect();
        assert!((3..=5).contains(&steps.len()), "{title}: {steps:?}");
        for step in &steps {
            assert!(step.contains('`'), "{title}: no file in {step}");
        }
        checked += 1;
    }
    assert_eq!(checked, 6);
}

/// All files of some kinds below a directory.
fn tree(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            tree(&path, found);
        } else if path
            .extension()
            .is_some_and(|end| ["rs", "toml", "scm"].iter().any(|e| end == *e))
        {
            found.push(path);
        }
    }
}

/// Sections that a text cites: topic, and headings.
fn cited(text: &str) -> Vec<(String, String)> {
    let lines = text
        .lines()
        .map(|line| line.trim_start().trim_start_matches(['/', '!', '#']));
    let text = joined(&lines.collect::<Vec<&str>>().join("\n"));
    let mut found = Vec::new();
    for rest in text.split(concat!("guide", ": ")).skip(1) {
        let Some((name, mut rest)) = rest.split_once(", \"") else {
            continue;
        };
        if !name.chars().all(|c| c.is_ascii_lowercase() || c == '-') {
            continue;
        }
        while let Some((heading, behind)) = rest.split_once('"') {
            found.push((name.to_string(), heading.to_string()));
            let Some(more) = behind.strip_prefix(", \"") else {
                break;
            };
            rest = more;
        }
    }
    found
}

#[test]
fn cited_sections_exist() {
    let mut paths = Vec::new();
    for directory in ["src", "tests", "templates", "grammars"] {
        tree(&root().join(directory), &mut paths);
    }
    let mut checked = 0;
    for path in paths
        .iter()
        .filter(|path| !path.ends_with("tests/it/guide.rs"))
    {
        let text = fs::read_to_string(path).unwrap_or_default();
        for (name, heading) in cited(&text) {
            let topic = topic(&name).unwrap_or_else(|| panic!("{}: {name}", path.display()));
            let is_there = headings(topic).contains(&heading.as_str());
            assert!(is_there, "{}: {name}, \"{heading}\"", path.display());
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn topics_that_pages_name_exist() {
    for (name, page) in pages() {
        let text = joined(&page);
        for rest in ["opic *", "Topic *"]
            .iter()
            .flat_map(|mark| text.split(mark).skip(1))
        {
            let (cited, rest) = rest.split_once('*').expect("the end of a name");
            let topic = topic(cited).unwrap_or_else(|| panic!("{name}: topic {cited}"));
            let heading = rest
                .strip_prefix(", \"")
                .and_then(|rest| rest.split_once('"'));
            if let Some((heading, _)) = heading {
                assert!(
                    headings(topic).contains(&heading),
                    "{name}: {cited}, {heading}"
                );
            }
        }
    }
}

#[test]
fn every_reason_code_is_listed_with_its_meaning() {
    let text = joined(Topic::Languages.text());
    for code in ReasonCode::VARIANTS {
        let line = joined(&format!("- `{code}`: {} {}", code.meaning(), code.help()));
        assert!(
            text.contains(&line),
            "add to src/guide/languages.md: {line}"
        );
    }
    let listed = text.matches("- `").count();
    assert_eq!(listed, ReasonCode::VARIANTS.len());
}

#[test]
fn every_cause_is_listed_with_its_meaning() {
    let text = joined(Topic::Compare.text());
    for cause in Cause::VARIANTS {
        let line = format!("- `{}`: {}", cause.as_str(), joined(cause.meaning()));
        assert!(text.contains(&line), "add to src/guide/compare.md: {line}");
    }
    assert_eq!(text.matches("- `").count(), Cause::VARIANTS.len());
}

/// The words that the glossary explains, in lower case.
fn words() -> Vec<String> {
    let text = joined(Topic::Glossary.text());
    let terms = text.split("**").skip(1).step_by(2);
    let each = terms.flat_map(|term| term.split(", "));
    each.map(str::to_lowercase).collect()
}

#[test]
fn the_glossary_has_the_sheets_and_the_groups_of_columns() {
    let program = mixed();
    let model = model(&program, "exasat", WORKED);
    let books = [
        workbook(&model.for_any_machine(ROOM)).expect("a workbook"),
        trace_workbook(&trace_reports::full()).expect("a workbook"),
    ];
    let words = words();
    for book in books {
        let book: Xlsx<_> = Xlsx::new(Cursor::new(book)).expect("a workbook");
        for sheet in book.sheet_names() {
            assert!(words.contains(&sheet.to_lowercase()), "sheet {sheet}");
        }
    }
    for table in plain_tables(&model) {
        for column in table.columns {
            let group = column.group.to_lowercase();
            let is_there = group.is_empty() || words.iter().any(|word| group.contains(word));
            assert!(is_there, "{}: {group}", table.name);
        }
    }
}

#[test]
fn the_glossary_has_the_headings_of_the_page() {
    let page = fs::read_to_string(root().join("templates/report/report.html")).expect("the page");
    let words = words();
    let mut checked = 0;
    for mark in ["<h2", "<h3"] {
        for rest in page.split(mark).skip(1) {
            let (_, rest) = rest.split_once('>').expect("the end of a tag");
            let heading = rest.split('<').next().expect("a heading").to_lowercase();
            let is_there = words.iter().any(|word| heading.contains(word));
            assert!(is_there, "page: {heading}");
            checked += 1;
        }
    }
    assert!(checked > 8, "{checked}");
}
