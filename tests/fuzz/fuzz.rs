//! Damaged input for every parser: no panic, no hang.
//!
//!     cargo bench --bench fuzz                          10 seconds for each parser, seeds from this tree
//!     cargo bench --bench fuzz -- 1800 DIR...           30 minutes for each; more seeds from directories
//!     cargo bench --bench fuzz -- 60 --only free        one of c, free, fixed, xml, trace, records, timeline
//!     cargo bench --bench fuzz -- --prefixes 20 DIR...  every prefix of 20 seeds for each
//!     cargo bench --bench fuzz -- --only fixed --again FILE   what was found, once more
//!
//! Every round damages a seed (or joins two) and gives it to one parser and all that follows it: lowering,
//! analysis, model and JSON for sources, the metrics for traces. What makes one panic, or takes more than [`MOST_SECONDS`], is
//! written to the directory for temporary files and named; `fuzz-*-last.txt` is what was tried last. Exit status 1 if there is any.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use loopsheet_analysis as analysis;
use loopsheet_dataflow::{MemoryRule, Rules};
use loopsheet_export::{json, xml};
use loopsheet_ir::Unit;
use loopsheet_lower as lower;
use loopsheet_machine::MachineModel;
use loopsheet_metrics::analysis::Analysis;
use loopsheet_metrics::camat::file::Timeline;
use loopsheet_metrics::costs::Costs;
use loopsheet_metrics::settings::Settings;
use loopsheet_model::Model;
use loopsheet_source::flags::FortranFlags;
use loopsheet_source::preprocess::{Options, preprocess};
use loopsheet_source::{Form, Language, ReadFile, SourceText, fixed_form};
use loopsheet_trace::{self as trace, Compression, Target, TraceWriter};
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};

/// Seconds of processor time, as all times here: how busy the machine is makes no difference.
const MOST_SECONDS: f64 = 5.0;
/// Longer seeds are cut.
const LONGEST: usize = 60_000;
/// Bytes of seeds whose prefixes are tried.
const PREFIXED: std::ops::Range<usize> = 2_000..15_000;
/// Findings of one parser after which the rest is not looked for.
const MOST_FINDINGS: usize = 10;

struct Parser {
    name: &'static str,
    /// How names of its seeds end.
    extensions: &'static [&'static str],
    run: fn(&[u8]),
}

const PARSERS: [Parser; 7] = [
    Parser {
        name: "c",
        extensions: &["c", "h"],
        run: |bytes| analyse(c(&text(bytes))),
    },
    Parser {
        name: "free",
        extensions: &["f90", "F90", "f95", "f03", "f08"],
        run: |bytes| analyse(fortran(&text(bytes), Form::Free)),
    },
    Parser {
        name: "fixed",
        extensions: &["f", "for", "ftn", "f77", "F"],
        run: |bytes| analyse(fortran(&text(bytes), Form::Fixed)),
    },
    Parser {
        name: "xml",
        extensions: &["xml"],
        run: model_of_xml,
    },
    Parser {
        name: "trace",
        extensions: &[
            "edan",
            "edan-bare",
            "execlog",
            "gdb",
            "gem5",
            "spike",
            "whisper",
        ],
        run: |bytes| run_trace(text(bytes).as_bytes()),
    },
    Parser {
        name: "records",
        extensions: &["stf", "zstf", "champsim"],
        run: run_trace,
    },
    Parser {
        name: "timeline",
        extensions: &["csv"],
        run: |bytes| drop(Timeline::read(text(bytes).as_bytes())),
    },
];

/// What parsers of text are given.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

struct NoFiles;

impl ReadFile for NoFiles {
    fn read_included(&self, _: &str, _: &str) -> Option<(Arc<str>, String)> {
        None
    }
}

fn c(text: &str) -> Unit {
    let name: Arc<str> = "fuzz.c".into();
    let options = Options {
        defines: Vec::new(),
        language: Language::C,
    };
    let source = preprocess(
        SourceText::verbatim(&name, text.to_string()),
        &options,
        &NoFiles,
    );
    lower::c::lower(&name, &source)
}

fn fortran(text: &str, form: Form) -> Unit {
    let name: Arc<str> = "fuzz.f90".into();
    let options = Options {
        defines: Vec::new(),
        language: Language::Fortran,
    };
    let mut source = preprocess(
        SourceText::verbatim(&name, text.to_string()),
        &options,
        &NoFiles,
    );
    if form == Form::Fixed {
        source = fixed_form::to_free_form(source, &FortranFlags::default());
    }
    let source = fixed_form::nest_labelled_do(source);
    let modules = lower::fortran::modules(&source);
    lower::fortran::lower(&name, form, &source, &modules)
}

fn analyse(unit: Unit) {
    let program = analysis::analyze(&[unit]);
    let text = xml::write(&program);
    xml::read(&text, "fuzz.xml").expect("what was written can be read");
    show(&program);
}

fn model_of_xml(bytes: &[u8]) {
    if let Ok(program) = xml::read(&text(bytes), "fuzz.xml") {
        show(&program);
    }
}

