//! Which rows of a matrix depend on others, and whether they come to, as it changes.

use extremal_eval::on_widest_registers;

use crate::linear::{Moving, MovingGram};

/// A row counts as dependent when, scaled to length one, it comes this close to the span of the others.
const DEPENDENT: f64 = 1e-8;

/// The part of the square of a row that the square of its distance from the others must be of, for no other look to be needed: the pivots
/// of A Aᵀ are known to some round-off of the rows' squares, and 1e-6 is far from the square of [`DEPENDENT`] too.
const CLEARLY: f64 = 1e-6;

/// Rows that depend on others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dependence {
    /// Rows that do not depend on those before them.
    pub independent: Vec<usize>,
    /// The others, each with the independent rows that it is a combination of. A row of zeros depends on none.
    pub dependent: Vec<(usize, Vec<usize>)>,
}

/// Splits the rows of a matrix, in their order, into independent and dependent ones.
///
/// ```
/// use extremal_solve::dependence;
/// let rows = [vec![1.0, 0.0, 1.0], vec![0.0, 1.0, 0.0], vec![2.0, 0.0, 2.0]];
/// let found = dependence(&rows);
/// assert_eq!(found.independent, [0, 1]);
/// assert_eq!(found.dependent, [(2, vec![0])]);
/// ```
pub fn dependence(rows: &[Vec<f64>]) -> Dependence {
    let mut found = Dependence::default();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    // Each basis vector as a combination of the independent rows.
    let mut origins: Vec<Vec<f64>> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let length = norm(row);
        if length == 0.0 {
            found.dependent.push((at, Vec::new()));
            continue;
        }
        let mut rest: Vec<f64> = row.iter().map(|x| x / length).collect();
        let mut combination = vec![0.0; basis.len()];
        // Twice: once loses digits when the row is nearly dependent.
        for _ in 0..2 {
            for (vector, origin) in basis.iter().zip(&origins) {
                let part = dot(&rest, vector);
                rest.iter_mut().zip(vector).for_each(|(x, b)| *x -= part * b);
                combination.iter_mut().zip(origin).for_each(|(c, o)| *c += part * o);
            }
        }
        let left = norm(&rest);
        if left <= DEPENDENT {
            let used = (0..basis.len()).filter(|k| combination[*k].abs() > DEPENDENT.sqrt());
            found.dependent.push((at, used.map(|k| found.independent[k]).collect()));
            continue;
        }
        let mut origin: Vec<f64> = combination.iter().map(|c| -c / left).collect();
        origin.push(1.0 / left);
        origins.iter_mut().for_each(|o| o.push(0.0));
        origins.push(origin);
        basis.push(rest.iter().map(|x| x / left).collect());
        found.independent.push(at);
    }
    found
}

/// Are the rows of a matrix, with these columns in each and their values row by row, so far from depending on each other that round-off
/// cannot hide it? It takes no more operations than the factorisation of A Aᵀ, whose pivots are squared distances.
///
/// ```
/// use extremal_solve::are_clearly_independent;
/// assert!(are_clearly_independent(&[vec![0, 1], vec![1, 2]], &[1.0, -1.0, 1.0, -1.0]));
/// assert!(!are_clearly_independent(&[vec![0, 1], vec![0, 1]], &[1.0, -1.0, 2.0, -2.0]));
/// ```
pub fn are_clearly_independent(pattern: &[Vec<usize>], values: &[f64]) -> bool {
    let mut gram = MovingGram::new(pattern);
    gram.factor(|at| [values[at]], |_| [0.0]);
    let clear = |(_, distance, square): (usize, Moving, f64)| distance.value > CLEARLY * square;
    gram.distances().all(clear)
}

