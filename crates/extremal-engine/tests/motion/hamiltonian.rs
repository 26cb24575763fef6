//! Systems stated by their Hamiltonians, against closed forms and Hamilton's equations typed by hand.

use extremal_engine::derive::{Form, derive};
use extremal_engine::printed::EquationSide;
use extremal_engine::run::RestartableMotion;
use extremal_engine::{Model, Settings};
use extremal_testkit::marches::followed_to;
use extremal_testkit::models::model;
use extremal_testkit::numbers::{OrderCase, assert_orders};
use extremal_testkit::runs::{Lasting, attempt, record, reference, refusal, with};

/// Neither separable nor quadratic in the momenta.
fn coupled() -> Model {
    model(
        r#"
        coordinates.x = { start = 0.3, momentum = 0.5 }
        coordinates.y = { start = 0.2, momentum = -0.4 }
        dynamics.hamiltonian = "cosh(p_x)*(1 + x^2/4) + p_y^2/2*(1 + p_x^2/3) + p_x*y/5 + x^2/2 + y^2/2 + x*y^2/3"
        "#,
    )
}

/// (x, y, p_x, p_y) at the end, by hand.
fn coupled_by_hand(end: f64) -> Vec<f64> {
    followed_to(&[0.3, 0.2, 0.5, -0.4], end, |_, z, dz| {
        let [x, y, p, r] = [z[0], z[1], z[2], z[3]];
        dz[0] = p.sinh() * (1.0 + x * x / 4.0) + r * r * p / 3.0 + y / 5.0;
        dz[1] = r * (1.0 + p * p / 3.0);
        dz[2] = -(p.cosh() * x / 2.0 + x + y * y / 3.0);
        dz[3] = -(p / 5.0 + y + 2.0 * x * y / 3.0);
    })
}

#[test]
fn methods_have_their_order_on_a_phase_space() {
    let (model, exact) = (coupled(), coupled_by_hand(2.0));
    let cases: [OrderCase<'_>; 15] = [
        ("left", 1.0, 0.1, &[200, 400, 800]),
        ("right", 1.0, 0.1, &[200, 400, 800]),
        ("theta(0.3)", 1.0, 0.1, &[200, 400, 800]),
        ("midpoint", 2.0, 0.1, &[50, 100, 200]),
        ("trapezoidal", 2.0, 0.1, &[50, 100, 200]),
        ("galerkin(2)", 4.0, 0.1, &[20, 40, 80]),
        ("galerkin(2, lobatto(2))", 2.0, 0.1, &[50, 100, 200]),
        ("galerkin(2, lobatto(3))", 4.0, 0.1, &[20, 40, 80]),
        ("galerkin(3, lobatto(3))", 4.0, 0.1, &[20, 40, 80]),
        ("galerkin(3, lobatto(4))", 6.0, 0.3, &[8, 16, 32]),
        ("galerkin(3)", 6.0, 0.3, &[8, 16, 32]),
        ("compose(suzuki4, trapezoidal)", 4.0, 0.2, &[20, 40, 80]),
        ("compose(yoshida4, midpoint)", 4.0, 0.2, &[50, 100, 200]),
        ("rk4", 4.0, 0.2, &[50, 100, 200]),
        ("gauss(2)", 4.0, 0.1, &[20, 40, 80]),
    ];
    assert_orders("coupled", &cases, 2.0, 1e-12, |method, steps| {
        let run = record(&model, &with(&model, method, 2.0 / steps as f64).steps(steps));
        let off =
            |names: [&str; 2], at: usize| (run.last(names[0]) - exact[at]).hypot(run.last(names[1]) - exact[at + 1]);
        vec![off(["x", "y"], 0), off(["p_x", "p_y"], 2)]
    });
    let run = record(&model, &reference(&model, 0.5).until(2.0));
    for (name, exact) in ["x", "y", "p_x", "p_y"].into_iter().zip(&exact) {
        assert!((run.last(name) - exact).abs() < 1e-12, "{name}: {} and {exact}", run.last(name));
    }
}

