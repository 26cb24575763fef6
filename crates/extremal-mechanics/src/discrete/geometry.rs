//! The geometry of one step of a discrete action: its momenta at both ends, the matrices whose inverses make it a map in both
//! directions, and the two-forms it transports; (F7) to (F13) of docs/theory.md.

use extremal_expr::{Expr, Graph, Id, Rational};
use extremal_model::{EntropyBase, Method};

use super::action::{DiscreteAction, Formula};
use super::constrained::{Imposed, place};
use super::galerkin_of;
use super::own::CustomDiscrete;
use crate::System;
use crate::analysis::{determinant, generic_rank, vanishes_nowhere};
use crate::continuous::solve_linear;
use crate::geometry::{OneForm, TwoForm};

/// A step from (q_0, S_0) to (q_1, S_1) by its discrete Lagrangian, forces, entropy rule and constraints.
pub struct StepGeometry<'g> {
    /// p− = −D_1 L_d − f− and p+ = D_2 L_d + f+, without impulses of constraints.
    pub momenta: [Vec<Expr<'g>>; 2],
    /// q_0 and q_1.
    pub ends: [Vec<Expr<'g>>; 2],
    /// S_0 and S_1.
    pub entropies: [Vec<Expr<'g>>; 2],
    /// Control values inside the step, the entropies at its end, and multipliers inside: what q_0, q_1 and S_0 determine.
    pub hidden: Vec<Expr<'g>>,
    /// The increments w of the control values q_0 + h w, which a step solves for.
    pub increments: Vec<Expr<'g>>,
    /// What vanishes for these.
    pub hidden_rows: Vec<Expr<'g>>,
    /// (p−, entropy rule, …) by (q_1, S_1, …): regular where the step exists.
    pub forward: StepMatrix<'g>,
    /// (p+, entropy rule, …) by (q_0, S_0, …): regular where it can be undone.
    pub backward: StepMatrix<'g>,
    /// Numbers that occur under a name.
    pub constants: Vec<(Id, f64)>,
    /// Which constraints act.
    pub binding: StepBinding,
    /// η_d of each entropy in (q_0, q_1, S_0, S_1), (F14): none for discrete systems of the user's own, whose forces are not told apart.
    pub entropy_forms: Vec<OneForm<'g>>,
}

/// What the constraints of a step leave of its forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepBinding {
    /// There are none.
    Free,
    /// All bind positions: the forms live on displacements along them.
    Positions,
    /// Reactions of velocity constraints, or multipliers that move: positions alone do not tell the momenta.
    Velocities,
}

/// A matrix of derivatives with names.
pub struct StepMatrix<'g> {
    /// What is differentiated, in words.
    pub rows: Vec<String>,
    /// By what.
    pub columns: Vec<Expr<'g>>,
    /// The entries by rows.
    pub entries: Vec<Expr<'g>>,
}

/// What is known of the zeros of the determinant of a [`StepMatrix`].
pub struct MatrixZeros<'g> {
    /// The rank at a generic point, by exact arithmetic; `None` where that could not be evaluated.
    pub rank: Option<usize>,
    /// The determinant, if it is short enough to be written down.
    pub determinant: Option<Expr<'g>>,
    /// Is it proved that it vanishes nowhere, for these values?
    pub nowhere: bool,
}

/// Determinants are written down up to this many nodes in all entries.
const MOST_NODES: usize = 400;
/// Entries and forms are brought to a short form up to this many nodes in all momenta, and forms written up to so many variables.
const MOST_TIDIED: usize = 2000;
const MOST_VARIABLES: usize = 24;
/// Forms are written down up to this many quantities that are eliminated.
const MOST_ELIMINATED: usize = 2;

impl<'g> StepMatrix<'g> {
    fn of(g: &'g Graph, rows: Vec<(String, Expr<'g>)>, columns: Vec<Expr<'g>>) -> StepMatrix<'g> {
        let (names, functions): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        let mut entries = vec![g.int(0); functions.len() * columns.len()];
        let tidied = is_short(g, &functions);
        for (row, slopes) in g.jacobian(&functions, &columns).into_iter().enumerate() {
            for (column, slope) in slopes {
                entries[row * columns.len() + column] = if tidied { g.simplified(slope) } else { slope };
            }
        }
        StepMatrix { rows: names, columns, entries }
    }

    /// How many rows it has.
    pub fn size(&self) -> usize {
        self.columns.len()
    }

