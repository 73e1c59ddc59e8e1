//! What is written about a trace besides the workbook: JSON, the table, DOT, SVG.

use crate::support::trace_reports;
use loopsheet_cache::AccessKind;
use loopsheet_export::{dot, json, svg, trace_table};
use loopsheet_graph::{Dependences, Edag, Step, Touch};
use loopsheet_trace::isa::{Class, Extent, Facts, Operand, Operands, Register};
use serde_json::Value;

fn json(report: &loopsheet_metrics::report::TraceReport) -> Value {
    serde_json::from_str(&json::trace(report)).unwrap()
}

/// The keys of the promise, at the top and inside.
const EDAG: &str = "work depth parallelism edges memory_work memory_depth non_memory_cost slots latency lambda \
     lambda_lower relative_lambda time_lower time_upper bytes_moved average_bandwidth";

#[test]
fn the_promised_keys_are_there() {
    for report in [trace_reports::full(), trace_reports::bare()] {
        let json = json(&report);
        assert_eq!(json["schema"], "loopsheet/trace/1");
        let has = |value: &Value, keys: &str| {
            for key in keys.split_whitespace() {
                assert!(value.get(key).is_some(), "{key} in {value}");
            }
        };
        has(&json, "trace mix cache edag regions notes");
        has(
            &json["trace"],
            "path format instructions bytes harts unknown",
        );
        has(&json["edag"], EDAG);
        json["cache"]
            .as_array()
            .unwrap()
            .iter()
            .for_each(|level| has(level, "size line ways policy write"));
        for region in json["regions"].as_array().unwrap() {
            has(region, "kind name file line");
            has(region, EDAG);
        }
    }
}

/// EDAN slide, summation kernel: 𝒲 = 4, 𝒟 = 1, C = 10; the rest by hand from m = 4, α = 100, α₀ = 50, 2 GHz.
#[test]
fn figures_are_plain_numbers() {
    let json = json(&trace_reports::full());
    let edag = &json["edag"];
    for (key, value) in [
        ("memory_work", 4.0),
        ("memory_depth", 1.0),
        ("non_memory_cost", 10.0),
        ("lambda", 1.75),
        ("lambda_lower", 1.0),
        ("relative_lambda", 1.75 / 97.5),
        ("time_lower", 110.0),
        ("time_upper", 185.0),
        ("parallelism", 2.0),
        ("average_bandwidth", 256.0 / 3.5e-9),
    ] {
        let found = edag[key].as_f64().unwrap();
        assert!((found - value).abs() <= 1e-12 * value, "{key}: {found}");
    }
    assert_eq!(
        edag["brent"],
        serde_json::json!({"processors": 4, "lower": 7, "upper": 8.75})
    );
    assert_eq!(json["mix"]["fp_load"], 4);
    assert_eq!(json["trace"]["unknown"]["frob.x"], 2);
    assert_eq!(
        json["cache"][1],
        serde_json::json!({
            "size": 8192, "line": 64, "ways": 128, "policy": "lru", "write": "write-through", "latency_cycles": null,
            "accesses": 6, "hits": 2, "misses": 4, "bypasses": 0, "evictions": 0, "write_backs": 0, "bytes_in": 256,
            "bytes_out": 0,
        })
    );
    // 21 trials, 100 to 300: the median is the eleventh.
    assert_eq!(json["remote"]["quantiles"]["p50"], 200);
    assert_eq!(
        (
            &json["remote"]["quantiles"]["min"],
            &json["remote"]["quantiles"]["max"]
        ),
        (&100.into(), &300.into())
    );
    assert_eq!(json["reuse"]["exact"][4], serde_json::json!([6, 1]));
}

#[test]
fn what_was_not_asked_for_is_absent_and_the_unknown_is_null() {
    let json = json(&trace_reports::bare());
    for key in ["reuse", "remote", "movement", "schedule"] {
        assert!(json.get(key).is_none(), "{key}");
    }
    for key in [
        "memory_work",
        "lambda",
        "time_upper",
        "average_bandwidth",
        "bytes_moved",
    ] {
        assert!(json["edag"][key].is_null(), "{key}");
    }
    assert_eq!(json["edag"]["parallelism"], 2);
}

