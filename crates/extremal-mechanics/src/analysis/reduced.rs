//! Lagrangians of higher order as systems of the first order.
//!
//! L(q, …, q^(k)) has the motions of the vakonomic system L(q_0, …, q_(k−1), q_(k−1)') with the constraints q_l' = q_(l+1), whose
//! multipliers are Ostrogradsky's momenta. What is found there is written back in the derivatives of q.

use extremal_expr::Expr;
use extremal_model::ConstraintKind;

use super::conserved::{ConservedQuantities, ConservedQuantity, Symmetry};
use super::jets::Jets;
use super::singular::{ChainVerdict, ConstraintChain, Regularity};
use crate::System;

/// A system of the first order, and how to read it.
pub struct FirstOrderSystem<'g> {
    /// The system of the first order; of one that is so already, that itself.
    pub system: System<'g>,
    /// The order k of the statement.
    pub order: usize,
    /// The constraints q_l' = q_(l+1).
    added: usize,
    back: Vec<(Expr<'g>, Expr<'g>)>,
}

impl<'g> FirstOrderSystem<'g> {
    /// Reduces a system whose Lagrangian and vakonomic constraints may contain higher derivatives.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::System;
    /// use extremal_mechanics::analysis::FirstOrderSystem;
    /// let g = Graph::new();
    /// let x: Vec<_> = ["x", "x'", "x''", "x'''"].map(|name| g.symbol(name)).to_vec();
    /// let spline = FirstOrderSystem::of(System::new(&g, &["x"], x[2].powi(2) / 2));
    /// let energy = spline.stated(spline.system.energy());
    /// assert!(g.proves_zero(energy - x[2].powi(2) / 2 + x[1] * x[3]));
    /// ```
    pub fn of(stated: System<'g>) -> FirstOrderSystem<'g> {
        let order = stated.order;
        if order == 1 {
            return FirstOrderSystem { system: stated, order, added: 0, back: Vec::new() };
        }
        let g = stated.graph;
        let n = stated.len();
        let primed = |name: &str, times: usize| g.symbol(&format!("{name}{}", "'".repeat(times)));
        let derivatives: Vec<Vec<Expr<'g>>> =
            (0..n).map(|k| (0..=2 * order).map(|times| stated.derivative(times)[k]).collect()).collect();
        let mut system = stated.clone();
        system.order = 1;
        system.higher.clear();
        system.p.truncate(n);
        let mut down: Vec<(Expr<'g>, Expr<'g>)> = Vec::new();
        let mut back = Vec::new();
        for l in 1..order {
            let lowered = stated.symbols("", &format!("_{l}"));
            let momenta = stated.symbols("p_", &format!("_{l}"));
            for (k, (q, p)) in lowered.into_iter().zip(momenta).enumerate() {
                let name = q.as_symbol().map_or_else(String::new, |name| name.to_string());
                let (v, a) = (primed(&name, 1), primed(&name, 2));
                down.push((derivatives[k][l], q));
                back.extend([(q, derivatives[k][l]), (v, derivatives[k][l + 1]), (a, derivatives[k][l + 2])]);
                if l + 1 == order {
                    down.push((derivatives[k][order], v));
                }
                system.q.push(q);
                system.v.push(v);
                system.a.push(a);
                system.p.push(p);
                system.force.push(g.int(0));
            }
        }
        system.lagrangian = stated.lagrangian.substitute(&down);
        system.force = g.substitute(&system.force, &down);
        for constraint in &mut system.constraints {
            constraint.expression = constraint.expression.substitute(&down);
            constraint.velocity = constraint.velocity.substitute(&down);
            constraint.power = constraint.power.substitute(&down);
        }
        let jets = Jets {
            graph: g,
            time: stated.t,
            variables: derivatives
                .iter()
                .cloned()
                .chain(stated.vakonomic().map(|c| {
                    let name = c.multiplier.as_symbol().map_or_else(String::new, |name| name.to_string());
                    (0..=order).map(|times| primed(&name, times)).collect()
                }))
                .collect(),
            equations: Vec::new(),
        };
        for (k, symbols) in derivatives.iter().enumerate() {
            let mut momentum = g.gradient(stated.lagrangian, &[symbols[order]])[0];
            for l in (0..order - 1).rev() {
                momentum = g.gradient(stated.lagrangian, &[symbols[l + 1]])[0] - jets.time_derivative(momentum);
                let place = l * n + k;
                let name = format!("{}_{}", stated.names[k], l + 1);
                system.constrain(&name, ConstraintKind::Vakonomic, system.v[place] - system.q[place + n], None);
                if let Some(constraint) = system.constraints.last() {
                    back.push((constraint.multiplier, momentum));
                    back.push((constraint.rate, jets.time_derivative(momentum)));
                }
            }
        }
        for l in 1..order {
            system.names.extend(stated.names.iter().map(|name| format!("{name}{}", "'".repeat(l))));
        }
        FirstOrderSystem { system, order, added: (order - 1) * n, back }
    }

    /// A vector field on q with what it does to q', …, q^(k−1).
    pub fn prolonged(&self, generator: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let (g, n) = (self.system.graph, generator.len());
        let mut direction = vec![(self.system.t, g.int(1))];
        direction.extend(self.system.q.iter().copied().zip(self.system.q.iter().skip(n).copied()));
        let mut last = generator.to_vec();
        let mut all = last.clone();
        for _ in 1..self.order {
            last = g.directional(&last, &direction);
            all.extend(&last);
        }
        all
    }

    /// An expression of the system of the first order in the symbols of the statement.
    pub fn stated(&self, e: Expr<'g>) -> Expr<'g> {
        match self.back.is_empty() {
            true => e,
            false => self.system.graph.simplified(e.substitute(&self.back)),
        }
    }

    /// What [`regularity`](super::regularity) says about the system of the first order, for the statement: the matrix is that of
    /// the derivatives of order k, bordered by the constraints.
    pub fn stated_regularity(&self, seen: &Regularity<'g>) -> Regularity<'g> {
        let stated = |e: &Expr<'g>| self.stated(*e);
        let chain = seen.chain.as_ref().map(|chain| ConstraintChain {
            rounds: chain
                .rounds
                .iter()
                .map(|round| round.iter().map(stated).filter(|e| !e.is_zero()).collect::<Vec<_>>())
                .filter(|round| !round.is_empty())
                .collect(),
            solved: chain.solved.iter().map(|(symbol, value)| (self.stated(*symbol), self.stated(*value))).collect(),
            motion: chain.motion.iter().map(stated).collect(),
            free: chain.free.iter().map(stated).collect(),
            verdict: match &chain.verdict {
                ChainVerdict::NoMotion { contradiction } => {
                    ChainVerdict::NoMotion { contradiction: self.stated(*contradiction) }
                }
                ChainVerdict::Undecided { constraint } => {
                    ChainVerdict::Undecided { constraint: self.stated(*constraint) }
                }
                other => other.clone(),
            },
        });
        Regularity {
            unknowns: seen.unknowns - 2 * self.added,
            rank: seen.rank - (2 * self.added).min(seen.rank),
            decided: seen.decided,
            regular_everywhere: seen.regular_everywhere,
            mass_rank: seen.mass_rank,
            // Each added constraint swaps two rows.
            determinant: seen.determinant.map(|d| self.stated(if self.added.is_multiple_of(2) { d } else { -d })),
            state_dimension: seen.state_dimension - self.added,
            chain,
            final_dimension: seen.final_dimension,
        }
    }

    /// Conserved quantities of the system of the first order, for the statement.
    pub fn stated_quantities(&self, mut conserved: ConservedQuantities<'g>) -> ConservedQuantities<'g> {
        if self.order == 1 {
            return conserved;
        }
        let stated = |generator: Vec<Expr<'g>>| generator.into_iter().map(|x| self.stated(x)).collect();
        conserved.found = conserved
            .found
            .into_iter()
            .map(|quantity| ConservedQuantity {
                expression: self.stated(quantity.expression),
                name: if quantity.symmetry == Some(Symmetry::Time) { "energy".to_string() } else { quantity.name },
                symmetry: quantity.symmetry.map(|symmetry| match symmetry {
                    Symmetry::Time => Symmetry::Time,
                    Symmetry::Point { generator, gauge } => {
                        Symmetry::Point { generator: stated(generator), gauge: self.stated(gauge) }
                    }
                    Symmetry::Hidden { generator } => Symmetry::Hidden { generator: stated(generator) },
                }),
                ..quantity
            })
            .collect();
        let mut generators: Vec<Expr<'g>> = Vec::new();
        for generator in conserved.space.generators {
            let generator = self.stated(generator);
            if !generators.contains(&generator) {
                generators.push(generator);
            }
        }
        conserved.space.generators = generators;
        conserved
    }
}
