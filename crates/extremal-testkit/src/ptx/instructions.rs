//! What instructions do, by their names and the types of their operands.

/// The type of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RegisterType {
    Number,
    Long,
    Word,
    Truth,
}

impl RegisterType {
    /// By the letters in the table below, which are those of the printed registers.
    pub fn of(letter: char) -> Option<RegisterType> {
        match letter {
            'd' => Some(RegisterType::Number),
            'l' => Some(RegisterType::Long),
            'r' => Some(RegisterType::Word),
            'p' => Some(RegisterType::Truth),
            _ => None,
        }
    }
}

/// A register by its number, or bits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum PtxOperand {
    Register(u32),
    Bits(u64),
}

/// What an instruction does.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// A result of operands.
    Compute(Compute, u32, [PtxOperand; 3]),
    /// One of the thread's own numbers: block, width of blocks, thread.
    Special(usize, u32),
    LoadParameter {
        to: u32,
        parameter: usize,
        offset: usize,
        width: usize,
    },
    Load {
        to: u32,
        place: PtxOperand,
        offset: u64,
        width: usize,
    },
    Store {
        place: PtxOperand,
        offset: u64,
        from: PtxOperand,
        width: usize,
    },
    Jump(usize),
    Call {
        function: usize,
        result: u32,
        arguments: Vec<PtxOperand>,
    },
    Return,
}

/// An instruction, and the condition under which it is done: a register, and what it must hold.
#[derive(Clone, Debug)]
pub(super) struct PtxStep {
    pub guard: Option<(u32, bool)>,
    pub action: Action,
}

/// How a result is computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Compute {
    One(fn(u64) -> u64),
    Two(fn(u64, u64) -> u64),
    Three(fn(u64, u64, u64) -> u64),
}

use Compute::{One, Three, Two};

/// What a device makes of results that are no numbers.
const NONE: u64 = 0xfff8_0000_0000_0000;

fn f(bits: u64) -> f64 {
    f64::from_bits(bits)
}

fn bits(x: f64) -> u64 {
    if x.is_nan() { NONE } else { x.to_bits() }
}

fn word(x: u64) -> u32 {
    x as u32
}

/// An operand of type f64, and all of which it is made.
macro_rules! compare {
    ($operator:tt) => { Two(|a, b| u64::from(f(a) $operator f(b))) };
}

macro_rules! compare_longs {
    ($operator:tt) => { Two(|a, b| u64::from(a $operator b)) };
}

