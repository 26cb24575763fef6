//! The analysis as data, with expressions as text that reads back: what `analyze --json` prints.

use extremal_expr::Expr;
use extremal_mechanics::analysis::{ChainVerdict, Conservation, ConservedQuantity, Proof, Symmetry, SystemStructure};
use serde::Serialize;

use super::geometry_report::{LiftReport, PhaseGeometryReport, StepGeometryReport};
use super::optimal_motion::OptimalMotionReport;
use super::{
    BackwardReport, ContactReport, Equilibrium, Findings, MethodReport, PoissonReport, Preserved, StatedSymmetry,
    sentences,
};
use crate::serialized::by_name;

/// All that was found. What the analysis does not reach is `None` or empty.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct AnalysisReport {
    /// The name of the model.
    pub model: Option<String>,
    /// The order of the highest derivative in the Lagrangian.
    pub order: usize,
    /// Half of the dimension of the states that have a motion.
    pub degrees_of_freedom: Option<usize>,
    /// Does the Lagrangian determine the motion? `None` where that is not decided.
    pub regular: Option<bool>,
    /// The rank of the matrix of its second derivatives, bordered by the constraints.
    pub rank: Option<usize>,
    /// The size of this matrix.
    pub unknowns: usize,
    /// The rank of the matrix without the constraints.
    pub mass_rank: Option<usize>,
    /// The dimension of the states.
    pub state_dimension: usize,
    /// The dimension of those that have a motion.
    pub final_dimension: Option<usize>,
    /// What is conserved.
    pub conserved: Vec<ConservedReport>,
    /// How many of these are independent.
    pub independent: usize,
    /// Where conserved quantities were sought.
    pub search: SearchReport,
    /// The stated constraints, then those of the constraint algorithm.
    pub constraints: Vec<ConstraintReport>,
    /// How the Lagrangian is built, if it is of the first order.
    pub structure: Option<StructureReport>,
    /// Why no motion satisfies all constraints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradiction: Option<String>,
    /// Constraints that follow from the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redundant: Vec<String>,
    /// The controls, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controls: Option<ControlsReport>,
    /// The determinant of the matrix, if it can be written down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub determinant: Option<String>,
    /// Does the determinant vanish nowhere?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regular_everywhere: Option<bool>,
    /// What the constraint algorithm says of a singular Lagrangian: `unique`, `not unique`, `no motion` or `undecided`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<&'static str>,
    /// Highest derivatives that stay free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free: Option<usize>,
    /// The symmetries that the model states.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub symmetries: Vec<SymmetryReport>,
    /// The invariants that the model states.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub invariants: Vec<QuantityReport>,
    /// A state of rest near the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equilibrium: Option<Equilibrium>,
    /// Why none is given, where one was sought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_equilibrium: Option<String>,
    /// Are the discrete equations of the model all there is, so that its Lagrangian says nothing?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub placeholder: bool,
    /// What a run of a control problem from momenta follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimal_motion: Option<OptimalMotionReport>,
    /// What the method keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<MethodReport>,
    /// What is particular to a contact system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<ContactReport>,
    /// What is particular to a Poisson system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poisson: Option<PoissonReport>,
    /// The Lagrangian whose motions the method follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backward_error: Option<BackwardReport>,
    /// Forms on the phase space, and what the motion does to them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub geometry: Option<PhaseGeometryReport>,
    /// Matrices and forms of a step of the method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_geometry: Option<StepGeometryReport>,
    /// The documents that the theorems are from, by author and title.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
}

/// A conserved quantity.
#[derive(Clone, Debug, Serialize)]
pub struct ConservedReport {
    pub name: String,
    pub expression: String,
    pub latex: String,
    pub verified: &'static str,
    pub general: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub residual: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symmetry: Option<GeneratorReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theorem: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discrete: Option<Preserved>,
}

/// The symmetry of a conserved quantity.
#[derive(Clone, Debug, Serialize)]
pub struct GeneratorReport {
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "generator_by_name")]
    pub generator: Option<Vec<(String, String)>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gauge: Option<String>,
}

/// Where conserved quantities were sought.
#[derive(Clone, Debug, Serialize)]
pub struct SearchReport {
    pub generators: Vec<String>,
    pub degree: usize,
    pub candidates: usize,
    pub further: Vec<FamilyReport>,
}

/// A further family of candidates.
#[derive(Clone, Debug, Serialize)]
pub struct FamilyReport {
    pub family: &'static str,
    pub candidates: usize,
}

/// A constraint: stated, with name and kind, or found by the constraint algorithm in a round.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ConstraintReport {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<usize>,
    pub expression: String,
}

/// How a Lagrangian is built.
#[derive(Clone, Debug, Serialize)]
pub struct StructureReport {
    pub quadratic: bool,
    pub natural: bool,
    pub explicit_time: bool,
    pub reversible: Option<bool>,
    pub energy: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<Vec<Vec<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub christoffel: Option<Vec<ChristoffelReport>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gyroscopic: Option<Vec<Vec<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_energy: Option<QuantityReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gauge: Option<GaugeReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub potential_of_forces: Option<Option<String>>,
}

