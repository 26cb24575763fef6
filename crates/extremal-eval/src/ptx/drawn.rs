//! The numbers by which members differ, computed where they are needed: random ones of a generator that is a function of the member and a
//! name, and those of an axis of a grid.

use std::f64::consts::TAU;

use extremal_expr::Function;

use super::body::{Body, Integer, PtxNumber};
use super::functions;
use super::kernel::{KernelRefusal, ThreadKernel};
use super::place::MemberPlace;

/// A column that is drawn. With the numbers that it is drawn by, which a kernel is given behind the number of the first member and the two
/// halves of the seed, column by column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawnColumn {
    /// Uniform between two numbers: the halves of the hash of its name, the lower end, the upper one.
    Uniform(usize),
    /// Normal: the halves of the hash, mean, deviation.
    Normal(usize),
    /// One of a grid's axis: how many members in a row have the same number, how many numbers there are, the first, the last.
    Spaced(usize),
}

/// Numbers that a kernel is given for all columns,
const SHARED: usize = 3;
/// and for each.
const OWN: usize = 4;
/// The multipliers of Philox4x32, the steps of its keys, and its rounds (Salmon, Moraes, Dror and Shaw 2011).
const MULTIPLIERS: [u64; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u64; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;

/// A kernel that draws columns. All that it is given are numbers, integers among them; the ends of what is drawn from are a finite way apart.
///
/// # Errors
/// There are too many columns.
pub fn drawing(name: &str, columns: &[DrawnColumn]) -> Result<ThreadKernel, KernelRefusal> {
    let body = Body::default();
    let place = MemberPlace::begin(&body);
    let number = place.given(0).to_integer() + place.member;
    let seed = [1, 2].map(|at| place.given(at).to_integer());
    for (at, column) in columns.iter().enumerate() {
        let own: [PtxNumber<'_>; OWN] = std::array::from_fn(|which| place.given(SHARED + OWN * at + which));
        let [a, b, from, to] = own;
        let random = || uniform_pair(number, [a, b].map(PtxNumber::to_integer), seed);
        match *column {
            DrawnColumn::Uniform(column) => place.store(column, between(from, to, random()[0])),
            DrawnColumn::Normal(column) => place.store(column, from + to * normal(random())),
            DrawnColumn::Spaced(column) => {
                let (in_a_row, count) = (a.to_integer(), b.to_integer());
                let turn = number.over(in_a_row);
                let which = turn - turn.over(count) * count;
                let inside = between(from, to, which.to_number() / (count - 1u64).to_number());
                // The last is exact, whatever rounding does to the others.
                let is_last = (which + 1u64).is(count);
                place.store(column, is_last.choose(to, inside));
            }
        }
    }
    ThreadKernel::of_given(name, &place, SHARED + OWN * columns.len())
}

/// The number at this part of the way.
fn between<'b>(from: PtxNumber<'b>, to: PtxNumber<'b>, part: PtxNumber<'b>) -> PtxNumber<'b> {
    from + (to - from) * part
}

/// Two independent numbers, uniform in [0, 1), multiples of 2⁻⁵³.
fn uniform_pair<'b>(member: Integer<'b>, name: [Integer<'b>; 2], seed: [Integer<'b>; 2]) -> [PtxNumber<'b>; 2] {
    const HALF: u64 = 0xffff_ffff;
    let mut counter = [member & HALF, member.shift_right(32u32), name[0], name[1]];
    let mut key = seed;
    for _ in 0..ROUNDS {
        let products = [counter[0] * MULTIPLIERS[0], counter[2] * MULTIPLIERS[1]];
        let high = products.map(|product| product.shift_right(32u32));
        let low = products.map(|product| product & HALF);
        counter = [high[1] ^ counter[1] ^ key[0], low[1], high[0] ^ counter[3] ^ key[1], low[0]];
        key = [(key[0] + WEYL[0]) & HALF, (key[1] + WEYL[1]) & HALF];
    }
    let unit = |low: Integer<'b>, high: Integer<'b>| {
        (high.shift_left(32u32) | low).shift_right(11u32).to_number() * 2f64.powi(-53)
    };
    [unit(counter[0], counter[1]), unit(counter[2], counter[3])]
}

/// A number of mean 0 and standard deviation 1, by Box and Muller.
fn normal([a, b]: [PtxNumber<'_>; 2]) -> PtxNumber<'_> {
    let one = a.body().number(1.0);
    (functions::apply(Function::Log, one - a) * -2.0).sqrt() * functions::apply(Function::Cos, b * TAU)
}
