//! The midpoint rule on the double pendulum, beside the same method written by hand.

use std::hint::black_box;

use extremal::{Run, Settings};

use crate::timing::{Steps, Table, paired, readable};

const H: f64 = 0.01;
const START: [f64; 2] = [2.0, 1.0];
/// Steps over which both must agree: later a chaotic motion magnifies the last bit.
const COMPARED: usize = 300;

pub fn measure(table: &mut Table) {
    let model = crate::model("double-pendulum");
    let run = Run::new(&model, &Settings { step: Some(H), ..Settings::of(&model) }).expect("the gallery runs");
    let march = |steps: usize| {
        let mut motion = run.begin().expect("the start is regular");
        for _ in 0..steps {
            motion.advance().expect("the step has a solution");
        }
        [motion.state()[0], motion.state()[1]]
    };
    let (ours, by_hand) = (march(COMPARED), by_hand(COMPARED));
    for k in 0..2 {
        assert!((ours[k] - by_hand[k]).abs() < 1e-9, "not the same motion: {ours:?}, {by_hand:?}");
    }
    let times = paired(
        Steps { count: 3_000, take: |n| _ = black_box(march(n)) },
        Steps { count: 20_000, take: |n| _ = black_box(self::by_hand(n)) },
    );
    table.push([
        "double pendulum, midpoint, h = 0.01".to_string(),
        readable(times.subject),
        readable(times.floor),
        format!("{:.2}", times.ratio),
    ]);
}

const G: f64 = 9.81;

/// L = θ1'² + θ2'²/2 + θ1' θ2' cos(θ1 - θ2) + g (2 cos θ1 + cos θ2), all masses and lengths one.
struct Midpoint {
    /// Sines and cosines of both angles and of their difference at the midpoint.
    s: [f64; 2],
    c: [f64; 2],
    sin: f64,
    cos: f64,
}

impl Midpoint {
    fn at(q: [f64; 2], w: [f64; 2]) -> Midpoint {
        let (s1, c1) = (q[0] + 0.5 * H * w[0]).sin_cos();
        let (s2, c2) = (q[1] + 0.5 * H * w[1]).sin_cos();
        Midpoint { s: [s1, s2], c: [c1, c2], sin: s1 * c2 - c1 * s2, cos: c1 * c2 + s1 * s2 }
    }

    fn by_velocity(&self, w: [f64; 2]) -> [f64; 2] {
        [2.0 * w[0] + w[1] * self.cos, w[1] + w[0] * self.cos]
    }

    fn by_position(&self, w: [f64; 2]) -> [f64; 2] {
        let turning = w[0] * w[1] * self.sin;
        [-turning - 2.0 * G * self.s[0], turning - G * self.s[1]]
    }

    /// The Newton update of w for L_v - h/2 L_q = p.
    fn update(&self, w: [f64; 2], p: [f64; 2]) -> [f64; 2] {
        let (l_v, l_q) = (self.by_velocity(w), self.by_position(w));
        let r = [0, 1].map(|k| l_v[k] - 0.5 * H * l_q[k] - p[k]);
        let turning = 0.25 * H * H * w[0] * w[1] * self.cos;
        // ∂/∂w_j of L_v_i is L_vv + h/2 L_vq; of L_q_i it is L_qv + h/2 L_qq.
        let cross = 0.5 * H * (w[0] + w[1]) * self.sin;
        let j00 = 2.0 + turning + 0.5 * H * H * G * self.c[0];
        let j11 = 1.0 + turning + 0.25 * H * H * G * self.c[1];
        let j01 = self.cos - turning + cross;
        let j10 = self.cos - turning - cross;
        let inverse = 1.0 / (j00 * j11 - j01 * j10);
        [(r[0] * j11 - r[1] * j01) * inverse, (r[1] * j00 - r[0] * j10) * inverse]
    }
}

/// The loop a careful programmer would write: exact Jacobian, a quintic predictor, two calls of the system's `sincos` per
/// iteration, the last update accepted once quadratic convergence has made the next one round-off.
fn by_hand(steps: usize) -> [f64; 2] {
    let mut q = START;
    let mut p = [0.0; 2];
    let mut past = [[0.0; 2]; 6];
    for step in 0..steps {
        let mut w = match step {
            0 => [0.0; 2],
            1..6 => past[0],
            _ => [0, 1].map(|k| {
                6.0 * (past[0][k] + past[4][k]) - 15.0 * (past[1][k] + past[3][k]) + 20.0 * past[2][k] - past[5][k]
            }),
        };
        loop {
            let d = Midpoint::at(q, w).update(w, p);
            w = [w[0] - d[0], w[1] - d[1]];
            if d[0].abs().max(d[1].abs()) <= 1e-8 * w[0].abs().max(w[1].abs()) {
                break;
            }
        }
        let l_q = Midpoint::at(q, w).by_position(w);
        for k in 0..2 {
            p[k] += H * l_q[k];
            q[k] += H * w[k];
        }
        past.copy_within(..5, 1);
        past[0] = w;
    }
    q
}
