//! Workbooks and pages: the best of every input and problem, maps.

use super::*;

/// A machine of which less is known has times that are lower bounds: where they are the least, a star says so, and the best
/// of full estimates stands beside it.
#[test]
fn a_lower_bound_does_not_win_without_a_mark() {
    let project = project(SWEEP);
    let spec = "sources = [\"kernels/matmul.c\"]\nmachines = [\"fast.toml\", \"epyc-7763\"]\n";
    fs::write(project.path().join("sweep.toml"), spec).expect("a file");
    let fast = "base = \"sg2042\"\n[gflops_per_core]\nvalue = 10000\n[dram_gbs]\nvalue = 100000\n";
    fs::write(project.path().join("fast.toml"), fast).expect("a file");
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    done(
        project.path(),
        &["report", "--html", "r.html", "-o", "r.xlsx"],
    );
    for row in rows(project.path()) {
        let unknown = text(&row, "machine_unknown");
        let is_full = text(&row, "machine") == "epyc-7763";
        assert_eq!(unknown.is_empty(), is_full, "{row:?}");
        assert!(
            is_full || unknown.contains("the bandwidth of L1, L2 and L3"),
            "{unknown}"
        );
    }
    let page = fs::read_to_string(project.path().join("r.html")).expect("a page");
    assert!(
        page.contains("fast.toml<br>best full estimate: epyc-7763"),
        "{page}"
    );
    assert!(
        page.contains("the time is a lower bound</li>")
            || page.contains("the time is a lower bound;"),
        "{page}"
    );
    let book = fs::read(project.path().join("r.xlsx")).expect("a workbook");
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(book)).expect("a workbook");
    let best = book.worksheet_range("Best").expect("the sheet");
    let rows: Vec<Vec<String>> = (best.rows().skip(3))
        .map(|row| row.iter().map(ToString::to_string).collect())
        .collect();
    let column = |name: &str| rows[0].iter().position(|head| head == name).expect(name);
    let [compared, count, machine, ratio] =
        ["compared", "configurations", "machine", "worst / best"].map(column);
    let lines = rows[1..]
        .iter()
        .map(|row| [compared, count, machine].map(|at| row[at].as_str()));
    let lines: Vec<[&str; 3]> = lines.collect();
    assert_eq!(
        lines,
        [
            ["all", "2", "fast.toml"],
            ["full estimates", "1", "epyc-7763"]
        ]
    );
    assert_eq!(rows[2][ratio], "1");
    for sheet in ["Best", "Configurations"] {
        let range = book.worksheet_range(sheet).expect("the sheet");
        let marked = range.rows().filter(|row| {
            let mut cells = row.iter().filter_map(DataType::get_string);
            cells.any(|cell| cell.starts_with('*') && cell.contains("the time is a lower bound"))
        });
        assert_eq!(marked.count(), 1, "{sheet}");
    }
}

#[test]
fn a_report_has_the_best_of_every_input() {
    let project = undisturbed();
    done(
        project.path(),
        &["report", "-o", "sweep.xlsx", "--html", "sweep.html"],
    );
    let book = fs::read(project.path().join("sweep.xlsx")).expect("a workbook");
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(book)).expect("a workbook");
    let sheets = [
        "Best",
        "Map",
        "Sources map",
        "Epochs map",
        "Front",
        "Ranking",
        "Configurations",
    ];
    assert_eq!(book.sheet_names(), sheets);
    let glossary = Topic::Glossary.text();
    for sheet in sheets {
        assert!(glossary.contains(&format!("**{sheet}**")), "{sheet}");
    }
    // Of a trace one at each latency, of a source one of each size: nobody chooses these.
    let mut least: BTreeMap<(String, u64), f64> = BTreeMap::new();
    for row in rows(project.path()) {
        if ["program", "trace"].contains(&text(&row, "kind")) {
            let time = number(&row, "time_seconds").expect("a time");
            let given = number(&row, "latency_cycles").or(number(&row, "set_n"));
            let latency = given.expect("a latency or a size") as u64;
            let known = least
                .entry((text(&row, "input").into(), latency))
                .or_insert(time);
            *known = known.min(time);
        }
    }
    assert_eq!(least.len(), 2 * 2 + 2 * 2);
    let best = book.worksheet_range("Best").expect("the sheet");
    let column = |name: &str| {
        let mut heads = best.rows().nth(3).expect("headings").iter();
        heads
            .position(|head| head.get_string() == Some(name))
            .expect(name)
    };
    let (latency, size) = (column("latency_cycles"), column("set_n"));
    let compared = column("compared");
    let of_all = best
        .rows()
        .filter(|row| row[compared].get_string() == Some("all"));
    let found = of_all.filter_map(|row| {
        let time = row[2].get_float()?;
        let given = row[latency].get_float().or(row[size].get_float());
        let latency = given.unwrap_or(0.0) as u64;
        Some(((row[0].get_string()?.to_string(), latency), time))
    });
    assert_eq!(found.collect::<BTreeMap<(String, u64), f64>>(), least);
    let ranking = book.worksheet_range("Ranking").expect("the sheet");
    let ranked = ranking.rows().skip(4).filter_map(|row| row[1].get_float());
    let ranked: Vec<f64> = ranked.collect();
    assert!(
        ranked.len() > 1 && ranked.is_sorted_by(|one, other| one >= other),
        "{ranking:?}"
    );
    let page = fs::read_to_string(project.path().join("sweep.html")).expect("a page");
    assert!(page.contains("By epochs per 1,000 instructions"));
    // Said once, and what differs only.
    assert!(
        page.contains("<p>All traces: caches 64B write-back.</p>"),
        "{page}"
    );
    for cell in ["α = 50, 100", "n = 64; n = 128"] {
        assert!(
            page.contains(&format!("<td class=\"t\">{cell}</td>")),
            "{page}"
        );
    }
    assert!(
        page.contains("n = 64") && page.contains("over machine and set_n"),
        "{page}"
    );
    for (input, _) in least.keys() {
        assert!(page.contains(input), "{input}");
    }
    // Traces have no sizes: the axes of the map are those that go together.
    assert!(page.contains("over 2 inputs"), "{page}");
    let (status, said) = sweep(
        project.path(),
        &["report", "-o", "x.xlsx", "--map", "n,caches"],
    );
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("`n`; there are ") && said.contains(", set_n"),
        "{said}"
    );
    assert!(!project.path().join("x.xlsx").exists());
}

