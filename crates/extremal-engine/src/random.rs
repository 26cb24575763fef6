//! Random numbers that depend on nothing but what they are for.

use extremal_expr::Function;

/// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, *Parallel random numbers: as easy as 1, 2, 3*, 2011): a function from a counter and a
/// key to random bits. Member 7 of a sweep gets the same numbers whichever thread comes to it, and when.
fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    const MULTIPLIERS: [u64; 2] = [0xD251_1F53, 0xCD9E_8D57];
    const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
    const ROUNDS: usize = 10;
    for _ in 0..ROUNDS {
        let products = [MULTIPLIERS[0] * u64::from(counter[0]), MULTIPLIERS[1] * u64::from(counter[2])];
        let high = products.map(|product| (product >> 32) as u32);
        let low = products.map(|product| product as u32);
        counter = [high[1] ^ counter[1] ^ key[0], low[1], high[0] ^ counter[3] ^ key[1], low[0]];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    counter
}

/// Two independent numbers, uniform in [0, 1), for one member and one name.
pub(crate) fn uniform_pair(seed: u64, member: u64, name: u64) -> [f64; 2] {
    let halves = |x: u64| [x as u32, (x >> 32) as u32];
    let ([m0, m1], [n0, n1]) = (halves(member), halves(name));
    let bits = philox([m0, m1, n0, n1], halves(seed));
    // 53 bits, so that every value is a multiple of 2⁻⁵³ and 1 is none of them.
    let unit = |low: u32, high: u32| ((u64::from(high) << 32 | u64::from(low)) >> 11) as f64 * 2f64.powi(-53);
    [unit(bits[0], bits[1]), unit(bits[2], bits[3])]
}

/// A number of mean 0 and standard deviation 1, by Box and Muller.
pub(crate) fn normal([a, b]: [f64; 2]) -> f64 {
    (-2.0 * Function::Log.apply(1.0 - a)).sqrt() * Function::Cos.apply(std::f64::consts::TAU * b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use extremal_trajectory::frame::checksum;

    #[test]
    fn the_generator_is_the_published_one() {
        // Known answers of the authors' library Random123.
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(philox([u32::MAX; 4], [u32::MAX; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        let answer = [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1];
        assert_eq!(philox(pi, [0xa409_3822, 0x299f_31d0]), answer);
    }

    const NORMAL: [([f64; 2], f64); 5] = [
        ([0.25, 0.125], 0.5363600213026517),
        ([0.5, 0.75], -2.1628671230363836e-16),
        ([0.9375, 0.40625], -1.9579613098841457),
        ([0.0078125, 0.6875], -0.047929255077509836),
        ([0.999755859375, 0.03125], 4.000297499482533),
    ];

    /// By arithmetic with 50 digits, typed in: ln and cos of other libraries may differ in the last place, these do not.
    #[test]
    fn normal_numbers_have_their_bits() {
        for (pair, expected) in NORMAL {
            assert_eq!(normal(pair).to_bits(), f64::to_bits(expected), "{pair:?}");
        }
    }

    #[test]
    fn moments_are_those_of_the_distributions() {
        let n = 40_000;
        let moments = |value: &dyn Fn(u64) -> f64| {
            let sums = (0..n).map(value).fold([0.0; 3], |s, x| [s[0] + x, s[1] + x * x, s[2] + x * x * x]);
            sums.map(|sum| sum / n as f64)
        };
        // Four standard errors of a mean over n: 4σ/200, with σ² = ⟨x²⟩ − ⟨x⟩² of the power in question.
        let [mean, square, _] = moments(&|k| uniform_pair(7, k, checksum(b"x"))[0]);
        assert!((mean - 0.5).abs() < 4.0 * (1.0 / 12f64).sqrt() / 200.0, "{mean}");
        assert!((square - 1.0 / 3.0).abs() < 4.0 * (4.0 / 45f64).sqrt() / 200.0, "{square}");
        let [mean, square, cube] = moments(&|k| normal(uniform_pair(7, k, checksum(b"x"))));
        assert!(mean.abs() < 4.0 / 200.0, "{mean}");
        assert!((square - 1.0).abs() < 4.0 * 2f64.sqrt() / 200.0, "{square}");
        assert!(cube.abs() < 4.0 * 15f64.sqrt() / 200.0, "{cube}");
        // Names and seeds are independent: correlation of two uniforms, of standard error 1/12/200.
        for other in [(7, "y"), (8, "x")] {
            let product = moments(&|k| {
                let [a, b] = [(7, "x"), other].map(|(seed, name)| uniform_pair(seed, k, checksum(name.as_bytes()))[0]);
                (a - 0.5) * (b - 0.5)
            });
            assert!(product[0].abs() < 4.0 / 12.0 / 200.0, "{product:?}");
        }
    }
}