/// The energy of a symplectic method goes up and down; in a longer run it goes no further.
#[test]
fn energies_do_not_drift_on_a_phase_space() {
    let relativistic = model(
        r#"
        coordinates.x = { start = 1.0, momentum = 0.5 }
        dynamics.hamiltonian = "2*sqrt(p_x^2 + 4) + x^4/4"
        "#,
    );
    for (model, method, end) in [
        (&relativistic, "trapezoidal", 1e4),
        (&relativistic, "left", 1e4),
        (&coupled(), "trapezoidal", 1e3),
        (&coupled(), "galerkin(2, lobatto(3))", 1e3),
    ] {
        let spread = |end: f64| {
            let run = attempt(model, &with(model, method, 0.1).until(end));
            run.recorder.drifts().next().unwrap().1.max_drift()
        };
        let (early, late) = (spread(end / 20.0), spread(end));
        assert!(late < 1.1 * early, "{method}: {early:e}, then {late:e}");
    }
    // What is not symplectic does.
    let drifting = |end: f64| {
        let run = attempt(&relativistic, &with(&relativistic, "rk4", 0.2).until(end));
        run.recorder.drifts().next().unwrap().1.max_drift()
    };
    assert!(drifting(2e3) > 5.0 * drifting(1e2));
}

/// m c²/F (√(1 + (F t/(m c))²) − 1): the momentum grows evenly, and the velocity towards c.
#[test]
fn a_relativistic_particle_follows_its_closed_form() {
    let model = model(
        r#"
        parameters = { m = 2, c = 3, F = 1.5 }
        coordinates.x = 0
        dynamics.hamiltonian = "c*sqrt(p_x^2 + (m*c)^2) - F*x"
        "#,
    );
    let run = record(&model, &reference(&model, 1.0).until(8.0));
    let exact = 12.0 * ((1.0f64 + 4.0).sqrt() - 1.0);
    assert!((run.last("x") - exact).abs() < 1e-12 * exact, "{} and {exact}", run.last("x"));
    // Störmer–Verlet turns the momentum exactly under a constant force.
    let run = record(&model, &with(&model, "trapezoidal", 0.5).until(8.0));
    assert!((run.last("p_x") - 12.0).abs() < 1e-13);
    assert!((run.last("x") - exact).abs() < 1e-2);
}

#[test]
fn a_quadratic_hamiltonian_has_the_motion_of_its_lagrangian() {
    let stated = model(
        r#"
        parameters = { m = 2, B = 0.7 }
        coordinates.x = { start = 1, momentum = 0.3 }
        coordinates.y = { start = 0, momentum = 0.8 }
        definitions.speed = "((p_x + B*y/2)^2 + (p_y - B*x/2)^2)/m^2"
        dynamics.hamiltonian = "m*speed/2 + x^4/4 + y^2/2 + x*y/3"
        forces.x = "-p_x*speed/9"
        invariants.twice = "2*p_y + speed"
        "#,
    );
    assert_eq!(stated.momentum_coordinates(), 0);
    let by_hand = followed_to(&[1.0, 0.0, 0.3, 0.8], 3.0, |_, z, dz| {
        let [x, y, px, py] = [z[0], z[1], z[2], z[3]];
        let (u, w) = ((px + 0.35 * y) / 2.0, (py - 0.35 * x) / 2.0);
        (dz[0], dz[1]) = (u, w);
        dz[2] = 0.35 * w - x.powi(3) - y / 3.0 - px * (u * u + w * w) / 9.0;
        dz[3] = -0.35 * u - y - x / 3.0;
    });
    let run = record(&stated, &reference(&stated, 0.5).until(3.0));
    for (name, exact) in ["x", "y", "p_x", "p_y"].into_iter().zip(&by_hand) {
        assert!((run.last(name) - exact).abs() < 1e-12, "{name}: {} and {exact}", run.last(name));
    }
    let (u, w) = ((by_hand[2] + 0.35 * by_hand[1]) / 2.0, (by_hand[3] - 0.35 * by_hand[0]) / 2.0);
    assert!((run.last("twice") - 2.0 * by_hand[3] - u * u - w * w).abs() < 1e-11);
    // At the start of a run the momenta are those that are stated.
    assert!((run.column("p_x")[0] - 0.3).abs() < 1e-15 && (run.column("p_y")[0] - 0.8).abs() < 1e-15);
}

