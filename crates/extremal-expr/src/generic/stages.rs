//! The order in which the random numbers of a point are drawn, so that its roots exist.
//!
//! A random number of the field has an even root with probability one half, so that a point with k roots would be drawn about 2^k
//! times. Drawn one after the other, only the number that completes a radicand has to be drawn again, and only as often as the
//! few radicands that it completes ask for. The numbers are ordered like the vertices of a graph by degeneracy: last comes the
//! one that the fewest radicands contain, then the last of the rest, and so on. Nine bodies with their 36 distances take at most
//! about 2^8 draws for the last one.

use rustc_hash::FxHashMap;

/// What is computed after one number is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct DrawStage {
    /// The key of the number, which is drawn again where a root does not exist. The first stage has none.
    pub key: Option<u64>,
    /// Places of the steps, what the roots are made of first.
    pub steps: Vec<usize>,
    /// How many radicands are complete in this stage.
    roots: u32,
}

/// Radicands of one stage beyond this many make a point impossible for all practical purposes.
const MOST_ROOTS: u32 = 12;

impl DrawStage {
    /// Draws until a stage is given up: with this many, each of which succeeds with probability `2^-roots`, all fail with
    /// probability e^−16.
    pub fn draws(&self) -> u64 {
        if self.key.is_some() { 16 << self.roots.min(MOST_ROOTS) } else { 1 }
    }
}

/// What the order needs to know of a step.
pub(super) struct Needs {
    /// The places it reads.
    pub places: Vec<usize>,
    /// The keys of the random numbers it uses.
    pub keys: Vec<u64>,
    /// The place of the radicand, if it is a root that may not exist.
    pub radicand: Option<usize>,
}

/// Bits of supports beyond which no order is sought.
const MOST_BITS: usize = 1 << 28;

/// The stages of a computation; every step is in exactly one.
pub(super) fn stages(steps: &[Needs]) -> Vec<DrawStage> {
    let mut feeds_root = vec![false; steps.len()];
    for (place, step) in steps.iter().enumerate().rev() {
        if step.radicand.is_some() || feeds_root[place] {
            step.places.iter().for_each(|read| feeds_root[*read] = true);
        }
    }
    let mut keys: Vec<u64> = Vec::new();
    let mut number_of: FxHashMap<u64, usize> = FxHashMap::default();
    for key in steps.iter().zip(&feeds_root).filter(|(_, feeds)| **feeds).flat_map(|(step, _)| &step.keys) {
        number_of.entry(*key).or_insert_with(|| {
            keys.push(*key);
            keys.len() - 1
        });
    }
    let words = keys.len().div_ceil(64);
    let cone = feeds_root.iter().filter(|feeds| **feeds).count();
    let order = match words * 64 * cone <= MOST_BITS {
        true => by_degeneracy(&supports(steps, &feeds_root, &number_of, words), keys.len()),
        false => (0..keys.len()).collect(),
    };
    let mut rank = vec![0; keys.len()];
    order.iter().enumerate().for_each(|(at, key)| rank[*key] = at + 1);
    let mut stages = vec![DrawStage::default()];
    stages.extend(order.iter().map(|key| DrawStage { key: Some(keys[*key]), ..DrawStage::default() }));
    let mut stage_of = vec![0; steps.len()];
    for (place, step) in steps.iter().enumerate() {
        let drawn = step.keys.iter().filter_map(|key| number_of.get(key)).map(|key| rank[*key]);
        let read = step.places.iter().map(|read| stage_of[*read]);
        stage_of[place] = drawn.chain(read).max().unwrap_or(0);
    }
    let mut radicands: Vec<usize> = steps.iter().filter_map(|step| step.radicand).collect();
    radicands.sort_unstable();
    radicands.dedup();
    radicands.iter().for_each(|place| stages[stage_of[*place]].roots += 1);
    let is_early = |place: usize| feeds_root[place] || steps[place].radicand.is_some();
    for early in [true, false] {
        for place in (0..steps.len()).filter(|place| is_early(*place) == early) {
            stages[stage_of[place]].steps.push(place);
        }
    }
    stages
}

/// The random numbers in each radicand, as bits.
fn supports(steps: &[Needs], feeds_root: &[bool], number_of: &FxHashMap<u64, usize>, words: usize) -> Vec<Vec<u64>> {
    let mut bits: Vec<Vec<u64>> = vec![Vec::new(); steps.len()];
    for (place, step) in steps.iter().enumerate().filter(|(place, _)| feeds_root[*place]) {
        let mut own = vec![0u64; words];
        for key in step.keys.iter().filter_map(|key| number_of.get(key)) {
            own[key / 64] |= 1 << (key % 64);
        }
        for read in &step.places {
            own.iter_mut().zip(&bits[*read]).for_each(|(own, bits)| *own |= bits);
        }
        bits[place] = own;
    }
    let mut radicands: Vec<usize> = steps.iter().filter_map(|step| step.radicand).collect();
    radicands.sort_unstable();
    radicands.dedup();
    radicands.into_iter().map(|place| std::mem::take(&mut bits[place])).collect()
}

/// The numbers, first to last: each time the last of the rest is one in the fewest of the radicands that are left.
fn by_degeneracy(supports: &[Vec<u64>], count: usize) -> Vec<usize> {
    let contains = |support: &Vec<u64>, key: usize| support[key / 64] >> (key % 64) & 1 == 1;
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (at, support) in supports.iter().enumerate() {
        (0..count).filter(|key| contains(support, *key)).for_each(|key| members[key].push(at));
    }
    let mut degree: Vec<usize> = members.iter().map(Vec::len).collect();
    let mut is_left = vec![true; supports.len()];
    let mut open: Vec<usize> = (0..count).collect();
    let mut order = Vec::with_capacity(count);
    while let Some(at) = (0..open.len()).rev().min_by_key(|at| degree[open[*at]]) {
        let key = open.remove(at);
        for root in std::mem::take(&mut members[key]) {
            if std::mem::replace(&mut is_left[root], false) {
                (0..count).filter(|other| contains(&supports[root], *other)).for_each(|other| degree[other] -= 1);
            }
        }
        order.push(key);
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(key: u64) -> Needs {
        Needs { places: Vec::new(), keys: vec![key], radicand: None }
    }

    #[test]
    fn the_hub_of_a_star_is_drawn_first() {
        // A hub at place 0, tips at 1..=20, and the roots of hub + tip.
        let mut steps: Vec<Needs> = (0..=20).map(number).collect();
        for tip in 1..=20 {
            steps.push(Needs { places: vec![0, tip], keys: Vec::new(), radicand: None });
        }
        for sum in 21..=40 {
            steps.push(Needs { places: vec![sum], keys: Vec::new(), radicand: Some(sum) });
        }
        let stages = stages(&steps);
        assert_eq!(stages[1].key, Some(0));
        assert!(stages.iter().all(|stage| stage.roots <= 1), "{stages:?}");
        assert_eq!(stages.iter().map(|stage| stage.steps.len()).sum::<usize>(), steps.len());
    }
}
