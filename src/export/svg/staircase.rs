//! What a nest moves through a cache, over its size: where a cache holds one more reuse, the line falls.

use super::document::{Anchor, BLUE, CRITICAL, Document, FAINT, GRID, INK, point, round_step};
use crate::explain::conditions::reuse_name;
use crate::model::staircase::{Corner, Staircase};
use crate::model::{Model, NestModel};
use crate::quantity::{Bytes, binary_size};

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 96.0;
const RIGHT: f64 = 32.0;
const TOP: f64 = 122.0;
const ABOUT: &str = "Fetched and written back in one call. Where the line drops, a cache holds one more reuse; points are the machine's caches.";
const BOTTOM: f64 = 64.0;
/// The least part of the whole fall at which a step is named, and how many are.
const NAMED_FALL: f64 = 0.06;
const NAMED: usize = 6;

/// The staircase of a nest; `None` where something is not known, or the model has only numbers.
pub fn staircase(model: &Model, nest: &NestModel) -> Option<String> {
    let stairs = Staircase::of(nest)?;
    let corners = stairs.corners(model)?;
    let least = stairs.least(model);
    let head = nest.nest.head();
    let title = format!("{}: bytes through a cache by its size", head.id);
    let place = format!("{}:{} on {}", head.file, head.line, model.machine.name);
    let scale = Scale::new(model, nest, &stairs)?;
    let mut document = Document::new(WIDTH, HEIGHT, &title, &format!("{place}. {ABOUT}"));
    let bold = "font-size=\"17\" font-weight=\"bold\"";
    document.text((LEFT, 26.0), Anchor::Start, bold, &title);
    let faint = format!("fill=\"{FAINT}\" font-size=\"11.5\"");
    for (y, text) in [(45.0, place.as_str()), (61.0, ABOUT)] {
        document.text((LEFT, y), Anchor::Start, &faint, text);
    }
    axes(&mut document, &scale);
    line(&mut document, &scale, (&corners, least));
    caches(&mut document, (model, nest), &scale);
    names(&mut document, nest, &scale, (&corners, least));
    Some(document.finish())
}

/// Capacities go to the right by powers of two, bytes up from zero or by powers of ten.
struct Scale {
    capacities: (f64, f64),
    bytes: (f64, f64),
    is_by_powers: bool,
}

impl Scale {
    fn new(model: &Model, nest: &NestModel, stairs: &Staircase) -> Option<Scale> {
        let caches = nest.levels.caches.iter();
        let caches: Vec<(f64, f64)> = caches
            .map(|cache| (model.value(cache.capacity), model.value(cache.bytes)))
            .filter(|(capacity, bytes)| capacity.is_finite() && bytes.is_finite())
            .collect();
        let capacities: Vec<f64> = caches.iter().map(|(capacity, _)| *capacity).collect();
        let window = stairs.window(model, &capacities)?;
        let moved = caches.iter().map(|(_, bytes)| *bytes);
        let most = moved.clone().fold(window.most, f64::max);
        let fewest = moved
            .filter(|bytes| *bytes > 0.0)
            .fold(window.least, f64::min);
        let bytes = match window.is_wide() {
            true => {
                let power = |value: f64| 10f64.powf(value);
                (power(fewest.log10().floor()), power(most.log10().ceil()))
            }
            false => (0.0, most.max(1.0) * 1.08),
        };
        Some(Scale {
            capacities: (window.from, window.to),
            bytes,
            is_by_powers: window.is_wide(),
        })
    }

    fn x(&self, capacity: f64) -> f64 {
        let (low, high) = self.capacities;
        let share = (capacity.max(low) / low).ln() / (high / low).ln();
        LEFT + share * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, bytes: f64) -> f64 {
        let (low, high) = self.bytes;
        let share = match self.is_by_powers {
            true => (bytes.max(low) / low).ln() / (high / low).ln(),
            false => (bytes - low) / (high - low),
        };
        HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
    }

    /// Powers of two that the axis names, at most ten.
    fn sizes(&self) -> Vec<u64> {
        let (low, high) = self.capacities;
        let (first, last) = (low.log2().ceil() as u32, high.log2().floor() as u32);
        let step = (last.saturating_sub(first) / 9).max(1);
        // From KiB to KiB and MiB to MiB.
        let step = [1, 2, 5, 10].into_iter().find(|wide| *wide >= step);
        let step = step.unwrap_or(10);
        let named = (0..63u32).filter(|power| power % step == 0 && (first..=last).contains(power));
        named.map(|power| 1 << power).collect()
    }

    fn amounts(&self) -> Vec<f64> {
        let (low, high) = self.bytes;
        if self.is_by_powers {
            let (first, last) = (low.log10().round() as i32, high.log10().round() as i32);
            return (first..=last).map(|power| 10f64.powi(power)).collect();
        }
        let step = round_step(high / 5.0);
        let ticks = (high / step).floor() as u32;
        (0..=ticks).map(|tick| f64::from(tick) * step).collect()
    }
}

