//! Steps, rates and slopes of exported files beside those of a run.

use extremal_engine::CompiledRun;
use extremal_engine::Settings;
use extremal_engine::mechanics::System;
use extremal_engine::mechanics::discrete::PhaseFlow;
use extremal_engine::model::Extent;
use extremal_engine::solve::{GuessSource, Kernel, NewtonOptions};
use extremal_testkit::runs::{gallery, record};

use super::files::{Exported, PrintedNumbers, STEPS, WorkFolder, in_c, in_python, in_rust};

/// How far the end of an exported motion may be from that of a run.
#[derive(Clone, Copy, PartialEq)]
enum Agreement {
    /// The same bits.
    Bits,
    /// The same to round-off of a hundred steps.
    RoundOff,
}

use Agreement::{Bits, RoundOff};

/// Models of every kind, with the method (that of the model where none is said), and how far they agree.
const MODELS: [(&str, &str, Agreement); 26] = [
    // Explicit steps: compositions, references, forces that depend on time, states with exponentials.
    ("henon-heiles", "", Bits),
    ("toda-lattice", "", Bits),
    ("coupled-oscillators", "", Bits),
    ("projectile", "", Bits),
    ("wire-freed", "", Bits),
    ("duffing", "rk4", Bits),
    ("kepler", "trapezoidal", Bits),
    ("caldirola-kanai", "", Bits),
    // A linear oscillator: a run carries differences beside it.
    ("harmonic-oscillator", "", RoundOff),
    // Implicit steps.
    ("pendulum", "", RoundOff),
    ("double-pendulum", "", RoundOff),
    ("swinging-atwood", "", RoundOff),
    ("relativistic-particle", "", RoundOff),
    ("pais-uhlenbeck", "", RoundOff),
    // On momenta that are coordinates, and of a singular Lagrangian.
    ("electron-in-crystal", "", RoundOff),
    ("lotka-volterra", "", RoundOff),
    // Constraints: holonomic, redundant ones, nonholonomic, vakonomic.
    ("four-bar-linkage", "", RoundOff),
    ("chain-pendulum", "", RoundOff),
    ("rolling-disc", "", RoundOff),
    ("nonholonomic-oscillator", "", RoundOff),
    ("skate-on-incline-vakonomic", "", RoundOff),
    // Heat and matter, with energy kept and not.
    ("two-pistons", "", RoundOff),
    ("piston-with-inflow", "", RoundOff),
    // Contact and Poisson systems, states alone.
    ("herglotz-spring", "", RoundOff),
    ("heavy-top", "", RoundOff),
    ("epidemic", "", RoundOff),
];

fn exported((name, method, _): (&'static str, &str, Agreement)) -> Exported {
    let model = gallery(name);
    let mut settings = Settings { extent: Some(Extent::Steps(STEPS)), ..Settings::of(&model) };
    if !method.is_empty() {
        settings.method = method.parse().unwrap();
    }
    Exported { name, model, settings }
}

fn numbers<'p>(printed: &'p PrintedNumbers, of: &Exported, what: &str) -> Option<&'p [f64]> {
    printed.get(&(of.name.to_owned(), what.to_owned())).map(Vec::as_slice)
}

/// Are numbers near each other, relative to the largest of them?
fn assert_near(found: &[f64], expected: &[f64], part: f64, what: &str) {
    let scale = expected.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() <= part * scale, "{what}, {at}: {found:e} and not {expected:e}");
    }
}

/// The rates of a system at a phase state, by the program that adaptive integrators call.
struct ReferenceRates {
    kernel: Kernel,
    explicit: bool,
}

impl ReferenceRates {
    /// `None` where a run takes other constraints than the model states, or stays on a submanifold.
    fn of(of: &Exported) -> Option<ReferenceRates> {
        let run = CompiledRun::new(&of.model, &of.settings).unwrap();
        if !run.constraints().redundant.is_empty() || matches!(of.name, "electron-in-crystal" | "lotka-volterra") {
            return None;
        }
        let system = System::of(&of.model).with_short_kinetic_energy();
        let symbols: Vec<_> = of.model.parameters().iter().map(|p| p.symbol).collect();
        let values: Vec<f64> = of.model.parameters().iter().map(|p| p.value).collect();
        let rates = PhaseFlow::of(&system).rates;
        let mut kernel = Kernel::compile(of.model.graph(), &symbols, &rates, NewtonOptions::default()).unwrap();
        kernel.set_parameters(&values);
        Some(ReferenceRates { explicit: kernel.structure().unknowns == 0, kernel })
    }

    fn at(&mut self, y: &[f64]) -> Vec<f64> {
        let mut rates = vec![0.0; y.len()];
        self.kernel.run(&[y, &[0.0]].concat(), GuessSource::Formula, &mut rates).unwrap();
        rates
    }
}

/// Where the model starts, read from the file, whose table is the only one of numbers.
fn initial(of: &Exported) -> Vec<f64> {
    use extremal_engine::eval::source::Language;
    use extremal_engine::export::{ExportTarget, export};
    let text = export(&of.model, &of.settings, ExportTarget::Source(Language::Python)).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("INITIAL = [")?.strip_suffix(']')).unwrap();
    line.split(", ").map(|word| word.parse().unwrap()).collect()
}

