//! Fractions of the step, palindromic, summing to one: γ_1 … γ_s of a symmetric method, or α_1 … α_2s of a method and its adjoint by
//! turns, which for a separable system is a splitting: kicks over α_1 + α_2, α_3 + α_4 …, and drifts between them.

use extremal_expr::elementary::power;
use extremal_model::Composition;

/// The fractions of a composition, in order. A method and its adjoint come by turns, the adjoint first.
pub fn fractions(composition: Composition) -> Vec<f64> {
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
        // Sofroniou & Spaletta (2005), thirty-five stages, order 10.
        Composition::SofroniouSpaletta10 => palindrome(&SOFRONIOU_SPALETTA10),
        // Blanes & Moan (2002): S6 of order 4, S10 of order 6, and SRKN14a of order 6.
        Composition::BlanesMoan4 => mirrored(&BLANES_MOAN4),
        Composition::BlanesMoan6 => mirrored(&BLANES_MOAN6),
        Composition::BlanesMoan6Nystrom => mirrored(&BLANES_MOAN6_NYSTROM),
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

/// The outer fractions and their mirror image, with one that makes the sum one in between.
fn mirrored(outer: &[f64]) -> Vec<f64> {
    let middle = 0.5 - outer.iter().sum::<f64>();
    let half = || outer.iter().copied().chain([middle]);
    half().chain(half().rev()).collect()
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

const SOFRONIOU_SPALETTA10: [f64; 17] = [
    0.07879572252168641926390768,
    0.31309610341510852776481247,
    0.02791838323507806610952027,
    -0.22959284159390709415121340,
    0.13096206107716486317465686,
    -0.26973340565451071434460973,
    0.07497334315589143566613711,
    0.11199342399981020488957508,
    0.36613344954622675119314812,
    -0.39910563013603589787862981,
    0.10308739852747107731580277,
    0.41143087395589023782070412,
    -0.00486636058313526176219566,
    -0.39203335370863990644808194,
    0.05194250296244964703718290,
    0.05066509075992449633587434,
    0.04967437063972987905456880,
];

const BLANES_MOAN4: [f64; 5] =
    [0.0792036964311957, 0.1303114101821663, 0.2228614958676077, -0.3667132690474257, 0.3246481886897062];

const BLANES_MOAN6: [f64; 9] = [
    0.050262764400392,
    0.098553683500650,
    0.314960616927694,
    -0.447346482695478,
    0.492426372489876,
    -0.425118767797691,
    0.237063913978122,
    0.195602488600053,
    0.346358189850727,
];

/// From the coefficients of drifts and kicks, a_1 = α_1, b_1 = α_1 + α_2, a_2 = α_2 + α_3 …
const BLANES_MOAN6_NYSTROM: [f64; 13] = [
    0.0378593198406116,
    0.05385983278385005,
    0.04877580031858495,
    0.13520736968642105,
    -0.16107525795297975,
    0.10454089212009148,
    0.20970051095135552,
    -0.204785822176642666,
    0.074641362659227666,
    0.069119764509130334,
    0.037297935860412666,
    0.291269757886391334,
    -0.300064001014901914,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Drifts and kicks of the methods by turns, as they are published.
    #[test]
    fn steps_by_turns_are_drifts_and_kicks() {
        let nystrom = fractions(Composition::BlanesMoan6Nystrom);
        let kicks: Vec<f64> = nystrom.chunks(2).map(|pair| pair[0] + pair[1]).collect();
        let drifts: Vec<f64> = nystrom[1..27].chunks(2).map(|pair| pair[0] + pair[1]).collect();
        let published_kicks = [
            0.09171915262446165,
            0.183983170005006,
            -0.05653436583288827,
            0.004914688774712854,
            0.143761127168358,
            0.328567693746804,
        ];
        let published_drifts = [
            0.102635633102435,
            -0.0258678882665587,
            0.314241403071447,
            -0.130144459517415,
            0.106417700369543,
            -0.00879424312851058,
        ];
        for (ours, published) in [(&kicks, published_kicks), (&drifts, published_drifts)] {
            for (at, value) in published.iter().enumerate() {
                assert!((ours[at] - value).abs() < 1e-15, "{at}: {} {value}", ours[at]);
                assert_eq!(ours[at].to_bits(), ours[ours.len() - 1 - at].to_bits());
            }
            assert!(
                (ours.iter().sum::<f64>() + if ours.len() == 13 { 2.0 * nystrom[0] } else { 0.0 } - 1.0).abs() < 1e-15
            );
        }
        for composition in [Composition::BlanesMoan4, Composition::BlanesMoan6] {
            // Of a method and its adjoint: the sums over both of them together as for a symmetric one, Σα = 1 and Σ±α² = 0.
            let alphas = fractions(composition);
            let signed: f64 = alphas.iter().enumerate().map(|(at, a)| if at % 2 == 0 { a * a } else { -a * a }).sum();
            assert!((alphas.iter().sum::<f64>() - 1.0).abs() < 1e-15 && signed.abs() < 1e-14);
            assert!(alphas.iter().map(|a| a.powi(3)).sum::<f64>().abs() < 1e-13, "{composition:?}");
        }
    }

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
            (Composition::SofroniouSpaletta10, 10),
        ];
        for (composition, order) in cases {
            let gammas = fractions(composition);
            let power_sum = |k: i32| gammas.iter().map(|g| g.powi(k)).sum::<f64>();
            assert!((power_sum(1) - 1.0).abs() < 1e-15, "{composition:?}");
            for k in (3..order).step_by(2) {
                assert!(power_sum(k).abs() < 1e-13, "{composition:?} {k} {}", power_sum(k));
            }
            assert!(power_sum(order + 1).abs() > 1e-6, "{composition:?}: the next one must not vanish");
        }
    }
}