#[test]
fn a_start_may_be_given_by_velocities() {
    let stated = |start: &str| {
        model(&format!(
            r#"
            coordinates.x = {{ start = 1, {start} }}
            coordinates.y = {{ start = 0 }}
            dynamics.hamiltonian = "sqrt(1 + p_x^2 + p_y^2) + x^2/2 + y^2/2 + x*y/4"
            "#
        ))
    };
    // p = v/√(1 − v²).
    let by_velocity =
        record(&stated("velocity = 0.8"), &with(&stated("velocity = 0.8"), "trapezoidal", 0.01).until(1.0));
    let by_momentum = stated("momentum = \"4/3\"");
    let by_momentum = record(&by_momentum, &with(&by_momentum, "trapezoidal", 0.01).until(1.0));
    assert!((by_velocity.column("p_x")[0] - 4.0 / 3.0).abs() < 1e-12);
    assert!((by_momentum.column("x'")[0] - 0.8).abs() < 1e-15);
    for name in ["x", "y", "p_x", "p_y"] {
        assert!((by_velocity.last(name) - by_momentum.last(name)).abs() < 1e-11, "{name}");
    }
}

/// H = −cos p − cos x: the velocity sin p belongs to many momenta, of which the start states one.
#[test]
fn a_momentum_that_its_velocity_does_not_tell() {
    let model = model(
        r#"
        coordinates.x = { start = 0.5, momentum = 2 }
        dynamics.hamiltonian = "-cos(p_x) - cos(x)"
        "#,
    );
    let by_hand = followed_to(&[0.5, 2.0], 6.0, |_, z, dz| (dz[0], dz[1]) = (z[1].sin(), -z[0].sin()));
    let run = record(&model, &reference(&model, 0.5).until(6.0));
    assert!((run.last("x") - by_hand[0]).abs() < 1e-12 && (run.last("p_x") - by_hand[1]).abs() < 1e-12);
    assert_eq!(run.column("p_x")[0], 2.0);
}

/// Friction by momenta warms a gas, with a kinetic energy that is quadratic and with one that is not.
#[test]
fn friction_and_heat_beside_a_hamiltonian() {
    for (kinetic, velocity) in
        [("p_x^2/4", (|p: f64| p / 2.0) as fn(f64) -> f64), ("cosh(p_x/2)", |p| (p / 2.0).sinh() / 2.0)]
    {
        let stated = model(&format!(
            r#"
            coordinates.x = {{ start = 1, momentum = 1.2 }}
            entropies.S = 0.2
            dynamics.hamiltonian = "{kinetic} + exp(S)*x^(-2/3)"
            friction.x = "-p_x/5"
            "#
        ));
        let by_hand = followed_to(&[1.0, 1.2, 0.2], 2.0, |_, z, dz| {
            let (x, p, s) = (z[0], z[1], z[2]);
            let temperature = s.exp() * x.powf(-2.0 / 3.0);
            dz[0] = velocity(p);
            dz[1] = 2.0 / 3.0 * s.exp() * x.powf(-5.0 / 3.0) - p / 5.0;
            dz[2] = p / 5.0 * velocity(p) / temperature;
        });
        let run = record(&stated, &reference(&stated, 0.5).until(2.0));
        for (name, exact) in ["x", "p_x", "S"].into_iter().zip(&by_hand) {
            assert!((run.last(name) - exact).abs() < 1e-12, "{kinetic}, {name}: {} and {exact}", run.last(name));
        }
        // The energy of an isolated system.
        assert!((run.last("energy") - run.column("energy")[0]).abs() < 1e-12);
        let text = derive(&stated, &Settings::of(&stated), &[Form::Hamilton]).unwrap().to_text();
        assert!(text.contains("S' = "), "{text}");
    }
}