/// The Christoffel symbol [k l, j].
#[derive(Clone, Debug, Serialize)]
pub struct ChristoffelReport {
    pub k: String,
    pub l: String,
    pub j: String,
    pub value: String,
}

/// A part of the Lagrangian without effect on the motion.
#[derive(Clone, Debug, Serialize)]
pub struct GaugeReport {
    pub part: String,
    pub of: Option<String>,
}

/// The controls of a model.
#[derive(Clone, Debug, Serialize)]
pub struct ControlsReport {
    pub names: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regular: Option<bool>,
}

/// A symmetry of `[symmetries]`.
#[derive(Clone, Debug, Serialize)]
pub struct SymmetryReport {
    pub name: String,
    pub momentum: Option<String>,
    pub conserved: Option<bool>,
    pub general: bool,
    pub rate: String,
    /// Scaled as the contact form is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dissipated: bool,
    /// Of a field on velocities and entropies.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub lifted: Option<LiftReport>,
}

/// A quantity that may be conserved.
#[derive(Clone, Debug, Serialize)]
pub struct QuantityReport {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub expression: String,
    pub conserved: Option<bool>,
}

fn generator_by_name<S: serde::Serializer>(
    generator: &Option<Vec<(String, String)>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    by_name(generator.as_deref().unwrap_or_default(), serializer)
}

impl<'m> Findings<'m> {
    /// What was found as data.
    pub fn report(&self) -> AnalysisReport {
        let seen = &self.regularity;
        let contradiction = self.contradiction().map(ToString::to_string);
        let decided = seen.decided || contradiction.is_some();
        let regular = decided.then(|| seen.is_regular() && contradiction.is_none());
        // Nothing is said of a Lagrangian that is only a placeholder.
        let told = !self.placeholder;
        let found = self.conserved.found.iter().enumerate();
        let space = &self.conserved.space;
        let further = space
            .further
            .iter()
            .map(|(kind, count)| FamilyReport { family: sentences::family(*kind), candidates: *count });
        AnalysisReport {
            model: self.name.map(str::to_owned),
            order: self.order,
            degrees_of_freedom: (told && self.poisson.is_none()).then(|| self.degrees_of_freedom()),
            regular: regular.filter(|_| told),
            rank: told.then_some(seen.rank),
            unknowns: seen.unknowns,
            mass_rank: told.then_some(seen.mass_rank),
            state_dimension: seen.state_dimension,
            final_dimension: seen.final_dimension.filter(|_| told && contradiction.is_none()),
            conserved: match contradiction {
                Some(_) => Vec::new(),
                None => found.map(|(place, quantity)| self.quantity(place, quantity)).collect(),
            },
            independent: self.conserved.independent,
            search: SearchReport {
                generators: self.generator_names(),
                degree: space.degree,
                candidates: space.candidates,
                further: further.collect(),
            },
            constraints: self.constraints(),
            structure: self
                .structure
                .as_ref()
                .filter(|_| told && self.poisson.is_none())
                .map(|structure| self.structure_report(structure)),
            redundant: if contradiction.is_some() { Vec::new() } else { self.redundant.clone() },
            contradiction,
            controls: (!self.controls.is_empty()).then(|| ControlsReport {
                names: self.controls.iter().map(|name| (*name).to_owned()).collect(),
                rank: self.control.as_ref().map(|control| control.rank),
                regular: self.control.as_ref().map(|control| control.is_regular()),
            }),
            determinant: seen.determinant.map(text),
            regular_everywhere: seen.determinant.map(|_| seen.regular_everywhere),
            verdict: seen.chain.as_ref().map(|chain| match &chain.verdict {
                ChainVerdict::Unique => "unique",
                ChainVerdict::NotUnique => "not unique",
                ChainVerdict::NoMotion { .. } => "no motion",
                ChainVerdict::Undecided { .. } => "undecided",
            }),
            free: seen.chain.as_ref().map(|chain| chain.free.len()),
            symmetries: self.symmetries.iter().map(symmetry).collect(),
            invariants: self.invariants.iter().map(|(name, e, kept)| stated(Some(name), *e, *kept)).collect(),
            equilibrium: self.equilibrium.clone(),
            no_equilibrium: self.no_equilibrium.map(sentences::no_equilibrium),
            placeholder: self.placeholder,
            optimal_motion: self.optimal_motion.as_ref().map(|motion| motion.report()),
            method: self.method.clone(),
            contact: self.contact_report(),
            poisson: self.poisson_report(),
            backward_error: self.backward.as_ref().map(|backward| backward.report()),
            geometry: self.phase.as_ref().map(PhaseGeometryReport::of),
            step_geometry: self.step_geometry.as_ref().map(StepGeometryReport::of),
            sources: self.cited(),
        }
    }

