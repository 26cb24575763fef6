//! The builder writes the model file that says the same.

use extremal::{
    AmountSpec, BoundarySpec, ConstraintForm, ConstraintKind, ConstraintSpec, ControlSpec, CoordinateSpec, Direction,
    EntropyBase, EntropySpec, ErrorKind, Method, Model, ModelBuilder, PortSpec, Value,
};

fn assert_writes(builder: &ModelBuilder, file: &str) {
    let [built, written] = [&builder.to_toml(), file].map(|text| text.parse::<toml::Table>().unwrap());
    assert_eq!(built, written);
    builder.build().unwrap();
}

#[test]
fn coordinates_and_forces() {
    let builder = Model::builder("Spring \"with\" friction")
        .source("a\nb")
        .description("c\\d")
        .parameter("k", 4.0)
        .parameter("n", 2)
        .parameter("m", [1.0, 2.5])
        .coordinate("x", CoordinateSpec::start([1.0, -2.0]).velocity("i/n").count("n").domain("x[i] < 3"))
        .coordinate("θ", 1e-7)
        .definition("r", "x[1] - x[2]")
        .definition_family("d", "n", "x[i]*θ")
        .lagrangian("sum(i, 1, n, m[i]*x[i]'^2/2) - k*r^2/2 + θ'^2/2 - d[2]")
        .force("x[2]", "-k")
        .friction("x", "-x[i]'")
        .invariant("momentum", "m[1]*x[1]'")
        .symmetry("turn", &[("θ", "1")])
        .symmetry("slowing", &[("x[2]", "1"), ("θ'", "-k*θ'")])
        .exact("θ", "cos(t)")
        .discrete_lagrangian("(θ_1 - θ_0)^2/h")
        .discrete_forces("θ", 0.0, "h")
        .stop("far", "x[1] - 9", Direction::Rising)
        .event("turn", "θ - pi", Direction::Rising, &[("θ", "θ - 2*pi"), ("θ'", "θ'/2")])
        .obstacle("wall", "x[1] >= -5", 0.5)
        .from("-pi")
        .method(Method::Trapezoidal)
        .step(0.01)
        .until("2*pi")
        .record(5)
        .tolerance(1e-10);
    let file = r#"
        name = 'Spring "with" friction'
        source = "a\nb"
        description = 'c\d'
        [parameters]
        k = 4.0
        n = 2
        m = [1.0, 2.5]
        [coordinates]
        x = { count = "n", start = [1.0, -2.0], velocity = "i/n", domain = "x[i] < 3" }
        "θ" = { start = 1e-7 }
        [definitions]
        r = "x[1] - x[2]"
        d = { count = "n", value = "x[i]*θ" }
        [dynamics]
        lagrangian = "sum(i, 1, n, m[i]*x[i]'^2/2) - k*r^2/2 + θ'^2/2 - d[2]"
        [forces]
        "x[2]" = "-k"
        [friction]
        x = "-x[i]'"
        [invariants]
        momentum = "m[1]*x[1]'"
        [symmetries]
        turn = { "θ" = "1" }
        slowing = { "x[2]" = "1", "θ'" = "-k*θ'" }
        [exact]
        "θ" = "cos(t)"
        [discrete]
        lagrangian = "(θ_1 - θ_0)^2/h"
        force_minus = { "θ" = 0.0 }
        force_plus = { "θ" = "h" }
        [stop]
        far = { when = "x[1] - 9", direction = "rising" }
        [events]
        turn = { when = "θ - pi", direction = "rising", set = { "θ" = "θ - 2*pi", "θ'" = "θ'/2" } }
        wall = { obstacle = "x[1] >= -5", restitution = 0.5 }
        [simulation]
        method = "trapezoidal"
        step = 0.01
        from = "-pi"
        until = "2*pi"
        record = 5
        tolerance = 1e-10
    "#;
    assert_writes(&builder, file);
}

#[test]
fn matter_and_ports() {
    let builder = Model::builder("Open")
        .entropy("S", EntropySpec::start(0.0).count(2))
        .amount("N", AmountSpec::start(1.0).entropy("S[i]").count(2))
        .lagrangian("-N[1]^2*exp(S[1]/N[1]) - N[2]^2*exp(S[2]/N[2])")
        .port("valve", PortSpec::leading_out_of("N[1]").and_into("N[2]").flow("N[1] - N[2]"))
        .port("inlet", PortSpec::leading_into("N[1]").flow(0.5).potential(1.0).temperature(2.0).entropy("t"))
        .port("other", PortSpec::leading_into("N[2]").flow(0.5).enthalpy("3*t").entropy(1.0))
        .port("bath", PortSpec::leading_into("S[i]").conductance("i").temperature(2.0).count(2))
        .port("heater", PortSpec::leading_into("S[1]").power("t").temperature(4.0));
    let file = r#"
        name = "Open"
        [entropies]
        S = { start = 0.0, count = 2 }
        [matter]
        N = { start = 1.0, entropy = "S[i]", count = 2 }
        [dynamics]
        lagrangian = "-N[1]^2*exp(S[1]/N[1]) - N[2]^2*exp(S[2]/N[2])"
        [ports]
        valve = { from = "N[1]", into = "N[2]", flow = "N[1] - N[2]" }
        inlet = { into = "N[1]", flow = 0.5, potential = 1.0, temperature = 2.0, entropy = "t" }
        other = { into = "N[2]", flow = 0.5, enthalpy = "3*t", entropy = 1.0 }
        bath = { into = "S[i]", conductance = "i", temperature = 2.0, count = 2 }
        heater = { into = "S[1]", power = "t", temperature = 4.0 }
    "#;
    assert_writes(&builder, file);
}

