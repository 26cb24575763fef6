//! Steps of like members that all act on each other in pairs: the formulas of a step by members, and the forces of all pairs at the places
//! where these want them.

use extremal_eval::{
    Backend, CompileError, LatticeMachine, LatticeProgram, NotFinite, PairMachine, PairProgram, PairwiseFormulas,
    Stopped,
};
use extremal_expr::{Expr, Graph, Id};
use extremal_mechanics::StagedFormulas;

use super::lattice::LatticePart;

/// The terms that all pairs of members have alike, in an instance with few members.
#[derive(Clone, Copy)]
pub struct LatticePairs<'a> {
    /// The term of one pair.
    pub term: Id,
    /// The members of this pair.
    pub pair: [usize; 2],
    /// The families of coordinates in it.
    pub moving: &'a [usize],
    /// The marks of the stand-ins that the scheme has for the forces, by these families and by member.
    pub marks: &'a [Vec<Expr<'a>>],
    /// How often all terms together are in each of the sums.
    pub in_sums: &'a [f64],
}

/// A step as formulas by members between evaluations of forces.
pub(super) struct PairedParts {
    stages: Vec<LatticePart>,
    last: LatticePart,
    /// Are the last forces of a step the first of the next one?
    carries: bool,
}

impl PairedParts {
    /// `step` is the whole step with stand-ins; its first results are the coordinates.
    pub fn of(g: &Graph, step: &LatticePart, pairs: LatticePairs<'_>) -> Option<PairedParts> {
        let members = step.fields.first()?.len();
        let results: Vec<Id> = step.results.concat();
        let StagedFormulas { stages, results } = StagedFormulas::of(g, &results, pairs.marks)?;
        if stages.is_empty() {
            return None;
        }
        let results: Vec<Vec<Id>> = results.chunks(members).map(<[Id]>::to_vec).collect();
        let at =
            |list: &[Vec<Id>]| -> Vec<Vec<Id>> { pairs.moving.iter().map(|family| list[*family].clone()).collect() };
        let carries = stages.len() > 1
            && stages.first().is_some_and(|stage| stage.places == at(&step.fields))
            && stages.last().is_some_and(|stage| stage.place_symbols == at(&results));
        let mut fields = step.fields.clone();
        let mut parts = Vec::new();
        for stage in stages {
            parts.push(LatticePart { fields: fields.clone(), results: stage.places, ..step.clone() });
            fields.extend(stage.place_symbols);
            fields.extend(stage.forces);
        }
        Some(PairedParts { stages: parts, last: LatticePart { fields, results, ..step.clone() }, carries })
    }
}

/// The steps compiled for any number of members.
#[derive(Clone)]
pub(super) struct PairedSteps {
    stages: Vec<LatticeProgram>,
    last: LatticeProgram,
    pairs: PairProgram,
    moving: Vec<usize>,
    /// The first fields are the state, the others data of the members.
    fields: usize,
    state: usize,
    scalars: usize,
    carries: bool,
}

/// One instance of a step: its formulas, and where they are.
#[derive(Clone, Copy)]
pub(super) struct PairedInstance<'a> {
    pub graph: &'a Graph,
    pub parameters: &'a [Id],
    pub parts: &'a PairedParts,
}

impl PairedSteps {
    /// Looks for the member that all others repeat; `state` fields are the state.
    pub fn find(
        small: PairedInstance<'_>,
        larger: PairedInstance<'_>,
        pairs: LatticePairs<'_>,
        state: usize,
    ) -> Result<Option<PairedSteps>, CompileError> {
        let (a, b) = (small.parts, larger.parts);
        if a.stages.len() != b.stages.len() || a.carries != b.carries {
            return Ok(None);
        }
        let find = |a: &LatticePart, b: &LatticePart| {
            let [a, b] = [(a, small), (b, larger)].map(|(part, of)| part.formulas(of.graph, of.parameters));
            LatticeProgram::find(a, b)
        };
        let mut stages = Vec::new();
        for (a, b) in a.stages.iter().zip(&b.stages) {
            let Some(program) = find(a, b)? else { return Ok(None) };
            stages.push(program);
        }
        let Some(last) = find(&a.last, &b.last)? else { return Ok(None) };
        let fields = a.last.results.len();
        let first = &a.stages.first().unwrap_or(&a.last).fields;
        let known: Vec<&Vec<Id>> =
            pairs.moving.iter().copied().chain(state..fields).map(|field| &first[field]).collect();
        let members = pairs.pair.map(|member| known.iter().map(|field| field[member]).collect::<Vec<_>>());
        let program = PairProgram::compile(PairwiseFormulas {
            graph: small.graph,
            parameters: small.parameters,
            members: [&members[0], &members[1]],
            moving: pairs.moving.len(),
            term: pairs.term,
        })?;
        Ok(Some(PairedSteps {
            stages,
            last,
            pairs: program,
            moving: pairs.moving.to_vec(),
            fields,
            state,
            scalars: a.last.scalars.len(),
            carries: a.carries,
        }))
    }

