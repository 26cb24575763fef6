//! Errors in units of the last place, against arithmetic with 192 bits.

use crate::{Function, Function2};
use astro_float::{BigFloat, Consts, RoundingMode, Sign};

use super::{Lanes, apply, apply2, pow};

const BITS: usize = 192;
const NEAREST: RoundingMode = RoundingMode::None;

/// A small generator of random numbers (splitmix64).
struct RandomNumbers(u64);

impl RandomNumbers {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Evenly between two numbers.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// With evenly distributed exponents, and either sign.
    fn of_any_size(&mut self, low: f64, high: f64) -> f64 {
        let size = 2f64.powf(self.between(low, high)) * self.between(1.0, 2.0);
        if self.bits() & 1 == 0 { size } else { -size }
    }
}

/// Subnormal numbers by way of normal ones: the library takes their exponent for granted.
fn big(x: f64) -> BigFloat {
    let mut large = BigFloat::from_f64(x * 2f64.powi(200), BITS);
    if x.abs() < 1.0 {
        if let Some(exponent) = large.exponent() {
            large.set_exponent(exponent - 200);
        }
        return large;
    }
    BigFloat::from_f64(x, BITS)
}

/// A large number as a sum of two small ones, both times 2^shift so that nothing is lost below the range.
fn parts(x: &BigFloat, shift: i32) -> (f64, f64) {
    let Some((words, _, sign, exponent, _)) = x.as_raw_parts() else { return (f64::NAN, f64::NAN) };
    let (mut hi, mut lo) = (0.0f64, 0.0f64);
    for (at, word) in words.iter().rev().take(3).enumerate() {
        for (half, place) in [(word >> 32, 32), (word & 0xffff_ffff, 64)] {
            let power = exponent + shift - 64 * at as i32 - place;
            let part = half as f64 * 2f64.powi(power.clamp(-1000, 1000));
            let sum = hi + part;
            lo += (hi - sum) + part;
            hi = sum;
        }
    }
    if sign == Sign::Neg { (-hi, -lo) } else { (hi, lo) }
}

/// The distance of `value` from the truth in units of its last place.
fn error(value: f64, truth: &BigFloat) -> f64 {
    let Some((_, _, _, exponent, _)) = truth.as_raw_parts() else { return f64::INFINITY };
    // Subnormal numbers have a fixed last place.
    let last_place = (exponent - 53).max(-1074);
    let shift = -last_place;
    let (hi, lo) = parts(truth, shift);
    let scaled = value * 2f64.powi(shift / 2) * 2f64.powi(shift - shift / 2);
    ((scaled - hi) - lo).abs()
}

struct ExactFunctions(Consts);

impl ExactFunctions {
    fn new() -> ExactFunctions {
        ExactFunctions(Consts::new().expect("memory for constants"))
    }

    fn value(&mut self, function: Function, x: f64) -> BigFloat {
        let (x, c) = (big(x), &mut self.0);
        match function {
            Function::Sin => x.sin(BITS, NEAREST, c),
            Function::Cos => x.cos(BITS, NEAREST, c),
            Function::Tan => x.tan(BITS, NEAREST, c),
            Function::Asin => x.asin(BITS, NEAREST, c),
            Function::Acos => x.acos(BITS, NEAREST, c),
            Function::Atan => x.atan(BITS, NEAREST, c),
            Function::Sinh => x.sinh(BITS, NEAREST, c),
            Function::Cosh => x.cosh(BITS, NEAREST, c),
            Function::Tanh => x.tanh(BITS, NEAREST, c),
            Function::Asinh => x.asinh(BITS, NEAREST, c),
            Function::Acosh => x.acosh(BITS, NEAREST, c),
            Function::Atanh => x.atanh(BITS, NEAREST, c),
            Function::Exp => x.exp(BITS, NEAREST, c),
            Function::Log => x.ln(BITS, NEAREST, c),
            Function::Cbrt => x.cbrt(BITS, NEAREST),
            Function::Abs => x.abs(),
            Function::Sign => big(if x.is_zero() {
                0.0
            } else if x.is_negative() {
                -1.0
            } else {
                1.0
            }),
        }
    }
}

fn worst(function: Function, points: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut reference = ExactFunctions::new();
    points.fold((0.0, 0.0), |worst, x| {
        let value = apply(function, Lanes([x])).0[0];
        let error = error(value, &reference.value(function, x));
        if error > worst.0 || error.is_nan() { (error, x) } else { worst }
    })
}

/// Random arguments of all sizes at which the function has a finite value.
fn arguments(function: Function, low: f64, high: f64, random: &mut RandomNumbers) -> Vec<f64> {
    let defined = |x: f64| match function {
        Function::Asin | Function::Acos | Function::Atanh => x.abs() < 1.0,
        Function::Acosh => x >= 1.0,
        Function::Log => x > 0.0,
        Function::Exp => (-745.0..709.78).contains(&x),
        Function::Sinh | Function::Cosh => x.abs() < 710.4,
        _ => true,
    };
    (0..COUNT).map(|_| random.of_any_size(low, high)).filter(|x| defined(*x)).collect()
}

