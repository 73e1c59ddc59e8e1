//! Two revisions of a Git repository, each in a temporary directory: nothing that is checked out is touched.

use std::borrow::Cow;
use std::io::Cursor;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use tempfile::TempDir;

use super::trees::Tree;
use crate::cli::DiffArgs;
use crate::commands::config;
use crate::commands::outputs::removed_on_signals;

/// Both revisions, there as long as this lives.
pub struct CheckedOut {
    pub trees: [Tree; 2],
    _directory: TempDir,
}

/// A revision with what it is called.
struct Revision {
    name: String,
    /// Of its commit.
    hash: String,
    /// Paths of other repositories in it, from the top on, which it has no files of.
    submodules: Vec<String>,
}

/// The repository around the current directory.
struct Repository {
    top: PathBuf,
    /// The current directory, from the top on.
    here: PathBuf,
}

/// Reads the revisions of `REV1..REV2`, or of `REV1...REV2` from where their histories part.
///
/// # Errors
/// There is no Git or no repository, or one of the revisions or paths is not in it.
pub fn read(range: &str, args: &DiffArgs) -> anyhow::Result<CheckedOut> {
    anyhow::ensure!(
        args.source.database.is_none(),
        "-p is for source that was compiled where it lies; give -I, -D or --flags for revisions"
    );
    let repository = Repository::here()?;
    let directory = removed_on_signals(tempfile::tempdir, TempDir::path)
        .context("cannot make a directory for the revisions")?;
    let root = directory.path().canonicalize()?;
    let revisions = repository.revisions(range)?;
    repository.refuse_missing(&revisions, &args.paths)?;
    let [old, new] = revisions;
    let tree =
        |revision: &Revision, name: &str| repository.check_out(revision, &root.join(name), args);
    Ok(CheckedOut {
        trees: [tree(&old, "old")?, tree(&new, "new")?],
        _directory: directory,
    })
}

/// An output must not take the place of a file that the repository has.
///
/// # Errors
/// One would.
pub fn spare_tracked<'a>(
    outputs: impl IntoIterator<Item = &'a Option<PathBuf>>,
) -> anyhow::Result<()> {
    for path in outputs.into_iter().flatten() {
        let shown = path.to_string_lossy();
        let words = [
            "--literal-pathspecs",
            "ls-files",
            "--error-unmatch",
            "--",
            &*shown,
        ];
        anyhow::ensure!(
            git(None, &words).is_err(),
            "cannot write {shown}: it is a file of the repository"
        );
    }
    Ok(())
}

impl Repository {
    fn here() -> anyhow::Result<Repository> {
        let top = git(None, &["rev-parse", "--show-toplevel"]);
        let top = top.context("REV1..REV2 needs a Git repository with a work tree here; OLD and NEW may be two directories")?;
        let here = git(None, &["rev-parse", "--show-prefix"])?;
        Ok(Repository {
            top: PathBuf::from(line(&top)),
            here: PathBuf::from(line(&here)),
        })
    }

    fn revisions(&self, range: &str) -> anyhow::Result<[Revision; 2]> {
        let (from_fork, (old, new)) = match range.split_once("...") {
            Some(names) => (true, names),
            None => (false, range.split_once("..").unwrap_or((range, ""))),
        };
        let or_head = |name: &str| if name.is_empty() { "HEAD" } else { name }.to_string();
        let mut old = self.revision(or_head(old))?;
        let new = self.revision(or_head(new))?;
        if from_fork {
            let base = git(Some(&self.top), &["merge-base", &old.hash, &new.hash]);
            let base = base.with_context(|| {
                let (old, new, hint) = (&old.name, &new.name, self.hint());
                format!("{old} and {new} have no history in common{hint}")
            })?;
            let hash = line(&base);
            old = Revision {
                name: format!("fork of {} and {}", old.name, new.name),
                submodules: self.submodules(&hash)?,
                hash,
            };
        }
        Ok([old, new])
    }

