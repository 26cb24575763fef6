//! Conserved quantities with their exact coefficients, as they stand in the textbooks.

use extremal::mechanics::analysis::{Proof, Symmetry, Theorem};
use extremal::model::Overrides;
use extremal::{Model, gallery as embedded};

use crate::support::{analysed, assert_equal, assert_found, gallery, model, typed};

#[test]
fn kepler_keeps_its_laplace_vector() {
    let kepler = gallery("kepler");
    assert_found(
        &kepler,
        &[
            ("energy", "m*(x'^2 + y'^2)/2 - m*mu/sqrt(x^2 + y^2)"),
            ("angular momentum", "m*(x*y' - y*x')"),
            ("Laplace-Runge-Lenz x", "y'*(x*y' - y*x') - mu*x/sqrt(x^2 + y^2)"),
            ("Laplace-Runge-Lenz y", "-x'*(x*y' - y*x') - mu*y/sqrt(x^2 + y^2)"),
        ],
    );
    let analysis = analysed(&kepler);
    // Two relations: A is perpendicular to the angular momentum, and |A|² = mu² + 2 E L²/m³; in the plane only the second.
    assert_eq!((analysis.conserved.independent, analysis.conserved.most), (3, 4));
    for quantity in &analysis.conserved.found {
        assert_eq!((quantity.proof, quantity.theorem), (Proof::Symbolic, Some(Theorem::Noether)), "{}", quantity.name);
    }
    let Some(Symmetry::Point { generator, gauge }) = &analysis.conserved.found[1].symmetry else { panic!() };
    assert_eq!(generator[..], [typed(&kepler, "-y"), typed(&kepler, "x")]);
    assert!(gauge.is_zero());
    // δq = ∂A/∂p with p = m v.
    let laplace = analysis.conserved.found.iter().find(|c| c.name == "Laplace-Runge-Lenz x").unwrap();
    let Some(Symmetry::Hidden { generator }) = &laplace.symmetry else { panic!() };
    assert_equal(generator[0], typed(&kepler, "-y*y'/m"));
    assert_equal(generator[1], typed(&kepler, "(2*x*y' - y*x')/m"));
}

#[test]
fn the_spherical_pendulum_keeps_energy_and_vertical_momentum() {
    assert_found(
        &gallery("spherical-pendulum"),
        &[
            ("energy", "m*l^2*(theta'^2 + sin(theta)^2*phi'^2)/2 - m*g*l*cos(theta)"),
            ("momentum of phi", "m*l^2*sin(theta)^2*phi'"),
        ],
    );
}

#[test]
fn three_bodies_keep_the_galilean_group() {
    assert_found(
        &gallery("three-body-figure-eight"),
        &[
            (
                "energy",
                "m*(x1'^2 + y1'^2 + x2'^2 + y2'^2 + x3'^2 + y3'^2)/2 - G*m^2*(1/sqrt((x1 - x2)^2 + (y1 - y2)^2) \
                 + 1/sqrt((x1 - x3)^2 + (y1 - y3)^2) + 1/sqrt((x2 - x3)^2 + (y2 - y3)^2))",
            ),
            ("momentum of x1, x2, x3", "m*(x1' + x2' + x3')"),
            ("momentum of y1, y2, y3", "m*(y1' + y2' + y3')"),
            ("Galilean boost of x1, x2, x3", "m*t*(x1' + x2' + x3') - m*(x1 + x2 + x3)"),
            ("Galilean boost of y1, y2, y3", "m*t*(y1' + y2' + y3') - m*(y1 + y2 + y3)"),
            ("angular momentum", "m*(x1*y1' - y1*x1' + x2*y2' - y2*x2' + x3*y3' - y3*x3')"),
        ],
    );
}

#[test]
fn a_charged_particle_keeps_pseudo_momenta() {
    assert_found(
        &gallery("charged-particle"),
        &[
            ("energy", "m*(x'^2 + y'^2 + z'^2)/2 - e*E*x"),
            ("pseudo-momentum of x", "m*x' - e*B*y - e*E*t"),
            ("momentum of y", "m*y' + e*B*x"),
            ("momentum of z", "m*z'"),
            ("Galilean boost of z", "m*(t*z' - z)"),
        ],
    );
}

#[test]
fn the_rotating_disc_keeps_the_jacobi_integral_and_not_the_energy() {
    let disc = gallery("rotating-disc");
    let jacobi = "m*(r'^2 + r^2*phi'^2)/2 - m*w^2*(a^2 + r^2 + 2*a*r*cos(phi))/2 + k*(r - r0)^2/2";
    assert_found(&disc, &[("Jacobi integral", jacobi)]);
    let analysis = analysed(&disc);
    let total = analysis.structure.as_ref().unwrap().total_energy.unwrap();
    let kinetic = "m*(a^2*w^2 + r^2*(w + phi')^2 + r'^2 + 2*a*r*w*(w + phi')*cos(phi) + 2*a*w*r'*sin(phi))/2";
    assert_equal(total, typed(&disc, &format!("{kinetic} + k*(r - r0)^2/2")));
    assert!(!analysis.total_energy_conserved);
}

#[test]
fn two_pistons_keep_what_their_friction_leaves() {
    let pistons = gallery("two-pistons");
    assert_found(
        &pistons,
        &[("energy", "(x'^2 + y'^2)/2 + exp(S)*(x + y)^(-1/c)"), ("pseudo-momentum", "y' - x' + gamma*(y - x)")],
    );
    let analysis = analysed(&pistons);
    assert_eq!(analysis.conserved.found[0].theorem, Some(Theorem::FirstLaw));
    assert_eq!(analysis.conserved.found[1].theorem, Some(Theorem::ForcedGeneral));
}