/// The rows of a matrix in an order that takes, again and again, the one that is furthest from the span of those before it, relative to
/// its length; of equals the first. The first so many independent ones are the best to keep.
///
/// ```
/// use extremal_solve::furthest_first;
/// let rows = [vec![1.0, 0.0], vec![1.0, 0.1], vec![0.0, 1.0]];
/// assert_eq!(furthest_first(&rows), [0, 2, 1]);
/// ```
pub fn furthest_first(rows: &[Vec<f64>]) -> Vec<usize> {
    let unit = |row: &Vec<f64>| {
        let length = norm(row);
        row.iter().map(|x| if length > 0.0 { x / length } else { 0.0 }).collect::<Vec<f64>>()
    };
    let mut rest: Vec<(usize, Vec<f64>)> = rows.iter().map(unit).enumerate().collect();
    let mut order = Vec::with_capacity(rows.len());
    while !rest.is_empty() {
        // Round-off does not decide between equals.
        let furthest = rest.iter().map(|(_, row)| norm(row)).fold(0.0, f64::max);
        let next = rest.iter().position(|(_, row)| norm(row) >= furthest * (1.0 - DEPENDENT)).unwrap_or(0);
        let (at, row) = rest.remove(next);
        let length = norm(&row);
        if length > 0.0 {
            for (_, other) in &mut rest {
                let part = dot(other, &row) / (length * length);
                other.iter_mut().zip(&row).for_each(|(x, b)| *x -= part * b);
            }
        }
        order.push(at);
    }
    order
}

/// What a closer look at the way between two looks shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Passage {
    /// The rows stay independent.
    Regular,
    /// The rank is lost on the way.
    Singular {
        /// A row that comes to depend on others.
        row: usize,
        /// These others.
        others: Vec<usize>,
        /// Where, as a part of the way.
        part: f64,
        /// The distance from dependence at the nearest point looked at, relative to the length of the row.
        distance: f64,
    },
    /// Near a dependence the way is broken: it goes on elsewhere than it came from.
    Broken {
        /// The row that is close to the span of others.
        row: usize,
        /// These others.
        others: Vec<usize>,
        /// Where, as a part of the way.
        part: f64,
        /// The distance from dependence there, relative to the length of the row.
        distance: f64,
    },
}

/// A matrix along a motion, at one time.
#[derive(Clone, Copy, Debug)]
pub struct ConstraintRows<'a> {
    /// The time.
    pub time: f64,
    /// The entries, row by row, and behind them as many rates of change.
    pub entries: &'a [f64],
    /// The positions there, and their velocities: how far the motion can have come since.
    pub positions: &'a [f64],
    /// The velocities.
    pub velocities: &'a [f64],
    /// How far the constraints that the rows belong to are from holding: the largest residual.
    pub residual: f64,
}

/// Halvings of the way between two looks before what is not told apart from a dependence is one: a row that stays a millionth of
/// its way away from the span of others is told apart.
const HALVINGS: u32 = 20;
/// A way that comes so close to dependence again and again is not followed further.
const MOST_SAMPLES: usize = 2000;
/// A step is broken where positions differ by so many times the way that the velocities make, and by more than round-off.
const LEAP: f64 = 4.0;
const LEAP_ROUND_OFF: f64 = 1e-9;
/// The square of the distance, relative to the length of the row, up to which constraints that are off by so much (relative to rows and
/// positions) do not tell a configuration that is close to a singular one from a singular one.
const BLUR: f64 = 8.0;
/// A row at more than half of its largest distance is independent, however large residuals are beside positions close to zero.
const MOST_BLUR: f64 = 0.25;
/// Rows take part in a dependence from this part of the largest on.
const TAKES_PART: f64 = 1e-3;

/// The same at many times, one after the other.
pub struct ConstraintRowBlock<'a> {
    /// The times.
    pub times: &'a [f64],
    /// The entries, row by row, and behind them as many rates of change: of each the values at these times, so far from those of the one
    /// before.
    pub entries: &'a [f64],
    /// How far.
    pub stride: usize,
    /// The larger of the lengths of positions and velocities.
    pub sizes: &'a [f64],
    /// The largest residuals.
    pub residuals: &'a [f64],
}

/// So many looks at rows are taken side by side.
const LANES: usize = 8;
/// In blocks steps count as a little longer than they are, for what is compared with them was rounded otherwise.
const WIDER: f64 = 1.0 + 1e-6;

/// So many numbers of a column; what is left over at its end does what the last one does.
#[inline(always)]
fn lanes(column: &[f64], first: usize) -> [f64; LANES] {
    match column[first..].first_chunk() {
        Some(whole) => *whole,
        None => std::array::from_fn(|lane| column[(first + lane).min(column.len() - 1)]),
    }
}

