//! What the files of `src` import: no circle of more than three files, and the static side apart from the dynamic one.
//!
//! Read are `use` declarations, and paths that begin with `crate`, `super` or `self`. What a module re-exports counts for
//! the file that defines it. That a module declares and calls those inside is no import.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

/// Files that import each other in a circle, at most.
const LARGEST_CIRCLE: usize = 3;

/// Layers that still have larger circles inside. The list only becomes shorter.
const WITH_CIRCLES: [&str; 0] = [];

/// Modules of the static side.
const STATIC: [&str; 8] = [
    "source",
    "syntax",
    "ir",
    "lower",
    "analysis",
    "model",
    "interpret",
    "validate",
];

/// Modules of the dynamic side.
const DYNAMIC: [&str; 6] = ["trace", "binary", "regions", "dataflow", "metrics", "graph"];

/// Modules that know both.
const BOTH: [&str; 6] = ["compare", "report", "export", "front", "commands", "cli"];

/// How the names of member crates begin; what follows is their directory.
const MEMBERS: &str = "loopsheet_";

/// Names from the top of `src` on.
type Names = Vec<String>;

/// The module that a file holds, and what it names.
struct Module {
    path: Names,
    /// What `crate` stands for: nothing, or the directory of a member crate.
    root: Names,
    code: String,
    /// Paths that it names, but for what it only re-exports of the modules inside.
    imports: Vec<Names>,
    /// What `use` declarations bring in, by the name that it has here.
    used: HashMap<String, Names>,
}

/// All files but those of tests, by module.
struct Sources(BTreeMap<Names, Module>);

#[test]
fn no_circle_of_imports_has_more_than_three_files() {
    let sources = Sources::read();
    let found = sources.circles();
    let allowed = |circle: &Vec<Names>| {
        let is_excepted = |path: &Names| WITH_CIRCLES.contains(&path[0].as_str());
        circle.len() <= LARGEST_CIRCLE || circle.iter().all(is_excepted)
    };
    let wrong: Vec<String> = found
        .iter()
        .filter(|circle| !allowed(circle))
        .map(|circle| sources.describe(circle))
        .collect();
    assert!(wrong.is_empty(), "circles of files:\n{}", wrong.join("\n"));
    for layer in WITH_CIRCLES {
        let has_circle = |circle: &Vec<Names>| {
            circle.len() > LARGEST_CIRCLE && circle.iter().any(|path| path[0] == layer)
        };
        assert!(
            found.iter().any(has_circle),
            "{layer} has no large circle any more: take it from the list"
        );
    }
}

#[test]
fn the_static_and_the_dynamic_side_do_not_name_each_other() {
    let sources = Sources::read();
    for layer in STATIC.iter().chain(&DYNAMIC).chain(&BOTH) {
        let is_there = sources.0.keys().any(|path| path[0] == *layer);
        assert!(is_there, "there is no module {layer}");
    }
    let mut sides: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for module in sources.0.values() {
        let layer = module.path[0].as_str();
        let files = module.imports.iter().filter_map(|path| sources.file(path));
        let named = files.map(|path| path[0].as_str()).chain([layer]);
        let sides = sides.entry(layer).or_default();
        sides.extend(named.filter_map(|name| match name {
            _ if STATIC.contains(&name) => Some("static"),
            _ if DYNAMIC.contains(&name) => Some("dynamic"),
            _ => None,
        }));
    }
    sides.retain(|layer, sides| sides.len() > 1 && !BOTH.contains(layer));
    assert!(sides.is_empty(), "these name both sides: {sides:?}");
}

#[test]
fn imports_are_found_in_every_form() {
    let files = [
        (
            "a/mod.rs",
            "mod b;\npub mod c;\npub use b::{B, One as Other};\nfn f() { c::g(); }\n",
        ),
        (
            "a/b.rs",
            "use super::{c, d::*};\n// use crate::e;\nconst TEXT: &str = \"crate::e\";\n",
        ),
        (
            "a/c.rs",
            "use crate::{a::{Other, d::{self, D}}, e::E as F};\nuse std::fmt;\n",
        ),
        (
            "a/d.rs",
            "type T = super::B;\n#[cfg(test)]\nmod tests {\n    use crate::e::E;\n}\n",
        ),
        ("e.rs", "pub(crate) use self::inner::Deep;\n"),
        ("e/inner.rs", "pub struct Deep;\nfn f(_: crate::a::B) {}\n"),
        ("f.rs", "use crate::e::Deep;\n"),
        (
            "g/lib.rs",
            "use loopsheet_e as e;\nuse loopsheet_a::{b as aliased};\nmod h;\n",
        ),
        (
            "g/h.rs",
            "use crate::{aliased::B, e::Deep};\nfn f() { super::i(); crate::h::f(); }\n",
        ),
    ];
    let sources = Sources::of(files.map(|(path, text)| (PathBuf::from(path), text.to_string())));
    let edges: Vec<String> = sources
        .edges()
        .into_iter()
        .map(|(from, to)| format!("{} > {}", from.join("::"), to.join("::")))
        .collect();
    assert_eq!(
        edges,
        [
            "a::b > a::c",
            "a::b > a::d",
            "a::c > a::b",
            "a::c > a::d",
            "a::c > e",
            "a::d > a::b",
            "e::inner > a::b",
            "f > e::inner",
            "g > a::b",
            "g > e",
            "g::h > a::b",
            "g::h > e::inner",
            "g::h > g",
        ]
    );
    let circles: Vec<usize> = sources.circles().iter().map(Vec::len).collect();
    assert_eq!(circles, [3]);
}

