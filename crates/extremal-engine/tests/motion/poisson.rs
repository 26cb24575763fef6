//! Poisson systems: x' = B(x) dH, against elliptic functions and equations typed by hand.

use extremal_testkit::marches::followed_to;
use extremal_testkit::models::model;
use extremal_testkit::numbers::{OrderCase, assert_orders, distance};
use extremal_testkit::runs::{Lasting, RecordedRun, gallery, record, reference, refusal, with};

/// The largest change of a column over a run, relative to its first value.
fn drift(run: &RecordedRun, name: &str) -> f64 {
    let column = run.column(name);
    column.iter().map(|value| (value - column[0]).abs()).fold(0.0, f64::max) / column[0].abs()
}

/// dn, sn, cn of Jacobi (by Landen's transformation, in Python) at t = 10 with the momenta 1, 1/2, 1/5 and inertias 1, 2, 3.
#[test]
fn the_free_rigid_body_moves_by_elliptic_functions() {
    let body = gallery("rigid-body-momenta");
    let run = record(&body, &reference(&body, 0.5).until(10.0));
    let reached = ["x", "y", "z"].map(|name| run.last(name));
    assert!(distance(&reached, &[1.0154158935669326, 0.3545733384882049, 0.3649771372634135]) < 2e-12, "{reached:?}");
}

const CASES: &[OrderCase<'_>] = &[
    ("midpoint", 2.0, 0.05, &[64, 128, 256]),
    ("energy-entropy", 2.0, 0.05, &[64, 128, 256]),
    ("energy-entropy(2)", 4.0, 0.1, &[32, 64, 128]),
    ("energy-entropy(3)", 6.0, 0.3, &[16, 24, 32]),
    ("compose(suzuki4, midpoint)", 4.0, 0.1, &[32, 64, 128]),
    ("compose(suzuki4, energy-entropy)", 4.0, 0.1, &[32, 64, 128]),
    ("euler", 1.0, 0.1, &[2000, 4000, 8000]),
    ("rk2", 2.0, 0.1, &[256, 512, 1024]),
    ("rk4", 4.0, 0.1, &[128, 256, 512]),
    ("gauss(3)", 6.0, 0.3, &[16, 24, 32]),
];

/// On three species with quadratic brackets, against their equations typed by hand.
#[test]
fn orders_are_measured_on_quadratic_brackets() {
    let species = gallery("lotka-volterra-three");
    let truth = followed_to(&[1.0, 1.9, 0.5], 4.0, |_, y, dy| {
        dy.copy_from_slice(&[y[0] * (y[1] - y[2]), y[1] * (y[2] - y[0]), y[2] * (y[0] - y[1])]);
    });
    assert_orders("three species", CASES, 4.0, 1e-12, |method, n| {
        let run = record(&species, &with(&species, method, 4.0 / n as f64).steps(n));
        vec![distance(&["x", "y", "z"].map(|name| run.last(name)), &truth)]
    });
}

/// Every Runge-Kutta method keeps linear invariants, collocation at Gauss points quadratic ones, and energy-preserving collocation the
/// Hamiltonian: round-off of two thousand steps. What is not promised is off by far more.
#[test]
fn what_a_method_promises_is_kept_to_round_off() {
    const ROUND_OFF: f64 = 1e-12;
    let (body, top, species) = (gallery("rigid-body-momenta"), gallery("heavy-top"), gallery("lotka-volterra-three"));
    let run = |model, method: &str| record(model, &with(model, method, 0.05).steps(2000));
    for method in ["midpoint", "gauss(2)", "compose(suzuki4, midpoint)"] {
        let [of_body, of_top, of_species] = [&body, &top, &species].map(|model| run(model, method));
        // Quadratic: energy and Casimir of the body, both Casimirs of the top; linear: the sum of the species.
        let kept = [
            (&of_body, "energy"),
            (&of_body, "casimir"),
            (&of_top, "length"),
            (&of_top, "vertical"),
            (&of_species, "energy"),
        ];
        for (run, name) in kept {
            assert!(drift(run, name) < ROUND_OFF, "{method}: {name} {:e}", drift(run, name));
        }
        // Cubic.
        assert!(drift(&of_species, "product") > 100.0 * ROUND_OFF, "{method}: {:e}", drift(&of_species, "product"));
    }
    for method in ["energy-entropy", "energy-entropy(2)", "compose(suzuki4, energy-entropy)"] {
        for model in [&body, &top, &species] {
            assert!(drift(&run(model, method), "energy") < ROUND_OFF, "{method}");
        }
    }
    assert!(drift(&run(&body, "rk4"), "energy") > 100.0 * ROUND_OFF);
}

/// A quartic Hamiltonian on so(3)*: midpoint is off, energy-preserving collocation is not.
#[test]
fn a_hamiltonian_that_is_not_quadratic_is_kept_by_collocation_of_its_mean_gradient() {
    let quartic = model(
        "poisson.hamiltonian = \"x^4/4 + y^2 + z^2/3 + x*y*z\"
        poisson.variables = { x = 1.0, y = 0.5, z = 0.2 }
        poisson.brackets = { \"x,y\" = \"-z\", \"y,z\" = \"-x\", \"z,x\" = \"-y\" }
        simulation.step = 0.05
        simulation.until = 20",
    );
    let off = |method: &str| drift(&record(&quartic, &with(&quartic, method, 0.05)), "energy");
    assert!(off("energy-entropy") < 1e-12, "{:e}", off("energy-entropy"));
    assert!(off("midpoint") > 1e-6, "{:e}", off("midpoint"));
}

#[test]
fn methods_that_need_positions_are_refused_with_others() {
    let body = gallery("rigid-body-momenta");
    for method in ["trapezoidal", "left", "galerkin(2)", "compose(suzuki4, trapezoidal)", "hermite"] {
        let said = refusal(&body, &with(&body, method, 0.1));
        assert!(said.contains("is not defined for"), "{method}: {said}");
    }
    let said = refusal(&body, &with(&body, "trapezoidal", 0.1));
    assert!(said.contains("for a Poisson system: use `midpoint`"), "{said}");
}

/// A Hamiltonian with explicit time is followed, and its energy is not called conserved.
#[test]
fn a_hamiltonian_may_depend_on_time() {
    use extremal_engine::run::EnergyLaw;
    let driven = model(
        "poisson.hamiltonian = \"(p^2 + q^2)/2 - q*cos(2*t)\"
        poisson.variables = { q = 0.5, p = 0.0 }
        poisson.brackets = { \"q,p\" = 1 }
        simulation.step = 0.1
        simulation.until = 3",
    );
    assert_eq!(EnergyLaw::of(&driven), EnergyLaw::Changes("the Hamiltonian depends on time".to_owned()));
    let run = record(&driven, &reference(&driven, 0.1));
    // q'' + q = cos(2 t) from 1/2: q = (5/2 cos t - cos 2t)/3.
    assert!((run.last("q") - (2.5 * 3.0f64.cos() - 6.0f64.cos()) / 3.0).abs() < 1e-11, "{}", run.last("q"));
}
