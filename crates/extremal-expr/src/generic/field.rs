//! Arithmetic modulo a safe prime, in which squares play the part of positive numbers.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::Rational;

/// The integers modulo a prime `p = 2 q + 1` with `q` prime too.
///
/// Such a field behaves like the real numbers where roots are concerned. −1 is no square, so exactly one of `x` and `−x` is;
/// calling squares *positive* makes `|x|` and the positive square root multiplicative, as they are for real numbers. Every
/// element has exactly one root of any small odd order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    p: u64,
    /// −1/p modulo 2^64.
    inverse: u64,
    /// 2^128 modulo p.
    square: u64,
}

/// An element of a [`Field`], in Montgomery's form: `x·2^64 mod p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Residue(u64);

/// Safe primes below 2^62 modulo which the primes to 11 are squares; they differ in which larger ones are.
const PRIMES: [u64; 6] = [
    4611686018427065399,
    4611686018427079679,
    4611686018427291359,
    4611686018427179639,
    4611686018427162839,
    4611686018427144599,
];

/// Numerators and denominators that are read back from a residue: any two fractions this simple have different residues, and
/// a random residue has one with a probability of about 2^−14.
const SIMPLE: u64 = 1 << 23;

/// Numerators and denominators that are read back from residues in several fields have so many bits less than half of all: random
/// residues have such a fraction with a probability of about 2^−31.
const SPARE_BITS: u64 = 16;

impl Field {
    /// How many fields there are to choose from.
    pub const COUNT: usize = PRIMES.len();

