//! What is asked for twice, or is not known: latencies, clocks, values.

use super::*;

const SLOW: &str = "base = \"edan\"\nghz = 1\ndram_latency_ns = 500\n";

/// A project with machines, planned, run, merged and reported; what the plan said.
fn computed(sweep: &str, machines: &[(&str, &str)]) -> (TempDir, String) {
    let project = project(sweep);
    for (name, text) in machines {
        fs::write(project.path().join(name), text).expect("a machine");
    }
    let said = done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    let report = ["report", "--html", "r.html", "-o", "r.xlsx"];
    done(project.path(), &report);
    (project, said)
}

fn page(project: &TempDir) -> String {
    fs::read_to_string(project.path().join("r.html")).expect("a page")
}

fn sheet(project: &TempDir, name: &str) -> Vec<Vec<String>> {
    let book = fs::read(project.path().join("r.xlsx")).expect("a workbook");
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(book)).expect("a workbook");
    let range = book.worksheet_range(name).expect("the sheet");
    let row = |row: &[calamine::Data]| row.iter().map(ToString::to_string).collect();
    range.rows().map(row).collect()
}

/// A machine whose own latency is one of the numbers is compared with others at that number, and at the latency of each.
#[test]
fn a_latency_of_two_requests_is_in_both_comparisons() {
    let sweep = "traces = 'traces/list*'\nmachines = ['edan', 'slow.toml']\n\
        [trace]\ncaches = '4KiB'\nlatencies = [50, 'machine']\n[area]\nmm2_per_mib = 2\n";
    let (project, said) = computed(sweep, &[("slow.toml", SLOW)]);
    assert!(said.contains("the latency of edan is also one"), "{said}");
    assert!(said.contains("3 configurations"), "computed once: {said}");
    let rows = rows(project.path());
    let of = |row: &Row| {
        let cycles = number(row, "latency_cycles").expect("a latency");
        (
            text(row, "machine").to_string(),
            cycles,
            text(row, "latency_from").to_string(),
        )
    };
    let found: Vec<(String, f64, String)> = rows.iter().map(of).collect();
    let expected = [
        ("edan", 50.0, "number, machine"),
        ("slow.toml", 50.0, "number"),
        ("slow.toml", 500.0, "machine"),
    ];
    let expected = expected.map(|(machine, cycles, from)| (machine.into(), cycles, from.into()));
    assert_eq!(found, expected);
    let html = page(&project);
    let best = "<td class=\"t\">α of each machine</td><td class=\"t\">edan</td>";
    assert!(html.contains(best), "{html}");
    // In the front of both.
    let front = &html[html.find("What more area buys").expect("a front")..];
    assert!(front.matches("edan").count() >= 2, "{front}");
    // The workbook, too: of the machines' own latencies edan has the least time.
    let best = sheet(&project, "Best");
    let heads = &best[3];
    let column = |name: &str| heads.iter().position(|head| head == name).expect(name);
    let own = best
        .iter()
        .find(|row| row[column("latency_from")] == "machine");
    let own = own.expect("machines' own");
    assert_eq!(own[column("machine")], "edan");
    assert_eq!(own[column("configurations")], "2");
    let all = sheet(&project, "Configurations");
    assert_eq!(all.len() - 4, 4, "edan's run is compared twice");
}

/// Latencies are as they are given, the machine's too: what `trace --latency` takes.
#[test]
fn latencies_of_machines_are_not_rounded() {
    let sweep = "traces = 'traces/list*'\nmachines = ['own.toml', 'tiny.toml', 'round.toml']\n\
        [trace]\ncaches = '4KiB'\nlatencies = 'machine'\n";
    let machine =
        |ghz: f64, ns: f64| format!("base = \"edan\"\nghz = {ghz}\ndram_latency_ns = {ns}\n");
    let machines = [(3.1, 95.0), (1.0, 0.1), (2.45, 100.0)].map(|(ghz, ns)| machine(ghz, ns));
    let names = ["own.toml", "tiny.toml", "round.toml"];
    let files: Vec<(&str, &str)> = names
        .into_iter()
        .zip(machines.iter().map(String::as_str))
        .collect();
    let (project, _) = computed(sweep, &files);
    let all = rows(project.path());
    let cycles = all.iter().map(|row| number(row, "latency_cycles"));
    let cycles: Vec<Option<f64>> = cycles.collect();
    assert_eq!(cycles, [Some(294.5), Some(0.1), Some(245.0)]);
    let mut command = loopsheet();
    let arguments = ["trace", "traces/list.execlog.zst", "--json", "-", "-q"];
    command.current_dir(project.path()).args(arguments);
    command.args(["--latency", "294.5", "--cache", "4KiB"]);
    let edag = &printed(&mut command)["edag"];
    let upper = number(&all[0], "time_upper_cycles");
    assert_eq!(upper, edag["time_upper"].as_f64());
    let seconds = number(&all[0], "time_seconds").expect("a time");
    let expected = upper.expect("cycles") / 3.1e9;
    assert!((seconds - expected).abs() < 1e-12 * expected, "{seconds}");
}