impl Sources {
    fn read() -> Sources {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut files = Vec::new();
        files_below(&root, &mut files);
        assert!(files.len() > 100, "only {} files found", files.len());
        let is_of_tests = |path: &Path| {
            let mut names = path.iter().map(|name| name.to_string_lossy());
            names.any(|name| name == "tests" || name == "tests.rs")
        };
        let inside = |path: PathBuf| {
            let below = path.strip_prefix(&root).expect("below src").to_path_buf();
            let text = std::fs::read_to_string(&path).expect("source text");
            (below, text)
        };
        let files = files.into_iter().map(inside);
        Sources::of(files.filter(|(path, _)| !is_of_tests(path)))
    }

    /// Files by their place below `src`.
    fn of(files: impl IntoIterator<Item = (PathBuf, String)>) -> Sources {
        let mut modules: BTreeMap<Names, Module> = BTreeMap::new();
        let mut crates: BTreeSet<Names> = BTreeSet::new();
        for (place, text) in files {
            let mut path: Names = place
                .with_extension("")
                .iter()
                .map(|name| name.to_string_lossy().into_owned())
                .collect();
            if matches!(
                path.last().map(String::as_str),
                Some("mod" | "lib" | "main")
            ) {
                path.pop();
            }
            if path.is_empty() {
                continue;
            }
            if place.ends_with("lib.rs") {
                crates.insert(path.clone());
            }
            let module = Module {
                path: path.clone(),
                root: Vec::new(),
                code: code(&text),
                imports: Vec::new(),
                used: HashMap::new(),
            };
            modules.insert(path, module);
        }
        let paths: BTreeSet<Names> = modules.keys().cloned().collect();
        for module in modules.values_mut() {
            let own = crates.iter().find(|root| module.path.starts_with(root));
            module.root = own.cloned().unwrap_or_default();
            module.read_imports(&paths);
        }
        Sources(modules)
    }

    /// The file that defines what a path names.
    fn file(&self, path: &[String]) -> Option<&Names> {
        let mut path = path.to_vec();
        // One module may have it from another, with a bound in case they go round.
        for _ in 0..8 {
            let module = (1..=path.len())
                .rev()
                .find_map(|length| self.0.get(&path[..length]))?;
            let rest = &path[module.path.len()..];
            match rest.first().and_then(|name| module.used.get(name)) {
                Some(origin) => path = [origin, &rest[1..]].concat(),
                None => return Some(&module.path),
            }
        }
        None
    }

    /// From each file to those that it imports from.
    fn edges(&self) -> BTreeSet<(&Names, &Names)> {
        let edges = self.0.values().flat_map(|module| {
            let files = module.imports.iter().filter_map(|path| self.file(path));
            files.map(|file| (&module.path, file))
        });
        edges.filter(|(from, to)| from != to).collect()
    }

    /// Files that import each other in circles.
    fn circles(&self) -> Vec<Vec<Names>> {
        let mut graph = DiGraph::<&Names, ()>::new();
        let nodes: BTreeMap<&Names, _> = self
            .0
            .keys()
            .map(|path| (path, graph.add_node(path)))
            .collect();
        for (from, to) in self.edges() {
            graph.add_edge(nodes[from], nodes[to], ());
        }
        let mut circles: Vec<Vec<Names>> = tarjan_scc(&graph)
            .into_iter()
            .filter(|circle| circle.len() > 1)
            .map(|circle| circle.into_iter().map(|node| graph[node].clone()).collect())
            .collect();
        circles.iter_mut().for_each(|circle| circle.sort());
        circles
    }

    /// The imports that make a circle.
    fn describe(&self, circle: &[Names]) -> String {
        let edges = self.edges().into_iter();
        let inside = edges.filter(|(from, to)| circle.contains(from) && circle.contains(to));
        let lines = inside.map(|(from, to)| format!("  {} > {}", from.join("::"), to.join("::")));
        let lines: Vec<String> = lines.collect();
        format!("{} files:\n{}", circle.len(), lines.join("\n"))
    }
}