#[test]
fn entropies_and_heat() {
    let builder = Model::builder("Heat")
        .parameter("n", 4)
        .parameter("a", 0.25)
        .coordinate("x", 1.0)
        .entropy("S", "1 + a")
        .entropy("R", EntropySpec::start("k/10").count("n").index("k"))
        .lagrangian("x'^2/2 - exp(S)/x - sum(i, 1, n, exp(R[i]))")
        .friction_heating("x", "-x'", &[("S", Value::from(1))])
        .friction_heating("x", "-x'^3", &[("S", Value::from("a")), ("R[2]", Value::from(0.75))])
        .heat("R", "k*t")
        .conduction("wall", ["S", "R[1]"], 0.5)
        .conduction_family("bar", "n - 1", ["R[i]", "R[i + 1]"], "a*i")
        .exact("S", "t")
        .discrete_lagrangian("(x_1 - x_0)^2/(2*h)")
        .discrete_entropy("S", "S_0 + S_1")
        .discrete_entropy("R", "R_1[k] - R_0[k]")
        .method(Method::EnergyEntropy(3))
        .entropy_base(EntropyBase::Right);
    let file = r#"
        name = "Heat"
        [parameters]
        n = 4
        a = 0.25
        [coordinates]
        x = { start = 1.0 }
        [entropies]
        S = { start = "1 + a" }
        R = { start = "k/10", count = "n", index = "k" }
        [dynamics]
        lagrangian = "x'^2/2 - exp(S)/x - sum(i, 1, n, exp(R[i]))"
        [friction]
        x = [{ force = "-x'", heats = { S = 1 } }, { force = "-x'^3", heats = { S = "a", "R[2]" = 0.75 } }]
        [heat]
        R = "k*t"
        [conduction]
        wall = { between = ["S", "R[1]"], conductance = 0.5 }
        bar = { between = ["R[i]", "R[i + 1]"], conductance = "a*i", count = "n - 1" }
        [exact]
        S = "t"
        [discrete]
        lagrangian = "(x_1 - x_0)^2/(2*h)"
        entropy = { S = "S_0 + S_1", R = "R_1[k] - R_0[k]" }
        [simulation]
        method = "energy-entropy(3)"
        entropy = "right"
    "#;
    assert_writes(&builder, file);
    let contact = Model::builder("C").coordinate("x", 1.0).entropy("S", 0.0).lagrangian("x'^2/2 - S").herglotz();
    assert_writes(
        &contact,
        r#"
        name = "C"
        coordinates = { x = { start = 1.0 } }
        entropies = { S = { start = 0.0 } }
        dynamics = { lagrangian = "x'^2/2 - S", friction = "herglotz" }
        "#,
    );
}

#[test]
fn constraints() {
    let builder = Model::builder("Constraints")
        .parameter("s", 0.5)
        .coordinate("x", [1.0, 2.0, 3.0])
        .coordinate("y", 1.0)
        .lagrangian("sum(i, 1, 3, x[i]'^2) + y'^2")
        .constraint("rod", "x[1]^2 = 1")
        .constraint("both", ["x[1]' = y'", "x[2]' = y'"])
        .constraint("skate", ConstraintSpec::equation("y'^2 = 1").kind(ConstraintKind::Vakonomic).multiplier("s"))
        .constraint("blade", ConstraintSpec::equation("y' = x[3]*x[1]'").variational("y' = 0"))
        .constraint("link", ConstraintSpec::equation("x[k + 1] = x[k] + s").count(2).index("k"))
        .discrete_lagrangian("(y_1 - y_0)^2/h")
        .discrete_constraint("rod", "x_1[1] = 1")
        .discrete_constraint("link[i]", "x_1[i + 1] = x_1[i]")
        .constraint_form(ConstraintForm::Shake)
        .project(true);
    let file = r#"
        name = "Constraints"
        [parameters]
        s = 0.5
        [coordinates]
        x = { start = [1.0, 2.0, 3.0] }
        y = { start = 1.0 }
        [dynamics]
        lagrangian = "sum(i, 1, 3, x[i]'^2) + y'^2"
        [constraints]
        rod = { equation = "x[1]^2 = 1" }
        both = { equation = ["x[1]' = y'", "x[2]' = y'"] }
        skate = { equation = "y'^2 = 1", kind = "vakonomic", multiplier = "s" }
        blade = { equation = "y' = x[3]*x[1]'", variational = "y' = 0" }
        link = { equation = "x[k + 1] = x[k] + s", count = 2, index = "k" }
        [discrete]
        lagrangian = "(y_1 - y_0)^2/h"
        constraints = { rod = "x_1[1] = 1", "link[i]" = "x_1[i + 1] = x_1[i]" }
        [simulation]
        constraints = "shake"
        project = true
    "#;
    assert_writes(&builder, file);
}

