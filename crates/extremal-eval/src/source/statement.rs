//! Functions that call formulas, as statements that every language can write.

/// An argument of a function.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A number.
    Scalar(&'static str),
    /// Numbers that are read.
    Given(&'static str, usize),
    /// Numbers that are written, or read and written.
    Written(&'static str, usize),
}

/// A function: it takes the parameters and `arguments`, and returns how it went.
#[derive(Clone, Debug)]
pub struct SourceFunction {
    /// Its name.
    pub name: String,
    /// What it does, in sentences.
    pub comment: String,
    /// What it takes besides the parameters `p`.
    pub arguments: Vec<Argument>,
    /// What it does.
    pub body: Vec<SourceStatement>,
}

/// A part of an array: its name and where it begins.
pub type ArrayPart = (&'static str, usize);

/// A statement of a function. Arrays that formulas are called with are its own, not arguments.
#[derive(Clone, Debug)]
pub enum SourceStatement {
    /// An array of zeros.
    Array {
        /// Its name.
        name: &'static str,
        /// How many numbers it has, at least one.
        length: usize,
    },
    /// `to[..] = from[..]`
    Copy {
        /// Where to.
        to: ArrayPart,
        /// Where from.
        from: ArrayPart,
        /// How many numbers.
        length: usize,
    },
    /// `to[..] = value`
    Put {
        /// Where to.
        to: ArrayPart,
        /// A number by its name.
        value: &'static str,
    },
    /// Calls formulas.
    Call {
        /// Their name.
        formulas: String,
        /// The array that is given.
        given: &'static str,
        /// The array of the unknowns that were found; the one that is given where there are none.
        found: &'static str,
        /// The array that is written; it may be that of the unknowns.
        out: &'static str,
    },
    /// Solves equations, or returns why it cannot.
    Solve {
        /// Formulas of the residuals and their slopes.
        equations: String,
        /// Formulas of the residuals and the sizes of their terms.
        sizes: String,
        /// How many there are.
        unknowns: usize,
        /// Where their unknowns begin.
        first: usize,
        /// Are they linear?
        linear: bool,
        /// The array that is given.
        given: &'static str,
        /// The array of the unknowns.
        found: &'static str,
    },
    /// Slopes of results that unknowns stand between, or returns that there are none.
    Slopes {
        /// How many results, numbers and unknowns there are.
        sizes: [usize; 3],
        /// The array of the parts of the slopes.
        parts: &'static str,
        /// The array of the slopes.
        out: &'static str,
    },
    /// Does something with fractions of a step `h` from a time `t`, one after the other: `instant` is the time, `length` the step.
    Substeps {
        /// The time elapsed before each, and its length, by `h`.
        fractions: Vec<(f64, f64)>,
        /// What is done.
        body: Vec<SourceStatement>,
    },
    /// Returns if one of the first numbers is not finite.
    Finite {
        /// The array.
        array: &'static str,
        /// How many numbers.
        length: usize,
    },
    /// Returns the place of the first of these that is zero.
    Guards {
        /// The array, and where they begin.
        of: ArrayPart,
        /// How many they are.
        count: usize,
    },
}
