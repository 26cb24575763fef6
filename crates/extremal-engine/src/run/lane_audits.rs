//! What [`Audits`](super::audits::Audits) look for in motions of which only some rows are looked at, for several of them side by side: is there anything for
//! which every row should be looked at?

use extremal_solve::{SeenLanes, on_widest_registers};

use super::audits::{DOUBTFUL, Promises};
use super::blocks::ColumnSource;
use super::inertia::leaps;
use super::observables::Observables;
use super::resolution::{ENERGY_JUMP, FADING, GROWTH, OPENING_ROUGH, QUIET, ROUND_OFF};
use super::warning::{CONSTRAINT, ENERGY};

/// The watch over motions side by side, without entropies, whose energies may be conserved.
pub(crate) struct LaneAudits {
    lanes: usize,
    /// Velocities and momenta, of each coordinate together.
    pairs: Vec<[ColumnSource; 2]>,
    energy: ColumnSource,
    /// Where determinants of the mass matrix and residuals of constraints are observed, and what residuals are measured against.
    determinants: std::ops::Range<usize>,
    residuals: std::ops::Range<usize>,
    sizes: Vec<f64>,
    conserved: bool,
    before: LaneFacts,
    now: LaneFacts,
    past: LanePast,
    energies: LaneEnergies,
    doubtful: Vec<bool>,
}

/// What a row says of each motion.
#[derive(Default)]
struct LaneFacts {
    /// Velocities and momenta one after the other, then determinants.
    numbers: Vec<f64>,
    work: Vec<f64>,
    kinetic: Vec<f64>,
    energy: Vec<f64>,
}

/// What the first rows say of the next.
#[derive(Default)]
struct LanePast {
    kinetic: Vec<f64>,
    energy: Vec<f64>,
    strongest: [Vec<f64>; 2],
    change: [Vec<f64>; 2],
    rows: u32,
}

/// Energies that should not change.
#[derive(Default)]
struct LaneEnergies {
    first: Vec<f64>,
    off: Vec<f64>,
    sum: Vec<f64>,
    highest: Vec<f64>,
    rows: f64,
}

impl LaneAudits {
    pub fn new(observables: &Observables, promises: &Promises, lanes: usize) -> LaneAudits {
        let sources = ColumnSource::of_all(observables);
        let (row, observed) = (&observables.row, observables.observed());
        let zeros = || vec![0.0; lanes];
        let facts = || LaneFacts {
            numbers: vec![0.0; (2 * row.momenta.len() + observables.determinants) * lanes],
            work: zeros(),
            kinetic: zeros(),
            energy: zeros(),
        };
        LaneAudits {
            lanes,
            pairs: row.velocities.clone().zip(row.momenta.clone()).map(|(v, p)| [sources[v], sources[p]]).collect(),
            energy: sources[row.energy],
            determinants: observed.determinants(),
            residuals: observed.residuals(),
            sizes: promises.constraint_sizes().to_vec(),
            conserved: promises.keeps_energy(),
            before: facts(),
            now: facts(),
            past: LanePast {
                kinetic: zeros(),
                energy: zeros(),
                strongest: [zeros(), zeros()],
                change: [zeros(), zeros()],
                rows: 0,
            },
            energies: LaneEnergies { first: zeros(), off: zeros(), sum: zeros(), highest: zeros(), rows: 0.0 },
            doubtful: vec![false; lanes],
        }
    }

    /// Begins with the starts of motions.
    pub fn begin(&mut self, seen: &SeenLanes<'_>) {
        self.doubtful.fill(false);
        self.read(seen);
        let (past, energies, now) = (&mut self.past, &mut self.energies, &self.now);
        past.kinetic.copy_from_slice(&now.kinetic);
        past.energy.iter_mut().zip(&now.energy).for_each(|(largest, energy)| *largest = energy.abs());
        past.strongest.iter_mut().for_each(|strongest| strongest.fill(0.0));
        past.rows = 1;
        energies.first.copy_from_slice(&now.energy);
        [&mut energies.off, &mut energies.sum, &mut energies.highest].into_iter().for_each(|column| column.fill(0.0));
        energies.rows = 0.0;
    }

    /// Looks at one of the rows behind the start.
    pub fn open(&mut self, seen: &SeenLanes<'_>) {
        std::mem::swap(&mut self.before, &mut self.now);
        self.read(seen);
        let LaneAudits { lanes, pairs, before, now, past, energies, doubtful, conserved, .. } = self;
        let (pairs, conserved) = (pairs.len(), *conserved);
        on_widest_registers(
            #[inline(always)]
            || {
                past.compare([before, now], *lanes, pairs);
                past.suspect([before, now], conserved, doubtful);
                energies.compare(&now.energy);
            },
        );
        let first = 2 * pairs * *lanes;
        for (at, (before, now)) in before.numbers[first..].iter().zip(&now.numbers[first..]).enumerate() {
            doubtful[at % *lanes] |= leaps(*before, *now);
        }
    }