/// The same constraint in a stated Hamiltonian of either kind: a relativistic pendulum on a rod, and one that is not.
#[test]
fn constraints_beside_a_hamiltonian() {
    for (hamiltonian, mass) in [("(p_x^2 + p_y^2)/2 + 9*y", None), ("sqrt(p_x^2 + p_y^2 + 16)*4 + 9*y", Some(1.0))] {
        let stated = model(&format!(
            r#"
            coordinates.x = {{ start = 1, momentum = 0 }}
            coordinates.y = {{ start = 0, momentum = 0.5 }}
            dynamics.hamiltonian = "{hamiltonian}"
            constraints.rod = "x^2 + y^2 = 1"
            "#
        ));
        // In the angle from the horizontal: p = m(v) v of unit length, p' = −9 cos, v = p or p/√(1 + p²/16).
        let by_hand = followed_to(&[0.0, 0.5], 1.5, |_, z, dz| {
            dz[0] = mass.map_or(z[1], |mass: f64| z[1] / (mass + z[1] * z[1] / 16.0).sqrt());
            dz[1] = -9.0 * z[0].cos();
        });
        let run = record(&stated, &reference(&stated, 0.5).until(1.5));
        assert!(
            (run.last("x") - by_hand[0].cos()).abs() < 1e-9,
            "{hamiltonian}: {} {}",
            run.last("x"),
            by_hand[0].cos()
        );
        assert!((run.last("y") - by_hand[0].sin()).abs() < 1e-9);
    }
}

#[test]
fn what_a_phase_space_does_not_have_is_refused() {
    let model = coupled();
    for (method, said) in [
        ("energy-entropy", "`energy-entropy` is not defined for a singular Lagrangian"),
        ("galerkin(2, gauss(3))", "as many degrees as the rule has nodes"),
        ("galerkin(2, lobatto(4))", "as many degrees as the rule has nodes"),
        ("hermite", "`hermite` is not defined"),
    ] {
        let refused = refusal(&model, &with(&model, method, 0.1).until(1.0));
        assert!(refused.contains(said), "{method}: {refused}");
    }
}

/// H on the constraint z' = y x' imposed before the variation, where z has a mass too.
#[test]
fn a_vakonomic_hamiltonian_with_a_mass_along_the_constraint() {
    let model = model(
        r#"
        coordinates = { x = { start = 0, velocity = 1 }, y = { start = 0, velocity = 0.3 }, z = 0 }
        dynamics = { lagrangian = "(x'^2 + y'^2 + z'^2)/2" }
        constraints = { c = { equation = "z' = y*x'", kind = "vakonomic" } }
        "#,
    );
    let derivation = derive(&model, &Settings::of(&model), &[Form::Hamilton]).unwrap();
    let g = model.graph();
    let [y, px, py, pz] = ["y", "p_x", "p_y", "p_z"].map(|name| g.symbol(name));
    let typed = (px + y * pz).powi(2) / (y.powi(2) + 1) / 2 + py.powi(2) / 2;
    let equation = derivation.sections[0].equations().next().expect("a Hamiltonian");
    let EquationSide::Expression(printed) = equation.right else { panic!("no formula") };
    assert!(g.proves_zero(printed - typed), "{printed}");
}

/// A parameter that changes on the way leaves positions and momenta as they are.
#[test]
fn parameters_change_on_a_phase_space() {
    let model = model(
        r#"
        parameters.c = 2
        coordinates.x = { start = 0, momentum = 1 }
        dynamics.hamiltonian = "c*sqrt(p_x^2 + c^2)"
        simulation = { method = "trapezoidal", step = 0.5, until = 10 }
        "#,
    );
    let mut motion = RestartableMotion::new(&model, &Settings::of(&model)).unwrap();
    motion.advance(2).unwrap();
    motion.set_parameter("c", 1.0).unwrap();
    motion.advance(2).unwrap();
    // 2/√5 for a second, 1/√2 for another.
    let at = motion.run().columns().index_of("x").unwrap();
    let reached = motion.row()[at];
    assert!((reached - 2.0 / 5.0f64.sqrt() - 0.5f64.sqrt()).abs() < 1e-14, "{reached}");
}

