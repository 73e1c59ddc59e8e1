use super::*;
use crate::hash::Hash;
use crate::latency::{LatencyOf, RunLatency};

fn input(name: &str, content: &[u8]) -> Input {
    Input {
        name: name.into(),
        files: vec![FileHash {
            path: name.into(),
            sha256: Hash::of(content),
        }],
    }
}

fn manifest(text: &str, content: &[u8]) -> Result<Manifest, PlanError> {
    Ok(planned(text, content, &[])?.manifest)
}

/// With traces that have no addresses.
fn planned(text: &str, content: &[u8], without: &[&str]) -> Result<Plan, PlanError> {
    let spec = SweepSpec::parse(text).expect("sound");
    let inputs = |names: &[String]| names.iter().map(|name| input(name, content)).collect();
    let (sources, traces): (Vec<Input>, Vec<Input>) =
        (inputs(&spec.sources.0), inputs(&spec.traces.0));
    let traces: Vec<TraceInput> = traces
        .into_iter()
        .map(|input| TraceInput {
            has_addresses: !without.contains(&&*input.name),
            input,
        })
        .collect();
    let machines = spec.machines.0.iter().map(|name| MachineFacts {
        name: name.clone(),
        figures: vec![Some(f64::from(name.as_bytes()[0]))],
        ghz: Some(2.0),
        latency_cycles: (name != "x").then_some(100.0),
        levels: vec!["32KiB".parse().expect("a cache")],
    });
    plan(&Facts {
        spec: &spec,
        sources: &sources,
        traces: &traces,
        machines: &machines.collect::<Vec<_>>(),
        roles: &vec![SettingRole::PROBLEM; spec.set.len()],
        root: ".",
        read: &[],
        of_spec: &FileHash {
            path: "sweep.toml".into(),
            sha256: Hash::of(text.as_bytes()),
        },
        not_read: &[],
        ambiguous: &[],
    })
}

const BOTH: &str = "sources = [\"a.c\"]\ntraces = [\"t\", \"u\"]\nmachines = [\"x\", \"y\"]\n\
    [set]\nn = \"1..3\"\nm = [4, 5]\n\
    [trace]\ncaches = [\"machine\", \"1KiB..4KiB:x2\"]\nlatencies = [50, 100]\nslots = [4, 8, 16]\n\
    [shards]\nmodels = 5\ncaches = 2\n";

#[test]
fn the_product_of_all_axes() {
    let manifest = manifest(BOTH, b"").expect("a plan");
    // 2 machines × 3 × 2 sizes in parts of 5; two traces, each with 4 hierarchies in parts of 2.
    assert_eq!(manifest.header.shards, 3 + 2 * 2);
    // Of a trace: 2 machines × 4 caches × 2 latencies × 3 slots.
    assert_eq!(manifest.header.configurations, 12 + 2 * 48);
    let read = Manifest::parse(&manifest.to_lines()).expect("its own text");
    assert_eq!(read, manifest);
}

#[test]
fn a_hash_follows_all_that_counts() {
    let hashes = |text: &str, content: &[u8]| {
        let shards = manifest(text, content).expect("a plan").shards;
        shards
            .into_iter()
            .map(|shard| shard.hash)
            .collect::<Vec<_>>()
    };
    let before = hashes(BOTH, b"");
    assert_eq!(hashes(BOTH, b""), before);
    let differ = |text: &str, content: &[u8]| {
        let now = hashes(text, content);
        before.iter().filter(|hash| !now.contains(hash)).count()
    };
    assert_eq!(differ(BOTH, b"changed"), before.len());
    // Sources do not depend on latencies, nor traces on how many models fit into a shard.
    assert_eq!(differ(&BOTH.replace("50,", "60,"), b""), 4);
    assert_eq!(differ(&BOTH.replace("models = 5", "models = 6"), b""), 3);
    let distinct: std::collections::BTreeSet<_> = before.iter().collect();
    assert_eq!(distinct.len(), before.len());
}

#[test]
fn what_a_machine_lacks_is_said() {
    let refused = |text: &str, why: &str| {
        let error = manifest(text, b"").expect_err(text).to_string();
        assert!(error.contains(why), "{error}");
    };
    refused(
        &BOTH.replace("50,", "\"machine\","),
        "machine x has no dram_latency_ns (latency of memory)",
    );
    refused(
        "traces = [\"t\"]\n[trace]\ncaches = [\"machine\"]\n",
        "names none",
    );
    refused("traces = [\"t\"]\n[trace]\nslots = 0\n", "from 1");
    refused("traces = [\"t\"]\n[trace]\nepoch_slots = 4\n", "windows");
    refused("traces = [\"t\"]\n[trace]\nwindows = 1.5\n", "whole");
}

