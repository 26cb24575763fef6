//! Dry friction: a force of any value up to a bound while a contact sticks, and of this value against the motion while it slides.
//!
//! ```text
//! F = a f,    w = a·v + b,    f ∈ −B Sign(w)
//! ```
//!
//! w is the velocity with which the surfaces slide over each other, a = ∂w/∂v the direction of its virtual displacements; b is that of
//! a belt. Sign(0) is the whole interval from −1 to 1. For a number r > 0 the inclusion is the same as
//!
//! ```text
//! f = −c,    r w = z − c,    c = max(−B, min(B, z))
//! ```
//!
//! with one unknown z that may have any value: |z| ≤ B sticks, and w is zero then to the last bit; what lies beyond B slides.

use extremal_expr::{Expr, Function, Function2, Rational, Relation, magnitude};

use crate::System;
use crate::block::{Meaning, Solve};

/// One dry friction.
#[derive(Clone)]
pub struct Dry<'g> {
    /// The coordinate that it is stated for.
    pub name: String,
    /// The symbol of its force, `f_x`.
    pub force: Expr<'g>,
    /// The velocity w of sliding, affine in the velocities.
    pub along: Expr<'g>,
    /// ∂w/∂v, without the zeros.
    pub row: Vec<(usize, Expr<'g>)>,
    /// The bound while it slides; it may contain multipliers of constraints.
    pub bound: Expr<'g>,
    /// The bound while it sticks, where that is another one.
    pub holding: Option<Expr<'g>>,
    /// Which share of the heat warms which entropy.
    pub shares: Vec<(usize, Expr<'g>)>,
}

impl<'g> Dry<'g> {
    /// The heat B |w|, which is −f w.
    pub fn heating(&self) -> Expr<'g> {
        self.bound * self.along.abs()
    }

    /// What its unknown is.
    pub(crate) fn meaning(&self) -> Meaning {
        Meaning::DryFriction(self.force.as_symbol().map(|name| name.to_string()).unwrap_or_default())
    }

    /// The number that the velocity of another contact is times this one's, if it is one.
    fn ratio(&self, other: &Dry<'g>) -> Option<Expr<'g>> {
        let (k, slope) = self.row.first()?;
        let (_, theirs) = other.row.iter().find(|(j, _)| j == k)?;
        let ratio = *theirs / *slope;
        let number = ratio.as_number().is_some_and(|ratio| !ratio.is_zero());
        let rest = other.along - ratio * self.along;
        (number && rest.graph().vanishes(rest, &[]) == Some(true)).then_some(ratio)
    }

    /// The bound while it sticks.
    pub fn holding(&self) -> Expr<'g> {
        self.holding.unwrap_or(self.bound)
    }
}

/// `value` cut off at ± `bound`.
pub(crate) fn clamped<'g>(value: Expr<'g>, bound: Expr<'g>) -> Expr<'g> {
    let g = value.graph();
    g.call2(Function2::Max, -bound, g.call2(Function2::Min, bound, value))
}

