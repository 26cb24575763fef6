//! The single runs of the table: what runs, and the loop by hand beside it.

use std::cell::OnceCell;

use extremal_engine::mechanics::System;
use extremal_engine::mechanics::discrete::{Options, scheme};
use extremal_engine::model::Extent;
use extremal_engine::run::Lattice;
use extremal_engine::{CompiledRun, Model, Overrides, Settings, gallery};
use extremal_floors::watched::WatchedMotion;
use extremal_floors::{double_pendulum, fermi_pasta_ulam, henon_heiles, kepler, n_body, rods, solar_system, thermal};

use crate::n_body::ClusterStart;
use crate::orbits::OuterPlanets;

pub const KEPLER: &str = r#"
[coordinates]
x = { start = 0.4, velocity = 0.0 }
y = { start = 0.0, velocity = 2.0 }

[dynamics]
lagrangian = "(x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)"

[simulation]
method = "trapezoidal"
step = 0.01
until = 1.0
"#;

/// One in a bath of constant temperature, begun with two positions, without the closed forms that the gallery compares it with.
const OSCILLATOR: &str = r#"
[parameters]
gamma = 0.1

[coordinates]
q = { start = 0.0, velocity = 1.0, second = 1e-4 }

[entropies]
S = { start = 0.0 }

[dynamics]
lagrangian = "q'^2/2 - q^2/2 - gamma*S"

[friction]
q = "-gamma*q'"

[simulation]
method = "midpoint"
entropy = "left"
start = "two-points"
step = 1e-4
until = 1.0
"#;

/// A run of so many steps, prepared as the program does; and what its motion is compared with.
type Prepared = Box<dyn Fn(usize) -> CompiledRun>;
type Floor = Box<dyn Fn(usize) -> WatchedMotion>;

/// A row of the table.
pub struct SeenRow {
    pub work: String,
    pub run: Prepared,
    /// None where the loop beside it is the engine's own, that nobody looks at.
    pub floor: Option<Floor>,
    /// Over so many steps both must agree, to this.
    pub compared: (usize, f64),
    pub steps: usize,
    pub goal: f64,
}

fn of_gallery(name: &str) -> &'static str {
    gallery::text(name).expect("it is in the gallery")
}

/// A model of a text, and of the step and method of a run of it. It is read when it is wanted.
fn prepared(text: &'static str, overrides: Overrides, step: f64, method: &str) -> Prepared {
    let read = OnceCell::new();
    let method = method.parse().expect("a method");
    Box::new(move |steps| {
        let load = || Model::load(text, &overrides).unwrap_or_else(|e| panic!("{}", e.render("a model", false)));
        let model: &Model = read.get_or_init(load);
        let settings = Settings {
            step: Some(step),
            extent: Some(Extent::Steps(steps as u64)),
            method: Clone::clone(&method),
            ..Settings::of(model)
        };
        CompiledRun::new(model, &settings).expect("it runs")
    })
}

/// Of so many like members, as the program prepares it: not unrolled where that can be.
fn of_members(name: &'static str, members: usize, step: f64) -> Prepared {
    Box::new(move |steps| {
        let settings = |model: &Model| Settings {
            step: Some(step),
            extent: Some(Extent::Steps(steps as u64)),
            ..Settings::of(model)
        };
        let overrides = Overrides::default().set("n", members);
        match Lattice::read(of_gallery(name), &overrides, settings).expect("the gallery is right") {
            Some((few, lattice)) => CompiledRun::of_lattice(&few, &lattice).expect("the gallery runs"),
            None => {
                let model = crate::load(name, &overrides);
                CompiledRun::new(&model, &settings(&model)).expect("the gallery runs")
            }
        }
    })
}

fn orbit(method: &str, floor: fn(f64, f64, usize) -> WatchedMotion, steps: usize, goal: f64) -> SeenRow {
    let name = if method == "trapezoidal" { "Störmer–Verlet" } else { method };
    SeenRow {
        work: format!("Kepler, e = 0.6, {name}"),
        run: prepared(KEPLER, Overrides::default(), 0.01, method),
        floor: Some(Box::new(move |steps| floor(0.01, 0.6, steps))),
        compared: (1000, 1e-8),
        steps,
        goal,
    }
}

fn cubic_oscillator(method: &str, fractions: Vec<f64>, steps: usize, goal: f64) -> SeenRow {
    SeenRow {
        work: format!("Hénon–Heiles, {method}"),
        run: prepared(of_gallery("henon-heiles"), Overrides::default(), 0.01, method),
        floor: Some(Box::new(move |steps| henon_heiles::watched(0.01, &fractions, steps))),
        compared: (1000, 1e-9),
        steps,
        goal,
    }
}

