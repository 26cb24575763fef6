//! Pendulums on rods of length one in Cartesian coordinates by Störmer–Verlet (RATTLE), side by side: the one multiplier of a step is the
//! root of a quadratic equation.

use crate::on_widest;
use crate::real::{FloorLanes, Real};

const G: f64 = 9.81;
const LANES: usize = 16;

#[inline(always)]
fn dot<R: Real>(a: [R; 2], b: [R; 2]) -> R {
    a[0].fma(b[0], a[1] * b[1])
}

#[inline(always)]
fn march<R: Real>(h: f64, [mut q, mut v]: [[R; 2]; 2], steps: usize) -> [R; 2] {
    let (size, rate, half_kick) = (R::of(h), R::of(1.0 / h), R::of(0.5 * h * G));
    let along = R::of(0.5 * h * h);
    for _ in 0..steps {
        let free = [size.fma(v[0] + half_kick, q[0]), size.fma(v[1], q[1])];
        let pull = [along * q[0], along * q[1]];
        let (linear, quadratic, rest) = (dot(free, pull), dot(pull, pull), dot(free, free) - R::of(1.0));
        let root = linear.fma(linear, -(quadratic * rest)).sqrt();
        let tension = -(rest * (linear + root).recip());
        let next = [tension.fma(pull[0], free[0]), tension.fma(pull[1], free[1])];
        let moved = [(next[0] - q[0]).fma(rate, half_kick), (next[1] - q[1]) * rate];
        let off = -(dot(next, moved) * dot(next, next).recip());
        v = [off.fma(next[0], moved[0]), off.fma(next[1], moved[1])];
        q = next;
    }
    q
}

/// Many pendulums from these angles with the rate `turning`: x and y after `steps` steps. What does not fill the registers at the end
/// stays where it began.
pub fn ensemble(h: f64, angles: &[f64], turning: f64, steps: usize) -> [Vec<f64>; 2] {
    let [mut x, mut y] = [f64::cos, f64::sin].map(|part| angles.iter().copied().map(part).collect::<Vec<f64>>());
    on_widest(
        #[inline(always)]
        || {
            for (x, y) in x.as_chunks_mut::<LANES>().0.iter_mut().zip(y.as_chunks_mut::<LANES>().0) {
                let q = [FloorLanes(*x), FloorLanes(*y)];
                let turning = FloorLanes::of(turning);
                let end = march(h, [q, [-(turning * q[1]), turning * q[0]]], steps);
                (*x, *y) = (end[0].0, end[1].0);
            }
        },
    );
    [x, y]
}
