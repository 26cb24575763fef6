//! How large the components of a state are along a motion: what their errors are measured by when no unit is given.

/// Components below this part of the largest of their kind need no relative accuracy of their own: the front of a wave that runs
/// into a chain at rest.
const NEGLIGIBLE: f64 = 1e-8;

/// The round-off of an error estimate, which combines the rates of all stages, over the difference of two rates.
const SAMPLES: f64 = 4.0;

/// Round-off of a step is at most this part of the largest component of a kind.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// The sizes seen so far, and the round-off of the rates.
#[derive(Debug, Clone)]
pub(super) struct ComponentSizes {
    /// The kind of each component.
    kinds: Vec<usize>,
    /// The largest value of each kind so far,
    largest: Vec<f64>,
    /// and with the end of the step that is tried.
    ahead: Vec<f64>,
    /// How far a few units of round-off in the state change its rates, where steps have failed.
    noise: Vec<f64>,
    /// Rates beside the state.
    rates: Vec<f64>,
    measured: usize,
}

impl ComponentSizes {
    /// Those of a start; `alike` says how many components, one after the other, are of the same kind.
    pub fn new(alike: &[usize], y: &[f64]) -> ComponentSizes {
        let mut kinds: Vec<usize> =
            alike.iter().enumerate().flat_map(|(kind, count)| std::iter::repeat_n(kind, *count)).collect();
        // What is not spoken of is alike.
        kinds.resize(y.len(), alike.len());
        let count = alike.len() + 1;
        let mut sizes = ComponentSizes {
            kinds,
            largest: vec![0.0; count],
            ahead: vec![0.0; count],
            noise: vec![0.0; y.len()],
            rates: vec![0.0; y.len()],
            measured: 0,
        };
        sizes.accept(y);
        sizes
    }

    /// A step has led to `y`.
    pub fn accept(&mut self, y: &[f64]) {
        self.look_ahead(y);
        self.largest.copy_from_slice(&self.ahead);
        // What was measured is worth less from step to step.
        self.noise.iter_mut().for_each(|noise| *noise /= 2.0);
    }

    /// A step that leads to `y` is tried.
    pub fn look_ahead(&mut self, y: &[f64]) {
        self.ahead.copy_from_slice(&self.largest);
        for (kind, y) in self.kinds.iter().zip(y) {
            self.ahead[*kind] = self.ahead[*kind].max(y.abs());
        }
    }

    /// The error that a component may have after a step of length `h` in which it is at most `size` and its rate leads it `way`.
    /// A component that passes zero is as large as its way. Errors that round-off in the state explains are none of the step.
    pub fn tolerance(&self, component: usize, relative: f64, size: f64, way: f64, h: f64) -> f64 {
        let largest = self.ahead[self.kinds[component]];
        // Near a singularity rates tell nothing of what round-off does: it is still that of the largest of the kind.
        let noise = (h.abs() * self.noise[component]).min(ROUND_OFF * largest);
        relative * size.max(way.abs()).max(NEGLIGIBLE * largest) + noise
    }

    /// Measures the noise of the rates once more, by rates beside the state.
    pub fn measure_noise<E>(
        &mut self,
        y: &[f64],
        rates: &[f64],
        beside: &mut [f64],
        rates_at: impl FnOnce(&[f64], &mut [f64]) -> Result<(), E>,
    ) {
        for (i, (beside, y)) in beside.iter_mut().zip(y).enumerate() {
            // Different for neighbours: an equal factor would leave angular momenta and the like without any.
            *beside = y * (1.0 + 4.0 * f64::EPSILON * (((5 * i + 3 * self.measured) % 7) as f64 - 3.5));
        }
        self.measured = (self.measured + 1) % 7;
        if rates_at(beside, &mut self.rates).is_err() {
            return;
        }
        for ((noise, beside), rate) in self.noise.iter_mut().zip(&self.rates).zip(rates) {
            let change = SAMPLES * (beside - rate).abs();
            *noise = if change.is_finite() { noise.max(change) } else { *noise };
        }
    }

    /// How fast the components change, by their sizes.
    pub fn rate(&self, y: &[f64], rates: &[f64]) -> f64 {
        self.quickest(y, rates.iter().copied())
    }

    /// How fast the rates change from `first` to `second`, `h` later, by the sizes of the components.
    pub fn bend(&self, y: &[f64], first: &[f64], second: &[f64], h: f64) -> f64 {
        self.quickest(y, second.iter().zip(first).map(|(b, a)| (b - a) / h))
    }