/// A time that needs a clock which nothing says is unknown.
#[test]
fn times_without_a_clock_are_unknown() {
    let sweep =
        "traces = 'traces/*'\nmachines = ['exasat', 'edan']\n[trace]\ncaches = ['1KiB', '4KiB']\n";
    let (project, said) = computed(sweep, &[]);
    assert!(said.contains("the clock of exasat is unknown"), "{said}");
    for row in rows(project.path()) {
        let is_known = text(&row, "machine") == "edan";
        assert_eq!(number(&row, "time_seconds").is_some(), is_known, "{row:?}");
        assert_eq!(number(&row, "ghz").is_some(), is_known, "{row:?}");
        assert_eq!(text(&row, "machine_unknown").is_empty(), is_known);
        assert!(number(&row, "time_upper_cycles").is_some(), "{row:?}");
    }
    let html = page(&project);
    assert!(html.contains("The clock of exasat is unknown"), "{html}");
    let best = html.split("<h2>").find(|part| part.starts_with("The best"));
    let best = best.expect("the best");
    assert!(
        !best.contains("<td class=\"t\">exasat"),
        "it is not compared: {best}"
    );
    let best = sheet(&project, "Best");
    assert!(best[1][0].contains("The clock of exasat is unknown"));
    // Its column of the map is empty, and both say why.
    let why = "exasat: empty, because the clock and so the time in seconds are unknown.";
    assert!(html.contains(why), "{html}");
    assert!(sheet(&project, "Map")[1][0].contains(why));
    // Without any machine cycles are what there is.
    let (project, _) = computed(
        "traces = 'traces/*'\n[trace]\ncaches = ['1KiB', '4KiB']\n",
        &[],
    );
    let all = rows(project.path());
    assert!(all.iter().all(|row| number(row, "time_seconds").is_none()));
    let html = page(&project);
    assert!(
        html.contains("Times of traces are in cycles") && html.contains(" cycles</td>"),
        "{html}"
    );
    assert!(!html.contains("µs"), "{html}");
    let best = sheet(&project, "Best");
    assert_eq!(best[3][3], "minimum time_upper_cycles");
    let least = all
        .iter()
        .filter(|row| text(row, "input") == best[4][0])
        .filter_map(|row| number(row, "time_upper_cycles"));
    let least = least.fold(f64::INFINITY, f64::min);
    assert_eq!(best[4][3].parse(), Ok(least));
    // A cell without a time holds no number, not even as it was stored.
    let configurations = sheet(&project, "Configurations");
    let heads = &configurations[3];
    let seconds = heads.iter().position(|head| head == "time_seconds");
    let seconds = seconds.expect("a column");
    assert!(
        configurations[4..]
            .iter()
            .all(|row| row[seconds] == "unknown"),
        "{configurations:?}"
    );
}

/// What is written twice counts once, and a range may not meet its end: both are said.
#[test]
fn what_counts_once_is_said() {
    let project = project(
        "sources = 'kernels/sum.c'\ntraces = 'traces/axpy*'\n[set]\nn = [64, 64, '10..25:10']\n\
         [trace]\ncaches = ['1KiB', '1024']\nslots = [4, 4]\n",
    );
    let said = done(project.path(), &["plan", "sweep.toml"]);
    for expected in [
        "`set.n`: 64 is there more than once, and counts once",
        "`set.n`: the steps of `10..25:10` do not meet its end: 20 is the last value",
        "`trace.slots`: 4 is there more than once",
        "`trace.caches`: 1KiB,8way,64B,lru,write-back is there more than once",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

/// All sizes with which a loop runs nothing are named, whatever their sign.
#[test]
fn all_idle_sizes_are_named() {
    let code = "\
double sum(int n, int nx, const double *a) {
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    for (int i = 2; i < nx - 1; i++) s += a[i];
    return s;
}
";
    let project = project("sources = 'own.c'\n[set]\nnx = [64, 2, 3]\nn = [-5, 10, 0]\n");
    fs::write(project.path().join("own.c"), code).expect("a file");
    let said = done(project.path(), &["plan", "sweep.toml"]);
    for expected in [
        "own.c: with set.nx = 2 or 3, 1 of 2 nests",
        "own.c: with set.n = -5 or 0, 1 of 2 nests",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}
