//! The directory of a sweep: where its manifest, its results and its data are.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use anyhow::Context;

use crate::reading::files;
use crate::sweep::hash::Hash;
use crate::sweep::manifest::Manifest;

/// The directory, as an absolute path.
#[derive(Clone, Debug)]
pub struct Place {
    directory: PathBuf,
    /// As it was named, for messages.
    name: PathBuf,
}

impl Place {
    /// A directory that may not be there yet.
    ///
    /// # Errors
    /// There is no current directory.
    pub fn of(directory: &Path) -> anyhow::Result<Place> {
        let absolute = std::path::absolute(directory)?;
        // Links are followed as far as the way is there.
        let there = absolute.ancestors().find_map(|ancestor| {
            let whole = ancestor.canonicalize().ok()?;
            Some(whole.join(absolute.strip_prefix(ancestor).ok()?))
        });
        Ok(Place {
            directory: there.unwrap_or(absolute),
            name: directory.to_path_buf(),
        })
    }

    /// Makes the directory where it is not there.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(&self) -> anyhow::Result<()> {
        self.make(&self.shards())
    }

    /// Makes a directory of this one where it is not there.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make(&self, directory: &Path) -> anyhow::Result<()> {
        let way = directory.strip_prefix(&self.directory).unwrap_or(directory);
        let what = || {
            format!(
                "cannot make the directory {}",
                self.name.join(way).display()
            )
        };
        if let Some(file) = files::in_the_way(directory) {
            let file = file.strip_prefix(&self.directory).unwrap_or(file);
            // Joining nothing would add a slash.
            let file = match file == Path::new("") {
                true => self.name.clone(),
                false => self.name.join(file),
            };
            anyhow::bail!(
                "{}: {} is a file; move it away, or name another --dir",
                what(),
                file.display()
            );
        }
        std::fs::create_dir_all(directory).with_context(what)
    }

    /// The directory of a sweep that was planned, and its manifest. From here on paths begin where those of the manifest do.
    ///
    /// # Errors
    /// There is no manifest, or it is not one of this version.
    pub fn enter(directory: &Path) -> anyhow::Result<(Place, Manifest)> {
        let path = directory.join(MANIFEST);
        anyhow::ensure!(
            path.is_file(),
            "there is no manifest {}: `loopsheet sweep plan SWEEP.toml --dir {}` writes it",
            path.display(),
            directory.display()
        );
        let what = || path.display().to_string();
        let text = files::read_text(&path).with_context(what)?;
        let manifest = Manifest::parse(&text).with_context(what)?;
        let place = Place::of(directory)?;
        place.create()?;
        let root = place.directory.join(&manifest.header.root);
        std::env::set_current_dir(&root).map_err(|error| {
            anyhow::anyhow!(
                "{}: its inputs were in {}, seen from here, which cannot be entered ({}): if the sweep or its inputs have \
                 moved, plan again; what was computed stays good where inputs have the same names",
                what(),
                directory.join(&manifest.header.root).display(),
                error
            )
        })?;
        Ok((place, manifest))
    }

    /// Where paths begin that are relative to `directory`, seen from here.
    ///
    /// # Errors
    /// There is no such directory.
    pub fn root(&self, directory: &Path) -> anyhow::Result<String> {
        let directory = directory
            .canonicalize()
            .with_context(|| directory.display().to_string())?;
        Ok(relative(&directory, &self.directory))
    }

    pub fn manifest(&self) -> PathBuf {
        self.directory.join(MANIFEST)
    }

    /// The rows of a shard.
    pub fn rows(&self, hash: &Hash) -> PathBuf {
        self.shards().join(format!("{}.jsonl", hash.as_str()))
    }

    /// Why a shard failed, as a row.
    pub fn failure(&self, hash: &Hash) -> PathBuf {
        let name = format!("{}.failed.jsonl", hash.as_str());
        self.shards().join(name)
    }

    /// What was seen of the files that are read, to be deleted at will.
    pub fn contents(&self) -> PathBuf {
        self.directory.join("contents.jsonl")
    }

    /// Of the merged files.
    pub fn data(&self) -> PathBuf {
        self.directory.join("data")
    }

    /// The names of the merged files, one per line.
    pub fn merged(&self) -> PathBuf {
        self.directory.join("merged.txt")
    }

    /// Locked by whoever merges.
    pub fn merge_lock(&self) -> PathBuf {
        self.directory.join("merge.lock")
    }

    /// Of results of shards.
    pub fn shards(&self) -> PathBuf {
        self.directory.join("shards")
    }

    /// What a pilot shard took.
    pub fn pilot(&self) -> PathBuf {
        self.directory.join("pilot.json")
    }

    /// Of claims on shards.
    pub fn claims(&self) -> PathBuf {
        self.directory.join("claims")
    }

    /// Locked by whoever computes a shard.
    pub fn claim(&self, hash: &Hash) -> PathBuf {
        self.claims().join(hash.as_str())
    }

    /// All files of the sweep that are in its directory itself: a report beside them is no file of the sweep.
    pub fn files(&self) -> Vec<PathBuf> {
        const NAMES: [&str; 10] = [
            MANIFEST,
            "contents.jsonl",
            "merged.txt",
            "merge.lock",
            "pilot.json",
            "run.sbatch",
            "merge.sbatch",
            "submit.sh",
            "run.log",
            "merge.log",
        ];
        NAMES.map(|name| self.directory.join(name)).to_vec()
    }

    /// Whether a path, or what a link there leads to, lies in a directory that only commands write into.
    pub fn keeps(&self, path: &Path) -> bool {
        let parent = || path.parent().and_then(|parent| parent.canonicalize().ok());
        let whole = path.canonicalize().ok().or_else(parent);
        let own = [self.shards(), self.claims(), self.data()];
        whole.is_some_and(|whole| own.iter().any(|own| whole.starts_with(own)))
    }

    /// A file of this directory may be replaced that is empty, or that is what `writer` writes.
    ///
    /// # Errors
    /// It is a file of somebody else.
    pub fn refuse_other(
        &self,
        path: &Path,
        writer: &str,
        is_own: impl Fn(&str) -> bool,
    ) -> anyhow::Result<()> {
        let is_empty = std::fs::metadata(path).map_or(true, |about| about.len() == 0);
        let is_other = !is_empty && !files::read_text(path).is_ok_and(|text| is_own(&text));
        anyhow::ensure!(
            !is_other,
            "{} is there, and no {writer} wrote it: it would be lost; give another --dir, or move it",
            path.display()
        );
        Ok(())
    }

    /// A script that runs the sweep.
    pub fn script(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// As the user named it, as a word of a shell: for commands to copy.
    pub fn word(&self) -> String {
        let name = self.name.to_string_lossy();
        shlex::try_quote(&name).map_or_else(|_| name.to_string(), |word| word.to_string())
    }

    /// As the user named it.
    pub fn name(&self) -> &Path {
        &self.name
    }
}

