//! The geometry of a system with heat on its phase space: the canonical two-form, a one-form for every entropy, Reeb's fields, and what
//! the motion does to them; (F1) to (F4) of docs/theory.md.

use extremal_expr::{Expr, Graph};

use super::forms::{OneForm, TwoForm};
use super::verdict::{IdentityVerdict, ZeroJudge};
use crate::System;
use crate::analysis::generic_rank;
use crate::continuous::Hamiltonian;

/// Forms and fields in (q, p, S), and the statements about them that were checked.
pub struct PhaseGeometry<'g> {
    /// p dq.
    pub liouville: OneForm<'g>,
    /// ω = dq ∧ dp.
    pub symplectic: TwoForm<'g>,
    /// η_A = −T_A dS_A − F_fr^A dq, one per entropy.
    pub entropy_forms: Vec<OneForm<'g>>,
    /// Reeb's fields, with ι_R ω = 0 and η_B(R_A) = δ_AB: the component of R_A along S_A.
    pub reeb: Vec<Expr<'g>>,
    /// Is dη = 0, for a single entropy?
    pub closed: Option<IdentityVerdict>,
    /// Is η a contact form, η ∧ (dη)^n nowhere zero but on a thin set? For a single entropy, where that could be evaluated.
    pub contact: Option<bool>,
    /// Is η = −T (dS − p dq), that of the thermodynamic Herglotz principle? For a single entropy.
    pub herglotz: Option<IdentityVerdict>,
    /// What was checked.
    pub statements: Vec<(GeometricStatement, IdentityVerdict)>,
}

/// What is checked of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeometricStatement {
    /// ω^n ∧ η_1 ∧ … is a volume form but on a thin set: no direction is in the kernels of all of them (\[TP\] proposition 1).
    Volume,
    /// The motion is in the kernel of every η_A (\[TP\] proposition 2).
    Kernel,
    /// ι_E ω = dH + Ση_A − F_ext (\[TP\] proposition 2).
    Contraction,
    /// L_E ω = dΣη_A − dF_ext (\[TP\] proposition 2).
    Transport,
    /// L_E η_A = ι_E dη_A (\[TP\] proposition 2).
    EntropyTransport,
    /// H changes by the work of the external forces alone (\[TP\] equation 15).
    Energy,
}

/// Why the geometry of a system is not written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPhaseGeometry {
    /// The Legendre transform has no inverse in closed form.
    NoHamiltonian,
    /// Constraints react: the motion is that of another space.
    Reactions,
    /// Contacts stick and slide: the motion is no vector field.
    DryFriction,
    /// Accelerations in the Lagrangian.
    Accelerations,
    /// States with rates of their own: they are neither positions nor entropies.
    States,
    /// Amounts of matter, likewise.
    Matter,
    /// More coordinates and entropies than formulas are written for.
    Large {
        /// The dimension of the phase space.
        dimension: usize,
    },
    /// Hamilton's equations are too long to be differentiated twice.
    Long,
}

/// Identities between forms are written for phase spaces of at most this dimension.
const MOST_DIMENSIONS: usize = 24;
/// Hamilton's equations may have this many nodes: they are differentiated twice, by every coordinate.
const MOST_NODES: usize = 3000;

