//! The files that a comparison goes to.

use std::path::{Path, PathBuf};

use super::outputs::{self, Output};
use super::record::StandardOutput;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Workbook,
    /// Only of a study, which has the model.
    Page,
    Json,
    /// Only of a difference.
    Markdown,
    /// The same.
    Sarif,
}

/// Files to be.
pub struct Reports(Vec<(Format, Output)>);

impl Reports {
    /// `-o` and the files of other options, made sure that they can be written; `inputs` are `what`, and stay as they are.
    ///
    /// # Errors
    /// An extension says nothing, a path cannot be written, an output would replace an input or another one, or more
    /// than one goes to standard output.
    pub fn create(
        output: Option<&PathBuf>,
        others: &[(Format, Option<&PathBuf>)],
        (inputs, what): (&[&Path], &str),
    ) -> anyhow::Result<Reports> {
        let mut requested: Vec<(Format, &PathBuf)> = Vec::new();
        if let Some(path) = output {
            let extension = path
                .extension()
                .and_then(|extension| extension.to_str())
                .map(str::to_lowercase);
            let has_page = others.iter().any(|(format, _)| *format == Format::Page);
            let format = match extension.as_deref() {
                Some("xlsx") => Format::Workbook,
                Some("json") => Format::Json,
                Some("html" | "htm") if has_page => Format::Page,
                _ => anyhow::bail!(
                    "-o {}: the extension says what to write; it may be .xlsx{} or .json",
                    path.display(),
                    if has_page { ", .html" } else { "" }
                ),
            };
            requested.push((format, path));
        }
        requested.extend(
            others
                .iter()
                .filter_map(|(format, path)| Some((*format, (*path)?))),
        );
        let paths = requested.iter().map(|(_, path)| path.as_path());
        outputs::spare_inputs(paths, inputs, what)?;
        outputs::refuse_equal(
            &requested
                .iter()
                .map(|(_, path)| path.as_path())
                .collect::<Vec<&Path>>(),
        )?;
        anyhow::ensure!(
            requested
                .iter()
                .filter(|(_, path)| path.as_os_str() == "-")
                .count()
                <= 1,
            "only one output can go to standard output"
        );
        let create = |(format, path): (Format, &PathBuf)| Ok((format, Output::create(path)?));
        Ok(Reports(
            requested
                .into_iter()
                .map(create)
                .collect::<anyhow::Result<_>>()?,
        ))
    }

    /// Whether nothing was asked for.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of them goes to standard output.
    pub fn standard_output(&self) -> StandardOutput {
        match self.0.iter().any(|(_, output)| output.is_standard_output()) {
            true => StandardOutput::Taken,
            false => StandardOutput::Free,
        }
    }

    /// Renders everything, then puts it in its place.
    ///
    /// # Errors
    /// Rendering or writing failed.
    pub fn finish(self, render: impl Fn(Format) -> anyhow::Result<Vec<u8>>) -> anyhow::Result<()> {
        let rendered = self
            .0
            .into_iter()
            .map(|(format, output)| Ok((render(format)?, output)));
        for (bytes, output) in rendered.collect::<anyhow::Result<Vec<(Vec<u8>, Output)>>>()? {
            output.finish(&bytes)?;
        }
        Ok(())
    }
}
