//! Dry friction in a step: an impulse in each half of it.
//!
//! ```text
//! first half   p_0 + (h/2) aᵀφ = −D1 L_d           φ ∈ −B Sign(w)  at w = a·(q_1 − q_0)/h + b
//! second half  p_1 = D2 L_d + (h/2) aᵀψ            ψ ∈ −B Sign(w)  at w = a·v_1 + b
//! ```
//!
//! The first decides, with the forces of the step, whether the positions move at all; the second does the same for the velocities at the
//! end. One impulse for the whole step would turn p over where the contact sticks. For a quadratic potential and a constant bound
//! the midpoint step changes the energy by h φ w + (h/2)(ψ − φ) w_1 − (h²/8m)(ψ − φ)², which is never positive.

use extremal_expr::{Expr, Function, Function2, Relation};

use super::scheme::{Equation, SchemeGuard, ids};
use crate::block::{Meaning, Solve};
use crate::continuous::{clamped, sticks};
use crate::{Point, System};

/// What the contacts are in one half of a step.
struct Half<'g> {
    /// What tells the symbols of both halves apart.
    pub place: &'static str,
    /// Where the forces act.
    pub node: Point<'g>,
    /// Where the velocities of sliding are taken; its velocities are unknowns.
    pub sliding: Point<'g>,
    /// A guess of these velocities.
    pub guess: Vec<Expr<'g>>,
    /// The bound of each contact.
    pub bounds: Vec<Expr<'g>>,
    /// How much impulse changes the velocity of each coordinate by one.
    pub inertia: Vec<Expr<'g>>,
}

/// The contacts of one half, in the unknown z of each.
pub(super) struct Contacts<'g> {
    /// The z.
    unknowns: Vec<Expr<'g>>,
    meanings: Vec<Meaning>,
    /// Velocities that follow from the others and the z.
    followers: Vec<(Expr<'g>, Expr<'g>)>,
    /// What vanishes for contacts from which no velocity follows.
    rows: Vec<Expr<'g>>,
    guess: Vec<Expr<'g>>,
    /// The force of each contact.
    pub forces: Vec<Expr<'g>>,
    /// Does it stick in this half?
    pub stuck: Vec<Expr<'g>>,
    /// (h/2) aᵀ forces.
    pub impulses: Vec<Expr<'g>>,
    pub guards: Vec<SchemeGuard>,
}

