//! Running families of many like members without unrolling them.

use std::sync::Arc;

use extremal_expr::{Expr, Id};
use extremal_mechanics::discrete::{Options, Scheme, scheme};
use extremal_mechanics::{PairSum, System};
use extremal_model::{InvalidModel, Model, Overrides, Pacing, Parameter, RepeatedModel, RepeatedStart, Start};
use extremal_solve::{LatticeInstance, LatticeMarcher, LatticePairs, LatticeScheme, StepFailure};
use extremal_trajectory::{Column, Columns, ColumnsError, Role};

use super::feasible::ConstraintStructure;
use super::observables::Observables;
use super::start::RunStart;
use super::{Compiled, CompiledRun, Settings, SetupError};
use crate::SharedModel;

/// Members of the instance that the formulas are derived for: more than reach from one end into the formulas of the other.
const FEW: usize = 24;
/// The same where members know nothing of their neighbours: every one is like the others.
const FEWEST: usize = 4;
/// Fewer members are not worth it.
const MANY: usize = 40;
/// The same where all members act on each other. Fewer are watched step by step, which costs more than the pairs.
const MANY_IN_PAIRS: usize = 16;

/// A model of repeated structure with an explicit method: its formulas are derived for a few members and used for all of them,
/// so that getting ready takes no longer, and a step takes no more per member, however many there are.
///
/// ```
/// use extremal_engine::{Overrides, Recorder, Settings, model::Extent, run::{End, Lattice, CompiledRun}};
/// let text = extremal_engine::gallery::text("fermi-pasta-ulam").unwrap();
/// let ten_steps = |model: &_| Settings { extent: Some(Extent::Steps(10)), ..Settings::of(model) };
/// let read = Lattice::read(text, &Overrides::default().set("n", 20_000), ten_steps)?;
/// let (few, lattice) = read.expect("all masses are alike");
/// let run = CompiledRun::of_lattice(&few, &lattice)?;
/// let mut recorder = Recorder::new(run.columns().clone());
/// assert_eq!(run.execute(&mut recorder, |_| std::ops::ControlFlow::Continue(()))?.end, End::Reached);
/// assert_eq!(recorder.last().unwrap().len(), 1 + 3 * 20_000 + 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Lattice {
    settings: Settings,
    names: Vec<String>,
    structure: LatticeStructure,
    marcher: LatticeMarcher,
    start: RepeatedStart,
}

/// What is known of a run of many like members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct LatticeStructure {
    /// Members of each family.
    pub members: usize,
    /// Operations for one member in a step.
    pub operations: usize,
    /// The loops they are in.
    pub loops: usize,
    /// Operations for one pair of members, where all act on each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair_operations: Option<usize>,
}

impl Lattice {
    /// Reads a model with some values replaced: the same with a few members only, and what it takes to run all of them. `None` if
    /// there are few, if they are not all alike, or if the method, one of the `settings` for the model, has something to solve:
    /// then the model has to be unrolled.
    ///
    /// # Errors
    /// A member that starts nowhere.
    pub fn read(
        text: &str,
        overrides: &Overrides,
        settings: impl FnOnce(&Model) -> Settings,
    ) -> Result<Option<(Model, Lattice)>, InvalidModel> {
        let many =
            |repeated: &RepeatedModel| repeated.size() >= if repeated.has_pairs() { MANY_IN_PAIRS } else { MANY };
        let Some(repeated) = RepeatedModel::read(text, overrides).filter(many) else { return Ok(None) };
        let few = if repeated.has_neighbours() || !repeated.has_pairs() { FEW } else { FEWEST };
        // What is wrong with the model is said by those who load the whole of it.
        let (Ok(model), Ok(larger)) = (repeated.with_size(few), repeated.with_size(few + 1)) else { return Ok(None) };
        let settings = settings(&model);
        // Their loops begin at time zero.
        let elsewhere = settings.from.is_some_and(|from| from != 0.0);
        let paced = settings.pacing != Pacing::Even;
        if settings.start != Start::Legendre || elsewhere || paced || depends_on_size(&model, &repeated) {
            return Ok(None);
        }
        let Some(scheme) = found(&model, &larger, few, &repeated, &settings) else { return Ok(None) };
        let Some(mut marcher) = scheme.marcher(repeated.size(), settings.backend) else { return Ok(None) };
        let values: Option<Vec<f64>> = common(&model, &repeated).map(|p| repeated.parameter(&p.name)).collect();
        let Some(values) = values else { return Ok(None) };
        marcher.set_parameters(&values);
        marcher.set_data(repeated.data().iter().flat_map(|data| &data.values).copied().collect());
        let (operations, loops) = scheme.operations();
        let pair_operations = scheme.pair_operations();
        let lattice = Lattice {
            names: repeated.names().map(str::to_owned).collect(),
            structure: LatticeStructure { members: repeated.size(), operations, loops, pair_operations },
            start: repeated.start()?,
            settings,
            marcher,
        };
        Ok(Some((model, lattice)))
    }

    /// The settings it was read with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What a step is made of.
    pub fn structure(&self) -> LatticeStructure {
        self.structure
    }

    /// What runs it, not begun yet.
    pub(crate) fn marcher(&self) -> LatticeMarcher {
        self.marcher.clone()
    }

    /// The motion at its start.
    pub(super) fn begin(&self, step: f64) -> Result<LatticeMarcher, StepFailure> {
        let mut marcher = self.marcher();
        marcher.restart(&self.start.positions, &self.start.velocities, step)?;
        Ok(marcher)
    }

