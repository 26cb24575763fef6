//! The watch over the motions of a table: what [`Audits`](super::Audits) and [`Audit`](super::Audit) say of a motion that is seen now and
//! then, as formulas of its columns. A member of which something is to be said is marched again where it can be.

use extremal_device::DeviceError;
use extremal_expr::{Expr, Function2, Graph};
use extremal_solve::wide::{FormulaKernel, MemberTable, TableFormulas, TableKernels, WideMarch, WideRefusal};

use super::audits::{DOUBTFUL, Promises};
use super::blocks::ColumnSource;
use super::inertia::LEAP;
use super::observables::Observables;
use super::resolution::{ENERGY_JUMP, FADING, GROWTH, OPENING_ROUGH, QUIET, ROUND_OFF};
use super::warning::{ENERGY, SECOND_LAW};

/// Looks at all members of a table.
pub(crate) struct WideWatch {
    start: FormulaKernel,
    /// At the first rows behind it.
    openings: Vec<FormulaKernel>,
    glimpse: FormulaKernel,
    verdict: FormulaKernel,
    /// The energy at the start,
    first_energy: usize,
    /// and whether a member is to be marched again.
    rare: usize,
}

/// Columns that are remembered.
struct Remembered {
    /// Velocities, momenta, determinants of the row before.
    before: Vec<usize>,
    /// Its Σ v p, Σ |v p| and energy.
    facts: [usize; 3],
    /// How strongly the first step has changed the motion.
    strongest: [usize; 2],
    doubtful: usize,
    first_energy: usize,
    off: usize,
    /// The sum of Σ |v p| and the largest.
    kinetic: [usize; 2],
    laws: Option<LawColumns>,
}

struct LawColumns {
    first_entropy: usize,
    produced: usize,
    largest_energy: usize,
    defect: usize,
    smallest: usize,
    /// How much entropy was moved and made.
    size: usize,
}

/// What formulas of rows are made of.
struct RowColumns<'a> {
    observables: &'a Observables,
    promises: &'a Promises,
    /// The column of each number of a row; the time has none.
    columns: Vec<Option<usize>>,
    determinants: Vec<usize>,
    kept: Remembered,
}

impl WideWatch {
    /// Over the motions of a march, whose columns of rows are these.
    pub fn new(
        kernels: &mut TableKernels,
        march: &WideMarch,
        observables: &Observables,
        promises: &Promises,
        openings: usize,
    ) -> Result<WideWatch, WideRefusal> {
        let columns = row_columns(observables, march);
        let first = observables.observed().stops().end;
        let determinants = march.observed[first..][..observables.determinants].to_vec();
        let pairs = observables.row.momenta.len();
        let mut column = || kernels.column();
        let laws = (observables.heated() > 0).then(|| LawColumns {
            first_entropy: column(),
            produced: column(),
            largest_energy: column(),
            defect: column(),
            smallest: column(),
            size: column(),
        });
        let kept = Remembered {
            before: (0..2 * pairs + determinants.len()).map(|_| column()).collect(),
            facts: [column(), column(), column()],
            strongest: [column(), column()],
            doubtful: column(),
            first_energy: column(),
            off: column(),
            kinetic: [column(), column()],
            laws,
        };
        let rare = column();
        let rows = RowColumns { observables, promises, columns, determinants, kept };
        let first_energy = rows.kept.first_energy;
        Ok(WideWatch {
            start: rows.start(kernels)?,
            openings: (1..=openings).map(|row| rows.opening(kernels, row)).collect::<Result<_, _>>()?,
            glimpse: rows.glimpse(kernels)?,
            verdict: rows.verdict(kernels, march, rare)?,
            first_energy,
            rare,
        })
    }

    /// The columns of what is said of a whole course.
    pub fn said(&self) -> [usize; 2] {
        [self.rare, self.first_energy]
    }

    /// Looks at the starts of the first `count` members.
    pub fn begin(&self, table: &mut MemberTable<'_>, count: usize) -> Result<(), DeviceError> {
        self.start.run(table, count, &[])
    }

