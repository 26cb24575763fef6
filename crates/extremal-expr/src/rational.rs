//! Exact rational numbers: machine integers while they fit, big ones after.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};

/// An exact rational number in lowest terms, denominator positive.
///
/// ```
/// use extremal_expr::Rational;
/// let third = Rational::new(2, 6).unwrap();
/// assert_eq!(third.to_string(), "1/3");
/// assert_eq!(Rational::parse_decimal("1.50e-1"), Rational::new(3, 20));
/// assert_eq!((&third + &third).to_f64(), 2.0 / 3.0);
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational(Repr);

/// `Small` whenever both parts fit, so that equality and hashing are structural.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64, i64),
    Big(Box<BigRational>),
}

/// Decimal exponents beyond this are refused: no finite `f64` needs them, and an exact power of ten that large only wastes memory.
const MAX_DECIMAL_EXPONENT: i64 = 400;
/// Decimal numbers of so many digits and zeros are read without big integers.
const SHORT_DECIMAL: usize = 18;
/// Exact powers stop here (in bits of the result); larger ones stay symbolic.
const MAX_POWER_BITS: u64 = 4096;

impl Rational {
    /// Zero.
    pub const ZERO: Rational = Rational(Repr::Small(0, 1));
    /// One half.
    pub const HALF: Rational = Rational(Repr::Small(1, 2));
    /// One.
    pub const ONE: Rational = Rational(Repr::Small(1, 1));
    /// Minus one.
    pub const MINUS_ONE: Rational = Rational(Repr::Small(-1, 1));

    /// `num/den`, or `None` when `den` is zero.
    pub fn new(num: i64, den: i64) -> Option<Rational> {
        (den != 0).then(|| Self::from_i128(num.into(), den.into()))
    }

    /// The exact value of a decimal literal such as `12`, `.5`, `1.50e-3`; `None` when it is malformed or its exponent exceeds ±400.
    pub fn parse_decimal(text: &str) -> Option<Rational> {
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: String = [whole, fraction].concat();
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let exponent = exponent.checked_sub(fraction.len() as i64)?;
        if exponent.abs() > MAX_DECIMAL_EXPONENT + digits.len() as i64 {
            return None;
        }
        if digits.len() <= SHORT_DECIMAL && exponent.unsigned_abs() <= SHORT_DECIMAL as u64 {
            let (number, power) = (digits.parse::<i128>().ok()?, 10i128.pow(exponent.unsigned_abs() as u32));
            return Some(if exponent < 0 {
                Self::from_i128(number, power)
            } else {
                Self::from_i128(number * power, 1)
            });
        }
        let digits: BigInt = digits.parse().ok()?;
        let power = BigInt::from(10u8).pow(exponent.unsigned_abs() as u32);
        Some(Self::from_big(match exponent < 0 {
            true => BigRational::new(digits, power),
            false => BigRational::from(digits * power),
        }))
    }

    /// The exact value of a finite `f64`.
    pub fn from_f64(value: f64) -> Option<Rational> {
        BigRational::from_float(value).map(Self::from_big)
    }

    fn from_i128(num: i128, den: i128) -> Rational {
        if den == 1
            && let Ok(num) = i64::try_from(num)
        {
            return Rational(Repr::Small(num, 1));
        }
        let gcd = gcd(num.unsigned_abs(), den.unsigned_abs()) as i128;
        let sign = if den < 0 { -1 } else { 1 };
        let (num, den) = (sign * num / gcd, sign * den / gcd);
        match (i64::try_from(num), i64::try_from(den)) {
            (Ok(num), Ok(den)) => Rational(Repr::Small(num, den)),
            _ => Rational(Repr::Big(Box::new(BigRational::new_raw(num.into(), den.into())))),
        }
    }

    pub(crate) fn from_big(value: BigRational) -> Rational {
        match (value.numer().to_i64(), value.denom().to_i64()) {
            (Some(num), Some(den)) => Rational(Repr::Small(num, den)),
            _ => Rational(Repr::Big(Box::new(value))),
        }
    }

    fn to_big(&self) -> BigRational {
        match &self.0 {
            Repr::Small(num, den) => BigRational::new_raw((*num).into(), (*den).into()),
            Repr::Big(value) => (**value).clone(),
        }
    }

