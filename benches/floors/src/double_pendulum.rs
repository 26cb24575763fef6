//! The midpoint rule on the double pendulum, masses and lengths one, in the positions at the end of the step.

use crate::real::{Fast, FloorLanes, Real};
use crate::watched::{WatchedEnergy, WatchedMotion};
use crate::{QUINTIC, on_widest};

pub(crate) const G: f64 = 9.81;

/// Updates of this size square to nothing.
const STOP: f64 = 3e-8;

/// What an evaluation at the middle of a step leaves: velocities, and sines and cosines of the angles and their difference.
struct Middle<R> {
    v: [R; 2],
    s: [R; 2],
    c: [R; 2],
    sin: R,
    cos: R,
}

impl<R: Real> Middle<R> {
    #[inline(always)]
    fn of(h: f64, q: [R; 2], next: [R; 2]) -> Self {
        let half = R::of(0.5);
        let (s1, c1) = ((q[0] + next[0]) * half).sin_cos();
        let (s2, c2) = ((q[1] + next[1]) * half).sin_cos();
        let rate = R::of(1.0 / h);
        let v = [(next[0] - q[0]) * rate, (next[1] - q[1]) * rate];
        Middle { v, s: [s1, s2], c: [c1, c2], sin: s1 * c2 - c1 * s2, cos: c1 * c2 + s1 * s2 }
    }

    #[inline(always)]
    fn by_velocity(&self) -> [R; 2] {
        let [v1, v2] = self.v;
        [v1 + v1 + v2 * self.cos, v2 + v1 * self.cos]
    }

    #[inline(always)]
    fn by_position(&self) -> [R; 2] {
        let turning = self.v[0] * self.v[1] * self.sin;
        [-(turning + R::of(2.0 * G) * self.s[0]), turning - R::of(G) * self.s[1]]
    }

    /// The Newton update for p + h/2 L_q - L_v = 0; the Jacobian is h/4 L_qq + (L_qv - L_vq)/2 - L_vv/h.
    #[inline(always)]
    fn update(&self, h: f64, p: [R; 2]) -> [R; 2] {
        let (l_q, l_v) = (self.by_position(), self.by_velocity());
        let half = R::of(0.5 * h);
        let r = [p[0] + half * l_q[0] - l_v[0], p[1] + half * l_q[1] - l_v[1]];
        let (quarter, rate) = (R::of(0.25 * h), R::of(1.0 / h));
        let turning = self.v[0] * self.v[1] * self.cos;
        let cross = (self.v[0] + self.v[1]) * self.sin * R::of(0.5);
        let j00 = -(quarter * (turning + R::of(2.0 * G) * self.c[0])) - rate - rate;
        let j11 = -(quarter * (turning + R::of(G) * self.c[1])) - rate;
        let off = quarter * turning - self.cos * rate;
        let (j01, j10) = (off - cross, off + cross);
        let inverse = (j00 * j11 - j01 * j10).recip();
        [(r[0] * j11 - r[1] * j01) * inverse, (r[1] * j00 - r[0] * j10) * inverse]
    }
}

#[inline(always)]
fn march<R: Real>(h: f64, start: [R; 2], steps: usize, mut look: impl FnMut([R; 2], [R; 2])) -> [R; 2] {
    let mut q = start;
    let mut p = [R::of(0.0); 2];
    let mut past = [start; 6];
    for _ in 0..steps {
        let mut next = [R::of(QUINTIC[0]) * past[0][0], R::of(QUINTIC[0]) * past[0][1]];
        for age in 1..6 {
            let weight = R::of(QUINTIC[age]);
            next = [weight.fma(past[age][0], next[0]), weight.fma(past[age][1], next[1])];
        }
        for _ in 0..20 {
            let d = Middle::of(h, q, next).update(h, p);
            next = [next[0] - d[0], next[1] - d[1]];
            if d[0].size().max(d[1].size()) <= STOP {
                break;
            }
        }
        let middle = Middle::of(h, q, next);
        let (l_q, l_v) = (middle.by_position(), middle.by_velocity());
        let half = R::of(0.5 * h);
        p = [l_v[0] + half * l_q[0], l_v[1] + half * l_q[1]];
        q = next;
        look(q, p);
        for age in (1..6).rev() {
            past[age] = past[age - 1];
        }
        past[0] = next;
    }
    q
}

/// With an inlined sine and cosine.
pub fn fast(h: f64, start: [f64; 2], steps: usize) -> [f64; 2] {
    on_widest(
        #[inline(always)]
        || march::<Fast>(h, start.map(Fast::of), steps, |_, _| ()).map(|q| q.0[0]),
    )
}