    /// Looks at them after so many steps.
    pub fn look(&self, table: &mut MemberTable<'_>, count: usize, steps: u64) -> Result<(), DeviceError> {
        let opening = steps.checked_sub(1).and_then(|at| self.openings.get(at as usize));
        opening.unwrap_or(&self.glimpse).run(table, count, &[])
    }

    /// Says which of them are to be marched again, after so many looks behind the first ones.
    pub fn judge(&self, table: &mut MemberTable<'_>, count: usize, looks: u64) -> Result<(), DeviceError> {
        self.verdict.run(table, count, &[looks.saturating_sub(1).max(1) as f64])
    }
}

/// Where the numbers of a row stand in the table; the time has no column.
pub(crate) fn row_columns(observables: &Observables, march: &WideMarch) -> Vec<Option<usize>> {
    let place = |source: ColumnSource| match source {
        ColumnSource::Time | ColumnSource::Estimate => None,
        ColumnSource::State(at) => Some(march.state[at]),
        ColumnSource::Observed(at) => Some(march.observed[at]),
    };
    ColumnSource::of_all(observables).into_iter().map(place).collect()
}

/// What a row says of the motion.
struct RowFacts<'g> {
    velocities: Vec<Expr<'g>>,
    momenta: Vec<Expr<'g>>,
    determinants: Vec<Expr<'g>>,
    work: Expr<'g>,
    kinetic: Expr<'g>,
    energy: Expr<'g>,
}

