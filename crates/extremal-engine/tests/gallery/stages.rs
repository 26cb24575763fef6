//! `galerkin(s)` of the gallery: stages of collocation against the stationary action, both from the formulas of the method.

use extremal_engine::expr::Id;
use extremal_engine::gallery::names;
use extremal_engine::mechanics::System;
use extremal_engine::mechanics::discrete::{Options, Scheme, scheme};
use extremal_engine::solve::{CompiledScheme, March, NewtonOptions, StartValues};
use extremal_testkit::runs::gallery;

const STEPS: u64 = 20;

#[test]
fn stages_lead_where_the_action_is_stationary() {
    let mut compared = Vec::new();
    for name in names() {
        let model = gallery(name);
        if model.boundary().is_some() || model.order() > 1 || model.without_start().is_some() {
            continue;
        }
        let Some(step) = model.simulation().step else { continue };
        let Ok(system) = System::followed(&model) else { continue };
        let parameters: Vec<Id> = model.parameters().iter().map(|parameter| parameter.symbol).collect();
        let values: Vec<f64> = model.parameters().iter().map(|parameter| parameter.value).collect();
        let initial = model.initial();
        let start = StartValues { q: initial.positions, v: initial.velocities, ..StartValues::default() };
        for method in ["galerkin(2)", "galerkin(4)"] {
            let Ok(iterated) = scheme(&system, &method.parse().unwrap(), Options::default(), None) else { continue };
            let [solve] = &iterated.step.solves[..] else { continue };
            if solve.stages.is_none() {
                continue;
            }
            let mut newton = iterated.clone();
            newton.step.solves[0].stages = None;
            let march = |scheme: &Scheme| {
                let g = model.graph();
                let mut compiled =
                    CompiledScheme::new(g, scheme, &parameters, &[], &[], NewtonOptions::default()).unwrap();
                compiled.set_parameters(&values);
                let mut run = compiled.start(&start, step).ok()?;
                run.advance_many(STEPS).ok()?;
                Some((compiled.structure().fixed_point, run.state().to_vec()))
            };
            let (Some((true, found)), Some((false, expected))) = (march(&iterated), march(&newton)) else { continue };
            let size = expected.iter().fold(1.0f64, |size, x| size.max(x.abs()));
            for (x, expected) in found.iter().zip(&expected) {
                // Twenty steps, each with the round-off of residuals of a few units in the last place.
                assert!((x - expected).abs() <= 3e-13 * size, "{name} by {method}: {x} instead of {expected}");
            }
            compared.push(name);
        }
    }
    compared.dedup();
    assert!(compared.len() >= 15, "only {compared:?}");
}
