//! Kinetic split, Christoffel symbols, gyroscopic matrix, gauge terms and hidden potentials, typed by hand.

use extremal_engine::Model;
use extremal_engine::mechanics::analysis::{Conservation, SystemStructure};

use extremal_testkit::analyses::{analysed, assert_equal, typed};
use extremal_testkit::models::model;
use extremal_testkit::runs::gallery;

/// The Christoffel symbols of the first kind that do not vanish, as `(k, l, j)` with k ≤ l.
fn symbols(structure: &SystemStructure<'_>) -> Vec<(usize, usize, usize)> {
    let mut symbols: Vec<_> = structure.christoffel.iter().map(|c| (c.k.min(c.l), c.k.max(c.l), c.j)).collect();
    symbols.sort_unstable();
    symbols
}

#[test]
fn the_double_pendulum() {
    let pendulum = gallery("double-pendulum");
    let analysis = analysed(&pendulum);
    let structure = analysis.structure.as_ref().unwrap();
    let mass = &structure.split.as_ref().unwrap().mass;
    assert_equal(mass[0][0], typed(&pendulum, "(m1 + m2)*l1^2"));
    assert_equal(mass[0][1], typed(&pendulum, "m2*l1*l2*cos(θ1 - θ2)"));
    assert_equal(mass[1][1], typed(&pendulum, "m2*l2^2"));
    // [22, 1] = ∂a12/∂θ2 and [11, 2] = ∂a12/∂θ1; a11 and a22 are constant.
    assert_eq!(symbols(structure), [(0, 0, 1), (1, 1, 0)]);
    for symbol in &structure.christoffel {
        let by_hand = if symbol.j == 0 { "m2*l1*l2*sin(θ1 - θ2)" } else { "-m2*l1*l2*sin(θ1 - θ2)" };
        assert_equal(symbol.value, typed(&pendulum, by_hand));
    }
    assert!(structure.natural && structure.reversible == Some(true) && structure.gyroscopic.is_none());
    assert!(!structure.explicit_time && structure.gauge.is_none() && structure.total_energy.is_none());
}

#[test]
fn the_spring_on_a_rotating_disc() {
    // [AD] 7.5 with slip A2 put right: a_r = m a w sin φ, a_φ = m r² w + m a r w cos φ, γ_rφ = ∂a_r/∂φ − ∂a_φ/∂r = −2 m r w.
    let disc = gallery("rotating-disc");
    let analysis = analysed(&disc);
    let structure = analysis.structure.as_ref().unwrap();
    let gyroscopic = structure.gyroscopic.as_ref().unwrap();
    assert_equal(gyroscopic[0][1], typed(&disc, "-2*m*r*w"));
    assert_equal(gyroscopic[1][0], typed(&disc, "2*m*r*w"));
    assert!(gyroscopic[0][0].is_zero() && gyroscopic[1][1].is_zero());
    // T2 is that of polar coordinates.
    assert_eq!(symbols(structure), [(0, 1, 1), (1, 1, 0)]);
    for symbol in &structure.christoffel {
        assert_equal(symbol.value, typed(&disc, if symbol.j == 0 { "-m*r" } else { "m*r" }));
    }
    let split = structure.split.as_ref().unwrap();
    assert_equal(split.linear[0], typed(&disc, "m*a*w*sin(phi)"));
    assert_equal(split.linear[1], typed(&disc, "m*r^2*w + m*a*r*w*cos(phi)"));
    assert!(!structure.natural && structure.reversible == Some(false));
    // d/dt (m a w r sin φ) is in L, and without effect.
    let gauge = structure.gauge.unwrap().of.unwrap();
    assert_equal(gauge, typed(&disc, "m*a*w*r*sin(phi) + (m*a^2*w^2 - k*r0^2)*t/2"));
}

