//! Orbits by collocation at two Gauss nodes, which is what polynomials of second degree with two Gauss points are here: fixed point
//! iteration on the accelerations, which are extrapolated from the last six steps; and by Störmer–Verlet.

use crate::real::{FloorLanes, Real};
use crate::watched::{WatchedEnergy, WatchedMotion, verlet};
use crate::{QUINTIC, on_widest};

#[inline(always)]
fn acceleration<R: Real>([x, y]: [R; 2]) -> [R; 2] {
    let square = x * x + y * y;
    let pull = -(square * square.sqrt()).recip();
    [pull * x, pull * y]
}

#[inline(always)]
fn collocate<R: Real>(
    h: f64,
    [mut q, mut v]: [[R; 2]; 2],
    steps: usize,
    mut look: impl FnMut([R; 2], [R; 2]),
) -> [R; 2] {
    let root = 3f64.sqrt() / 6.0;
    let a = [[0.25, 0.25 - root], [0.25 + root, 0.25]];
    let c = [R::of(h * (0.5 - root)), R::of(h * (0.5 + root))];
    let (mut twice, mut end) = ([[R::of(0.0); 2]; 2], [R::of(0.0); 2]);
    for j in 0..2 {
        for i in 0..2 {
            twice[i][j] = R::of(h * h * (a[i][0] * a[0][j] + a[i][1] * a[1][j]));
        }
        end[j] = R::of(h * h * 0.5 * (a[0][j] + a[1][j]));
    }
    let mut past = [[acceleration(q); 2]; QUINTIC.len()];
    for step in 0..steps {
        let mut k = past[0];
        if step >= past.len() {
            k = [[R::of(0.0); 2]; 2];
            for age in 0..past.len() {
                let weight = R::of(QUINTIC[age]);
                for i in 0..2 {
                    for d in 0..2 {
                        k[i][d] = weight.fma(past[age][i][d], k[i][d]);
                    }
                }
            }
        }
        for _ in 0..50 {
            let (mut next, mut moved) = (k, R::of(0.0));
            for i in 0..2 {
                let mut at = q;
                for d in 0..2 {
                    at[d] = twice[i][1].fma(k[1][d], twice[i][0].fma(k[0][d], c[i].fma(v[d], q[d])));
                }
                next[i] = acceleration(at);
                for d in 0..2 {
                    moved = moved.larger(next[i][d] - k[i][d]);
                }
            }
            k = next;
            if moved.size() * h * h <= 1e-14 {
                break;
            }
        }
        for d in 0..2 {
            q[d] = end[1].fma(k[1][d], end[0].fma(k[0][d], R::of(h).fma(v[d], q[d])));
            v[d] = R::of(0.5 * h).fma(k[0][d] + k[1][d], v[d]);
        }
        for age in (1..past.len()).rev() {
            past[age] = past[age - 1];
        }
        past[0] = k;
        look(q, v);
    }
    q
}

/// The position after `steps` steps from the pericentre of an orbit of semi-axis one.
pub fn march(h: f64, eccentricity: f64, steps: usize) -> [f64; 2] {
    on_widest(
        #[inline(always)]
        || collocate(h, at_pericentre(eccentricity), steps, |_, _| ()),
    )
}

fn at_pericentre(eccentricity: f64) -> [[f64; 2]; 2] {
    [[1.0 - eccentricity, 0.0], [0.0, ((1.0 + eccentricity) / (1.0 - eccentricity)).sqrt()]]
}

#[inline(always)]
fn energy([x, y]: [f64; 2], [u, v]: [f64; 2]) -> f64 {
    0.5 * (u * u + v * v) - 1.0 / (x * x + y * y).sqrt()
}

/// The same with the energy watched.
pub fn watched(h: f64, eccentricity: f64, steps: usize) -> WatchedMotion {
    on_widest(
        #[inline(always)]
        || {
            let start = at_pericentre(eccentricity);
            let mut watched = WatchedEnergy::new(energy(start[0], start[1]));
            let q = collocate(h, start, steps, |q, v| watched.push(energy(q, v)));
            WatchedMotion { positions: q.to_vec(), energy: watched }
        },
    )
}

/// By Störmer–Verlet, with the energy watched.
pub fn watched_by_verlet(h: f64, eccentricity: f64, steps: usize) -> WatchedMotion {
    on_widest(
        #[inline(always)]
        || verlet(h, &[1.0], at_pericentre(eccentricity), steps, acceleration, energy),
    )
}

const LANES: usize = 8;

/// Many orbits from the same place `start` on the axis x, across it with these speeds: where they are after `steps` steps, x of all,
/// then y. What does not fill the registers at the end stays where it began.
pub fn ensemble(h: f64, start: f64, speeds: &[f64], steps: usize) -> [Vec<f64>; 2] {
    #[cfg(target_arch = "x86_64")]
    if crate::eight::present() {
        use crate::eight::Eight;
        use crate::real::SideBySide;
        return grouped(
            start,
            speeds,
            #[inline(always)]
            |speeds| {
                on_widest(
                    #[inline(always)]
                    || {
                        let begin = [[Eight::of(start), Eight::of(0.0)], [Eight::of(0.0), Eight::load(speeds)]];
                        let [x, y] = collocate(h, begin, steps, |_, _| ());
                        [x.numbers(), y.numbers()]
                    },
                )
            },
        );
    }
    grouped(start, speeds, |speeds| {
        let of = FloorLanes::<LANES>::of;
        on_widest(
            #[inline(always)]
            || {
                let begin = [[of(start), of(0.0)], [of(0.0), FloorLanes(*speeds)]];
                collocate(h, begin, steps, |_, _| ()).map(|q| q.0)
            },
        )
    })
}

fn grouped(start: f64, speeds: &[f64], group: impl Fn(&[f64; LANES]) -> [[f64; LANES]; 2]) -> [Vec<f64>; 2] {
    let [mut x, mut y] = [vec![start; speeds.len()], vec![0.0; speeds.len()]];
    let places = x.as_chunks_mut::<LANES>().0.iter_mut().zip(y.as_chunks_mut::<LANES>().0);
    for ((x, y), speeds) in places.zip(speeds.as_chunks::<LANES>().0) {
        [*x, *y] = group(speeds);
    }
    [x, y]
}
