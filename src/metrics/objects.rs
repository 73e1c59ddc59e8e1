//! Objects that may go to slower memory: accesses, misses and epochs by object, and which objects fit a budget of time (guide:
//! dynamic-model, "Objects in far memory").

use crate::expr::Expr;
use crate::tables::value;

use super::blame::Blame;
use super::estimated::{self, Estimated, KNOTS, loss_name};
use super::interleaving::{Interleaving, Times};

/// An object is a global variable, the stack, or what else a line goes to, as [`super::blame::BlamedObject`] names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// `None` if the program is not known.
    pub name: Option<String>,
    /// From the lowest address that was accessed to behind the highest, in each part of the address space; of a variable all of it.
    pub bytes: u64,
    pub accesses: u64,
    /// Of these, accesses that load: no epoch waits for what is only stored, where stores wait in a buffer.
    pub loads: u64,
    /// Accesses that went to RAM.
    pub misses: u64,
    /// 𝒟 of these alone: the most of them on one path. Known of the largest variables.
    pub memory_depth: Option<u64>,
    /// Epochs that retirement waited for it: what the time grows by, for every cycle of its latency alone.
    pub epochs: u64,
}

/// All objects, those that may go first: the least epochs for a byte. What never went to RAM may go anywhere; it comes last.
#[derive(Clone, Debug, PartialEq)]
pub struct Objects {
    pub objects: Vec<Object>,
    /// By how much the run may take longer, as a share of its cycles.
    pub budget: f64,
    /// Of each latency of far memory that was asked for.
    pub placements: Vec<Placement>,
    /// What comes of pages of all objects in both memories.
    pub interleaving: Interleaving,
}

/// What goes to far memory of one latency.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// Cycles.
    pub latency: u64,
    /// By position among the objects: taken one after the other as long as the budget allows.
    pub greedy: Vec<bool>,
    /// The most bytes that the budget allows, where the objects are few enough to try all sets.
    pub best: Option<Vec<bool>>,
    /// By position among the objects: the share of its pages there if they are taken one after the other, and of the first that
    /// does not fit as many pages as do.
    pub shares: Vec<f64>,
    /// What machines nearly like the core take, if these ran.
    pub estimated: Option<Estimated>,
    /// What the core takes, if it was asked.
    pub confirmed: Option<Confirmed>,
}

/// Cycles of the run in the core, with objects in far memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmed {
    /// By position among the objects: with this one alone there; `None` where it was not tried.
    pub alone: Vec<Option<u64>>,
    /// With all there that go there one after the other; `None` if the addresses of one are not known.
    pub together: Option<u64>,
    /// By position among the interleaved shares: with so many of all pages there; `None` where it was not tried.
    pub interleaved: Vec<Option<u64>>,
}

/// Objects up to which all sets are tried.
pub const MOST_TRIED: usize = 20;

/// By what share the run takes longer with one object in far memory.
pub fn loss(epochs: &str, far: &str, near: &str, cycles: &str) -> Expr {
    let longer = Expr::symbol(far) - Expr::symbol(near);
    (Expr::symbol(epochs) * longer).quotient(Expr::symbol(cycles))
}

/// Shares of objects, taken one after the other, that use up a budget.
fn filled(losses: &[f64], budget: f64) -> Vec<f64> {
    let mut left = budget;
    let share = |loss: &f64| {
        let share = match *loss > 0.0 {
            true => (left / loss).clamp(0.0, 1.0),
            false => 1.0,
        };
        left -= share * loss;
        share
    };
    losses.iter().map(share).collect()
}

impl Object {
    /// By epochs for a byte, compared exactly; the larger of two that have as many first.
    fn order(&self, other: &Object) -> std::cmp::Ordering {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        let own = product(self.epochs, other.bytes.max(1));
        let by_epochs = own.cmp(&product(other.epochs, self.bytes.max(1)));
        let goes_to_ram = |own: &Object| own.misses + own.epochs > 0;
        (goes_to_ram(other).cmp(&goes_to_ram(self)))
            .then(by_epochs)
            .then(other.bytes.cmp(&self.bytes))
    }

    /// Whether it has misses that no epoch waits for, since it is only stored to.
    pub fn is_only_stored(&self) -> bool {
        self.loads == 0 && self.misses > 0 && self.epochs == 0
    }
}

