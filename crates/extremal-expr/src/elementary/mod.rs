//! Elementary functions of our own: the same bits on every machine and in every evaluator, whether one number is computed or
//! many side by side, a number of a model file or a step. Errors are below one unit in the last place (two for powers), which `tests.rs` measures.

mod exponential;
mod huge_angle;
mod lanes;
mod logarithm;
mod logarithm_parts;
mod rare;
#[cfg(test)]
mod tests;
mod trigonometric;

use crate::{Function, Function2};

pub use lanes::{Lanes, ROUNDING};
pub use logarithm::pow;
pub use logarithm_parts::{LEAST_MANTISSA, LogarithmPart, PARTS};
pub use trigonometric::{COSINE, HALF_PI, LARGEST_ANGLE, SINE, sin_cos};

/// The numbers that formulas of functions are made of, for those who write them in another language.
pub mod coefficients {
    pub use super::exponential::{EXPONENTIAL, LARGEST as LARGEST_EXPONENT, LN_2 as LN_2_OF_EXPONENTIAL, SINH};
    pub use super::huge_angle::TWO_OVER_PI;
    pub use super::logarithm::{LN_2 as LN_2_OF_LOGARITHM, LOGARITHM, NEAR_ONE, ROOT_HALF};
    pub use super::logarithm_parts::PART_BITS;
    pub use super::rare::{FAR, NEAR};
}

use exponential::{cosh, exp, sinh, tanh};
use logarithm::log;
use trigonometric::tan;

/// The function of every lane.
#[inline(always)]
pub fn apply<const N: usize>(function: Function, x: Lanes<N>) -> Lanes<N> {
    match function {
        Function::Sin => sin_cos(x).0,
        Function::Cos => sin_cos(x).1,
        Function::Tan => tan(x),
        Function::Sinh => sinh(x),
        Function::Cosh => cosh(x),
        Function::Tanh => tanh(x),
        Function::Exp => exp(x),
        Function::Log => log(x),
        Function::Abs => x.abs(),
        Function::Sign => x.map(|x| if x == 0.0 { 0.0 } else { x.signum() }),
        Function::Asin => x.map(libm::asin),
        Function::Acos => x.map(libm::acos),
        Function::Atan => x.map(libm::atan),
        Function::Asinh => x.map(rare::asinh),
        Function::Acosh => x.map(rare::acosh),
        Function::Atanh => x.map(rare::atanh),
        Function::Cbrt => x.map(libm::cbrt),
    }
}

/// The function of every pair of lanes.
#[inline(always)]
pub fn apply2<const N: usize>(function: Function2, a: Lanes<N>, b: Lanes<N>) -> Lanes<N> {
    // A NaN operand gives NaN: a lost NaN would hide a left domain.
    match function {
        Function2::Atan2 => a.map2(b, libm::atan2),
        Function2::Min => a.map2(b, |a, b| {
            if a.is_nan() || b.is_nan() {
                f64::NAN
            } else if b < a {
                b
            } else {
                a
            }
        }),
        Function2::Max => a.map2(b, |a, b| {
            if a.is_nan() || b.is_nan() {
                f64::NAN
            } else if a < b {
                b
            } else {
                a
            }
        }),
    }
}

/// `x^y` of one number, as [`pow`] has it.
///
/// ```
/// assert_eq!(extremal_expr::elementary::power(8.0, 1.0 / 3.0), 2.0);
/// ```
pub fn power(x: f64, y: f64) -> f64 {
    pow(Lanes([x]), Lanes([y])).0[0]
}

/// `x^n` by squaring. The powers of the standard library may have other bits elsewhere.
///
/// ```
/// assert_eq!(extremal_expr::elementary::integer_power(-2.0, -3), -0.125);
/// ```
pub fn integer_power(x: f64, n: i64) -> f64 {
    let Ok(small) = i32::try_from(n) else { return power(x, n as f64) };
    let (mut square, mut left, mut product) = (x, small.unsigned_abs(), 1.0);
    loop {
        if left & 1 == 1 {
            product *= square;
        }
        left /= 2;
        if left == 0 {
            return if small < 0 { 1.0 / product } else { product };
        }
        square *= square;
    }
}