    /// The field number `index`, modulo [`Field::COUNT`].
    pub fn number(index: usize) -> Field {
        let p = PRIMES[index % PRIMES.len()];
        // Newton's iteration doubles the correct bits of 1/p modulo 2^64; an odd number is its own inverse modulo 8.
        let inverse = (0..5).fold(p, |x, _| x.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(x))));
        let square = ((u128::MAX % u128::from(p)) as u64 + 1) % p;
        Field { p, inverse: inverse.wrapping_neg(), square }
    }

    /// Zero.
    pub const ZERO: Residue = Residue(0);

    /// One.
    pub fn one(self) -> Residue {
        self.residue(1)
    }

    /// The residue of a small number, or of random bits.
    pub fn residue(self, value: u64) -> Residue {
        self.reduce(u128::from(value % self.p) * u128::from(self.square))
    }

    /// The residue of an integer.
    pub fn integer(self, value: i64) -> Residue {
        let size = self.residue(value.unsigned_abs());
        if value < 0 { self.neg(size) } else { size }
    }

    /// The residue of a rational number, `None` if its denominator is a multiple of `p`.
    pub fn rational(self, value: &Rational) -> Option<Residue> {
        let (numerator, denominator) = value.modulo(self.p);
        Some(self.mul(self.residue(numerator), self.inv(self.residue(denominator))?))
    }

    fn reduce(self, wide: u128) -> Residue {
        let factor = (wide as u64).wrapping_mul(self.inverse);
        let sum = wide + u128::from(factor) * u128::from(self.p);
        let high = (sum >> 64) as u64;
        Residue(if high >= self.p { high - self.p } else { high })
    }

    fn value(self, x: Residue) -> u64 {
        self.reduce(u128::from(x.0)).0
    }

    /// `a + b`.
    pub fn add(self, a: Residue, b: Residue) -> Residue {
        let sum = a.0 + b.0;
        Residue(if sum >= self.p { sum - self.p } else { sum })
    }

    /// `a − b`.
    pub fn sub(self, a: Residue, b: Residue) -> Residue {
        Residue(if a.0 >= b.0 { a.0 - b.0 } else { a.0 + self.p - b.0 })
    }

    /// `−a`.
    pub fn neg(self, a: Residue) -> Residue {
        self.sub(Self::ZERO, a)
    }

    /// `a b`.
    pub fn mul(self, a: Residue, b: Residue) -> Residue {
        self.reduce(u128::from(a.0) * u128::from(b.0))
    }

    /// `Σ a_i b_i`.
    pub fn dot(self, a: &[Residue], b: &[Residue]) -> Residue {
        a.iter().zip(b).fold(Self::ZERO, |sum, (a, b)| self.add(sum, self.mul(*a, *b)))
    }

    fn pow_unsigned(self, base: Residue, mut exponent: u64) -> Residue {
        let (mut square, mut power) = (base, self.one());
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = self.mul(power, square);
            }
            square = self.mul(square, square);
            exponent >>= 1;
        }
        power
    }

    /// `1/a`, `None` for zero.
    pub fn inv(self, a: Residue) -> Option<Residue> {
        (a != Self::ZERO).then(|| self.pow_unsigned(a, self.p - 2))
    }

    /// `base^exponent`, `None` for a negative power of zero.
    pub fn pow(self, base: Residue, exponent: i64) -> Option<Residue> {
        let power = self.pow_unsigned(base, exponent.unsigned_abs());
        if exponent < 0 { self.inv(power) } else { Some(power) }
    }

    /// Is it a square other than zero?
    pub fn is_positive(self, a: Residue) -> bool {
        self.pow_unsigned(a, (self.p - 1) / 2) == self.one()
    }

    /// `|a|`: whichever of `a` and `−a` is positive.
    pub fn abs(self, a: Residue) -> Residue {
        if a == Self::ZERO || self.is_positive(a) { a } else { self.neg(a) }
    }

    /// The positive root of even order, or the root of odd order; `None` where there is none (or the order is absurd).
    pub fn root(self, a: Residue, order: u32) -> Option<Residue> {
        let halvings = order.trailing_zeros();
        let odd = u64::from(order >> halvings);
        let mut root = a;
        for _ in 0..halvings {
            // p = 3 mod 4: this power of a square is the root that is itself a square.
            let half = self.pow_unsigned(root, (self.p + 1) / 4);
            if self.mul(half, half) != root {
                return None;
            }
            root = half;
        }
        let exponent = inverse_modulo(odd, self.p - 1)?;
        Some(self.pow_unsigned(root, exponent))
    }

    /// The simple fraction with this residue, if there is one.
    pub fn fraction(self, a: Residue) -> Option<Rational> {
        // Half of the extended Euclidean algorithm, which passes through the smallest fraction.
        let (mut r0, mut r1) = (i128::from(self.p), i128::from(self.value(a)));
        let (mut t0, mut t1) = (0i128, 1i128);
        while r1 >= i128::from(SIMPLE) {
            let quotient = r0 / r1;
            (r0, r1) = (r1, r0 - quotient * r1);
            (t0, t1) = (t1, t0 - quotient * t1);
        }
        let (numerator, denominator) = (i64::try_from(r1).ok()?, i64::try_from(t1).ok()?);
        if denominator == 0 || denominator.unsigned_abs() >= SIMPLE {
            return None;
        }
        Rational::new(numerator, denominator)
    }

    /// The fraction with these residues in different fields, if there is one that is simple for so many.
    pub fn common_fraction(residues: &[(Field, Residue)]) -> Option<Rational> {
        if let [(field, residue)] = residues {
            return field.fraction(*residue);
        }
        // By the Chinese remainder theorem, one field after the other.
        let (mut modulus, mut value) = (BigInt::one(), BigInt::zero());
        for (f, residue) in residues {
            let least = |x: &BigInt| (x % BigInt::from(f.p)).to_u64().map(|x| f.residue(x));
            let digit = f.mul(f.sub(*residue, least(&value)?), f.inv(least(&modulus)?)?);
            value += &modulus * BigInt::from(f.value(digit));
            modulus *= BigInt::from(f.p);
        }
        let simple = BigInt::one() << (modulus.bits() / 2 - SPARE_BITS);
        let (mut r0, mut r1) = (modulus, value);
        let (mut t0, mut t1) = (BigInt::zero(), BigInt::one());
        while r1 >= simple {
            let quotient = &r0 / &r1;
            (r0, r1) = (r1.clone(), r0 - &quotient * &r1);
            (t0, t1) = (t1.clone(), t0 - &quotient * &t1);
        }
        (!t1.is_zero() && t1.abs() < simple).then(|| Rational::from_big(BigRational::new(r1, t1)))
    }
}