    /// Looks at one of the later rows.
    pub fn glimpse(&mut self, seen: &SeenLanes<'_>) {
        self.read(seen);
        let LaneEnergies { sum, highest, rows, .. } = &mut self.energies;
        *rows += 1.0;
        for ((sum, highest), kinetic) in sum.iter_mut().zip(highest).zip(&self.now.kinetic) {
            *sum += kinetic;
            *highest = highest.max(*kinetic);
        }
        self.energies.compare(&self.now.energy);
    }

    /// Is there anything in these rows of a motion for which every row should be looked at?
    pub fn is_doubtful(&self, at: usize) -> bool {
        self.doubtful[at] || self.conserved && self.energies.are_doubtful(at)
    }

    fn read(&mut self, seen: &SeenLanes<'_>) {
        let LaneAudits { lanes, now, .. } = self;
        let lanes = *lanes;
        let column = |source: ColumnSource| source.of_lanes(seen, lanes);
        now.work.fill(0.0);
        now.kinetic.fill(0.0);
        let mut places = now.numbers.chunks_exact_mut(lanes);
        for sources in &self.pairs {
            let [v, p] = sources.map(column);
            [v, p].into_iter().zip(&mut places).for_each(|(from, to)| to.copy_from_slice(from));
            let sums = now.work.iter_mut().zip(&mut now.kinetic);
            for ((work, kinetic), (v, p)) in sums.zip(v.iter().zip(p)) {
                let product = v * p;
                *work += product;
                *kinetic += product.abs();
            }
        }
        for (at, to) in self.determinants.clone().zip(places) {
            to.copy_from_slice(&seen.observed[at * lanes..][..lanes]);
        }
        now.energy.copy_from_slice(column(self.energy));
        for (at, size) in self.residuals.clone().zip(&self.sizes).filter(|(_, size)| **size > 0.0) {
            let limit = DOUBTFUL * CONSTRAINT * size;
            let residuals = &seen.observed[at * lanes..][..lanes];
            self.doubtful.iter_mut().zip(residuals).for_each(|(doubtful, r)| *doubtful |= !(r.abs() <= limit));
        }
    }
}

impl LanePast {
    /// How much velocities and momenta change, as between two moments.
    #[inline(always)]
    fn compare(&mut self, [before, now]: [&LaneFacts; 2], lanes: usize, pairs: usize) {
        let [first, second] = &mut self.change;
        first.fill(0.0);
        second.fill(0.0);
        let both = before.numbers.chunks_exact(2 * lanes).zip(now.numbers.chunks_exact(2 * lanes));
        for (before, now) in both.take(pairs) {
            let ((v0, p0), (v1, p1)) = (before.split_at(lanes), now.split_at(lanes));
            for at in 0..lanes {
                let (dv, dp): (f64, f64) = ((v1[at] - v0[at]).abs(), (p1[at] - p0[at]).abs());
                first[at] += dv * p0[at].abs().max(p1[at].abs()) + dp * v0[at].abs().max(v1[at].abs());
                second[at] += dv * dp;
            }
        }
    }

    /// Would the step to the present row be looked at closely, as a first or a second one? What is no number would.
    #[inline(always)]
    fn suspect(&mut self, [before, now]: [&LaneFacts; 2], conserved: bool, doubtful: &mut [bool]) {
        self.rows += 1;
        let later = self.rows > 2;
        let [first, second] = &self.change;
        let [strongest, twice] = &mut self.strongest;
        for (at, doubtful) in doubtful.iter_mut().enumerate() {
            self.kinetic[at] = self.kinetic[at].max(now.kinetic[at]);
            self.energy[at] = self.energy[at].max(now.energy[at].abs());
            let floor = (QUIET * self.kinetic[at]).max(ROUND_OFF * self.energy[at]);
            let moves = !(first[at] + second[at] <= floor);
            let jump = (now.energy[at] - before.energy[at]).abs();
            let both = before.kinetic[at] + now.kinetic[at];
            let steady = jump <= ENERGY_JUMP * both || !conserved;
            let slight = first[at] + second[at] <= OPENING_ROUGH * both;
            let alike = first[at] <= GROWTH * strongest[at] && second[at] <= GROWTH * GROWTH * twice[at];
            let even = alike || slight || !later;
            let turned = before.work[at] * now.work[at] < 0.0;
            *doubtful |= moves && (turned || !steady || !even);
            strongest[at] = first[at].max(FADING * strongest[at]);
            twice[at] = second[at].max(FADING * twice[at]);
        }
    }
}

impl LaneEnergies {
    #[inline(always)]
    fn compare(&mut self, now: &[f64]) {
        for ((off, first), now) in self.off.iter_mut().zip(&self.first).zip(now) {
            *off = off.max((now - first).abs());
        }
    }

    fn are_doubtful(&self, at: usize) -> bool {
        let others = (self.sum[at] - self.highest[at]) / 2.0 / (self.rows - 1.0).max(1.0);
        let limit = DOUBTFUL * ENERGY * self.first[at].abs().max(others);
        !limit.is_finite() || self.off[at] > limit
    }
}