/// The momentum of a rotation, found by the lift of its generator to the momenta.
#[test]
fn symmetries_of_coordinates_move_momenta_too() {
    let model = model(
        r#"
        coordinates.x = { start = 1, momentum = 0.2 }
        coordinates.y = { start = 0, momentum = 0.7 }
        dynamics.hamiltonian = "sqrt(1 + p_x^2 + p_y^2) + (x^2 + y^2)^2/4"
        symmetries.rotation = { x = "-y", y = "x" }
        "#,
    );
    let run = record(&model, &with(&model, "trapezoidal", 0.05).until(20.0));
    let rotation = run.column("rotation");
    // Kept to the round-off of 400 steps.
    assert!((rotation[0] - 0.7).abs() < 1e-15);
    assert!(rotation.iter().all(|value| (value - 0.7).abs() < 400.0 * f64::EPSILON), "{:e}", rotation[399] - 0.7);
}

/// Momenta that have no closed form, beside a state and an amount that the Hamiltonian contains.
#[test]
fn states_and_amounts_move_beside_momenta_that_are_coordinates() {
    // p' = -z and z' = 1 from nothing: p = -t^2/2.
    let pushed = model(
        r#"
        coordinates.x = { start = 0.0, momentum = 0.0 }
        states.z = { start = 0.0, rate = "1" }
        dynamics.hamiltonian = "sqrt(1 + p_x^2) + z*x"
        "#,
    );
    let exact = followed_to(&[0.0], 2.0, |t, _, rate| {
        let p = -t * t / 2.0;
        rate[0] = p / (1.0 + p * p).sqrt();
    });
    let run = record(&pushed, &reference(&pushed, 0.5).until(2.0));
    for (name, exact) in [("x", exact[0]), ("p_x", -2.0), ("z", 2.0)] {
        assert!((run.last(name) - exact).abs() < 1e-11, "{name}: {} and {exact}", run.last(name));
    }
    // x' = x, and z' = x'.
    let growing = model(
        r#"
        coordinates.x = { start = 2.0, momentum = 1.0 }
        states.z = { start = 0.5, rate = "x'" }
        dynamics.hamiltonian = "p_x*x"
        "#,
    );
    let run = record(&growing, &reference(&growing, 0.5).until(1.0));
    let e = 1f64.exp();
    for (name, exact) in [("x", 2.0 * e), ("p_x", 1.0 / e), ("z", 2.0 * e - 1.5)] {
        assert!((run.last(name) - exact).abs() < 1e-11, "{name}: {} and {exact}", run.last(name));
    }
    let open = model(
        r#"
        coordinates.x = { start = 1.0, momentum = 0.0 }
        entropies.S = 1.0
        matter.N = 2.0
        ports.inlet = { into = "N", flow = "3", enthalpy = 5, entropy = 1 }
        dynamics.hamiltonian = "cosh(p_x) + x^2/2 + exp(S) + N^2"
        simulation.method = "dop853"
        "#,
    );
    // T S' = J (h - mu) with T = exp(S) and mu = 2 N.
    let run = record(&open, &reference(&open, 0.1).until(0.3));
    let exact = followed_to(&[1.0], 0.3, |t, s, rate| rate[0] = 3.0 * (5.0 - 2.0 * (2.0 + 3.0 * t)) / s[0].exp());
    for (name, exact) in [("N", 2.9), ("S", exact[0])] {
        assert!((run.last(name) - exact).abs() < 1e-11, "{name}: {} and {exact}", run.last(name));
    }
    let text = derive(&open, &Settings::of(&open), &[Form::Hamilton]).unwrap().to_text();
    assert!(text.contains("N' = 3\n") && text.contains("S' = "), "{text}");
}

/// Where momenta have a closed form, a start by momenta is one by velocities, whatever else the Hamiltonian contains.
#[test]
fn a_start_by_momenta_knows_the_start_of_states() {
    // x' = p z with z = 4: the velocity at the start is 2.
    let model = model(
        r#"
        coordinates.x = { start = 0.0, momentum = 0.5 }
        states.z = { start = 4.0, rate = "0" }
        dynamics.hamiltonian = "z*p_x^2/2"
        "#,
    );
    let run = record(&model, &reference(&model, 0.5).until(1.0));
    for (name, exact) in [("x", 2.0), ("x'", 2.0)] {
        assert!((run.last(name) - exact).abs() < 1e-12, "{name}: {} and {exact}", run.last(name));
    }
}
