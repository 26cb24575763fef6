//! Elementary functions of our own: the same bits on every machine and in every evaluator, whether one number is computed or
//! many side by side. Errors are below one unit in the last place (two for powers), which `tests.rs` measures.

mod exponential;
mod huge_angle;
pub(crate) mod lanes;
mod logarithm;
mod logarithm_parts;
mod rare;
#[cfg(test)]
mod tests;
pub(crate) mod trigonometric;

use extremal_expr::{Function, Function2};

pub(crate) use exponential::{cosh, exp, sinh, tanh};
pub(crate) use lanes::Lanes;
pub(crate) use logarithm::{log, pow};
pub(crate) use logarithm_parts::{LEAST_MANTISSA, LogarithmPart, PARTS};
pub(crate) use trigonometric::{sin_cos, tan};

/// The function of every lane.
#[inline(always)]
pub(crate) fn apply<const N: usize>(function: Function, x: Lanes<N>) -> Lanes<N> {
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
pub(crate) fn apply2<const N: usize>(function: Function2, a: Lanes<N>, b: Lanes<N>) -> Lanes<N> {
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