/// `1/a` modulo an even number, `None` when they share a factor.
fn inverse_modulo(a: u64, modulus: u64) -> Option<u64> {
    let (mut r0, mut r1) = (i128::from(modulus), i128::from(a % modulus));
    let (mut t0, mut t1) = (0i128, 1i128);
    while r1 != 0 {
        let quotient = r0 / r1;
        (r0, r1) = (r1, r0 - quotient * r1);
        (t0, t1) = (t1, t0 - quotient * t1);
    }
    (r0 == 1).then(|| u64::try_from(t0.rem_euclid(i128::from(modulus))).ok()).flatten()
}

/// Well mixed bits from a seed and a number: the same for the same pair, and otherwise unrelated.
pub(super) fn mixed(seed: u64, number: u64) -> u64 {
    let mut z = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_is_one_and_its_squares_behave_like_positive_numbers() {
        for index in 0..Field::COUNT {
            let f = Field::number(index);
            for i in 1..50u64 {
                let (a, b) = (f.residue(mixed(7, i)), f.residue(mixed(8, i)));
                assert_eq!(f.mul(a, f.inv(a).unwrap()), f.one());
                assert_eq!(f.sub(f.add(a, b), b), a);
                assert_eq!(f.mul(f.abs(a), f.abs(b)), f.abs(f.mul(a, b)));
                let (ra, rb) = (f.root(f.abs(a), 2).unwrap(), f.root(f.abs(b), 2).unwrap());
                assert_eq!(f.mul(ra, rb), f.root(f.abs(f.mul(a, b)), 2).unwrap());
                assert_eq!(f.root(f.mul(a, a), 2), Some(f.abs(a)));
                assert_ne!(f.is_positive(a), f.is_positive(f.neg(a)));
                assert_eq!(f.pow(f.root(f.abs(a), 6).unwrap(), 6), Some(f.abs(a)));
                assert_eq!(f.pow(f.root(a, 15).unwrap(), 15), Some(a));
            }
        }
    }

    #[test]
    fn simple_fractions_are_read_back() {
        let f = Field::number(0);
        for (n, d) in [(0, 1), (1, 1), (-1, 3), (981, 100), (-243, 20000), (8388607, 8388593)] {
            let value = Rational::new(n, d).unwrap();
            assert_eq!(f.fraction(f.rational(&value).unwrap()), Some(value));
        }
        let noise = (0..1000).filter(|i| f.fraction(f.residue(mixed(1, *i))).is_some()).count();
        assert!(noise < 3, "{noise} of 1000 random residues look like fractions");
    }

    #[test]
    fn long_fractions_are_read_back_from_several_fields() {
        let fields: Vec<Field> = (0..3).map(Field::number).collect();
        for text in ["1e-18", "-981e15", "0.000000000123456789", "123456789e-20", "0", "1"] {
            let value = Rational::parse_decimal(text.trim_start_matches('-')).unwrap();
            let value = if text.starts_with('-') { -&value } else { value };
            let residues: Vec<_> = fields.iter().map(|f| (*f, f.rational(&value).unwrap())).collect();
            assert_eq!(Field::common_fraction(&residues), Some(value), "{text}");
        }
        let random = |i: u64| fields.iter().zip(2..).map(|(f, k)| (*f, f.residue(mixed(k, i)))).collect::<Vec<_>>();
        assert!((0..100).all(|i| Field::common_fraction(&random(i)).is_none()));
    }
}
