//! Forces where they act: on points by virtual work, and friction by Rayleigh's function, against the same stated by hand.

use extremal_engine::compare::{Against, compare};
use extremal_engine::run::Lattice;
use extremal_engine::{CompiledRun, Method, Model, Overrides, Settings};
use extremal_testkit::models::{model, statements};
use extremal_testkit::numbers::distance;
use extremal_testkit::runs::{Lasting, gallery, record, reference, with};

/// The state at the end of a run.
fn end(text: &str, method: &str, step: f64, until: f64) -> Vec<f64> {
    let model = model(text);
    let run = record(&model, &with(&model, method, step).until(until));
    run.recorder.last().expect("rows").to_vec()
}

/// Q_j = Σ f_i·∂r_i/∂q_j [AD 7.7]: DOP853 on the generalised forces typed by hand has these digits.
#[test]
fn a_force_acts_on_the_last_of_two_links() {
    let model = gallery("driven-double-pendulum");
    let run = record(&model, &reference(&model, 0.5).until(2.0));
    assert!((run.last("th1") - -0.0144278828).abs() < 5e-11, "{}", run.last("th1"));
    assert!((run.last("th2") - -0.1392656770).abs() < 5e-11, "{}", run.last("th2"));
    let methods: Vec<Method> = ["midpoint", "galerkin(2)"].map(|name| name.parse().unwrap()).to_vec();
    let settings = Settings::of(&model).until(2.0);
    let rows = compare(&model, &settings, &methods, &[0.02, 0.01], Against::Dop853, 0..u64::MAX).unwrap();
    for (row, order) in [(&rows[1], 2.0), (&rows[3], 4.0)] {
        assert!(row.orders.iter().all(|(_, measured)| (measured.unwrap() - order).abs() < 0.1), "{row:?}");
    }
}

/// A slider on an arm, with forces by points and by coordinates: those that follow from both are these.
#[test]
fn points_and_coordinates_may_both_have_forces() {
    let stated = "
        parameters.a = 0.7
        coordinates.r = 1.2
        coordinates.phi = 0.4
        definitions.x = \"r*cos(phi) + a*t\"
        definitions.y = \"r*sin(phi)\"
        dynamics.lagrangian = \"(r'^2 + r^2*phi'^2)/2 - r^2/2\"
    ";
    let by_points = format!(
        "{stated}
        forces.x = \"-y*x'/3\"
        forces.y = \"cos(2*t)\"
        forces.r = \"-phi'\"
    "
    );
    let by_hand = format!(
        "{stated}
        forces.r = \"-y*x'/3*cos(phi) + cos(2*t)*sin(phi) - phi'\"
        forces.phi = \"y*x'/3*r*sin(phi) + cos(2*t)*r*cos(phi)\"
    "
    );
    for method in ["midpoint", "trapezoidal", "galerkin(2)", "rk4"] {
        let (a, b) = (end(&by_points, method, 0.05, 3.0), end(&by_hand, method, 0.05, 3.0));
        assert!(distance(&a, &b) < 1e-12, "{method}: {a:?} {b:?}");
    }
}