impl RowColumns<'_> {
    fn number<'g>(&self, f: &mut TableFormulas<'g>, column: usize) -> Expr<'g> {
        self.columns[column].map_or(f.zero(), |column| f.column(column))
    }

    fn facts<'g>(&self, f: &mut TableFormulas<'g>) -> RowFacts<'g> {
        let row = &self.observables.row;
        let pairs = row.momenta.len();
        let mut list =
            |range: std::ops::Range<usize>| range.take(pairs).map(|column| self.number(f, column)).collect::<Vec<_>>();
        let (velocities, momenta) = (list(row.velocities.clone()), list(row.momenta.clone()));
        let products: Vec<Expr<'g>> = velocities.iter().zip(&momenta).map(|(v, p)| f.named(*v * *p)).collect();
        let g = f.graph();
        let (work, kinetic) = (g.sum(products.iter().copied()), g.sum(products.iter().map(|product| product.abs())));
        let energy = self.number(f, row.energy);
        let determinants = f.columns(self.determinants.iter().copied());
        RowFacts { velocities, momenta, determinants, work: f.named(work), kinetic: f.named(kinetic), energy }
    }

    fn remember<'g>(&self, f: &mut TableFormulas<'g>, facts: &RowFacts<'g>) {
        let numbers = facts.velocities.iter().chain(&facts.momenta).chain(&facts.determinants);
        self.kept.before.iter().zip(numbers).for_each(|(column, value)| f.put(*column, *value));
        let [work, kinetic, energy] = self.kept.facts;
        f.put(work, facts.work);
        f.put(kinetic, facts.kinetic);
        f.put(energy, facts.energy);
    }

    fn start(&self, kernels: &mut TableKernels) -> Result<FormulaKernel, WideRefusal> {
        let g = Graph::new();
        let mut f = TableFormulas::new(&g);
        let facts = self.facts(&mut f);
        self.remember(&mut f, &facts);
        let zero = f.zero();
        f.put(self.kept.first_energy, facts.energy);
        let [sum, highest] = self.kept.kinetic;
        [self.kept.doubtful, self.kept.off, sum, highest].into_iter().for_each(|column| f.put(column, zero));
        if let Some(laws) = &self.kept.laws {
            let entropy = self.entropy(&mut f);
            f.put(laws.first_entropy, entropy);
            f.put(laws.largest_energy, facts.energy.abs());
            let most = f.number(f64::INFINITY);
            f.put(laws.smallest, most);
            [laws.produced, laws.defect, laws.size].into_iter().for_each(|column| f.put(column, zero));
        }
        f.kernel(kernels)
    }

    /// One of the first two rows behind the start.
    fn opening(&self, kernels: &mut TableKernels, row: usize) -> Result<FormulaKernel, WideRefusal> {
        let g = Graph::new();
        let mut f = TableFormulas::new(&g);
        let now = self.facts(&mut f);
        let before = f.columns(self.kept.before.iter().copied());
        let pairs = now.velocities.len();
        let (v0, rest) = before.split_at(pairs);
        let (p0, determinants) = rest.split_at(pairs);
        let [work, kinetic, energy] = self.kept.facts.map(|column| f.column(column));
        let change = change(&mut f, [v0, p0], [&now.velocities, &now.momenta]);
        let [quiet, round_off, growth, jump] = [QUIET, ROUND_OFF, GROWTH, ENERGY_JUMP].map(|value| f.number(value));
        let floor =
            f.larger(quiet * f.larger(kinetic, now.kinetic), round_off * f.larger(energy.abs(), now.energy.abs()));
        let moves = g.not(f.at_most(change[0] + change[1], floor));
        let both = f.named(kinetic + now.kinetic);
        let mut suspicious = f.below(work * now.work, f.zero());
        if self.promises.keeps_energy() {
            suspicious = g.or(suspicious, g.not(f.at_most((now.energy - energy).abs(), jump * both)));
        }
        if row > 1 {
            let strongest = self.kept.strongest.map(|column| f.column(column));
            let rough = f.number(OPENING_ROUGH);
            let is_rough = g.not(f.at_most(change[0] + change[1], rough * both));
            let grown = [(change[0], growth * strongest[0]), (change[1], growth * growth * strongest[1])];
            for (change, most) in grown {
                suspicious = g.or(suspicious, g.and(is_rough, g.not(f.at_most(change, most))));
            }
        }
        let mut doubtful = g.and(moves, suspicious);
        for (before, now) in determinants.iter().zip(&now.determinants) {
            doubtful = g.or(doubtful, g.not(stays(&f, *before, *now)));
        }
        let known = f.is_set(self.kept.doubtful);
        f.put_condition(self.kept.doubtful, g.or(known, doubtful));
        let fading = f.number(FADING);
        for (column, change) in self.kept.strongest.into_iter().zip(change) {
            let strongest = if row > 1 { fading * f.column(column) } else { f.zero() };
            f.put(column, f.larger(change, strongest));
        }
        self.remember(&mut f, &now);
        self.compare(&mut f, now.energy);
        f.kernel(kernels)
    }

    fn glimpse(&self, kernels: &mut TableKernels) -> Result<FormulaKernel, WideRefusal> {
        let g = Graph::new();
        let mut f = TableFormulas::new(&g);
        let now = self.facts(&mut f);
        let [sum, highest] = self.kept.kinetic;
        let (so_far, most) = (f.column(sum), f.column(highest));
        f.put(sum, so_far + now.kinetic);
        f.put(highest, f.larger(most, now.kinetic));
        self.compare(&mut f, now.energy);
        f.kernel(kernels)
    }

    /// Compares a row with the start: its energy, and both laws.
    fn compare<'g>(&self, f: &mut TableFormulas<'g>, energy: Expr<'g>) {
        let g = f.graph();
        let first = f.column(self.kept.first_energy);
        let change = f.named(energy - first);
        let off = f.column(self.kept.off);
        f.put(self.kept.off, f.larger(off, change.abs()));
        let Some(laws) = &self.kept.laws else { return };
        let accounts = ["work", "heat", "matter", "entropy_carried", "entropy_exchanged"]
            .map(|name| self.observables.account(name))
            .map(|column| column.map_or(f.zero(), |column| self.number(f, column)));
        let [work, heat, matter, carried, exchanged] = accounts;
        let (defect, largest) = (f.column(laws.defect), f.column(laws.largest_energy));
        f.put(laws.defect, f.larger(defect, (change - (work + heat + matter)).abs()));
        f.put(laws.largest_energy, f.larger(largest, energy.abs()));
        let entropy = self.entropy(f);
        let first = f.column(laws.first_entropy);
        let total = f.named(entropy - first);
        let produced = f.named(total - (carried + exchanged));
        let (before, smallest) = (f.column(laws.produced), f.column(laws.smallest));
        f.put(laws.smallest, g.call2(Function2::Min, smallest, produced - before));
        f.put(laws.produced, produced);
        f.put(laws.size, total.abs() + carried.abs() + exchanged.abs());
    }

    fn entropy<'g>(&self, f: &mut TableFormulas<'g>) -> Expr<'g> {
        let first = self.observables.row.entropies.start;
        let entropies: Vec<Expr<'g>> =
            (first..first + self.observables.heated()).map(|column| self.number(f, column)).collect();
        let sum = f.graph().sum(entropies);
        f.named(sum)
    }

    fn verdict(
        &self,
        kernels: &mut TableKernels,
        march: &WideMarch,
        rare: usize,
    ) -> Result<FormulaKernel, WideRefusal> {
        let g = Graph::new();
        let mut f = TableFormulas::new(&g);
        let [doubtful, rough, well] = [self.kept.doubtful, march.rough, march.well].map(|column| f.is_set(column));
        let mut fine = f.all([well, g.not(rough), g.not(doubtful)]);
        let others = f.given();
        if self.promises.keeps_energy() {
            let [sum, highest] = self.kept.kinetic.map(|column| f.column(column));
            let mean = f.named((sum - highest) / 2 * others.powi(-1));
            let first = f.column(self.kept.first_energy);
            let limit = f.number(DOUBTFUL * ENERGY);
            let limit = f.named(limit * f.larger(first.abs(), mean));
            let off = f.column(self.kept.off);
            let finite = f.are_finite(&[limit]);
            fine = f.all([fine, finite, f.at_most(off, limit)]);
        }
        if let Some(laws) = &self.kept.laws {
            let (defect, largest) = (f.column(laws.defect), f.column(laws.largest_energy));
            let limit = f.number(DOUBTFUL * self.promises.first_law_limit());
            let kept = g.or(f.at_most(largest, f.zero()), f.at_most(defect, limit * largest));
            fine = g.and(fine, kept);
            let open = ["entropy_carried", "entropy_exchanged"].map(|name| self.observables.account(name).is_some());
            if open.contains(&true) {
                let (smallest, size) = (f.column(laws.smallest), f.column(laws.size));
                let part = f.number(-SECOND_LAW);
                fine = g.and(fine, f.at_most(part * size, smallest));
            }
        }
        f.put_condition(rare, g.not(fine));
        f.kernel(kernels)
    }
}

