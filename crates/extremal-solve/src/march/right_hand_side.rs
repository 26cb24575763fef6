//! The continuous equations of a system as an integrator asks for them.

use crate::adaptive::{StepBegin, StepRates, WholeStep};
use crate::failure::SolveFailure;
use crate::kernel::{GuessSource, Kernel};

/// (v, a) from (q, v, t).
#[derive(Clone)]
pub(super) struct RightHandSide {
    pub kernel: Kernel,
    pub inputs: Vec<f64>,
    whole: Option<WholeStep>,
}

impl RightHandSide {
    /// The flow of a state of so many numbers, stage by stage.
    pub fn new(kernel: Kernel, state: usize) -> RightHandSide {
        RightHandSide { kernel, inputs: vec![0.0; state + 1], whole: None }
    }

    /// Takes whole steps, if there are any.
    pub fn take_whole(&mut self, whole: Option<WholeStep>) {
        self.whole = whole;
    }

    pub fn evaluate(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), SolveFailure> {
        self.inputs[..y.len()].copy_from_slice(y);
        self.inputs[y.len()] = t;
        self.kernel.run(&self.inputs, GuessSource::Formula, dy).map(|_| ())
    }

    pub fn set_parameters(&mut self, parameters: &[f64]) {
        self.kernel.set_parameters(parameters);
        self.whole.iter_mut().for_each(|whole| whole.set_parameters(parameters));
    }
}

impl StepRates<SolveFailure> for RightHandSide {
    fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), SolveFailure> {
        self.evaluate(t, y, dy)
    }

    fn whole_step(&mut self, begin: &StepBegin<'_>) -> Option<&[f64]> {
        self.whole.as_mut()?.step(begin)
    }

    fn whole_dense(&mut self, begin: &StepBegin<'_>) -> Option<&[f64]> {
        self.whole.as_mut()?.dense(begin)
    }
}

#[cfg(test)]
mod tests {
    use extremal_expr::{Expr, Graph};
    use extremal_mechanics::System;
    use extremal_mechanics::discrete::PhaseFlow;

    use super::*;
    use crate::adaptive::{AdaptiveError, AdaptiveIntegrator, AdaptiveMethod, AdaptiveOptions};
    use crate::newton::NewtonOptions;

    const METHODS: [AdaptiveMethod; 2] = [AdaptiveMethod::Dopri5, AdaptiveMethod::Dop853];
    const START: [f64; 4] = [2.0, 1.0, 0.3, -0.2];

    fn rates(system: &System<'_>, method: AdaptiveMethod) -> [RightHandSide; 2] {
        let (g, flow, newton) = (system.graph, PhaseFlow::of(system), NewtonOptions::default());
        let kernel = Kernel::compile(g, &[], &flow.rates, newton).unwrap();
        let by_stages = RightHandSide::new(kernel, flow.state.len());
        let mut whole = by_stages.clone();
        whole.take_whole(Some(WholeStep::compile(g, &flow, method, &[], newton).unwrap()));
        let mut both = [by_stages, whole];
        both.iter_mut().for_each(|rates| rates.set_parameters(&[]));
        both
    }