#[test]
fn a_hierarchy_counts_once_and_has_one_area() {
    let runs = |caches: &str| {
        let text = format!(
            "traces = \"t\"\nmachines = \"y\"\n[trace]\nlatencies = [100, \"machine\"]\ncaches = [{caches}]\n[area]\nmm2_per_mib = 1\n"
        );
        let manifest = manifest(&text, b"")?;
        let Work::Trace(work) = &manifest.shards[0].work else {
            panic!("a trace");
        };
        let of = |run: &CacheRun| (run.area_mm2, run.latencies.clone());
        Ok::<_, PlanError>(work.runs.iter().map(of).collect::<Vec<_>>())
    };
    // The machine's latency is 100 cycles, too.
    let both = RunLatency {
        cycles: 100.0,
        of: LatencyOf::Both,
    };
    let once = |area| vec![(Some(area), vec![both])];
    // Eight ways are usual, and 32 KiB are also what the machine has.
    let found = runs("\"32KiB\", \"machine\", \"32768,8way\"").expect("a plan");
    assert_eq!(found, once(1.0 / 32.0));
    let own = "{ levels = \"32KiB\", area_mm2 = 0.7 }";
    for caches in [
        format!("\"machine\", {own}"),
        format!("{own}, \"32KiB\", {own}"),
    ] {
        assert_eq!(runs(&caches).expect("a plan"), once(0.7), "{caches}");
    }
    let error = runs(&format!("{own}, {}", own.replace("0.7", "0.8"))).expect_err("two areas");
    assert!(
        error.to_string().contains("has two areas, 0.7 and 0.8"),
        "{error}"
    );
}

#[test]
fn machines_that_are_alike_are_named() {
    let remarks = |text: &str| {
        let remarks = planned(text, b"", &[]).expect("a plan").remarks;
        remarks.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let traces = "traces = \"t\"\nmachines = [\"y\", \"z\"]\n";
    let [remark] = &remarks(traces)[..] else {
        panic!("one remark");
    };
    assert!(
        remark.contains("y and z do not differ in what traces"),
        "{remark}"
    );
    assert!(remarks("sources = \"a.c\"\nmachines = [\"y\", \"z\"]\n").is_empty());
    let same = remarks("sources = \"a.c\"\nmachines = [\"y\", \"y2\"]\n");
    assert!(
        same[0].contains("y and y2 have the same figures"),
        "{same:?}"
    );
}

#[test]
fn traces_without_addresses_keep_what_needs_none() {
    let text = "traces = [\"t\", \"u\"]\n[trace]\ncaches = [\"none\", \"1KiB\"]\nslots = [4, 8]\nwindows = 64\ncapacities = 1024\n";
    let Plan { manifest, remarks } = planned(text, b"", &["u"]).expect("a plan");
    let counts = manifest.shards.iter();
    let counts: Vec<usize> = counts.map(|shard| shard.work.configurations()).collect();
    assert_eq!(counts, [5, 2]);
    let [remark] = &remarks[..] else {
        panic!("one remark: {remarks:?}");
    };
    let remark = remark.to_string();
    assert!(
        remark.contains("u is a trace") && remark.contains("3 of its 5"),
        "{remark}"
    );
    let error = planned(&text.replace("\"none\", ", ""), b"", &["u"]).expect_err("nothing left");
    assert!(
        error.to_string().contains("`traces`: u without addresses"),
        "{error}"
    );
}

/// What is there twice counts once, ranges may miss their ends, and clocks may be unknown: each is said.
#[test]
fn what_may_be_read_otherwise_is_said() {
    let said = |text: &str| -> Vec<String> {
        let remarks = planned(text, b"", &[]).expect("a plan").remarks;
        remarks.iter().map(ToString::to_string).collect()
    };
    let text = "traces = [\"t\"]\nsources = [\"a.c\"]\nmachines = [\"y\"]\n[set]\nn = [64, \"64\", \"10..25:10\"]\n\
        [trace]\ncaches = [\"machine\", \"32KiB\", \"3KiB..10KiB:x2 + 1MiB\"]\nlatencies = [100, \"machine\", 100]\nslots = [4, 4, 8]\n";
    let said = said(text);
    for expected in [
        "`set.n`: 64 is there more than once, and counts once",
        "`set.n`: the steps of `10..25:10` do not meet its end: 20 is the last value",
        "`trace.caches`: 32KiB,8way,64B,lru,write-back is there more than once",
        "`trace.caches`: the steps of `3KiB..10KiB:x2` do not meet its end: 6144 is the last value",
        "`trace.latencies`: 100 is there more than once",
        "`trace.slots`: 4 is there more than once",
        "the latency of y is also one of the numbers",
    ] {
        assert!(
            said.iter().any(|remark| remark.starts_with(expected)),
            "{expected}: {said:?}"
        );
    }
    assert_eq!(said.len(), 7, "{said:?}");
    let exact = planned(
        "traces = [\"t\"]\n[trace]\nslots = \"1..1.7:0.1\"\n",
        b"",
        &[],
    );
    assert_eq!(exact.expect("a plan").remarks, []);
}
