//! Two revisions of a Git repository, each in a temporary directory: nothing that is checked out is touched.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;
use tempfile::TempDir;

use super::trees::Tree;
use crate::cli::DiffArgs;
use crate::commands::outputs::removed_on_signals;
use crate::wording::counted;

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
    contents: Contents,
}

/// What a commit has; paths are from the top on.
#[derive(Default)]
struct Contents {
    files: Vec<Blob>,
    links: Vec<Blob>,
    /// Commits of other repositories.
    submodules: Vec<String>,
}

/// A file, or the target of a link, as the repository keeps it.
struct Blob {
    object: String,
    path: PathBuf,
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

/// Whether all of these are revisions of the repository here.
pub fn are_revisions(names: [&Path; 2]) -> bool {
    let repository = Repository::here().ok();
    repository.is_some_and(|repository| {
        let mut names = names.iter().map(|name| name.to_str());
        names.all(|name| name.is_some_and(|name| repository.commit(name).is_ok()))
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
        let (mut old, new) = (or_head(old), or_head(new));
        let (mut before, after) = (self.commit(&old)?, self.commit(&new)?);
        if from_fork {
            let base = git(Some(&self.top), &["merge-base", &before, &after]);
            let base = base.with_context(|| {
                let hint = self.hint();
                format!("{old} and {new} have no history in common{hint}")
            })?;
            before = line(&base);
            old = format!("fork of {old} and {new}");
        }
        Ok([self.revision(old, before)?, self.revision(new, after)?])
    }

    fn revision(&self, name: String, hash: String) -> anyhow::Result<Revision> {
        Ok(Revision {
            name,
            contents: self.contents(&hash)?,
            hash,
        })
    }

    /// The hash of a commit.
    fn commit(&self, name: &str) -> anyhow::Result<String> {
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
        Ok(line(&hash))
    }

    fn contents(&self, hash: &str) -> anyhow::Result<Contents> {
        let words = ["ls-tree", "-r", "-z", "--full-tree", hash];
        let listed = git(Some(&self.top), &words)?;
        let mut contents = Contents::default();
        for entry in listed.split(|byte| *byte == 0) {
            // `160000 commit 3f9a…`, a tab, and the path.
            let Some(tab) = entry.iter().position(|byte| *byte == b'\t') else {
                continue;
            };
            let path = PathBuf::from(OsStr::from_bytes(&entry[tab + 1..]));
            let what = String::from_utf8_lossy(&entry[..tab]);
            let [mode, _, object] = what.split(' ').collect::<Vec<_>>()[..] else {
                continue;
            };
            let is_inside = |part: Component| matches!(part, Component::Normal(_));
            anyhow::ensure!(
                path.components().all(is_inside),
                "{hash} has a file outside itself: {}",
                path.display()
            );
            let blob = |path| Blob {
                object: object.to_string(),
                path,
            };
            match mode {
                "160000" => {
                    let path = path.to_string_lossy().into_owned();
                    contents.submodules.push(path);
                }
                "120000" => contents.links.push(blob(path)),
                _ => contents.files.push(blob(path)),
            }
        }
        Ok(contents)
    }

    /// Whether a revision has this path from the top on.
    fn has(&self, revision: &Revision, path: &str) -> bool {
        let object = format!("{}:{path}", revision.hash);
        let mut submodules = revision.contents.submodules.iter();
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
            let mut submodules = revisions
                .iter()
                .flat_map(|revision| &revision.contents.submodules);
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

    /// A revision as a tree below a directory, of which the paths that are asked for are compared: whatever lies beside
    /// them, such as headers and settings of the project, is of that revision, too.
    fn check_out(&self, revision: &Revision, root: &Path, args: &DiffArgs) -> anyhow::Result<Tree> {
        let mut paths = Vec::new();
        for path in &args.paths {
            paths.push(self.below_top(path)?);
        }
        if paths.is_empty() {
            paths.push(self.below_top(Path::new(""))?);
        }
        let mut remarks = Vec::new();
        let mut include = Vec::new();
        for given in &args.source.include {
            let inside = self.below_top(given).ok();
            match inside {
                Some(path) if path.is_empty() || self.has(revision, &path) => {
                    include.push(root.join(&path));
                }
                _ => {
                    include.push(given.clone());
                    let name = &revision.name;
                    remarks.push(match given.is_dir() {
                        true => format!(
                            "-I {} is not of {name}: what it finds there is of the directory as it is now",
                            given.display()
                        ),
                        false => format!(
                            "-I {}: there is no such directory, neither in {name} nor here",
                            given.display()
                        ),
                    });
                }
            }
        }
        self.extract(revision, root)?;
        let is_asked_for = |path: &str| paths.iter().any(|asked| is_below(path, asked));
        for submodule in &revision.contents.submodules {
            if is_asked_for(submodule) {
                remarks.push(format!(
                    "the submodule {submodule} of {} is not read: it is another repository",
                    revision.name
                ));
            }
        }
        let links = remove_foreign_links(root, &revision.contents.links)?;
        if let [first, more @ ..] = &links[..] {
            let more = match more.len() {
                0 => String::new(),
                more => format!(" and {}", counted(more, "other link")),
            };
            remarks.push(format!(
                "the link {}{more} of {} cannot be followed: it leads out of the revision, or nowhere",
                first.display(),
                revision.name
            ));
        }
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
            remarks,
            root: root.to_path_buf(),
            is_hidden: true,
            stands_for: Some(self.top.clone()),
            include: Some(include),
        })
    }

    /// Writes all files of a revision below a directory, byte for byte as the repository has them: neither filters nor line
    /// ends that are set up here have a say.
    fn extract(&self, revision: &Revision, root: &Path) -> anyhow::Result<()> {
        std::fs::create_dir_all(root)?;
        let Contents { files, links, .. } = &revision.contents;
        let what = || format!("cannot read the revision {}", revision.name);
        self.each_blob(files, root, |path, bytes| std::fs::write(path, bytes))
            .with_context(what)?;
        // Behind all files: none of them is written through a link.
        let link = |path: &Path, target: &[u8]| {
            std::os::unix::fs::symlink(OsStr::from_bytes(target), path)
        };
        self.each_blob(links, root, link).with_context(what)
    }

    /// Hands over the content of files, one after the other, with their paths below a directory, where the directories
    /// around them are made.
    fn each_blob(
        &self,
        blobs: &[Blob],
        root: &Path,
        mut write: impl FnMut(&Path, &[u8]) -> std::io::Result<()>,
    ) -> anyhow::Result<()> {
        if blobs.is_empty() {
            return Ok(());
        }
        let mut child = Command::new("git")
            .current_dir(&self.top)
            .args(["cat-file", "--batch", "--buffer"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot run git, which reads the revisions")?;
        let (Some(mut names), Some(contents)) = (child.stdin.take(), child.stdout.take()) else {
            anyhow::bail!("git has no standard input or output");
        };
        let read = std::thread::scope(|scope| {
            scope.spawn(move || {
                // Where git stops reading, what it says so far tells why.
                for blob in blobs {
                    if writeln!(names, "{}", blob.object).is_err() {
                        break;
                    }
                }
            });
            let mut contents = BufReader::new(contents);
            let (mut head, mut bytes) = (String::new(), Vec::new());
            for Blob { object, path } in blobs {
                head.clear();
                contents.read_line(&mut head)?;
                // `3f9a… blob 1234`
                let size = head.trim_end().rsplit(' ').next().map(str::parse::<usize>);
                let Some(Ok(size)) = size else {
                    anyhow::bail!("it has no {} ({object})", path.display());
                };
                bytes.resize(size + 1, 0);
                contents.read_exact(&mut bytes)?;
                let place = root.join(path);
                let around = place.parent().map_or(Ok(()), std::fs::create_dir_all);
                let written = around.and_then(|()| write(&place, &bytes[..size]));
                written.with_context(|| format!("cannot write {}", path.display()))?;
            }
            Ok(())
        });
        if read.is_err() {
            // It may wait for somebody to read what is left.
            let _ = child.kill();
        }
        child.wait()?;
        read
    }
}

/// Removes links that lead out of a directory or nowhere, and says which.
fn remove_foreign_links<'l>(root: &Path, links: &'l [Blob]) -> anyhow::Result<Vec<&'l Path>> {
    let mut foreign = Vec::new();
    for link in links.iter().map(|link| link.path.as_path()) {
        let path = root.join(link);
        let leads_inside = path
            .canonicalize()
            .is_ok_and(|target| target.starts_with(root));
        if !leads_inside {
            foreign.push(link);
        }
    }
    // Links may lead through others.
    for link in &foreign {
        std::fs::remove_file(root.join(link))?;
    }
    Ok(foreign)
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