/// How much velocities and momenta change, as between two moments.
fn change<'g>(f: &mut TableFormulas<'g>, [v0, p0]: [&[Expr<'g>]; 2], [v1, p1]: [&[Expr<'g>]; 2]) -> [Expr<'g>; 2] {
    let (mut first, mut second) = (f.zero(), f.zero());
    for ((v0, v1), (p0, p1)) in v0.iter().zip(v1).zip(p0.iter().zip(p1)) {
        let (dv, dp) = (f.named((*v1 - *v0).abs()), f.named((*p1 - *p0).abs()));
        let [p, v] = [[p0, p1], [v0, v1]].map(|[before, after]| f.larger(before.abs(), after.abs()));
        first = first + dv * p + dp * v;
        second = second + dv * dp;
    }
    [first, second].map(|sum| f.named(sum))
}

/// Does a determinant stay about the same?
fn stays<'g>(f: &TableFormulas<'g>, before: Expr<'g>, now: Expr<'g>) -> Expr<'g> {
    let g = f.graph();
    let factor = g.float(LEAP).unwrap_or(g.int(1));
    let same = g.compare(extremal_expr::Relation::Eq, before, now);
    let between = |low: Expr<'g>, high: Expr<'g>| g.and(f.below(low, now), f.below(now, high));
    let (part, whole) = (before * factor.powi(-1), before * factor);
    g.or(same, g.or(between(part, whole), between(whole, part)))
}