impl Module {
    fn read_imports(&mut self, modules: &BTreeSet<Names>) {
        let code = std::mem::take(&mut self.code);
        let mut rest = String::new();
        for statement in code.split_inclusive(';') {
            let Some((before, tree)) = declaration(statement) else {
                rest.push_str(statement);
                continue;
            };
            let is_public = before.ends_with("pub") || before.ends_with(')');
            for (path, name) in leaves(tree) {
                let Some(path) = self.absolute(&path, modules) else {
                    continue;
                };
                if !is_public || !path.starts_with(&self.path) {
                    self.imports.push(path.clone());
                }
                self.used.insert(name, path);
            }
            rest.push_str(before);
        }
        self.code = rest;
        let paths = paths(&self.code);
        let named = paths.iter().filter_map(|path| self.absolute(path, modules));
        let named: Vec<Names> = named.collect();
        self.imports.extend(named);
    }

    /// From the top of `src` on; `None` for what is of another crate, or of this file.
    fn absolute(&self, path: &[String], modules: &BTreeSet<Names>) -> Option<Names> {
        let mut base = self.path.clone();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => {
                base.clone_from(&self.root);
                rest = &path[1..];
            }
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|name| name == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            member if member.starts_with(MEMBERS) => {
                base = Vec::from([member[MEMBERS.len()..].to_string()]);
                rest = &path[1..];
            }
            child => {
                let inside = [&base[..], &[child.to_string()]].concat();
                modules.get(&inside)?;
            }
        }
        base.extend_from_slice(rest);
        Some(base).filter(|path| !path.is_empty())
    }
}

/// Without comments, texts and the tests at the end.
fn code(text: &str) -> String {
    let mut rest = text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or(text);
    let mut code = String::new();
    while let Some(place) = rest.find(['/', '"', '\'']) {
        code.push_str(&rest[..place]);
        let here = &rest[place..];
        let length = match here {
            _ if here.starts_with("//") => here.find('\n').unwrap_or(here.len()),
            _ if here.starts_with("'\"'") => 3,
            _ if here.starts_with("'\\\"'") => 4,
            _ if here.starts_with('"') && code.ends_with("r#") => 1 + until(&here[1..], "\"#"),
            _ if here.starts_with('"') && code.ends_with(" r") => 1 + until(&here[1..], "\""),
            _ if here.starts_with('"') => 1 + length_of_text(&here[1..]),
            _ => {
                code.push_str(&here[..1]);
                1
            }
        };
        rest = &here[length..];
    }
    code + rest
}

/// Bytes up to the end of this mark.
fn until(text: &str, mark: &str) -> usize {
    text.find(mark).map_or(text.len(), |end| end + mark.len())
}

/// Bytes up to the quote that ends a text, which no backslash stands before.
fn length_of_text(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.find(|c: char| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |end| end + 1)
}

/// What stands before a `use` at the end of a statement, and its tree.
fn declaration(statement: &str) -> Option<(&str, &str)> {
    let body = statement.strip_suffix(';')?;
    let start = body.rfind("use ")?;
    let before = body[..start].trim_end_matches(' ');
    let is_own_word = before.is_empty() || before.ends_with(['\n', ')']) || before.ends_with("pub");
    is_own_word.then_some((before, &body[start + "use ".len()..]))
}

/// Paths of a tree of imports, each with the name that it has from then on.
fn leaves(tree: &str) -> Vec<(Names, String)> {
    let tree = tree.trim();
    if let Some((stem, inside)) = tree.split_once('{') {
        let inside = inside.trim_end().trim_end_matches('}');
        let stem = words(stem);
        return members(inside)
            .into_iter()
            .flat_map(leaves)
            .map(|(path, name)| {
                let path = match &path[..] {
                    [only] if only == "self" => stem.clone(),
                    _ => [&stem[..], &path].concat(),
                };
                (path, name)
            })
            .collect();
    }
    let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
    let mut path = words(path);
    if path.last().is_some_and(|name| name == "*") {
        path.pop();
    }
    let own = path.last().cloned().unwrap_or_default();
    let name = if name.is_empty() {
        own
    } else {
        name.trim().to_string()
    };
    Vec::from([(path, name)])
}

/// Parts between commas that lie in no braces.
fn members(list: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0, 0);
    let mut found = Vec::new();
    for (place, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&list[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    found.push(&list[start..]);
    found.retain(|part| !part.trim().is_empty());
    found
}

fn words(path: &str) -> Names {
    let words = path.split("::").map(|word| word.trim().to_string());
    words.filter(|word| !word.is_empty()).collect()
}

/// Paths in code.
fn paths(code: &str) -> Vec<Names> {
    let is_of_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    let parts = code.split(|c: char| !is_of_path(c));
    // What follows `::<` or a method call begins with `::`.
    let whole = parts.filter(|part| part.contains("::") && !part.starts_with(':'));
    let from_modules = |path: &Names| matches!(path[0].as_str(), "crate" | "super" | "self");
    whole.map(words).filter(from_modules).collect()
}

fn files_below(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("a directory of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}
