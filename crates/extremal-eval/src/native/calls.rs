//! The functions that emitted code calls.

use extremal_expr::{Function, Function2, TableFunction, TablePieces};

use crate::op::Op;
use extremal_expr::elementary::{self, Lanes};

/// What emitted code calls for several operations at once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum CallKind {
    SinCos,
    /// Any other function of one argument.
    One(Function),
    Table(TableFunction),
    Pow,
    Atan2,
}

impl CallKind {
    /// The call an operation becomes, if it does.
    pub fn of<R>(op: &Op<R>) -> Option<CallKind> {
        Some(match op {
            Op::SinCos { .. } | Op::Call(Function::Sin | Function::Cos, _) => CallKind::SinCos,
            Op::Call(Function::Abs, _) => return None,
            Op::Call(function, _) => CallKind::One(*function),
            Op::Table(function, _) => CallKind::Table(*function),
            Op::Pow(..) => CallKind::Pow,
            Op::Call2(Function2::Atan2, ..) => CallKind::Atan2,
            _ => return None,
        })
    }

    /// The address of the numbers that the function is made of, if it is made of any.
    pub fn numbers(self) -> Option<usize> {
        match self {
            CallKind::Table(function) => Some(std::ptr::from_ref(function.kept_pieces()) as usize),
            _ => None,
        }
    }

    pub fn arguments(self) -> usize {
        if matches!(self, CallKind::Pow | CallKind::Atan2) { 2 } else { 1 }
    }

    pub fn results(self) -> usize {
        if self == CallKind::SinCos { 2 } else { 1 }
    }

    /// The address of the function for `members` numbers given in registers, and how many it really computes: the smallest of
    /// 1, 2, 4, 8 (with two arguments, 4) that suffices.
    pub fn in_registers(self, members: usize) -> (usize, usize) {
        let size = members.next_power_of_two();
        (self.visit(InRegisters { size }), size)
    }

    /// The address of the function for numbers in memory, `lanes` at a time.
    pub fn in_memory(self, lanes: usize) -> usize {
        self.visit(InMemory { lanes })
    }

    fn visit(self, visitor: impl Visitor) -> usize {
        macro_rules! unary {
            ($function:ident) => {{
                struct Called;
                impl Callee for Called {
                    #[inline(always)]
                    fn call<const N: usize>(x: Lanes<N>, _: Lanes<N>, _: *const TablePieces) -> [Lanes<N>; 2] {
                        [elementary::apply(Function::$function, x); 2]
                    }
                }
                visitor.visit::<Called>()
            }};
        }
        struct SinCos;
        impl Callee for SinCos {
            const RESULTS: usize = 2;

            #[inline(always)]
            fn call<const N: usize>(x: Lanes<N>, _: Lanes<N>, _: *const TablePieces) -> [Lanes<N>; 2] {
                elementary::sin_cos(x).into()
            }
        }
        struct Tabulated;
        impl Callee for Tabulated {
            #[inline(always)]
            fn call<const N: usize>(x: Lanes<N>, _: Lanes<N>, numbers: *const TablePieces) -> [Lanes<N>; 2] {
                // SAFETY: emitted code hands on the address that `CallKind::numbers` gave, of what lives as long as the program.
                let table = unsafe { &*numbers };
                [x.map(|x| table.value(x)); 2]
            }
        }
        struct Pow;
        impl Callee for Pow {
            const ARGUMENTS: usize = 2;

            #[inline(always)]
            fn call<const N: usize>(x: Lanes<N>, y: Lanes<N>, _: *const TablePieces) -> [Lanes<N>; 2] {
                [elementary::pow(x, y); 2]
            }
        }
        struct Atan2;
        impl Callee for Atan2 {
            const ARGUMENTS: usize = 2;

            #[inline(always)]
            fn call<const N: usize>(y: Lanes<N>, x: Lanes<N>, _: *const TablePieces) -> [Lanes<N>; 2] {
                [elementary::apply2(Function2::Atan2, y, x); 2]
            }
        }
        match self {
            CallKind::SinCos => visitor.visit::<SinCos>(),
            CallKind::One(function) => match function {
                Function::Sin => unary!(Sin),
                Function::Cos => unary!(Cos),
                Function::Tan => unary!(Tan),
                Function::Sinh => unary!(Sinh),
                Function::Cosh => unary!(Cosh),
                Function::Tanh => unary!(Tanh),
                Function::Exp => unary!(Exp),
                Function::Log => unary!(Log),
                Function::Sign => unary!(Sign),
                Function::Asin => unary!(Asin),
                Function::Acos => unary!(Acos),
                Function::Atan => unary!(Atan),
                Function::Asinh => unary!(Asinh),
                Function::Acosh => unary!(Acosh),
                Function::Atanh => unary!(Atanh),
                Function::Cbrt => unary!(Cbrt),
                Function::Abs => unary!(Abs),
            },
            CallKind::Table(_) => visitor.visit::<Tabulated>(),
            CallKind::Pow => visitor.visit::<Pow>(),
            CallKind::Atan2 => visitor.visit::<Atan2>(),
        }
    }
}