/// Are the rows at all times so far from the span of others that they cannot reach it in a step this long, and further than what
/// constraints that are off make of it? `size` is the length of the longest row that was ever seen before; `longest` are the squares of
/// the rows, which grow.
#[inline(always)]
fn are_far_in_block(
    gram: &mut MovingGram<LANES>,
    rows: &ConstraintRowBlock<'_>,
    entries: usize,
    (way, size): (f64, f64),
    longest: &mut [f64],
) -> bool {
    let count = rows.times.len();
    for first in (0..count).step_by(LANES) {
        gram.factor(
            #[inline(always)]
            |at| lanes(&rows.entries[at * rows.stride..][..count], first),
            #[inline(always)]
            |at| lanes(&rows.entries[(entries + at) * rows.stride..][..count], first),
        );
        let (residuals, sizes) = (lanes(rows.residuals, first), lanes(rows.sizes, first));
        let least: [f64; LANES] = std::array::from_fn(|lane| {
            let size = size * sizes[lane];
            let blurred = if size > 0.0 { (BLUR * residuals[lane].abs() / size).min(MOST_BLUR) } else { MOST_BLUR };
            blurred.max(DEPENDENT * DEPENDENT)
        });
        let mut far = true;
        for row in gram.lane_distances() {
            let longest = &mut longest[row.row];
            *longest = row.square.iter().fold(*longest, |longest, square| longest.max(*square));
            let (value, rate) = (row.value(), row.rate());
            far &= (0..LANES).fold(true, |far, lane| {
                far & (2.0 * value[lane] > way * rate[lane].abs()) & (value[lane] > least[lane] * *longest)
            });
        }
        if !far {
            return false;
        }
    }
    true
}

/// Watches whether the rows of a matrix stay independent while it moves, at any size and with no scale of its own.
///
/// The distance of each row from the span of others, and the rate at which it changes, give the time in which it would vanish. A look
/// whose rows are further than the last one in that sense, both back and ahead, cannot have passed a place where the rank is lost;
/// otherwise the way is looked at more closely, until it is told whether it has.
///
/// ```
/// use extremal_solve::{ConstraintRows, Passage, RowWatch};
/// let mut watch = RowWatch::new(&[vec![0], vec![0, 1]]);
/// let rows = |angle: f64| [1.0, angle.cos(), angle.sin(), 0.0, angle.sin(), -angle.cos()];
/// let mut look = |watch: &mut RowWatch, time: f64| {
///     watch.look(ConstraintRows { time, entries: &rows(0.4 - time), positions: &[], velocities: &[], residual: 0.0 })
/// };
/// assert!(!look(&mut watch, 0.0));
/// assert!(!look(&mut watch, 0.1));
/// assert!(look(&mut watch, 0.7));
/// let passage = watch.follow(|part, read| {
///     read(ConstraintRows { time: 0.1 + 0.6 * part, entries: &rows(0.3 - 0.6 * part), positions: &[], velocities: &[], residual: 0.0 });
///     true
/// });
/// let Passage::Singular { part, .. } = passage else { panic!("{passage:?}") };
/// assert!((part - 0.5).abs() < 1e-5);
/// ```
#[derive(Clone, Debug, Default)]
pub struct RowWatch {
    gram: MovingGram,
    entries: usize,
    now: Reading,
    last: Reading,
    /// The largest square that each row has had, and has reached in a block.
    longest: Vec<f64>,
    reached: Vec<f64>,
    seen: bool,
    /// For rows at several times.
    lanes: Option<Box<MovingGram<LANES>>>,
}

/// What is known of the rows at one time.
#[derive(Clone, Debug, Default)]
struct Reading {
    time: f64,
    /// Squares of the distances.
    distances: Vec<Moving>,
    positions: Vec<f64>,
    speed: f64,
}

impl Reading {
    fn take(&mut self, gram: &MovingGram, longest: &mut [f64], rows: ConstraintRows<'_>) {
        self.time = rows.time;
        self.positions.clear();
        self.positions.extend_from_slice(rows.positions);
        self.speed = norm(rows.velocities);
        gram.distances().for_each(|(row, _, square)| longest[row] = longest[row].max(square));
        // Curves that cross where φ = 0 pass each other at a distance of the order √φ.
        // At the origin positions have no size, and those of constraints on velocities never count.
        let size = longest.iter().copied().fold(0.0, f64::max).sqrt() * norm(rows.positions).max(self.speed);
        let blurred = if size > 0.0 { (BLUR * rows.residual.abs() / size).min(MOST_BLUR) } else { 0.0 };
        let least = blurred.max(DEPENDENT * DEPENDENT);
        for (row, distance, _) in gram.distances() {
            // A row that vanishes depends on nothing, and all the same restricts nothing.
            let vanished = distance.value <= least * longest[row];
            self.distances[row] = if vanished { Moving::default() } else { distance };
        }
    }