#[test]
fn the_table_says_what_is_unknown_and_why() {
    let text = trace_table::render(&trace_reports::bare(), None);
    assert_eq!(
        text.matches("unknown (the trace has no addresses)").count(),
        11,
        "{text}"
    );
    let text = trace_table::render(&trace_reports::full(), Some(1));
    assert!(!text.contains("unknown"), "{text}");
    for part in [
        "sum_4.out (edan): 14 instructions",
        "fp_load",
        "28.6 %",
        "λ_lower",
        "… and 1 more",
        "p50",
        "frob.x (2)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.lines().all(|line| line.trim_end() == line), "{text}");
}

/// A dot product unrolled over `n` elements: two loads and a fused multiply-add each.
fn steps(n: u64) -> Vec<Step> {
    let float = |number: u8| Operand {
        register: Register::float(number),
        extent: Extent::One,
    };
    let integer = |number: u8| Operand {
        register: Register::integer(number).unwrap(),
        extent: Extent::One,
    };
    let step = |label: String, class, reads: &[Operand], writes: Operand, address: Option<u64>| {
        let (mut read, mut written) = (Operands::default(), Operands::default());
        reads.iter().for_each(|operand| read.insert(*operand));
        written.insert(writes);
        let facts = Facts {
            class,
            reads: read,
            writes: written,
            access: None,
            sets_vector_type: None,
            edan_omits: false,
        };
        let touch = |address| Touch {
            address,
            bytes: 8,
            kind: AccessKind::Load,
        };
        let misses = address.is_some_and(|address| address.is_multiple_of(64));
        Step {
            facts,
            label,
            pc: Some(0x104be),
            accesses: address.map(touch).into_iter().collect(),
            hart: 0,
            misses,
            cycles: 1,
        }
    };
    let mut steps = Vec::new();
    for index in 0..n {
        let to = (index % 4) as u8 * 2;
        steps.push(step(
            format!("fld ft{to},0(a0)"),
            Class::FpLoad,
            &[integer(10)],
            float(to),
            Some(0x1000 + index * 8),
        ));
        steps.push(step(
            format!("fld ft{},0(a1)", to + 1),
            Class::FpLoad,
            &[integer(11)],
            float(to + 1),
            Some(0x8000 + index * 8),
        ));
        steps.push(step(
            "addi a0,a0,8".into(),
            Class::Integer,
            &[integer(10)],
            integer(10),
            None,
        ));
        steps.push(step(
            "addi a1,a1,8".into(),
            Class::Integer,
            &[integer(11)],
            integer(11),
            None,
        ));
        let text = format!("fmadd.d fa0,ft{to},ft{},fa0 <\"&>", to + 1);
        steps.push(step(
            text,
            Class::FpFma,
            &[float(to), float(to + 1), float(10)],
            float(10),
            None,
        ));
    }
    steps
}

/// Reads an SVG as XML and counts its elements.
fn elements(svg: &str) -> std::collections::BTreeMap<String, usize> {
    let mut reader = quick_xml::Reader::from_str(svg);
    let mut counts = std::collections::BTreeMap::new();
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Start(tag) | quick_xml::events::Event::Empty(tag) => {
                assert!(tag.attributes().all(|attribute| attribute.is_ok()));
                *counts.entry(tag.name().as_ref().to_string()).or_default() += 1;
            }
            quick_xml::events::Event::Eof => return counts,
            _ => {}
        }
    }
}

#[test]
fn drawings_show_every_vertex_and_every_edge() {
    for (n, dependences) in [
        (0, Dependences::True),
        (12, Dependences::True),
        (12, Dependences::All),
        (1000, Dependences::All),
    ] {
        let edag = Edag::new(&steps(n), dependences).unwrap();
        let drawing = svg::edag(&edag, "dot product <&>");
        let counts = elements(&drawing);
        let (vertices, edges) = (edag.graph().node_count(), edag.graph().edge_count());
        assert_eq!(counts.get("path").copied().unwrap_or(0), edges);
        // One group each, with a tooltip, besides the group of edges and that of vertices; a title for the whole.
        assert_eq!((counts["g"], counts["title"]), (vertices + 2, vertices + 1));
        assert!(!drawing.contains("NaN") && !drawing.contains("inf"));
        assert_eq!(drawing, svg::edag(&edag, "dot product <&>"));
        let text = dot::edag(&edag);
        assert_eq!(text.matches(" -> ").count(), edges);
        assert_eq!(text.matches("label=").count(), vertices);
    }
}

#[test]
fn the_latency_sweep_needs_addresses() {
    assert_eq!(svg::latency_sweep(&trace_reports::bare()), None);
    let drawing = svg::latency_sweep(&trace_reports::large()).unwrap();
    let counts = elements(&drawing);
    assert_eq!((counts["polyline"], counts["polygon"]), (2, 1));
    for text in [
        "latency α of a RAM access [cycles]",
        "time [10⁹ cycles]",
        "upper bound",
        "lower bound",
    ] {
        assert!(drawing.contains(text), "{text}");
    }
}