    /// Is it 0?
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0, _))
    }

    /// Is it 1?
    pub fn is_one(&self) -> bool {
        matches!(self.0, Repr::Small(1, 1))
    }

    /// Is it below 0?
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Repr::Small(num, _) => *num < 0,
            Repr::Big(value) => value.is_negative(),
        }
    }

    /// Is the denominator 1?
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Repr::Small(_, den) => *den == 1,
            Repr::Big(value) => value.is_integer(),
        }
    }

    /// The value, if it is an integer that fits.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(num, 1) => Some(num),
            _ => None,
        }
    }

    /// Numerator and denominator, if both fit.
    pub fn to_parts(&self) -> Option<(i64, i64)> {
        match self.0 {
            Repr::Small(num, den) => Some((num, den)),
            Repr::Big(_) => None,
        }
    }

    /// Numerator as an exact integer.
    pub fn numerator(&self) -> Rational {
        Self::from_big(BigRational::from(self.to_big().numer().clone()))
    }

    /// Denominator as an exact integer.
    pub fn denominator(&self) -> Rational {
        Self::from_big(BigRational::from(self.to_big().denom().clone()))
    }

    /// Numerator and denominator modulo `p`, both in `0..p`.
    pub(crate) fn modulo(&self, p: u64) -> (u64, u64) {
        let value = self.to_big();
        let least = |x: &BigInt| {
            let rest = x % BigInt::from(p);
            let positive = if rest.is_negative() { rest + BigInt::from(p) } else { rest };
            positive.to_u64().unwrap_or(0)
        };
        (least(value.numer()), least(value.denom()))
    }

    /// The nearest `f64`.
    pub fn to_f64(&self) -> f64 {
        const EXACT: u64 = 1 << 53;
        match &self.0 {
            Repr::Small(num, den) if num.unsigned_abs() <= EXACT && den.unsigned_abs() <= EXACT => {
                *num as f64 / *den as f64
            }
            _ => self.to_big().to_f64().unwrap_or(f64::NAN),
        }
    }

    /// Absolute value.
    pub fn abs(&self) -> Rational {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// `1/self`, or `None` for zero.
    pub fn recip(&self) -> Option<Rational> {
        match &self.0 {
            Repr::Small(0, _) => None,
            Repr::Small(num, den) => Some(Self::from_i128((*den).into(), (*num).into())),
            Repr::Big(value) => Some(Self::from_big(value.recip())),
        }
    }

    /// `self^exponent`; `None` for a negative power of zero or a result too large to be worth keeping exact.
    pub fn pow(&self, exponent: i64) -> Option<Rational> {
        if exponent < 0 {
            return self.recip()?.pow(exponent.checked_neg()?);
        }
        if exponent == 1 && matches!(self.0, Repr::Small(..)) {
            return Some(self.clone());
        }
        let value = self.to_big();
        let bits = value.numer().bits().max(value.denom().bits());
        if bits > 1 && bits.saturating_mul(exponent.unsigned_abs()) > MAX_POWER_BITS {
            return None;
        }
        if bits <= 1 {
            // 0 and ±1: any exponent, without the loop.
            return Some(match exponent {
                0 => Rational::ONE,
                e if e % 2 == 0 => self.abs(),
                _ => self.clone(),
            });
        }
        Some(Self::from_big(num_traits::pow(value, exponent as usize)))
    }

    /// The exact `q`-th root of a non-negative rational, when it is rational.
    pub fn exact_root(&self, q: u32) -> Option<Rational> {
        if self.is_negative() {
            return None;
        }
        if let Repr::Small(num, den) = self.0 {
            return Some(Rational(Repr::Small(integer_root(num, q)?, integer_root(den, q)?)));
        }
        let value = self.to_big();
        let (num, den) = (value.numer().nth_root(q), value.denom().nth_root(q));
        let root = BigRational::new(num, den);
        (num_traits::pow(root.clone(), q as usize) == value).then(|| Self::from_big(root))
    }
}

/// The `q`-th root of a number that is not negative, where it is an integer. It has half of the bits at most, which a floating point
/// number has room for.
fn integer_root(value: i64, q: u32) -> Option<i64> {
    let near = match q {
        1 => value,
        2 => (value as f64).sqrt().round() as i64,
        _ => (value as f64).powf(1.0 / f64::from(q)).round() as i64,
    };
    (near.checked_pow(q) == Some(value)).then_some(near)
}

/// The greatest common divisor; 1 of two zeros.
pub(crate) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        // A division of words takes a tenth of the time of a wide one.
        (a, b) = match (u64::try_from(a), u64::try_from(b)) {
            (Ok(x), Ok(y)) => (b, u128::from(x % y)),
            _ => (b, a % b),
        };
    }
    a.max(1)
}

