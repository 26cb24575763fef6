//! What cannot be swept is refused by name; what cannot be marched is a row.

use extremal_engine::Settings;
use extremal_engine::sweep::{CompiledSweep, Record, SweepError, Variation, VariationError};
use extremal_testkit::models::{CIRCLE_BY_ANGLE, model};
use extremal_testkit::runs::{Lasting, gallery, with};
use extremal_testkit::sweeps::{SweepRows, grid, random};

fn refused(name: &str, variation: Variation, record: Record) -> SweepError {
    let model = gallery(name);
    match CompiledSweep::new(&model, &Settings::of(&model), variation, record) {
        Err(error) => error,
        Ok(_) => panic!("{name} was accepted"),
    }
}

#[test]
fn a_variation_that_does_not_fit_is_refused_by_name() {
    let of = |variation| match refused("chain-pendulum", variation, Record::End) {
        SweepError::Variation(error) => error,
        other => panic!("{other}"),
    };
    assert_eq!(of(Variation::default()), VariationError::Nothing);
    assert_eq!(of(grid(&["g=1:2:3", "g=4"])), VariationError::Twice { name: "g".into() });
    let both = Variation { samples: 3, ..grid(&["g=1,2"]) };
    assert_eq!(of(both), VariationError::NothingRandom);
    assert_eq!(of(random(&["g=1:2"], 0, 0)), VariationError::NoSamples);
    assert_eq!(of(grid(&["n=1,2"])), VariationError::Structural { name: "n".into() });
    assert_eq!(of(grid(&["g=1:2:4000000000", "l=1:2:4000000000"])), VariationError::TooMany);
    let unknown = of(grid(&["ll=1,2"]));
    assert_eq!(
        unknown.to_string(),
        "the model has no parameter, coordinate, entropy or state `ll` to vary; did you mean `l`?"
    );
    assert_eq!(refused("kepler", grid(&["mu=1,2"]), Record::Events), SweepError::NoEvents);
    let long = Settings::of(&gallery("kepler")).steps(100_000_000);
    let model = gallery("kepler");
    let error = CompiledSweep::new(&model, &long, grid(&["mu=1,2"]), Record::All { every: 1 }).err().unwrap();
    assert_eq!(error, SweepError::TooManyRows { rows: 100_000_002 });
}

#[test]
fn a_member_that_cannot_go_on_is_a_row() {
    // At eccentricity -1 the body starts at rest and falls into the centre.
    let model = gallery("kepler");
    let settings = with(&model, "midpoint", 0.3).until(30.0);
    let rows = SweepRows::of(&model, &settings, grid(&["eccentricity=0.1,-1,0.2"]), Record::End);
    assert_eq!(rows.statuses(), [Some("finished"), Some("failed"), Some("finished")]);
    assert!(rows.reasons()[1].unwrap().contains("singularity"), "{:?}", rows.reasons());
    let t = rows.column("t");
    assert!(t[0] == 30.0 && t[2] == 30.0 && t[1] > 0.0 && t[1] < 30.0, "{t:?}");
    let (member, reason) = rows.summary.first_failure.clone().unwrap();
    assert_eq!((rows.summary.failed, member, Some(reason.as_str())), (1, 1, rows.reasons()[1]));
}

#[test]
fn a_member_that_cannot_start_is_a_row() {
    let text = r#"
parameters = { a = 1.0, b = "1/a" }
coordinates.y = { start = 1.0, domain = "y > 0" }
dynamics.lagrangian = "y'^2/2 - b*log(y)"
simulation = { step = 0.01, until = 0.1 }
"#;
    let model = model(text);
    let rows = SweepRows::of(&model, &Settings::of(&model), grid(&["a=0,1", "y=-1,1"]), Record::End);
    let failed = Some("failed");
    assert_eq!(rows.statuses(), [failed, failed, failed, Some("finished")]);
    assert_eq!(rows.reasons()[1], Some("the parameter `b` is not finite"));
    assert!(rows.reasons()[2].is_some());
    assert_eq!((rows.column("t")[2], rows.column("y")[2]), (0.0, -1.0), "the row says where it should have started");
    assert!(rows.column("energy")[2].is_nan());
}

#[test]
fn a_member_that_leaves_its_domain_says_so() {
    let text = r#"
coordinates.y = { start = 1.0, domain = "y > 0" }
dynamics.lagrangian = "y'^2/2 - 10*y"
simulation = { step = 0.01, until = 1 }
"#;
    let model = model(text);
    let rows = SweepRows::of(&model, &Settings::of(&model), grid(&["y=1,10"]), Record::End);
    // Free fall from 1 reaches 0 at t = sqrt(1/5) = 0.447: the last state inside is that of step 44.
    assert_eq!((rows.statuses()[0], rows.column("t")[0]), (Some("failed"), 0.44));
    assert!(rows.reasons()[0].unwrap().contains("leaves its domain"), "{:?}", rows.reasons());
    assert_eq!(rows.statuses()[1], Some("finished"));
}

/// `run` goes on with `up` where `circle` and `across` become dependent, at θ = π; a sweep does not, and says so.
#[test]
fn a_member_whose_run_would_take_other_constraints_says_so() {
    let model = model(CIRCLE_BY_ANGLE);
    let rows = SweepRows::of(&model, &Settings::of(&model).until(2.0), grid(&["theta'=2"]), Record::End);
    let reason = rows.reasons()[0].unwrap();
    assert!(reason.contains("`up` was left out") && reason.contains("`run` does so"), "{reason}");
    // (π − 1)/2 = 1.0708.
    assert_eq!(rows.column("t"), [1.07]);
}
