//! The printed equations of motion and of Hamilton against equations typed by hand.

use extremal_engine::derive::{Derivation, Form, derive};
use extremal_engine::expr::Expr;
use extremal_engine::printed::EquationSide;
use extremal_engine::run::EnergyLaw;
use extremal_engine::{Model, Settings};
use extremal_testkit::models::model;
use extremal_testkit::runs::{gallery, gallery_text};

fn derived<'m>(model: &'m Model, form: Form) -> Derivation<'m> {
    derive(model, &Settings::of(model), &[form]).unwrap()
}

/// What a printed side reads as.
fn read<'m>(side: &EquationSide<'m>) -> Option<Expr<'m>> {
    match side {
        EquationSide::Expression(expression) => Some(*expression),
        _ => None,
    }
}

/// The right-hand side of the line that begins so.
fn line<'m>(derivation: &Derivation<'m>, left: &str) -> Expr<'m> {
    let lines = derivation.sections.iter().flat_map(|section| section.equations());
    let found = lines.into_iter().find(|line| match &line.left {
        EquationSide::Named(text, _) => text == left,
        side => read(side).is_some_and(|e| e.to_string() == left),
    });
    let found = found.unwrap_or_else(|| panic!("no line for {left}:\n{}", derivation.to_text()));
    read(&found.right).unwrap()
}

#[test]
fn dry_friction_is_part_of_the_equations() {
    let text = derived(&gallery("dry-oscillator"), Form::Lagrange).to_text();
    assert!(text.contains("k*x + m*x'' = f_x"), "{text}");
}

#[test]
fn controls_are_part_of_the_equations() {
    let model = gallery("quadrotor");
    let text = derived(&model, Form::Lagrange).to_text();
    for typed in [
        "m*x'' = -left*sin(th) - right*sin(th)",
        "g*m + m*y'' = left*cos(th) + right*cos(th)",
        "J*th'' = r*right - left*r",
        "left, right are controls",
    ] {
        assert!(text.contains(typed), "{typed} is not in\n{text}");
    }
    // m v_y with half of the impulse of the step: h (left + right) cos(th)/2 less the weight.
    let discrete = derived(&model, Form::Discrete);
    let g = model.graph();
    let s = |name: &str| g.symbol(name);
    let angle = (s("th_0") + s("th_1")) / 2;
    let lift = (s("left") + s("right")) * angle.cos() - s("m") * s("g");
    let typed = s("m") * (s("y_1") - s("y_0")) / s("h") + s("h") * lift / 2;
    assert!(g.proves_zero(line(&discrete, "p_y_1") - typed), "{}", discrete.to_text());
    let hamilton = derived(&model, Form::Hamilton);
    let thrust = (s("left") + s("right")) * s("th").sin();
    assert!(g.proves_zero(line(&hamilton, "p_x'") + thrust), "{}", hamilton.to_text());
}

#[test]
fn the_rates_of_entropies_are_part_of_hamiltons_equations() {
    let model = model(
        r#"
        parameters = { c = 0.3, k = 0.2 }
        coordinates.x = { start = 1, velocity = 0.2 }
        entropies = { A = 0.5, B = 0.1 }
        dynamics.lagrangian = "(1 + x^2)*x'^2/2 - x*exp(A) - exp(2*B)"
        friction.x = { force = "-c*x'", heats = "A" }
        heat.B = "k*cos(t)"
        conduction.wall = { between = ["A", "B"], conductance = "k*x^2" }
        "#,
    );
    let derivation = derived(&model, Form::Hamilton);
    let g = model.graph();
    let s = |name: &str| g.symbol(name);
    let (x, v) = (s("x"), s("p_x") / (s("x").powi(2) + 1));
    let (hot, cold) = (x * s("A").exp(), (s("B") * 2).exp() * 2);
    let flow = s("k") * x.powi(2) * (cold - hot);
    let typed = [
        ("x'", v),
        ("p_x'", x * s("p_x").powi(2) / (x.powi(2) + 1).powi(2) - s("A").exp() - s("c") * v),
        ("A'", (s("c") * v.powi(2) + flow) / hot),
        ("B'", (s("k") * s("t").cos() - flow) / cold),
    ];
    for (left, typed) in typed {
        let printed = line(&derivation, left);
        assert!(g.proves_zero(printed - typed), "{left} = {printed}");
    }
}

