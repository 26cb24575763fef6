//! What the tables about heat mean, against formulas written out by hand.

use extremal_expr::{Id, Rational};
use extremal_model::{Code, EntropyBase, Method, Model, Overrides, ParameterError};
use extremal_testkit::models::{self, model, text_of, value_at};
use extremal_testkit::numbers::assert_close;

const HEAT: &str = include_str!("good/heat.toml");

#[test]
fn every_table_is_understood() {
    let model = model(HEAT);
    assert!(model.warnings().is_empty(), "{:?}", model.warnings());
    let names: Vec<&str> = model.entropies().iter().map(|entropy| entropy.name.as_str()).collect();
    assert_eq!(names, ["S", "R[1]", "R[2]", "R[3]", "R[4]", "W"]);
    for (found, expected) in model.initial().entropies.iter().zip([1.25, 0.1, 0.2, 0.3, 0.4, 0.0]) {
        assert_close(*found, expected, 1.0);
    }
    let point = [("x", 1.5), ("x'", -0.5), ("S", 0.7), ("R[2]", 0.3), ("t", 3.0)];
    let internal = 0.7f64.exp() / 1.5;
    assert_close(value_at(&model, model.forces()[0], &point), internal / 10.0, 1.0);
    let heat: Vec<f64> = model.heat().iter().map(|power| value_at(&model, *power, &point)).collect();
    for (found, expected) in heat.iter().zip([0.25 + internal, 3.0, 6.0, 9.0, 12.0, 2.0]) {
        assert_close(*found, expected, 12.0);
    }
    let walls: Vec<_> = model.conductions().iter().map(|wall| (wall.name.as_str(), wall.between)).collect();
    assert_eq!(walls, [("wall", (0, 5)), ("link[1]", (1, 2)), ("link[2]", (2, 3)), ("link[3]", (3, 4))]);
    let graph = model.graph();
    assert_close(value_at(&model, graph.expr(model.conductions()[0].conductance), &point), 0.5 / 1.5, 1.0);
    assert_close(value_at(&model, graph.expr(model.conductions()[2].conductance), &point), 0.5 * 2.0 * 0.3, 1.0);
    let exact: Vec<usize> = model.exact().iter().map(|exact| exact.coordinate).collect();
    assert_eq!(exact, [0, 3 + 2, 3 + 5], "entropies are counted after the three coordinates");
    let simulation = model.simulation();
    assert_eq!((&simulation.method, simulation.entropy), (&Method::EnergyEntropy(2), EntropyBase::Left));
    assert!(!model.herglotz());
}

#[test]
fn friction_says_what_it_heats() {
    let model = model(HEAT);
    let graph = model.graph();
    let terms: Vec<(usize, Vec<(usize, f64)>)> = model
        .friction_terms()
        .iter()
        .map(|term| {
            let shares =
                term.shares.iter().map(|(entropy, share)| (*entropy, value_at(&model, graph.expr(*share), &[])));
            (term.coordinate, shares.collect())
        })
        .collect();
    let expected = [
        (0, vec![(0, 1.0)]),
        (0, vec![(0, 0.25), (5, 0.75)]),
        (1, vec![(1, 0.5), (4, 0.5)]),
        (2, vec![(2, 0.5), (3, 0.5)]),
    ];
    assert_eq!(terms, expected);
    let point = [("x'", 0.4), ("S", 3.0), ("y[1]'", 0.2), ("y[2]'", -0.3)];
    let friction: Vec<f64> = model.friction().iter().map(|force| value_at(&model, *force, &point)).collect();
    for (found, expected) in friction.iter().zip([-0.4 - 0.25 * 0.4 * 3.0, -0.2, 0.6]) {
        assert_close(*found, expected, 1.0);
    }
}

#[test]
fn a_discrete_system_has_its_own_entropy_rules() {
    let model = model(HEAT);
    let discrete = model.discrete().unwrap();
    let texts = |ids: &[Id]| ids.iter().map(|id| text_of(&model, *id)).collect::<Vec<_>>();
    assert_eq!(texts(&discrete.ends.entropies_before), ["S_0", "R_0[1]", "R_0[2]", "R_0[3]", "R_0[4]", "W_0"]);
    assert_eq!(texts(&discrete.ends.entropies_after), ["S_1", "R_1[1]", "R_1[2]", "R_1[3]", "R_1[4]", "W_1"]);
    let point = [("R_0[3]", 0.5), ("R_1[3]", 2.0), ("h", 0.1), ("x_0", 1.0), ("x_1", 1.5), ("W_0", 0.25), ("W_1", 1.0)];
    let rule = |place: usize| value_at(&model, model.graph().expr(discrete.entropy_rules[place]), &point);
    assert_close(rule(3), 2.0 - 0.5 - 0.3, 2.0);
    assert_close(rule(5), 0.75 - 0.25, 1.0);
}

