//! The page of `--html` in a browser: after inputs were edited in it, every figure equals that of the model with the same
//! settings.

use std::collections::BTreeMap;
use std::process::Command;

use crate::support::command;
use crate::support::page::data;
use crate::support::programs::{WORKED, figures_with_inputs_of, mixed, model};
use crate::support::studied;
use crate::support::trace_reports;
use loopsheet_analysis::facts::Program;
use loopsheet_export::html::{Study, bound_figures, report, study};
use loopsheet_export::xml;
use loopsheet_model::Model;

/// The document after its scripts have run, with this after the `#` of its address.
fn opened(page: &str, fragment: &str) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("report.html");
    std::fs::write(&path, page).expect("the directory can be written to");
    let run = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--virtual-time-budget=20000",
        ])
        .arg(format!(
            "--user-data-dir={}",
            directory.path().join("profile").display()
        ))
        .args([
            "--dump-dom",
            &format!("file://{}#{fragment}", path.display()),
        ])
        .output()
        .expect("Chromium is installed: apt-get install chromium");
    let document = String::from_utf8(run.stdout).expect("UTF-8");
    let complaint = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(
        document.contains("data-ready=\"true\""),
        "the scripts did not come to their end: {complaint}"
    );
    document
}

/// Values of all elements with that attribute: `data-figure="12" … data-value="3.5"`.
fn values(document: &str, attribute: &str) -> BTreeMap<usize, f64> {
    let mut found = BTreeMap::new();
    let (before_scripts, _) = document.split_once("<script").expect("scripts");
    for tag in before_scripts
        .split('<')
        .filter_map(|rest| rest.split('>').next())
    {
        let value = |name: &str| Some(tag.split_once(&format!("{name}=\""))?.1.split_once('"')?.0);
        if let (Some(position), Some(number)) = (value(attribute), value("data-value")) {
            let position: usize = position.parse().expect("a position");
            let number: f64 = number.parse().expect("a number");
            let other = found.insert(position, number);
            assert!(
                other.is_none_or(|other| other.to_bits() == number.to_bits()),
                "two values of {position}"
            );
        }
    }
    found
}

