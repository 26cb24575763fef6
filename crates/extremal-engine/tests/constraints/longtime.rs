//! Energy of nonholonomic motions over many steps: bounded, of second order, without slope.

use extremal_engine::{CompiledRun, Model, Settings};

use extremal_testkit::models::model;
use extremal_testkit::runs::{gallery, with};

const STEPS: usize = 100_000;

/// The worst energy error in each tenth of a long run.
fn tenths(model: &Model, settings: &Settings) -> [f64; 10] {
    let run = CompiledRun::new(model, settings).unwrap();
    let energy = run.columns().index_of("energy").unwrap();
    let first = run.stated_energy();
    let mut motion = run.begin().unwrap();
    let velocities = model.coordinates().len();
    // An observation has no time and no positions in front.
    let at = energy - 1 - velocities;
    let mut worst = [0.0f64; 10];
    for step in 0..STEPS {
        motion.advance().unwrap();
        let now = motion.observe().unwrap()[at];
        let tenth = &mut worst[step * 10 / STEPS];
        *tenth = tenth.max((now - first).abs());
    }
    worst
}

/// The disc with a weight that pulls along x (on an incline): without it, the method keeps the energy to round-off.
fn disc(weight: f64) -> Model {
    model(&format!(
        r#"
        coordinates.x = {{ start = 0.0, velocity = 1.5 }}
        coordinates.y = 0.0
        coordinates.theta = {{ start = 0.0, velocity = 1.5 }}
        coordinates.phi = {{ start = 0.0, velocity = 0.7 }}
        dynamics.lagrangian = "(x'^2 + y'^2)/2 + theta'^2/4 + phi'^2/8 + {weight}*x"
        constraints = {{ roll_x = "x' = cos(phi)*theta'", roll_y = "y' = sin(phi)*theta'" }}
        simulation.steps = 1
        "#
    ))
}

#[test]
fn energy_of_the_free_disc_is_round_off() {
    let worst = tenths(&disc(0.0), &with(&disc(0.0), "midpoint", 0.05));
    // Ten roundings of an energy of 1.75 per step, all of one sign at worst: 1e5 · 10 · 2.2e-16 · 1.75.
    assert!(worst.iter().all(|w| *w < 4e-10), "{worst:?}");
}

#[test]
fn energy_of_disc_and_sleigh_is_bounded_and_of_second_order() {
    let sleigh = gallery("chaplygin-sleigh");
    for (name, model) in [("disc", disc(0.5)), ("sleigh", sleigh)] {
        let [coarse, fine] = [0.05, 0.025].map(|h| tenths(&model, &with(&model, "midpoint", h)));
        println!("{name}: {coarse:?} {fine:?}");
        // Bounded without slope: the last tenth is not worse than the first, up to the round-off of 1e5 steps. (The sleigh
        // settles at an offset, once it goes straight.)
        for worst in [coarse, fine] {
            assert!(worst[9] <= 1.001 * worst[0] + 1e-10, "{name}: {worst:?}");
            assert!(worst[0] < 0.01, "{name}: {worst:?}");
        }
        let ratio = coarse[0] / fine[0];
        assert!((ratio - 4.0).abs() < 0.1, "{name}: {ratio}");
    }
}
