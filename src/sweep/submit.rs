//! Scripts that run the shards of a sweep on a cluster or on one machine.

/// Who runs the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Slurm,
    Local,
    GnuParallel,
}

/// What one shard took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pilot {
    pub seconds: f64,
    /// Peak of the memory in use, where the system says it.
    pub bytes: Option<u64>,
}

/// What a part is to take: long enough that starting it does not count, short enough to fit between other jobs.
const PART_SECONDS: f64 = 600.0;

/// Parts and their limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    pub count: usize,
    pub minutes: u64,
    pub mebibytes: Option<u64>,
}

impl Parts {
    /// So many parts that each takes about ten minutes, or as many as are asked for; no more than there are shards, and
    /// than an array may have (`most`). Limits have room for shards that are three times as long, and twice as large, as
    /// the pilot.
    pub fn of(shards: usize, pilot: Pilot, asked: Option<usize>, most: usize) -> Parts {
        let fitting = (shards as f64 * pilot.seconds / PART_SECONDS).ceil() as usize;
        let count = asked.unwrap_or(fitting).min(most).min(shards).max(1);
        let seconds = 3.0 * pilot.seconds * shards.div_ceil(count) as f64;
        Parts {
            count,
            minutes: 5 + (seconds / 60.0).ceil() as u64,
            mebibytes: pilot.bytes.map(|bytes| 256 + 2 * bytes.div_ceil(1 << 20)),
        }
    }
}

/// A file that is to be written into the directory of the sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    pub name: &'static str,
    pub text: String,
}

/// Name of the script that starts everything.
pub const SUBMIT: &str = "submit.sh";

/// Names of the scripts that only Slurm has.
pub const OF_SLURM: [&str; 2] = ["run.sbatch", "merge.sbatch"];

/// What every script begins with: only these may be replaced.
const HEAD: &str =
    "#!/bin/sh\n# Written by `loopsheet sweep submit`, which replaces it when it is run again.\n";

/// Whether a file is a script of this.
pub fn is_script(text: &str) -> bool {
    text.starts_with(HEAD)
}

/// The directory of the sweep is that of the script that starts everything, wherever that is started.
const HERE: &str =
    "LOOPSHEET_SWEEP=$(CDPATH= cd -- \"$(dirname -- \"$0\")\" && pwd)\nexport LOOPSHEET_SWEEP\n";

/// Shards that fail are rows of the merged data, and what could not run is missing there, which the merge says.
const LEFT_TO_MERGE: &str = "true";

/// The scripts; `directory` is that of the sweep as a word of a shell, seen from where `submit` was run: what `sbatch` starts
/// without [`SUBMIT`] has to be started there.
pub fn scripts(engine: Engine, directory: &str, parts: Parts) -> Vec<Script> {
    let Parts { count, .. } = parts;
    let program = "\"${LOOPSHEET:-loopsheet}\"";
    let merge = format!("{program} sweep merge --dir \"$LOOPSHEET_SWEEP\"\n");
    // What Slurm takes down itself goes to where it was submitted, under names without blanks.
    let log = |name: &str| {
        format!(
            ": \"${{LOOPSHEET_SWEEP:=$(printf %s {directory})}}\"\nexec >>\"$LOOPSHEET_SWEEP/{name}\" 2>&1\n"
        )
    };
    let submit = |text: String| Script {
        name: SUBMIT,
        text: format!("{HEAD}# Computes the shards, then merges them.\nset -e\n{HERE}{text}"),
    };
    match engine {
        Engine::Local => vec![submit(format!(
            "{program} sweep run --all --dir \"$LOOPSHEET_SWEEP\" || {LEFT_TO_MERGE}\n{merge}"
        ))],
        Engine::GnuParallel => vec![submit(format!(
            // In its own words `parallel` replaces braces, which the directory may have.
            "seq 1 {count} | parallel -q sh -c \
             '{program} sweep run \"$1\" --of {count} --quiet --dir \"$LOOPSHEET_SWEEP\"' sh {{}} || {LEFT_TO_MERGE}\n{merge}"
        ))],
        Engine::Slurm => {
            let memory = parts
                .mebibytes
                .map(|mebibytes| format!("#SBATCH --mem={mebibytes}M\n"));
            let head = |limits: String| {
                format!(
                    "{HEAD}#SBATCH --job-name=loopsheet-sweep\n#SBATCH --output=/dev/null\n{limits}"
                )
            };
            let run = head(format!(
                "#SBATCH --array=1-{count}\n#SBATCH --time={}\n{}",
                parts.minutes,
                memory.unwrap_or_default()
            ));
            vec![
                Script {
                    name: OF_SLURM[0],
                    text: format!(
                        "{run}{}{program} sweep run --from-slurm --of {count} --dir \"$LOOPSHEET_SWEEP\"\n",
                        log("run.log")
                    ),
                },
                Script {
                    name: OF_SLURM[1],
                    text: format!(
                        "{}{}{merge}",
                        head("#SBATCH --time=60\n".into()),
                        log("merge.log")
                    ),
                },
                // Whatever parts fail, the merge says what is missing.
                submit(
                    "job=$(sbatch --parsable \"$LOOPSHEET_SWEEP/run.sbatch\")\n\
                     sbatch --dependency=\"afterany:${job%%;*}\" \"$LOOPSHEET_SWEEP/merge.sbatch\"\n"
                        .to_string(),
                ),
            ]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fit_shards_arrays_and_ten_minutes() {
        let pilot = |seconds| Pilot {
            seconds,
            bytes: Some(100 << 20),
        };
        let parts = Parts::of(600, pilot(10.0), None, 1000);
        // 6,000 seconds in parts of 600; three times 600 seconds and five minutes.
        assert_eq!((parts.count, parts.minutes), (10, 35));
        assert_eq!(parts.mebibytes, Some(456));
        assert_eq!(Parts::of(600, pilot(1e6), None, 100).count, 100);
        assert_eq!(Parts::of(600, pilot(1e6), None, 1000).count, 600);
        assert_eq!(Parts::of(5, pilot(0.01), None, 1000).count, 1);
        assert_eq!(Parts::of(600, pilot(0.01), Some(50), 1000).count, 50);
        assert_eq!(Parts::of(0, pilot(0.0), None, 1000).count, 1);
    }

    #[test]
    fn every_engine_runs_all_parts_and_merges() {
        let parts = Parts {
            count: 50,
            minutes: 7,
            mebibytes: Some(300),
        };
        let text = |engine| -> String {
            let scripts = scripts(engine, "'my sweep'", parts);
            assert!(scripts.iter().all(|script| is_script(&script.text)));
            scripts.into_iter().map(|script| script.text).collect()
        };
        let slurm = text(Engine::Slurm);
        for part in [
            "#SBATCH --array=1-50\n",
            "#SBATCH --time=7\n",
            "#SBATCH --mem=300M\n",
            ": \"${LOOPSHEET_SWEEP:=$(printf %s 'my sweep')}\"\n",
            "sweep run --from-slurm --of 50 --dir \"$LOOPSHEET_SWEEP\"\n",
            "afterany:",
        ] {
            assert!(slurm.contains(part), "{part}: {slurm}");
        }
        assert!(text(Engine::GnuParallel).contains("seq 1 50 | parallel -q"));
        assert!(text(Engine::Local).contains("run --all --dir \"$LOOPSHEET_SWEEP\" || true\n"));
    }
}
