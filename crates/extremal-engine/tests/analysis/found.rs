//! Conserved quantities with their exact coefficients, as they stand in the textbooks.

use extremal_engine::expr::Expr;
use extremal_engine::mechanics::analysis::{Conservation, Proof, Symmetry, Theorem};
use extremal_engine::model::Overrides;
use extremal_engine::{Model, gallery as embedded};

use extremal_testkit::analyses::{analysed, assert_equal, assert_found, typed};
use extremal_testkit::models::model;
use extremal_testkit::runs::gallery;

/// Bodies of masses m1, m2, … that attract one another, with a rotation stated and a momentum that is none.
fn bodies(count: usize, axes: &[char]) -> Model {
    let each = |f: &dyn Fn(usize) -> String, between: &str| (1..=count).map(f).collect::<Vec<_>>().join(between);
    let sum = |f: &dyn Fn(char) -> String| axes.iter().map(|a| f(*a)).collect::<Vec<_>>().join(" + ");
    let masses = each(&|i| format!("m{i} = {:?}", 1.0 + 0.5 * i as f64), "\n");
    let start = |i: usize, a: char| {
        let angle = i as f64 * if a == 'x' { 1.0 } else { 1.7 };
        format!("{a}{i} = {{ start = {:.4}, velocity = {:.4} }}\n", 3.0 * angle.cos(), 0.1 * angle.sin())
    };
    let coordinates = each(&|i| axes.iter().map(|a| start(i, *a)).collect::<String>(), "");
    let kinetic = each(&|i| format!("m{i}*({})/2", sum(&|a| format!("{a}{i}'^2"))), " + ");
    let pairs = (1..=count).flat_map(|i| (i + 1..=count).map(move |j| (i, j)));
    let distance = |i: usize, j: usize| format!("sqrt({})", sum(&|a| format!("({a}{i} - {a}{j})^2")));
    let potential: String = pairs.map(|(i, j)| format!(" + G*m{i}*m{j}/{}", distance(i, j))).collect();
    let rotation = each(&|i| format!("x{i} = \"-y{i}\", y{i} = \"x{i}\""), ", ");
    model(&format!(
        "[parameters]\nG = 1.0\n{masses}\n[coordinates]\n{coordinates}[dynamics]\nlagrangian = \"{kinetic}{potential}\"\n\
         [symmetries]\nrotation = {{ {rotation} }}\nshear = {{ x1 = \"y1\" }}"
    ))
}

#[test]
fn five_to_nine_bodies_keep_the_classical_integrals() {
    // Of n bodies: energy, momentum, angular momentum and the motion of the centre of mass, ten in space and six in the plane.
    for (count, axes) in [(5, &['x', 'y'][..]), (7, &['x', 'y', 'z']), (9, &['x', 'y', 'z'])] {
        let bodies = bodies(count, axes);
        let analysis = analysed(&bodies);
        let expected = if axes.len() == 3 { 10 } else { 6 };
        let names: Vec<&str> = analysis.conserved.found.iter().map(|c| c.name.as_str()).collect();
        assert_eq!((names.len(), analysis.conserved.independent), (expected, expected), "{names:?}");
        let typed_sum =
            |f: &dyn Fn(usize) -> String| typed(&bodies, &(1..=count).map(f).collect::<Vec<_>>().join(" + "));
        let mut by_hand = Vec::new();
        for (at, a) in axes.iter().enumerate() {
            by_hand.push(typed_sum(&|i| format!("m{i}*{a}{i}'")));
            by_hand.push(typed_sum(&|i| format!("m{i}*(t*{a}{i}' - {a}{i})")));
            for b in &axes[at + 1..] {
                by_hand.push(typed_sum(&|i| format!("m{i}*({a}{i}*{b}{i}' - {b}{i}*{a}{i}')")));
            }
        }
        for by_hand in by_hand {
            let found = analysis.conserved.found.iter().find(|c| bodies.graph().proves_zero(c.expression - by_hand));
            assert!(found.is_some_and(|c| c.general), "{by_hand} is not among {names:?}");
        }
        assert_eq!(analysis.symmetries[0].conservation, Conservation::Always);
        assert_eq!(analysis.symmetries[1].conservation, Conservation::No);
    }
}

#[test]
fn the_energy_with_the_potential_of_the_forces_is_found() {
    // x'' = −1/x with the force stated as such: x'²/2 + log x, whose logarithm is no function in the equations.
    let text = "[parameters]\nk = 2.0\n[coordinates]\nx = { start = 1.0, velocity = 0.3 }\n[dynamics]\nlagrangian = \"x'^2/2\"\n\
                [forces]\nx = \"-k/x\"";
    assert_found(&model(text), &[("energy with the potential of the forces", "x'^2/2 + k*log(x)")]);
}

#[test]
fn integrals_with_functions_of_a_cyclic_angle_are_found() {
    // A free particle in polar coordinates keeps its cartesian momenta, Kepler's problem its Laplace vector.
    let polar = |potential: &str| {
        model(&format!(
            "[coordinates]\nr = {{ start = 1.0, velocity = 0.1 }}\nphi = {{ start = 0.2, velocity = 0.9 }}\n[dynamics]\n\
             lagrangian = \"(r'^2 + r^2*phi'^2)/2{potential}\""
        ))
    };
    let assert_contains = |model: &Model, text: &str| {
        let analysis = analysed(model);
        let by_hand = typed(model, text);
        let g = model.graph();
        let is_same = |e: Expr<'_>| g.proves_zero(g.expr(e.id()) - by_hand) || g.proves_zero(g.expr(e.id()) + by_hand);
        let found = analysis.conserved.found.iter().any(|c| is_same(c.expression));
        let names: Vec<String> = analysis.conserved.found.iter().map(|c| c.expression.to_string()).collect();
        assert!(found, "{text} is not among {names:?}");
    };
    assert_contains(&polar(""), "r'*cos(phi) - r*phi'*sin(phi)");
    assert_contains(&polar(" + 1/r"), "r^3*phi'^2*cos(phi) + r^2*r'*phi'*sin(phi) - cos(phi)");
}