    /// Time, coordinates, velocities, momenta, energy.
    fn columns(&self) -> Result<Columns, ColumnsError> {
        let members = self.structure.members;
        let numbered = |name| (1..=members).map(move |number| format!("{name}[{number}]"));
        let names = || self.names.iter().flat_map(numbered);
        let mut columns = vec![Column::time()];
        columns.reserve_exact(3 * self.names.len() * self.structure.members + 1);
        columns.extend(names().map(Column::coordinate));
        columns.extend(names().map(|name| Column::velocity(&name)));
        columns.extend(names().map(|name| Column::momentum(&name)));
        columns.push(Column::new("energy", Role::Energy));
        Columns::new(columns)
    }
}

impl CompiledRun {
    /// A run of all members; `model` is the one with few of them that was read with the lattice.
    pub fn of_lattice(model: impl Into<SharedModel>, lattice: &Lattice) -> Result<CompiledRun, SetupError> {
        let plan = lattice.settings.plan()?;
        let given_times = lattice.settings.given_times(&plan)?;
        let observables = Observables::of_members(lattice.columns()?, lattice.names.len() * lattice.structure.members);
        let mut run = CompiledRun {
            model: model.into(),
            observables: Arc::new(observables),
            compiled: Arc::new(Compiled::Lattice(Box::new(lattice.clone()))),
            estimate: None,
            events: None,
            method: lattice.settings.method.clone(),
            start: RunStart::default(),
            constraints: ConstraintStructure::default(),
            constraint_sizes: Vec::new(),
            stated_energy: f64::NAN,
            pace_at_start: 1.0,
            settings: lattice.settings.clone(),
            given_times,
            scheme: None,
            sensitivity: None,
            reached: None,
            tracked: Vec::new(),
            energy_law: Arc::default(),
            plan,
        };
        if let Ok(mut motion) = run.begin()
            && let Ok(observed) = motion.observe()
        {
            run.stated_energy = observed[run.observed_energy()];
        }
        Ok(run)
    }

    /// What is known of many like members, if the run is one of these.
    pub fn lattice(&self) -> Option<LatticeStructure> {
        match &*self.compiled {
            Compiled::Lattice(lattice) => Some(lattice.structure()),
            _ => None,
        }
    }
}

/// The parameters that are the same for all members.
fn common<'m>(model: &'m Model, repeated: &RepeatedModel) -> impl Iterator<Item = &'m Parameter> {
    model.parameters().iter().filter(|parameter| !repeated.data().iter().any(|data| data.has(&parameter.name)))
}

/// Are step or final time others for the model with all its members?
fn depends_on_size(model: &Model, repeated: &RepeatedModel) -> bool {
    let g = model.graph();
    let settings: Vec<_> =
        [model.step_expression(), model.from_expression(), model.until_expression()].into_iter().flatten().collect();
    let few: std::collections::HashMap<&str, f64> =
        model.parameters().iter().map(|parameter| (parameter.name.as_str(), parameter.value)).collect();
    g.evaluate(&settings, |name| few.get(name).copied()) != g.evaluate(&settings, |name| repeated.parameter(name))
}

/// The structure that the method has for both models.
fn found(
    small: &Model,
    larger: &Model,
    members: usize,
    repeated: &RepeatedModel,
    settings: &Settings,
) -> Option<LatticeScheme> {
    let a = Written::of(small, members, repeated, settings)?;
    let b = Written::of(larger, members + 1, repeated, settings)?;
    LatticeScheme::find(a.instance(), b.instance()).ok().flatten()
}

/// The method for a model.
struct Written<'m> {
    model: &'m Model,
    members: usize,
    scheme: Scheme,
    parameters: Vec<Id>,
    data: Vec<Vec<Id>>,
    energy: [Id; 1],
    pairs: Option<(PairSum<'m>, Vec<Vec<Expr<'m>>>)>,
}

impl<'m> Written<'m> {
    fn of(model: &'m Model, members: usize, repeated: &RepeatedModel, settings: &Settings) -> Option<Written<'m>> {
        let g = model.graph();
        let mut system = Some(System::of(model)).filter(|system| system.order == 1)?;
        let Settings { start, entropy, constraints, .. } = *settings;
        let options = Options { start, entropy, constraints, ..Options::default() };
        let symbols =
            |name: &str| (1..=members).map(|member| g.symbol(&format!("{name}[{member}]"))).collect::<Vec<_>>();
        let data: Vec<Vec<Expr<'m>>> = repeated.data().iter().map(|data| symbols(&data.name)).collect();
        let mut energy = system.energy();
        let mut pairs = None;
        if repeated.has_pairs() {
            let sum = PairSum::find(&system, members, &data)?;
            energy = system.with_lagrangian(sum.rest).energy();
            let (stood_in_for, marks) = sum.stood_in_for(&system, members);
            (system, pairs) = (stood_in_for, Some((sum, marks)));
        }
        Some(Written {
            model,
            members,
            scheme: scheme(&system, &settings.method, options, None).ok()?,
            parameters: common(model, repeated).map(|parameter| parameter.symbol).collect(),
            data: data.iter().map(|family| family.iter().map(|symbol| symbol.id()).collect()).collect(),
            energy: [energy.id()],
            pairs,
        })
    }

    fn instance(&self) -> LatticeInstance<'_> {
        let Written { model, members, scheme, parameters, data, energy, pairs } = self;
        let pairs = pairs.as_ref().map(|(sum, marks)| LatticePairs {
            term: sum.term.id(),
            pair: sum.pair,
            moving: &sum.moving,
            marks,
            // The energy has them as the Lagrangian has, with the other sign: there are no velocities in them.
            in_sums: &[-1.0],
        });
        LatticeInstance { graph: model.graph(), scheme, parameters, members: *members, data, sums: energy, pairs }
    }
}