fn lattice_of_springs(masses: u32, steps: usize) -> SeenRow {
    const H: f64 = 0.05;
    let start: Vec<f64> =
        (1..=masses).map(|i| (std::f64::consts::PI * f64::from(i) / f64::from(masses + 1)).sin()).collect();
    SeenRow {
        work: format!("Fermi–Pasta–Ulam, {masses} masses, Störmer–Verlet"),
        run: of_members("fermi-pasta-ulam", masses as usize, H),
        floor: Some(Box::new(move |steps| fermi_pasta_ulam::watched(H, 0.25, &start, steps))),
        compared: (20, 1e-9),
        steps,
        goal: 1.5,
    }
}

fn cluster(bodies: usize, steps: usize) -> SeenRow {
    const H: f64 = 0.01;
    SeenRow {
        work: format!("{bodies} bodies in pairs, Störmer–Verlet"),
        run: of_members("softened-cluster", bodies, H),
        floor: Some(Box::new(move |steps| {
            let ClusterStart { masses, softening, positions, velocities } = ClusterStart::of(bodies);
            n_body::watched(H, &n_body::Cluster { masses: &masses, softening }, [&positions, &velocities], steps)
        })),
        compared: (20, 1e-10),
        steps,
        goal: 2.0,
    }
}

fn chain_of_rods(count: u32, steps: usize) -> SeenRow {
    const H: f64 = 0.001;
    let angles: Vec<f64> = (0..count).map(|i| 1.0 - f64::from(i) / f64::from(2 * count)).collect();
    SeenRow {
        work: format!("chain of {count} rods, Störmer–Verlet with RATTLE"),
        run: prepared(of_gallery("chain-of-rods"), Overrides::default().set("n", count), H, "trapezoidal"),
        floor: Some(Box::new(move |steps| rods::watched(H, &angles, steps))),
        compared: (50, 1e-9),
        steps,
        goal: 3.0,
    }
}

fn chain(links: u32, steps: usize) -> SeenRow {
    SeenRow {
        work: format!("chain of {links} pendulums, midpoint; beside the engine"),
        run: prepared(of_gallery("chain-pendulum"), Overrides::default().set("n", links), 0.001, "midpoint"),
        floor: None,
        compared: (100, 1e-9),
        steps,
        goal: 1.3,
    }
}

pub fn rows() -> Vec<SeenRow> {
    let kahan_li = {
        let model = crate::model("henon-heiles");
        let scheme = scheme(&System::of(&model), &Settings::of(&model).method, Options::default(), None);
        scheme.expect("the gallery runs").substeps
    };
    let OuterPlanets { start, step } = OuterPlanets::read();
    vec![
        SeenRow {
            work: "double pendulum, midpoint".to_owned(),
            run: prepared(crate::double_pendulum::IN_ANGLES, Overrides::default(), 0.01, "midpoint"),
            floor: Some(Box::new(|steps| double_pendulum::watched(0.01, [2.0, 1.0], steps))),
            compared: (300, 1e-9),
            steps: 200_000,
            goal: 1.3,
        },
        orbit("galerkin(2)", kepler::watched, 50_000, 1.5),
        orbit("trapezoidal", kepler::watched_by_verlet, 500_000, 2.0),
        cubic_oscillator("trapezoidal", vec![1.0], 1_000_000, 2.0),
        cubic_oscillator("compose(kahan-li8, trapezoidal)", kahan_li, 200_000, 1.2),
        SeenRow {
            work: "damped oscillator that heats its bath, midpoint".to_owned(),
            run: prepared(OSCILLATOR, Overrides::default(), 1e-4, "midpoint"),
            floor: Some(Box::new(|steps| thermal::oscillator_watched(1e-4, 0.1, [0.0, 1e-4], steps))),
            compared: (10_000, 1e-7),
            steps: 1_000_000,
            goal: 4.0,
        },
        SeenRow {
            work: "outer solar system, gauss(8), h = 400 days".to_owned(),
            run: prepared(OuterPlanets::TEXT, Overrides::default(), step, "gauss(8)"),
            floor: Some(Box::new(move |steps| solar_system::watched(step, start, steps))),
            compared: (100, 1e-9),
            steps: 20_000,
            goal: 2.0,
        },
        chain(16, 20_000),
        chain(64, 3000),
        chain(256, 100),
        chain_of_rods(4, 20_000),
        chain_of_rods(32, 2_000),
        chain_of_rods(256, 200),
        cluster(10, 20_000),
        cluster(50, 4_000),
        cluster(200, 400),
        cluster(300, 200),
        lattice_of_springs(1_000, 20_000),
        lattice_of_springs(100_000, 300),
        lattice_of_springs(1_000_000, 60),
    ]
}