/// The least common multiple of two positive numbers.
pub(crate) fn lcm(a: i64, b: i64) -> i64 {
    a / gcd(a.unsigned_abs().into(), b.unsigned_abs().into()) as i64 * b
}

impl From<i64> for Rational {
    fn from(value: i64) -> Self {
        Rational(Repr::Small(value, 1))
    }
}

impl Add for &Rational {
    type Output = Rational;
    fn add(self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (Repr::Small(0, _), _) => other.clone(),
            (_, Repr::Small(0, _)) => self.clone(),
            (Repr::Small(a, 1), Repr::Small(c, 1)) => Rational::from_i128(*a as i128 + *c as i128, 1),
            (Repr::Small(a, b), Repr::Small(c, d)) => {
                let (a, b, c, d) = (*a as i128, *b as i128, *c as i128, *d as i128);
                // |a d| and |c b| are below 2^126 each: their sum fits.
                Rational::from_i128(a * d + c * b, b * d)
            }
            _ => Rational::from_big(self.to_big() + other.to_big()),
        }
    }
}

impl Mul for &Rational {
    type Output = Rational;
    fn mul(self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (Repr::Small(1, 1), _) => other.clone(),
            (_, Repr::Small(1, 1)) => self.clone(),
            (Repr::Small(a, b), Repr::Small(c, d)) => {
                Rational::from_i128(*a as i128 * *c as i128, *b as i128 * *d as i128)
            }
            _ => Rational::from_big(self.to_big() * other.to_big()),
        }
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        match &self.0 {
            Repr::Small(num, den) if *num != i64::MIN => Rational(Repr::Small(-num, *den)),
            Repr::Small(num, den) => Rational::from_i128(-(*num as i128), *den as i128),
            Repr::Big(value) => Rational::from_big(-(**value).clone()),
        }
    }
}

impl Sub for &Rational {
    type Output = Rational;
    fn sub(self, other: &Rational) -> Rational {
        self + &-other
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a, b), Repr::Small(c, d)) => (*a as i128 * *d as i128).cmp(&(*c as i128 * *b as i128)),
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(num, 1) => write!(f, "{num}"),
            Repr::Small(num, den) => write!(f, "{num}/{den}"),
            Repr::Big(value) => write!(f, "{value}"),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact_and_round_like_literals() {
        for text in [
            "6.32591398",
            "1e-300",
            "0.1",
            "123456789012345678901234567890",
            "2.2250738585072014e-308",
            ".5",
            "1.",
            "1e22",
        ] {
            let exact = Rational::parse_decimal(text).unwrap();
            assert_eq!(exact.to_f64(), text.parse::<f64>().unwrap(), "{text}");
        }
        for text in ["", ".", "e5", "1e99999", "1e", "0x1", "--1", "1.2.3"] {
            assert_eq!(Rational::parse_decimal(text), None, "{text}");
        }
    }

    #[test]
    fn overflow_moves_to_big_and_back() {
        let big = Rational::from(i64::MAX);
        let square = &big * &big;
        assert!(square.to_parts().is_none());
        assert_eq!(&square * &big.recip().unwrap(), big);
        assert_eq!((-&Rational::from(i64::MIN)).to_f64(), 9.223372036854775808e18);
    }

    #[test]
    fn powers_and_roots() {
        let two_thirds = Rational::new(2, 3).unwrap();
        assert_eq!(two_thirds.pow(-3), Rational::new(27, 8));
        assert_eq!(two_thirds.pow(0), Some(Rational::ONE));
        assert_eq!(Rational::ZERO.pow(-1), None);
        assert_eq!(Rational::ZERO.pow(3), Some(Rational::ZERO));
        assert_eq!(Rational::MINUS_ONE.pow(1_000_000_001), Some(Rational::MINUS_ONE));
        assert_eq!(Rational::from(2).pow(1_000_000), None);
        assert_eq!(Rational::new(8, 27).unwrap().exact_root(3), Some(two_thirds));
        assert_eq!(Rational::from(2).exact_root(2), None);
    }

    #[test]
    fn floats_are_taken_exactly() {
        assert_eq!(Rational::from_f64(0.75), Rational::new(3, 4));
        assert_ne!(Rational::from_f64(0.1), Rational::new(1, 10));
        assert_eq!(Rational::from_f64(f64::NAN), None);
    }
}