#[test]
fn the_spring_with_friction() {
    let spring = gallery("spring-with-friction");
    let analysis = analysed(&spring);
    let structure = analysis.structure.as_ref().unwrap();
    assert_equal(structure.split.as_ref().unwrap().mass[0][0], typed(&spring, "m"));
    assert!(structure.christoffel.is_empty() && structure.gyroscopic.is_none() && structure.reversible == Some(false));
    // Friction vanishes at rest: it hides no potential.
    assert!(structure.natural && structure.potential_force.is_none());
    assert!(analysis.conserved.found.is_empty());
}

#[test]
fn a_gradient_among_the_forces_is_named() {
    let text = |fx: &str, fy: &str| {
        format!(
            "[parameters]\nk = 2.0\n[coordinates]\nx = 1.0\ny = 0.5\n[dynamics]\nlagrangian = \"(x'^2 + y'^2)/2\"\n[forces]\n\
             x = \"{fx}\"\ny = \"{fy}\""
        )
    };
    let spring = model(&text("-k*x - y", "-k*y - x"));
    let analysis = analysed(&spring);
    let force = analysis.structure.as_ref().unwrap().potential_force.as_ref().unwrap();
    assert_equal(force.potential.unwrap(), typed(&spring, "k*(x^2 + y^2)/2 + x*y"));
    // A circulation has none.
    let swirl = model(&text("-y", "x"));
    assert!(analysed(&swirl).structure.unwrap().potential_force.is_none());
}

#[test]
fn a_gauge_term_is_told_from_a_magnetic_one() {
    let text = |term: &str| {
        format!(
            "[parameters]\nb = 2.0\n[coordinates]\nx = 1.0\ny = 0.5\n[dynamics]\nlagrangian = \"(x'^2 + y'^2)/2 + {term}\"\n"
        )
    };
    // d/dt (b x² y t).
    let without_effect = model(&text("b*t*(2*x*y*x' + x^2*y') + b*x^2*y"));
    let gauge = analysed(&without_effect).structure.unwrap().gauge.unwrap().of.unwrap();
    assert_equal(gauge, typed(&without_effect, "b*t*x^2*y"));
    let magnetic = model(&text("b*(x*y' - y*x')"));
    assert!(analysed(&magnetic).structure.unwrap().gauge.is_none());
}

/// A point that is driven along x. Backwards, it would have to be driven backwards; and two drives that exclude each other leave nothing
/// to analyse.
#[test]
fn driven_and_contradictory_constraints() {
    let driven = |constraints: &str| {
        let text = format!(
            r#"
            [coordinates]
            x = {{ start = 1.0, velocity = 0.0 }}
            y = {{ start = 0.0, velocity = 1.0 }}
            [dynamics]
            lagrangian = "(x'^2 + y'^2 - y^2)/2"
            [constraints]
            {constraints}
            [simulation]
            step = 0.1
            until = 1.0
            "#
        );
        extremal_engine::Model::from_toml(&text).unwrap()
    };
    for (constraints, reversible) in [
        ("a = \"x = cos(t)\"", false),
        ("a = \"x' = 3*y - 3*y\"", true),
        ("a = \"x = 1 + y^2/9\"", true),
        ("a = \"x' = y\"", false),
        ("a = \"x' = y*y'\"", true),
    ] {
        let model = driven(constraints);
        let analysis = analysed(&model);
        assert_eq!(analysis.structure.as_ref().unwrap().reversible, Some(reversible), "{constraints}");
    }
    let model = driven("one = \"x = 1\"\ntwo = \"x = 2\"");
    let analysis = analysed(&model);
    assert!(analysis.contradiction().is_some());
    let json = serde_json::to_value(analysis.report()).unwrap();
    assert_eq!((&json["regular"], &json["conserved"]), (&false.into(), &serde_json::json!([])));
    let words = json["contradiction"].as_str().unwrap();
    assert!(words.contains("`two` contradicts `one`"), "{words}");
}

/// A model of one coordinate `q`, with tables after the Lagrangian.
fn of_q(lagrangian: &str, rest: &str) -> Model {
    model(&format!(
        "[parameters]\nm = 2.0\nk = 3.0\nw = 1.5\n[coordinates]\nq = {{ start = 0.4, velocity = 0.1 }}\n[dynamics]\nlagrangian = \"{lagrangian}\"\n{rest}"
    ))
}

