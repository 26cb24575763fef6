//! Functions of one argument that are given by numbers: polynomials of third degree, piece by piece.

mod interpolation;

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, Mutex, PoisonError};

pub use interpolation::{Interpolation, OutsideTable, TableProblem};

/// A function through the points of a table, or a derivative of one. Equal ones are kept once, and for as long as the program runs, so that
/// a handle is a number among the operations of a formula.
///
/// ```
/// use extremal_expr::{Graph, Interpolation, OutsideTable, TableFunction};
/// let road = TableFunction::through("road", &[0.0, 1.0, 2.0], &[0.0, 1.0, 4.0], Interpolation::Cubic, OutsideTable::Extend)?;
/// assert_eq!((road.value(1.5), road.value(3.0)), (2.25, 8.0));
/// let g = Graph::new();
/// let x = g.symbol("x");
/// assert_eq!(g.gradient(x.table(road), &[x])[0].to_string(), "road'(x)");
/// # Ok::<(), extremal_expr::TableProblem>(())
/// ```
#[derive(Clone, Copy)]
pub struct TableFunction(&'static TablePieces);

/// What is kept of a function.
pub struct TablePieces {
    number: u64,
    name: String,
    /// Where one piece ends and the next begins, in increasing order.
    breaks: Vec<f64>,
    /// One more than there are breaks: below the first, between them, above the last.
    pieces: Vec<PolynomialPiece>,
    period: Option<f64>,
    /// How many breaks there are in a unit, where they are about equally far apart.
    density: Option<f64>,
}

/// `c0 + c1 d + c2 d² + c3 d³`, d the distance from its origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolynomialPiece {
    /// Where distances are counted from.
    pub origin: f64,
    /// From the constant one on.
    pub coefficients: [f64; 4],
}

impl PolynomialPiece {
    fn slope(self) -> PolynomialPiece {
        let [_, a, b, c] = self.coefficients;
        PolynomialPiece { coefficients: [a, 2.0 * b, 3.0 * c, 0.0], ..self }
    }

    fn is_constant(&self) -> bool {
        self.coefficients[1..].iter().all(|c| *c == 0.0 || c.is_nan())
    }

    fn bits(&self) -> [u64; 5] {
        let [a, b, c, d] = self.coefficients;
        [self.origin, a, b, c, d].map(f64::to_bits)
    }
}

/// Every function there is, by a number made of its contents.
static ALL: LazyLock<Mutex<HashMap<u64, Vec<TableFunction>>>> = LazyLock::new(Mutex::default);

impl TableFunction {
    /// The function through points.
    ///
    /// # Errors
    /// No function goes through these points in this way.
    pub fn through(
        name: &str,
        x: &[f64],
        y: &[f64],
        interpolation: Interpolation,
        outside: OutsideTable,
    ) -> Result<TableFunction, TableProblem> {
        interpolation::check(x, y, interpolation)?;
        let (breaks, pieces, period) = interpolation::pieces(x, y, interpolation, outside);
        Ok(TableFunction::kept(name.to_owned(), breaks, pieces, period))
    }

    fn kept(name: String, breaks: Vec<f64>, pieces: Vec<PolynomialPiece>, period: Option<f64>) -> TableFunction {
        let density = interpolation::density(&breaks);
        let new = TablePieces { number: 0, name, breaks, pieces, period, density };
        let key = new.hashed();
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let number = all.values().map(|same| same.len() as u64).sum();
        let same = all.entry(key).or_default();
        if let Some(known) = same.iter().find(|known| known.0.equals(&new)) {
            return *known;
        }
        let function = TableFunction(Box::leak(Box::new(TablePieces { number, ..new })));
        same.push(function);
        function
    }

    /// Its derivative; `None` where that is zero everywhere.
    pub fn slope(self) -> Option<TableFunction> {
        let pieces: Vec<PolynomialPiece> = self.0.pieces.iter().map(|piece| piece.slope()).collect();
        if self.0.pieces.iter().all(PolynomialPiece::is_constant) {
            return None;
        }
        Some(TableFunction::kept(format!("{}'", self.0.name), self.0.breaks.clone(), pieces, self.0.period))
    }

    /// Its name, with a prime for each derivative.
    pub fn name(self) -> &'static str {
        &self.0.name
    }

    /// Where one piece ends and the next begins.
    pub fn breaks(self) -> &'static [f64] {
        &self.0.breaks
    }

    /// The pieces: below the first break, between them, above the last.
    pub fn pieces(self) -> &'static [PolynomialPiece] {
        &self.0.pieces
    }

    /// After what distance it repeats itself, counted from the first break, if it does.
    pub fn period(self) -> Option<f64> {
        self.0.period
    }

    /// What its handle points to, for code that is given an address.
    pub fn kept_pieces(self) -> &'static TablePieces {
        self.0
    }

    /// The value at `x`.
    pub fn value(self, x: f64) -> f64 {
        self.0.value(x)
    }
}

impl TablePieces {
    /// The value at `x`, with the same bits wherever it is computed.
    pub fn value(&self, x: f64) -> f64 {
        let x = match (self.period, self.breaks.first()) {
            (Some(period), Some(first)) => x - period * ((x - first) / period).floor(),
            _ => x,
        };
        let PolynomialPiece { origin, coefficients: [a, b, c, d] } = self.pieces[self.piece(x)];
        let distance = x - origin;
        a + distance * (b + distance * (c + distance * d))
    }

    /// How many breaks are not above `x`.
    fn piece(&self, x: f64) -> usize {
        let breaks = &self.breaks;
        let (Some(density), Some(first)) = (self.density, breaks.first()) else {
            return breaks.partition_point(|at| *at <= x);
        };
        // No number becomes the first piece, whose value there is none either.
        let mut piece = (((x - first) * density) as usize).min(breaks.len());
        while piece > 0 && x < breaks[piece - 1] {
            piece -= 1;
        }
        while piece < breaks.len() && breaks[piece] <= x {
            piece += 1;
        }
        piece
    }

    fn bits(&self) -> impl Iterator<Item = u64> {
        let breaks = self.breaks.iter().map(|at| at.to_bits());
        breaks.chain(self.pieces.iter().flat_map(PolynomialPiece::bits)).chain(self.period.map(f64::to_bits))
    }

    fn hashed(&self) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        self.name.hash(&mut hasher);
        self.bits().for_each(|bits| bits.hash(&mut hasher));
        hasher.finish()
    }

    fn equals(&self, other: &TablePieces) -> bool {
        self.name == other.name && self.pieces.len() == other.pieces.len() && self.bits().eq(other.bits())
    }
}

impl PartialEq for TableFunction {
    fn eq(&self, other: &Self) -> bool {
        self.0.number == other.0.number
    }
}

impl Eq for TableFunction {}

impl PartialOrd for TableFunction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TableFunction {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.number.cmp(&other.0.number)
    }
}

impl Hash for TableFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.number.hash(state);
    }
}

impl std::fmt::Debug for TableFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0.name)
    }
}