    /// The documents behind the theorems that the report names.
    fn cited(&self) -> Vec<String> {
        let theorems = self.conserved.found.iter().filter_map(|q| q.theorem).map(sentences::theorem);
        let lifted = self.symmetries.iter().filter_map(|symmetry| symmetry.lifted.as_ref()).map(|_| "[TP]");
        let phase = self.phase.iter().filter(|seen| seen.as_ref().is_ok_and(|seen| !seen.entropy_forms.is_empty()));
        let steps = self.step_geometry.iter().filter(|seen| seen.formulas.is_some()).map(|_| "[TT] [TP]");
        sentences::sources(&theorems.chain(lifted).chain(phase.map(|_| "[TP]")).chain(steps).collect::<String>())
    }

    fn quantity(&self, place: usize, quantity: &ConservedQuantity<'m>) -> ConservedReport {
        let states = match quantity.proof {
            Proof::Symbolic => None,
            Proof::Sampled { states } => Some(states),
        };
        let kept = self.method.as_ref().and_then(|method| method.preserved.get(place));
        ConservedReport {
            name: quantity.name.clone(),
            expression: text(quantity.expression),
            latex: quantity.expression.latex_with_parts(),
            verified: if states.is_none() { "symbolic" } else { "numeric" },
            general: quantity.general,
            states,
            residual: states.map(|_| 0),
            symmetry: quantity.symmetry.as_ref().map(|symmetry| self.generator(symmetry)),
            theorem: quantity.theorem.map(sentences::theorem),
            discrete: kept.cloned(),
        }
    }

    fn generator(&self, symmetry: &Symmetry<'m>) -> GeneratorReport {
        let components = |generator: &[Expr<'m>]| {
            let parts = self.system.names.iter().zip(generator).filter(|(_, x)| !x.is_zero());
            Some(parts.map(|(name, x)| (name.clone(), text(*x))).collect())
        };
        match symmetry {
            Symmetry::Time => GeneratorReport { kind: "time", generator: None, gauge: None },
            Symmetry::Point { generator, gauge } => {
                GeneratorReport { kind: "point", generator: components(generator), gauge: Some(text(*gauge)) }
            }
            Symmetry::Hidden { generator } => {
                GeneratorReport { kind: "hidden", generator: components(generator), gauge: None }
            }
        }
    }

    fn constraints(&self) -> Vec<ConstraintReport> {
        let stated = self.constraints.iter().map(|(name, kind, expression)| ConstraintReport {
            name: Some(name.clone()),
            kind: Some(kind.name()),
            round: None,
            expression: text(*expression),
        });
        let rounds = self.regularity.chain.iter().flat_map(|chain| chain.rounds.iter().zip(1..));
        let found = rounds.flat_map(|(constraints, round)| {
            let one = move |constraint: &Expr<'m>| ConstraintReport {
                round: Some(round),
                expression: text(*constraint),
                ..ConstraintReport::default()
            };
            constraints.iter().map(one)
        });
        stated.chain(found).collect()
    }

    fn structure_report(&self, structure: &SystemStructure<'m>) -> StructureReport {
        let matrix = |rows: &Vec<Vec<Expr<'m>>>| {
            let row = |row: &Vec<Expr<'m>>| row.iter().map(|e| text(self.graph.simplified(*e))).collect();
            rows.iter().map(row).collect()
        };
        let total = structure.total_energy.zip(self.total_energy);
        let christoffel = structure.christoffel.iter().map(|symbol| {
            let [k, l, j] = [symbol.k, symbol.l, symbol.j].map(|i| self.system.names[i].clone());
            ChristoffelReport { k, l, j, value: text(symbol.value) }
        });
        StructureReport {
            quadratic: structure.split.is_some(),
            natural: structure.natural,
            explicit_time: structure.explicit_time,
            reversible: structure.reversible,
            energy: text(structure.energy),
            mass: structure.split.as_ref().map(|split| matrix(&split.mass)),
            christoffel: structure.split.as_ref().map(|_| christoffel.collect()),
            gyroscopic: structure.gyroscopic.as_ref().map(matrix),
            total_energy: total.map(|(energy, kept)| stated(None, energy, kept)),
            gauge: structure.gauge.map(|gauge| GaugeReport { part: text(gauge.part), of: gauge.of.map(text) }),
            potential_of_forces: structure.potential_force.as_ref().map(|force| force.potential.map(text)),
        }
    }
}

fn symmetry(symmetry: &StatedSymmetry<'_>) -> SymmetryReport {
    SymmetryReport {
        name: symmetry.name.clone(),
        momentum: symmetry.momentum.map(text),
        conserved: is_conserved(symmetry.conservation),
        general: symmetry.conservation == Conservation::Always,
        rate: text(symmetry.rate),
        dissipated: symmetry.dissipated,
        lifted: symmetry.lifted.as_ref().map(LiftReport::of),
    }
}

fn stated(name: Option<&String>, expression: Expr<'_>, kept: Conservation) -> QuantityReport {
    QuantityReport { name: name.cloned(), expression: text(expression), conserved: is_conserved(kept) }
}

/// `None` where it is not decided.
fn is_conserved(kept: Conservation) -> Option<bool> {
    match kept {
        Conservation::Always | Conservation::Here => Some(true),
        Conservation::No => Some(false),
        Conservation::Undecided => None,
    }
}

fn text(e: Expr<'_>) -> String {
    e.text_with_parts()
}
