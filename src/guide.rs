//! The guide, a page a topic: what the program does, how to use it, and the formulas with their sources.
//!
//! The pages are Markdown in `src/guide`; `loopsheet guide TOPIC` prints them. Comments in the code cite their sections
//! as guide: outputs, "Exit status". Examples in blocks that are marked `console` are run by a test.

/// Declares the topics: for each the name, which is that of its file, and what it is about.
macro_rules! topics {
    ($($variant:ident $module:ident $name:literal $about:literal;)*) => {
        $(
            #[doc = include_str!(concat!("guide/", $name, ".md"))]
            pub mod $module {}
        )*

        /// A page of the guide.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
        pub enum Topic {
            $(
                #[doc = $about]
                #[cfg_attr(feature = "cli", value(name = $name))]
                $variant,
            )*
        }

        impl Topic {
            /// All topics, in the order in which they are listed.
            pub const ALL: &[Topic] = &[$(Topic::$variant),*];

            /// As on the command line.
            pub fn name(self) -> &'static str {
                match self {
                    $(Topic::$variant => $name,)*
                }
            }

            /// What it is about, in a line.
            pub fn about(self) -> &'static str {
                match self {
                    $(Topic::$variant => $about,)*
                }
            }

            /// The page, as Markdown.
            pub fn text(self) -> &'static str {
                match self {
                    $(Topic::$variant => include_str!(concat!("guide/", $name, ".md")),)*
                }
            }
        }
    };
}

topics! {
    Tutorial tutorial "tutorial" "A stencil, from its source to a faster one";
    Sizes sizes "sizes" "Sizes and parameters: where they come from, and how to set them";
    Reading reading "reading" "How to read the table, the workbook and the page";
    Machines machines "machines" "Machine presets, and files of your own";
    Counts counts "counts" "Trip counts and branch frequencies from a recorded run";
    StaticModel static_model "static-model" "Every formula of the analysis of source, with worked examples";
    DynamicModel dynamic_model "dynamic-model" "Every formula of the analysis of traces: eDAG, λ, epochs, C-AMAT";
    Accuracy accuracy "accuracy" "Which figure to trust for what, and what is known to be wrong";
    AccuracyCounts accuracy_counts "accuracy-counts" "Measured: iterations, flops, counts of runs, loops understood";
    AccuracyTraffic accuracy_traffic "accuracy-traffic" "Measured: traffic against simulation, and how it is validated";
    AccuracyUnseen accuracy_unseen "accuracy-unseen" "Measured: traffic of codes that the model was not tuned on";
    AccuracyFirstRun accuracy_first_run "accuracy-first-run" "Measured: the costliest nests of programs, with nothing set";
    AccuracyTime accuracy_time "accuracy-time" "Measured: predicted times against a clock";
    AccuracyTraces accuracy_traces "accuracy-traces" "Measured: latency, far memory and depth of recorded runs";
    Languages languages "languages" "What of C and Fortran is read, and every reason code";
    Compare compare "compare" "What the source says, compared with what a run did";
    Diff diff "diff" "Effect of a change in the source in the figures";
    Traces traces "traces" "How to record and read traces of RISC-V programs";
    Sweeps sweeps "sweeps" "Many configurations of many inputs, on one machine or a cluster; Parquet and DuckDB";
    Outputs outputs "outputs" "Files, JSON schemas, exit statuses";
    Ci ci "ci" "Daily work and continuous integration";
    Glossary glossary "glossary" "The words of the guide and of the headings";
    Related related "related" "Comparison with ExaSAT, Kerncraft, EDAN and others";
    Architecture architecture "architecture" "For contributors: layers, stages, how to add things";
}