impl<'g> Contacts<'g> {
    fn of(system: &System<'g>, half: &Half<'g>) -> Contacts<'g> {
        let (g, h) = (system.graph, system.step());
        let mut contacts = Contacts {
            unknowns: Vec::new(),
            meanings: Vec::new(),
            followers: Vec::new(),
            rows: Vec::new(),
            guess: Vec::new(),
            forces: vec![g.int(0); system.dry.len()],
            stuck: vec![g.int(0); system.dry.len()],
            impulses: vec![g.int(0); system.len()],
            guards: Vec::new(),
        };
        let at_rest: Vec<_> = half.sliding.v.iter().map(|v| (*v, g.int(0))).collect();
        let guessed: Vec<_> = half.sliding.v.iter().copied().zip(half.guess.iter().copied()).collect();
        for together in system.contacts() {
            let (dry, bound) = (&system.dry[together.leader], together.bound(&half.bounds));
            let z = system.contact_symbol(dry, &format!("z_{}", half.place));
            let (places, row): (Vec<usize>, Vec<_>) = dry.row.iter().copied().unzip();
            let there: Vec<_> = places.iter().copied().zip(system.at(&row, &half.node)).collect();
            // With this scale z is twice what the impulses of the step would be without the contact, over h.
            let scale = (h * system.mobility(&there, &half.inertia)).powi(-1) * 2;
            // Written so that it is exactly zero where the contact sticks, whatever the round-off of z.
            let beyond = g.call2(Function2::Max, z - bound, g.call2(Function2::Min, z + bound, g.int(0)));
            let (held, slides) = (z - beyond, beyond / scale);
            let along = system.at(&[dry.along], &half.sliding)[0];
            let rest = along.substitute(&at_rest);
            // Of the velocity of one coordinate only the sign matters, and that of its factor is the same at the node.
            let alone = there.len() == 1 && rest.is_zero();
            let taken = |k: usize| contacts.followers.iter().any(|(v, _)| *v == half.sliding.v[k]);
            let sliding = match alone {
                true => there[0].1 * half.sliding.v[there[0].0],
                false => along,
            };
            // What earlier contacts say of their velocities is known here; a contact may follow from them.
            let open = if alone { sliding } else { sliding.substitute(&contacts.followers) };
            let slopes = g.jacobian(&[open], &half.sliding.v).remove(0);
            let constant = slopes.iter().all(|(_, slope)| !slope.depends_on(&half.sliding.v));
            let safe = |slope: &Expr<'g>| alone || slope.as_number().is_some_and(|slope| !slope.is_zero());
            let pivot = slopes.iter().find(|(k, slope)| constant && safe(slope) && !taken(*k));
            match pivot {
                Some((k, slope)) => {
                    let follower = half.sliding.v[*k];
                    let others = open.substitute(&[(follower, g.int(0))]);
                    let image = (slides - others) / *slope;
                    for (_, other) in &mut contacts.followers {
                        *other = other.substitute(&[(follower, image)]);
                    }
                    contacts.followers.push((follower, image));
                }
                None => contacts.rows.push(along - slides),
            }
            let start = along.substitute(&guessed);
            contacts.guess.push(scale * start + bound * start.call(Function::Sign));
            contacts.unknowns.push(z);
            contacts.meanings.push(dry.meaning());
            for (at, share) in together.shares(held, &half.bounds) {
                contacts.forces[at] = share;
                contacts.stuck[at] = g.compare(Relation::Le, z.abs(), bound);
            }
            for (k, a) in there {
                contacts.impulses[k] = contacts.impulses[k] - h * a * held / 2;
            }
        }
        contacts.guards.extend(system.dry.iter().zip(&half.bounds).map(|(dry, bound)| SchemeGuard {
            label: format!("the bound of the dry friction on {} is not negative", dry.name),
            condition: g.compare(Relation::Le, g.int(0), *bound).id(),
        }));
        contacts
    }

    /// The system of equations with the contacts in it, and, after it, the velocities that follow.
    pub fn solves(&self, g: &'g extremal_expr::Graph, solve: Solve) -> [Solve; 2] {
        let followers: Vec<Expr<'g>> = self.followers.iter().map(|(v, _)| *v).collect();
        let unknowns = g.exprs(&solve.unknowns);
        let kept = |i: &usize| !followers.contains(&unknowns[*i]);
        let pick = |all: &[Expr<'g>]| (0..unknowns.len()).filter(kept).map(|i| all[i]).collect::<Vec<_>>();
        let rows = [&g.exprs(&solve.residual)[..], &self.rows].concat();
        let rows = g.substitute(&rows, &self.followers);
        let open = [&self.unknowns[..], &pick(&unknowns)].concat();
        let guess = [&self.guess[..], &pick(&g.exprs(&solve.guess))].concat();
        let following: Vec<_> = self.followers.iter().map(|(v, image)| *v - *image).collect();
        [
            Solve::new(&open, &rows, &guess).meaning(self.meanings.iter().cloned()).meaning_as_in(&solve),
            Solve::new(&followers, &following, &vec![g.int(0); followers.len()]),
        ]
    }
}

/// The contacts of the first half, in the rows that determine the first increments `w`; sliding is between the positions.
pub(super) fn first_half<'g>(
    system: &System<'g>,
    rows: &[Expr<'g>],
    w: &[Expr<'g>],
    unknowns: &[Expr<'g>],
    bounds: Vec<Expr<'g>>,
    between: &Point<'g>,
) -> Contacts<'g> {
    let g = system.graph;
    let known = unknowns.iter().map(|u| (*u, g.int(0)));
    let guessed: Vec<_> = w.iter().copied().zip(system.v.iter().copied()).chain(known).collect();
    let half = Half {
        place: "first",
        node: Point { v: w.to_vec(), ..system.here() },
        sliding: between.clone(),
        guess: system.v.clone(),
        bounds,
        inertia: g.substitute(&diagonal(rows, w), &guessed),
    };
    Contacts::of(system, &half)
}

/// The contacts of the second half, and the system of equations for the velocities at the end with their impulses in it; `w` are the
/// first increments.
pub(super) fn second_half<'g>(
    system: &System<'g>,
    end: &Point<'g>,
    solve: Solve,
    w: &[Expr<'g>],
    bounds: Vec<Expr<'g>>,
) -> (Contacts<'g>, Solve) {
    let g = system.graph;
    let mut rows = g.exprs(&solve.residual);
    let guessed: Vec<_> = end.v.iter().copied().zip(w.iter().copied()).collect();
    let half = Half {
        place: "second",
        node: end.clone(),
        sliding: end.clone(),
        guess: w.to_vec(),
        bounds,
        inertia: g.substitute(&diagonal(&rows[..system.len()], &end.v), &guessed),
    };
    let contacts = Contacts::of(system, &half);
    let unknowns = g.exprs(&solve.unknowns);
    for ((row, v), impulse) in rows.iter_mut().zip(&end.v).zip(&contacts.impulses) {
        *row = collected(*row, *v, &unknowns) - *impulse;
    }
    (contacts, Solve { residual: ids(&rows), ..solve })
}

/// The slopes of each row by its own unknown.
fn diagonal<'g>(rows: &[Expr<'g>], unknowns: &[Expr<'g>]) -> Vec<Expr<'g>> {
    let Some(g) = unknowns.first().map(|unknown| unknown.graph()) else { return Vec::new() };
    let own = |(k, row): (usize, &Vec<(usize, Expr<'g>)>)| row.iter().find(|(column, _)| *column == k).map(|e| e.1);
    g.jacobian(rows, unknowns).iter().enumerate().map(|row| own(row).unwrap_or(g.int(1))).collect()
}

/// A row S u + C of the equations of a step as it is here written, where it is affine in the one unknown `u` and has no other: with the
/// scale of a contact its z is then known in closed form.
pub(super) fn collected<'g>(row: Expr<'g>, u: Expr<'g>, unknowns: &[Expr<'g>]) -> Expr<'g> {
    let g = row.graph();
    let slopes = g.affine_slopes(&[row], unknowns, &g.jacobian(&[row], unknowns));
    match slopes[0].as_deref() {
        Some([(column, slope)]) if unknowns[*column] == u => {
            let at_zero: Vec<_> = unknowns.iter().map(|u| (*u, g.int(0))).collect();
            *slope * u + row.substitute(&at_zero)
        }
        _ => row,
    }
}