/// Numbers per range: the whole test takes a few seconds.
const COUNT: usize = 400;

#[test]
fn functions_are_within_a_unit_in_the_last_place() {
    let mut random = RandomNumbers(1);
    let ranges = [(-1075.0, -1022.0), (-60.0, -5.0), (-5.0, 0.0), (-3.0, 3.0), (3.0, 9.0), (9.0, 31.0), (30.0, 1023.0)];
    for function in Function::ALL {
        for (low, high) in ranges {
            let (error, x) = worst(*function, arguments(*function, low, high, &mut random).into_iter());
            assert!(error < 0.9, "{}: {error} units at {x:e}", function.name());
        }
    }
}

#[test]
fn angles_near_multiples_of_a_quarter_turn() {
    let mut random = RandomNumbers(2);
    let mut angles: Vec<f64> = (0..300)
        .flat_map(|_| {
            let multiple = random.of_any_size(0.0, 45.0).round();
            let angle = multiple * std::f64::consts::FRAC_PI_2;
            [angle, angle.next_up(), angle.next_down()]
        })
        .collect();
    // The double nearest to a multiple of π/2 (Kahan), and others that come close.
    angles.extend([6381956970095103.0 * 2f64.powi(797), 5319372648326541.0 * 2f64.powi(0), 22.0, 355.0, 1e22, 1e9]);
    for function in [Function::Sin, Function::Cos, Function::Tan] {
        let (error, x) = worst(function, angles.iter().copied());
        assert!(error < 0.9, "{}: {error} units at {x:e}", function.name());
    }
}

#[test]
fn neighbourhoods_where_formulas_change() {
    let mut random = RandomNumbers(3);
    for (function, places) in [
        (Function::Log, &[1.0, 0.5f64.sqrt(), 2f64.sqrt(), f64::MIN_POSITIVE][..]),
        (Function::Exp, &[-745.0, -708.4, 709.7, 0.34657][..]),
        (Function::Sinh, &[0.5, -0.5, 710.0, 19.0][..]),
        (Function::Cosh, &[710.0, 0.0][..]),
        (Function::Tanh, &[0.5, 20.0, 18.7][..]),
        (Function::Asinh, &[0.17251, 1.0, 1e9, 1e-9][..]),
        (Function::Acosh, &[1.0000000001, 1.0595, 1e9, 2.0][..]),
        (Function::Atanh, &[0.17, 0.9999999, 0.5][..]),
        (Function::Asin, &[0.9999999, 0.5][..]),
        (Function::Tan, &[1e-8, std::f64::consts::FRAC_PI_4][..]),
    ] {
        for place in places {
            let near = (0..COUNT).map(|_| place * (1.0 + random.of_any_size(-50.0, -20.0)));
            let near = near.filter(|x| match function {
                Function::Acosh => *x >= 1.0,
                Function::Atanh | Function::Asin => x.abs() < 1.0,
                _ => true,
            });
            let (error, x) = worst(function, near);
            assert!(error < 0.9, "{}: {error} units at {x:e}", function.name());
        }
    }
}

#[test]
fn powers_are_within_two_units() {
    let mut random = RandomNumbers(4);
    let mut reference = ExactFunctions::new();
    let mut worst = (0.0, 0.0, 0.0);
    for (size, range) in [(0.5, 4.0), (3.0, 100.0), (1022.0, 1.0), (1e-3, 1e6), (1e-9, 1e11)] {
        for _ in 0..COUNT {
            let x = 2f64.powf(random.between(-size, size)) * random.between(1.0, 1.0 + 1e-3);
            let y = random.between(-range, range);
            if (x.ln() * y).abs() > 744.0 || x.ln() * y > 709.0 {
                continue;
            }
            let truth = big(x).pow(&big(y), BITS, NEAREST, &mut reference.0);
            let error = error(pow(Lanes([x]), Lanes([y])).0[0], &truth);
            if error > worst.0 {
                worst = (error, x, y);
            }
        }
    }
    assert!(worst.0 < 1.0, "{} units for {:e}^{:e}", worst.0, worst.1, worst.2);
}

#[test]
fn the_angle_of_a_point() {
    let mut random = RandomNumbers(5);
    let mut reference = ExactFunctions::new();
    for _ in 0..COUNT {
        let (y, x) = (random.of_any_size(-10.0, 10.0), random.of_any_size(-10.0, 10.0));
        let mut truth = big(y).div(&big(x), 256, NEAREST).atan(BITS, NEAREST, &mut reference.0);
        if x < 0.0 {
            let pi = reference.0.pi(256, NEAREST);
            truth = if y < 0.0 { truth.sub(&pi, BITS, NEAREST) } else { truth.add(&pi, BITS, NEAREST) };
        }
        let error = error(apply2(Function2::Atan2, Lanes([y]), Lanes([x])).0[0], &truth);
        assert!(error < 1.0, "{error} units at {y:e}, {x:e}");
    }
}