fn axes(document: &mut Document, scale: &Scale) {
    let (far, low) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let grid = format!("stroke=\"{GRID}\"");
    for size in scale.sizes() {
        let x = scale.x(size as f64);
        document.line((x, TOP), (x, low), &grid);
        document.text((x, low + 18.0), Anchor::Middle, "", &binary_size(size));
    }
    for amount in scale.amounts() {
        let y = scale.y(amount);
        document.line((LEFT, y), (far, y), &grid);
        let text = match amount == 0.0 {
            true => "0".to_string(),
            false => Bytes(amount).to_string(),
        };
        document.text((LEFT - 8.0, y + 4.0), Anchor::End, "", &text);
    }
    let middle = ((LEFT + far) / 2.0, HEIGHT - 14.0);
    document.text(middle, Anchor::Middle, "", "capacity of the cache in bytes");
}

fn line(document: &mut Document, scale: &Scale, (corners, least): (&[Corner], f64)) {
    let (low, high) = scale.capacities;
    let shown = corners.iter().filter(|corner| corner.capacity >= low);
    let most = shown.clone().next().map_or(least, |corner| corner.before);
    let mut points = vec![(scale.x(low), scale.y(most))];
    for corner in shown {
        let x = scale.x(corner.capacity);
        points.extend([(x, scale.y(corner.before)), (x, scale.y(corner.after))]);
    }
    points.push((scale.x(high), scale.y(least)));
    let joined: Vec<String> = points.iter().map(|at| point(*at)).collect();
    let floor = HEIGHT - BOTTOM;
    let area = format!(
        "points=\"{} {} {}\" fill=\"{BLUE}\" fill-opacity=\"0.10\"",
        point((scale.x(low), floor)),
        joined.join(" "),
        point((scale.x(high), floor))
    );
    document.element("polygon", &area);
    let stroke = format!(
        "points=\"{}\" fill=\"none\" stroke=\"{INK}\" stroke-width=\"2.4\"",
        joined.join(" ")
    );
    document.element("polyline", &stroke);
}

/// The caches of the machine: a line at their size, a point at what moves through them.
fn caches(document: &mut Document, (model, nest): (&Model, &NestModel), scale: &Scale) {
    for (position, cache) in nest.levels.caches.iter().enumerate() {
        let (capacity, bytes) = (model.value(cache.capacity), model.value(cache.bytes));
        if !(capacity > 0.0 && capacity.is_finite() && bytes.is_finite()) {
            continue;
        }
        let x = scale.x(capacity);
        let dashed = format!("stroke=\"{CRITICAL}\" stroke-width=\"1.2\" stroke-dasharray=\"5 4\"");
        document.line((x, TOP - 14.0), (x, HEIGHT - BOTTOM), &dashed);
        let at = format!(
            "cx=\"{x:.2}\" cy=\"{:.2}\" r=\"5\" fill=\"{CRITICAL}\"",
            scale.y(bytes)
        );
        document.element("circle", &at);
        let name = format!("{}: {}", cache.name, Bytes(bytes));
        // Names of caches that are close to each other stand above each other.
        let y = TOP - 20.0 - 13.0 * (position % 2) as f64;
        let colour = format!("fill=\"{CRITICAL}\" font-weight=\"bold\"");
        document.text((x, y), Anchor::Middle, &colour, &name);
    }
}

/// The largest steps, by the loop and arrays whose reuse fits from there on.
fn names(
    document: &mut Document,
    nest: &NestModel,
    scale: &Scale,
    (corners, least): (&[Corner], f64),
) {
    let shown = corners.iter();
    let shown = shown.filter(|corner| corner.capacity >= scale.capacities.0);
    let most = shown.clone().next().map_or(least, |corner| corner.before);
    let fall = |corner: &Corner| corner.before - corner.after;
    let mut large: Vec<&Corner> = shown
        .filter(|corner| fall(corner) > NAMED_FALL * (most - least))
        .collect();
    large.sort_by(|a, b| fall(b).total_cmp(&fall(a)));
    large.truncate(NAMED);
    for corner in large {
        let Some(reuse) = corner.reuses.first().map(|at| &nest.levels.reuses[*at]) else {
            continue;
        };
        let name = format!("loop {}: {}", reuse_name(reuse), Bytes(corner.capacity));
        let x = scale.x(corner.capacity);
        let y = (scale.y(corner.before) + scale.y(corner.after)) / 2.0 + 4.0;
        let (x, anchor) = match x > (LEFT + WIDTH - RIGHT) / 2.0 {
            true => (x - 7.0, Anchor::End),
            false => (x + 7.0, Anchor::Start),
        };
        let halo = "font-size=\"11\" paint-order=\"stroke\" stroke=\"#FFFFFF\" stroke-width=\"3\"";
        document.text((x, y), anchor, halo, &name);
    }
}