/// Windows across, capacities down, at the one m that bounds epochs, as in the ranking.
#[test]
fn a_map_of_epochs_has_their_means() {
    let project = undisturbed();
    let maps = |axes: &str| {
        done(project.path(), &["report", "-o", "m.xlsx", "--map", axes]);
        let book = fs::read(project.path().join("m.xlsx")).expect("a workbook");
        Xlsx::new(Cursor::new(book)).expect("a workbook")
    };
    let mut book: Xlsx<_> = maps("window_instructions,last_cache_bytes");
    let map = book.worksheet_range("Epochs map").expect("the sheet");
    let mut found = BTreeMap::new();
    for row in map.rows().skip(4) {
        let values: Vec<f64> = row.iter().filter_map(DataType::get_float).collect();
        let size = row[0].get_string().unwrap_or_default();
        if let (Some(kibibytes), [narrow, wide]) = (size.strip_suffix(" KiB"), &values[..]) {
            let capacity = kibibytes.parse::<u64>().expect("a size") << 10;
            found.insert((capacity, 16), *narrow);
            found.insert((capacity, 64), *wide);
        }
    }
    let mut expected: BTreeMap<(u64, u64), f64> = BTreeMap::new();
    for row in rows(project.path()) {
        if text(&row, "kind") == "epochs" && number(&row, "epoch_slots") == Some(8.0) {
            let whole = |column| number(&row, column).expect(column) as u64;
            let place = (whole("last_cache_bytes"), whole("window_instructions"));
            let frequency = number(&row, "epochs_per_1000_instructions").expect("epochs");
            *expected.entry(place).or_default() += frequency / 2.0;
        }
    }
    assert_eq!(expected.len(), 6);
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        expected.keys().collect::<Vec<_>>()
    );
    for (place, mean) in expected {
        assert!(
            (found[&place] - mean).abs() < 1e-9 * mean.max(1.0),
            "{place:?}"
        );
    }
    // Columns that follow from others, and pairs that no row has.
    let mut book = maps("area_mm2,latency_cycles");
    let map = book.worksheet_range("Map").expect("the sheet");
    assert!(
        map.rows()
            .any(|row| row[0].get_string() == Some("latency_cycles"))
    );
    for (axes, why) in [
        ("set_n,caches", "no row has both"),
        ("slots,slots", "two different axes"),
        ("window_instructions,slots", "no row has both"),
    ] {
        let (status, said) = sweep(project.path(), &["report", "-o", "x.xlsx", "--map", axes]);
        assert_eq!(status, 2, "{said}");
        assert!(said.contains(why), "{axes}: {said}");
    }
    assert!(!project.path().join("x.xlsx").exists());
}