    fn revision(&self, name: String) -> anyhow::Result<Revision> {
        let commit = format!("{name}^{{commit}}");
        let words = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &commit,
        ];
        let hash = git(Some(&self.top), &words);
        let hash = hash.map_err(|_| {
            let (top, hint) = (self.top.display(), self.hint());
            anyhow::anyhow!("there is no revision {name} in {top}{hint}")
        })?;
        let hash = line(&hash);
        Ok(Revision {
            name,
            submodules: self.submodules(&hash)?,
            hash,
        })
    }

    /// What of a commit are commits of other repositories.
    fn submodules(&self, hash: &str) -> anyhow::Result<Vec<String>> {
        let words = ["ls-tree", "-r", "-z", "--full-tree", hash];
        let listed = git(Some(&self.top), &words)?;
        let entries = listed.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        // `160000 commit 3f9a…`, a tab, and the path.
        let submodule = |entry: Cow<str>| {
            let (what, path) = entry.split_once('\t')?;
            what.starts_with("160000 ").then(|| path.to_string())
        };
        Ok(entries.filter_map(submodule).collect())
    }

    /// Whether a revision has this path from the top on.
    fn has(&self, revision: &Revision, path: &str) -> bool {
        let object = format!("{}:{path}", revision.hash);
        let mut submodules = revision.submodules.iter();
        // Their commits may be known here.
        !submodules.any(|submodule| is_below(path, submodule))
            && git(Some(&self.top), &["cat-file", "-e", &object]).is_ok()
    }

    /// A path that one of the revisions lacks was added or removed; one that both lack is a mistake.
    fn refuse_missing(&self, revisions: &[Revision; 2], paths: &[PathBuf]) -> anyhow::Result<()> {
        for path in paths {
            let below = self.below_top(path)?;
            let is_there = |revision: &Revision| below.is_empty() || self.has(revision, &below);
            if revisions.iter().any(is_there) {
                continue;
            }
            let mut submodules = revisions.iter().flat_map(|revision| &revision.submodules);
            if let Some(submodule) = submodules.find(|submodule| is_below(&below, submodule)) {
                anyhow::bail!(
                    "{below} is of the submodule {submodule}, whose files are in another repository: \
                     compare revisions there, or two directories"
                );
            }
            let [old, new] = revisions;
            anyhow::bail!("neither {} nor {} has {below}", old.name, new.name);
        }
        Ok(())
    }

    /// What to do where a revision is not there, as history may be.
    fn hint(&self) -> &'static str {
        let words = ["rev-parse", "--is-shallow-repository"];
        match git(Some(&self.top), &words) {
            Ok(said) if line(&said) == "true" => {
                "; this is a shallow clone: git fetch --unshallow gets the rest of its history"
            }
            _ => "",
        }
    }

    /// A path as seen from the current directory, from the top on, with slashes; empty for the top itself.
    fn below_top(&self, path: &Path) -> anyhow::Result<String> {
        let path = match path.strip_prefix(&self.top) {
            Ok(inside) => inside.to_path_buf(),
            Err(_) => self.here.join(path),
        };
        let mut parts: Vec<String> = Vec::new();
        for component in path.components() {
            match component {
                Component::CurDir => {}
                Component::Normal(name) => match name.to_str() {
                    Some(name) => parts.push(name.to_string()),
                    None => anyhow::bail!(
                        "{} is not UTF-8, as paths in revisions have to be: compare two directories",
                        path.display()
                    ),
                },
                Component::ParentDir if !parts.is_empty() => {
                    parts.pop();
                }
                _ => anyhow::bail!(
                    "{} is outside the repository {}",
                    path.display(),
                    self.top.display()
                ),
            }
        }
        Ok(parts.join("/"))
    }

    /// The tree of a revision below a directory: the paths that are asked for, with the settings of the project and with
    /// the directories of included files.
    fn check_out(&self, revision: &Revision, root: &Path, args: &DiffArgs) -> anyhow::Result<Tree> {
        let mut paths = Vec::new();
        for path in &args.paths {
            paths.push(self.below_top(path)?);
        }
        if paths.is_empty() {
            paths.push(self.below_top(Path::new(""))?);
        }
        let mut wanted: Vec<String> = paths.clone();
        for path in paths.iter().filter(|path| !path.is_empty()) {
            let above = Path::new(path).ancestors().skip(1);
            let files = above.map(|above| above.join(config::FILE_NAME));
            wanted.extend(files.map(|file| file.to_string_lossy().into_owned()));
        }
        let mut include = Vec::new();
        for given in &args.source.include {
            let inside = self.below_top(given).ok();
            match inside.filter(|path| path.is_empty() || self.has(revision, path)) {
                Some(path) => {
                    include.push(root.join(&path));
                    wanted.push(path);
                }
                None => include.push(given.clone()),
            }
        }
        wanted.retain(|path| path.is_empty() || self.has(revision, path));
        match wanted.is_empty() {
            true => std::fs::create_dir_all(root)?,
            false => self.extract(revision, &wanted, root)?,
        }
        let is_asked_for = |submodule: &&String| paths.iter().any(|path| is_below(submodule, path));
        let submodules = revision.submodules.iter().filter(is_asked_for);
        let submodules = submodules.cloned().collect();
        let paths: Vec<PathBuf> = paths.iter().map(|path| root.join(path)).collect();
        let absent: Vec<PathBuf> = (paths.iter().filter(|path| !path.exists()))
            .cloned()
            .collect();
        // The settings of the project are looked for from there on upwards.
        for path in &absent {
            std::fs::create_dir_all(path)?;
        }
        Ok(Tree {
            name: revision.name.clone(),
            paths,
            absent,
            submodules,
            root: root.to_path_buf(),
            is_hidden: true,
            include: Some(include),
        })
    }

    fn extract(&self, revision: &Revision, paths: &[String], root: &Path) -> anyhow::Result<()> {
        let mut words = vec!["--literal-pathspecs", "archive", "--format=zip", "-0"];
        words.push(&revision.hash);
        if !paths.iter().any(String::is_empty) {
            words.push("--");
            words.extend(paths.iter().map(String::as_str));
        }
        let what = || format!("cannot read the revision {}", revision.name);
        let archive = git(Some(&self.top), &words).with_context(what)?;
        let mut archive = zip::ZipArchive::new(Cursor::new(archive)).with_context(what)?;
        archive.extract(root).with_context(what)
    }
}

/// Whether a path is another one or lies in it; the empty one is the top.
fn is_below(path: &str, other: &str) -> bool {
    let rest = path.strip_prefix(other);
    rest.is_some_and(|rest| other.is_empty() || rest.is_empty() || rest.starts_with('/'))
}

/// What git prints.
fn git(directory: Option<&Path>, words: &[&str]) -> anyhow::Result<Vec<u8>> {
    let mut command = Command::new("git");
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    let output = command.args(words).output();
    let output = output.context("cannot run git, which reads the revisions")?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    let complaint = complaint.trim();
    anyhow::ensure!(
        output.status.success(),
        "{}",
        if complaint.is_empty() {
            "git says no"
        } else {
            complaint
        }
    );
    Ok(output.stdout)
}

fn line(output: &[u8]) -> String {
    String::from_utf8_lossy(output)
        .trim_end_matches(['\n', '\r'])
        .to_string()
}