    /// The fewest members of each family.
    pub fn smallest(&self) -> usize {
        self.stages.iter().map(LatticeProgram::smallest).fold(self.last.smallest(), usize::max)
    }

    /// The operations for one member, and the loops they are in.
    pub fn operations(&self) -> (usize, usize) {
        let programs = self.stages.iter().skip(usize::from(self.carries)).chain([&self.last]);
        programs.map(LatticeProgram::operations).fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
    }

    /// The operations for one pair.
    pub fn pair_operations(&self) -> usize {
        self.pairs.operations()
    }

    /// What it takes to run it for so many members, and so many times in one go; `None` if they are too few.
    pub fn machine(&self, members: usize, together: usize, backend: Option<Backend>) -> Option<PairedMachine> {
        let machine = |program: &LatticeProgram| {
            let asked_for = backend.and_then(|backend| program.machine_on(backend, members));
            asked_for.or_else(|| program.machine(members))
        };
        let pairs = backend.and_then(|backend| self.pairs.machine_on(backend, members));
        let numbers = self.fields * members;
        let forces = self.moving.len() * members;
        Some(PairedMachine {
            stages: self.stages.iter().map(machine).collect::<Option<_>>()?,
            last: machine(&self.last)?,
            pairs: pairs.unwrap_or_else(|| self.pairs.machine(members)),
            moving: self.moving.clone(),
            members,
            fields: self.fields,
            state: self.state,
            scalars: self.scalars,
            carries: self.carries,
            together,
            numbers: vec![0.0; numbers + 2 * forces * self.stages.len()],
            next: vec![0.0; numbers],
            kept: vec![0.0; numbers + forces],
            kept_sum: None,
            sum: None,
            taken: Vec::with_capacity(self.scalars * together),
            steps: 0,
        })
    }
}

/// Like members on their way, all of which act on each other. Nothing is allocated after it was made.
#[derive(Clone)]
pub(super) struct PairedMachine {
    stages: Vec<LatticeMachine>,
    last: LatticeMachine,
    pairs: PairMachine,
    moving: Vec<usize>,
    members: usize,
    fields: usize,
    state: usize,
    scalars: usize,
    carries: bool,
    together: usize,
    /// State and data, and then for each stage the places and the forces there.
    numbers: Vec<f64>,
    next: Vec<f64>,
    /// What was there before the last run: state and data, the first forces, and the sum of all pairs if it was known.
    kept: Vec<f64>,
    kept_sum: Option<f64>,
    /// The sum of all pairs in this state, if it is known.
    sum: Option<f64>,
    /// The scalars of the last run, and how many times it was applied.
    taken: Vec<f64>,
    steps: usize,
}

impl PairedMachine {
    /// So many applications fit one run.
    pub fn most(&self) -> usize {
        self.together
    }

    /// Sets the parameters for the next [`load_with`](PairedMachine::load_with).
    pub fn set_parameters(&mut self, values: &[f64]) {
        self.stages.iter_mut().chain([&mut self.last]).for_each(|machine| machine.set_parameters(values));
        self.pairs.set_parameters(values);
    }

    /// Begins with state and data that are written to the second of two places for them; the first is there to be used meanwhile.
    pub fn load_with<T>(&mut self, write: impl FnOnce(&mut [f64], &mut [f64]) -> T) -> T {
        let count = self.fields * self.members;
        let written = write(&mut self.next, &mut self.numbers[..count]);
        self.steps = 0;
        self.pairs.set_data(&self.numbers[self.state * self.members..count]);
        self.sum = None;
        if self.carries {
            self.pair_sum();
        }
        self.keep();
        written
    }