fn same_bits(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// The standard library's, which near the ends of domains loses digits that these formulas keep.
fn standard(function: Function, x: f64) -> f64 {
    match function {
        Function::Sin => x.sin(),
        Function::Cos => x.cos(),
        Function::Tan => x.tan(),
        Function::Asin => x.asin(),
        Function::Acos => x.acos(),
        Function::Atan => x.atan(),
        Function::Sinh => x.sinh(),
        Function::Cosh => x.cosh(),
        Function::Tanh => x.tanh(),
        Function::Asinh => x.asinh(),
        Function::Acosh => (x - 1.0 + (x - 1.0).sqrt() * (x + 1.0).sqrt()).ln_1p(),
        Function::Atanh => x.abs().atanh().copysign(x),
        Function::Exp => x.exp(),
        Function::Log => x.ln(),
        Function::Cbrt => x.cbrt(),
        Function::Abs => x.abs(),
        Function::Sign if x == 0.0 => 0.0,
        Function::Sign => x.signum(),
    }
}

/// Zeros, infinities, ends of domains: what IEEE 754 and the standard library say.
#[test]
fn special_values() {
    let special =
        [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -3.0, 1e308, -1e308, 5e-324, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    for function in Function::ALL {
        for x in special {
            // Here the standard library overflows.
            if matches!(function, Function::Asinh | Function::Acosh) && x.abs() == 1e308 {
                continue;
            }
            let (ours, expected) = (apply(*function, Lanes([x])).0[0], standard(*function, x));
            let alike = same_bits(ours, expected)
                || ours.is_finite() && ours != 0.0 && expected != 0.0 && ((ours - expected) / expected).abs() < 1e-15;
            assert!(alike, "{}({x}) = {ours}, not {expected}", function.name());
        }
    }
    for x in special {
        for y in special.into_iter().chain([3.0, 4.0, 9007199254740993.0, 9007199254740991.0, 0.25]) {
            let expected = if x.is_nan() || y.is_nan() { f64::NAN } else { x.powf(y) };
            let ours = pow(Lanes([x]), Lanes([y])).0[0];
            let alike = same_bits(ours, expected) || ((ours - expected) / expected).abs() < 1e-15;
            assert!(alike, "{x}^{y} = {ours}, not {expected}");
        }
    }
}

#[test]
fn lanes_do_not_change_bits() {
    let mut random = RandomNumbers(6);
    for _ in 0..2000 {
        let mut x = [0.0; 8];
        let mut y = [0.0; 8];
        for lane in 0..8 {
            // Ordinary numbers beside huge, tiny and undefined ones.
            (x[lane], y[lane]) = match random.bits() % 8 {
                0 => (random.of_any_size(-1074.0, 1023.0), random.of_any_size(-10.0, 10.0)),
                1 => ([f64::NAN, f64::INFINITY, -0.0, 0.0][random.bits() as usize % 4], 2.0),
                _ => (random.of_any_size(-4.0, 4.0), random.of_any_size(-3.0, 3.0)),
            };
        }
        for function in Function::ALL {
            let all = apply(*function, Lanes(x)).0;
            for lane in 0..8 {
                let alone = apply(*function, Lanes([x[lane]])).0[0];
                assert!(same_bits(all[lane], alone), "{} at {:e}", function.name(), x[lane]);
            }
        }
        let all = pow(Lanes(x), Lanes(y)).0;
        for lane in 0..8 {
            let alone = pow(Lanes([x[lane]]), Lanes([y[lane]])).0[0];
            assert!(same_bits(all[lane], alone), "{:e}^{:e}", x[lane], y[lane]);
        }
    }
}

/// Powers by hand: exact ones, and a product whose three roundings are known.
#[test]
fn integer_powers_are_products() {
    use super::integer_power;
    for (x, n, expected) in [(2.0, 10, 1024.0), (-3.0, 3, -27.0), (0.5, -4, 16.0), (7.0, 0, 1.0), (f64::NAN, 0, 1.0)] {
        assert_eq!(integer_power(x, n), expected, "{x}^{n}");
    }
    let x = 1.1f64;
    assert_eq!(integer_power(x, 5).to_bits(), (x * ((x * x) * (x * x))).to_bits());
    assert_eq!(integer_power(x, -2).to_bits(), (1.0 / (x * x)).to_bits());
    assert_eq!((integer_power(0.5, i64::MAX), integer_power(-1.0, i64::MIN)), (0.0, 1.0));
    assert_eq!(integer_power(2.0, i64::from(i32::MIN)), 0.0);
}