    /// Decides where its determinant vanishes, as far as exact arithmetic and ranges do. `values` are exact values of parameters and
    /// of the step.
    pub fn zeros(&self, values: &[(Expr<'g>, Rational)]) -> MatrixZeros<'g> {
        let Some(g) = self.columns.first().map(|column| column.graph()) else {
            return MatrixZeros { rank: Some(0), determinant: None, nowhere: true };
        };
        let rank = generic_rank(g, &self.entries, self.size(), values);
        let ids: Vec<Id> = self.entries.iter().map(|entry| entry.id()).collect();
        let short = g.reachable(&ids).len() <= MOST_NODES;
        let written =
            if short && rank == Some(self.size()) { determinant(g, &self.entries, self.size()) } else { None };
        let nowhere = written.is_some_and(|value| vanishes_nowhere(value, values));
        MatrixZeros { rank, determinant: written, nowhere }
    }
}

impl<'g> StepGeometry<'g> {
    /// The geometry of a step of `method`; `None` for methods that are no discrete action over one step.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::System;
    /// use extremal_mechanics::discrete::StepGeometry;
    /// use extremal_model::EntropyBase;
    /// let g = Graph::new();
    /// let (x, v, h) = (g.symbol("x"), g.symbol("x'"), g.symbol("h"));
    /// let oscillator = System::new(&g, &["x"], v.powi(2) / 2 - x.powi(2) / 2);
    /// let step = StepGeometry::of(&oscillator, &"midpoint".parse()?, EntropyBase::Midpoint, None).unwrap();
    /// // dp−/dx_1 = 1/h + h/4, and ω− = (1/h + h/4) dx_0 ∧ dx_1 = ω+.
    /// assert!(g.proves_zero(step.forward.entries[0] - h.powi(-1) - h / 4));
    /// let [minus, plus] = step.two_forms().unwrap();
    /// assert!(g.proves_zero(minus.matrix[1] - plus.matrix[1]));
    /// # Ok::<(), extremal_model::MethodError>(())
    /// ```
    pub fn of(
        system: &System<'g>,
        method: &Method,
        entropy: EntropyBase,
        custom: Option<CustomDiscrete<'g>>,
    ) -> Option<StepGeometry<'g>> {
        if *method == Method::Custom {
            return custom.map(|custom| DiscreteAction::custom(system, custom).geometry(system));
        }
        let (degree, rule) = galerkin_of(method)?;
        let with_forces = |force: Vec<Expr<'g>>| {
            let mut system = system.clone();
            system.force = force;
            DiscreteAction::galerkin(&system, degree, &rule, entropy)
        };
        let mut geometry = with_forces(system.force.clone()).geometry(system);
        let entropies = 0..system.heat.entropies().len();
        geometry.entropy_forms =
            entropies.map(|at| with_forces(system.friction_of(at)).entropy_form(system, at)).collect();
        Some(geometry)
    }

    /// ω− = dq_0 ∧ dp− and ω+ = dq_1 ∧ dp+ in (q_0, q_1, S_0), all terms; `None` where they would be too long, or too much had to be
    /// eliminated first.
    pub fn two_forms(&self) -> Option<[TwoForm<'g>; 2]> {
        let variables = self.variables();
        let g = variables.first()?.graph();
        if variables.len() > MOST_VARIABLES || !is_short(g, &self.momenta.concat()) {
            return None;
        }
        let n = self.ends[0].len();
        let (first, last): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (n..2 * n).collect());
        let forms = |end: usize| self.differentials(&self.momenta[end], &variables);
        Some([TwoForm::of_pairs(&variables, &first, &forms(0)?), TwoForm::of_pairs(&variables, &last, &forms(1)?)])
    }

