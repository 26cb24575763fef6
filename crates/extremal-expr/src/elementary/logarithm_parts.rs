//! Logarithms in the middle of short ranges, computed when this is compiled, with integers only.

/// A range of mantissas, all near `1/reciprocal`.
#[derive(Clone, Copy)]
pub struct LogarithmPart {
    /// Of so few bits that its product with a mantissa, less one, is exact.
    pub reciprocal: f64,
    /// Minus the logarithm of `reciprocal`: a multiple of 2⁻⁴², and the rest.
    pub log: [f64; 2],
}

const COUNT: usize = 128;
/// A part has two to this power numbers.
pub const PART_BITS: u32 = 52 - COUNT.ilog2();
/// The bits of the least mantissa: about √½, such that one is in the middle of a part, whose logarithm is zero then.
pub const LEAST_MANTISSA: u64 = 1f64.to_bits() - (149 << (PART_BITS - 1));

/// One for each part of the mantissas, from [`LEAST_MANTISSA`] on.
pub static PARTS: [LogarithmPart; COUNT] = parts();

const fn parts() -> [LogarithmPart; COUNT] {
    let mut parts = [LogarithmPart { reciprocal: 1.0, log: [0.0; 2] }; COUNT];
    let mut at = 0;
    while at < COUNT {
        let middle = f64::from_bits(LEAST_MANTISSA + ((2 * at as u64 + 1) << (PART_BITS - 1)));
        // Mantissas are multiples of 2⁻⁵³ below one and of 2⁻⁵² above, products then of 2⁻⁶⁰; what exceeds one is below 2⁻⁷.
        let unit = if middle < 1.0 { 128 } else { 256 };
        let count = (unit as f64 / middle + 0.5) as i128;
        parts[at] = LogarithmPart { reciprocal: count as f64 / unit as f64, log: log_of_ratio(unit, count) };
        at += 1;
    }
    parts
}

/// ln(above/below) for ratios between ½ and 2, by the series 2 artanh(s) with s = (above - below)/(above + below) in units of 2⁻¹¹⁰.
const fn log_of_ratio(above: i128, below: i128) -> [f64; 2] {
    const ONE: i128 = 1 << 110;
    const COARSE: i128 = 1 << (110 - 42);
    let (difference, sum) = (above - below, above + below);
    let mut power = 2 * ONE / sum * difference;
    let (mut total, mut odd) = (0, 1);
    while power != 0 {
        total += power / odd;
        power = power / (sum * sum) * (difference * difference);
        odd += 2;
    }
    let coarse = (total + COARSE / 2).div_euclid(COARSE);
    [coarse as f64 / (ONE / COARSE) as f64, (total - coarse * COARSE) as f64 / ONE as f64]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `fine_log` relies on, at both ends of every part.
    #[test]
    fn mantissas_are_near_the_middle_of_their_part() {
        for (at, part) in (0..).zip(&PARTS) {
            let first = LEAST_MANTISSA + (at << PART_BITS);
            for bits in [first, first + (1 << PART_BITS) - 1] {
                let mantissa = f64::from_bits(bits);
                let rest = mantissa.mul_add(part.reciprocal, -1.0);
                assert!(rest.abs() < 2f64.powi(-7), "part {at}: {rest}");
                assert!(part.log[0] == 0.0 || part.log[0].abs() > rest.abs(), "part {at}: {rest}");
                let exact = (mantissa * 2f64.powi(53)) as i128 * (part.reciprocal * 256.0) as i128 - (1 << 61);
                assert_eq!((rest * 2f64.powi(61)) as i128, exact, "part {at}");
            }
            assert_eq!((part.log[0] * 2f64.powi(42)).fract(), 0.0);
            assert!(part.log[1].abs() <= 2f64.powi(-43));
            assert!((part.log[0] + part.log[1] + part.reciprocal.ln()).abs() < 1e-16, "part {at}");
        }
        assert_eq!(PARTS[74].reciprocal, 1.0);
    }
}
