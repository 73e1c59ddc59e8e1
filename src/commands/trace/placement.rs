//! `--objects` and `--place`: what may go to slower memory, and what is there.

use anyhow::Context;

use super::settings::latency;
use crate::binary::Variable;
use crate::cli::TraceArgs;
use crate::metrics::blame::Blame;
use crate::metrics::camat::Camat;
use crate::metrics::objects::{Object, Objects};
use crate::metrics::out_of_order::Place;

/// 140 and 410 ns, which is where memory behind CXL is measured to be, at 4 GHz.
const FAR: [u64; 2] = [560, 1640];
const LOSS: f64 = 5.0;
/// Latencies that a sheet has columns for.
const MOST_FAR: usize = 8;

fn far(args: &TraceArgs) -> &[u64] {
    match args.far.is_empty() {
        true => &FAR,
        false => &args.far,
    }
}

/// # Errors
/// There are too many latencies, or one is not farther than RAM.
fn check_far(args: &TraceArgs) -> anyhow::Result<()> {
    anyhow::ensure!(
        args.far.is_empty() || args.objects || !args.place.is_empty(),
        "--far needs --objects or --place"
    );
    anyhow::ensure!(
        args.far.len() <= MOST_FAR,
        "--far: at most {MOST_FAR} latencies are possible, not {}",
        args.far.len()
    );
    let near = latency(args);
    let nearer = far(args).iter().find(|far| (**far as f64) < near);
    if let Some(nearer) = nearer.filter(|_| args.objects) {
        anyhow::bail!("--far {nearer}: RAM itself is {near} cycles away (--latency)");
    }
    Ok(())
}

/// Addresses with latencies of their own, of `--place`.
///
/// # Errors
/// Nothing has that name, the latency is none, or two overlap.
pub fn places(args: &TraceArgs, variables: &[Variable]) -> anyhow::Result<Vec<Place>> {
    check_far(args)?;
    let place = |text: &String| {
        let what = || format!("--place {text}");
        let (name, cycles) = text
            .rsplit_once('=')
            .context("it must be NAME=CYCLES or NAME=far")
            .with_context(what)?;
        let cycles = match cycles {
            "far" => far(args)[0],
            cycles => cycles
                .parse::<u64>()
                .ok()
                .filter(|cycles| (1..=1_000_000).contains(cycles))
                .with_context(|| {
                    format!("`{cycles}` is not far, nor a number of cycles from 1 to 1000000")
                })
                .with_context(what)?,
        };
        let (low, high) = range(name, variables).with_context(what)?;
        Ok(Place { low, high, cycles })
    };
    let mut places = args
        .place
        .iter()
        .map(place)
        .collect::<anyhow::Result<Vec<Place>>>()?;
    places.sort_by_key(|place| place.low);
    for pair in places.windows(2) {
        anyhow::ensure!(
            pair[0].high <= pair[1].low,
            "--place: addresses from {:#x} on are placed twice",
            pair[1].low
        );
    }
    Ok(places)
}

/// A variable, or two addresses.
fn range(name: &str, variables: &[Variable]) -> anyhow::Result<(u64, u64)> {
    let mut named = variables.iter().filter(|variable| variable.name == name);
    if let Some(Variable { low, high, .. }) = named.next() {
        anyhow::ensure!(
            named.next().is_none(),
            "several variables have this name; addresses such as {low:#x}-{high:#x} tell them apart"
        );
        return Ok((*low, *high));
    }
    let address = |text: &str| u64::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok();
    let range = name.split_once('-');
    let range = range.and_then(|(low, high)| Some((address(low)?, address(high)?)));
    range.filter(|(low, high)| low < high).context(
        "no global variable of --elf has this name, and it is not two addresses such as 0x4000-0x8000",
    )
}

/// For whoever reads the core's figures.
pub fn in_words(places: &[Place]) -> Option<String> {
    let words = places.iter().map(|place| {
        let Place { low, high, cycles } = place;
        format!("{low:#x} to {high:#x} at {cycles} cycles")
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| {
        format!(
            "placed elsewhere in the core of C-AMAT: {}",
            words.join(", ")
        )
    })
}

/// Objects with the epochs that they are blamed for.
///
/// # Errors
/// The share that may be lost is none.
pub fn objects(
    args: &TraceArgs,
    objects: Option<Vec<Object>>,
    blame: Option<&Blame>,
    camat: Option<&Camat>,
) -> anyhow::Result<Option<Objects>> {
    let loss = args.loss.unwrap_or(LOSS);
    anyhow::ensure!(
        (0.0..=1000.0).contains(&loss),
        "--loss {loss}: must be from 0 to 1000 percent"
    );
    let (Some(objects), Some(blame), Some(camat)) = (objects, blame, camat) else {
        return Ok(None);
    };
    let times = (camat.run.1 + 1 - camat.run.0, latency(args) as u64);
    Ok(Some(Objects::new(
        objects,
        blame,
        times,
        far(args),
        loss / 100.0,
    )))
}