fn near(a: f64, b: f64) -> bool {
    a == b || (!a.is_finite() && !b.is_finite()) || (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

/// Asserts that the document, of a page that was written for one model, shows the figures and inputs of another; returns
/// how many figures.
fn check(document: &str, written: &Model, model: &Model) -> usize {
    let bound = bound_figures(written);
    let figures = values(document, "data-figure");
    // The nests of sweeps are those with the most work when the page was written.
    let expected = figures_with_inputs_of(written, model);
    for (position, value) in &figures {
        let id = bound[*position].expect("cells show figures of the model");
        let (figure, label) = (expected[&id], &written.figures.get(id).label);
        assert!(near(*value, figure), "{label}: {value}, not {figure}");
    }
    let machine = model
        .machine
        .parameters
        .iter()
        .map(|p| (p.name.as_str(), p.value.unwrap_or(f64::NAN)));
    let inputs = machine.chain(
        model
            .parameters
            .rows()
            .iter()
            .map(|row| (row.name.as_str(), row.value)),
    );
    let shown = values(document, "data-input");
    for (index, (name, value)) in inputs.enumerate() {
        assert!(
            near(shown[&index], value),
            "{name}: {}, not {value}",
            shown[&index]
        );
    }
    figures.len()
}

fn edit_one_after_the_other(
    program: &Program,
    machine: &str,
    settings: &[(&str, &str)],
    edits: &[(&str, &str)],
) {
    let written = model(program, machine, settings);
    let page = report(&written, &|_| None);
    let mut fragment = String::from("rows=all&columns=all");
    let mut settings = settings.to_vec();
    let mut before = opened(&page, &fragment);
    assert!(check(&before, &written, &written) > 500);
    for (name, value) in edits {
        fragment.push_str(&format!("&set={name}={value}"));
        settings.push((name, value));
        let document = opened(&page, &fragment);
        let checked = check(&document, &written, &model(program, machine, &settings));
        assert!(checked > 500, "{checked} figures");
        let (old, new) = (
            values(&before, "data-figure"),
            values(&document, "data-figure"),
        );
        let changed = new
            .iter()
            .filter(|(position, value)| old[position].to_bits() != value.to_bits())
            .count();
        assert!(changed > 0, "{name}={value} changes nothing");
        before = document;
    }
}

#[test]
fn the_page_follows_its_inputs_as_the_model_does() {
    let program = mixed();
    for (machine, edits) in [
        (
            "exasat",
            &[
                ("cache_bytes", "1024"),
                ("dram_gbs", "51.2"),
                ("hi_1", "100"),
                ("block_x", "32"),
                ("overlap", "0"),
            ][..],
        ),
        (
            "xeon-8380",
            &[
                ("l2_bytes", "65536"),
                ("l1_gbs", "51.2"),
                ("m", "50"),
                ("block_y", "30"),
                ("nta_hints", "1"),
                ("scenarios", "1"),
            ],
        ),
        (
            "xeon-8380",
            &[
                ("cost_div", "20"),
                ("overlap", "0.5"),
                ("prob_31", "0.125"),
                ("n", "77"),
                ("streaming_writes", "1"),
            ],
        ),
        (
            "grace",
            &[
                ("streaming_writes", "1"),
                ("l1_bytes", "4096"),
                ("block_x", "0"),
                ("trip_30", "10000000"),
                ("hi_2", "0"),
            ],
        ),
        (
            "exasat",
            &[
                ("dram_lines_in_flight", "1"),
                ("dram_latency_ns", "1000"),
                ("cores", "16"),
            ],
        ),
        (
            "camat",
            &[("dram_latency_ns", "150"), ("dram_lines_in_flight", "3")],
        ),
    ] {
        edit_one_after_the_other(&program, machine, WORKED, edits);
    }
}

/// Sources as the program reads them.
fn analysed(paths: &[&str]) -> Program {
    let mut command = command::loopsheet();
    command
        .arg("analyze")
        .args(paths.iter().map(|path| command::root().join(path)))
        .args(["--xml", "-", "--quiet"]);
    let output = command.output().expect("it runs");
    xml::read(
        &String::from_utf8(output.stdout).expect("UTF-8"),
        "model.xml",
    )
    .expect("a model")
}

#[test]
fn calls_messages_and_gathers_follow_too() {
    let program = analysed(&[
        "samples/kernels",
        "tests/fixtures/calls",
        "tests/fixtures/communication",
    ]);
    let edits = [
        ("cache_bytes", "48000"),
        ("dram_gbs", "17"),
        ("N", "300"),
        ("block_z", "8"),
        ("nic_full_duplex", "0"),
        ("gather_lines", "2.5"),
    ];
    edit_one_after_the_other(
        &program,
        "xeon-8380",
        &[("nic_gbs", "12.5"), ("nic_latency_us", "1.5")],
        &edits,
    );
}

#[test]
fn typing_marks_what_differs_and_the_button_takes_all_back() {
    let program = mixed();
    let written = model(&program, "exasat", WORKED);
    let page = report(&written, &|_| None);
    let type_in = |steps: &str| {
        let typing = "const type = (name, text) => { const box = document.querySelector(`[data-input=\"${inputNamed(name)}\"]`); \
                      if (box.type === 'checkbox') box.checked = text === '1'; else box.value = text; \
                      box.dispatchEvent(new Event('input')); };";
        opened(
            &page.replace(
                "</body>",
                &format!("<script>ready.then(() => {{ {typing}{steps} }});</script></body>"),
            ),
            "rows=all&columns=all",
        )
    };
    let changed = |document: &str| {
        document
            .split("<script")
            .next()
            .unwrap_or("")
            .matches("class=\"changed")
            .count()
    };
    assert_eq!(changed(&opened(&page, "rows=all&columns=all")), 0);

    let document =
        type_in("type('cache_bytes', '1 KiB'); type('m', '50'); type('streaming_writes', '1');");
    let settings = [
        WORKED,
        &[
            ("cache_bytes", "1024"),
            ("m", "50"),
            ("streaming_writes", "1"),
        ],
    ]
    .concat();
    check(&document, &written, &model(&program, "exasat", &settings));
    assert!(changed(&document) > 20, "{} marked", changed(&document));
    assert!(document.contains("3 inputs changed: cache_bytes, m, streaming_writes"));

    let document =
        type_in("type('m', '50'); type('n', '7'); document.getElementById('reset').click();");
    check(&document, &written, &written);
    assert_eq!(changed(&document), 0);

    // What is out of range is refused and said, and changes nothing; an empty input is the value as written.
    let document = type_in(
        "type('cache_bytes', '0'); type('m', '1.5'); type('block_x', '5'); type('block_x', '');",
    );
    check(&document, &written, &written);
    assert!(document.contains("must be from 1 to") && document.contains("must be a whole number"));
}

#[test]
fn an_address_that_says_nonsense_is_answered() {
    let program = mixed();
    let written = model(&program, "exasat", WORKED);
    let document = opened(
        &report(&written, &|_| None),
        "rows=all&set=nonsense=1&set=cache_bytes=-3&set=ghz",
    );
    check(&document, &written, &written);
    assert!(document.contains("; ghz has no value"));
    assert!(
        document.contains("nonsense=1: no input is called so; cache_bytes=-3 must be from 1 to")
    );
}

/// The predicted side of a study follows the inputs, the run stays, the ratio and the chart follow both.
#[test]
fn a_study_follows_its_inputs() {
    let program = mixed();
    let written = model(&program, "xeon-8380", WORKED);
    let comparison = studied::comparison(&written, "a remark");
    let run = trace_reports::full();
    let page = study(
        &written,
        Study {
            run: &run,
            comparison: &comparison,
        },
        &|_| None,
    );
    let data = data(&page);
    let tables = data["tables"].as_array().expect("tables");
    let rows = tables
        .iter()
        .find(|table| table["id"] == "compared")
        .expect("the table")["rows"]
        .clone();
    let position = |column: usize| rows[0][column].as_u64().expect("a figure") as usize;
    // With m = 50 the loops run from 1 to 100, as often as the run did.
    for (edit, equal) in [("", 1), ("&set=m=50", 2)] {
        let document = opened(&page, &format!("rows=all&columns=all{edit}"));
        let now = model(
            &program,
            "xeon-8380",
            &[WORKED, if edit.is_empty() { &[] } else { &[("m", "50")] }].concat(),
        );
        let iterations = now.value(studied::nest(&now).iterations);
        let figures = values(&document, "data-figure");
        assert!(
            near(figures[&position(2)], iterations),
            "{}, not {iterations}",
            figures[&position(2)]
        );
        assert!(near(figures[&position(4)], studied::DONE / iterations));
        let (drawing, _) = document
            .split_once("id=\"scatter-note\"")
            .expect("the chart");
        // Three points and four marks of the legend.
        assert_eq!(drawing.matches("<path class=\"series-").count(), 3 + 4);
        assert!(
            document.contains(&format!(
                "{equal} of 3 quantities are the same on both sides."
            )),
            "{edit}"
        );
    }
}

/// A machine that is picked in the page is that of `--machine`; what has other formulas cannot be picked.
#[test]
fn a_picked_machine_is_that_of_the_command_line() {
    let program = mixed();
    let written = model(&program, "xeon-8380", WORKED);
    let page = report(&written, &|_| None);
    let presets = data(&page)["presets"].clone();
    let mut picked = 0;
    for preset in presets.as_array().expect("presets") {
        let name = preset["name"].as_str().expect("a name");
        let document = opened(&page, &format!("rows=all&columns=all&machine={name}"));
        if preset["differs"].is_null() {
            check(&document, &written, &model(&program, name, WORKED));
            picked += 1;
        } else {
            check(&document, &written, &written);
            assert!(document.contains(&format!("{name} has other cache levels")));
        }
    }
    assert!(picked >= 2, "{picked} machines");
    let document = opened(&page, "rows=all&columns=all&other=epyc-7763");
    check(&document, &written, &written);
    assert!(document.contains("On epyc-7763, with that machine as it is"));
}

/// Points of the roofline that lie side by side: every one of the ten costliest has a label, and none covers another or a point.
#[test]
fn labels_of_a_crowded_roofline_are_apart() {
    let function = |at: usize| {
        let sum: String = (0..at).map(|_| " + 0.5 * from[i]").collect();
        format!(
            "void a_kernel_with_a_name_{at}(int n, double *restrict to, const double *restrict from) {{\n  \
             for (int i = 0; i < n; i++) to[i] = to[i] * from[i]{sum};\n}}\n"
        )
    };
    let text: String = (1..16).map(function).collect();
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("crowd.c"), text).expect("a source");
    let program = analysed(&[directory.path().to_str().expect("a path")]);
    let model = model(&program, "epyc-7763", &[]);
    let document = opened(&report(&model, &|_| None), "");
    let (_, drawing) = document
        .split_once("id=\"roofline-drawing\"")
        .expect("it is drawn");
    let (drawing, _) = drawing.split_once("</section>").expect("the end");
    let number = |tag: &str, name: &str| -> f64 {
        let (_, rest) = tag.split_once(&format!(" {name}=\"")).expect("it is there");
        let (number, _) = rest.split_once('"').expect("its end");
        number.parse().expect("a number")
    };
    let tags = || drawing.split('<').filter_map(|rest| rest.split_once('>'));
    let labels = tags().filter(|(tag, _)| tag.starts_with("text class=\"label\""));
    let labels: Vec<[f64; 4]> = labels
        .map(|(tag, text)| {
            let [x, y] = ["x", "y"].map(|name| number(tag, name));
            [x, y - 10.0, x + 6.0 * text.chars().count() as f64, y]
        })
        .collect();
    let circles = tags().filter(|(tag, _)| tag.starts_with("circle"));
    let circles: Vec<[f64; 4]> = circles
        .map(|(tag, _)| {
            let [x, y, r] = ["cx", "cy", "r"].map(|name| number(tag, name));
            [x - r, y - r, x + r, y + r]
        })
        .collect();
    assert_eq!((labels.len(), circles.len()), (10, 15));
    let cover =
        |a: &[f64; 4], b: &[f64; 4]| a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
    for (at, label) in labels.iter().enumerate() {
        let others = labels.iter().enumerate().filter(|(other, _)| *other != at);
        let mut covered = others.map(|(_, other)| other).chain(&circles);
        let covered = covered.find(|other| cover(label, other));
        assert_eq!(covered, None, "{label:?}");
    }
}
