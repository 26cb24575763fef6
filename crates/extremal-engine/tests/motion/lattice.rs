//! Chains of many like members: the same bits as unrolled, at a cost per member that does not depend on their number.

use extremal_engine::eval::Backend;
use extremal_engine::run::{End, Lattice, Outcome, Warning};
use extremal_engine::{CompiledRun, Method, Model, Overrides, Recorder, Settings};
use extremal_testkit::runs::{Lasting, gallery_text, go_on};

fn fermi_pasta_ulam() -> &'static str {
    gallery_text("fermi-pasta-ulam")
}

pub(super) fn settings(method: &str, count: u64) -> impl Fn(&Model) -> Settings {
    let method: Method = method.parse().expect("a method");
    move |model| Settings { method: method.clone(), ..Settings::of(model).steps(count) }
}

/// The run of a model with so many members, which are alike.
pub(super) fn lattice_run(text: &str, n: usize, settings: impl Fn(&Model) -> Settings) -> CompiledRun {
    let read = Lattice::read(text, &Overrides::default().set("n", n), settings).expect("it starts");
    let (few, lattice) = read.expect("members are alike");
    CompiledRun::of_lattice(&few, &lattice).expect("it runs")
}

/// The motion of a lattice and that of the unrolled model must be the same numbers, step for step.
fn assert_same_bits(text: &str, n: usize, method: &str) {
    let overrides = Overrides::default().set("n", n);
    let settings = settings(method, 50);
    let model = Model::load(text, &overrides).expect("the model is right");
    let whole = CompiledRun::new(&model, &settings(&model)).expect("it runs");
    let run = lattice_run(text, n, &settings);
    assert_eq!(run.columns(), whole.columns());
    let energy = 2 * model.coordinates().len();
    let (mut a, mut b) = (whole.begin().expect("a start"), run.begin().expect("a start"));
    for step in 0..=50 {
        let names = model.coordinates().iter().map(|c| &c.name).cycle();
        for ((name, a), b) in names.zip(a.state()).zip(b.state()) {
            assert_eq!(a.to_bits(), b.to_bits(), "{method}, n = {n}, step {step}: {name} or its momentum, {a} or {b}");
        }
        let (seen, seen_by_rows) = (a.observe().expect("finite").to_vec(), b.observe().expect("finite").to_vec());
        assert_eq!(seen[..energy], seen_by_rows[..energy]);
        // The energy is added up in another order.
        let tolerance = f64::EPSILON * n as f64 * seen[energy].abs().max(1.0);
        assert!((seen[energy] - seen_by_rows[energy]).abs() <= tolerance, "{} {}", seen[energy], seen_by_rows[energy]);
        assert_eq!(b.observe_outputs().expect("there is one").expect("finite"), &seen_by_rows[energy..]);
        a.advance().expect("a step");
        b.advance().expect("a step");
    }
}

#[test]
fn the_same_bits_as_unrolled() {
    for method in ["trapezoidal", "left", "right", "compose(yoshida4)", "rk4"] {
        for n in [40, 41, 100, 173] {
            assert_same_bits(fermi_pasta_ulam(), n, method);
        }
    }
}

/// Pendulums on a line, coupled by springs and braked: a force, a function, a parameter that depends on their number.
const PENDULUMS: &str = r#"
parameters = { n = 50, k = "n/10", g = 2.0, gamma = 0.1 }
coordinates.theta = { count = "n", index = "j", start = "3*exp(-(j - n/2)^2/20)", velocity = "j/n" }
dynamics.lagrangian = "sum(i, 1, n, theta[i]'^2/2 + g*cos(theta[i])) - k/2*sum(i, 2, n, (theta[i] - theta[i - 1])^2)"
forces.theta = "-gamma*theta[j]'"
simulation = { method = "left", step = 0.02, until = 1.0 }
"#;