#[test]
fn the_only_entropy_is_heated_without_saying_so() {
    let text = r#"
        [coordinates]
        x = { count = 2, start = 1.0 }
        [entropies]
        S = 1.0
        [dynamics]
        lagrangian = "x[1]'^2 + x[2]'^2 - exp(S)"
        [friction]
        x = ["-x[1]'", 0]
    "#;
    let model = model(text);
    let [term] = model.friction_terms() else { panic!("a force that is zero is no term") };
    assert_eq!((term.coordinate, term.shares.len(), term.shares[0].0), (0, 1, 0));
    assert_eq!(text_of(&model, term.shares[0].1), "1");
    assert_eq!(model.heat()[0].to_string(), "0");
    assert_eq!(model.simulation().entropy, EntropyBase::Midpoint);
    let cold = text.replace("[entropies]\n        S = 1.0", "").replace(" - exp(S)", "");
    let model = models::model(&cold);
    assert_eq!((model.entropies().len(), model.friction_terms().len()), (0, 1));
    assert!(model.friction_terms()[0].shares.is_empty());
}

#[test]
fn heat_needs_no_mechanics() {
    let model = model(
        r#"
        parameters = { n = 10, kappa = 2.0 }
        entropies.S = { count = "n", start = "log(i)" }
        dynamics.lagrangian = "-sum(i, 1, n, exp(S[i]))"
        conduction.bar = { between = ["S[i]", "S[i + 1]"], count = "n - 1", conductance = "kappa" }
        simulation.method = "energy-entropy"
        "#,
    );
    assert!(model.coordinates().is_empty());
    let initial = model.initial();
    assert_eq!((initial.positions.len(), initial.velocities.len(), initial.entropies.len()), (0, 0, 10));
    assert_eq!(model.conductions()[8].between, (8, 9));
    assert_eq!(model.simulation().method, Method::EnergyEntropy(1));
}

#[test]
fn herglotz_friction_is_minus_temperature_times_momentum() {
    let model = model(
        r#"
        coordinates = { x = { start = 1.0, velocity = 1.0 }, y = { start = 1.0, velocity = 1.0 } }
        entropies.S = 0.5
        dynamics = { lagrangian = "x^2*x'^2/2 + x'*y' + y'^2 - exp(S)/x", friction = "herglotz" }
        "#,
    );
    assert!(model.herglotz());
    assert_eq!(model.friction_terms().len(), 2);
    let (x, vx, vy, s) = (1.3, 0.7, -0.4, 0.2f64);
    let point = [("x", x), ("x'", vx), ("y'", vy), ("S", s)];
    let temperature = s.exp() / x;
    assert_close(value_at(&model, model.friction()[0], &point), -temperature * (x * x * vx + vy), 2.0);
    assert_close(value_at(&model, model.friction()[1], &point), -temperature * (vx + 2.0 * vy), 2.0);
}

#[test]
fn a_parameter_cannot_break_the_second_law() {
    let mut model = model(
        r#"
        parameters = { a = 0.25, kappa = 1.0, s = 0.5 }
        coordinates.x = 1.0
        entropies = { S1 = "log(s)", S2 = 1.0 }
        dynamics.lagrangian = "x'^2/2 - exp(S1)/x - s*S2"
        friction.x = { force = "-x'", heats = { S1 = "a", S2 = "1 - a" } }
        conduction.wall = { between = ["S1", "S2"], conductance = "kappa" }
        "#,
    );
    model.set_parameter("a", 1.0).unwrap();
    model.set_parameter("s", 2.0).unwrap();
    assert_eq!(model.initial().entropies, [2f64.ln(), 1.0]);
    let error = |result: Result<(), ParameterError>| result.unwrap_err().to_string();
    assert_eq!(
        error(model.set_parameter("a", 1.5)),
        "with a = 1.5, the shares of the heat of the friction on `x` are not parts of a whole"
    );
    assert_eq!(
        error(model.set_parameter("kappa", -1.0)),
        "with kappa = -1, the conductance of `wall` is -1 at the start"
    );
    assert_eq!(error(model.set_parameter("s", -1.0)), "with s = -1, the start of `S1` is not finite");
    assert_eq!(error(model.set_parameter("s", 0.0)), "with s = 0, the start of `S1` is not finite");
    assert_eq!(model.initial().entropies, [2f64.ln(), 1.0], "a refused change changes nothing");

    let mut melting =
        models::model("[parameters]\nc = 1.0\n[entropies]\nS = 1.0\n[dynamics]\nlagrangian = \"-c*exp(S)\"\n");
    let refused = melting.set_parameter("c", 0.0).unwrap_err();
    let expected = ParameterError::Temperature { name: "c".into(), value: 0.0, entropy: "S".into(), temperature: 0.0 };
    assert_eq!(refused, expected);
}

