//! Symmetric compositions: fractions γ_1 … γ_s of the step, palindromic, summing to one.

use extremal_expr::elementary::power;
use extremal_model::Composition;

/// The fractions of a composition, in order.
pub fn substeps(composition: Composition) -> Vec<f64> {
    match composition {
        Composition::Yoshida4 => triple_jump(4),
        Composition::Suzuki4 => {
            let outer = 1.0 / (4.0 - power(4.0, 1.0 / 3.0));
            vec![outer, outer, 1.0 - 4.0 * outer, outer, outer]
        }
        // Yoshida (1990), solution A.
        Composition::Yoshida6 => palindrome(&YOSHIDA6),
        // Fifteen stages as Yoshida's of order 8, with the coefficients of Suzuki & Umeno (1993), whose errors are smaller.
        Composition::Yoshida8 => palindrome(&YOSHIDA8),
        // Kahan & Li (1997), seventeen stages, order 8.
        Composition::KahanLi8 => palindrome(&KAHAN_LI8),
    }
}

/// Yoshida's triple jump from order `order − 2`: γ, 1 − 2γ, γ.
fn triple_jump(order: i32) -> Vec<f64> {
    let outer = 1.0 / (2.0 - power(2.0, 1.0 / f64::from(order - 1)));
    vec![outer, 1.0 - 2.0 * outer, outer]
}

/// Mirrors the outer fractions around a middle one that makes the sum one.
fn palindrome(outer: &[f64]) -> Vec<f64> {
    let middle = 1.0 - 2.0 * outer.iter().sum::<f64>();
    outer.iter().copied().chain([middle]).chain(outer.iter().rev().copied()).collect()
}

const YOSHIDA6: [f64; 3] =
    [0.784513610477557263819497633866351, 0.235573213359358133684793182978535, -1.17767998417887100694641568096432];

const YOSHIDA8: [f64; 7] = [
    0.74167036435061295344822780,
    -0.40910082580003159399730010,
    0.19075471029623837995387626,
    -0.57386247111608226665638773,
    0.29906418130365592384446354,
    0.33462491824529818378495798,
    0.31529309239676659663205666,
];

const KAHAN_LI8: [f64; 8] = [
    0.13020248308889008087881763,
    0.56116298177510838456196441,
    -0.38947496264484728640807860,
    0.15884190655515560089621075,
    -0.39590389413323757733623154,
    0.18453964097831570709183254,
    0.25837438768632204729397911,
    0.29501172360931029887096624,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Order conditions of symmetric compositions of a symmetric second-order method that involve power sums only:
    /// Σγ = 1, Σγ³ = 0 (order 4), Σγ⁵ = 0 (order 6), Σγ⁷ = 0 (order 8). Digits of the tables are worth about 1e-15.
    #[test]
    fn power_sums_vanish() {
        let cases = [
            (Composition::Yoshida4, 4),
            (Composition::Suzuki4, 4),
            (Composition::Yoshida6, 6),
            (Composition::Yoshida8, 8),
            (Composition::KahanLi8, 8),
        ];
        for (composition, order) in cases {
            let gammas = substeps(composition);
            let power_sum = |k: i32| gammas.iter().map(|g| g.powi(k)).sum::<f64>();
            assert!((power_sum(1) - 1.0).abs() < 1e-15, "{composition:?}");
            for k in (3..order).step_by(2) {
                assert!(power_sum(k).abs() < 1e-13, "{composition:?} {k} {}", power_sum(k));
            }
            assert!(power_sum(order + 1).abs() > 1e-6, "{composition:?}: the next one must not vanish");
        }
    }
}