impl<'g> System<'g> {
    /// The geometry of the phase space.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::System;
    /// use extremal_mechanics::analysis::Parameters;
    /// use extremal_mechanics::geometry::{GeometricStatement, IdentityVerdict, ZeroJudge};
    /// let g = Graph::new();
    /// let (x, v) = (g.symbol("x"), g.symbol("x'"));
    /// let mut damped = System::new(&g, &["x"], v.powi(2) / 2 - x.powi(2) / 2);
    /// damped.force[0] = -v;
    /// let judge = ZeroJudge::new(&damped, &Parameters::default());
    /// let seen = damped.phase_geometry(&judge).unwrap();
    /// assert!(seen.statements.contains(&(GeometricStatement::Transport, IdentityVerdict::Proved)));
    /// ```
    pub fn phase_geometry(&self, judge: &ZeroJudge<'g>) -> Result<PhaseGeometry<'g>, NoPhaseGeometry> {
        let (n, m) = (self.len(), self.heat.s.len());
        let dimension = 2 * n + m;
        let refused = [
            (self.order > 1, NoPhaseGeometry::Accelerations),
            (self.reacting().next().is_some(), NoPhaseGeometry::Reactions),
            (!self.dry.is_empty(), NoPhaseGeometry::DryFriction),
            (!self.heat.states().is_empty(), NoPhaseGeometry::States),
            (!self.heat.amounts().is_empty(), NoPhaseGeometry::Matter),
            (dimension > MOST_DIMENSIONS, NoPhaseGeometry::Large { dimension }),
        ];
        if let Some((_, reason)) = refused.into_iter().find(|(stated, _)| *stated) {
            return Err(reason);
        }
        let hamiltonian = self.hamiltonian().ok_or(NoPhaseGeometry::NoHamiltonian)?;
        let rates = hamiltonian.p_rate.iter().chain(&hamiltonian.s_rate).map(|rate| rate.id()).collect::<Vec<_>>();
        if self.graph.reachable(&rates).len() > MOST_NODES {
            return Err(NoPhaseGeometry::Long);
        }
        Ok(self.geometry_of(&hamiltonian, judge))
    }

    fn geometry_of(&self, hamiltonian: &Hamiltonian<'g>, judge: &ZeroJudge<'g>) -> PhaseGeometry<'g> {
        let (g, n, m) = (self.graph, self.len(), self.heat.s.len());
        let variables = [&self.q[..], &self.p, &self.heat.s].concat();
        let velocities: Vec<_> = self.v.iter().copied().zip(hamiltonian.q_rate.iter().copied()).collect();
        let along_q = |components: &[Expr<'g>]| {
            let mut form = OneForm::zero(g, &variables);
            form.coefficients[..n].copy_from_slice(&g.substitute(components, &velocities));
            form
        };
        let liouville = along_q(&self.p);
        let momenta: Vec<OneForm<'g>> = self.p.iter().map(|p| OneForm::differential_of(*p, &variables)).collect();
        let symplectic = TwoForm::of_pairs(&variables, &(0..n).collect::<Vec<_>>(), &momenta);
        let temperatures = g.gradient(hamiltonian.h, &self.heat.s);
        let entropy_form = |entropy: usize| {
            let mut form = along_q(&self.friction_of(entropy));
            form.coefficients.iter_mut().for_each(|a| *a = -*a);
            form.coefficients[2 * n + entropy] = -temperatures[entropy];
            form
        };
        let entropy_forms: Vec<OneForm<'g>> = (0..m).map(entropy_form).collect();
        let external = along_q(&self.external_force());
        let motion = [&hamiltonian.q_rate[..], &hamiltonian.p_rate, &hamiltonian.s_rate].concat();

        let total = entropy_forms.iter().fold(OneForm::zero(g, &variables), |sum, form| sum.plus(form));
        let contracted = symplectic.contracted(&motion);
        let right = OneForm::differential_of(hamiltonian.h, &variables).plus(&total).minus(&external);
        // ω is closed: its Lie derivative is d ι_E ω.
        let transported = contracted.exterior().minus(&total.minus(&external).exterior());
        let on_motion: Vec<Expr<'g>> = entropy_forms.iter().filter_map(|form| form.of(&motion)).collect();
        let carried = on_motion.iter().flat_map(|value| g.gradient(*value, &variables));
        let work = external.of(&motion).unwrap_or(g.int(0));
        let power = OneForm::differential_of(hamiltonian.h, &variables).of(&motion).unwrap_or(g.int(0));
        let statements = vec![
            (GeometricStatement::Volume, is_volume(g, &symplectic, &entropy_forms, judge)),
            (GeometricStatement::Kernel, judge.vanish(on_motion.iter().copied())),
            (GeometricStatement::Contraction, judge.vanish(contracted.minus(&right).coefficients)),
            (GeometricStatement::Transport, judge.vanish(transported.matrix)),
            (GeometricStatement::EntropyTransport, judge.vanish(carried)),
            (GeometricStatement::Energy, judge.vanish([power - work])),
        ];
        let has_heat = |(statement, _): &(GeometricStatement, IdentityVerdict)| match statement {
            GeometricStatement::Kernel | GeometricStatement::EntropyTransport => m > 0,
            _ => true,
        };
        let single = (m == 1).then(|| &entropy_forms[0]);
        PhaseGeometry {
            closed: single.map(|eta| judge.vanish(eta.exterior().matrix)),
            contact: single.and_then(|eta| is_contact(g, eta, judge)),
            herglotz: single.map(|eta| {
                let gap = |k: usize| eta.coefficients[k] - temperatures[0] * self.p[k];
                judge.vanish((0..n).map(gap))
            }),
            reeb: temperatures.iter().map(|t| g.simplified(-t.powi(-1))).collect(),
            statements: statements.into_iter().filter(has_heat).collect(),
            liouville,
            symplectic,
            entropy_forms,
        }
    }

    /// The share of the friction forces that heats one entropy, per coordinate.
    pub(crate) fn friction_of(&self, entropy: usize) -> Vec<Expr<'g>> {
        let mut force = vec![self.graph.int(0); self.len()];
        for friction in &self.heat.friction {
            for (_, share) in friction.shares.iter().filter(|(of, _)| *of == entropy) {
                force[friction.coordinate] = force[friction.coordinate] + *share * friction.force;
            }
        }
        force
    }
}

/// Do ω and all η together have no kernel, at a generic point?
fn is_volume<'g>(
    g: &'g Graph,
    symplectic: &TwoForm<'g>,
    entropy_forms: &[OneForm<'g>],
    judge: &ZeroJudge<'g>,
) -> IdentityVerdict {
    let size = symplectic.variables.len();
    let mut rows = symplectic.matrix.clone();
    entropy_forms.iter().for_each(|form| rows.extend(&form.coefficients));
    match generic_rank(g, &rows, size, judge.values()) {
        Some(rank) if rank == size => IdentityVerdict::Proved,
        Some(_) => IdentityVerdict::Failed,
        None => IdentityVerdict::Undecided,
    }
}

/// Is η ∧ (dη)^n not zero: has dη + η ⊗ η full rank, at a generic point?
fn is_contact<'g>(g: &'g Graph, eta: &OneForm<'g>, judge: &ZeroJudge<'g>) -> Option<bool> {
    let size = eta.variables.len();
    let mut matrix = eta.exterior().matrix;
    for (at, entry) in matrix.iter_mut().enumerate() {
        *entry = *entry + eta.coefficients[at / size] * eta.coefficients[at % size];
    }
    generic_rank(g, &matrix, size, judge.values()).map(|rank| rank == size)
}
