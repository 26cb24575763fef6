//! A ball that rolls on a turntable, in Euler angles: its centre moves on a circle, whatever the angles do, and near theta = 0 these
//! turn quickly.

use crate::harness::Edge;

/// Where a ball of radius and mass one starts on a turntable of angular velocity one.
struct Ball {
    theta: f64,
    /// theta', phi', psi'.
    rates: [f64; 3],
    x: f64,
}

/// The moment of inertia of a homogeneous ball.
const INERTIA: f64 = 0.4;

impl Ball {
    /// x' and y' of rolling without slipping: v - omega × z = z × x.
    fn velocity(&self) -> [f64; 2] {
        let [theta, _, psi] = self.rates;
        [-psi * self.theta.sin(), self.x - theta]
    }

    fn model(&self) -> String {
        let ([vx, vy], [theta, phi, psi]) = (self.velocity(), self.rates);
        format!(
            "[coordinates]\nx = {{ start = {}, velocity = {vx:?} }}\ny = {{ start = 0, velocity = {vy:?} }}\n\
             phi = {{ start = 0, velocity = {phi} }}\ntheta = {{ start = {}, velocity = {theta} }}\n\
             psi = {{ start = 0, velocity = {psi} }}\n[definitions]\n\
             wx = \"theta'*cos(phi) + psi'*sin(theta)*sin(phi)\"\nwy = \"theta'*sin(phi) - psi'*sin(theta)*cos(phi)\"\n\
             wz = \"phi' + psi'*cos(theta)\"\n[dynamics]\n\
             lagrangian = \"(x'^2 + y'^2)/2 + {INERTIA}*(wx^2 + wy^2 + wz^2)/2\"\n[constraints]\n\
             along = \"x' - wy + y = 0\"\nacross = \"y' + wx - x = 0\"\n",
            self.x, self.theta
        )
    }

    /// v' = k/(1 + k) z × v: a circle, at the angular velocity 2/7.
    fn centre(&self, t: f64) -> [(&'static str, f64); 2] {
        let turning = INERTIA / (1.0 + INERTIA);
        let ([vx, vy], (sine, cosine)) = (self.velocity(), (turning * t).sin_cos());
        let back = 1.0 - cosine;
        [("x", self.x + (vx * sine - vy * back) / turning), ("y", (vx * back + vy * sine) / turning)]
    }
}

/// phi turns by a third in a step where theta is least, 0.03: the relative error (h phi')²/12 of a method of order two is a hundredth of
/// the velocity there and so, after two such passages, two of the circle's diameter 2·2·7/2 = 14.
#[test]
fn a_ball_close_to_the_pole_is_right_or_said() {
    let ball = Ball { theta: 0.2, rates: [-1.0, 0.3, 0.2], x: 1.0 };
    let right = "gauss(2) rk4 dopri5 dop853";
    Edge { model: &ball.model(), step: 0.01, until: 20.0 }.moves(&ball.centre(20.0), 0.28, right);
}

/// Here the pole lies within a step, and energies of 1e106 are on the other side of it.
#[test]
fn no_method_takes_a_ball_over_the_pole_unseen() {
    let ball = Ball { theta: 0.3, rates: [-0.3, 0.0, 2.0], x: 1.0 };
    Edge { model: &ball.model(), step: 0.05, until: 20.0 }.moves(&ball.centre(20.0), 0.7, "dopri5 dop853");
}

/// Far from the pole nothing is to be said.
#[test]
fn a_ball_that_spins_fast_is_no_cause_for_alarm() {
    let ball = Ball { theta: 1.2, rates: [0.1, 0.3, -0.2], x: 0.3 };
    let right = "midpoint trapezoidal compose(suzuki4,midpoint) rk4 gauss(2) dopri5 dop853";
    Edge { model: &ball.model(), step: 0.01, until: 2.0 }.moves(&ball.centre(2.0), 1e-3, right);
}