    /// q_0, q_1 and S_0.
    pub fn variables(&self) -> Vec<Expr<'g>> {
        [&self.ends[0][..], &self.ends[1], &self.entropies[0]].concat()
    }

    /// The differentials of functions, those of hidden quantities expressed by the others.
    fn differentials(&self, functions: &[Expr<'g>], variables: &[Expr<'g>]) -> Option<Vec<OneForm<'g>>> {
        let Some(g) = variables.first().map(|z| z.graph()) else { return Some(Vec::new()) };
        let mut forms: Vec<OneForm<'g>> = functions.iter().map(|f| OneForm::differential_of(*f, variables)).collect();
        let by_hidden = g.jacobian(functions, &self.hidden);
        if by_hidden.iter().any(|row| !row.is_empty()) {
            let moved = self.hidden_differentials(g, variables)?;
            for (form, row) in forms.iter_mut().zip(by_hidden) {
                for (at, slope) in row {
                    let scaled = moved[at].coefficients.iter().map(|a| slope * *a).collect();
                    *form = form.plus(&OneForm { variables: variables.to_vec(), coefficients: scaled });
                }
            }
        }
        for form in &mut forms {
            form.coefficients.iter_mut().for_each(|a| *a = g.simplified(*a));
        }
        Some(forms)
    }

    /// dy = −G_y⁻¹ G_z dz of the hidden quantities y, where G(z, y) = 0.
    fn hidden_differentials(&self, g: &'g Graph, variables: &[Expr<'g>]) -> Option<Vec<OneForm<'g>>> {
        let size = self.hidden.len();
        if size > MOST_ELIMINATED {
            return None;
        }
        let matrix = dense(g, &self.hidden_rows, &self.hidden);
        let right = dense(g, &self.hidden_rows, variables);
        let mut moved = vec![OneForm::zero(g, variables); size];
        for column in 0..variables.len() {
            let given: Vec<_> = right.iter().map(|row| -row[column]).collect();
            let solved = solve_linear(&matrix, &given)?;
            moved.iter_mut().zip(solved).for_each(|(form, value)| form.coefficients[column] = value);
        }
        Some(moved)
    }

    /// det D(q_1, p_1, S_1)/D(q_0, p_0, S_0) = (−1)^(n+m) det(backward)/det(forward), for a step without constraints.
    pub fn volume(&self, forward: &MatrixZeros<'g>, backward: &MatrixZeros<'g>) -> Option<Expr<'g>> {
        let (above, below) = (backward.determinant?, forward.determinant?);
        let g = above.graph();
        let odd = !(self.ends[0].len() + self.entropies[0].len()).is_multiple_of(2);
        let ratio = if odd { -(above / below) } else { above / below };
        let free = self.binding == StepBinding::Free && self.hidden.len() == self.entropies[0].len();
        free.then(|| g.as_quotient(ratio).map_or(ratio, |quotient| g.simplified(quotient.value())))
    }

    /// p+·X(q_1) − p−·X(q_0), which vanishes for every step if the discrete Noether condition (D16) holds; with f the change of
    /// p·X − f.
    pub fn noether(&self, system: &System<'g>, generator: &[Expr<'g>], gauge: Expr<'g>) -> Expr<'g> {
        let g = system.graph;
        let at = |end: usize, time: Expr<'g>| {
            let mut rules: Vec<_> = system.q.iter().copied().zip(self.ends[end].iter().copied()).collect();
            rules.push((system.t, time));
            let there = g.substitute(&[generator, &[gauge]].concat(), &rules);
            g.dot(&self.momenta[end], &there[..generator.len()]) - there[generator.len()]
        };
        at(1, system.t + system.step()) - at(0, system.t)
    }
}

