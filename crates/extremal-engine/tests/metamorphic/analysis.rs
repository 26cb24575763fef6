//! What `analyze` finds does not depend on how a model is written.

use extremal_engine::analyze::{AnalysisExtent, Findings, analyze};
use extremal_engine::mechanics::analysis::SearchBounds;
use extremal_engine::model::Model;
use serde_json::Value;

use crate::gallery_models;
use crate::random::random_models;
use crate::source::Source;
use crate::transform::TRANSFORMS;

/// Verdicts, ranks and kinds; names and expressions are the model's own.
fn findings(source: &Source, bounds: SearchBounds) -> Vec<(String, Value)> {
    let model: Model = source.model();
    let extent = AnalysisExtent { search: bounds, steps: 1, numbers: false, backward: false, geometry: false };
    let analysis: Findings = analyze(&model, &source.settings(&model, 1), extent);
    let json = serde_json::to_value(analysis.report()).unwrap();
    let plain = [
        "order",
        "degrees_of_freedom",
        "regular",
        "rank",
        "unknowns",
        "mass_rank",
        "state_dimension",
        "final_dimension",
        "independent",
        "verdict",
        "free",
        "redundant",
    ];
    let mut found: Vec<(String, Value)> = plain.iter().map(|key| (key.to_string(), json[key].clone())).collect();
    for key in ["quadratic", "natural", "explicit_time", "reversible"] {
        found.push((key.to_string(), json["structure"][key].clone()));
    }
    let mut kinds: Vec<String> = json["conserved"].as_array().unwrap().iter().map(kind).collect();
    kinds.sort();
    found.push(("conserved".into(), kinds.into()));
    // The chart of a singular system, and with it what a bounded search is made of, depends on how it is written.
    if json["regular"] == false {
        found.retain(|(key, _)| key != "conserved" && key != "independent");
    }
    let constraints = json["constraints"].as_array().unwrap().iter().map(|c| c["kind"].clone());
    found.push(("constraints".into(), constraints.collect()));
    found
}

/// What a conserved quantity comes from and for which parameters it holds. How that is known, by algebra or at random states, depends
/// on the length of the expressions.
fn kind(quantity: &Value) -> String {
    let symmetry = quantity["symmetry"]["kind"].as_str().unwrap_or("none");
    format!("{symmetry}, general: {}", quantity["general"])
}

fn assert_same(models: &[(String, Source)], bounds: SearchBounds) {
    let mut differences = Vec::new();
    for (name, source) in models {
        let as_it_stands = findings(source, bounds);
        for (relation, transform) in TRANSFORMS {
            let Some(rewritten) = transform(source) else { continue };
            for ((key, old), (_, new)) in as_it_stands.iter().zip(findings(&rewritten.source, bounds)) {
                if *old != new {
                    differences.push(format!("{name}, {relation}: {key} was {old} and is {new}"));
                }
            }
        }
    }
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn what_is_found_about_the_gallery_does_not_depend_on_how_it_is_written() {
    assert_same(&gallery_models(), SearchBounds { candidates: 60, degree: 3 });
}

#[test]
fn what_is_found_about_random_models_does_not_depend_on_how_they_are_written() {
    assert_same(&random_models(), SearchBounds { candidates: 40, degree: 3 });
}