/// The names, the types of result and operands, and what they do. Words stand in the lower half, conditions are 0 or 1.
const TABLE: &[(&str, &str, Compute)] = &[
    ("add.rn.f64", "ddd", Two(|a, b| bits(f(a) + f(b)))),
    ("sub.rn.f64", "ddd", Two(|a, b| bits(f(a) - f(b)))),
    ("mul.rn.f64", "ddd", Two(|a, b| bits(f(a) * f(b)))),
    ("div.rn.f64", "ddd", Two(|a, b| bits(f(a) / f(b)))),
    ("rcp.rn.f64", "dd", One(|a| bits(1.0 / f(a)))),
    ("fma.rn.f64", "dddd", Three(|a, b, c| bits(f(a).mul_add(f(b), f(c))))),
    ("sqrt.rn.f64", "dd", One(|a| bits(f(a).sqrt()))),
    ("neg.f64", "dd", One(|a| bits(-f(a)))),
    ("abs.f64", "dd", One(|a| bits(f(a).abs()))),
    ("copysign.f64", "ddd", Two(|sign, size| f(size).copysign(f(sign)).to_bits())),
    ("cvt.rmi.f64.f64", "dd", One(|a| bits(f(a).floor()))),
    ("cvt.rzi.f64.f64", "dd", One(|a| bits(f(a).trunc()))),
    ("cvt.rn.f64.u64", "dl", One(|a| bits(a as f64))),
    ("cvt.rzi.u64.f64", "ld", One(|a| f(a) as u64)),
    ("setp.lt.f64", "pdd", compare!(<)),
    ("setp.le.f64", "pdd", compare!(<=)),
    ("setp.gt.f64", "pdd", compare!(>)),
    ("setp.ge.f64", "pdd", compare!(>=)),
    ("setp.eq.f64", "pdd", compare!(==)),
    ("setp.neu.f64", "pdd", compare!(!=)),
    ("setp.nan.f64", "pdd", Two(|a, b| u64::from(f(a).is_nan() || f(b).is_nan()))),
    ("setp.lt.u64", "pll", compare_longs!(<)),
    ("setp.ge.u64", "pll", compare_longs!(>=)),
    ("setp.eq.u64", "pll", compare_longs!(==)),
    ("setp.ne.u64", "pll", compare_longs!(!=)),
    ("setp.gt.u64", "pll", compare_longs!(>)),
    ("setp.lt.u32", "prr", compare_longs!(<)),
    ("setp.ge.u32", "prr", compare_longs!(>=)),
    ("setp.eq.u32", "prr", compare_longs!(==)),
    ("setp.ne.u32", "prr", compare_longs!(!=)),
    ("selp.f64", "dddp", Three(|a, b, c| if c == 1 { a } else { b })),
    ("selp.b64", "lllp", Three(|a, b, c| if c == 1 { a } else { b })),
    ("selp.b32", "rrrp", Three(|a, b, c| if c == 1 { a } else { b })),
    ("and.pred", "ppp", Two(|a, b| a & b)),
    ("or.pred", "ppp", Two(|a, b| a | b)),
    ("xor.pred", "ppp", Two(|a, b| a ^ b)),
    ("not.pred", "pp", One(|a| 1 - a)),
    ("add.u64", "lll", Two(u64::wrapping_add)),
    ("sub.u64", "lll", Two(u64::wrapping_sub)),
    ("mul.lo.u64", "lll", Two(u64::wrapping_mul)),
    ("mul.hi.u64", "lll", Two(|a, b| ((u128::from(a) * u128::from(b)) >> 64) as u64)),
    ("div.u64", "lll", Two(|a, b| a.checked_div(b).unwrap_or(u64::MAX))),
    ("and.b64", "lll", Two(|a, b| a & b)),
    ("or.b64", "lll", Two(|a, b| a | b)),
    ("xor.b64", "lll", Two(|a, b| a ^ b)),
    // Shifts by more than all bits leave none.
    ("shl.b64", "llr", Two(|a, by| a.checked_shl(word(by)).unwrap_or(0))),
    ("shr.u64", "llr", Two(|a, by| a.checked_shr(word(by)).unwrap_or(0))),
    ("clz.b64", "rl", One(|a| u64::from(a.leading_zeros()))),
    ("cvt.u32.u64", "rl", One(|a| u64::from(word(a)))),
    ("cvt.u64.u32", "lr", One(|a| a)),
    ("add.u32", "rrr", Two(|a, b| u64::from(word(a).wrapping_add(word(b))))),
    ("sub.u32", "rrr", Two(|a, b| u64::from(word(a).wrapping_sub(word(b))))),
    ("mul.lo.u32", "rrr", Two(|a, b| u64::from(word(a).wrapping_mul(word(b))))),
    ("mad.lo.u32", "rrrr", Three(|a, b, c| u64::from(word(a).wrapping_mul(word(b)).wrapping_add(word(c))))),
    ("div.u32", "rrr", Two(|a, b| u64::from(word(a).checked_div(word(b)).unwrap_or(u32::MAX)))),
    ("and.b32", "rrr", Two(|a, b| a & b)),
    ("or.b32", "rrr", Two(|a, b| a | b)),
    ("shl.b32", "rrr", Two(|a, by| u64::from(word(a).checked_shl(word(by)).unwrap_or(0)))),
    ("shr.u32", "rrr", Two(|a, by| u64::from(word(a).checked_shr(word(by)).unwrap_or(0)))),
    ("mov.f64", "dd", One(|a| a)),
    ("mov.b64", "ll", One(|a| a)),
    ("mov.b64", "ld", One(|a| a)),
    ("mov.b64", "dl", One(|a| a)),
    ("mov.b32", "rr", One(|a| a)),
    ("mov.u64", "ll", One(|a| a)),
];

/// What an instruction with a name computes for every choice of types that it may have.
pub(super) fn named(name: &str) -> impl Iterator<Item = (&'static str, Compute)> {
    TABLE.iter().filter(move |(own, ..)| *own == name).map(|(_, types, compute)| (*types, *compute))
}

/// The types that are loaded and stored: the letter of the register and the bytes.
pub(super) fn width(kind: &str) -> Option<(char, usize)> {
    match kind {
        "f64" => Some(('d', 8)),
        "u64" | "b64" => Some(('l', 8)),
        "u32" => Some(('r', 4)),
        _ => None,
    }
}
