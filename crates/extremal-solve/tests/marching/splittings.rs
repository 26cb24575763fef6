//! Compositions of a method and its adjoint, and those of high order, where they are explicit: orders, evaluations of forces, refusals.

use extremal_expr::Graph;
use extremal_mechanics::System;
use extremal_mechanics::discrete::{Options, SchemeError, scheme};
use extremal_testkit::marches::{damped_double_pendulum, double_pendulum, followed_to, positions};
use extremal_testkit::numbers::{OrderCase, assert_orders, distance};

const Q0: [f64; 2] = [0.3, 0.1];
const V0: [f64; 2] = [0.2, 0.3];
const END: f64 = 4.0;

/// Hénon–Heiles pushed by a force that changes with time.
fn pushed<'g>(g: &'g Graph) -> System<'g> {
    let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
    let potential = (x.powi(2) + y.powi(2)) / 2 + x.powi(2) * y - y.powi(3) / 3;
    let mut system = System::new(g, &["x", "y"], (vx.powi(2) + vy.powi(2)) / 2 - potential);
    system.force = vec![g.int(0), (system.t * 3).sin() / 10];
    system
}

/// (method, order, tolerance of the slope, step counts).
const CASES: &[OrderCase<'_>] = &[
    ("blanes-moan4", 4.0, 0.1, &[16, 20, 24, 32, 40]),
    ("blanes-moan6", 6.0, 0.1, &[12, 16, 20, 24, 32]),
    ("blanes-moan6-nystrom", 6.0, 0.2, &[12, 16, 20, 24, 28]),
    ("kahan-li8", 8.0, 0.2, &[10, 12, 16, 20, 24]),
    // Its error falls faster at first, and is round-off before that ends.
    ("sofroniou-spaletta10", 10.0, 0.9, &[9, 10, 11, 12, 13]),
];

#[test]
fn orders_of_explicit_splittings() {
    let g = Graph::new();
    let system = pushed(&g);
    let truth = followed_to(&[Q0[0], Q0[1], V0[0], V0[1]], END, |t, z, dz| {
        let [x, y, vx, vy] = [z[0], z[1], z[2], z[3]];
        dz.copy_from_slice(&[vx, vy, -x - 2.0 * x * y, -y - x * x + y * y + (3.0 * t).sin() / 10.0]);
    });
    // DOP853 at 1e-15 and the round-off of a few hundred kicks.
    assert_orders("Hénon-Heiles", CASES, END, 1e-13, |method, n| {
        vec![distance(&positions(&system, method, &Q0, &V0, END / n as f64, n), &truth[..2])]
    });
}

/// What meets adds up: as many evaluations of forces as there are kicks. Each has a product x y of positions of its own.
#[test]
fn kicks_that_meet_are_one() {
    for (method, kicks) in [("blanes-moan4", 6), ("blanes-moan6", 10), ("blanes-moan6-nystrom", 14)] {
        let g = Graph::new();
        let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
        let system = System::new(&g, &["x", "y"], (vx.powi(2) + vy.powi(2)) / 2 - (x * y).cos());
        let scheme = scheme(&system, &method.parse().unwrap(), Options::default(), None).unwrap();
        let step = scheme.step.eliminated(&g);
        assert!(step.solves.is_empty());
        let sines = g
            .reachable(&step.outputs)
            .into_iter()
            .filter(|id| matches!(g.expr(*id).node(), extremal_expr::Node::Call(extremal_expr::Function::Sin, _)));
        assert_eq!(sines.count(), kicks, "{method}");
    }
}

#[test]
fn a_composition_for_forces_by_positions_is_refused_elsewhere() {
    let g = Graph::new();
    let friction = {
        let mut system = pushed(&g);
        system.force[0] = -system.v[0] / 10;
        system
    };
    for system in [double_pendulum(&g), damped_double_pendulum(&g), friction] {
        let refused = |method: &str| scheme(&system, &method.parse().unwrap(), Options::default(), None).err();
        assert!(matches!(refused("blanes-moan6-nystrom"), Some(SchemeError::NotNystrom(_))));
        assert!(refused("blanes-moan6").is_none());
    }
}