/// The bounds in one half of a step, where the contacts of `stuck` stick before it; multipliers by `rules`.
pub(super) fn bounds<'g>(
    system: &System<'g>,
    point: &Point<'g>,
    stuck: &[Expr<'g>],
    rules: &[(Expr<'g>, Expr<'g>)],
) -> Vec<Expr<'g>> {
    let g = system.graph;
    let stated: Vec<_> = system.dry.iter().flat_map(|dry| [dry.bound, dry.holding()]).collect();
    let there = g.substitute(&system.at(&stated, point), rules);
    let choose = |(at, pair): (usize, &[Expr<'g>])| match system.dry[at].holding {
        None => pair[0],
        Some(_) => g.select(stuck[at], pair[1], pair[0]),
    };
    there.chunks(2).enumerate().map(choose).collect()
}

/// Which contacts stick at the start of a step, and the solve that finds the velocities there; nothing where no bound asks.
pub(super) fn stuck_before<'g>(system: &System<'g>) -> (Vec<Solve>, Vec<Expr<'g>>) {
    if system.dry.iter().all(|dry| dry.holding.is_none()) {
        return (Vec::new(), Vec::new());
    }
    let v = system.symbols("v_", "_0");
    let here = Point { v: v.clone(), ..system.here() };
    let momenta = system.at(&system.momenta(), &here);
    let rows: Vec<_> = momenta.iter().zip(&system.p).map(|(l_v, p)| *l_v - *p).collect();
    let along: Vec<_> = system.dry.iter().map(|dry| dry.along).collect();
    let stuck = system.at(&along, &here).into_iter().map(sticks).collect();
    (vec![Solve::new(&v, &rows, &system.v)], stuck)
}

/// The symbols of the forces in both halves, for print.
pub(super) fn half_forces<'g>(system: &System<'g>) -> [Vec<Expr<'g>>; 2] {
    ["first", "second"].map(|half| system.dry.iter().map(|dry| system.contact_symbol(dry, half)).collect())
}

/// The impulse (h/2) aᵀf on each coordinate.
pub(super) fn impulse<'g>(system: &System<'g>, node: &Point<'g>, forces: &[Expr<'g>]) -> Vec<Expr<'g>> {
    let mut impulses = vec![system.graph.int(0); system.len()];
    for (dry, force) in system.dry.iter().zip(forces) {
        let (places, row): (Vec<usize>, Vec<_>) = dry.row.iter().copied().unzip();
        for (k, a) in places.into_iter().zip(system.at(&row, node)) {
            impulses[k] = impulses[k] + system.step() * a * *force / 2;
        }
    }
    impulses
}

/// f ∈ −B Sign(w) of both halves, for print: f = −max(−B, min(B, r w − f)) for any r > 0 says the same.
pub(super) fn equations<'g>(system: &System<'g>, halves: [(&Point<'g>, &Point<'g>); 2]) -> Vec<Equation> {
    let mut equations = Vec::new();
    let scale = system.constant("r");
    for ((forces, (node, sliding)), half) in half_forces(system).iter().zip(halves).zip(["first", "second"]) {
        for (dry, force) in system.dry.iter().zip(forces) {
            let along = system.at(&[dry.along], sliding)[0];
            let bound = system.at(&[dry.bound], node)[0];
            let label = format!("dry friction on {} in the {half} half", dry.name);
            equations.push(Equation::new(label, *force, -clamped(scale * along - *force, bound)));
        }
    }
    equations
}