impl Objects {
    /// Of objects whose epochs are still those of [`Blame::objects`].
    pub fn new(
        mut objects: Vec<Object>,
        blame: &Blame,
        times: &Times,
        (far, interleaved): (&[u64], &[u64]),
        budget: f64,
    ) -> Objects {
        for object in &mut objects {
            let blamed = blame
                .objects
                .iter()
                .find(|blamed| blamed.name == object.name);
            object.epochs = blamed.map_or(0, |blamed| blamed.units.epochs);
        }
        objects.sort_by(|a, b| a.order(b).then_with(|| a.name.cmp(&b.name)));
        let interleaving = Interleaving {
            times: *times,
            epochs: objects.iter().map(|own| own.epochs).sum(),
            lines: objects.iter().map(|own| own.misses).sum(),
            shares: interleaved.to_vec(),
        };
        let mut all = Objects {
            objects,
            budget,
            placements: Vec::new(),
            interleaving,
        };
        all.placements = far.iter().copied().map(Objects::place).collect();
        all.choose_all();
        all
    }

    /// What the run took with every object in RAM.
    pub fn times(&self) -> &Times {
        &self.interleaving.times
    }

    /// By what share the run takes longer with one object in far memory, estimated.
    pub fn loss(&self, object: usize, placement: &Placement) -> f64 {
        match self.knots(object) {
            Some(knots) => self.loss_between(&knots, placement.latency),
            None => self.loss_by_epochs(&self.objects[object], placement.latency),
        }
    }

    /// Latencies of one object's memory, ascending, with the cycles that machines nearly like the core take; `None` where these
    /// did not run with it.
    pub fn knots(&self, object: usize) -> Option<Vec<(u64, u64)>> {
        self.knots_of(|estimated| estimated.alone[object])
    }

    /// The same of a share of all pages.
    pub fn share_knots(&self, share: usize) -> Option<Vec<(u64, u64)>> {
        self.knots_of(|estimated| estimated.interleaved[share])
    }

    fn knots_of(&self, of: impl Fn(&Estimated) -> Option<u64>) -> Option<Vec<(u64, u64)>> {
        let mut knots = Vec::new();
        for placement in &self.placements {
            let estimated = placement.estimated.as_ref()?;
            knots.push((self.times().near, estimated.near));
            knots.push((placement.latency, of(estimated)?));
        }
        knots.sort_unstable();
        knots.dedup_by_key(|knot| knot.0);
        (!knots.is_empty()).then_some(knots)
    }

    /// By what share the run takes longer at a latency, from cycles at some.
    fn loss_between(&self, knots: &[(u64, u64)], latency: u64) -> f64 {
        let latencies: Vec<f64> = knots.iter().map(|knot| knot.0 as f64).collect();
        let loss = estimated::loss("far", "near", &latencies);
        let cycles = knots.iter().map(|knot| knot.1 as f64);
        let mut known: Vec<(&str, f64)> = KNOTS.into_iter().zip(cycles).collect();
        known.push(("far", latency as f64));
        known.push(("near", self.times().near as f64));
        let loss = value(&loss, &known);
        if loss.is_finite() { loss } else { 0.0 }
    }

    /// What epochs say.
    fn loss_by_epochs(&self, object: &Object, latency: u64) -> f64 {
        let known = [
            ("epochs", object.epochs as f64),
            ("far", latency as f64),
            ("near", self.times().near as f64),
            ("cycles", self.times().cycles as f64),
        ];
        let loss = value(&loss("epochs", "far", "near", "cycles"), &known);
        // A run without cycles has no epochs either.
        if loss.is_finite() { loss } else { 0.0 }
    }

    /// By what share the core takes longer with one object in far memory, if it was asked.
    pub fn loss_in_core(&self, object: usize, placement: &Placement) -> Option<f64> {
        let cycles = placement.confirmed.as_ref()?.alone[object]?;
        Some(self.longer(cycles))
    }

    /// By what share the run takes longer with an interleaved share of all pages in far memory, estimated.
    pub fn interleaved_loss(&self, share: usize, placement: &Placement) -> f64 {
        match self.share_knots(share) {
            Some(knots) => self.loss_between(&knots, placement.latency),
            None => {
                let own = &self.interleaving;
                own.loss(own.shares[share] as f64 / 100.0, placement.latency)
            }
        }
    }

