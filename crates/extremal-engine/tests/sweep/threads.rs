//! SweepRows do not depend on threads, nor on how members are cut.

use extremal_engine::Settings;
use extremal_engine::model::Extent;
use extremal_engine::sweep::{CompiledSweep, Record, Summary};

use extremal_testkit::runs::{Lasting, gallery};
use extremal_testkit::sweeps::{assert_same, random};

fn settings(model: &extremal_engine::Model, until: f64) -> Settings {
    Settings::of(model).until(until)
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let model = gallery("double-pendulum");
    for record in [Record::End, Record::Extremes, Record::All { every: 7 }] {
        let variation = random(&["θ1=-3:3", "θ2'=normal(0, 2)", "m2=0.5:2"], 203, 5);
        let sweep = CompiledSweep::new(&model, &settings(&model, 1.0), variation, record).unwrap();
        let (rows, summary) = sweep.collect(1);
        assert_eq!(summary.members(), 203);
        for threads in [2, 3, 7] {
            let (others, other_summary) = sweep.collect(threads);
            assert_same(&rows, &others, sweep.fields(), record.name());
            assert_eq!(summary, other_summary);
        }
    }
}

#[test]
fn any_cut_into_groups_gives_the_same_bits() {
    let model = gallery("projectile");
    let make = || {
        let variation = random(&["vy0=5:20", "c=0:0.5"], 97, 1);
        CompiledSweep::new(&model, &settings(&model, 3.0), variation, Record::Events).unwrap()
    };
    let (rows, _) = make().collect(2);
    for members in [1, 2, 5, 64, 96, 1000] {
        let sweep = make().with_groups_of(members);
        assert_same(&rows, &sweep.collect(2).0, sweep.fields(), &format!("groups of {members}"));
    }
}

#[test]
fn a_member_does_not_depend_on_those_beside_it() {
    let model = gallery("double-pendulum");
    let of = |samples| {
        let variation = random(&["θ1=-3:3"], samples, 9);
        CompiledSweep::new(&model, &settings(&model, 1.0), variation, Record::End).unwrap()
    };
    let many = of(50);
    let many_rows = many.collect(1).0;
    // As many lanes as fit so many members.
    for count in [1, 2, 3, 4, 5, 8, 9, 17] {
        for threads in [1, 2] {
            let few = of(count).collect(threads).0;
            for at in 0..many.fields().number_names().len() {
                assert_eq!(many_rows.numbers(at)[..count as usize], *few.numbers(at), "{count} on {threads}");
            }
        }
    }
}

#[test]
fn any_number_of_lanes_gives_the_same_bits() {
    // Fast and slow members side by side: the steps of the fast ones often do not work out at once.
    let cases = [
        ("double-pendulum", &["θ1=-3:3", "θ1'=-20:20", "m2=0.5:2"][..], Record::End),
        ("double-pendulum", &["θ1=-3:3", "θ2'=normal(0, 8)"], Record::All { every: 40 }),
        ("kepler", &["eccentricity=-0.9:0.9"], Record::End),
        ("cart-with-friction", &["v0=-1:1"], Record::End),
        ("double-pendulum", &["θ1=-3:3", "θ1'=-20:20", "m2=0.5:2"], Record::Extremes),
        ("kepler", &["eccentricity=-0.9:0.9"], Record::Extremes),
        ("cart-with-friction", &["v0=-1:1"], Record::Extremes),
        ("pendulum-rod", &["phi0=-3:3", "w0=-20:20"], Record::End),
        ("pendulum-rod", &["phi0=-3:3", "w0=-20:20"], Record::Extremes),
        ("double-pendulum-rods", &["phi1=-3:3", "phi2=-3:3", "m2=0.1:2"], Record::All { every: 40 }),
        ("double-pendulum-rods", &["phi1=-3:3", "l2=0.5:1.5"], Record::End),
    ];
    for (name, axes, record) in cases {
        let model = gallery(name);
        let given = Settings { method: "midpoint".parse().unwrap(), step: Some(0.05), ..settings(&model, 9.02) };
        let make = |lanes| CompiledSweep::new(&model, &given, random(axes, 70, 2), record).unwrap().with_lanes(lanes);
        let alone = make(1);
        let (rows, summary) = alone.collect(1);
        for lanes in [4, 8, 16, 64] {
            let sweep = make(lanes);
            #[cfg(target_arch = "x86_64")]
            let there_are_so_many = lanes == 64 || is_x86_feature_detected!("avx512dq");
            #[cfg(not(target_arch = "x86_64"))]
            let there_are_so_many = lanes == 64 || lanes == 4 && cfg!(target_arch = "aarch64");
            if there_are_so_many {
                assert_eq!(sweep.lanes(), lanes, "{name} has a step of one piece");
            }
            let (others, other_summary) = sweep.collect(2);
            assert_same(&rows, &others, sweep.fields(), &format!("{name}, {lanes} lanes"));
            assert_eq!((summary.finished, summary.failed), (other_summary.finished, other_summary.failed));
        }
    }
}

/// Of as many steps each, members begin and end together, in columns. Some cannot begin, some steps do not work out side by side, some are
/// too long for what happens in them.
#[test]
fn members_that_begin_and_end_together_have_the_rows_of_those_alone() {
    let cases = [
        ("double-pendulum", "midpoint", &["θ1=-3:3", "θ1'=-20:20", "m2=0.5:2"][..], 0.05),
        ("double-pendulum", "midpoint", &["θ1=-3:3", "θ2=-3:3"], 0.01),
        ("double-pendulum", "trapezoidal", &["θ1=-3:3", "m2=0.5:2"], 0.01),
        ("double-pendulum", "gauss(2)", &["θ1=-3:3"], 0.02),
        ("kepler", "galerkin(2)", &["eccentricity=-0.9:0.9"], 0.02),
        ("kepler", "gauss(2)", &["eccentricity=-0.5:1.1"], 0.02),
        ("kepler", "galerkin(2)", &["eccentricity=0.2:0.9"], 0.05),
        ("kepler", "trapezoidal", &["eccentricity=-0.9:1.1"], 0.02),
        ("henon-heiles", "compose(kahan-li8, trapezoidal)", &["x'=-0.3:0.3"], 0.1),
        ("harmonic-oscillator", "midpoint", &["x=0.5:1.5", "k=0.1:3"], 0.1),
        ("pendulum-rod", "trapezoidal", &["phi0=-3:3", "w0=-20:20"], 0.02),
        ("pendulum-rod", "midpoint", &["phi0=-3:3", "l=-0.2:2"], 0.02),
        ("double-pendulum-rods", "trapezoidal", &["phi1=-3:3", "l2=0.5:1.5"], 0.01),
    ];
    for (name, method, axes, h) in cases {
        let model = gallery(name);
        let given = Settings {
            method: method.parse().unwrap(),
            step: Some(h),
            extent: Some(Extent::Steps(120)),
            ..Settings::of(&model)
        };
        for record in [Record::End, Record::Extremes] {
            let make =
                |lanes| CompiledSweep::new(&model, &given, random(axes, 70, 3), record).unwrap().with_lanes(lanes);
            let alone = make(1);
            let (rows, summary) = alone.collect(2);
            for lanes in [4, 8, 16] {
                let sweep = make(lanes);
                let (others, other_summary) = sweep.collect(1);
                assert_same(&rows, &others, sweep.fields(), &format!("{name} by {method}, {lanes} lanes"));
                let counts = |of: &Summary| [of.finished, of.stopped, of.failed, of.warned];
                assert_eq!(counts(&summary), counts(&other_summary), "{name} by {method}");
            }
        }
    }
}