#[test]
fn integrals_with_functions_of_a_velocity_constraint_are_found() {
    // A knife edge on a plane keeps the speed along its edge, u = x' cos φ + y' sin φ: u' is the force along it, which is zero.
    let text = "[coordinates]\nx = { start = 0.0, velocity = 1.0 }\ny = 0.0\nphi = { start = 0.0, velocity = 0.7 }\n[dynamics]\n\
                lagrangian = \"(x'^2 + y'^2 + phi'^2)/2\"\n[constraints]\nedge = \"x'*sin(phi) = y'*cos(phi)\"";
    let knife = model(text);
    let analysis = analysed(&knife);
    let along = typed(&knife, "x'*cos(phi) + y'*sin(phi)");
    let expressions: Vec<String> = analysis.conserved.found.iter().map(|c| c.expression.to_string()).collect();
    let found = analysis.conserved.found.iter().any(|c| knife.graph().proves_zero(c.expression - along));
    assert!(found, "{along} is not among {expressions:?}");
}

#[test]
fn what_cannot_be_evaluated_is_not_called_unconserved() {
    // sqrt(−1 − x²) has no real value and, with it, no exact one at any state: nothing is known about any function of the motion.
    let text = "[coordinates]\nx = { start = 1.0, velocity = 0.3 }\n[dynamics]\nlagrangian = \"x'^2/2 - sqrt(-(x^2)^2)\"\n\
                [invariants]\nspeed = \"x'\"";
    let nowhere = model(text);
    let analysis = analysed(&nowhere);
    assert_eq!(analysis.invariants[0].2, Conservation::Undecided);
    assert!(analysis.to_text().contains("not decided whether it is conserved"));
    assert!(serde_json::to_value(analysis.report()).unwrap()["invariants"][0]["conserved"].is_null());
}

/// Two free bodies in a plane and a function of them: whatever is said of it must be true for real numbers.
#[test]
fn what_rests_on_more_than_algebra_is_not_called_unconserved() {
    let said = |lagrangian: &str, function: &str| {
        let text = format!(
            "[coordinates]\nx = {{ start = 1.0, velocity = 0.3 }}\ny = {{ start = 0.4, velocity = 0.2 }}\n[dynamics]\n\
             lagrangian = \"{lagrangian}\"\n[invariants]\nfunction = \"{function}\""
        );
        analysed(&model(&text)).invariants[0].2
    };
    let free = "(x'^2 + y'^2)/2";
    // Each has one value wherever it is defined.
    for constant in [
        "exp(log(x)) - x",
        "x^y - exp(y*log(x))",
        "asin(tanh(y)) - 2*atan(exp(y))",
        "sqrt(x)*sqrt(y) - sqrt(x*y)",
        "log(x^2) - 2*log(x)",
        "sqrt(x + 1)*sqrt(x + 2) - sqrt(x^2 + 3*x + 2)",
    ] {
        assert_ne!(said(free, constant), Conservation::No, "{constant}");
    }
    assert_eq!(said("(x'^2 + y'^2)/2 - log(x)", "x'^2/2 + log(x^3)/3"), Conservation::Always);
    for changing in ["exp(log(x)) + x", "asin(tanh(y)) - atan(exp(y))", "sqrt(x)*sqrt(y) + sqrt(x*y)", "log(x)", "x^y"]
    {
        assert_eq!(said(free, changing), Conservation::No, "{changing}");
    }
    // Their rates are zero wherever they have one, and x passes zero.
    for jumping in ["sign(x)", "if(x > 0, 1, 2)", "x'*if(y < x, 1, 0)"] {
        assert!(!matches!(said(free, jumping), Conservation::Always | Conservation::Here), "{jumping}");
    }
    assert_eq!(said("(x'^2 + y'^2)/2 - sign(x)", "(x'^2 + y'^2)/2 + sign(x)"), Conservation::Always);
}

#[test]
fn a_step_of_the_potential_kicks() {
    let text = "[coordinates]\nx = { start = -1.0, velocity = 3.0 }\ny = { start = 0.4, velocity = 0.2 }\n[dynamics]\n\
                lagrangian = \"(x'^2 + y'^2)/2 - sign(x)\"";
    // Along x the body loses speed at x = 0, where the slope of the potential does not exist.
    assert_found(
        &model(text),
        &[("energy", "(x'^2 + y'^2)/2 + sign(x)"), ("momentum of y", "y'"), ("Galilean boost of y", "t*y' - y")],
    );
    let steep = text.replace("sign(x)", "if(x + y > 0, 1, 0)");
    let steep = model(&steep);
    let names: Vec<String> = analysed(&steep).conserved.found.iter().map(|c| c.expression.to_string()).collect();
    assert!(names.iter().all(|name| name != "x'" && name != "y'"), "{names:?}");
}

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
    assert_eq!(analysis.total_energy, Some(Conservation::No));
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
    assert_eq!(names, ["energy", "momentum", "Galilean boost"]);
    assert!(analysis.to_text().contains("products of degree up to 1 in"));
}