    /// The time in which the distance of `row` vanishes at its present pace: forwards, or backwards.
    fn time_left(&self, row: usize, forwards: bool) -> f64 {
        let Moving { value, rate } = self.distances[row];
        let closing = if forwards { -rate } else { rate };
        if value == 0.0 {
            0.0
        } else if closing > 0.0 {
            2.0 * value / closing
        } else {
            f64::INFINITY
        }
    }

    fn lost(&self) -> Option<usize> {
        self.distances.iter().position(|distance| distance.value == 0.0)
    }

    /// A row that may have reached the span of others on the way from here to `end`.
    fn suspect(&self, end: &Reading) -> Option<usize> {
        let way = (end.time - self.time).abs();
        (0..self.distances.len()).find(|row| self.time_left(*row, true) < way || end.time_left(*row, false) < way)
    }

    /// Did the positions move further than the velocities take them?
    fn leaps(&self, end: &Reading) -> bool {
        let way = (end.time - self.time).abs() * self.speed.max(end.speed);
        let moved = self.positions.iter().zip(&end.positions).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        moved > LEAP * way + LEAP_ROUND_OFF * (1.0 + norm(&self.positions))
    }
}

impl RowWatch {
    /// A watch over rows with entries in these columns.
    pub fn new(pattern: &[Vec<usize>]) -> Self {
        let gram = MovingGram::new(pattern);
        let empty = Reading { distances: vec![Moving::default(); gram.len()], ..Reading::default() };
        RowWatch {
            entries: pattern.iter().map(Vec::len).sum(),
            now: empty.clone(),
            last: empty,
            longest: vec![0.0; gram.len()],
            reached: vec![0.0; gram.len()],
            seen: false,
            lanes: None,
            gram,
        }
    }

    /// How many values it looks at: entries and rates.
    pub fn len(&self) -> usize {
        2 * self.entries
    }

    /// Is there nothing to look at?
    pub fn is_empty(&self) -> bool {
        self.gram.len() == 0
    }

    /// Forgets what was seen last, so that the next look is the first one of a way.
    pub fn forget(&mut self) {
        self.seen = false;
    }

    /// Forgets everything, before another motion.
    pub fn clear(&mut self) {
        self.seen = false;
        self.longest.fill(0.0);
    }

    /// Is the last look the beginning of a way?
    pub fn has_seen(&self) -> bool {
        self.seen
    }

    fn factor(&mut self, entries: &[f64]) {
        let (values, rates) = entries.split_at(self.entries);
        self.gram.factor(|at| [values[at]], |at| [rates[at]]);
    }

    fn read(&mut self, rows: ConstraintRows<'_>) -> Reading {
        let mut reading = self.now.clone();
        self.factor(rows.entries);
        reading.take(&self.gram, &mut self.longest, rows);
        reading
    }

    /// Looks at the rows. Going by the distances and their rates at both ends, may a row have reached the span of others on the way
    /// since the last look? Then [follow](RowWatch::follow) it.
    pub fn look(&mut self, rows: ConstraintRows<'_>) -> bool {
        std::mem::swap(&mut self.now, &mut self.last);
        self.factor(rows.entries);
        self.now.take(&self.gram, &mut self.longest, rows);
        match std::mem::replace(&mut self.seen, true) {
            true => self.last.suspect(&self.now).is_some(),
            false => {
                self.last.clone_from(&self.now);
                self.now.lost().is_some()
            }
        }
    }

