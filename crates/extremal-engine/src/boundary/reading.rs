//! Velocities and multipliers of a solution, as accurate at the ends as in between.

use extremal_eval::CompileError;
use extremal_expr::Expr;
use extremal_mechanics::boundary::Quantity;
use extremal_mechanics::{Block, Solve, System};
use extremal_solve::{GuessSource, Kernel, NewtonOptions};

use super::known_parameters;
use super::solution::UnknownsReader;

/// From q, p, S, t and a guess to v: L_v = p + Rᵀμ where A v + b = 0.
fn legendre<'g>(system: &System<'g>, guess: &[Expr<'g>]) -> Block {
    let g = system.graph;
    let reacting: Vec<_> = system.reacting().collect();
    let kicks: Vec<Expr<'g>> = reacting.iter().map(|c| system.symbol(&format!("kick_{}", c.name))).collect();
    let kicked = system.reactions_at(&system.here(), &kicks);
    let sum = system.momenta().into_iter().zip(&system.p).zip(kicked);
    let mut residual: Vec<Expr<'g>> = sum.map(|((l_v, p), kick)| l_v - *p - kick).collect();
    residual.extend(reacting.iter().map(|constraint| constraint.velocity));
    let unknowns = [&system.v[..], &kicks].concat();
    let guess = [guess, &vec![g.int(0); kicks.len()]].concat();
    let inputs = [&system.q[..], &system.p, &system.heat.s, &[system.t], &guess[..system.len()]].concat();
    Block {
        inputs: inputs.iter().map(|e| e.id()).collect(),
        solves: vec![Solve::new(&unknowns, &residual, &guess)],
        outputs: system.v.iter().map(|e| e.id()).collect(),
    }
}

impl UnknownsReader<'_, '_> {
    /// Velocities at the instants: unknowns where they are, otherwise those that belong to the momenta of the steps that meet there
    /// and that the constraints admit.
    pub fn velocities(&self) -> Result<Vec<Vec<f64>>, CompileError> {
        let problem = self.problem;
        let (n, steps) = (problem.system.len(), self.steps());
        let derivative = |k: usize| Quantity::Derivative { order: 1, coordinate: k };
        if problem.transcription.node.contains(&derivative(0)) {
            let at = |instant: usize| (0..n).map(|k| self.unknown(derivative(k), self.node(instant))).collect();
            return Ok((0..=steps).map(at).collect());
        }
        let quotients = self.difference_quotients();
        if problem.transcription.momenta[0].is_empty() {
            return Ok(quotients);
        }
        let momenta = self.momenta()?;
        let system = &problem.system;
        let guess = system.symbols("v_", "");
        let mut kernel = self.kernel(&legendre(system, &guess))?;
        let own = problem.transcription.once.contains(&Quantity::StartVelocity(0));
        let vakonomic = system.vakonomic().next().is_some();
        let mut out = vec![0.0; n];
        let rows = (0..=steps).map(|instant| {
            let end: Option<fn(usize) -> Quantity> = match instant {
                0 => Some(Quantity::StartVelocity),
                at if at == steps => Some(Quantity::EndVelocity),
                _ => None,
            };
            if let (Some(quantity), true) = (end, own) {
                return (0..n).map(|k| self.unknown(quantity(k), 0)).collect();
            }
            // Half a step lies between the momentum of the only step there and that of the end; what a vakonomic constraint adds
            // to the momentum in it is not known.
            if end.is_some() && vakonomic && !problem.transcription.periodic {
                return quotients[instant].clone();
            }
            let node = self.node(instant);
            let positions = (0..n).map(|k| self.unknown(Quantity::Position(k), node));
            let entropies = self.carried(node);
            let inputs: Vec<f64> = positions
                .chain(momenta[instant].iter().copied())
                .chain(entropies)
                .chain([self.time(instant)])
                .chain(quotients[instant].iter().copied())
                .collect();
            // Where momenta do not determine velocities, as for lengths of curves, the differences are all there is.
            match kernel.run(&inputs, GuessSource::Formula, &mut out) {
                Ok(_) => out.clone(),
                Err(_) => quotients[instant].clone(),
            }
        });
        Ok(rows.collect())
    }

