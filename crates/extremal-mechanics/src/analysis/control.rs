//! Does a cost determine the controls?

use extremal_expr::{Expr, Rational};

use super::flow::dense;
use super::singular::generic_rank;
use crate::System;

/// Regularity of an optimal control problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlRegularity {
    /// How many controls there are.
    pub controls: usize,
    /// How many of them the cost determines: the rank of its second derivatives along what the motion allows.
    pub rank: usize,
    /// The dimension of states and adjoints, on which a regular optimal motion is unique: 4n of q, q' and theirs, 2n of states of first
    /// order and theirs.
    pub state_dimension: usize,
    /// Of states of first order: the rank of the derivatives of their rates by the controls, and how many states there are.
    pub reach: Option<(usize, usize)>,
}

impl ControlRegularity {
    /// Is the optimal motion determined by its state and adjoints?
    pub fn is_regular(&self) -> bool {
        self.rank == self.controls
    }
}

/// Larger matrices are left to the first step of a run.
const LARGEST: usize = 100;

/// The rank of the second derivatives of the unified Hamiltonian by what has no rate of its own in a motion from momenta, at a generic
/// state: full where momenta determine the motion, [VC 5.9, 7.9]. `None` where it could not be found, or is too large to be looked at.
pub fn primary_rank<'g>(system: &System<'g>, values: &[(Expr<'g>, Rational)]) -> Option<usize> {
    let (g, hidden) = (system.graph, system.hidden());
    if hidden.len() > LARGEST {
        return None;
    }
    generic_rank(g, &dense(g, &system.primary_constraints(), &hidden), hidden.len(), values)
}

/// The condition [VC 7.9] without eliminating the controls: the second derivatives of C + λ·(d/dt ∂L/∂v − ∂L/∂q − F(u)) by
/// accelerations and controls, bordered by those of the equations of motion. `force` contains the controls, `cost` is the
/// integrand; `None` for systems with constraints or entropies, whose equations are more than these.
///
/// ```
/// use extremal_expr::Graph;
/// use extremal_mechanics::System;
/// use extremal_mechanics::analysis::control_regularity;
/// let g = Graph::new();
/// let cart = System::new(&g, &["x"], g.symbol("x'").powi(2) / 2);
/// let u = g.symbol("u");
/// let least_effort = control_regularity(&cart, &[u], &[u], u.powi(2), &[]).unwrap();
/// let least_time = control_regularity(&cart, &[u], &[u], g.int(1), &[]).unwrap();
/// assert!(least_effort.is_regular() && !least_time.is_regular());
/// ```
pub fn control_regularity<'g>(
    system: &System<'g>,
    force: &[Expr<'g>],
    controls: &[Expr<'g>],
    cost: Expr<'g>,
    values: &[(Expr<'g>, Rational)],
) -> Option<ControlRegularity> {
    if !system.constraints.is_empty() || !system.heat.s.is_empty() {
        return None;
    }
    let g = system.graph;
    let mut controlled = system.clone();
    controlled.force = force.to_vec();
    let equations = controlled.euler_lagrange();
    let adjoints = system.symbols("lambda_", "");
    let extended = cost + g.dot(&adjoints, &equations);
    let unknowns = [&system.a[..], controls].concat();
    let (n, size) = (system.len(), unknowns.len());
    let slopes = g.gradient(extended, &unknowns);
    let (hessian, border) = (dense(g, &slopes, &unknowns), dense(g, &equations, &unknowns));
    let mut matrix = Vec::with_capacity((size + n) * (size + n));
    for row in 0..size {
        matrix.extend(&hessian[row * size..(row + 1) * size]);
        matrix.extend((0..n).map(|k| border[k * size + row]));
    }
    for row in border.chunks(size) {
        matrix.extend(row);
        matrix.extend(vec![g.int(0); n]);
    }
    // With a regular mass matrix the border takes 2n of the rank.
    let rank = generic_rank(g, &matrix, size + n, values)?;
    Some(ControlRegularity {
        controls: controls.len(),
        rank: rank.saturating_sub(2 * n),
        state_dimension: 4 * n,
        reach: None,
    })
}

/// The same for a system of states alone, with the controls in their rates: the second derivatives of Pontryagin's Hamiltonian by the
/// controls [VC 6.1]. `None` beside coordinates, entropies and constraints.
///
/// ```
/// use extremal_expr::Graph;
/// use extremal_mechanics::System;
/// use extremal_mechanics::analysis::state_control_regularity;
/// let g = Graph::new();
/// let [th, u, w] = ["th", "u", "w"].map(|name| g.symbol(name));
/// let mut unicycle = System::new(&g, &[], g.int(0));
/// unicycle.heat.push_state("x", u * th.cos());
/// unicycle.heat.push_state("y", u * th.sin());
/// unicycle.heat.push_state("th", w);
/// let seen = state_control_regularity(&unicycle, &[u, w], (u.powi(2) + w.powi(2)) / 2, &[]).unwrap();
/// assert!(seen.is_regular());
/// assert_eq!(seen.reach, Some((2, 3)));
/// ```
pub fn state_control_regularity<'g>(
    system: &System<'g>,
    controls: &[Expr<'g>],
    cost: Expr<'g>,
    values: &[(Expr<'g>, Rational)],
) -> Option<ControlRegularity> {
    let heat = &system.heat;
    if !system.is_empty() || !heat.entropies().is_empty() || heat.is_empty() || !system.constraints.is_empty() {
        return None;
    }
    let (g, states, size) = (system.graph, heat.states().len(), controls.len());
    let hamiltonian = g.dot(&system.entropy_symbols("p_", ""), &heat.state_rates) - cost;
    let slopes = g.gradient(hamiltonian, controls);
    let rank = generic_rank(g, &dense(g, &slopes, controls), size, values)?;
    // Bordered by itself, a matrix that is not square has twice its rank.
    let by_controls = dense(g, &heat.state_rates, controls);
    let whole = states + size;
    let mut bordered = vec![g.int(0); whole * whole];
    for state in 0..states {
        for control in 0..size {
            let entry = by_controls[state * size + control];
            bordered[state * whole + states + control] = entry;
            bordered[(states + control) * whole + state] = entry;
        }
    }
    let reach = generic_rank(g, &bordered, whole, values)? / 2;
    Some(ControlRegularity { controls: size, rank, state_dimension: 2 * states, reach: Some((reach, states)) })
}