    /// Shares that machines nearly like the core ran with, ascending, by position among all that are looked at; none where these
    /// did not run.
    pub fn estimated_shares(&self) -> Vec<usize> {
        let shares = &self.interleaving.shares;
        let mut known: Vec<usize> = (0..shares.len())
            .filter(|share| self.share_knots(*share).is_some())
            .collect();
        known.sort_by_key(|share| shares[*share]);
        known.dedup_by_key(|share| shares[*share]);
        known
    }

    /// Of all pages the largest share that loses no more than the budget.
    pub fn largest_share(&self, placement: &Placement) -> f64 {
        let known = ("budget", self.budget);
        let formula = |shares: &[f64]| estimated::largest_share("budget", shares);
        let estimated = self.over_shares(placement, formula, known);
        estimated
            .unwrap_or_else(|| (self.interleaving).largest_share(placement.latency, self.budget))
    }

    /// The share of all pages with which the run takes the least time, and its loss; below 0 if it is faster than with all in RAM.
    pub fn fastest_share(&self, placement: &Placement) -> (f64, f64) {
        let of = |formula: fn(&[f64]) -> Expr| self.over_shares(placement, formula, ("", 0.0));
        let estimated = of(estimated::fastest_share).zip(of(estimated::least_loss));
        estimated.unwrap_or_else(|| {
            let own = &self.interleaving;
            let share = own.fastest_share(placement.latency);
            (share, own.loss(share, placement.latency))
        })
    }

    /// A formula over the losses with the shares that ran.
    fn over_shares(
        &self,
        placement: &Placement,
        formula: impl Fn(&[f64]) -> Expr,
        more: (&str, f64),
    ) -> Option<f64> {
        let ran = self.estimated_shares();
        let share = |at: &usize| self.interleaving.shares[*at] as f64 / 100.0;
        let shares: Vec<f64> = ran.iter().map(share).collect();
        let names: Vec<String> = (0..ran.len()).map(loss_name).collect();
        let losses = ran.iter().map(|at| self.interleaved_loss(*at, placement));
        let mut known: Vec<(&str, f64)> = names.iter().map(String::as_str).zip(losses).collect();
        known.push(more);
        (!ran.is_empty()).then(|| value(&formula(&shares), &known))
    }

    /// By what share the core takes longer with an interleaved share of all pages in far memory, if it was asked.
    pub fn interleaved_loss_in_core(&self, share: usize, placement: &Placement) -> Option<f64> {
        let cycles = placement.confirmed.as_ref()?.interleaved[share]?;
        Some(self.longer(cycles))
    }

    /// By what share a run of so many cycles is longer.
    pub fn longer(&self, cycles: u64) -> f64 {
        match self.times().cycles {
            0 => 0.0,
            own => cycles as f64 / own as f64 - 1.0,
        }
    }

    /// Whether the core loses something else than epochs say: a fifth of it, and a hundredth of the run.
    pub fn is_contradicted(&self, object: usize, placement: &Placement) -> bool {
        let estimated = self.loss(object, placement);
        let found = self.loss_in_core(object, placement);
        found.is_some_and(|found| {
            let apart = (estimated - found).abs();
            apart > 0.2 * found.abs() && apart > 0.01
        })
    }

    /// Whether machines nearly like the core ran.
    pub fn is_estimated(&self) -> bool {
        self.placements.iter().any(|own| own.estimated.is_some())
    }

    /// Whether no more than epochs say what an object loses that no epoch waits for.
    pub fn is_guessed(&self, object: usize, placement: &Placement) -> bool {
        self.objects[object].is_only_stored() && self.has_epochs_alone(object, placement)
    }

    /// Whether no more than epochs say what an object loses while machines nearly like the core say it of others: its addresses
    /// are not known, or others lose more. Where it overlaps with others it can lose several times as much.
    pub fn is_by_epochs_alone(&self, object: usize, placement: &Placement) -> bool {
        self.is_estimated()
            && self.objects[object].misses > 0
            && self.loss(object, placement) > 0.0
            && self.has_epochs_alone(object, placement)
    }

