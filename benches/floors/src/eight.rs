//! Eight numbers in one register of AVX-512, written in its instructions: left to itself the compiler cuts them in halves.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::ops::{Add, Mul, Neg, Sub};

use crate::real::{COSINE, HALF_PI, ROUNDING, Real, SINE, SideBySide};

/// Eight numbers side by side.
///
/// # Safety
/// [`Eight`] is used only inside [`on_widest`](crate::on_widest), where the processor was found to have AVX-512 (F and DQ).
#[derive(Clone, Copy)]
pub(crate) struct Eight(__m512d);

/// Is there such a register?
pub(crate) fn present() -> bool {
    let wide = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq");
    wide && is_x86_feature_detected!("avx512vl") && is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

macro_rules! operator {
    ($trait:ident, $method:ident, $instruction:ident) => {
        impl $trait for Eight {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                // SAFETY: as said at the type.
                Eight(unsafe { $instruction(self.0, b.0) })
            }
        }
    };
}
operator!(Add, add, _mm512_add_pd);
operator!(Sub, sub, _mm512_sub_pd);
operator!(Mul, mul, _mm512_mul_pd);

impl Neg for Eight {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::of(0.0) - self
    }
}

impl Real for Eight {
    #[inline(always)]
    fn of(x: f64) -> Self {
        // SAFETY: as said at the type.
        Eight(unsafe { _mm512_set1_pd(x) })
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        // SAFETY: as said at the type.
        Eight(unsafe { _mm512_fmadd_pd(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn recip(self) -> Self {
        // SAFETY: as said at the type.
        Eight(unsafe { _mm512_div_pd(_mm512_set1_pd(1.0), self.0) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: as said at the type.
        Eight(unsafe { _mm512_sqrt_pd(self.0) })
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let of = Self::of;
        let turns = self.fma(of(std::f64::consts::FRAC_2_PI), of(ROUNDING));
        let k = of(ROUNDING) - turns;
        let r = k.fma(of(HALF_PI[1]), k.fma(of(HALF_PI[0]), self));
        let z = r * r;
        let horner = |c: [f64; 6]| c[1..].iter().fold(of(c[0]), |sum, c| sum.fma(z, of(*c)));
        let sine = (r * z).fma(horner(SINE), r);
        let cosine = (z * z).fma(horner(COSINE), of(-0.5).fma(z, of(1.0)));
        // SAFETY: as said at the type.
        unsafe {
            let quarter = _mm512_castpd_si512(turns.0);
            let (one, two) = (_mm512_set1_epi64(1), _mm512_set1_epi64(2));
            let odd = _mm512_test_epi64_mask(quarter, one);
            let sin = _mm512_mask_blend_pd(odd, sine.0, cosine.0);
            let cos = _mm512_mask_blend_pd(odd, cosine.0, sine.0);
            let sin_sign = _mm512_slli_epi64::<62>(_mm512_and_si512(quarter, two));
            let cos_sign = _mm512_slli_epi64::<62>(_mm512_and_si512(_mm512_add_epi64(quarter, one), two));
            (
                Eight(_mm512_xor_pd(sin, _mm512_castsi512_pd(sin_sign))),
                Eight(_mm512_xor_pd(cos, _mm512_castsi512_pd(cos_sign))),
            )
        }
    }
    #[inline(always)]
    fn size(self) -> f64 {
        // SAFETY: as said at the type.
        unsafe { _mm512_reduce_max_pd(_mm512_abs_pd(self.0)) }
    }
    #[inline(always)]
    fn larger(self, b: Self) -> Self {
        // SAFETY: as said at the type.
        Eight(unsafe { _mm512_max_pd(_mm512_abs_pd(self.0), _mm512_abs_pd(b.0)) })
    }
}

impl SideBySide for Eight {
    #[inline(always)]
    fn load(numbers: &[f64; 8]) -> Self {
        // SAFETY: as said at the type, and there are eight numbers.
        Eight(unsafe { _mm512_loadu_pd(numbers.as_ptr()) })
    }
    #[inline(always)]
    fn numbers(self) -> [f64; 8] {
        let mut numbers = [0.0; 8];
        // SAFETY: as said at the type, and there is room for eight numbers.
        unsafe { _mm512_storeu_pd(numbers.as_mut_ptr(), self.0) };
        numbers
    }
    #[inline(always)]
    fn total(self) -> f64 {
        // SAFETY: as said at the type.
        unsafe { _mm512_reduce_add_pd(self.0) }
    }
}