#[test]
fn friction_that_pumps_is_named_and_powers_that_cancel_are_not() {
    let turned = |velocity: &str| {
        let text = r#"
            coordinates = { x = { start = 1.0, velocity = VELOCITY }, y = { start = 1.0, velocity = 0.3 } }
            entropies.S = 0.0
            dynamics.lagrangian = "(x'^2 + y'^2)/2 - exp(S)/x/y"
            friction = { x = "-y'", y = "x'" }
        "#;
        model(&text.replace("VELOCITY", velocity))
    };
    // The two powers are -0.7*0.3 and 0.3*0.7: they cancel, so that the friction only turns the velocity.
    assert!(turned("0.7").warnings().is_empty());
    let text = HEAT.replace("-x'\", heats = \"S\"", "x'\", heats = \"S\"");
    let warnings: Vec<Code> = model(&text).warnings().iter().map(|warning| warning.code).collect();
    assert_eq!(warnings, [Code::PumpingFriction]);
}

/// A force that any method may miss where it should stick, however it is written; one that only has a kink there is none.
#[test]
fn friction_that_jumps_at_rest_is_pointed_out() {
    let codes = |force: &str| -> Vec<Code> {
        let model = model(&format!(
            "[coordinates]\nx = {{ start = 1.0, velocity = 0.5 }}\n[dynamics]\nlagrangian = \"x'^2/2 - x^2/2\"\n[friction]\nx = \"{force}\""
        ));
        model.warnings().iter().map(|warning| warning.code).collect()
    };
    for force in ["-2*sign(x')", "if(x' > 0, -2, 2)", "-x'/abs(x')", "-sign(x')*(1 + x'^2)"] {
        assert_eq!(codes(force), [Code::JumpingFriction], "{force}");
    }
    for force in ["-x'*abs(x')", "-2*x'", "-sign(x')*x'^2", "if(x > 0, -x', -2*x')", "if(x' > 0, -x', -2*x')"] {
        assert_eq!(codes(force), [], "{force}");
    }
}

#[test]
fn overrides_reach_families_of_entropies() {
    let text = HEAT.replace("c = [1.0, 2.0, 3.0, 4.0]", "").replace("c[i]*exp(R[i]/c[i])", "exp(R[i])");
    let model = Model::load(&text, &Overrides::default().set("n", 6)).unwrap();
    assert_eq!((model.entropies().len(), model.conductions().len()), (8, 6));
    let mut model = models::model(&text);
    assert!(matches!(model.set_parameter("n", 5.0), Err(ParameterError::Structural { .. })));
}

#[test]
fn entropy_bases_read_back_and_weigh_the_end_of_the_step() {
    let weights = EntropyBase::ALL.map(|base| base.weight());
    assert_eq!(weights, [Rational::ZERO, Rational::new(1, 2).unwrap(), Rational::ONE]);
    for base in EntropyBase::ALL {
        assert_eq!(base.to_string().parse::<EntropyBase>().unwrap(), base);
    }
    assert_eq!(
        "end".parse::<EntropyBase>().unwrap_err().to_string(),
        "there is no entropy base `end`; write `left`, `midpoint` or `right`"
    );
}

#[test]
fn a_symmetry_may_have_components_for_velocities_and_entropies() {
    let model = model(
        r#"
        parameters.g = 2
        coordinates.x = 1
        coordinates.y = { count = 2, start = 0 }
        entropies.S = { count = 2, start = 0 }
        dynamics.lagrangian = "x'^2/2 + y[1]'^2/2 + y[2]'^2/2 - exp(S[1]) - exp(S[2])"
        symmetries.plain = { y = "i" }
        symmetries.lifted = { x = "x'", "y[k]'" = "k*g*S[k]", "S[2]" = "x" }
        simulation = { step = 0.1, until = 1 }
        "#,
    );
    let [plain, lifted] = model.symmetries() else { panic!() };
    let texts = |ids: &[Id]| ids.iter().map(|id| text_of(&model, *id)).collect::<Vec<_>>();
    assert_eq!(texts(&plain.generator), ["0", "1", "2"]);
    assert!(plain.lift.is_none());
    let lift = lifted.lift.as_ref().unwrap();
    assert_eq!(texts(&lifted.generator), ["x'", "0", "0"]);
    assert_eq!(texts(&lift.velocities), ["0", "S[1]*g", "2*S[2]*g"]);
    assert_eq!(texts(&lift.entropies), ["0", "x"]);
}