const MANIFEST: &str = "manifest.jsonl";

/// The way from one directory to another file or directory, both absolute; the other as it is if they share nothing.
pub fn relative(to: &Path, from: &Path) -> String {
    let (to_parts, from_parts): (Vec<Component>, Vec<Component>) =
        (to.components().collect(), from.components().collect());
    let pairs = to_parts.iter().zip(&from_parts);
    let shared = pairs.take_while(|(one, other)| one == other).count();
    if shared <= 1 && to_parts.len() > 1 {
        return to.to_string_lossy().into_owned();
    }
    let up = std::iter::repeat_n("..".to_string(), from_parts.len() - shared);
    let down = to_parts[shared..]
        .iter()
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    let way: Vec<String> = up.chain(down).collect();
    match way.is_empty() {
        true => ".".to_string(),
        false => way.join("/"),
    }
}

/// A regular file: opening a pipe waits for somebody who writes.
pub fn open_regular(path: &Path) -> std::io::Result<File> {
    match std::fs::metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(std::io::Error::new(
            ErrorKind::InvalidInput,
            "it is not a regular file",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_from_one_directory_to_another() {
        let way = |to: &str, from: &str| relative(Path::new(to), Path::new(from));
        assert_eq!(way("/a/b", "/a/b/sweep"), "..");
        assert_eq!(way("/a/b", "/a/b"), ".");
        assert_eq!(way("/a/c/d", "/a/b"), "../c/d");
        assert_eq!(way("/usr/x.h", "/a/b"), "/usr/x.h");
    }
}