    fn has_epochs_alone(&self, object: usize, placement: &Placement) -> bool {
        self.knots(object).is_none() && self.loss_in_core(object, placement).is_none()
    }

    /// What counts against the budget: what the core loses where it was asked, else what epochs say. What it gains with one
    /// object alone pays for no other: with others there, it may be no gain.
    pub fn counted_loss(&self, object: usize, placement: &Placement) -> f64 {
        let estimated = || self.loss(object, placement);
        self.loss_in_core(object, placement)
            .unwrap_or_else(estimated)
            .max(0.0)
    }

    /// Takes in what the core loses with single objects in far memory, and chooses the objects again.
    pub fn confirm(&mut self, number: usize, alone: Vec<Option<u64>>) {
        self.placements[number].confirmed = Some(Confirmed {
            alone,
            together: None,
            interleaved: vec![None; self.interleaving.shares.len()],
        });
        self.choose_for(number);
    }

    /// Takes in what machines nearly like the core take, of each latency of far memory, and chooses the objects again.
    pub fn estimate(&mut self, estimated: Vec<Estimated>) {
        for (placement, estimated) in self.placements.iter_mut().zip(estimated) {
            placement.estimated = Some(estimated);
        }
        self.choose_all();
    }

    fn choose_all(&mut self) {
        (0..self.placements.len()).for_each(|number| self.choose_for(number));
    }

    fn choose_for(&mut self, number: usize) {
        let placement = &self.placements[number];
        let losses = (0..self.objects.len()).map(|at| self.counted_loss(at, placement));
        let losses: Vec<f64> = losses.collect();
        let (greedy, best) = self.choose(&losses);
        let placement = &mut self.placements[number];
        (placement.greedy, placement.best) = (greedy, best);
        placement.shares = filled(&losses, self.budget);
    }

    fn place(latency: u64) -> Placement {
        Placement {
            latency,
            greedy: Vec::new(),
            best: None,
            shares: Vec::new(),
            estimated: None,
            confirmed: None,
        }
    }

    /// Taken one after the other, and the set with most bytes.
    fn choose(&self, losses: &[f64]) -> (Vec<bool>, Option<Vec<bool>>) {
        let mut spent = 0.0;
        let greedy = losses.iter().map(|loss| {
            let fits = spent + loss <= self.budget;
            spent += if fits { *loss } else { 0.0 };
            fits
        });
        let greedy: Vec<bool> = greedy.collect();
        let best = (losses.len() <= MOST_TRIED).then(|| self.most_bytes(losses));
        (greedy, best)
    }

