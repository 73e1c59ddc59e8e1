//! Sweeps beside what they are for: DuckDB and polars read the data, with the query of the guide; a real Slurm, on
//! loopback, computes an array of tasks, some of which are killed, to the same bytes as one process.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use loopsheet::guide::Topic;
use tempfile::TempDir;

use crate::support::command::root;
use crate::support::sweeps::merged;
use crate::support::tools::{printed, tool};

fn sweep(project: &Path, arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopsheet"));
    printed(command.current_dir(project).arg("sweep").args(arguments));
}

/// The sample traces, and this `sweep.toml`.
fn project(sweep: &str) -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let traces = directory.path().join("traces");
    fs::create_dir(&traces).expect("a directory");
    for name in ["axpy", "jacobi", "list", "matmul", "scan", "spmv"] {
        let name = format!("{name}.execlog.zst");
        let sample = root().join("samples/traces").join(&name);
        fs::copy(sample, traces.join(&name)).expect("a sample");
    }
    fs::write(directory.path().join("sweep.toml"), sweep).expect("a file");
    directory
}

/// The blocks of a page in their order.
fn blocks(page: &str) -> Vec<String> {
    let inside = page.split("```").skip(1).step_by(2);
    inside
        .map(|block| block.split_once('\n').expect("a mark").1.to_string())
        .collect()
}

/// What this script of Python prints.
fn python(project: &Path, script: &str) -> String {
    let mut command = Command::new(tool("python/bin/python"));
    printed(command.current_dir(project).args(["-c", script]))
}

#[test]
fn the_guide_leads_to_an_answer_of_duckdb() {
    let guide = Topic::Sweeps.text();
    let blocks = blocks(guide);
    let [file, commands, query, ..] = &blocks[..] else {
        panic!("a file, commands and a query");
    };
    // The query asks for one number of slots, which others do not change.
    let with_slots = file.replace("latencies =", "slots = [16, 4]\nlatencies =");
    assert_ne!(*file, with_slots);
    let answers = [file, &with_slots].map(|file| answer(file, commands, query));
    assert_eq!(answers[0], answers[1]);
}

/// The numbers of each input that the query of the guide gives, which are those that follow from all rows by hand.
fn answer(file: &str, commands: &str, query: &str) -> Vec<(String, Vec<f64>)> {
    let project = project(file);
    for line in commands.lines() {
        let words = line.split('#').next().expect("a command");
        let arguments: Vec<&str> = words.split_whitespace().skip(2).collect();
        sweep(project.path(), &arguments);
    }
    let script = format!(
        "import duckdb\nfor row in duckdb.sql('''{query}''').fetchall(): print(*row, sep='\\t')"
    );
    let answers = python(project.path(), &script);
    // The same by hand from all rows, which polars reads.
    let script = "import polars\n\
        for row in polars.read_parquet('sweep/data/*.parquet').iter_rows(named=True):\n    \
        print(*(row[name] for name in ('input', 'kind', 'last_cache_bytes', 'area_mm2', 'latency_cycles', 'slots', 'time_upper_cycles')), sep='\\t')";
    let mut best: BTreeMap<String, (f64, f64, String)> = BTreeMap::new();
    for line in python(project.path(), script).lines() {
        let [input, kind, bytes, area, latency, slots, time] =
            line.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("{line}");
        };
        let number = |text: &str| text.parse::<f64>().expect(line);
        let (area, time) = (number(area), number(time));
        if kind != "trace" || area > 2.0 || number(latency) != 100.0 || number(slots) != 4.0 {
            continue;
        }
        let entry = (time, area, bytes.to_string());
        let known = best.entry(input.to_string()).or_insert(entry.clone());
        if (entry.0, entry.1) < (known.0, known.1) {
            *known = entry;
        }
    }
    let expected: Vec<String> = best
        .into_iter()
        .map(|(input, (time, area, bytes))| format!("{input}\t{bytes}\t{area}\t{time}"))
        .collect();
    assert_eq!(expected.len(), 6);
    let same = |text: &str| -> Vec<(String, Vec<f64>)> {
        let lines = text.lines().map(|line| {
            let (input, numbers) = line.split_once('\t').expect("columns");
            let numbers = numbers.split('\t').map(|text| text.parse().expect(line));
            (input.to_string(), numbers.collect())
        });
        lines.collect()
    };
    let answers = same(&answers);
    assert_eq!(answers, same(&expected.join("\n")));
    answers
}

/// Columns of the metadata that the guide shows.
#[test]
fn duckdb_shows_units() {
    let project = project("traces = [\"traces/list.execlog.zst\"]\n");
    for arguments in [&["plan", "sweep.toml"][..], &["run", "--all"], &["merge"]] {
        sweep(project.path(), arguments);
    }
    let script = "import duckdb\n\
        for row in duckdb.sql(\"SELECT decode(key), decode(value) FROM parquet_kv_metadata('sweep/data/*.parquet')\").fetchall(): print(*row)";
    let text = python(project.path(), script);
    assert!(
        text.contains("latency_cycles α: latency of a RAM access [cycles]"),
        "{text}"
    );
}