#[test]
fn a_vakonomic_motion_has_its_hamiltonian() {
    let model = model(
        r#"
        coordinates = { x = { start = 0, velocity = 1 }, y = { start = 0, velocity = 0.3 }, z = 0 }
        dynamics = { lagrangian = "(x'^2 + y'^2)/2" }
        constraints = { c = { equation = "z' = y*x'", kind = "vakonomic" } }
        "#,
    );
    let derivation = derived(&model, Form::Hamilton);
    let g = model.graph();
    let [y, px, py, pz] = ["y", "p_x", "p_y", "p_z"].map(|name| g.symbol(name));
    let typed = [
        ("H", ((px + y * pz).powi(2) + py.powi(2)) / 2),
        ("z'", y * (px + y * pz)),
        ("p_y'", -(pz * (px + y * pz))),
        ("lambda_c", pz),
    ];
    for (left, typed) in typed {
        let printed = line(&derivation, left);
        assert!(g.proves_zero(printed - typed), "{left} = {printed}");
    }
}

/// H = [m2 l2² p1² + (m1 + m2) l1² p2² − 2 m2 l1 l2 p1 p2 cos(θ1 − θ2)] / (2 m2 l1² l2² [m1 + m2 sin²(θ1 − θ2)]) + V, as textbooks
/// have it.
#[test]
fn the_hamiltonian_of_the_double_pendulum_is_that_of_textbooks() {
    let model = gallery("double-pendulum");
    let derivation = derived(&model, Form::Hamilton);
    let g = model.graph();
    let [m1, m2, l1, l2, gravity] = ["m1", "m2", "l1", "l2", "g"].map(|name| g.symbol(name));
    let [a, b, p1, p2] = ["θ1", "θ2", "p_θ1", "p_θ2"].map(|name| g.symbol(name));
    let above =
        m2 * l2.powi(2) * p1.powi(2) + (m1 + m2) * l1.powi(2) * p2.powi(2) - m2 * l1 * l2 * p1 * p2 * (a - b).cos() * 2;
    let below = m2 * l1.powi(2) * l2.powi(2) * (m1 + m2 * (a - b).sin().powi(2)) * 2;
    let potential = -((m1 + m2) * gravity * l1 * a.cos() + m2 * gravity * l2 * b.cos());
    let printed = line(&derivation, "H");
    assert!(g.proves_zero(printed - above / below - potential), "H = {printed}");
    let text = printed.to_string();
    assert!(text.len() < 220, "{text}");
}

#[test]
fn virtual_displacements_of_their_own_are_printed() {
    let model = model(
        r#"
        coordinates = { x = { start = 0, velocity = 1 }, y = 0, z = 0 }
        dynamics = { lagrangian = "(x'^2 + y'^2 + z'^2)/2" }
        constraints = { c = { equation = "z' = y*x'", variational = "z' = x*y'" } }
        "#,
    );
    for form in [Form::Lagrange, Form::Hamilton] {
        let derivation = derived(&model, form);
        let section = derivation.sections.iter().find(|section| section.title == "Virtual displacements");
        let section = section.unwrap_or_else(|| panic!("{}", derivation.to_text()));
        assert_eq!(read(&section.equations().next().unwrap().left).unwrap().to_string(), "z' - x*y'");
    }
    let text = derived(&model, Form::Lagrange).to_text();
    for typed in
        ["x'' = 0\n", "y'' = -lambda_c*x\n", "z'' = lambda_c\n", "derivative of the virtual displacements below"]
    {
        assert!(text.contains(typed), "{typed} is not in\n{text}");
    }
    let own = gallery("knife-edge-rod");
    assert!(!derived(&own, Form::Lagrange).to_text().contains("irtual displacements"));
}

/// a1 = x² + sin x, a2 = a1² + sin a1, …: written out, every level doubles.
fn nested(levels: usize) -> Model {
    let definitions: String = (1..=levels)
        .map(|k| match k {
            1 => "a1 = \"x*x + sin(x)\"\n".to_string(),
            k => format!("a{k} = \"a{0}*a{0} + sin(a{0})\"\n", k - 1),
        })
        .collect();
    model(&format!(
        "[definitions]\n{definitions}[coordinates]\nx = 0.1\n[parameters]\nc1 = 2\n[dynamics]\nlagrangian = \"c1*x'^2/2 - a{levels}\"\n"
    ))
}

