//! Störmer–Verlet for bodies that attract each other, softened: one force per step, each pair once, eight pairs at a time.

use crate::on_widest;

const LANES: usize = 8;

/// Bodies that attract each other with G = 1: masses and softening length.
pub struct Cluster<'a> {
    /// One for each body.
    pub masses: &'a [f64],
    /// What is added to every distance, by squares.
    pub softening: f64,
}

/// Positions, or velocities, coordinate by coordinate.
type Space = [Vec<f64>; 3];

/// Accelerations of all bodies, and their potential energy. Behind the last body there is room for a group, without mass.
#[inline(always)]
fn accelerate(bodies: usize, m: &[f64], soft: f64, q: &Space, a: &mut Space) -> f64 {
    let room = m.len();
    let [x, y, z] = q.each_ref().map(|list| &list[..room]);
    let [ax, ay, az] = a.each_mut().map(|list| &mut list[..room]);
    ax.fill(0.0);
    ay.fill(0.0);
    az.fill(0.0);
    let mut potential = 0.0;
    for i in 0..bodies {
        let (xi, yi, zi, mi) = (x[i], y[i], z[i], m[i]);
        let mut sums = [[0.0; LANES]; 4];
        let mut j = i + 1;
        while j < bodies {
            for at in j..j + LANES {
                let k = at - j;
                let (dx, dy, dz) = (x[at] - xi, y[at] - yi, z[at] - zi);
                let inverse = 1.0 / dz.mul_add(dz, dy.mul_add(dy, dx.mul_add(dx, soft))).sqrt();
                let cube = inverse * inverse * inverse;
                let (to_i, to_j) = (m[at] * cube, mi * cube);
                sums[0][k] = to_i.mul_add(dx, sums[0][k]);
                sums[1][k] = to_i.mul_add(dy, sums[1][k]);
                sums[2][k] = to_i.mul_add(dz, sums[2][k]);
                sums[3][k] = m[at].mul_add(inverse, sums[3][k]);
                ax[at] = (-to_j).mul_add(dx, ax[at]);
                ay[at] = (-to_j).mul_add(dy, ay[at]);
                az[at] = (-to_j).mul_add(dz, az[at]);
            }
            j += LANES;
        }
        let [sx, sy, sz, sp] = sums.map(|list| list.iter().sum::<f64>());
        (ax[i], ay[i], az[i]) = (ax[i] + sx, ay[i] + sy, az[i] + sz);
        potential -= mi * sp;
    }
    potential
}

#[inline(always)]
fn add(to: &mut Space, h: f64, from: &Space) {
    for (to, from) in to.iter_mut().zip(from) {
        for (to, from) in to.iter_mut().zip(from) {
            *to = h.mul_add(*from, *to);
        }
    }
}

/// Positions after `steps` steps, coordinate by coordinate; every step also looks at the largest change of the energy, which is behind
/// them.
pub fn march(h: f64, cluster: &Cluster<'_>, start: [&Space; 2], steps: usize) -> Vec<f64> {
    let bodies = cluster.masses.len();
    let roomy = |list: &[f64]| [list, &[0.0; LANES]].concat();
    let [mut q, mut v] = start.map(|space| space.each_ref().map(|list| roomy(list)));
    let (mut a, masses) = (q.clone(), roomy(cluster.masses));
    let soft = cluster.softening * cluster.softening;
    let mut drift = 0.0f64;
    on_widest(
        #[inline(always)]
        || {
            let kinetic = |v: &Space| -> f64 {
                let square = |i: usize| v[0][i] * v[0][i] + v[1][i] * v[1][i] + v[2][i] * v[2][i];
                masses.iter().enumerate().map(|(i, m)| 0.5 * m * square(i)).sum()
            };
            let first = kinetic(&v) + accelerate(bodies, &masses, soft, &q, &mut a);
            for _ in 0..steps {
                add(&mut v, 0.5 * h, &a);
                add(&mut q, h, &v);
                let potential = accelerate(bodies, &masses, soft, &q, &mut a);
                add(&mut v, 0.5 * h, &a);
                drift = drift.max((kinetic(&v) + potential - first).abs());
            }
        },
    );
    let mut all: Vec<f64> = q.iter().flat_map(|list| &list[..bodies]).copied().collect();
    all.push(drift);
    all
}