impl<'g> DiscreteAction<'g> {
    /// −f− dq_0 − f+ dq_1 + D_S L_d dS of the entropy `at`, where the forces are the friction that heats it.
    fn entropy_form(&self, system: &System<'g>, at: usize) -> OneForm<'g> {
        let g = system.graph;
        let Formula { unknowns, action, forces, .. } = &self.nodal;
        let last = unknowns.len() - 1;
        let [s_0, s_1] = system.entropy_ends();
        let ends = [s_0[at], s_1[at]];
        let impulses = forces[0].iter().chain(&forces[last]).map(|f| -*f);
        let coefficients: Vec<Expr<'g>> = impulses.chain(g.gradient(*action, &ends)).collect();
        let tidied = is_short(g, &coefficients);
        let coefficients = coefficients.into_iter().map(|a| if tidied { g.simplified(a) } else { a });
        OneForm { variables: [&unknowns[0][..], &unknowns[last], &ends].concat(), coefficients: coefficients.collect() }
    }

    fn geometry(&mut self, system: &System<'g>) -> StepGeometry<'g> {
        let g = system.graph;
        let nodes = self.nodal_nodes(system);
        let Imposed { multipliers: first_multipliers, residual, impulses, .. } = nodes.impose(system);
        let last = self.nodes.len() - 1;
        let at_node = |node: usize| -> Vec<Expr<'g>> {
            system.reacting().map(|constraint| system.multiplier_symbol(constraint, &place(node, last))).collect()
        };
        let last_multipliers: Vec<Expr<'g>> = (1..=last).flat_map(at_node).collect();
        let end_impulse = nodes.impulse(system, last, &at_node(last));
        let Formula { unknowns, action, forces, entropy, .. } = &self.nodal;
        let slope = |node: usize| -> Vec<Expr<'g>> {
            let slopes = g.gradient(*action, &unknowns[node]);
            slopes.iter().zip(&forces[node]).map(|(slope, force)| *slope + *force).collect()
        };
        let minus: Vec<Expr<'g>> = slope(0).into_iter().map(|total| -total).collect();
        let plus = slope(last);
        let pushed = |values: &[Expr<'g>], impulse: &[Expr<'g>], sign: i64| -> Vec<Expr<'g>> {
            values.iter().zip(impulse).map(|(value, impulse)| *value + *impulse * sign).collect()
        };
        let named = |sign: &str, values: Vec<Expr<'g>>| -> Vec<(String, Expr<'g>)> {
            system.names.iter().map(|name| format!("p_{name}{sign}")).zip(values).collect()
        };
        let inner: Vec<Expr<'g>> = unknowns[1..last].concat();
        let inner_rows: Vec<Expr<'g>> = (1..last).flat_map(|node| pushed(&slope(node), &impulses[node], 1)).collect();
        let inner_names =
            (1..last).flat_map(|node| system.names.iter().map(move |name| format!("node {node} of {name}")));
        let rules = system.heat.names.iter().map(|name| format!("rule of {name}")).zip(entropy.iter().copied());
        let middle: Vec<(String, Expr<'g>)> = rules.chain(inner_names.zip(inner_rows.iter().copied())).collect();
        let moving = system.moving_multipliers();
        let stationary = system.vakonomic().map(|c| c.name.clone()).zip(g.gradient(*action, &moving));
        let stationary: Vec<(String, Expr<'g>)> = stationary.collect();
        let names: Vec<String> = system.reacting().map(|constraint| constraint.name.clone()).collect();
        let bound =
            |rows: Vec<Expr<'g>>| -> Vec<(String, Expr<'g>)> { names.iter().cloned().cycle().zip(rows).collect() };
        // Of each node but the last there are as many multipliers as constraints; the rows of a node are those of the next.
        let inside = first_multipliers.len().min(names.len());
        let inner_bound = residual[..residual.len() - inside].to_vec();
        let [s_0, s_1] = system.entropy_ends();
        let ends = [unknowns[0].clone(), unknowns[last].clone()];
        let forward =
            [named("-", pushed(&minus, &impulses[0], -1)), middle.clone(), bound(residual), stationary.clone()];
        let backward = [named("+", pushed(&plus, &end_impulse, 1)), middle, bound(nodes.backward(system)), stationary];
        let by = |end: &[Expr<'g>], entropies: &[Expr<'g>], multipliers: &[Expr<'g>]| {
            [end, entropies, &inner, multipliers, &moving].concat()
        };
        StepGeometry {
            forward: StepMatrix::of(g, forward.concat(), by(&ends[1], &s_1, &first_multipliers)),
            backward: StepMatrix::of(g, backward.concat(), by(&ends[0], &s_0, &last_multipliers)),
            hidden: [&inner[..], &s_1, &first_multipliers[inside..]].concat(),
            increments: self.incremental.unknowns[1..last].concat(),
            hidden_rows: [&inner_rows[..], entropy, &inner_bound].concat(),
            momenta: [minus, plus],
            ends,
            entropies: [s_0, s_1],
            constants: self.named_constants().to_vec(),
            binding: binding(system, &self.own_constraints),
            entropy_forms: Vec::new(),
        }
    }
}

/// Constraints of the user's own over a step are none on positions.
fn binding(system: &System<'_>, own: &[Option<Expr<'_>>]) -> StepBinding {
    let typed = own.iter().any(Option::is_some);
    match system.constraints.is_empty() {
        true => StepBinding::Free,
        false if !typed && system.constraints.iter().all(|c| c.kind.nature().binds_positions) => StepBinding::Positions,
        false => StepBinding::Velocities,
    }
}

/// Have the expressions few enough nodes to be differentiated, brought to a short form and tested entry by entry?
fn is_short(g: &Graph, functions: &[Expr<'_>]) -> bool {
    let ids: Vec<Id> = functions.iter().map(|f| f.id()).collect();
    g.reachable(&ids).len() <= MOST_TIDIED
}

fn dense<'g>(g: &'g Graph, functions: &[Expr<'g>], variables: &[Expr<'g>]) -> Vec<Vec<Expr<'g>>> {
    let rows = g.jacobian(functions, variables).into_iter();
    let full = |row: Vec<(usize, Expr<'g>)>| {
        let mut entries = vec![g.int(0); variables.len()];
        row.into_iter().for_each(|(column, slope)| entries[column] = slope);
        entries
    };
    rows.map(full).collect()
}
