//! Which rows of a matrix depend on others, and whether they come to, as it changes.

use crate::linear::{Moving, MovingGram};

/// A row counts as dependent when, scaled to length one, it comes this close to the span of the others.
const DEPENDENT: f64 = 1e-8;

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
    /// The largest square that each row has had.
    longest: Vec<f64>,
    seen: bool,
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
            seen: false,
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

    fn read(&mut self, rows: ConstraintRows<'_>) -> Reading {
        let mut reading = self.now.clone();
        let (values, rates) = rows.entries.split_at(self.entries);
        self.gram.factor(values, rates);
        reading.take(&self.gram, &mut self.longest, rows);
        reading
    }

    /// Looks at the rows. Going by the distances and their rates at both ends, may a row have reached the span of others on the way
    /// since the last look? Then [follow](RowWatch::follow) it.
    pub fn look(&mut self, rows: ConstraintRows<'_>) -> bool {
        std::mem::swap(&mut self.now, &mut self.last);
        let (values, rates) = rows.entries.split_at(self.entries);
        self.gram.factor(values, rates);
        self.now.take(&self.gram, &mut self.longest, rows);
        match std::mem::replace(&mut self.seen, true) {
            true => self.last.suspect(&self.now).is_some(),
            false => {
                self.last.clone_from(&self.now);
                self.now.lost().is_some()
            }
        }
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
mod tests {
    use super::*;

    #[test]
    fn combinations_are_named() {
        let rows = [vec![1.0, 0.0, 0.0], vec![1.0, 1.0, 0.0], vec![0.0, 0.0, 0.0], vec![3.0, -1.0, 0.0]];
        let found = dependence(&rows);
        assert_eq!(found.independent, [0, 1]);
        assert_eq!(found.dependent, [(2, vec![]), (3, vec![0, 1])]);
    }

    fn watch(pattern: &[Vec<usize>], rows: impl Fn(f64) -> Vec<f64>, times: &[f64]) -> Vec<Passage> {
        let mut watch = RowWatch::new(pattern);
        let mut last = times[0];
        let mut passages = Vec::new();
        for &time in times {
            let at = |time: f64| rows(time);
            if watch.look(ConstraintRows { time, entries: &at(time), positions: &[], velocities: &[], residual: 0.0 }) {
                passages.push(watch.follow(|part, read| {
                    let time = last + part * (time - last);
                    read(ConstraintRows { time, entries: &at(time), positions: &[], velocities: &[], residual: 0.0 });
                    true
                }));
            }
            last = time;
        }
        passages
    }

    /// A row that turns past another, seen in steps of any length, on either side of the meeting and on it.
    #[test]
    fn a_row_that_passes_another_is_found_where_it_does() {
        let rows = |t: f64| vec![2.0, 5.0 * t.cos(), 5.0 * t.sin(), 0.0, -5.0 * t.sin(), 5.0 * t.cos()];
        for (step, offset) in [(0.3, 0.5), (0.3, 0.01), (0.01, 0.5), (1e-4, 0.9), (0.1, 1.0)] {
            let times: Vec<f64> = (0..12).map(|k| (f64::from(k) - 6.0 + offset) * step).collect();
            let passages = watch(&[vec![0], vec![0, 1]], rows, &times);
            let singular = |passage: &Passage| matches!(passage, Passage::Singular { .. });
            assert_eq!(
                passages.iter().filter(|p| singular(p)).count(),
                if offset == 1.0 { 2 } else { 1 },
                "{step} {offset}"
            );
        }
    }

    /// Rows that come within 1e-5 of dependence and do not reach it are no singular configuration, in steps much longer than that.
    #[test]
    fn a_row_that_only_comes_close_is_let_pass() {
        let near = 1e-5;
        let rows = |t: f64| {
            let (distance, rate) = ((near * near + t * t).sqrt(), t / (near * near + t * t).sqrt());
            vec![1.0, 1.0, distance, 0.0, 0.0, rate]
        };
        let times: Vec<f64> = (0..12).map(|k| 0.05 * (f64::from(k) - 5.3)).collect();
        let passages = watch(&[vec![0], vec![0, 1]], rows, &times);
        assert!(!passages.is_empty() && passages.iter().all(|p| *p == Passage::Regular), "{passages:?}");
    }

    /// A row that shrinks to nothing and comes out reversed never changes its direction until then.
    #[test]
    fn a_vanishing_row_is_seen() {
        let rows = |t: f64| vec![3.0 * t, -t, 3.0, -1.0];
        let passages = watch(&[vec![0, 1]], rows, &[-0.5, -0.2, 0.1, 0.4]);
        let [Passage::Singular { row: 0, part, .. }] = &passages[..] else { panic!("{passages:?}") };
        assert!((part - 2.0 / 3.0).abs() < 1e-5, "{part}");
    }

    /// A way that jumps over the place where rows are dependent is told from one that goes through it.
    #[test]
    fn a_leap_is_seen() {
        let place = |t: f64| if t < 0.5 { t - 0.9 } else { t - 0.1 };
        let rows = |t: f64| vec![1.0, 1.0, place(t), 0.0, 0.0, 1.0];
        let mut watch = RowWatch::new(&[vec![0], vec![0, 1]]);
        let at = |time: f64| (rows(time), [place(time)]);
        for time in [0.0, 1.0] {
            let (entries, positions) = at(time);
            let suspicious = watch.look(ConstraintRows {
                time,
                entries: &entries,
                positions: &positions,
                velocities: &[1.0],
                residual: 0.0,
            });
            assert_eq!(suspicious, time == 1.0);
        }
        let passage = watch.follow(|part, read| {
            let (entries, positions) = at(part);
            read(ConstraintRows {
                time: part,
                entries: &entries,
                positions: &positions,
                velocities: &[1.0],
                residual: 0.0,
            });
            true
        });
        assert!(matches!(passage, Passage::Broken { row: 1, .. }), "{passage:?}");
    }
}