/// A function of one or two arguments with one or two results.
trait Callee {
    const ARGUMENTS: usize = 1;
    const RESULTS: usize = 1;

    /// `numbers` is nothing but for a table, which is made of them.
    fn call<const N: usize>(x: Lanes<N>, y: Lanes<N>, numbers: *const TablePieces) -> [Lanes<N>; 2];
}

trait Visitor {
    fn visit<C: Callee>(self) -> usize;
}

struct InRegisters {
    size: usize,
}

impl Visitor for InRegisters {
    fn visit<C: Callee>(self) -> usize {
        match self.size {
            1 => registers_1::<C> as *const () as usize,
            2 => registers_2::<C> as *const () as usize,
            4 => registers_4::<C> as *const () as usize,
            _ => registers_8::<C> as *const () as usize,
        }
    }
}

struct InMemory {
    lanes: usize,
}

impl Visitor for InMemory {
    fn visit<C: Callee>(self) -> usize {
        match self.lanes {
            4 => memory_4::<C> as *const () as usize,
            _ => memory_8::<C> as *const () as usize,
        }
    }
}

/// A function as emitted code calls it, with features of x86-64 that it may use.
#[cfg(target_arch = "x86_64")]
macro_rules! called {
    ($features:literal, $($function:tt)*) => {
        #[target_feature(enable = $features)]
        #[allow(clippy::too_many_arguments)]
        unsafe extern "sysv64" $($function)*
    };
}
#[cfg(target_arch = "aarch64")]
macro_rules! called {
    ($features:literal, $($function:tt)*) => {
        #[allow(clippy::too_many_arguments)]
        unsafe extern "C" $($function)*
    };
}

/// Numbers in the registers of arguments: first arguments from the first on, second ones from the fifth on.
///
/// # Safety
/// `out` must have room for the results of `$size` numbers, and the processor the features named.
macro_rules! registers {
    ($name:ident, $size:literal, $features:literal) => {
        called! { $features, fn $name<C: Callee>(
            out: *mut f64,
            numbers: *const TablePieces,
            a: f64,
            b: f64,
            c: f64,
            d: f64,
            e: f64,
            f: f64,
            g: f64,
            h: f64,
        ) {
            let all = [a, b, c, d, e, f, g, h];
            let first = Lanes::<$size>(std::array::from_fn(|i| all[i]));
            let second =
                Lanes::<$size>(std::array::from_fn(|i| if C::ARGUMENTS == 2 { all[(4 + i) % 8] } else { 0.0 }));
            let results = C::call(first, second, numbers);
            for (at, result) in results[..C::RESULTS].iter().enumerate() {
                // SAFETY: the emitter set aside RESULTS times as many numbers.
                unsafe { out.add($size * at).cast::<[f64; $size]>().write_unaligned(result.0) };
            }
        } }
    };
}

registers!(registers_1, 1, "avx2,fma");
registers!(registers_2, 2, "avx2,fma");
registers!(registers_4, 4, "avx2,fma");
registers!(registers_8, 8, "avx2,fma");

/// Numbers in memory: `count` groups of lanes, all first arguments before the second ones, the results likewise.
///
/// # Safety
/// `arguments` and `out` must hold that much, and the processor must have the features named.
macro_rules! memory {
    ($name:ident, $size:literal, $features:literal) => {
        called! { $features, fn $name<C: Callee>(
            out: *mut f64,
            arguments: *const f64,
            count: usize,
            numbers: *const TablePieces,
        ) {
            let (arguments, out) = (arguments.cast::<[f64; $size]>(), out.cast::<[f64; $size]>());
            for at in 0..count {
                // SAFETY: the emitter laid out ARGUMENTS·count groups of arguments and RESULTS·count groups of results.
                unsafe {
                    let first = Lanes(arguments.add(at).read_unaligned());
                    let second = match C::ARGUMENTS {
                        2 => Lanes(arguments.add(count + at).read_unaligned()),
                        _ => first,
                    };
                    let results = C::call(first, second, numbers);
                    for (place, result) in results[..C::RESULTS].iter().enumerate() {
                        out.add(place * count + at).write_unaligned(result.0);
                    }
                }
            }
        } }
    };
}

memory!(memory_4, 4, "avx2,fma");
memory!(memory_8, 8, "avx512f,avx512dq,avx512vl,fma");