#[test]
fn the_damped_oscillator_keeps_the_energy_with_its_heat() {
    assert_found(&gallery("damped-oscillator"), &[("energy", "q'^2/2 + q^2/2 + gamma*S")]);
}

#[test]
fn the_toda_lattice_of_three_keeps_a_cubic_integral() {
    let text = embedded::text("toda-lattice").unwrap();
    let lattice = Model::load(text, &Overrides::default().set("n", 3)).unwrap();
    let [a, b, c] = ["exp(q[1] - q[2])", "exp(q[2] - q[3])", "exp(q[3] - q[1])"];
    // det of the Lax matrix (Hénon, Flaschka): p1 p2 p3 − p1 e^(q2−q3) − p2 e^(q3−q1) − p3 e^(q1−q2).
    assert_found(
        &lattice,
        &[
            ("energy", &format!("(q[1]'^2 + q[2]'^2 + q[3]'^2)/2 + {a} + {b} + {c}")),
            ("momentum", "q[1]' + q[2]' + q[3]'"),
            ("Galilean boost", "t*(q[1]' + q[2]' + q[3]') - q[1] - q[2] - q[3]"),
            ("cubic integral", &format!("q[1]'*q[2]'*q[3]' - q[1]'*{b} - q[2]'*{c} - q[3]'*{a}")),
        ],
    );
}

#[test]
fn henon_heiles_has_a_second_integral_for_one_sign_only() {
    // With a = y + x and b = y − x the potential of the integrable case is (a² + b²)/4 + (a³ + b³)/6; three times the difference of
    // the two energies.
    assert_found(
        &gallery("henon-heiles-integrable"),
        &[
            ("energy", "(x'^2 + y'^2 + x^2 + y^2)/2 + x^2*y + y^3/3"),
            ("quadratic integral", "3*x'*y' + 3*x*y + 3*x*y^2 + x^3"),
        ],
    );
    assert_found(&gallery("henon-heiles"), &[("energy", "(x'^2 + y'^2 + x^2 + y^2)/2 + x^2*y - y^3/3")]);
}

#[test]
fn the_rolling_disc_keeps_turn_and_spin() {
    let disc = gallery("rolling-disc");
    let analysis = analysed(&disc);
    for (name, text) in [
        ("energy", "m*(x'^2 + y'^2)/2 + I*theta'^2/2 + J*phi'^2/2"),
        ("momentum of theta", "I*theta'"),
        ("momentum of phi", "J*phi'"),
    ] {
        let found = analysis.conserved.found.iter().find(|c| c.name == name).unwrap();
        assert_equal(found.expression, typed(&disc, text));
    }
    // The circle on which it rolls: x' = R cos φ θ' is integrated to x − R θ'/φ' sin φ, and so on. Six constants fix the motion.
    assert_eq!((analysis.conserved.independent, analysis.conserved.most), (6, 6));
}

#[test]
fn what_contains_the_time_is_found() {
    let free = model("[coordinates]\nx = { start = 0.2, velocity = 1.0 }\n[dynamics]\nlagrangian = \"x'^2/2\"");
    assert_found(&free, &[("energy", "x'^2/2"), ("momentum of x", "x'"), ("Galilean boost of x", "t*x' - x")]);
    // Seen from a lift: x'' = w, and nothing is left of the energy.
    let lift = "[parameters]\nw = 2.0\n[coordinates]\nx = { start = 0.2, velocity = 1.0 }\n[dynamics]\n\
                lagrangian = \"(x' - w*t)^2/2\"";
    assert_found(&model(lift), &[("momentum of x", "x' - w*t"), ("Galilean boost of x", "t*x' - x - w*t^2/2")]);
}

#[test]
fn quantities_that_need_special_parameters_say_so() {
    // The oscillator is isotropic for a = b only; then the angular momentum and Fradkin's tensor are conserved too.
    let text = |b: f64| {
        format!(
            "[parameters]\na = 1.0\nb = {b:?}\n[coordinates]\nx = 1.0\ny = {{ start = 0.0, velocity = 1.0 }}\n[dynamics]\n\
             lagrangian = \"(x'^2 + y'^2)/2 - (a*x^2 + b*y^2)/2\""
        )
    };
    let [isotropic, other] = [model(&text(1.0)), model(&text(1.25))];
    let seen = analysed(&isotropic);
    let rotation = seen.conserved.found.iter().find(|c| c.name == "angular momentum").unwrap();
    assert!(!rotation.general);
    assert_equal(rotation.expression, typed(&isotropic, "x*y' - y*x'"));
    assert_eq!(seen.conserved.independent, 3);
    let seen = analysed(&other);
    assert!(seen.conserved.found.iter().all(|c| c.name != "angular momentum"));
    assert_eq!(seen.conserved.independent, 2);
}

#[test]
fn a_search_that_is_too_large_is_bounded_and_says_so() {
    let text = embedded::text("toda-lattice").unwrap();
    let large = Model::load(text, &Overrides::default().set("n", 40)).unwrap();
    let analysis = analysed(&large);
    let space = &analysis.conserved.space;
    assert!(space.candidates <= 420 && space.degree == 1, "{} of degree {}", space.candidates, space.degree);
    let names: Vec<&str> = analysis.conserved.found.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["energy", "momentum"]);
    assert!(analysis.page().to_text().contains("products of degree up to 1 in"));
}