/// Daemons of a cluster of one node, which end with the test.
struct Cluster {
    directory: TempDir,
    daemons: Vec<Child>,
}

impl Cluster {
    fn start() -> Cluster {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path();
        for name in ["state", "spool"] {
            fs::create_dir(path.join(name)).expect("a directory");
        }
        let node = printed(&mut Command::new("hostname")).trim().to_string();
        let node = node.split('.').next().expect("a name");
        // Ports of their own, in case that there is a cluster here.
        let free = || {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
            listener.local_addr().expect("an address").port()
        };
        let (controller, worker) = (free(), free());
        let place = path.display();
        // More tasks at once than there may be cores: most of their time is the cluster's.
        let configuration = format!(
            "ClusterName=test\nSlurmctldHost={node}(127.0.0.1)\nSlurmctldPort={controller}\nSlurmdPort={worker}\n\
             AuthType=auth/none\nCredType=cred/none\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n\
             SwitchType=switch/none\nMpiDefault=none\nJobAcctGatherType=jobacct_gather/none\n\
             AccountingStorageType=accounting_storage/none\nSelectType=select/cons_tres\n\
             SelectTypeParameters=CR_Core\nSlurmUser=root\nSlurmdUser=root\nReturnToService=2\n\
             StateSaveLocation={place}/state\nSlurmdSpoolDir={place}/spool\n\
             SlurmctldPidFile={place}/slurmctld.pid\nSlurmdPidFile={place}/slurmd.pid\n\
             SlurmctldLogFile={place}/slurmctld.log\nSlurmdLogFile={place}/slurmd.log\n\
             MaxArraySize=101\nMaxJobCount=1000\nMinJobAge=600\nSchedulerParameters=batch_sched_delay=0\n\
             SlurmdParameters=config_overrides\n\
             NodeName={node} NodeAddr=127.0.0.1 CPUs=6 RealMemory=2000 State=UNKNOWN\n\
             PartitionName=all Nodes={node} Default=YES MaxTime=INFINITE State=UP\n"
        );
        let file = path.join("slurm.conf");
        fs::write(&file, configuration).expect("a file");
        let daemon = |name: &str| {
            let mut command = Command::new(name);
            command.arg("-D").arg("-f").arg(&file);
            let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
            quiet
                .spawn()
                .unwrap_or_else(|error| panic!("{name}: {error}; tests/run installs it"))
        };
        let daemons = vec![daemon("slurmctld"), daemon("slurmd")];
        let cluster = Cluster { directory, daemons };
        cluster.wait("the node", || {
            cluster.says("sinfo", &["-h", "-o", "%t"]).trim() == "idle"
        });
        cluster
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        command.env("SLURM_CONF", self.directory.path().join("slurm.conf"));
        command
    }

