//! Steps that are linear recurrences with constant coefficients, whose motions have closed forms.

use extremal_expr::Expr;

use super::scheme::{Scheme, ids};
use crate::System;
use crate::continuous::solve_affine;

/// Unknowns of a step that are solved for together: beyond this many the formulas fill pages.
const MAX_COUPLED: usize = 6;

/// x_(k+1) = A x_k − B x_(k−1) + C, the positions of a motion whose step is affine in (x, p) with coefficients that do not change.
/// The roots of z² − A z + B are those of the step: A is its trace, B its determinant.
pub struct LinearRecurrence<'g> {
    /// The coordinate, by its place.
    pub coordinate: usize,
    /// A.
    pub trace: Expr<'g>,
    /// B.
    pub determinant: Expr<'g>,
    /// C.
    pub constant: Expr<'g>,
    /// x_1 from the state at the start.
    pub first: Expr<'g>,
}

impl Scheme {
    /// The recurrences of the coordinates that each go on by themselves; `None` if the step of one of them does not, or is not linear,
    /// or changes with time.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::{System, discrete::{Options, scheme}};
    /// let g = Graph::new();
    /// let (x, v, h) = (g.symbol("x"), g.symbol("x'"), g.symbol("h"));
    /// let oscillator = System::new(&g, &["x"], v.powi(2) / 2 - x.powi(2) / 2);
    /// let verlet = scheme(&oscillator, &"trapezoidal".parse()?, Options::default(), None)?;
    /// let recurrences = verlet.recurrences(&oscillator).unwrap();
    /// assert!(g.proves_zero(recurrences[0].trace - 2 + h.powi(2)) && g.proves_zero(recurrences[0].determinant - 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn recurrences<'g>(&self, system: &System<'g>) -> Option<Vec<LinearRecurrence<'g>>> {
        let (g, n) = (system.graph, system.len());
        if self.state.len() != 2 * n || self.substeps.len() > 1 || !system.dry.is_empty() {
            return None;
        }
        // As a relation between neighbouring positions: the momenta at both ends from x_k and x_(k+1).
        let state = g.exprs(&self.state);
        let (x, p) = state.split_at(n);
        let next: Vec<Expr<'g>> = system.names.iter().map(|name| g.symbol(&format!("next {name}"))).collect();
        let outputs = g.exprs(&self.step.outputs);
        let reached = outputs[..n].iter().zip(&next).map(|(output, next)| *output - *next);
        let residuals = self.step.solves.iter().flat_map(|solve| &solve.residual).map(|id| g.expr(*id));
        let equations: Vec<Expr<'g>> = residuals.chain(reached).collect();
        let inner = self.step.solves.iter().flat_map(|solve| &solve.unknowns).map(|id| g.expr(*id));
        let unknowns: Vec<Expr<'g>> = inner.chain(p.iter().copied()).collect();
        let solved = solve_affine(g, &equations, &unknowns, |group| group.len() <= MAX_COUPLED)?;
        let known: Vec<_> = unknowns.iter().copied().zip(solved).collect();
        let momenta = [g.substitute(p, &known), g.substitute(&outputs[n..], &known)];

        let start = self.start_symbols(system);
        let ends = [x, &next].concat();
        let changing = [&ends[..], &[g.expr(self.time)]].concat();
        let mut recurrences = Vec::new();
        for coordinate in 0..n {
            let both = [momenta[0][coordinate], momenta[1][coordinate]];
            let own = [x[coordinate], next[coordinate]];
            let rows = g.jacobian(&both, &ends);
            let alone = rows.iter().flatten().all(|(column, _)| own.contains(&ends[*column]));
            let slope = |end: usize, by: Expr<'g>| g.gradient(both[end], &[by])[0];
            let [from, to] = [own.map(|by| slope(0, by)), own.map(|by| slope(1, by))];
            let at_zero = g.substitute(&both, &ends.iter().map(|end| (*end, g.int(0))).collect::<Vec<_>>());
            let coefficients = [&from[..], &to, &at_zero].concat();
            if !alone
                || g.depend_on(&coefficients, &changing).contains(&true)
                || g.vanishes(from[1], &[]) != Some(false)
            {
                return None;
            }
            // p at x_k from the step before it and from the one after it: s x_(k−1) + y x_k = u x_k + w x_(k+1).
            let ([u, w], [s, y], [c_0, c_1]) = (from, to, [at_zero[0], at_zero[1]]);
            let first = (start[n + coordinate] - u * start[coordinate] - c_0) / w;
            let [trace, determinant, constant, first] = [(y - u) / w, -s / w, (c_1 - c_0) / w, first]
                .map(|part| g.as_quotient(part).map_or(part, |quotient| g.simplified(quotient.value())));
            recurrences.push(LinearRecurrence { coordinate, trace, determinant, constant, first });
        }
        Some(recurrences)
    }

    /// The state at the start by the names that the equations of a step have for it: `x_0`, and `p_x_0` or `x_0'`.
    fn start_symbols<'g>(&self, system: &System<'g>) -> Vec<Expr<'g>> {
        let by_momenta = self.state[system.len()..] == ids(&system.p);
        let second = if by_momenta { system.symbols("p_", "_0") } else { system.symbols("", "_0'") };
        [system.symbols("", "_0"), second].concat()
    }
}