/// Sizes are in order and in units, and traces and sources have maps of their own.
#[test]
fn maps_can_be_read() {
    let own = "sources = 'kernels/sum.c'\ntraces = 'traces/*.zst'\nmachines = ['epyc-7763', 'sg2042']\n\
        [set]\nn = [64, 128]\n[trace]\ncaches = ['4KiB', 'none', '1KiB..2KiB:x2']\nlatencies = [100, 50]\n";
    let project = project(own);
    let said = done(project.path(), &["plan", "sweep.toml"]);
    // Two machines: two sizes; two traces with four hierarchies and two latencies.
    let counts = "36 configurations of 3 inputs in 3 shards (4 of sources, 32 of traces)";
    assert!(said.contains(counts), "{said}");
    done(project.path(), &["run", "--all"]);
    let said = done(project.path(), &["merge"]);
    assert!(said.contains("36 configurations, 4 nests"), "{said}");
    done(
        project.path(),
        &["report", "-o", "r.xlsx", "--html", "r.html"],
    );
    let page = fs::read_to_string(project.path().join("r.html")).expect("a page");
    let heads = "<th>latency_cycles ↓ last_cache_bytes →</th><th>no cache</th><th>1 KiB</th><th>2 KiB</th><th>4 KiB</th>";
    assert!(page.contains(heads), "{page}");
    assert!(
        page.contains("36 configurations of 3 inputs (4 of sources, 32 of traces)"),
        "{page}"
    );
    let first = page.find("<td>50</td>").expect("a latency");
    assert!(page[first..].contains("<td>100</td>"), "{page}");
    let book = fs::read(project.path().join("r.xlsx")).expect("a workbook");
    let book: Xlsx<_> = Xlsx::new(Cursor::new(book)).expect("a workbook");
    let names = book.sheet_names();
    assert!(names.contains(&"Sources map".to_string()), "{names:?}");
}

/// Stars stand beside the figures of a map, on the page and in the workbook; an empty map is not drawn.
#[test]
fn maps_have_stars_where_figures_are_not_exact() {
    let project = project(
        "sources = ['kernels/sum.c']\nmachines = ['sg2042', 'epyc-7763']\n[set]\nn = [1000, 100000]\n",
    );
    let report = || {
        done(project.path(), &["plan", "sweep.toml"]);
        done(project.path(), &["run", "--all"]);
        done(
            project.path(),
            &["report", "--html", "r.html", "-o", "r.xlsx"],
        );
        fs::read_to_string(project.path().join("r.html")).expect("a page")
    };
    let page = report();
    let map = &page[page.find("Time of sources over").expect("a map")..];
    // sg2042 leaves bandwidths of caches unknown.
    assert!(map.contains(" *</td>"), "{map}");
    assert!(
        map.contains("the multiples of others are relative to a lower bound"),
        "{map}"
    );
    let book = fs::read(project.path().join("r.xlsx")).expect("a workbook");
    let mut package = zip::ZipArchive::new(Cursor::new(book)).expect("a package");
    let mut styles = String::new();
    let mut part = package.by_name("xl/styles.xml").expect("the styles");
    std::io::Read::read_to_string(&mut part, &mut styles).expect("text");
    assert!(styles.contains("0.000&quot; *&quot;"), "{styles}");
    // Nothing runs of these sizes.
    let idle =
        "sources = ['kernels/sum.c']\nmachines = ['sg2042', 'epyc-7763']\n[set]\nn = [-5, 0]\n";
    fs::write(project.path().join("sweep.toml"), idle).expect("a file");
    let page = report();
    assert!(page.contains("takes no time on any machine"), "{page}");
    assert!(!page.contains("Time of sources over"), "{page}");
    assert!(!page.contains("0 inputs"), "{page}");
}

/// Where some areas are unknown they decide nothing; no cache takes none.
#[test]
fn an_unknown_area_loses_no_tie() {
    let project = project(
        "traces = ['traces/axpy*']\n[trace]\ncaches = ['none', '64KiB', { levels = '128KiB', area_mm2 = 3 }]\n",
    );
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    done(project.path(), &["report", "--html", "r.html"]);
    let rows = rows(project.path());
    let areas: Vec<Option<f64>> = rows.iter().map(|row| number(row, "area_mm2")).collect();
    assert_eq!(areas, [Some(0.0), None, Some(3.0)]);
    let times: Vec<Option<f64>> = (rows.iter().skip(1))
        .map(|row| number(row, "time_upper_cycles"))
        .collect();
    assert_eq!(times[0], times[1], "both hold all");
    let page = fs::read_to_string(project.path().join("r.html")).expect("a page");
    let best = &page[..page.find("What more area buys").expect("a front")];
    assert!(
        best.contains("64 KiB") && !best.contains("128 KiB"),
        "{best}"
    );
    assert!(
        best.contains("The area of some configurations is not known"),
        "{best}"
    );
}

/// Programs that are ranked by Λ have no columns of epochs.
#[test]
fn a_ranking_without_epochs_has_no_columns_of_them() {
    let project = project("traces = ['traces/*']\n");
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["report", "--html", "r.html"]);
    let page = fs::read_to_string(project.path().join("r.html")).expect("a page");
    assert!(page.contains("Λ, 1/cycle"), "{page}");
    assert!(!page.contains("<th>epochs per"), "{page}");
}