    fn double_pendulum(g: &Graph) -> System<'_> {
        let [a, b, va, vb] = ["a", "b", "a'", "b'"].map(|name| g.symbol(name));
        let gravity = g.float(9.81).unwrap();
        let kinetic = va.powi(2) + vb.powi(2) / 2 + va * vb * (a - b).cos();
        System::new(g, &["a", "b"], kinetic + gravity * (a.cos() * 2 + b.cos()))
    }

    /// The same by equations typed by hand.
    fn by_hand(_: f64, y: &[f64], dy: &mut [f64]) -> Result<(), SolveFailure> {
        let [a, b, va, vb] = y[..] else { unreachable!() };
        let (s, c) = (a - b).sin_cos();
        let (ra, rb) = (-vb * vb * s - 2.0 * 9.81 * a.sin(), va * va * s - 9.81 * b.sin());
        let determinant = 2.0 - c * c;
        dy.copy_from_slice(&[va, vb, (ra - c * rb) / determinant, (2.0 * rb - c * ra) / determinant]);
        Ok(())
    }

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    fn tolerance(relative_tolerance: f64) -> AdaptiveOptions {
        AdaptiveOptions { relative_tolerance, absolute_tolerance: relative_tolerance, ..Default::default() }
    }

    fn advance(
        integrator: &mut AdaptiveIntegrator,
        time: f64,
        rates: &mut RightHandSide,
    ) -> Result<(), AdaptiveError<SolveFailure>> {
        while integrator.time() != time {
            integrator.step_by(time, rates)?;
        }
        Ok(())
    }

    #[test]
    fn whole_steps_are_of_the_orders_stated() {
        // From the integrator's own state the error of one step is of one order more: h^9 at its end by DOP853, and h^8 inside, where
        // the polynomial is of order 7; h^6 and h^5 by DOPRI5.
        let g = Graph::new();
        let system = double_pendulum(&g);
        for (method, lengths) in
            [(AdaptiveMethod::Dopri5, [0.04, 0.02, 0.01, 0.005]), (AdaptiveMethod::Dop853, [0.08, 0.06, 0.04, 0.03])]
        {
            let [_, mut rates] = rates(&system, method);
            let errors = lengths.map(|length| {
                let mut along = AdaptiveIntegrator::new(AdaptiveMethod::Dop853, tolerance(1e-14), 0.0, &START);
                let (mut at_end, mut between) = (0.0f64, 0.0f64);
                // One error alone may pass zero.
                for start in 1..=8 {
                    along.advance_to(f64::from(start) / 8.0, &mut by_hand).unwrap();
                    let mut loose = AdaptiveIntegrator::new(method, tolerance(1e12), -0.5, along.state());
                    advance(&mut loose, 0.0, &mut rates).unwrap();
                    let mut tight =
                        AdaptiveIntegrator::new(AdaptiveMethod::Dop853, tolerance(1e-15), 0.0, loose.state());
                    loose.step_by(length, &mut rates).unwrap();
                    assert_eq!((loose.time_before(), loose.time()), (0.0, length), "one step");
                    let mut inside = [0.0; 4];
                    for part in 1..8 {
                        let time = length * f64::from(part) / 8.0;
                        tight.advance_to(time, &mut by_hand).unwrap();
                        loose.interpolate_by(time, &mut rates, &mut inside).unwrap();
                        between = between.max(distance(&inside, tight.state()));
                    }
                    tight.advance_to(length, &mut by_hand).unwrap();
                    at_end = at_end.max(distance(loose.state(), tight.state()));
                }
                [between, at_end]
            });
            for (at, order) in [(0, method.order()), (1, method.order() + 1)] {
                let slope = (errors[0][at] / errors[3][at]).ln() / (lengths[0] / lengths[3]).ln();
                assert!((slope - f64::from(order)).abs() < 0.5, "{method:?}: slope {slope} from {errors:?}");
            }
        }
    }

    #[test]
    fn whole_steps_are_those_of_the_stages() {
        let g = Graph::new();
        let system = double_pendulum(&g);
        for method in METHODS {
            let mut both = rates(&system, method);
            let mut along = AdaptiveIntegrator::new(method, tolerance(1e-9), 0.0, &START);
            for _ in 0..20 {
                let [by_stages, whole] = both.each_mut().map(|rates| {
                    let mut one = AdaptiveIntegrator::new(method, tolerance(1e-9), along.time(), along.state());
                    one.step_by(along.time() + 0.01, rates).unwrap();
                    let mut inside = [0.0; 4];
                    one.interpolate_by((one.time_before() + one.time()) / 2.0, rates, &mut inside).unwrap();
                    (one.work(), one.next_length().unwrap(), [one.state().to_vec(), inside.to_vec()].concat())
                });
                assert_eq!(by_stages.0, whole.0, "{method:?}");
                // Rates of some tens times steps of a hundredth, each rounded some twenty times.
                assert!(distance(&by_stages.2, &whole.2) < 1e-14, "{method:?}: {by_stages:?} {whole:?}");
                // Of an error of a millionth of the tolerance, round-off is a hundredth, whose eighth part changes the step.
                assert!((by_stages.1 / whole.1 - 1.0).abs() < 1e-2, "{method:?}: {by_stages:?} {whole:?}");
                along.step_by(3.0, &mut both[0]).unwrap();
            }
        }
    }

    #[test]
    fn what_a_whole_step_cannot_tell_its_stages_do() {
        // The force 2 √(1 − x), which is not real beyond x = 1: the body flies there and never turns.
        let g = Graph::new();
        let [x, v] = ["x", "x'"].map(|name| g.symbol(name));
        let root: Expr<'_> = (g.int(1) - x).sqrt();
        let system = System::new(&g, &["x"], v.powi(2) / 2 - root.powi(3) * 4 / 3);
        for method in METHODS {
            let messages = rates(&system, method).map(|mut rates| {
                let begin = StepBegin { state: &[0.99, 1.0], rates: &[1.0, 0.2], time: 0.0, length: 1.0, end: 1.0 };
                assert!(rates.whole_step(&begin).is_none());
                let mut integrator = AdaptiveIntegrator::new(method, tolerance(1e-8), 0.0, &[0.0, 1.0]);
                let error = advance(&mut integrator, 5.0, &mut rates).unwrap_err();
                assert!((integrator.state()[0] - 1.0).abs() < 1e-6, "{method:?}: {:?}", integrator.state());
                error.to_string().split(" at t").next().unwrap_or_default().to_owned()
            });
            assert_eq!(messages[0], messages[1]);
        }
    }

    #[test]
    fn long_formulas_are_left_to_the_stages() {
        let g = Graph::new();
        let names: Vec<String> = (0..40).map(|k| format!("x{k}")).collect();
        let [q, v]: [Vec<_>; 2] = ["", "'"].map(|p| names.iter().map(|n| g.symbol(&format!("{n}{p}"))).collect());
        let pairs = (0..40).flat_map(|i| (0..i).map(move |j| (i, j)));
        let attraction = g.sum(pairs.map(|(i, j)| ((q[i] - q[j]).powi(2) + 1).sqrt().powi(-1)));
        let kinetic = g.sum(v.iter().map(|v| v.powi(2) / 2));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let system = System::new(&g, &names, kinetic + attraction);
        let flow = PhaseFlow::of(&system);
        assert!(WholeStep::compile(&g, &flow, AdaptiveMethod::Dop853, &[], NewtonOptions::default()).is_none());
    }
}