#[test]
fn how_a_natural_lagrangian_is_written_does_not_matter() {
    for lagrangian in
        ["(q'^2 - q^2)/2", "q'^2/2 - q^2/2", "(m*q'^2 - k*q^2)/2", "m*(q'^2/2 + w*cos(q))", "(q' - q)*(q' + q)/2"]
    {
        let model = of_q(lagrangian, "");
        let analysis = analysed(&model);
        let structure = analysis.structure.as_ref().unwrap();
        assert!(structure.natural && structure.total_energy.is_none(), "{lagrangian}");
        assert_eq!(analysis.conserved.found[0].name, "energy", "{lagrangian}");
    }
    // A square of the speed in a turning frame is kinetic energy as it stands.
    let hoop = of_q("m*(q'^2 + w^2*sin(q)^2)/2 + m*cos(q)", "");
    let analysis = analysed(&hoop);
    assert_eq!(analysis.conserved.found[0].name, "Jacobi integral");
    assert_eq!(analysis.total_energy, Some(Conservation::No));
}

#[test]
fn what_is_driven_is_not_reversible() {
    let reversible = |model: &Model| analysed(model).structure.unwrap().reversible;
    assert_eq!(reversible(&of_q("(q'^2 - q^2)/2", "")), Some(true));
    // Even in time: it runs backwards from t = 0 only.
    assert_eq!(reversible(&of_q("(q'^2 - q^2)/2 + q*cos(w*t)", "")), Some(false));
    assert_eq!(reversible(&of_q("(q'^2 - q^2)/2", "[forces]\nq = \"cos(w*t)\"")), Some(false));
    // The time is written and is not there.
    assert_eq!(reversible(&of_q("(q'^2 - q^2)/2 + q*cos(w*t)^2 + q*sin(w*t)^2", "")), Some(true));
    assert_eq!(reversible(&of_q("q'^2/2", "[friction]\nq = \"-k*q'\"")), Some(false));
}

#[test]
fn what_stands_before_a_multiplier_is_not_without_effect() {
    // λ z' alone has the equations λ' = 0: with λ it is the constraint itself.
    let text = "[coordinates]\nx = { start = 0.0, velocity = 1.0 }\ny = { start = 0.0, velocity = 0.5 }\nz = { start = 0.0, velocity = 0.0 }\n\
                [dynamics]\nlagrangian = \"(x'^2 + y'^2)/2\"\n[constraints]\n\
                roll = { equation = \"z' = y*x'\", kind = \"vakonomic\" }\n";
    let vakonomic = model(text);
    assert!(analysed(&vakonomic).structure.unwrap().gauge.is_none());
}

#[test]
fn a_lagrangian_that_the_discrete_system_does_not_approximate_is_not_analysed() {
    let only_discrete = gallery("no-next-state");
    let analysis = analysed(&only_discrete);
    assert!(analysis.placeholder && analysis.conserved.found.is_empty());
    let page = analysis.to_text();
    assert!(page.contains("does not approximate") && !page.contains("Regularity"), "{page}");
    // The midpoint rule does: L_d(q, q + h v) = h L + O(h²).
    let rest = "[discrete]\nlagrangian = \"h*(((q_1 - q_0)/h)^2/2 - ((q_0 + q_1)/2)^2/2)\"\n[simulation]\nmethod = \"custom\"\nstep = 0.1\nuntil = 1.0";
    assert!(!analysed(&of_q("(q'^2 - q^2)/2", rest)).placeholder);
    assert!(analysed(&of_q("q'^2/2 - q^2", rest)).placeholder);
    // Constraints imposed before the variation stand beside both Lagrangians.
    let bound = gallery("vakonomic-steps");
    let analysis = analysed(&bound);
    assert!(!analysis.placeholder && analysis.to_text().contains("momentum of x"), "{}", analysis.to_text());
}
