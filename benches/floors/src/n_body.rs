//! Störmer–Verlet for bodies that attract each other, softened: one force per step, each pair once, eight pairs at a time.

use crate::on_widest;
use crate::real::{FloorLanes, SideBySide};
use crate::watched::{WatchedEnergy, WatchedMotion};

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
fn accelerate<V: SideBySide>(bodies: usize, m: &[f64], soft: f64, q: &Space, a: &mut Space) -> f64 {
    let room = m.len();
    let [x, y, z] = q.each_ref().map(|list| &list[..room]);
    let [ax, ay, az] = a.each_mut().map(|list| &mut list[..room]);
    ax.fill(0.0);
    ay.fill(0.0);
    az.fill(0.0);
    let mut potential = 0.0;
    let soft = V::of(soft);
    for i in 0..bodies {
        let (xi, yi, zi, mi) = (V::of(x[i]), V::of(y[i]), V::of(z[i]), V::of(m[i]));
        let mut sums = [V::of(0.0); 4];
        let mut j = i + 1;
        while j < bodies {
            let group = j..j + LANES;
            let (dx, dy, dz) =
                (V::at(&x[group.clone()]) - xi, V::at(&y[group.clone()]) - yi, V::at(&z[group.clone()]) - zi);
            let inverse = dz.fma(dz, dy.fma(dy, dx.fma(dx, soft))).sqrt().recip();
            let (cube, mj) = (inverse * inverse * inverse, V::at(&m[group.clone()]));
            let (to_i, to_j) = (mj * cube, -(mi * cube));
            sums = [to_i.fma(dx, sums[0]), to_i.fma(dy, sums[1]), to_i.fma(dz, sums[2]), mj.fma(inverse, sums[3])];
            for (list, d) in [(&mut *ax, dx), (&mut *ay, dy), (&mut *az, dz)] {
                let list = &mut list[group.clone()];
                list.copy_from_slice(&to_j.fma(d, V::at(list)).numbers());
            }
            j += LANES;
        }
        let [sx, sy, sz, sp] = sums.map(V::total);
        (ax[i], ay[i], az[i]) = (ax[i] + sx, ay[i] + sy, az[i] + sz);
        potential -= m[i] * sp;
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

#[inline(always)]
fn kinetic(masses: &[f64], v: &Space) -> f64 {
    let square = |i: usize| v[0][i] * v[0][i] + v[1][i] * v[1][i] + v[2][i] * v[2][i];
    masses.iter().enumerate().map(|(i, m)| 0.5 * m * square(i)).sum()
}

#[inline(always)]
fn march<V: SideBySide>(h: f64, cluster: &Cluster<'_>, start: [&Space; 2], steps: usize) -> WatchedMotion {
    let bodies = cluster.masses.len();
    let roomy = |list: &[f64]| [list, &[0.0; LANES]].concat();
    let [mut q, mut v] = start.map(|space| space.each_ref().map(|list| roomy(list)));
    let (mut a, masses) = (q.clone(), roomy(cluster.masses));
    let soft = cluster.softening * cluster.softening;
    let potential = accelerate::<V>(bodies, &masses, soft, &q, &mut a);
    let mut energy = WatchedEnergy::new(kinetic(&masses, &v) + potential);
    for _ in 0..steps {
        add(&mut v, 0.5 * h, &a);
        add(&mut q, h, &v);
        let potential = accelerate::<V>(bodies, &masses, soft, &q, &mut a);
        add(&mut v, 0.5 * h, &a);
        energy.push(kinetic(&masses, &v) + potential);
    }
    WatchedMotion { positions: q.iter().flat_map(|list| &list[..bodies]).copied().collect(), energy }
}

/// Positions after `steps` steps, coordinate by coordinate, with the energy watched after each.
pub fn watched(h: f64, cluster: &Cluster<'_>, start: [&Space; 2], steps: usize) -> WatchedMotion {
    #[cfg(target_arch = "x86_64")]
    if crate::eight::present() {
        return on_widest(
            #[inline(always)]
            || march::<crate::eight::Eight>(h, cluster, start, steps),
        );
    }
    on_widest(
        #[inline(always)]
        || march::<FloorLanes<LANES>>(h, cluster, start, steps),
    )
}
