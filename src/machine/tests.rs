//! Presets against their documents, files against their errors.

use super::parameters::{Fallback, all_parameters};
use super::*;

fn presets() -> impl Iterator<Item = MachineModel> {
    preset_names().map(|name| MachineModel::preset(name).unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn every_figure_of_a_preset_has_a_source_and_is_in_range() {
    for machine in presets() {
        assert!(!machine.about.is_empty(), "{}", machine.name);
        for (parameter, (name, _, row)) in machine.parameters.iter().zip(all_parameters()) {
            assert_eq!(parameter.name, name);
            if matches!(
                row.fallback,
                Fallback::Required | Fallback::ShareOfLastLevel
            ) {
                assert!(parameter.value.is_some(), "{}: {name}", machine.name);
            }
            assert_eq!(
                parameter.value.is_some(),
                !parameter.source.is_empty(),
                "{}: {name}",
                machine.name
            );
            assert!(
                !parameter.source.contains(".toml"),
                "{}: {name} gives no source",
                machine.name
            );
            if let Some(value) = parameter.value {
                parameter.check(value).unwrap();
            }
        }
    }
}

#[test]
fn the_name_of_a_preset_is_the_name_in_its_file() {
    for (machine, name) in presets().zip(preset_names()) {
        assert_eq!(machine.name, name);
    }
}

#[test]
fn the_levels_of_a_preset_are_consistent() {
    for machine in presets() {
        let levels = machine.levels();
        let last = levels.last().expect("at least one level");
        assert_eq!(
            levels.iter().map(|level| level.index).collect::<Vec<_>>(),
            (1..=levels.len()).collect::<Vec<_>>()
        );
        assert!(
            machine.get("cache_bytes").unwrap() <= last.bytes,
            "{}",
            machine.name
        );
        for level in &levels {
            assert!(
                level.shared_by <= machine.get("cores").unwrap(),
                "{} {}",
                machine.name,
                level.name
            );
            assert_eq!(
                level.bytes % level.line,
                0.0,
                "{} {}",
                machine.name,
                level.name
            );
        }
        for pair in levels.windows(2) {
            assert!(
                pair[0].bytes < pair[1].bytes && pair[0].shared_by <= pair[1].shared_by,
                "{}",
                machine.name
            );
            if let (Some(near), Some(far)) = (pair[0].gbs, pair[1].gbs) {
                assert!(near >= far, "{} {}", machine.name, pair[1].name);
            }
        }
    }
}

/// Arithmetic of the notes that begin with "derived".
#[test]
fn derived_figures_follow_from_the_others() {
    for machine in presets() {
        let cache = machine.parameter("cache_bytes").unwrap();
        if cache.note.starts_with("derived") {
            let share = machine.levels().last().unwrap().share();
            assert_eq!(cache.value, Some(share.floor()), "{}", machine.name);
        }
    }
    let flops_per_cycle = [
        ("xeon-8380", 32.0),
        ("epyc-7763", 16.0),
        ("a64fx", 32.0),
        ("grace", 16.0),
        ("sg2042", 4.0),
        ("edan", 2.0),
        ("camat", 3.0),
    ];
    for (name, expected) in flops_per_cycle {
        let machine = MachineModel::preset(name).unwrap();
        let actual = machine.get("gflops_per_core").unwrap() / machine.get("ghz").unwrap();
        assert!((actual - expected).abs() < 1e-9, "{name}: {actual}");
    }
}

/// ExaSAT's published defaults.
#[test]
fn exasat_is_as_published() {
    let machine = MachineModel::preset("exasat").unwrap();
    let expected = [
        ("cores", 1024.0),
        ("gflops_per_core", 10.0),
        ("dram_gbs", 1024.0),
        ("l1_bytes", 1_048_576.0),
        ("cache_bytes", 1_048_576.0),
        ("line_bytes", 64.0),
        ("cost_r", 1.0),
        ("cost_rw", 2.0),
        ("cost_w", 2.0),
        ("cost_div", 39.0),
        ("cost_special", 125.0),
        ("streaming_writes", 0.0),
        ("nta_hints", 0.0),
        ("overlap", 1.0),
        ("nic_gbs", 100.0),
        ("nic_latency_us", 0.4),
        ("int_registers", 16.0),
        ("fp_registers", 16.0),
    ];
    for (name, value) in expected {
        assert_eq!(machine.get(name), Some(value), "{name}");
    }
    assert_eq!(machine.levels().len(), 1);
    assert_eq!(
        machine.levels()[0].gbs,
        None,
        "ExaSAT gives no cache bandwidth"
    );
    assert_eq!(machine.get("ghz"), None);
}

/// Wang and Sun's Table I.
#[test]
fn camat_is_as_published() {
    let machine = MachineModel::preset("camat").unwrap();
    let levels = machine.levels();
    let level = |index: usize| {
        (
            levels[index].bytes,
            levels[index].ways,
            levels[index].latency_cycles,
        )
    };
    assert_eq!(level(0), (32_768.0, Some(2.0), Some(4.0)));
    assert_eq!(level(1), (524_288.0, Some(16.0), Some(24.0)));
    assert_eq!(
        machine.get("dram_latency_ns").unwrap() * machine.get("ghz").unwrap(),
        240.0
    );
}

const SMALL: &str = "name = \"mine\"\ntitle = \"Mine\"\ncores = 4\ngflops_per_core = 8.5\ndram_gbs = 20\nline_bytes = 64\n";

#[test]
fn a_short_file_is_enough() {
    let machine = MachineModel::parse(
        &format!("{SMALL}l1_bytes = \"48 KiB\"\nl2_bytes = 1048576\nl2_shared_by = 4\n"),
        "mine.toml",
    )
    .unwrap();
    assert_eq!(machine.get("cache_bytes"), Some(262_144.0));
    assert_eq!(machine.get("l1_shared_by"), Some(1.0));
    assert_eq!(machine.get("l3_shared_by"), None);
    assert_eq!(machine.parameter("cores").unwrap().source, "mine.toml");
    let levels = machine.levels();
    assert_eq!((levels[0].bytes, levels[1].share()), (49_152.0, 262_144.0));
}

fn complaint(text: &str) -> String {
    MachineModel::parse(text, "m.toml").unwrap_err().to_string()
}

#[test]
fn complaints_say_where_and_what() {
    let with = |line: &str| complaint(&format!("{SMALL}l1_bytes = 4096\n{line}\n"));
    assert_eq!(
        with("coers = 3"),
        "m.toml:8:1: no machine parameter is called `coers` (did you mean cores?)"
    );
    assert_eq!(
        with("ghz = true"),
        "m.toml:8:7: `ghz` = `true`: not a number of GHz"
    );
    assert_eq!(
        with("ghz = [1]"),
        "m.toml:8:7: `ghz` = `[1]`: not a number of GHz"
    );
    assert_eq!(
        with("overlap = 1.5"),
        "m.toml:8:11: `overlap` = 1.5 is out of range: 0 to 1 are allowed"
    );
    assert_eq!(
        with("fp_registers = 1.5"),
        "m.toml:8:16: `fp_registers` = 1.5 must be a whole number of registers"
    );
    assert_eq!(
        with("nta_hints = 0.5"),
        "m.toml:8:13: `nta_hints` = 0.5 must be a whole number"
    );
    assert_eq!(
        with("[ghz]\nnote = \"fast\""),
        "m.toml:8:1: `ghz` has no value"
    );
    assert_eq!(
        with("[ghz]\nvalue = 1\nwhy = 2"),
        "m.toml:10:1: `why`: only value, source and note are known here"
    );
    assert!(
        with("cores = 5").starts_with("m.toml:8:1: "),
        "{}",
        with("cores = 5")
    );
    assert!(
        with("ghz = = 5").starts_with("m.toml:8:"),
        "{}",
        with("ghz = = 5")
    );
    assert_eq!(
        complaint("name = \"x\"\nl1_bytes = 64\n"),
        "m.toml: not given: title, cores, gflops_per_core, line_bytes, dram_gbs"
    );
    assert_eq!(complaint(SMALL), "m.toml: not given: cache_bytes");
}

#[test]
fn a_file_that_is_written_is_read_back() {
    let mut machines: Vec<MachineModel> = presets().collect();
    let odd = "l1_bytes = 1000\ncache_bytes = 1536\nghz = 0.1\nabout = \"\"\"two\nlines of \\\"text\\\" # and \\\\\"\"\"\n";
    machines.push(MachineModel::parse(&format!("{SMALL}{odd}"), "mine.toml").unwrap());
    for machine in machines {
        let text = machine.to_toml();
        let again = MachineModel::parse(&text, "written.toml")
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again, machine);
        assert_eq!(again.to_toml(), text);
    }
}

#[test]
fn a_base_is_changed_in_what_the_file_says() {
    let base = MachineModel::preset("xeon-8380").unwrap();
    let text = "base = \"xeon-8380\"\ndram_gbs = 180\n[ghz]\nvalue = 2.6\nsource = \"measured\"\n";
    let machine = MachineModel::parse(text, "dir/ours.toml").unwrap();
    assert_eq!(
        (machine.name.as_str(), machine.title.as_str()),
        ("ours", format!("{}, changed", base.title).as_str())
    );
    assert_eq!(
        (machine.get("dram_gbs"), machine.get("ghz")),
        (Some(180.0), Some(2.6))
    );
    assert_eq!(machine.parameter("ghz").unwrap().source, "measured");
    assert_eq!(
        machine.parameter("dram_gbs").unwrap().note,
        "",
        "the note is of the base's figure"
    );
    let rest = |machine: &MachineModel| {
        let mut rest = machine.parameters.clone();
        rest.retain(|parameter| !["ghz", "dram_gbs"].contains(&parameter.name.as_str()));
        rest
    };
    assert_eq!(rest(&machine), rest(&base));
}

/// One core's share of the last level follows it, unless the base has another figure there or the file gives one.
#[test]
fn the_share_of_the_last_level_follows_a_changed_level() {
    let cache = |text: &str| {
        MachineModel::parse(text, "m.toml")
            .unwrap()
            .get("cache_bytes")
    };
    let mib = 1_048_576.0;
    assert_eq!(
        cache("base = \"epyc-7763\"\nl3_bytes = \"96 MiB\"\n"),
        Some(12.0 * mib)
    );
    assert_eq!(
        cache("base = \"epyc-7763\"\nl3_shared_by = 4\n"),
        Some(8.0 * mib)
    );
    assert_eq!(
        cache("base = \"epyc-7763\"\nl3_bytes = \"96 MiB\"\ncache_bytes = \"5 MiB\"\n"),
        Some(5.0 * mib)
    );
    assert_eq!(
        cache("base = \"epyc-7763\"\nl1_bytes = \"48 KiB\"\n"),
        Some(4.0 * mib)
    );
    let own = MachineModel::parse(
        &format!("{SMALL}l1_bytes = \"1 MiB\"\ncache_bytes = 4096\n"),
        "own.toml",
    )
    .unwrap();
    let found = |_: &str| Ok(own.clone());
    let changed = MachineModel::parse_with_base(
        "base = \"own.toml\"\nl1_bytes = \"2 MiB\"\n",
        "m.toml",
        &found,
    )
    .unwrap();
    assert_eq!(changed.get("cache_bytes"), Some(4096.0));
}

#[test]
fn a_base_that_is_no_machine_is_refused() {
    assert!(
        complaint("cores = 4\nbase = \"xeon-8830\"\n").starts_with(
            "m.toml:2:8: base = \"xeon-8830\": no machine is called `xeon-8830` (did you mean xeon-8380?)"
        ),
        "{}",
        complaint("cores = 4\nbase = \"xeon-8830\"\n")
    );
    assert_eq!(
        complaint("base = 8380\n"),
        "m.toml:1:8: `base` must be a text in quotes"
    );
    assert_eq!(
        complaint("base = \"xeon-8380\"\nbases = 1\n"),
        "m.toml:2:1: no machine parameter is called `bases`"
    );
}

#[test]
fn every_preset_is_of_one_kind_and_the_default_is_real() {
    let kinds = [PresetKind::Real, PresetKind::Paper];
    let all: Vec<&str> = kinds.into_iter().flat_map(presets_of).collect();
    assert_eq!(all, preset_names().collect::<Vec<_>>());
    assert!(presets_of(PresetKind::Real).any(|name| name == DEFAULT_PRESET));
    for machine in presets() {
        let other = machine.counterpart();
        assert!(
            other.name != machine.name
                && presets_of(PresetKind::Real).any(|name| name == other.name)
        );
        assert_ne!(other.get("dram_gbs"), machine.get("dram_gbs"));
    }
}

#[test]
fn cores_that_are_set_hold_for_the_machine_that_is_compared() {
    let mut machine = MachineModel::preset("epyc-7763").unwrap();
    let all = machine.counterpart().get("cores");
    machine.set("cores", 4.0).unwrap();
    assert_eq!(machine.counterpart().get("cores"), Some(4.0));
    // No machine has more than it has.
    machine.set("cores", 1000.0).unwrap();
    assert_eq!(machine.counterpart().get("cores"), all);
}

#[test]
fn an_unknown_preset_names_the_near_and_all() {
    let message = MachineModel::preset("exasta").unwrap_err().to_string();
    assert!(
        message.starts_with(
            "no machine is called `exasta` (did you mean exasat?); the presets are epyc-7763"
        ),
        "{message}"
    );
    assert!(MachineModel::preset("no-such-machine").is_err());
}

#[test]
fn values_can_be_set() {
    let mut machine = MachineModel::preset("exasat").unwrap();
    machine.set("dram_gbs", 200.0).unwrap();
    machine.set_text("cache_bytes", "32KiB").unwrap();
    machine.set_text("nta_hints", "true").unwrap();
    machine.set_text("l2_bytes", "4 MiB").unwrap();
    assert_eq!(
        (machine.get("dram_gbs"), machine.get("cache_bytes")),
        (Some(200.0), Some(32_768.0))
    );
    assert_eq!(machine.get("nta_hints"), Some(1.0));
    assert_eq!(machine.levels().len(), 2);
    for (name, value) in [
        ("dram_gbs", 0.0),
        ("dram_gbs", f64::NAN),
        ("cores", 1.5),
        ("nta_hints", 2.0),
        ("nx", 1.0),
    ] {
        assert!(machine.set(name, value).is_err(), "{name} = {value}");
    }
    assert!(machine.set_text("cores", "4 KiB").is_err());
    assert!(machine.set_text("cache_bytes", "4 Kib").is_err());
    assert_eq!(
        machine.get("dram_gbs"),
        Some(200.0),
        "a refused value leaves the old one"
    );
}