/// Does a contact stick that slides with `velocity`, up to the round-off of its terms?
pub(crate) fn sticks(velocity: Expr<'_>) -> Expr<'_> {
    let g = velocity.graph();
    let round_off = g.rational(Rational::new(1, 1 << 44).unwrap_or(Rational::ZERO));
    g.compare(Relation::Le, velocity.abs(), round_off * magnitude(velocity))
}

/// Contacts that slide together: the velocity of each is a number times that of the first, whose bound is then that of all of them.
pub(crate) struct Together<'g> {
    /// The first.
    pub leader: usize,
    /// All of them, with these numbers.
    members: Vec<(usize, Expr<'g>)>,
}

impl<'g> Together<'g> {
    /// The bound on the force along the first, from the bound of each contact.
    pub fn bound(&self, bounds: &[Expr<'g>]) -> Expr<'g> {
        match &self.members[..] {
            [(alone, _)] => bounds[*alone],
            members => members[0].1.graph().sum(members.iter().map(|(at, ratio)| ratio.abs() * bounds[*at])),
        }
    }

    /// Each of them with its share of the `held` part of the bound of all: while they stick only the sum is determined, and each takes
    /// the same part of its own bound.
    pub fn shares(&self, held: Expr<'g>, bounds: &[Expr<'g>]) -> Vec<(usize, Expr<'g>)> {
        if let [(alone, _)] = &self.members[..] {
            return vec![(*alone, -held)];
        }
        let (g, all) = (held.graph(), self.bound(bounds));
        let part = g.select(g.compare(Relation::Lt, g.int(0), all), held / all, g.int(0));
        let share = |(at, ratio): &(usize, Expr<'g>)| (*at, -(part * bounds[*at] * ratio.call(Function::Sign)));
        self.members.iter().map(share).collect()
    }
}

impl<'g> System<'g> {
    /// The contacts, those together that slide together.
    pub(crate) fn contacts(&self) -> Vec<Together<'g>> {
        let mut groups: Vec<Together<'g>> = Vec::new();
        for (at, dry) in self.dry.iter().enumerate() {
            let found = groups.iter_mut().find_map(|group| Some((self.dry[group.leader].ratio(dry)?, group)));
            match found {
                Some((ratio, group)) => group.members.push((at, ratio)),
                None => groups.push(Together { leader: at, members: vec![(at, self.graph.int(1))] }),
            }
        }
        groups
    }

    /// Adds the dry friction that acts on `coordinate`, along its velocity unless `along` says otherwise.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::System;
    /// let g = Graph::new();
    /// let mut block = System::new(&g, &["x"], g.symbol("x'").powi(2) / 2);
    /// block.rub(0, None, g.int(3), None, Vec::new());
    /// assert_eq!(block.euler_lagrange(), [block.a[0] - g.symbol("f_x")]);
    /// ```
    pub fn rub(
        &mut self,
        coordinate: usize,
        along: Option<Expr<'g>>,
        bound: Expr<'g>,
        holding: Option<Expr<'g>>,
        shares: Vec<(usize, Expr<'g>)>,
    ) {
        let name = self.names[coordinate].clone();
        let along = along.unwrap_or(self.v[coordinate]);
        let row = self.graph.jacobian(&[along], &self.v).remove(0);
        // Several may act on one coordinate.
        let before = self.dry.iter().filter(|dry| dry.name == name).count();
        let suffix = if before == 0 { String::new() } else { format!("_{}", before + 1) };
        let force = self.symbols("f_", &suffix)[coordinate];
        for (k, a) in &row {
            self.force[*k] = self.force[*k] + *a * force;
        }
        self.dry.push(Dry { name, force, along, row, bound, holding, shares });
    }

    /// The forces other than dry friction.
    pub fn force_without_dry(&self) -> Vec<Expr<'g>> {
        let off: Vec<_> = self.dry.iter().map(|dry| (dry.force, self.graph.int(0))).collect();
        self.graph.substitute(&self.force, &off)
    }

    /// The power that belts feed in through dry friction: f a·v is f w, which becomes heat, less f b.
    pub fn dry_power(&self) -> Expr<'g> {
        let at_rest: Vec<_> = self.v.iter().map(|v| (*v, self.graph.int(0))).collect();
        self.graph.sum(self.dry.iter().map(|dry| -(dry.force * dry.along.substitute(&at_rest))))
    }

    /// One over the mass that a contact feels, by the inertia of each coordinate alone.
    pub(crate) fn mobility(&self, row: &[(usize, Expr<'g>)], inertia: &[Expr<'g>]) -> Expr<'g> {
        self.graph.sum(row.iter().map(|(k, a)| a.powi(2) / inertia[*k]))
    }

    /// The equations of motion at an instant, solved for accelerations, multipliers and dry friction: a contact that slides has its
    /// force, and one that sticks that which keeps it from sliding, f ∈ −B Sign(w') where w = 0.
    pub(crate) fn instant_with_dry(&self) -> Vec<Solve> {
        let g = self.graph;
        let inertia: Vec<Expr<'g>> = self
            .mass_matrix()
            .iter()
            .enumerate()
            .map(|(k, row)| row.iter().find(|(column, _)| *column == k).map_or(g.int(1), |(_, entry)| *entry))
            .collect();
        let along: Vec<_> = self.dry.iter().map(|dry| dry.along).collect();
        let rates = self.time_derivative(&along);
        let [sliding, holding]: [Vec<_>; 2] =
            [self.dry.iter().map(|dry| dry.bound).collect(), self.dry.iter().map(Dry::holding).collect()];
        let mut unknowns = self.motion_unknowns();
        let mut rows = self.motion_equations();
        let mut meanings = vec![Meaning::Itself; unknowns.len()];
        let mut forces = vec![g.int(0); self.dry.len()];
        for together in self.contacts() {
            let leader = &self.dry[together.leader];
            let z = self.contact_symbol(leader, "z");
            let stuck = sticks(leader.along);
            let held = clamped(z, together.bound(&holding));
            let slope = self.mobility(&leader.row, &inertia);
            for (at, share) in together.shares(held, &holding) {
                let dry = &self.dry[at];
                forces[at] = g.select(stuck, share, -(sliding[at] * dry.along.call(Function::Sign)));
            }
            rows.push(g.select(stuck, rates[together.leader] - slope * (z - held), slope * z));
            unknowns.push(z);
            meanings.push(leader.meaning());
        }
        let symbols: Vec<_> = self.dry.iter().map(|dry| dry.force).collect();
        let rules: Vec<_> = symbols.iter().copied().zip(forces.iter().copied()).collect();
        let motion =
            Solve::new(&unknowns, &g.substitute(&rows, &rules), &vec![g.int(0); unknowns.len()]).meaning(meanings);
        let named: Vec<_> = symbols.iter().zip(&forces).map(|(symbol, force)| *symbol - *force).collect();
        vec![motion, Solve::new(&symbols, &named, &vec![g.int(0); symbols.len()])]
    }

    /// A symbol of our own for a contact, at some place.
    pub(crate) fn contact_symbol(&self, dry: &Dry<'g>, prefix: &str) -> Expr<'g> {
        let force = dry.force.as_symbol().map(|name| name.to_string()).unwrap_or_default();
        self.symbol(&format!("{prefix}_{force}"))
    }
}