#[test]
fn c_and_rust_go_where_a_run_goes() {
    let models: Vec<Exported> = MODELS.into_iter().map(exported).collect();
    let folder = WorkFolder::new("steps");
    let (c, rust) = (in_c(&models, &folder), in_rust(&models, &folder));
    for (of, (.., agreement)) in models.iter().zip(MODELS) {
        let name = of.name;
        let run = CompiledRun::new(&of.model, &of.settings).unwrap();
        let mut motion = run.begin().unwrap();
        let started = numbers(&c, of, "start").unwrap();
        let carried = motion.state().len();
        let same = |a: &[f64], b: &[f64]| a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits()));
        assert!(same(&started[..carried], motion.state()), "{name}: start {started:?} and not {:?}", motion.state());
        for _ in 0..STEPS {
            motion.advance().unwrap();
        }
        let end = &numbers(&c, of, "end").unwrap()[..carried];
        match agreement {
            Bits => assert!(same(end, motion.state()), "{name}: {end:?} and not {:?}", motion.state()),
            RoundOff => assert_near(end, motion.state(), 1e-12, name),
        }
        let energy = record(&of.model, &of.settings).last("energy");
        // A contact system keeps another quantity, and states alone have no energy.
        let other = ["herglotz-spring", "epidemic"].contains(&name);
        if let Some(invariants) = numbers(&c, of, "invariants").filter(|_| !other) {
            assert_near(&invariants[..1], &[energy], 1e-11, &format!("energy of {name}"));
        }
    }
    // Both languages do the same to the last bit, also where they solve equations.
    for (key, of_c) in &c {
        let (c_bits, rust_bits) = (of_c.iter().map(|x| x.to_bits()), rust[key].iter().map(|x| x.to_bits()));
        assert!(c_bits.eq(rust_bits), "{key:?}: {of_c:?} in C, {:?} in Rust", rust[key]);
    }
    assert_eq!(c.len(), rust.len());
    rates_and_slopes(&models, &c);
}

/// Rates have the bits of the program that adaptive integrators call, where nothing is solved; slopes are differences of them: second
/// order in a step of 1e-5 of the size, with the round-off of rates by that.
fn rates_and_slopes(models: &[Exported], c: &PrintedNumbers) {
    let mut compared = 0;
    for of in models {
        let Some(mut reference) = ReferenceRates::of(of) else { continue };
        let (y, name) = (initial(of), of.name);
        let (found, expected) = (numbers(c, of, "rates").unwrap(), reference.at(&y));
        match reference.explicit {
            true => assert_eq!(found, expected, "{name}"),
            false => assert_near(found, &expected, 1e-13, name),
        }
        let slopes = numbers(c, of, "jacobian").unwrap();
        let n = y.len();
        let mut differences = vec![0.0; n * n];
        for j in 0..n {
            let step = 1e-5 * (1.0 + y[j].abs());
            let mut moved = |by: f64| {
                let mut there = y.clone();
                there[j] += by;
                reference.at(&there)
            };
            let (above, below) = (moved(step), moved(-step));
            for i in 0..n {
                differences[i * n + j] = (above[i] - below[i]) / (2.0 * step);
            }
        }
        assert_near(slopes, &differences, 1e-7, &format!("slopes of {name}"));
        compared += 1;
    }
    assert!(compared >= 20, "only {compared}");
}

#[test]
fn python_goes_where_c_goes() {
    let chosen = ["henon-heiles", "duffing", "pendulum", "four-bar-linkage", "rolling-disc", "two-pistons", "epidemic"];
    let models: Vec<Exported> = MODELS.into_iter().filter(|(name, ..)| chosen.contains(name)).map(exported).collect();
    let folder = WorkFolder::new("python");
    let Some(python) = in_python(&models, &folder) else { return };
    let c = in_c(&models, &folder);
    assert_eq!(python.len(), c.len());
    for (key, of_c) in &c {
        // Products are rounded before they are added, once more than in C, in each of a hundred steps.
        assert_near(&python[key], of_c, 1e-12, &format!("{key:?}"));
    }
}

/// By hand: M = (m1 + m2) l1², m2 l1 l2 cos(a - b), m2 l2².
#[test]
fn the_mass_matrix_is_that_of_the_textbook() {
    let models = [exported(("double-pendulum", "", RoundOff))];
    let folder = WorkFolder::new("mass");
    let c = in_c(&models, &folder);
    let value = |name: &str| models[0].model.parameters().iter().find(|p| p.name == name).unwrap().value;
    let [m1, m2, l1, l2] = ["m1", "m2", "l1", "l2"].map(value);
    let y = initial(&models[0]);
    let coupled = m2 * l1 * l2 * (y[0] - y[1]).cos();
    let expected = [(m1 + m2) * l1 * l1, coupled, coupled, m2 * l2 * l2];
    assert_near(numbers(&c, &models[0], "mass_matrix").unwrap(), &expected, 1e-15, "mass matrix");
}