/// Two families that know each other, and members two apart: an exponential, a root, a condition.
const LADDER: &str = r#"
parameters = { n = 60, m = 3.0, b = 0.7 }
coordinates.x = { count = "n", start = "sin(i)/4" }
coordinates.y = { count = "n", start = "0.0", velocity = "cos(2*i)/2" }
definitions.stretch = { count = "n", value = "x[i] - y[i]" }
dynamics.lagrangian = """
m*sum(i, 1, n, x[i]'^2 + 2*y[i]'^2)/2
- sum(i, 1, n - 2, exp(-b*(x[i + 2] - x[i])) + b*(x[i + 2] - x[i]))
- sum(i, 1, n - 1, sqrt(1 + (y[i + 1] - y[i])^2))
- sum(i, 1, n, if(stretch[i] > 0, stretch[i]^2, stretch[i]^2/2))
- x[1]^2/2 - y[n]^4
"""
simulation = { method = "trapezoidal", step = 0.05, until = 1.0 }
"#;

/// A chain closed to a ring, with a second family and members two apart.
const RING: &str = r#"
parameters = { n = 50, alpha = 0.25 }
coordinates.q = { count = "n", start = "sin(2*pi*i/n)", velocity = "-cos(2*pi*i/n)/n" }
coordinates.r = { count = "n", start = "cos(i)/9" }
dynamics.lagrangian = """
sum(i, 1, n, (q[i]'^2 + r[i]'^2)/2 - (q[i] - r[i])^2/2)
- sum(i, 1, n - 1, (q[i + 1] - q[i])^2/2 + alpha*(q[i + 1] - q[i])^3/3)
- (q[1] - q[n])^2/2 - alpha*(q[1] - q[n])^3/3
- sum(i, 1, n - 2, (r[i + 2] - r[i])^4)/4 - (r[1] - r[n - 1])^4/4 - (r[2] - r[n])^4/4
"""
simulation = { method = "trapezoidal", step = 0.05, until = 1.0 }
"#;

#[test]
fn rings_too() {
    for n in [40, 77] {
        for method in ["trapezoidal", "left", "right", "compose(yoshida4)"] {
            assert_same_bits(RING, n, method);
        }
    }
}

#[test]
fn other_chains_too() {
    for n in [64, 131] {
        for method in ["trapezoidal", "left", "right"] {
            assert_same_bits(PENDULUMS, n, method);
            assert_same_bits(LADDER, n, method);
        }
    }
}

#[test]
fn every_backend_has_the_same_bits() {
    let state_on = |text: &str, backend: Backend| {
        let with = |model: &Model| Settings { backend: Some(backend), ..Settings::of(model) };
        let run = lattice_run(text, 1203, with);
        let mut motion = run.begin().expect("a start");
        motion.advance_many(20).expect("steps");
        let mut numbers = motion.state().to_vec();
        numbers.extend_from_slice(motion.observe().expect("finite"));
        numbers.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    };
    for text in [fermi_pasta_ulam(), PENDULUMS, LADDER] {
        let tape = state_on(text, Backend::Tape);
        assert!(Backend::EMITTED.into_iter().all(|backend| tape == state_on(text, backend)));
    }
}

/// The pendulums pushed in turn, by a force that the time is part of.
fn driven() -> String {
    PENDULUMS.replace("-gamma*theta[j]'", "-gamma*theta[j]' + cos(3*t)/5")
}