    /// What one of its commands prints, whether it succeeds or not.
    fn says(&self, name: &str, arguments: &[&str]) -> String {
        let output = self.command(name).args(arguments).output().expect(name);
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn wait(&self, what: &str, mut is_there: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !is_there() {
            let log = || fs::read_to_string(self.directory.path().join("slurmctld.log"));
            assert!(
                begun.elapsed() < Duration::from_secs(300),
                "{what} does not come: {}",
                log().unwrap_or_default()
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn is_empty(&self) -> bool {
        self.says("squeue", &["-h"]).trim().is_empty()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Jobs first: their steps are processes of their own.
        self.says("scancel", &["--user=root"]);
        for daemon in self.daemons.iter_mut().rev() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

/// Sixty shards: of each trace ten, with a hierarchy in each.
const SIXTY: &str = "traces = [\"traces/*\"]\n\
    [trace]\ncaches = [\"1KiB..512KiB:x2,4way\"]\nlatencies = \"50..100:10\"\n\
    [shards]\ncaches = 1\n";

#[test]
fn an_array_of_slurm_computes_the_bytes_of_one_process() {
    let local = project(SIXTY);
    for arguments in [&["plan", "sweep.toml"][..], &["run", "--all"], &["merge"]] {
        sweep(local.path(), arguments);
    }
    let expected = merged(local.path());

    let cluster = Cluster::start();
    let project = project(SIXTY);
    sweep(project.path(), &["plan", "sweep.toml"]);
    let submit = || {
        let mut command = cluster.command(env!("CARGO_BIN_EXE_loopsheet"));
        command.current_dir(project.path());
        printed(command.args(["sweep", "submit", "--now", "--parts", "60"]))
    };
    submit();
    let results = || {
        fs::read_dir(project.path().join("sweep/shards"))
            .expect("shards")
            .count()
    };
    // In the middle a task is killed, then others are taken from the queue.
    cluster.wait("a result", || results() > 5);
    let running = || {
        cluster.says(
            "squeue",
            &["-h", "-r", "-t", "R", "-n", "loopsheet-sweep", "-o", "%A"],
        )
    };
    cluster.wait("a task", || !running().trim().is_empty());
    for job in running().lines().take(1) {
        cluster.says("scancel", &["--signal=KILL", "--full", job]);
    }
    let waiting = cluster.says("squeue", &["-h", "-r", "-t", "PD", "-o", "%F_%K"]);
    for job in waiting
        .lines()
        .filter(|job| !job.ends_with("N/A"))
        .step_by(7)
    {
        cluster.says("scancel", &[job]);
    }
    cluster.wait("the end of the first submission", || cluster.is_empty());
    assert!(results() < 60, "something was killed");
    // Two at once.
    submit();
    let mut again = cluster.command("sh");
    again
        .current_dir(project.path())
        .env("LOOPSHEET", env!("CARGO_BIN_EXE_loopsheet"));
    printed(again.arg("sweep/submit.sh"));
    cluster.wait("the end of both", || cluster.is_empty());
    assert_eq!(results(), 60, "nothing lost, nothing twice");
    assert_eq!(merged(project.path()), expected);
}

/// With a trace among the others that cannot be read.
#[test]
fn gnu_parallel_computes_the_bytes_of_one_process() {
    let projects = [(); 2].map(|()| {
        let project = project(SIXTY);
        let bad = "0, 0x1000, 0x4398, \"frobnicate a4,0(a5)\"\n";
        fs::write(project.path().join("traces/bad.execlog"), bad).expect("a file");
        sweep(project.path(), &["plan", "sweep.toml"]);
        project
    });
    let [local, parallel] = &projects;
    for (project, engine) in [(local, "local"), (parallel, "gnu-parallel")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loopsheet"));
        let words = [
            "sweep", "submit", "--now", "--parts", "5", "--engine", engine,
        ];
        let output = command.current_dir(project.path()).args(words).output();
        let output = output.expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("10 shards failed"), "{said}");
    }
    assert_eq!(merged(parallel.path()), merged(local.path()));
    assert_eq!(merged(local.path()).len(), 7);
}

/// The sample workflow as it is, with a trace among the others that cannot be read.
#[test]
fn snakemake_computes_the_bytes_of_one_process() {
    let projects = [(); 2].map(|()| {
        let project = project(SIXTY);
        let bad = "0, 0x1000, 0x4398, \"frobnicate a4,0(a5)\"\n";
        fs::write(project.path().join("traces/bad.execlog"), bad).expect("a file");
        sweep(project.path(), &["plan", "sweep.toml"]);
        project
    });
    let [local, other] = &projects;
    for arguments in [&["run", "--all"][..], &["merge"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loopsheet"));
        let status = command
            .current_dir(local.path())
            .arg("sweep")
            .args(arguments)
            .status();
        assert_eq!(
            status.expect("it runs").code(),
            Some(1),
            "the bad trace fails"
        );
    }
    let sample = root().join("samples/sweep/Snakefile");
    fs::copy(sample, other.path().join("Snakefile")).expect("the sample");
    let program = Path::new(env!("CARGO_BIN_EXE_loopsheet"));
    let place = program.parent().expect("a directory").display();
    let path = std::env::var("PATH").expect("PATH");
    let snakemake = || {
        let mut command = Command::new(tool("python/bin/snakemake"));
        command
            .current_dir(other.path())
            .env("PATH", format!("{place}:{path}"))
            // Its own notes of what was built go to the user's directory.
            .env("XDG_CACHE_HOME", other.path().join("cache"))
            .args(["--cores", "2"]);
        let output = command.output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        said
    };
    let said = snakemake();
    assert!(said.contains("52 of 52 steps (100%) done"), "{said}");
    assert_eq!(merged(other.path()), merged(local.path()));
    let said = snakemake();
    assert!(said.contains("Nothing to be done"), "{said}");
}

/// A tree in shards, with the two scripts of the guide.
#[test]
fn an_array_of_slurm_reads_a_tree() {
    let blocks = blocks(Topic::Sweeps.text());
    let block = |what: &str| blocks.iter().find(|block| block.contains(what));
    let array = block("--shards 8").expect("a script");
    let submit = block("tree.sbatch)").expect("commands");
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("src")).expect("a directory");
    for entry in fs::read_dir(root().join("samples/kernels")).expect("samples") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        fs::copy(&path, at("src").join(&*name)).expect("a sample");
    }
    fs::write(at("tree.sbatch"), array).expect("a file");
    let cluster = Cluster::start();
    let program = Path::new(env!("CARGO_BIN_EXE_loopsheet"));
    let path = std::env::var("PATH").expect("PATH");
    let place = program.parent().expect("a directory").display();
    let mut script = cluster.command("sh");
    script
        .current_dir(directory.path())
        .env("PATH", format!("{place}:{path}"))
        .args(["-ec", submit]);
    printed(&mut script);
    cluster.wait("the end", || cluster.is_empty());
    let mut alone = Command::new(program);
    alone
        .current_dir(directory.path())
        .args(["analyze", "src", "--no-cache", "--json", "-"]);
    let merged = fs::read_to_string(at("report.json")).expect("a report");
    assert_eq!(merged, printed(&mut alone));
    let entries = |path: &Path| fs::read_dir(path).into_iter().flatten().count();
    let parses = fs::read_dir(at("parses")).expect("a cache").flatten();
    let kept: usize = parses.map(|entry| entries(&entry.path())).sum();
    assert_eq!(kept, entries(&at("src")), "an entry a source");
}