    /// Would none of the looks at the rows at these times, one after the other, call for following the way to it? It says no where that
    /// is close. Then [go on](RowWatch::go_on) behind them.
    pub fn are_far(&mut self, rows: &ConstraintRowBlock<'_>) -> bool {
        let before = [self.now.time].into_iter().chain(rows.times.iter().copied());
        let longest_way = before.zip(rows.times).fold(0.0, |way: f64, (from, to)| way.max((to - from).abs()));
        let way = WIDER * longest_way;
        let is_far = |distance: &Moving| 2.0 * distance.value > way * distance.rate.abs();
        let size = self.longest.iter().copied().fold(0.0, f64::max).sqrt();
        if !self.seen || !self.now.distances.iter().all(is_far) {
            return false;
        }
        let gram = self.lanes.get_or_insert_with(|| Box::new(self.gram.in_lanes()));
        self.reached.copy_from_slice(&self.longest);
        on_widest_registers(
            #[inline(always)]
            || are_far_in_block(gram, rows, self.entries, (way, size), &mut self.reached),
        )
    }

    /// Goes on behind rows that [are far](RowWatch::are_far), the last of which are these.
    pub fn go_on(&mut self, last: ConstraintRows<'_>) {
        self.longest.copy_from_slice(&self.reached);
        std::mem::swap(&mut self.now, &mut self.last);
        self.factor(last.entries);
        self.now.take(&self.gram, &mut self.longest, last);
    }

    /// A row that would lose its independence within this time at its present pace, and how far it is from that, relative to its
    /// longest.
    pub fn closing(&self, within: f64) -> Option<(usize, f64)> {
        let row = (0..self.gram.len()).find(|row| self.seen && self.now.time_left(*row, true) < within)?;
        Some((row, self.distance(&self.now, row)))
    }

    fn distance(&self, reading: &Reading, row: usize) -> f64 {
        (reading.distances[row].value / self.longest[row].max(f64::MIN_POSITIVE)).sqrt()
    }

    /// Follows the way between the last two looks, of which `sample` shows the rows at any part (0 to 1), or says that there is no
    /// state of the motion there.
    pub fn follow(&mut self, mut sample: impl FnMut(f64, &mut dyn FnMut(ConstraintRows<'_>)) -> bool) -> Passage {
        let way = self.now.time - self.last.time;
        if let Some(row) = self.now.lost().filter(|_| way == 0.0) {
            return self.passage(true, row, 0.0, 0.0);
        }
        let mut open = vec![(0.0, self.last.clone(), 1.0, self.now.clone(), 0)];
        let mut samples = 0;
        while let Some((from, begin, to, end, depth)) = open.pop() {
            let suspect = begin.suspect(&end);
            if suspect.is_none() && !begin.leaps(&end) {
                continue;
            }
            let middle = (from + to) / 2.0;
            let nearest = if begin.nearness() <= end.nearness() { &begin } else { &end };
            let row = suspect.or(nearest.lost()).unwrap_or_else(|| nearest.nearest(&self.longest));
            let distance = self.distance(&begin, row).min(self.distance(&end, row));
            samples += 1;
            if depth == HALVINGS || samples > MOST_SAMPLES {
                return self.passage(suspect.is_some(), row, middle, distance);
            }
            let mut reading = None;
            let there = sample(middle, &mut |rows| reading = Some(self.read(rows)));
            match reading.filter(|_| there) {
                Some(reading) => {
                    open.push((middle, reading.clone(), to, end, depth + 1));
                    open.push((from, begin, middle, reading, depth + 1));
                }
                None => return self.passage(true, row, middle, distance),
            }
        }
        Passage::Regular
    }

    /// The verdict; the rows factored last are close to the place.
    fn passage(&self, singular: bool, row: usize, part: f64, distance: f64) -> Passage {
        let others = self.gram.partners(row, TAKES_PART);
        match singular {
            true => Passage::Singular { row, others, part, distance },
            false => Passage::Broken { row, others, part, distance },
        }
    }
}

impl Reading {
    /// The least time in which a row would lose its independence, in either direction.
    fn nearness(&self) -> f64 {
        (0..self.distances.len())
            .map(|row| self.time_left(row, true).min(self.time_left(row, false)))
            .fold(f64::INFINITY, f64::min)
    }

    /// The row that is closest to the span of others, relative to its length.
    fn nearest(&self, longest: &[f64]) -> usize {
        let part = |row: usize| self.distances[row].value / longest[row].max(f64::MIN_POSITIVE);
        (0..self.distances.len()).min_by(|a, b| part(*a).total_cmp(&part(*b))).unwrap_or(0)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests;
