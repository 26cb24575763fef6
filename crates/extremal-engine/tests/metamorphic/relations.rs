//! Every rewriting of every model has its motion.

use std::collections::BTreeMap;

use extremal_engine::{Method, Model, Settings};

use crate::motion::{NoMotion, Reference, run};
use crate::random::random_models;
use crate::source::Source;
use crate::transform::{Rewritten, TRANSFORMS, Transform, continued, with_gauge_term};
use crate::{gallery_models, smooth_gallery_models};

const STEPS: u64 = 24;

/// The deviation in tolerances, with words.
type Finding = Result<(f64, String), NoMotion>;

/// Looks at `relations` of all models: what does not hold.
fn violations(models: &[(String, Source)], relations: &dyn Fn(&Source) -> Vec<(&'static str, Finding)>) -> Vec<String> {
    let mut broken = Vec::new();
    let mut worst: BTreeMap<&str, (f64, String)> = BTreeMap::new();
    for (name, source) in models {
        for (relation, finding) in relations(source) {
            match finding {
                Ok((share, words)) => {
                    let known = worst.entry(relation).or_default();
                    if share > known.0 {
                        *known = (share, format!("{name}: {words}"));
                    }
                    if share > 1.0 {
                        broken.push(format!("{name}, {relation}: {share:.1} times what round-off explains, {words}"));
                    }
                }
                Err(none) => broken.push(format!("{name}, {relation}: {none}")),
            }
        }
    }
    for (relation, (share, words)) in &worst {
        eprintln!("{relation}: at most {share:.3} of what round-off explains; {words}");
    }
    broken
}

/// Every rewriting, with the fixed steps of the model's own method.
fn rewritten(source: &Source) -> Vec<(&'static str, Finding)> {
    let reference = match Reference::of(source, &|model| source.settings(model, STEPS)) {
        Ok(reference) => reference,
        Err(error) => return vec![("as it stands", Err(error))],
    };
    let relations = TRANSFORMS.iter().filter_map(|(relation, transform)| Some((*relation, transform(source)?)));
    relations.map(|(relation, rewritten)| (relation, compared(&reference, &rewritten, STEPS))).collect()
}

fn compared(reference: &Reference, rewritten: &Rewritten, steps: u64) -> Finding {
    let model = rewritten.source.model();
    let motion = run(&model, &rewritten.source.settings(&model, steps))?;
    Ok(reference.deviation(rewritten, &motion))
}

/// A motion interrupted, and continued as a model that begins later.
fn interrupted(source: &Source) -> Vec<(&'static str, Finding)> {
    let finding = || {
        let whole = Reference::of(source, &|model| source.settings(model, STEPS))?;
        let row = STEPS as usize / 2;
        let late = Rewritten { source: continued(source, &whole.motion, row), ..Rewritten::of(source) };
        compared(&whole.after_row(row), &late, STEPS - row as u64)
    };
    vec![("interrupted", finding())]
}

/// The continuous motion, in other units and under L + dF/dt. The error of a step of `dop853` is its tolerance, which it estimates
/// within a small factor, relative to what moves.
fn continuous(source: &Source) -> Vec<(&'static str, Finding)> {
    const TOLERANCE: f64 = 1e-13;
    let settings =
        |model: &Model| Settings { method: Method::Dop853, tolerance: Some(TOLERANCE), ..source.settings(model, 4) };
    let mut reference = match Reference::of(source, &settings) {
        Ok(reference) => reference,
        Err(none) => return vec![("as it stands", Err(none))],
    };
    reference.error_per_step += 4.0 * TOLERANCE;
    let units = TRANSFORMS.iter().filter(|(relation, _)| relation.contains("unit"));
    let relations = units.copied().chain([("gauge", with_gauge_term as Transform)]);
    let relations = relations.filter_map(|(relation, transform)| Some((relation, transform(source)?)));
    relations
        .map(|(relation, rewritten)| {
            let model = rewritten.source.model();
            (relation, run(&model, &settings(&model)).map(|motion| reference.deviation(&rewritten, &motion)))
        })
        .collect()
}

fn assert_none(violations: Vec<String>) {
    assert!(violations.is_empty(), "{} relations broken:\n{}", violations.len(), violations.join("\n"));
}

#[test]
fn motions_of_the_gallery_do_not_depend_on_how_they_are_written() {
    assert_none(violations(&gallery_models(), &rewritten));
}

#[test]
fn random_motions_do_not_depend_on_how_they_are_written() {
    assert_none(violations(&random_models(), &rewritten));
}

#[test]
fn an_interrupted_motion_goes_on_as_if_nothing_had_happened() {
    assert_none(violations(&gallery_models(), &interrupted));
    assert_none(violations(&random_models(), &interrupted));
}

#[test]
fn neither_units_nor_a_gauge_term_change_the_continuous_motion() {
    assert_none(violations(&smooth_gallery_models(), &continuous));
    assert_none(violations(&random_models(), &continuous));
}

/// The relations can fail: a force of 1e-9 that is not there is seen in every motion.
#[test]
fn a_wrong_rewriting_is_caught() {
    for (name, source) in random_models().iter().take(40) {
        let reference = Reference::of(source, &|model| source.settings(model, STEPS)).unwrap();
        let mut wrong = Rewritten::of(source);
        wrong.source.set_function(format!("{} + 1e-9*{}", source.function().unwrap(), source.coordinates()[0]));
        let (share, _) = compared(&reference, &wrong, STEPS).unwrap();
        assert!(share > 1.0, "{name}: {share}");
    }
}
