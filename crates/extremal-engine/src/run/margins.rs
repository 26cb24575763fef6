//! How far the models of the gallery, with their own methods and steps, stay from what is warned of.

use super::audits::{Audits, Promises};
use super::inertia::LEAP;
use super::judge::{Instruments, Judge, Moment, UNRESOLVED};
use super::laws::Audit;
use super::snapshot::Snapshot;
use super::{Compiled, CompiledRun, Settings};
use crate::{Model, gallery};

/// Steps of each model that are followed by the judge whether they are suspicious or not.
const FOLLOWED: u64 = 100;

/// The largest that was seen, of what may be one at most.
#[derive(Default)]
struct Margin {
    largest: f64,
    model: String,
}

impl Margin {
    fn take(&mut self, value: f64, model: &str) {
        if value > self.largest {
            (self.largest, self.model) = (value, model.to_string());
        }
    }
}

#[test]
fn the_gallery_stays_well_below_what_is_warned_of() {
    let [mut step, mut energy, mut first_law, mut constraint, mut mass] = std::array::from_fn(|_| Margin::default());
    for name in gallery::names() {
        let model = Model::from_toml(gallery::text(name).unwrap()).unwrap();
        // By hand no events happen.
        if model.boundary().is_some() || !model.events().is_empty() {
            continue;
        }
        let run = CompiledRun::new(&model, &Settings::of(&model)).unwrap();
        let observables = &run.observables;
        let judge = || Judge::new(Instruments::later(&run), model.parameter_values());
        let mut audits = Audits::new(observables.clone(), Promises::of(&run, &model), judge());
        let (mut other, mut laws) = (judge(), Audit::default());
        let entropies: Vec<_> = model.entropies().iter().map(|entropy| entropy.name.clone()).collect();
        let mut now = Snapshot::new(observables, None);
        let mut motion = run.begin().unwrap();
        let moment = || Moment::new(observables.coordinates, observables.entropies);
        let (mut before, mut after, mut kinetic) = (moment(), moment(), 0f64);
        let mut determinants: Vec<f64> = Vec::new();
        let followed = run.planned_steps().div_ceil(FOLLOWED);
        for at in 0..=run.planned_steps() {
            // A model may end at a stop condition or, on purpose, nowhere.
            if at > 0 && run.advance(motion.as_mut(), at).is_err() || now.take(observables, motion.as_mut()).is_err() {
                break;
            }
            assert!(audits.look(&now.row).is_none(), "{name}");
            laws.push(observables, &entropies, &now.row);
            std::mem::swap(&mut before, &mut after);
            after.read(observables, &now.row);
            kinetic = kinetic.max(after.kinetic);
            let looked_at = at > 0
                && at.is_multiple_of(followed)
                && matches!(*run.compiled, Compiled::Scheme(_) | Compiled::Paced(_));
            if looked_at && let Some(apart) = other.apart(&before, &after, 1e-4 * kinetic) {
                step.take(apart / UNRESOLVED, name);
            }
            for (before, now) in determinants.iter().zip(&now.determinants) {
                mass.take((now / before).max(before / now).log2() / LEAP.log2(), name);
            }
            determinants.clone_from(&now.determinants);
        }
        let parts = audits.parts(&now.watch, laws.finish().as_ref());
        for (margin, part) in [&mut energy, &mut first_law, &mut constraint].into_iter().zip(parts) {
            margin.take(part, name);
        }
    }
    // What docs/theory.md says of each, and no more.
    for (what, margin, stated) in [
        ("a step", step, 0.35),
        ("an energy", energy, 0.6),
        ("a first law", first_law, 0.6),
        ("a constraint", constraint, 1e-2),
        ("a mass", mass, 0.35),
    ] {
        assert!(margin.largest <= stated, "{what}: {} of what is warned of, in {}", margin.largest, margin.model);
    }
}