/// Chains of all kinds with methods of one step and of many.
pub(super) fn chains() -> [(String, &'static str); 7] {
    [
        (fermi_pasta_ulam().to_owned(), "trapezoidal"),
        (fermi_pasta_ulam().to_owned(), "compose(kahan-li8)"),
        (LADDER.to_owned(), "trapezoidal"),
        (LADDER.to_owned(), "compose(yoshida4)"),
        (RING.to_owned(), "compose(yoshida4)"),
        (PENDULUMS.to_owned(), "rk4"),
        (driven(), "left"),
    ]
}

#[test]
fn many_steps_at_once_have_the_bits_of_one_after_the_other() {
    for (text, method) in chains() {
        for n in [60, 1203] {
            let run = lattice_run(&text, n, settings(method, 50));
            let (mut one, mut many) = (run.begin().expect("a start"), run.begin().expect("a start"));
            for portion in [1, 19, 2, 16, 5] {
                (0..portion).for_each(|_| one.advance().expect("a step"));
                many.advance_many(portion).expect("steps");
                assert_eq!((one.steps(), one.time()), (many.steps(), many.time()));
                let same = one.state().iter().zip(many.state()).all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(same, "{method}, n = {n}, after {} steps", one.steps());
            }
            // A step of the last portion undone, and a shorter one in its place.
            one.retake(0.01).expect("a step");
            many.retake(0.01).expect("a step");
            assert_eq!((one.time(), one.state()), (many.time(), many.state()));
        }
    }
}

#[test]
fn what_is_seen_on_the_way_is_what_is_there() {
    for (text, method) in chains() {
        for n in [60, 1203] {
            let run = lattice_run(&text, n, settings(method, 50));
            let (mut one, mut many) = (run.begin().expect("a start"), run.begin().expect("a start"));
            let mut seen = Vec::new();
            for most in [1, 2, 40, 7] {
                let taken = many.advance_seen(most, &mut seen);
                assert!((1..=most).contains(&taken), "{method}, n = {n}: {taken}");
                assert_eq!(seen.len(), 2 * taken as usize);
                for seen in seen.chunks_exact(2) {
                    one.advance().expect("a step");
                    let energy = one.observe_outputs().expect("there is one").expect("finite")[0];
                    assert_eq!([one.time(), energy].map(f64::to_bits), [seen[0], seen[1]].map(f64::to_bits));
                }
                assert_eq!((one.steps(), one.time()), (many.steps(), many.time()));
                assert_eq!(one.state(), many.state());
            }
            one.retake(0.01).expect("a step");
            many.retake(0.01).expect("a step");
            assert_eq!((one.time(), one.state()), (many.time(), many.state()));
        }
    }
}

#[test]
fn many_steps_at_once_fail_where_one_does() {
    for method in ["trapezoidal", "compose(yoshida4)"] {
        let with = |model: &Model| Settings { step: Some(4.0), ..settings(method, 1000)(model) };
        let run = lattice_run(fermi_pasta_ulam(), 700, with);
        let (mut one, mut many) = (run.begin().expect("a start"), run.begin().expect("a start"));
        let alone = (0..1000).find_map(|_| one.advance().err()).expect("steps too long for the springs");
        let together = many.advance_many(1000).expect_err("steps too long for the springs");
        assert_eq!(alone.to_string(), together.to_string());
        assert_eq!((alone.step, alone.time, &alone.state), (together.step, together.time, &together.state));
        assert_eq!((one.steps(), one.state()), (many.steps(), many.state()));
    }
}

#[test]
fn what_differs_from_member_to_member_is_unrolled() {
    let many = Overrides::default().set("n", 500);
    let is_lattice = |text: &str, overrides: &Overrides, method: &str| {
        Lattice::read(text, overrides, settings(method, 1)).expect("it starts").is_some()
    };
    let chain = fermi_pasta_ulam();
    assert!(is_lattice(chain, &many, "trapezoidal"));
    assert!(!is_lattice(chain, &Overrides::default(), "trapezoidal"), "32 masses are few");
    for implicit in ["midpoint", "galerkin(2)", "dop853"] {
        assert!(!is_lattice(chain, &many, implicit), "{implicit}");
    }
    let edits = [
        ("sum(i, 1, n, q[i]'^2/2)", "sum(i, 1, n, (1 + i)*q[i]'^2/2)"),
        ("sum(i, 1, n, q[i]'^2/2)", "sum(i, 1, n, q[i]'^2/2) - q[n/2]^2"),
        ("sum(i, 1, n, q[i]'^2/2)", "sum(i, 1, n, q[i]'^2/2) - sum(i, 1, n, q[i])^2"),
        ("sum(i, 1, n, q[i]'^2/2)", "sum(i, 1, n, q[i]'^2/2 - sum(j, 1, n, q[i]*q[j]))"),
        ("step = 0.05", "step = \"1/n\""),
        ("[simulation]", "[invariants]\nfirst = \"q[1]\"\n[simulation]"),
        ("velocity = 0.0 }", "velocity = 0.0 }\nz = 1.0"),
    ];
    for (from, to) in edits {
        let edited = chain.replace(from, to);
        assert_ne!(edited, chain);
        assert!(!is_lattice(&edited, &many, "trapezoidal"), "{to}");
    }
}

fn run_of(n: usize, steps: u64, h: f64, files_only: bool) -> (Outcome, Recorder) {
    let with = |model: &Model| Settings { step: Some(h), ..settings("trapezoidal", steps)(model) };
    let run = lattice_run(fermi_pasta_ulam(), n, with);
    let mut recorder = Recorder::new(run.columns().clone());
    if files_only {
        recorder = recorder.for_files_only();
    }
    (run.execute(&mut recorder, go_on).expect("nothing is written"), recorder)
}

#[test]
fn glances_say_what_whole_rows_say() {
    let (whole, glanced) = (run_of(300, 40, 0.05, false), run_of(300, 40, 0.05, true));
    assert_eq!(whole.0.end, End::Reached);
    assert_eq!(whole.0.steps, glanced.0.steps);
    assert_eq!(whole.1.last(), glanced.1.last());
    assert_eq!(whole.1.rows(), glanced.1.rows());
    assert_eq!(whole.1.drifts().collect::<Vec<_>>(), glanced.1.drifts().collect::<Vec<_>>());
}

#[test]
fn the_first_mode_of_a_long_chain_keeps_its_energy() {
    let n = 50_000;
    let (outcome, recorder) = run_of(n, 200, 0.05, true);
    assert_eq!(outcome.end, End::Reached);
    let (_, energy) = recorder.drifts().next().expect("an energy");
    // The springs of the first mode hold (n + 1) sin²(pi/(2(n + 1))), by the sum of cos² over them; their cubic parts cancel.
    let springs = n as f64 + 1.0;
    let expected = springs * (std::f64::consts::PI / (2.0 * springs)).sin().powi(2);
    let first = energy.first().expect("a first row");
    assert!((first / expected - 1.0).abs() < 1e-9, "{first} instead of {expected}");
    // Frequencies of the mode times the step are 3e-6: the method's own error is far below round-off.
    assert!(energy.relative().expect("not zero") < 1e-9, "{:?}", energy.relative());
}

#[test]
fn a_motion_that_blows_up_ends_as_it_does_unrolled() {
    let (outcome, _) = run_of(100, 1000, 4.0, true);
    let model = Model::load(fermi_pasta_ulam(), &Overrides::default().set("n", 100)).expect("the model is right");
    let with = Settings { step: Some(4.0), ..settings("trapezoidal", 1000)(&model) };
    let run = CompiledRun::new(&model, &with).expect("it runs");
    let mut unrolled = run.begin().expect("it starts");
    let failure = loop {
        if let Err(failure) = unrolled.advance().and_then(|()| unrolled.observe().map(drop)) {
            break failure;
        }
    };
    assert_eq!((outcome.end, outcome.steps), (End::Failed(failure), unrolled.steps()));
    assert!(outcome.warnings.iter().any(|warning| matches!(warning, Warning::Energy { .. })), "{:?}", outcome.warnings);
    // Where every member has a name, the watch knows sooner that springs of third order break.
    let watched = run.execute(&mut Recorder::new(run.columns().clone()), go_on).expect("nothing is written");
    assert!(matches!(watched.end, End::Failed(_)) && watched.steps <= outcome.steps);
}

#[test]
fn no_more_is_derived_for_many_members() {
    let structure = |n: usize| {
        let read = Lattice::read(fermi_pasta_ulam(), &Overrides::default().set("n", n), Settings::of);
        let (few, lattice) = read.expect("it starts").expect("members are alike");
        (few.coordinates().len(), few.graph().len(), lattice.structure().operations, lattice.structure().loops)
    };
    assert_eq!(structure(100), structure(10_000));
}
