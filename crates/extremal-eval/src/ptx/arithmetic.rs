//! Instructions as operators: formulas of functions read as they do elsewhere. Every one rounds to nearest, and none is contracted.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

use super::body::{
    Count, Double, Integer, IntoOperand, Long, PtxCondition, PtxNumber, PtxValue, RegisterKind, Truth, Word,
};

macro_rules! float_operators {
    ($($trait:ident $method:ident $name:literal),*) => { $(
        impl<'b, B: IntoOperand<Double>> $trait<B> for PtxNumber<'b> {
            type Output = Self;

            fn $method(self, b: B) -> Self {
                let [a, b] = [self.operand(), b.operand()].map(|operand| self.body().arithmetic(operand));
                self.body().result($name, &[&a, &b])
            }
        }
    )* };
}

macro_rules! operators {
    ($kind:ident: $($trait:ident $method:ident $name:literal),*) => { $(
        impl<'b, B: IntoOperand<$kind>> $trait<B> for PtxValue<'b, $kind> {
            type Output = Self;

            fn $method(self, b: B) -> Self {
                self.body().result($name, &[&self, &b.operand()])
            }
        }
    )* };
}

float_operators!(Add add "add.rn.f64", Sub sub "sub.rn.f64", Mul mul "mul.rn.f64", Div div "div.rn.f64");
operators!(Long: Add add "add.u64", Sub sub "sub.u64", Mul mul "mul.lo.u64", BitAnd bitand "and.b64", BitOr bitor "or.b64", BitXor bitxor "xor.b64");
operators!(Word: Add add "add.u32", Sub sub "sub.u32", BitAnd bitand "and.b32", BitOr bitor "or.b32");
operators!(Truth: BitAnd bitand "and.pred", BitOr bitor "or.pred", BitXor bitxor "xor.pred");

impl Neg for PtxNumber<'_> {
    type Output = Self;

    fn neg(self) -> Self {
        self.body().result("neg.f64", &[&self])
    }
}

impl Not for PtxCondition<'_> {
    type Output = Self;

    fn not(self) -> Self {
        self.body().result("not.pred", &[&self])
    }
}

impl<'b> PtxNumber<'b> {
    /// `self·b + c`, rounded once.
    pub fn fma(self, b: impl IntoOperand<Double>, c: impl IntoOperand<Double>) -> Self {
        let [a, b, c] = [self.operand(), b.operand(), c.operand()].map(|operand| self.body().arithmetic(operand));
        self.body().result("fma.rn.f64", &[&a, &b, &c])
    }

    /// `1/self`.
    pub fn inverse(self) -> Self {
        self.body().result("rcp.rn.f64", &[&self])
    }

    pub fn sqrt(self) -> Self {
        self.body().result("sqrt.rn.f64", &[&self])
    }

    pub fn abs(self) -> Self {
        self.body().result("abs.f64", &[&self])
    }

    /// The largest integer that is not larger.
    pub fn floor(self) -> Self {
        self.body().result("cvt.rmi.f64.f64", &[&self])
    }

    /// The integer toward zero.
    pub fn trunc(self) -> Self {
        self.body().result("cvt.rzi.f64.f64", &[&self])
    }

    /// This size with the sign of another number.
    pub fn copysign(self, of: Self) -> Self {
        self.body().result("copysign.f64", &[&of, &self])
    }

    fn compared(self, how: &str, b: impl IntoOperand<Double>) -> PtxCondition<'b> {
        self.body().result(&format!("setp.{how}.f64"), &[&self, &b.operand()])
    }

    pub fn less(self, b: impl IntoOperand<Double>) -> PtxCondition<'b> {
        self.compared("lt", b)
    }

    pub fn at_most(self, b: impl IntoOperand<Double>) -> PtxCondition<'b> {
        self.compared("le", b)
    }

    pub fn greater(self, b: impl IntoOperand<Double>) -> PtxCondition<'b> {
        self.compared("gt", b)
    }

    pub fn at_least(self, b: impl IntoOperand<Double>) -> PtxCondition<'b> {
        self.compared("ge", b)
    }

    pub fn equals(self, b: impl IntoOperand<Double>) -> PtxCondition<'b> {
        self.compared("eq", b)
    }

    /// True where one of them is none.
    pub fn differs(self, b: impl IntoOperand<Double>) -> PtxCondition<'b> {
        self.compared("neu", b)
    }

    /// Is one of them no number?
    pub fn unordered(self, b: impl IntoOperand<Double>) -> PtxCondition<'b> {
        self.compared("nan", b)
    }

    /// Is it no number? The integer unit tells.
    pub fn is_none(self) -> PtxCondition<'b> {
        let size = self.bits() & !(1u64 << 63);
        self.body().result("setp.gt.u64", &[&size, &f64::INFINITY.to_bits().operand()])
    }

    /// The integer toward zero, of a number that is not negative.
    pub fn to_integer(self) -> Integer<'b> {
        self.body().result("cvt.rzi.u64.f64", &[&self])
    }

    pub fn bits(self) -> Integer<'b> {
        self.body().result("mov.b64", &[&self])
    }

    /// The upper half of the bits.
    pub fn high_bits(self) -> Count<'b> {
        (self.bits().shift_right(32u32)).low()
    }
}