fn show(program: &analysis::facts::Program) {
    let machine = MachineModel::preset("exasat").expect("a machine");
    if let Ok(model) = Model::build(program, machine, &[]) {
        json::analysis(&model);
    }
}

fn run_trace(bytes: &[u8]) {
    let settings = Settings {
        varied: Vec::new(),
        other_places: Vec::new(),
        layouts: None,
        rules: Rules {
            memory: MemoryRule::Bytes,
            false_dependences: true,
        },
        caches: vec!["1KiB,2way".parse().expect("a cache")],
        costs: Costs::default(),
        like_edan: false,
        reuse_line: Some(64),
        remote: None,
        epochs: None,
        other_caches: Vec::new(),
        memory_chain: true,
        by_latency: true,
        by_bandwidth: Some(7),
        blame: None,
        core: None,
        keep: 100,
    };
    let mut analysis = Analysis::new(settings, None).expect("settings");
    let options = trace::Options {
        format: None,
        unknown: trace::UnknownPolicy::Warn,
    };
    if let Ok(read) = trace::stream(bytes, options, &mut analysis) {
        analysis.finish(read.has_addresses);
    }
}

fn main() -> ExitCode {
    let mut seconds = 10.0;
    let (mut only, mut prefixes, mut again) = (None, None, None);
    let mut directories = vec![
        Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"),
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures"),
    ];
    let mut arguments = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), argument.parse::<f64>()) {
            ("--only", _) => only = arguments.next(),
            ("--again", _) => again = arguments.next().and_then(|file| read(Path::new(&file))),
            ("--prefixes", _) => {
                prefixes = arguments
                    .next()
                    .and_then(|number| number.parse::<usize>().ok());
            }
            (_, Ok(number)) => seconds = number,
            _ => directories.push(PathBuf::from(argument)),
        }
    }
    let mut files = BTreeSet::new();
    directories
        .iter()
        .for_each(|directory| collect(directory, &mut files));
    std::panic::set_hook(Box::new(|_| {}));
    let mut all_well = true;
    for parser in PARSERS
        .iter()
        .filter(|parser| only.as_deref().is_none_or(|name| name == parser.name))
    {
        if let Some(bytes) = &again {
            let mut hunt = Hunt::of(parser);
            hunt.attempt(bytes);
            all_well &= hunt.report(1);
            continue;
        }
        let of_parser = |path: &&PathBuf| {
            path.extension()
                .is_some_and(|e| parser.extensions.iter().any(|x| e == *x))
        };
        let mut seeds: Vec<Vec<u8>> = files
            .iter()
            .filter(of_parser)
            .filter_map(|path| read(path))
            .collect();
        if parser.name == "xml" {
            let sources = files
                .iter()
                .filter(|path| path.extension().is_some_and(|e| e == "c"));
            let models = sources
                .filter_map(|path| read(path))
                .map(|bytes| xml::write(&analysis::analyze(&[c(&text(&bytes))])).into_bytes());
            seeds.extend(models);
        }
        if parser.name == "timeline" {
            seeds.push(
                "id,hart,start,h1,m1,h2,m2\nA,0,1,2,3,3,0\nB,1,2,2,0,,\nC,0,4,2,8,3,5\n".into(),
            );
        }
        if parser.name == "records" {
            let lines = files
                .iter()
                .filter(|path| path.extension().is_some_and(|e| e == "execlog"));
            seeds.extend(lines.filter_map(|path| read(path)).flat_map(records));
        }
        let mut hunt = Hunt::of(parser);
        match prefixes {
            Some(count) => hunt.every_prefix(&seeds, count),
            None => hunt.damage(&seeds, Duration::from_secs_f64(seconds)),
        }
        all_well &= hunt.report(seeds.len());
    }
    if all_well {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn collect(directory: &Path, files: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.insert(path);
        }
    }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = std::fs::read(path).ok()?;
    bytes.truncate(LONGEST);
    Some(bytes)
}

/// A trace of text in every format of records.
fn records(lines: Vec<u8>) -> Vec<Vec<u8>> {
    let options = trace::Options {
        format: None,
        unknown: trace::UnknownPolicy::Warn,
    };
    let targets = [
        Target::Stf,
        Target::Zstf,
        Target::Champsim(Compression::None),
        Target::Native(Compression::None),
    ];
    let write = |target| {
        let mut file = tempfile::tempfile().ok()?;
        let mut writer = TraceWriter::new(file.try_clone().ok()?, target).ok()?;
        trace::stream(&lines[..], options, &mut writer).ok()?;
        writer.finish(None).ok()?;
        file.rewind().ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        Some(bytes)
    };
    targets.into_iter().filter_map(write).collect()
}

/// What was tried on one parser.
struct Hunt<'p> {
    parser: &'p Parser,
    random: TestRng,
    rounds: u64,
    findings: usize,
    slowest: f64,
}

