//! From a model to the mechanical system that the equations are written for.

use extremal_expr::{Expr, Id};
use extremal_model::{DifferenceNode, HeatLaw, Model, ModelPort, PortLoad, StateLaw, StepEnds};

use rustc_hash::FxHashMap;

use crate::System;
use crate::continuous::{Friction, Heat, PoissonBrackets, Port, RateLaw};
use crate::discrete::{CustomDiscrete, DifferenceMap, MapNode, SchemeError, StatedDiscrete};

impl<'m> System<'m> {
    /// The mechanical system of a model, with its entropies, amounts, states and constraints. Without entropies friction is a force like any other;
    /// controls follow their laws, or are zero without one.
    ///
    /// ```
    /// use extremal_mechanics::System;
    /// use extremal_model::{Model, StepEnds};
    /// let model = Model::from_toml(r#"
    ///     [coordinates]
    ///     x = { start = 1.0 }
    ///     [parameters]
    ///     m = 2
    ///     [dynamics]
    ///     lagrangian = "m*x'^2/2 - x^2/2"
    /// "#)?;
    /// assert_eq!(System::of(&model).momenta()[0].to_string(), "m*x'");
    /// # Ok::<(), extremal_model::InvalidModel>(())
    /// ```
    pub fn of(model: &'m Model) -> System<'m> {
        let rates = model.states().iter().map(|state| state.rate).collect::<Vec<_>>();
        System::under(model, model.forces(), &rates)
    }

    /// The same with the controls as symbols.
    pub fn controlled(model: &'m Model) -> System<'m> {
        let rates = model.states().iter().map(|state| state.controlled_rate).collect::<Vec<_>>();
        System::under(model, model.controlled_forces(), &rates)
    }

    fn under(model: &'m Model, forces: Vec<Expr<'m>>, state_rates: &[Id]) -> System<'m> {
        let g = model.graph();
        let names: Vec<&str> = model.coordinates().iter().map(|c| c.name.as_str()).collect();
        let mut balanced = model.carried_names();
        balanced.truncate(model.entropies().len() + model.amounts().len());
        let order = model.order() as usize;
        let mut system = System::with_taken(g, &names, order, model.lagrangian(), model.taken_names());
        system.t = model.time();
        system.force = forces.into_iter().zip(model.friction()).map(|(f, r)| f + r).collect();
        if !balanced.is_empty() {
            system.heat = Heat::of(g, &balanced);
            system.heat.power = model.heat();
            system.heat.held_by = model.amounts().iter().map(|amount| amount.entropy).collect();
            system.heat.ports = model.ports().iter().map(|port| Port::of(model, port)).collect();
            let contacts = model.conductions().iter();
            system.heat.conduction = contacts.map(|c| (c.between.0, c.between.1, g.expr(c.conductance))).collect();
            let terms = model.friction_terms().iter().map(|term| Friction {
                coordinate: term.coordinate,
                force: g.expr(term.force),
                shares: term.shares.iter().map(|(entropy, share)| (*entropy, g.expr(*share))).collect(),
            });
            system.heat.friction = terms.collect();
        }
        for (state, rate) in model.states().iter().zip(state_rates) {
            system.heat.push_state(&state.name, g.expr(*rate));
        }
        system.heat.law = match model.state_law() {
            StateLaw::Stated => RateLaw::Stated,
            StateLaw::Action => RateLaw::Action,
            StateLaw::Poisson(brackets) => {
                let pairs = brackets.iter().map(|bracket| (bracket.of, g.expr(bracket.value)));
                RateLaw::Poisson(PoissonBrackets::new(model.states().len(), pairs))
            }
        };
        for dry in model.dry_friction() {
            let shares = dry.shares.iter().map(|(entropy, share)| (*entropy, g.expr(*share))).collect();
            let holding = dry.holding.map(|id| g.expr(id));
            system.rub(dry.coordinate, Some(g.expr(dry.along)), g.expr(dry.bound), holding, shares);
        }
        for constraint in model.constraints() {
            let expression = g.expr(constraint.left) - g.expr(constraint.right);
            let displacements = constraint.variational.map(|id| g.expr(id));
            system.constrain(&constraint.name, constraint.kind, expression, displacements);
        }
        system.massless = system.has_massless(model);
        system
    }

    /// Does the mass of a bound coordinate vanish at the parameters of the model?
    fn has_massless(&self, model: &Model) -> bool {
        if self.reacting().next().is_none() {
            return false;
        }
        let known: FxHashMap<&str, f64> = model.parameters().iter().map(|p| (p.name.as_str(), p.value)).collect();
        let rows = self.graph.jacobian(&self.momenta(), &self.v);
        let own = |(k, row): (usize, &Vec<(usize, Expr<'m>)>)| {
            row.iter().find(|(column, _)| *column == k).map_or(self.graph.int(0), |(_, mass)| *mass)
        };
        let masses: Vec<_> = rows.iter().enumerate().map(own).collect();
        self.graph.evaluate(&masses, |name| known.get(name).copied()).contains(&0.0)
    }

    /// Refuses what has no equations beside accelerations.
    pub fn check_order(&self) -> Result<(), SchemeError> {
        let refused = [
            (!self.heat.entropies().is_empty(), "entropies"),
            (self.is_contact(), "action variables"),
            (!self.heat.states().is_empty(), "states of first order"),
            (self.constraints.iter().any(|c| !c.kind.nature().any_order), "constraints that are not vakonomic"),
            (!self.dry.is_empty(), "dry frictions"),
        ];
        match refused.into_iter().find(|(stated, _)| self.order > 1 && *stated) {
            Some((_, what)) => Err(SchemeError::BesideAccelerations(what)),
            None => Ok(()),
        }
    }
}

impl<'m> Port<'m> {
    fn of(model: &'m Model, port: &ModelPort) -> Port<'m> {
        let g = model.graph();
        let amount = |place: usize| model.entropies().len() + place;
        match &port.carries {
            PortLoad::Matter { from, into, flow, enthalpy, entropy } => Port::Matter {
                from: from.map(amount),
                into: into.map(amount),
                flow: g.expr(*flow),
                enthalpy: enthalpy.map(|id| g.expr(id)),
                entropy: entropy.map(|id| g.expr(id)),
            },
            PortLoad::Heat { into, power, temperature } => {
                let (stated, conducted) = match power {
                    HeatLaw::Stated(power) => (g.expr(*power), g.int(0)),
                    HeatLaw::Conducted(conductance) => (g.int(0), g.expr(*conductance)),
                };
                let temperature = g.expr(*temperature);
                Port::Heat { into: *into, power: stated, conductance: conducted, temperature }
            }
        }
    }
}

impl<'m> CustomDiscrete<'m> {
    /// The discrete system that a model states, in the symbols that `system` uses for the ends of a step.
    pub fn of(model: &'m Model, system: &System<'m>) -> Option<CustomDiscrete<'m>> {
        let g = model.graph();
        let in_own_symbols = |ends: &StepEnds| -> Vec<(Expr<'m>, Expr<'m>)> {
            let ([first, last], [s_0, s_1]) = (system.ends(), system.entropy_ends());
            let given = [&ends.before, &ends.after, &ends.entropies_before, &ends.entropies_after];
            let own = [first, last, s_0, s_1];
            let pairs = given.into_iter().zip(own).flat_map(|(given, own)| g.exprs(given).into_iter().zip(own));
            pairs.chain([(g.expr(ends.step), system.step())]).collect()
        };
        if let Some(map) = model.discretisation() {
            let rules = in_own_symbols(&map.ends);
            let at_ends = |ids: &[_]| g.substitute(&g.exprs(ids), &rules);
            let node = |node: &DifferenceNode| MapNode {
                weight: g.expr(node.weight),
                position: at_ends(&node.position),
                velocity: at_ends(&node.velocity),
                entropy: at_ends(&node.entropy),
                rate: at_ends(&node.rate),
                time: at_ends(&[node.time])[0],
            };
            return Some(CustomDiscrete::Map(DifferenceMap { nodes: map.nodes.iter().map(node).collect() }));
        }
        let discrete = model.discrete()?;
        let mut rules = in_own_symbols(&discrete.ends);
        let [.., third] = system.three_points();
        rules.extend(g.exprs(&discrete.third).into_iter().zip(third));
        let at_ends = |ids: &[_]| g.substitute(&g.exprs(ids), &rules);
        Some(CustomDiscrete::Stated(StatedDiscrete {
            lagrangian: at_ends(&[discrete.lagrangian])[0],
            force_minus: at_ends(&discrete.force_minus),
            force_plus: at_ends(&discrete.force_plus),
            entropy_rules: at_ends(&discrete.entropy_rules),
            constraints: (model.constraints().iter().zip(&discrete.constraints))
                .filter(|(constraint, _)| system.constraints.iter().any(|kept| kept.name == constraint.name))
                .map(|(_, row)| row.map(|id| at_ends(&[id])[0]))
                .collect(),
            cost: discrete.cost.map(|cost| at_ends(&[cost])[0]),
            three_points: discrete.three_points,
        }))
    }
}