    /// State and data, field by field.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers[..self.fields * self.members]
    }

    /// The sum over all pairs in this state.
    pub fn pair_sum(&mut self) -> f64 {
        if let Some(sum) = self.sum {
            return sum;
        }
        // Where the first forces are carried they are these.
        let (given, stages) = self.numbers.split_at_mut(self.fields * self.members);
        let (places, forces) = stages.split_at_mut(self.moving.len() * self.members);
        for (place, family) in places.chunks_exact_mut(self.members).zip(&self.moving) {
            place.copy_from_slice(&given[family * self.members..(family + 1) * self.members]);
        }
        let sum = self.pairs.run(places, &mut forces[..places.len()]);
        self.sum = Some(sum);
        sum
    }

    /// Applies the step so many times; `scalars` has those of each time, one after the other.
    pub fn run(&mut self, steps: usize, scalars: &[f64]) -> Result<(), Stopped> {
        self.keep();
        self.taken.clear();
        self.taken.extend_from_slice(scalars);
        self.steps = steps;
        self.apply()
    }

    /// Undoes so many of the applications of the last run, or all of them.
    pub fn take_back(&mut self, steps: usize) {
        self.steps = self.steps.saturating_sub(steps);
        let (numbers, forces) = (self.fields * self.members, self.moving.len() * self.members);
        self.numbers[..numbers].copy_from_slice(&self.kept[..numbers]);
        self.numbers[numbers + forces..numbers + 2 * forces].copy_from_slice(&self.kept[numbers..]);
        self.sum = self.kept_sum;
        // It went well before.
        _ = self.apply();
    }

    fn apply(&mut self) -> Result<(), Stopped> {
        for after in 0..self.steps {
            if let Err(place) = self.step(after) {
                self.steps = after;
                return Err(Stopped { after, place });
            }
        }
        Ok(())
    }

    fn step(&mut self, application: usize) -> Result<(), NotFinite> {
        let scalars = &self.taken[application * self.scalars..(application + 1) * self.scalars];
        let (fields, forces) = (self.fields * self.members, self.moving.len() * self.members);
        let mut sum = None;
        for (stage, program) in self.stages.iter_mut().enumerate().skip(usize::from(self.carries)) {
            let (given, made) = self.numbers.split_at_mut(fields + 2 * forces * stage);
            let (places, made) = made.split_at_mut(forces);
            program.run(scalars, given, places, &mut []).map_err(|place| match place {
                NotFinite::Member { result, member } => NotFinite::Member { result: self.moving[result], member },
                other => other,
            })?;
            sum = Some(self.pairs.run(places, &mut made[..forces]));
        }
        self.last.run(scalars, &self.numbers, &mut self.next, &mut [])?;
        self.numbers[..fields].copy_from_slice(&self.next);
        self.sum = None;
        if self.carries {
            let last = self.numbers.len() - forces;
            self.numbers.copy_within(last.., fields + forces);
            self.sum = sum;
        }
        Ok(())
    }

    fn keep(&mut self) {
        let (numbers, forces) = (self.fields * self.members, self.moving.len() * self.members);
        self.kept[..numbers].copy_from_slice(&self.numbers[..numbers]);
        self.kept[numbers..].copy_from_slice(&self.numbers[numbers + forces..numbers + 2 * forces]);
        self.kept_sum = self.sum;
    }
}

#[cfg(test)]
mod tests {
    use extremal_mechanics::discrete::{Options, scheme};
    use extremal_mechanics::{PairSum, System};

    use super::super::LatticeInstance;
    use super::super::lattice::ExplicitParts;
    use super::*;

    /// The forces of a step by Störmer–Verlet are taken at both of its ends, where nothing else is summed over pairs: one evaluation for
    /// every step. The midpoint of a step is none of its ends.
    #[test]
    fn forces_at_the_end_of_a_step_begin_the_next_one() {
        let evaluations = |method: &str| {
            let g = Graph::new();
            let names = ["x[1]", "x[2]", "x[3]", "x[4]"];
            let [x, v] = ["", "'"].map(|primes| names.map(|name| g.symbol(&format!("{name}{primes}"))));
            let own = (0..4).map(|i| v[i].powi(2) / (i as i64 + 2));
            let pairs = (0..4).flat_map(|i| (i + 1..4).map(move |j| (i, j))).map(|(i, j)| -(x[i] - x[j]).powi(4));
            let system = System::new(&g, &names, g.sum(own.chain(pairs).collect::<Vec<_>>()));
            let sum = PairSum::find(&system, 4, &[]).expect("all pairs are alike");
            let (system, marks) = sum.stood_in_for(&system, 4);
            let method = method.parse().expect("a method");
            let scheme = scheme(&system, &method, Options::default(), None).expect("a scheme");
            let pairs =
                LatticePairs { term: sum.term.id(), pair: sum.pair, moving: &sum.moving, marks: &marks, in_sums: &[] };
            let (parameters, data, sums) = (&[], &[], &[]);
            let instance =
                LatticeInstance { graph: &g, scheme: &scheme, parameters, members: 4, data, sums, pairs: Some(pairs) };
            let parts = ExplicitParts::of(instance).and_then(|parts| parts.paired).expect("nothing to solve");
            (parts.stages.len(), parts.carries)
        };
        assert_eq!(evaluations("trapezoidal"), (2, true));
        assert_eq!(evaluations("left"), (1, false));
        // Between its kicks there are drifts, at both ends too.
        assert_eq!(evaluations("blanes-moan4"), (6, false));
        assert_eq!(evaluations("blanes-moan6-nystrom"), (14, false));
    }
}