/// Velocities and energy.
#[inline(always)]
fn seen<R: Real>(q: [R; 2], p: [R; 2]) -> ([R; 2], R) {
    let ((s1, c1), (s2, c2)) = (q[0].sin_cos(), q[1].sin_cos());
    let cos = c1 * c2 + s1 * s2;
    let inverse = (R::of(2.0) - cos * cos).recip();
    let v = [(p[0] - cos * p[1]) * inverse, (p[1] + p[1] - cos * p[0]) * inverse];
    (v, R::of(0.5) * (p[0] * v[0] + p[1] * v[1]) - R::of(G) * (c1 + c1 + c2))
}

#[inline(always)]
fn energy(q: [Fast; 2], p: [Fast; 2]) -> f64 {
    seen(q, p).1.0[0]
}

/// The same with the energy watched.
pub fn watched(h: f64, start: [f64; 2], steps: usize) -> WatchedMotion {
    on_widest(
        #[inline(always)]
        || {
            let start = start.map(Fast::of);
            let mut watched = WatchedEnergy::new(energy(start, [Fast::of(0.0); 2]));
            let q = march::<Fast>(h, start, steps, |q, p| watched.push(energy(q, p)));
            WatchedMotion { positions: q.map(|q| q.0[0]).to_vec(), energy: watched }
        },
    )
}

/// With the sine and cosine of the system's library.
pub fn with_libm(h: f64, start: [f64; 2], steps: usize) -> [f64; 2] {
    on_widest(
        #[inline(always)]
        || march(h, start, steps, |_, _| ()),
    )
}

/// Pendulums marched side by side.
const SIDE_BY_SIDE: usize = 16;

/// Many pendulums: the first angles of all, then the second ones, are replaced by those after so many steps. What does not fill the
/// registers at the end stays as it is.
pub fn ensemble(h: f64, [first, second]: [&mut [f64]; 2], steps: usize) {
    on_widest(
        #[inline(always)]
        || {
            let firsts = first.as_chunks_mut::<SIDE_BY_SIDE>().0;
            for (first, second) in firsts.iter_mut().zip(second.as_chunks_mut::<SIDE_BY_SIDE>().0) {
                let end = march(h, [FloorLanes(*first), FloorLanes(*second)], steps, |_, _| ());
                (*first, *second) = (end[0].0, end[1].0);
            }
        },
    );
}

/// Angles, velocities, momenta and the energy.
pub const QUANTITIES: usize = 7;

/// The least and the largest values of each quantity, for each member.
pub type MemberExtremes = [[Vec<f64>; QUANTITIES]; 2];

/// The same of members side by side.
struct ExtremesInLanes {
    low: [FloorLanes<SIDE_BY_SIDE>; QUANTITIES],
    high: [FloorLanes<SIDE_BY_SIDE>; QUANTITIES],
}

impl ExtremesInLanes {
    #[inline(always)]
    fn take(&mut self, q: [FloorLanes<SIDE_BY_SIDE>; 2], p: [FloorLanes<SIDE_BY_SIDE>; 2]) {
        let (v, energy) = seen(q, p);
        let now = [q[0], q[1], v[0], v[1], p[0], p[1], energy];
        for (at, now) in now.iter().enumerate() {
            self.low[at] = self.low[at].least(*now);
            self.high[at] = self.high[at].most(*now);
        }
    }
}

/// Of many pendulums from rest at these angles, over so many steps. What does not fill the registers at the end has none.
pub fn extremes(h: f64, [first, second]: [&[f64]; 2], steps: usize) -> MemberExtremes {
    let mut all: MemberExtremes = [f64::INFINITY, f64::NEG_INFINITY].map(|none| {
        let column = || vec![none; first.len()];
        std::array::from_fn(|_| column())
    });
    on_widest(
        #[inline(always)]
        || {
            let firsts = first.as_chunks::<SIDE_BY_SIDE>().0;
            for (group, (first, second)) in firsts.iter().zip(second.as_chunks::<SIDE_BY_SIDE>().0).enumerate() {
                let start = [FloorLanes(*first), FloorLanes(*second)];
                let mut lanes = ExtremesInLanes {
                    low: [FloorLanes::of(f64::INFINITY); QUANTITIES],
                    high: [FloorLanes::of(f64::NEG_INFINITY); QUANTITIES],
                };
                lanes.take(start, [FloorLanes::of(0.0); 2]);
                march(h, start, steps, |q, p| lanes.take(q, p));
                for (columns, seen) in all.iter_mut().zip([&lanes.low, &lanes.high]) {
                    for (column, seen) in columns.iter_mut().zip(seen) {
                        column[group * SIDE_BY_SIDE..][..SIDE_BY_SIDE].copy_from_slice(&seen.0);
                    }
                }
            }
        },
    );
    all
}