#[test]
fn boundary_problems() {
    let builder = Model::builder("Control")
        .parameter("reach", 20)
        .coordinate("x", CoordinateSpec::start(0.5))
        .coordinate("th", CoordinateSpec::default())
        .entropy("S", 1.0)
        .lagrangian("x'^2/2 + x'*th'*cos(th) + th'^2/2 - exp(S)")
        .force("th", "wind^2")
        .control("u", "x")
        .control("v", ControlSpec::default().gain("x", "cos(th)").gain("th", 2).min("-reach").max(20.0).guess("s*t"))
        .control("w", ControlSpec::on("th").count(2).index("k").max([1, 2]))
        .control("wind", ControlSpec::default())
        .running_cost("u^2 + v^2 + w[1]^2 + w[2]^2")
        .terminal_cost("S")
        .boundary(
            BoundarySpec::duration_between(0.5, "reach")
                .from(1)
                .steps(50)
                .start("x", 0.0)
                .start("x'", 0.0)
                .end("th", "pi")
                .end("S", 4)
                .via(0.5, &[("x", 1.0.into()), ("th'", Value::from("reach"))])
                .periodic_in(&["x"])
                .path("x'", None, Some(9.into()))
                .path("S", Some(0.into()), Some("reach".into()))
                .integral("work", "u*x' = 3")
                .guess("th", "pi*s"),
        );
    let file = r#"
        name = "Control"
        [parameters]
        reach = 20
        [coordinates]
        x = { start = 0.5 }
        th = {}
        [entropies]
        S = { start = 1.0 }
        [dynamics]
        lagrangian = "x'^2/2 + x'*th'*cos(th) + th'^2/2 - exp(S)"
        [forces]
        th = "wind^2"
        [controls]
        u = { on = { x = 1 } }
        v = { on = { x = "cos(th)", th = 2 }, min = "-reach", max = 20.0, guess = "s*t" }
        w = { count = 2, index = "k", on = { th = 1 }, max = [1, 2] }
        wind = {}
        [objective]
        running = "u^2 + v^2 + w[1]^2 + w[2]^2"
        terminal = "S"
        [boundary]
        duration = { min = 0.5, max = "reach" }
        from = 1
        steps = 50
        start = { x = 0.0, "x'" = 0.0 }
        end = { th = "pi", S = 4 }
        via = [{ s = 0.5, x = 1.0, "th'" = "reach" }]
        periodic = ["x"]
        path = { "x'" = { max = 9 }, S = { min = 0, max = "reach" } }
        integrals = { work = "u*x' = 3" }
        guess = { th = "pi*s" }
    "#;
    assert_writes(&builder, file);
    let spline = Model::builder("Spline")
        .coordinate("x", CoordinateSpec::start(0).acceleration(1).jerk(2).snap(3).crackle(4))
        .lagrangian("x'''^2")
        .boundary(BoundarySpec::duration_near(2).periodic());
    assert_writes(
        &spline,
        r#"
        name = "Spline"
        coordinates = { x = { start = 0, acceleration = 1, jerk = 2, snap = 3, crackle = 4 } }
        dynamics = { lagrangian = "x'''^2" }
        boundary = { duration = { guess = 2 }, periodic = true }
        "#,
    );
    let flow = Model::builder("Flow")
        .coordinate("x", CoordinateSpec::start(0).velocity(1).acceleration(2).p0(1).p1("1/2").p2(-3))
        .lagrangian("x'''^2");
    assert_writes(
        &flow,
        r#"
        name = "Flow"
        coordinates = { x = { start = 0, velocity = 1, acceleration = 2, p0 = 1, p1 = "1/2", p2 = -3 } }
        dynamics = { lagrangian = "x'''^2" }
        "#,
    );
}

#[test]
fn a_mistake_is_shown_at_its_characters() {
    let spring = Model::builder("Spring").coordinate("x", f64::INFINITY).lagrangian("x'^2/2 - k*x^2/2").force("y", "1");
    let error = spring.build().unwrap_err();
    assert_eq!((error.kind(), error.diagnostics().len()), (ErrorKind::Model, 3));
    assert!(error.to_string().contains("lagrangian = \"x'^2/2 - k*x^2/2\""), "{error}");
}