#[test]
fn nested_definitions_are_printed_with_names_for_their_parts() {
    let model = nested(12);
    let derivation = derive(&model, &Settings::of(&model), &[Form::Lagrange, Form::Hamilton, Form::Discrete]).unwrap();
    let json = serde_json::to_string(&derivation).unwrap();
    assert!(json.len() < 100_000, "{} bytes", json.len());
    for text in [derivation.to_text(), derivation.to_latex()] {
        assert!(!text.contains('…') && !text.contains("\\ldots"), "parts are left out");
        assert!(text.len() < 50_000, "{} characters", text.len());
    }
    let parts = derivation.sections.last().unwrap();
    assert_eq!(parts.title, "Where");
    let g = model.graph();
    let named: Vec<(Expr<'_>, Expr<'_>)> =
        parts.equations().map(|line| (read(&line.left).unwrap(), read(&line.right).unwrap())).collect();
    assert!(named.iter().all(|(name, _)| name.to_string() != "c1"), "c1 is a parameter");
    let written_out = |e: Expr<'_>| named.iter().rev().fold(g.expr(e.id()), |e, part| e.substitute(&[*part]));
    // c1 x'' + dV/dx, with the derivative by the chain rule: a_k' = (2 a_(k−1) + cos a_(k−1)) a_(k−1)'.
    let x = g.symbol("x");
    let (mut a, mut slope) = (x, g.int(1));
    for _ in 0..12 {
        slope = (a * 2 + a.cos()) * slope;
        a = a.powi(2) + a.sin();
    }
    let equations = derivation.sections.iter().find(|section| section.title == "Equations of motion").unwrap();
    let printed = written_out(read(&equations.equations().next().unwrap().left).unwrap());
    let typed = g.symbol("c1") * g.symbol("x''") + slope;
    let at = |name: &str| Some(if name == "x" { 0.1 } else { 2.0 });
    let [printed, typed] = g.evaluate(&[printed, typed], at)[..] else { unreachable!() };
    // Products of two dozen factors of order one.
    assert!((printed - typed).abs() < 1e-13 * typed.abs(), "{printed} {typed}");
}

#[test]
fn a_long_chain_is_derived_without_what_vanishes() {
    let text = gallery_text("fermi-pasta-ulam");
    let overrides = extremal_engine::Overrides::default().set("n", "400");
    let model = Model::load(text, &overrides).unwrap();
    let derivation = derived(&model, Form::Lagrange);
    assert!(derivation.sections.iter().all(|section| !section.title.starts_with("Christoffel")));
    let mass = derivation.sections.iter().find(|section| section.title == "Mass matrix").unwrap();
    assert_eq!(mass.equations().count(), model.coordinates().len());
}

#[test]
fn the_energy_is_said_to_change_only_where_it_does() {
    let law = |text: &str| EnergyLaw::of(&model(&format!("parameters = {{ w = 2 }}\n{text}")));
    let wire = "definitions = { X = \"r*cos(w*t)\", Y = \"r*sin(w*t)\" }\ncoordinates = { r = 1 }\n";
    // A bead on a rotating wire: time is written and cancels.
    assert_eq!(law(&format!("{wire}dynamics = {{ lagrangian = \"(X'^2 + Y'^2)/2\" }}")), EnergyLaw::Jacobi);
    // In a potential that does not turn with it, time stays.
    let driven = law(&format!("{wire}dynamics = {{ lagrangian = \"(X'^2 + Y'^2)/2 - X\" }}"));
    assert_eq!(driven, EnergyLaw::Changes("the Lagrangian depends on time".to_string()));
    // A magnetic force does no work; a drag does.
    let plane = "coordinates = { x = 1, y = 0 }\ndynamics = { lagrangian = \"(x'^2 + y'^2)/2\" }\n";
    assert_eq!(law(&format!("{plane}forces = {{ x = \"w*y'\", y = \"-w*x'\" }}")), EnergyLaw::Conserved);
    let drag = law(&format!("{plane}forces = {{ x = \"-w*x'\" }}"));
    assert_eq!(drag, EnergyLaw::Changes("forces act".to_string()));
}