/// Integers, of which there are two sizes.
macro_rules! integers {
    ($kind:ident $size:literal) => {
        impl<'b> PtxValue<'b, $kind> {
            pub fn shift_left(self, by: impl IntoOperand<Word>) -> Self {
                self.body().result(concat!("shl.b", $size), &[&self, &by.operand()])
            }

            pub fn shift_right(self, by: impl IntoOperand<Word>) -> Self {
                self.body().result(concat!("shr.u", $size), &[&self, &by.operand()])
            }

            pub fn below(self, b: impl IntoOperand<$kind>) -> PtxCondition<'b> {
                self.body().result(concat!("setp.lt.u", $size), &[&self, &b.operand()])
            }

            pub fn is(self, b: impl IntoOperand<$kind>) -> PtxCondition<'b> {
                self.body().result(concat!("setp.eq.u", $size), &[&self, &b.operand()])
            }

            pub fn is_not(self, b: impl IntoOperand<$kind>) -> PtxCondition<'b> {
                self.body().result(concat!("setp.ne.u", $size), &[&self, &b.operand()])
            }
        }
    };
}

integers!(Long "64");
integers!(Word "32");

impl<'b> Integer<'b> {
    /// The upper half of the product.
    pub fn times_high(self, b: impl IntoOperand<Long>) -> Self {
        self.body().result("mul.hi.u64", &[&self, &b.operand()])
    }

    /// The number of zeros before the first one.
    pub fn leading_zeros(self) -> Count<'b> {
        self.body().result("clz.b64", &[&self])
    }

    /// The lower half.
    pub fn low(self) -> Count<'b> {
        self.body().result("cvt.u32.u64", &[&self])
    }

    /// The whole part of the quotient.
    pub fn over(self, b: impl IntoOperand<Long>) -> Self {
        self.body().result("div.u64", &[&self, &b.operand()])
    }

    /// The number with these bits.
    pub fn as_number(self) -> PtxNumber<'b> {
        self.body().result("mov.b64", &[&self])
    }

    /// The nearest number to this integer.
    pub fn to_number(self) -> PtxNumber<'b> {
        self.body().result("cvt.rn.f64.u64", &[&self])
    }
}

impl<'b> Count<'b> {
    pub fn wide(self) -> Integer<'b> {
        self.body().result("cvt.u64.u32", &[&self])
    }

    pub fn not_below(self, b: impl IntoOperand<Word>) -> PtxCondition<'b> {
        self.body().result("setp.ge.u32", &[&self, &b.operand()])
    }

    pub fn times(self, b: impl IntoOperand<Word>) -> Count<'b> {
        self.body().result("mul.lo.u32", &[&self, &b.operand()])
    }

    /// The whole part of the quotient.
    pub fn over(self, b: impl IntoOperand<Word>) -> Count<'b> {
        self.body().result("div.u32", &[&self, &b.operand()])
    }
}

/// How one of two values is chosen.
pub(super) trait Selectable: RegisterKind {
    const CHOICE: &'static str;
}

impl Selectable for Double {
    const CHOICE: &'static str = "selp.f64";
}

impl Selectable for Long {
    const CHOICE: &'static str = "selp.b64";
}

impl Selectable for Word {
    const CHOICE: &'static str = "selp.b32";
}

impl<'b> PtxCondition<'b> {
    /// The first where the condition holds, else the second.
    pub fn choose<K: Selectable>(self, yes: impl IntoOperand<K>, no: impl IntoOperand<K>) -> PtxValue<'b, K> {
        self.body().result(K::CHOICE, &[&yes.operand(), &no.operand(), &self])
    }
}
