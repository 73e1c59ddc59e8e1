//! QEMU's user-mode emulator: found, checked, started with the tracer, and waited for.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use rustix::io::FdFlags;
use rustix::process::{Pid, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};

use super::shared::Shared;
use super::tracer::Tracer;
use crate::binary::{Binary, Function};
use crate::cli::RecordFormat;

const NAME: &str = "qemu-riscv64";
const OVERRIDE: &str = "LOOPSHEET_QEMU";
/// Where Debian puts the libraries of libc6-dev-riscv64-cross.
const SYSROOT: &str = "/usr/riscv64-linux-gnu";

pub struct Emulator {
    program: PathBuf,
    sysroot: Option<PathBuf>,
}

/// What is to be recorded.
pub struct Run<'a> {
    pub program: &'a [OsString],
    pub binary: &'a Binary,
    pub functions: &'a [Function],
    pub inside_only: bool,
    pub limit: Option<u64>,
    pub format: RecordFormat,
    pub standard_output: StandardOutput,
}

/// Who standard output is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandardOutput {
    /// The program.
    Free,
    /// A trace or a report; the program's output goes to standard error.
    Taken,
}

impl Emulator {
    /// # Errors
    /// There is none.
    pub fn find() -> anyhow::Result<Emulator> {
        let program = match std::env::var_os(OVERRIDE).filter(|v| !v.is_empty()) {
            Some(named) => in_path(&named).with_context(|| {
                format!("{OVERRIDE} names {}, which is not a program that can be run", named.display())
            })?,
            None => in_path(OsStr::new(NAME)).with_context(|| {
                let static_too = in_path(OsStr::new("qemu-riscv64-static")).is_some();
                let why = if static_too { " (qemu-riscv64-static cannot load plugins)" } else { "" };
                format!(
                    "QEMU's user-mode emulator {NAME} is not installed{why}: apt-get install qemu-user, or let \
                     {OVERRIDE} name one built with --enable-plugins"
                )
            })?,
        };
        let prefix = std::env::var_os("QEMU_LD_PREFIX").map(PathBuf::from);
        let sysroot = prefix.or_else(|| Some(PathBuf::from(SYSROOT)).filter(|path| path.is_dir()));
        Ok(Emulator { program, sysroot })
    }

    pub fn name(&self) -> std::path::Display<'_> {
        self.program.display()
    }

    /// Makes sure that the dynamic loader can be found, which QEMU would complain about less clearly.
    ///
    /// # Errors
    /// It is neither in the directory for shared libraries nor on this machine.
    pub fn check_loader(&self, binary: &Binary) -> anyhow::Result<()> {
        let Some(loader) = &binary.interpreter else {
            return Ok(());
        };
        let inside = self
            .sysroot
            .as_ref()
            .map(|root| root.join(loader.trim_start_matches('/')));
        let there = Path::new(loader).exists() || inside.is_some_and(|path| path.exists());
        anyhow::ensure!(
            there,
            "it is linked dynamically and its loader {loader} is not installed: link with -static, or \
             apt-get install libc6-riscv64-cross, or let QEMU_LD_PREFIX name the directory that has it"
        );
        Ok(())
    }

    /// Starts the program. `out` is where the tracer writes; it is closed here once the emulator has it.
    ///
    /// # Errors
    /// The emulator cannot be started.
    pub fn start(
        &self,
        run: &Run,
        tracer: &Tracer,
        shared: &Shared,
        out: OwnedFd,
    ) -> anyhow::Result<Child> {
        let mut plugin = OsString::from(tracer.path.to_string_lossy().replace(',', ",,"));
        plugin.push(format!(
            ",out={},state={}",
            out.as_raw_fd(),
            shared.file().as_raw_fd()
        ));
        plugin.push(format!(",code={:#x}", run.binary.code));
        for function in run.functions {
            plugin.push(format!(
                ",function={:#x}:{:#x}",
                function.low, function.high
            ));
        }
        if run.inside_only {
            plugin.push(",inside=1");
        }
        // STF is made of the compact format on its way.
        if run.format != RecordFormat::Execlog {
            plugin.push(",native=1");
        }
        if let Some(limit) = run.limit {
            plugin.push(format!(",limit={limit}"));
        }
        let mut command = Command::new(&self.program);
        command.arg("-plugin").arg(plugin);
        if let Some(sysroot) = &self.sysroot {
            command.arg("-L").arg(sysroot);
        }
        command.args(run.program);
        if run.standard_output == StandardOutput::Taken {
            command.stdout(Stdio::from(std::io::stderr().as_fd().try_clone_to_owned()?));
        }
        rustix::io::fcntl_setfd(&out, FdFlags::empty())?;
        rustix::io::fcntl_setfd(shared.file(), FdFlags::empty())?;
        let child = command
            .spawn()
            .with_context(|| format!("cannot run {}", self.name()));
        rustix::io::fcntl_setfd(shared.file(), FdFlags::CLOEXEC)?;
        child
    }
}

/// Signals that would end loopsheet. What they end is the traced program: what it did until then is its trace.
pub struct Signals {
    /// Sent to loopsheet alone, unlike what a terminal sends on Ctrl-C, so they are passed on.
    pass_on: Vec<(Signal, Arc<AtomicBool>)>,
}

impl Signals {
    pub fn hold() -> anyhow::Result<Signals> {
        // A terminal sends the first two to the program as well; the last shows in the failing write.
        for held in [SIGINT, SIGQUIT, SIGXFSZ] {
            signal_hook::flag::register(held, Arc::new(AtomicBool::new(false)))?;
        }
        let mut pass_on = Vec::new();
        for (number, signal) in [(SIGTERM, Signal::TERM), (SIGHUP, Signal::HUP)] {
            let flag = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(number, Arc::clone(&flag))?;
            pass_on.push((signal, flag));
        }
        Ok(Signals { pass_on })
    }
}

/// Waits for the end of the program, and calls `look` now and then.
///
/// # Errors
/// The system does not say what became of it.
pub fn wait(
    child: &mut Child,
    signals: &Signals,
    mut look: impl FnMut(),
) -> anyhow::Result<ExitStatus> {
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        for (signal, flag) in &signals.pass_on {
            if flag.swap(false, Ordering::Relaxed) {
                // It may have ended by itself, which the next round sees.
                let _ = rustix::process::kill_process(Pid::from_child(child), *signal);
            }
        }
        look();
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

fn in_path(name: &OsStr) -> Option<PathBuf> {
    let runs = |path: &PathBuf| {
        path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
    };
    if name.as_encoded_bytes().contains(&b'/') {
        return Some(PathBuf::from(name)).filter(runs);
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(name))
        .find(runs)
}