impl Hunt<'_> {
    fn of(parser: &Parser) -> Hunt<'_> {
        let random = TestRng::from_seed(RngAlgorithm::ChaCha, &[20; 32]);
        Hunt {
            parser,
            random,
            rounds: 0,
            findings: 0,
            slowest: 0.0,
        }
    }

    fn damage(&mut self, seeds: &[Vec<u8>], time: Duration) {
        let start = processor_time();
        while !seeds.is_empty() && processor_time() - start < time && self.findings < MOST_FINDINGS
        {
            let bytes = damaged(seeds, &mut self.random);
            self.attempt(&bytes);
        }
    }

    /// Seeds of middle length, drawn, and all texts that they begin with.
    fn every_prefix(&mut self, seeds: &[Vec<u8>], count: usize) {
        let mut fit: Vec<&Vec<u8>> = seeds
            .iter()
            .filter(|seed| PREFIXED.contains(&seed.len()))
            .collect();
        for _ in 0..count.min(fit.len()) {
            let seed = fit.swap_remove(below(fit.len(), &mut self.random));
            for end in 0..=seed.len() {
                if self.findings < MOST_FINDINGS {
                    self.attempt(&seed[..end]);
                }
            }
        }
    }

    fn attempt(&mut self, bytes: &[u8]) {
        let Parser { name, run, .. } = self.parser;
        // What ends the whole process is found here.
        std::fs::write(
            std::env::temp_dir().join(format!("fuzz-{name}-last.txt")),
            bytes,
        )
        .expect("a temporary file");
        let timed = || {
            let began = processor_time();
            let is_well = catch_unwind(AssertUnwindSafe(|| run(bytes))).is_ok();
            (is_well, (processor_time() - began).as_secs_f64())
        };
        let (is_well, mut seconds) = timed();
        if seconds > MOST_SECONDS {
            // What the machine did meanwhile does not happen twice.
            seconds = seconds.min(timed().1);
        }
        self.slowest = self.slowest.max(seconds);
        self.rounds += 1;
        if !is_well || seconds > MOST_SECONDS {
            self.findings += 1;
            let path = std::env::temp_dir().join(format!("fuzz-{name}-{}.txt", self.rounds));
            std::fs::write(&path, bytes).expect("a temporary file");
            let what = if is_well {
                format!("took {seconds:.1} s")
            } else {
                "panicked".to_string()
            };
            println!("{name}: round {} {what}: {}", self.rounds, path.display());
        }
    }

    /// Whether nothing was found.
    fn report(&self, seeds: usize) -> bool {
        let Hunt {
            parser,
            rounds,
            findings,
            slowest,
            ..
        } = self;
        println!(
            "{}: {rounds} rounds from {seeds} seeds, {findings} findings, slowest {slowest:.2} s",
            parser.name
        );
        *findings == 0
    }
}

/// What all threads of this process have used so far.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// A seed with one to six kinds of damage.
fn damaged(seeds: &[Vec<u8>], random: &mut TestRng) -> Vec<u8> {
    let mut bytes = pick(seeds, random).clone();
    for _ in 0..=below(5, random) {
        damage(&mut bytes, seeds, random);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn damage(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut TestRng) {
    const TOKENS: [&str; 36] = [
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        ",",
        "*",
        "&",
        "->",
        "=",
        "+",
        "-",
        "/",
        "%",
        "do ",
        "end do\n",
        "if (",
        "else",
        "for (",
        "while (",
        "goto 10\n",
        "10 continue\n",
        "call ",
        "return",
        "#define X ",
        "#if 1\n",
        "#endif\n",
        "!$omp parallel do\n",
        "1e400",
        "99999999999999999999",
        "0",
        "-1",
        "\n",
        "\u{fc}",
    ];
    let length = bytes.len();
    let at = below(length + 1, random);
    let end = (at + below(200, random)).min(length);
    match below(8, random) {
        0 if length > 0 => bytes[at.min(length - 1)] = random.next_u32() as u8,
        1 => drop(bytes.drain(at..end)),
        2 => bytes.truncate(at),
        3 => {
            let copied = bytes[at..end].to_vec();
            let to = below(bytes.len() + 1, random);
            bytes.splice(to..to, copied);
        }
        4 => {
            let other = pick(seeds, random);
            let from = below(other.len() + 1, random);
            let until = (from + below(2000, random)).min(other.len());
            bytes.splice(at..end, other[from..until].iter().copied());
        }
        5 => {
            // The same many times: nesting, long lists.
            let token = TOKENS[below(TOKENS.len(), random)];
            let many = token.repeat(1 << below(12, random));
            bytes.splice(at..at, many.into_bytes());
        }
        _ => drop(bytes.splice(at..at, TOKENS[below(TOKENS.len(), random)].bytes())),
    }
}

fn pick<'s>(seeds: &'s [Vec<u8>], random: &mut TestRng) -> &'s Vec<u8> {
    &seeds[below(seeds.len(), random)]
}

/// A number below `limit`, which is not 0.
fn below(limit: usize, random: &mut TestRng) -> usize {
    (random.next_u64() % limit as u64) as usize
}
