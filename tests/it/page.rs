//! The page of `--html` as text: nothing from outside, nothing of the source as markup, every cell bound to a formula.

use crate::support::page::{Slot, data, formulas, inputs};
use crate::support::programs::{
    WORKED, function, matrix_multiply, mixed, model, program, seven_point,
};
use crate::support::studied;
use crate::support::trace_reports;
use loopsheet::diagnostic::{Diagnostic, DiagnosticCode, Place, Severity};
use loopsheet_analysis::facts::Program;
use loopsheet_export::html::{Study, bound_figures, report, study};
use serde_json::{Value, json};

fn page(program: &Program, source: Option<&str>) -> String {
    report(&model(program, "xeon-8380", WORKED), &|_| {
        source.map(str::to_string)
    })
}

#[test]
fn formulas_come_to_the_figures_of_the_model() {
    let program = mixed();
    let page = page(&program, None);
    let model = model(&program, "xeon-8380", WORKED);
    let bound = bound_figures(&model);
    assert!(bound.len() > 500, "{} figures", bound.len());
    let formulas = formulas(&page);
    assert_eq!(formulas.figures.len(), bound.len());
    let values = formulas.figures(&inputs(&page));
    for (id, value) in bound.iter().zip(&values) {
        let Some(id) = id else { continue };
        let (figure, label) = (model.value(*id), &model.figures.get(*id).label);
        let near = (value - figure).abs() <= 1e-12 * figure.abs();
        assert!(
            near || *value == figure || !value.is_finite() && !figure.is_finite(),
            "{label}: {value}, not {figure}"
        );
    }
    let shown = page
        .split("data-figure=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next()?.parse::<usize>().ok());
    let mut shown: Vec<usize> = shown.collect();
    for table in data(&page)["tables"].as_array().expect("tables") {
        for cell in table["rows"]
            .as_array()
            .expect("rows")
            .iter()
            .flat_map(|row| row.as_array().expect("cells"))
        {
            shown.extend(cell.as_u64().map(|position| position as usize));
        }
    }
    assert!(shown.len() > 500 && shown.iter().all(|position| *position < bound.len()));
}

#[test]
fn every_row_has_a_cell_a_column_and_every_nest_is_there() {
    let program = mixed();
    let data = data(&page(&program, None));
    let tables = data["tables"].as_array().expect("tables");
    for table in tables {
        let columns = table["columns"].as_array().expect("columns").len();
        for row in table["rows"].as_array().expect("rows") {
            assert_eq!(
                row.as_array().map(Vec::len),
                Some(columns),
                "{}",
                table["id"]
            );
        }
    }
    let rows = |id: &str| {
        let table = tables
            .iter()
            .find(|table| table["id"] == id)
            .unwrap_or_else(|| panic!("no table {id}"));
        table["rows"].as_array().expect("rows").len()
    };
    let nests = model(&program, "xeon-8380", WORKED).nests.len();
    assert_eq!(
        (rows("nests"), data["nests"].as_array().map(Vec::len)),
        (nests, Some(nests))
    );
    // Two reasons of a loop and one outside; one diagnostic; three files.
    assert_eq!(
        (rows("gaps"), rows("diagnostics"), rows("files")),
        (3, 1, 3)
    );
    let count = |list: &Value| list.as_array().expect("a list").len();
    let listed = count(&data["machine"]["order"]) + count(&data["order"]);
    assert_eq!(listed, count(&data["inputs"]));
}

#[test]
fn nothing_of_the_source_is_markup() {
    const HOSTILE: &str = "</script><img src=x onerror=alert(1)><!--<script>\"'&{{data}}";
    let mut hostile = function(HOSTILE, HOSTILE, &[("n", "3")], vec![]);
    let mut inner = matrix_multiply();
    if let Some(loopsheet_analysis::facts::Item::Loop(first)) = inner.body.items.first_mut() {
        first.id = HOSTILE.into();
        first.file = HOSTILE.into();
        first.body.reasons.push(loopsheet_analysis::facts::Reason {
            code: loopsheet_base::reason::ReasonCode::Call,
            line: 1,
            detail: HOSTILE.into(),
        });
    }
    hostile.body.items = inner
        .body
        .items
        .iter()
        .cloned()
        .chain(seven_point().body.items)
        .collect();
    let mut program = program(vec![hostile]);
    program.files[0].diagnostics.push(Diagnostic {
        severity: Severity::Warning,
        code: DiagnosticCode::SyntaxError,
        place: Place {
            file: HOSTILE.into(),
            line: 1,
            column: 1,
        },
        width: 1,
        message: HOSTILE.into(),
        help: Some(HOSTILE.into()),
    });
    let source = [HOSTILE; 60].join("\n");
    let page = page(&program, Some(&source));
    assert_eq!(
        page.matches("</script").count(),
        4,
        "the data, the drawings, the formulas and the scripts"
    );
    assert!(!page.contains("<img") && !page.contains("<!--"));
    let data = data(&page);
    assert_eq!(data["lines"][HOSTILE]["5"], HOSTILE);
    assert_eq!(data["nests"][0]["id"], HOSTILE);
    assert!(
        page.contains("&lt;/script&gt;&lt;img"),
        "the title names the file"
    );
}

/// A run beside the model: what is predicted is a figure where the model has a formula for it, so is its ratio.
#[test]
fn a_study_has_both_sides() {
    const HOSTILE: &str = "</script><img src=x>\"&";
    let program = mixed();
    let model = model(&program, "xeon-8380", WORKED);
    let comparison = studied::comparison(&model, HOSTILE);
    let run = trace_reports::full();
    let page = study(
        &model,
        Study {
            run: &run,
            comparison: &comparison,
        },
        &|_| None,
    );
    assert_eq!(
        page.matches("</script").count(),
        4,
        "the data, the drawings, the formulas and the scripts"
    );
    assert!(!page.contains("<img") && page.contains("and what a run did"));
    let data = data(&page);
    let table = |id: &str| {
        data["tables"]
            .as_array()
            .expect("tables")
            .iter()
            .find(|table| table["id"] == id)
    };
    let rows = |id: &str| {
        table(id).unwrap_or_else(|| panic!("no table {id}"))["rows"]
            .as_array()
            .expect("rows")
            .clone()
    };
    let compared = rows("compared");
    let cells: Vec<[&Value; 3]> = compared
        .iter()
        .map(|row| [&row[2], &row[3], &row[4]])
        .collect();
    assert!(
        cells[..2]
            .iter()
            .all(|[predicted, _, ratio]| predicted.is_u64() && ratio.is_u64()),
        "{cells:?}"
    );
    assert_eq!(
        (cells[0][1], &compared[0][5]),
        (&json!([studied::DONE]), &json!(HOSTILE))
    );
    assert_eq!(cells[2], [&json!([12.0]), &json!([24.0]), &json!([2.0])]);
    assert_eq!(cells[3], [&Value::Null, &json!([7.0]), &Value::Null]);
    assert_eq!(
        (
            rows("fits").len(),
            rows("joined").len(),
            rows("unjoined").len()
        ),
        (1, 1, 1)
    );
    assert_eq!(rows("joined")[0][3], json!([0.75]));
    let depth = rows("run")
        .into_iter()
        .find(|row| row[1] == "𝒟")
        .expect("the memory depth");
    assert_eq!(depth[2], json!([1.0]));
    assert_eq!(
        rows("chain")[0],
        json!(["sum", [1], [1], [0], [0], "sum.c", [5]])
    );
    // What only the run has is in no chart.
    let points = data["scatter"]["points"].as_array().expect("points");
    let series: Vec<&Value> = points.iter().map(|point| &point[0]).collect();
    assert_eq!(series, [0, 1, 2]);
    assert_eq!(points[0][3], *cells[0][0]);
    let figures = formulas(&page).figures.len();
    assert!(cells[..2].iter().all(|[predicted, _, ratio]| {
        [predicted, ratio]
            .iter()
            .all(|cell| (cell.as_u64().expect("a position") as usize) < figures)
    }));
    // A page without a run has none of it.
    let plain = crate::support::page::data(&self::page(&program, None));
    assert!(plain["scatter"].is_null());
    assert!(
        plain["tables"]
            .as_array()
            .expect("tables")
            .iter()
            .all(|table| table["id"] != "compared")
    );
}

#[test]
fn nothing_comes_from_elsewhere() {
    let page = page(&mixed(), None);
    // The name of SVG is no address.
    assert!(
        !page
            .replace("http://www.w3.org/2000/svg", "")
            .contains("://")
    );
    for loading in [
        "src=",
        "@import",
        "url(",
        "<link",
        "fetch(",
        "XMLHttpRequest",
        "import(",
    ] {
        assert!(!page.contains(loading), "{loading}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn the_same_model_gives_the_same_page() {
    let program = mixed();
    assert_eq!(page(&program, Some("a\nb")), page(&program, Some("a\nb")));
}

#[test]
fn lines_around_nests_are_there_and_long_ones_are_cut() {
    let program = mixed();
    let source: String = (1..100)
        .map(|n| format!("line {n} {}\n", "x".repeat(200)))
        .collect();
    let data = data(&page(&program, Some(&source)));
    let lines = &data["lines"]["smooth.f90"];
    // The nest is in lines 8 to 17, two lines stand above it.
    assert_eq!(lines.as_object().map(|lines| lines.len()), Some(12));
    let line = lines["6"].as_str().expect("line 6");
    assert!(
        line.starts_with("line 6 xx") && line.ends_with("x…") && line.chars().count() == 161,
        "{line}"
    );
    assert_eq!(data["nests"][0]["starts"], serde_json::json!([8, 9, 10]));
}

#[test]
fn big_programs_keep_the_costliest_nests_live_and_say_which() {
    let functions = (0..900).map(|number| {
        let mut function = seven_point();
        function.name = format!("smooth_{number}");
        function
    });
    let program = program(functions.chain([matrix_multiply()]).collect());
    let model = model(&program, "exasat", &[("m", "4000")]);
    let page = report(&model, &|_| None);
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    let data = data(&page);
    let live: Vec<bool> = data["live"]
        .as_array()
        .expect("nests")
        .iter()
        .map(|live| live == true)
        .collect();
    let count = live.iter().filter(|live| **live).count();
    assert!(
        live.len() == 901 && count > 100 && count < 901,
        "{count} of {}",
        live.len()
    );
    assert!(live[900], "the costliest");
    let table = |id: &str| {
        data["tables"]
            .as_array()
            .expect("tables")
            .iter()
            .find(|table| table["id"] == id)
            .cloned()
    };
    let rows = |id: &str| {
        table(id).expect("a table")["rows"]
            .as_array()
            .expect("rows")
            .clone()
    };
    // Every nest is listed; two arrays of each live one, three of the last.
    assert_eq!(
        (rows("nests").len(), rows("arrays").len()),
        (901, 2 * count + 1)
    );
    // Time follows from traffic where it is live; elsewhere it is a number.
    let formulas = formulas(&page);
    let points = data["roofline"]["points"].as_array().expect("points");
    let seconds = points
        .iter()
        .map(|point| point[2].as_u64().expect("a position") as usize);
    let seconds: Vec<usize> = seconds.collect();
    for (seconds, live) in seconds.iter().zip(&live) {
        let is_step = matches!(formulas.figures[*seconds], Slot::Step(_));
        assert_eq!(is_step, *live);
    }
    let total = data["totals"][0][1].as_u64().expect("a position") as usize;
    let needed = formulas.needed(&[total]);
    assert!(
        seconds
            .iter()
            .all(|at| needed.contains(&formulas.figures[*at]))
    );
}

#[test]
fn times_over_ranges_of_inputs_are_heat_maps() {
    let program = mixed();
    let page = page(&program, None);
    let data = data(&page);
    let sections = data["maps"].as_array().expect("maps");
    assert_eq!(sections.len(), 1, "no run, no epochs");
    let maps = sections[0]["maps"].as_array().expect("maps");
    let titles: Vec<&str> = maps
        .iter()
        .map(|map| map["title"].as_str().expect("a title"))
        .collect();
    let start = [
        "Cache of a core [B]",
        "Memory bandwidth [GB/s]",
        "Memory latency [ns]",
        "Peak of a core [Gflop/s]",
    ];
    assert_eq!(titles[..4], start);
    assert!(titles[4].starts_with("Block size in x"), "{titles:?}");
    assert_eq!(maps[2]["needs"], json!(["dram_lines_in_flight"]));
    let figures = formulas(&page).figures.len();
    for map in maps {
        let across = map["across"].as_array().expect("values");
        for row in map["rows"].as_array().expect("rows") {
            let cells = row["cells"].as_array().expect("cells");
            assert_eq!(cells.len(), across.len());
            assert!(
                cells
                    .iter()
                    .chain(across)
                    .all(|cell| (cell.as_u64().expect("a figure") as usize) < figures)
            );
        }
    }
}

#[test]
fn epochs_of_a_run_are_a_heat_map() {
    let program = mixed();
    let model = model(&program, "exasat", WORKED);
    let comparison = studied::comparison(&model, "a remark");
    let run = trace_reports::full();
    let epochs = run.epochs.as_ref().expect("epochs");
    let data = data(&study(
        &model,
        Study {
            run: &run,
            comparison: &comparison,
        },
        &|_| None,
    ));
    let section = &data["maps"][1];
    assert_eq!(section["id"], "epochs");
    let map = &section["maps"][0];
    assert_eq!(map["across"][0], epochs.windows[0].to_string());
    // The largest capacity is on top.
    let rows = map["rows"].as_array().expect("rows");
    let last = epochs.capacities.len() - 1;
    assert_eq!(rows.len(), last + 1);
    let rate =
        |capacity: usize| 1000.0 * epochs.epochs[capacity][0] as f64 / epochs.instructions as f64;
    assert_eq!(
        (&rows[0]["cells"][0], &rows[last]["cells"][0]),
        (&json!([rate(last)]), &json!([rate(0)]))
    );
}

/// What is read first comes first; what is changed stands beside it.
#[test]
fn the_summary_comes_first_and_inputs_last() {
    let page = page(&mixed(), None);
    let at = |part: &str| page.find(part).unwrap_or_else(|| panic!("no {part}"));
    let sections = [
        "summary",
        "scatter",
        "compared",
        "roofline",
        "nests",
        "sensitivity",
        "advice",
        "arrays",
    ];
    let places = sections.map(|id| at(&format!("<section id=\"{id}\"")));
    assert!(places.is_sorted(), "{places:?}");
    assert!(at("<aside id=\"inputs\"") > places[7]);
    let data = data(&page);
    let nests = &data["tables"][0];
    let first: Vec<&str> = (nests["first"].as_array().expect("columns").iter())
        .map(|at| {
            nests["columns"][at.as_u64().expect("a position") as usize]["header"]
                .as_str()
                .expect("a text")
        })
        .collect();
    assert_eq!(first[0], "Loop");
    for header in [
        "Share of total",
        "Bound by",
        "Estimate",
        "Actual",
        "Arithmetic intensity",
    ] {
        assert!(first.contains(&header), "{header}: {first:?}");
    }
    assert!(first.len() <= 9, "{first:?}");
}

#[test]
fn a_nest_has_its_stencils_and_layer_conditions_in_symbols() {
    let program = program(vec![seven_point()]);
    let page = report(&model(&program, "xeon-8380", WORKED), &|_| None);
    let data = data(&page);
    let detail = &data["nests"][0]["detail"];
    let streams = detail["streams"].as_array().expect("streams");
    let read = streams
        .iter()
        .find(|stream| stream["points"] == 7)
        .expect("seven points");
    assert_eq!(read["offsets"].as_array().map(Vec::len), Some(7));
    let conditions = detail["conditions"].as_array().expect("conditions");
    assert!(
        conditions.iter().any(|one| one["symbols"]
            .as_str()
            .is_some_and(|text| text.ends_with("·8 B"))),
        "{conditions:?}"
    );
    let names: Vec<&str> = (detail["times"].as_array().expect("parts").iter())
        .map(|part| part["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(
        names,
        ["ports", "chain", "L1", "L2", "L3", "DRAM", "waiting"]
    );
}

#[test]
fn thousands_of_loops_are_a_small_page() {
    let functions = (0..1500).map(|number| {
        let mut function = seven_point();
        function.name = format!("smooth_{number}");
        function
    });
    let program = program(functions.collect());
    let model = model(&program, "xeon-8380", WORKED);
    let page = report(&model, &|_| Some("      a = b\n".repeat(100)));
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    assert_eq!(data(&page)["nests"].as_array().map(Vec::len), Some(1500));
}