    /// The multipliers of reacting constraints at both ends, from the equations of motion there: those of the first and of the last
    /// node alone are of order one. `None` where the equations do not determine them.
    pub fn end_multipliers(&self, velocities: &[Vec<f64>]) -> Result<[Option<Vec<f64>>; 2], CompileError> {
        let problem = self.problem;
        let (g, n, steps) = (problem.system.graph, problem.system.len(), self.steps());
        let system = &problem.system;
        let plain = system.constraints.is_empty() || system.vakonomic().next().is_some() || problem.order > 1;
        if plain || problem.transcription.periodic || !problem.statement.integrals.is_empty() {
            return Ok([None, None]);
        }
        let unknowns = system.motion_unknowns();
        let controls: Vec<_> = problem.statement.controls.iter().map(|control| g.expr(control.symbol)).collect();
        let inputs = [&system.q[..], &system.v, &system.heat.s, &[system.t], &controls].concat();
        let multipliers: Vec<_> = system.constraints.iter().map(|constraint| constraint.multiplier.id()).collect();
        let block = Block {
            inputs: inputs.iter().map(|e| e.id()).collect(),
            solves: vec![Solve::new(&unknowns, &system.motion_equations(), &vec![g.int(0); unknowns.len()])],
            outputs: multipliers.clone(),
        };
        let mut kernel = self.kernel(&block)?;
        let ends = [(0, [0, 1.min(steps - 1)]), (steps, [steps - 1, steps.saturating_sub(2)])];
        Ok(ends.map(|(instant, [near, next])| {
            let node = self.node(instant);
            let positions = (0..n).map(|k| self.unknown(Quantity::Position(k), node));
            let entropies = self.carried(node);
            // A control belongs to the middle of its step.
            let middle = |k: usize, step: usize| self.control(k, step, 0.5);
            let controls = (0..controls.len()).map(|k| 1.5 * middle(k, near) - 0.5 * middle(k, next));
            let inputs: Vec<f64> = positions
                .chain(velocities[instant].iter().copied())
                .chain(entropies)
                .chain([self.time(instant)])
                .chain(controls)
                .collect();
            let mut out = vec![0.0; multipliers.len()];
            kernel.run(&inputs, GuessSource::Formula, &mut out).ok().map(|_| out)
        }))
    }

    fn kernel(&self, block: &Block) -> Result<Kernel, CompileError> {
        let model = self.problem.model;
        let parameters: Vec<_> = model.parameters().iter().map(|p| p.symbol).collect();
        let mut kernel = Kernel::compile(model.graph(), &parameters, block, NewtonOptions::default())?;
        kernel.set_parameters(&self.parameter_values());
        Ok(kernel)
    }

    /// Slopes of the parabola through three instants.
    fn difference_quotients(&self) -> Vec<Vec<f64>> {
        let (n, steps, duration) = (self.problem.system.len(), self.steps(), self.duration());
        let position = |k: usize, instant: usize| self.unknown(Quantity::Position(k), self.node(instant));
        let slope = |k: usize, step: usize| {
            let length = duration * (self.discrete.fractions[step + 1] - self.discrete.fractions[step]);
            (position(k, step + 1) - position(k, step)) / length
        };
        let length = |step: usize| self.discrete.fractions[step + 1] - self.discrete.fractions[step];
        let at_end = |k: usize, near: usize, next: usize| {
            let reach = length(near) / (length(near) + length(next));
            slope(k, near) + reach * (slope(k, near) - slope(k, next))
        };
        let periodic = self.problem.transcription.periodic;
        let one = |k: usize, instant: usize| {
            let (before, after) = match instant {
                0 if periodic => (steps - 1, 0),
                at if at == steps && periodic => (steps - 1, 0),
                0 => return at_end(k, 0, 1.min(steps - 1)),
                at if at == steps => return at_end(k, steps - 1, steps.saturating_sub(2)),
                at => (at - 1, at),
            };
            let (a, b) = (length(before), length(after));
            (b * slope(k, before) + a * slope(k, after)) / (a + b)
        };
        (0..=steps).map(|instant| (0..n).map(|k| one(k, instant)).collect()).collect()
    }

    /// Momenta at the instants: the mean of those of both steps, between which a constraint may kick.
    fn momenta(&self) -> Result<Vec<Vec<f64>>, CompileError> {
        let problem = self.problem;
        let transcription = &problem.transcription;
        let first = &transcription.pieces[0].piece;
        let (mut parameters, mut values) = known_parameters(problem.model);
        parameters.extend(transcription.constants.iter().map(|(id, _)| *id));
        parameters.extend(transcription.duration);
        let block = Block {
            inputs: first.variables.iter().chain(&first.data).copied().collect(),
            solves: Vec::new(),
            outputs: transcription.momenta.concat(),
        };
        let mut kernel = Kernel::compile(problem.system.graph, &parameters, &block, NewtonOptions::default())?;
        values.extend(transcription.constants.iter().map(|(_, value)| *value));
        values.extend(transcription.duration.map(|_| problem.statement.duration.guess()));
        kernel.set_parameters(&values);
        let (n, steps) = (problem.system.len(), self.steps());
        let mut sums = vec![vec![0.0; n]; steps + 1];
        let mut counts = vec![0.0; steps + 1];
        let mut out = vec![0.0; 2 * n];
        let steps_of = self.discrete.layout.elements.iter().filter(|element| element.piece == 0);
        for (step, element) in steps_of.enumerate() {
            let inputs: Vec<f64> = element.variables.iter().map(|at| self.found.x[*at]).chain(element.data).collect();
            if kernel.run(&inputs, GuessSource::Formula, &mut out).is_err() {
                out.fill(f64::NAN);
            }
            for (instant, p) in [(step, &out[..n]), (step + 1, &out[n..])] {
                sums[instant].iter_mut().zip(p).for_each(|(sum, p)| *sum += p);
                counts[instant] += 1.0;
            }
        }
        if transcription.periodic {
            let joined: Vec<f64> = sums[0].iter().zip(&sums[steps]).map(|(a, b)| a + b).collect();
            (sums[0], sums[steps]) = (joined.clone(), joined);
            (counts[0], counts[steps]) = (2.0, 2.0);
        }
        Ok(sums.into_iter().zip(counts).map(|(sum, count)| sum.iter().map(|p| p / count).collect()).collect())
    }
}