/// A chain of springs, with forces on a family of definitions and the same by hand.
fn chain(definition: &str, forces: &str) -> String {
    format!(
        "
        parameters.n = 60
        coordinates.q = {{ count = \"n\", start = \"sin(3*i/n)\", velocity = \"i/n\" }}
        definitions.point = {{ count = \"n\", index = \"k\", value = \"{definition}\" }}
        dynamics.lagrangian = \"sum(i, 1, n, q[i]'^2/2) - sum(i, 2, n, (q[i] - q[i - 1])^2/2)\"
        {forces}
        simulation.method = \"trapezoidal\"
        simulation.step = 0.05
    "
    )
}

/// The state after forty steps.
fn after_forty_steps(run: &CompiledRun) -> Vec<f64> {
    let mut motion = run.begin().unwrap();
    (0..40).for_each(|_| motion.advance().unwrap());
    motion.state().to_vec()
}

#[test]
fn a_family_of_definitions_has_forces() {
    let settings = |model: &Model| Settings::of(model).steps(40);
    let unrolled = |text: &str| {
        let model = model(text);
        after_forty_steps(&CompiledRun::new(&model, &settings(&model)).unwrap())
    };
    let cases = [
        ("sin(q[k])", "cos(q[i])*(cos(t) - point[i]^3)"),
        ("q[k] - if(k > 1, q[k - 1], 0)", "cos(t) - point[i]^3 - if(i < n, cos(t) - if(i < n, point[i + 1], 0)^3, 0)"),
    ];
    for (definition, by_hand) in cases {
        let by_points = chain(definition, "forces.point = \"cos(t) - point[k]^3\"");
        let by_hand = chain(definition, &format!("forces.q = \"{by_hand}\""));
        let (a, b) = (unrolled(&by_points), unrolled(&by_hand));
        assert!(distance(&a, &b) < 1e-12, "{definition}: {}", distance(&a, &b));
        // Only the first says the same of every member.
        let by_members = Lattice::read(&by_points, &Overrides::default(), settings).expect("it starts");
        assert_eq!(by_members.is_some(), definition == "sin(q[k])");
        if let Some((few, lattice)) = by_members {
            assert_eq!(after_forty_steps(&CompiledRun::of_lattice(&few, &lattice).unwrap()), a, "the same bits");
        }
    }
}

const DASHPOT: &str = "
    parameters.c = 0.4
    coordinates.x = { start = 0.0, velocity = 1.0 }
    coordinates.y = { start = 1.5, velocity = -0.3 }
    entropies.S = 0.1
    entropies.B = 0.2
    definitions.l = \"sqrt((y - x)^2 + 1)\"
";

/// -∂D/∂v of Rayleigh's function D = c l'^2/2 is the same friction as that typed by hand, with the same heat.
#[test]
fn a_dissipation_is_friction() {
    let lagrangian = "x'^2/2 + y'^2 - (l - 1.2)^2/2 - exp(S) - 2*exp(B/2)";
    let rayleigh = format!(
        "{DASHPOT}
        dynamics.lagrangian = \"{lagrangian}\"
        dynamics.dissipation = [
            {{ function = \"c*l'^2/2\", heats = {{ S = 0.75, B = 0.25 }} }},
            {{ function = \"x'^4/40\", heats = \"B\" }},
        ]"
    );
    let by_hand = format!(
        "{DASHPOT}
        dynamics.lagrangian = \"{lagrangian}\"
        friction.x = [
            {{ force = \"-c*(y - x)^2*(x' - y')/l^2\", heats = {{ S = 0.75, B = 0.25 }} }},
            {{ force = \"-x'^3/10\", heats = \"B\" }},
        ]
        friction.y = {{ force = \"-c*(y - x)^2*(y' - x')/l^2\", heats = {{ S = 0.75, B = 0.25 }} }}"
    );
    for method in ["midpoint", "left", "energy-entropy", "gauss(2)"] {
        let (a, b) = (end(&rayleigh, method, 0.02, 4.0), end(&by_hand, method, 0.02, 4.0));
        assert!(distance(&a, &b) < 1e-11, "{method}: {a:?} {b:?}");
    }
    let model = model(&rayleigh);
    let laws = record(&model, &with(&model, "energy-entropy", 0.02).until(4.0)).outcome.laws.unwrap();
    assert!(laws.first.relative < 1e-13 && laws.second.total > 0.01, "{laws:?}");
}

/// The power of a force on a point is work of the first law.
#[test]
fn work_at_a_point_is_audited() {
    let model = model(&format!(
        "{DASHPOT}
        dynamics.lagrangian = \"x'^2/2 + y'^2 - (l - 1.2)^2/2 - exp(S) - 2*exp(B/2)\"
        dynamics.dissipation = {{ function = \"c*l'^2/2\", heats = \"S\" }}
        forces.l = \"cos(t)\""
    ));
    let run = record(&model, &with(&model, "energy-entropy", 0.02).until(4.0));
    let laws = run.outcome.laws.as_ref().unwrap();
    assert!(laws.first.relative < 1e-13, "{laws:?}");
    let (work, energy) = (run.last("work"), run.column("energy"));
    assert!(work.abs() > 0.1 && (energy[energy.len() - 1] - energy[0] - work).abs() < 1e-12, "{work}");
}

/// A control on a point has the gains of its virtual work.
#[test]
fn a_control_acts_on_a_point() {
    let control = |on: &str| {
        model(&format!(
            "
            coordinates.a = 0.0
            coordinates.b = 0.1
            definitions.x = \"2*sin(a) + b\"
            dynamics.lagrangian = \"a'^2/2 + b'^2/2\"
            objective.running = \"u^2 + x^2\"
            boundary.duration = 1
            boundary.end = {{ a = 1, b = 0 }}
            controls.u = {{ on = {{ {on} }} }}"
        ))
    };
    assert_eq!(statements(&control("x = \"3\"")), statements(&control("a = \"6*cos(a)\", b = \"3\"")));
}