    /// Of all sets within the budget the one with most bytes; of several the first.
    fn most_bytes(&self, losses: &[f64]) -> Vec<bool> {
        let has = |set: u32, number: usize| set >> number & 1 == 1;
        let mut best = (0, 0);
        for set in 0..1_u32 << losses.len() {
            let members = (0..losses.len()).filter(|number| has(set, *number));
            let (mut loss, mut bytes) = (0.0, 0);
            for number in members {
                loss += losses[number];
                bytes += self.objects[number].bytes;
            }
            if loss <= self.budget && (bytes > best.0 || set == 0) {
                best = (bytes, set);
            }
        }
        (0..losses.len())
            .map(|number| has(best.1, number))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blame::{BlamedObject, Units};

    fn object(name: &str, bytes: u64, epochs: u64) -> Object {
        Object {
            name: Some(name.to_string()),
            bytes,
            accesses: 1,
            loads: 1,
            misses: 1,
            memory_depth: None,
            epochs,
        }
    }

    fn found(parts: &[(&str, u64, u64)], far: &[u64]) -> Objects {
        let objects = parts.iter().map(|(name, bytes, _)| object(name, *bytes, 0));
        placed(objects.collect(), parts, far)
    }

    fn placed(objects: Vec<Object>, parts: &[(&str, u64, u64)], far: &[u64]) -> Objects {
        let blamed = |(name, _, epochs): &(&str, u64, u64)| BlamedObject {
            name: Some((*name).to_string()),
            units: Units {
                pure_miss_cycles: 0,
                epochs: *epochs,
            },
        };
        let blame = Blame {
            window: 64,
            slots: 4,
            epochs: 0,
            pure_miss_cycles: None,
            instructions: Vec::new(),
            lines: Vec::new(),
            objects: parts.iter().map(blamed).collect(),
        };
        let times = Times {
            cycles: 10_000,
            unlimited_cycles: 10_000,
            near: 100,
            near_interval: 0,
            far_interval: 0,
        };
        Objects::new(objects, &blame, &times, (far, &[]), 0.05)
    }

    /// By hand: 100 cycles more for an epoch, 500 are allowed. In the order of epochs for a byte, cold, big and small take
    /// 0 + 300 + 200 cycles, and hot does not fit. 300 cycles more: only cold, and then nothing of 2 or 3 epochs fits.
    #[test]
    fn objects_go_as_long_as_the_budget_allows() {
        let parts = [
            ("hot", 100, 50),
            ("big", 3000, 3),
            ("cold", 10, 0),
            ("small", 1000, 2),
        ];
        let found = found(&parts, &[200, 400]);
        let names: Vec<&str> = found
            .objects
            .iter()
            .filter_map(|own| own.name.as_deref())
            .collect();
        assert_eq!(names, ["cold", "big", "small", "hot"]);
        assert_eq!(found.placements[0].greedy, [true, true, true, false]);
        assert_eq!(
            found.placements[0].best,
            Some(vec![true, true, true, false])
        );
        assert_eq!(found.placements[1].greedy, [true, false, false, false]);
        // Of 500 cycles that are allowed, 900 of `big` take five ninths of its pages.
        assert_eq!(found.placements[1].shares, [1.0, 5.0 / 9.0, 0.0, 0.0]);
    }

    /// What never goes to RAM is behind all that does, and goes far all the same.
    #[test]
    fn what_never_goes_to_ram_comes_last() {
        let mut parts = vec![
            object("libc", 9000, 0),
            object("hot", 100, 50),
            object("out", 10, 0),
        ];
        parts[0].misses = 0;
        parts[2].loads = 0;
        let found = placed(parts, &[("hot", 0, 50)], &[200]);
        let names = found.objects.iter().filter_map(|own| own.name.as_deref());
        assert_eq!(names.collect::<Vec<&str>>(), ["out", "hot", "libc"]);
        assert_eq!(found.placements[0].greedy, [true, false, true]);
        let stored = found.objects.iter().map(Object::is_only_stored);
        assert_eq!(stored.collect::<Vec<bool>>(), [true, false, false]);
    }

    /// By hand: of 5 % the core needs 6 for the first object, and 1 for the second.
    #[test]
    fn what_the_core_loses_counts_more_than_epochs() {
        let mut found = found(&[("a", 3000, 3), ("b", 3900, 4)], &[200]);
        found.confirm(0, vec![Some(10_600), Some(10_100)]);
        assert_eq!(found.placements[0].greedy, [false, true]);
        assert_eq!(found.placements[0].best, Some(vec![false, true]));
        found.confirm(0, vec![Some(10_200), None]);
        assert_eq!(found.placements[0].greedy, [true, false]);
    }

    /// By hand: `a` alone gains 5 %, and `b` loses 8: more than the 5 % that are allowed.
    #[test]
    fn what_one_object_gains_pays_for_no_other() {
        let mut found = found(&[("a", 3000, 3), ("b", 3900, 4)], &[200]);
        found.confirm(0, vec![Some(9_500), Some(10_800)]);
        assert_eq!(found.placements[0].greedy, [true, false]);
        assert_eq!(found.placements[0].best, Some(vec![true, false]));
        let shares = &found.placements[0].shares;
        assert!(shares[0] == 1.0 && (shares[1] - 0.625).abs() < 1e-9);
    }

    /// By hand: 5 epochs of 100 cycles are allowed. Taken by epochs for a byte, 3 of 3,000 bytes come first, and then neither 4 of
    /// 3,900 nor … fit; 4 for 3,900 bytes alone are more.
    #[test]
    fn all_sets_are_tried_where_objects_are_few() {
        let found = found(&[("a", 3000, 3), ("b", 3900, 4)], &[200]);
        assert_eq!(found.placements[0].greedy, [true, false]);
        assert_eq!(found.placements[0].best, Some(vec![false, true]));
    }
}