    /// The largest of the changes over the sizes of their components; what has no size yet does not count.
    fn quickest(&self, y: &[f64], changes: impl Iterator<Item = f64>) -> f64 {
        let sizes = y.iter().zip(&self.kinds).map(|(y, kind)| y.abs().max(NEGLIGIBLE * self.largest[*kind]));
        sizes.zip(changes).filter(|(size, _)| *size > 0.0).fold(0.0, |most: f64, (size, c)| most.max(c.abs() / size))
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use crate::adaptive::{AdaptiveIntegrator, AdaptiveMethod, AdaptiveOptions};

    const METHODS: [AdaptiveMethod; 2] = [AdaptiveMethod::Dopri5, AdaptiveMethod::Dop853];

    fn started(method: AdaptiveMethod, relative_tolerance: f64, y: &[f64], alike: &[usize]) -> AdaptiveIntegrator {
        let options = AdaptiveOptions { relative_tolerance, absolute_tolerance: 0.0, max_steps: 20_000 };
        AdaptiveIntegrator::new(method, options, 0.0, y).by_sizes(alike)
    }

    #[test]
    fn powers_of_two_of_the_units_change_no_bit() {
        // x'' = −x − x³, from rest and from zero.
        for (method, start) in METHODS.into_iter().flat_map(|method| [(method, [1.0, 0.0]), (method, [0.0, 1.0])]) {
            let run = |length: f64, time: f64| {
                let mut rates = |_: f64, y: &[f64], dy: &mut [f64]| {
                    let x = y[0] / length;
                    dy.copy_from_slice(&[y[1], -(x + x * x * x) * (length / (time * time))]);
                    Ok::<(), Infallible>(())
                };
                let mut motion = started(method, 1e-10, &[start[0] * length, start[1] * length / time], &[1, 1]);
                motion.advance_to(10.0 * time, &mut rates).unwrap();
                (motion.work(), motion.state()[0] / length, motion.state()[1] / length * time)
            };
            let one = run(1.0, 1.0);
            for (length, time) in [(-40, 0), (40, 0), (0, 20), (0, -20), (-40, 20)] {
                assert_eq!(run(2f64.powi(length), 2f64.powi(time)), one, "{method:?}, 2^{length}, 2^{time}");
            }
        }
    }

    #[test]
    fn a_wave_runs_into_a_chain_at_rest() {
        // Far from the end that moves, a body moves as a high power of time, which no method follows to relative accuracy.
        const BODIES: usize = 60;
        for method in METHODS {
            let mut chain = |_: f64, y: &[f64], dy: &mut [f64]| {
                for k in 0..BODIES {
                    let at = |k: usize| if k < BODIES { y[k] } else { 0.0 };
                    let left = if k > 0 { at(k - 1) } else { 0.0 };
                    dy[k] = y[BODIES + k];
                    dy[BODIES + k] = left - 2.0 * at(k) + at(k + 1);
                }
                Ok::<(), Infallible>(())
            };
            let mut start = vec![0.0; 2 * BODIES];
            start[0] = 1.0;
            let mut motion = started(method, 1e-9, &start, &[BODIES, BODIES]);
            motion.advance_to(10.0, &mut chain).unwrap();
            // The frequencies go up to 2, which steps of 0.01 resolve by far.
            assert!(motion.work().accepted < 1000, "{method:?}: {:?}", motion.work());
        }
    }

    #[test]
    fn rest_is_cheap() {
        // x'' = −x − x'/2 falls below the smallest number.
        for method in METHODS {
            let mut rates = |_: f64, y: &[f64], dy: &mut [f64]| {
                dy.copy_from_slice(&[y[1], -y[0] - y[1] / 2.0]);
                Ok::<(), Infallible>(())
            };
            let mut motion = started(method, 1e-9, &[1.0, 0.0], &[1, 1]);
            motion.advance_to(4000.0, &mut rates).unwrap();
            assert!(motion.state().iter().all(|y| y.abs() < 1e-15), "{:?}", motion.state());
        }
    }

    #[test]
    fn everything_may_begin_at_zero() {
        // x'' = sin² t: x = t²/4 + (cos 2t − 1)/8.
        for method in METHODS {
            let mut rates = |t: f64, y: &[f64], dy: &mut [f64]| {
                dy.copy_from_slice(&[y[1], t.sin().powi(2)]);
                Ok::<(), Infallible>(())
            };
            let mut motion = started(method, 1e-10, &[0.0, 0.0], &[1, 1]);
            motion.advance_to(10.0, &mut rates).unwrap();
            let exact = 25.0 + (20f64.cos() - 1.0) / 8.0;
            // Some hundred steps with a relative error of 1e-10 each.
            assert!((motion.state()[0] - exact).abs() < 1e-8 * exact, "{method:?}: {:?}", motion.state());
        }
    }

    #[test]
    fn a_collision_is_not_passed_for_round_off() {
        // Two bodies fall towards each other: x'' = ∓1/(x₁ − x₂)², at rest 1 apart, meet after π/√2 · 1/2^{3/2} = π/4.
        for method in METHODS {
            let mut rates = |_: f64, y: &[f64], dy: &mut [f64]| {
                let d = y[0] - y[1];
                let pull = d / d.abs().powi(3);
                dy.copy_from_slice(&[y[2], y[3], -pull, pull]);
                Ok::<(), Infallible>(())
            };
            let mut motion = started(method, 1e-13, &[3.0, 2.0, 0.0, 0.0], &[2, 2]);
            assert!(motion.advance_to(1.0, &mut rates).is_err(), "{method:?}: {:?}", motion.state());
            assert!((motion.time() - std::f64::consts::FRAC_PI_4).abs() < 1e-3, "{method:?}: {}", motion.time());
        }
    }

    #[test]
    fn round_off_of_the_rates_is_no_error_of_a_step() {
        // A plane motion whose third coordinate has no force but for the round-off of others.
        for method in METHODS {
            let mut rates = |_: f64, y: &[f64], dy: &mut [f64]| {
                let nothing = (y[0] / 3.0 + y[1] / 7.0) * 21.0 - (7.0 * y[0] + 3.0 * y[1]);
                dy.copy_from_slice(&[y[3], y[4], y[5], -y[0], -y[1], nothing]);
                Ok::<(), Infallible>(())
            };
            let mut motion = started(method, 1e-11, &[1.0, 0.3, 0.0, 0.0, 1.0, 0.0], &[3, 3]);
            motion.advance_to(20.0, &mut rates).unwrap();
            assert!((motion.state()[0] - 20f64.cos()).abs() < 1e-7, "{method:?}: {:?}", motion.state());
        }
    }
}
