//! Constraints from the outside: what is printed, recorded, warned of and refused.

use serde_json::Value;

use extremal_testkit::program::{Folder, call, call_with_input, json};

/// A pendulum by its rod, with a place for more constraints.
const PENDULUM: &str = r#"
coordinates = { x = { start = 0.6, velocity = 0.8 }, y = { start = 0.8, velocity = -0.6 } }
dynamics.lagrangian = "(x'^2 + y'^2)/2 + 9.81*x"
simulation = { step = 0.01, until = 1.0 }
[constraints]
rod = "x^2 + y^2 = 1"
"#;

/// A four-bar linkage with equal links, which becomes flat at t = 1.07.
const RHOMBUS: &str = r#"
coordinates.x = { start = "cos(1.0)", velocity = "-2*sin(1.0)" }
coordinates.y = { start = "sin(1.0)", velocity = "2*cos(1.0)" }
coordinates.u = { start = "1 + cos(1.0)", velocity = "-2*sin(1.0)" }
coordinates.w = { start = "sin(1.0)", velocity = "2*cos(1.0)" }
dynamics.lagrangian = "(x'^2 + y'^2 + u'^2 + w'^2)/2"
constraints = { crank = "x^2 + y^2 = 1", rocker = "(u - 1)^2 + w^2 = 1", coupler = "(u - x)^2 + (w - y)^2 = 1" }
simulation = { step = 0.01, until = 3.0 }
"#;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

#[test]
fn the_summary_has_multipliers_residuals_and_degrees_of_freedom() {
    let text = call(&["run", "gallery:pendulum-rod"]).succeeded();
    for words in ["multiplier at start", "largest residual", "1 degree of freedom, 1 independent constraint"] {
        assert!(text.contains(words), "{words}:\n{text}");
    }
    let text = call(&["run", "gallery:hoop-on-incline"]).succeeded();
    assert!(text.contains("integrable: `roll` can be written as constraints on positions"), "{text}");
}

#[test]
fn json_has_the_structure_and_the_multipliers() {
    let report = json(&["run", "gallery:rigid-body-rods", "--steps", "10", "--json"]);
    let constraints = &report["constraints"];
    assert_eq!((&constraints["degrees_of_freedom"], &constraints["rank"]), (&Value::from(6), &Value::from(6)));
    let residuals = constraints["max_residual"].as_object().unwrap();
    assert_eq!(residuals.len(), 6);
    // Squares of differences of numbers of order one.
    assert!(residuals.values().all(|residual| number(residual) < 1e-14), "{constraints}");
    assert_eq!(report["end"]["lambda"].as_object().unwrap().len(), 6);
    let free = json(&["run", "gallery:pendulum", "--steps", "10", "--json"]);
    assert!(free.get("constraints").is_none() && free["end"].get("lambda").is_none(), "{free}");
}

#[test]
fn multipliers_and_reactions_are_columns() {
    let folder = Folder::new();
    folder.call(&["run", "gallery:rolling-disc", "--steps", "1", "--quiet", "--out", "run.csv"]).succeeded();
    let heading = "t,x,y,theta,phi,x',y',theta',phi',p_x,p_y,p_theta,p_phi,lambda_roll_x,lambda_roll_y,reaction_x,reaction_y,\
                   reaction_theta,energy";
    assert_eq!(folder.read("run.csv").lines().next().unwrap(), heading);
    folder.call(&["run", "gallery:chain-of-rods", "--steps", "1", "--quiet", "--out", "run.csv"]).succeeded();
    let heading = folder.read("run.csv").lines().next().unwrap().to_owned();
    assert!(heading.contains("lambda_top,lambda_link[1],lambda_link[2]"), "{heading}");
}

#[test]
fn the_same_rod_twice_is_a_warning() {
    let model = format!("{PENDULUM}again = \"2*x^2 + 2*y^2 = 2\"\n");
    let once = call_with_input(&["run", "-", "--json"], PENDULUM).succeeded();
    let twice = call_with_input(&["run", "-", "--json"], &model).succeeded();
    let [once, twice] = [once, twice].map(|text| serde_json::from_str::<Value>(&text).unwrap());
    assert_eq!(once["end"]["q"], twice["end"]["q"]);
    let warnings = twice["warnings"].to_string();
    for words in ["`again` follows from `rod`", "only the sum of their reactions is determined"] {
        assert!(warnings.contains(words), "{warnings}");
    }
    let redundant = &twice["constraints"]["redundant"][0];
    assert_eq!((&redundant["constraint"], &redundant["follows_from"][0]), (&"again".into(), &"rod".into()));
    let called = call_with_input(&["run", "-"], &model);
    let said = format!("{}{}", called.stdout, called.stderr);
    assert!(called.code == Some(0) && said.contains("`again` follows from `rod`"), "{said}");
}

#[test]
fn contradictions_and_inconsistent_starts_are_refused() {
    let contradiction = format!("{PENDULUM}longer = \"x^2 + y^2 = 4\"\n");
    let message = call_with_input(&["run", "-"], &contradiction).failed_with(2);
    assert!(message.contains("`longer` contradicts `rod`") && message.contains("-3.000e0"), "{message}");
    let off = PENDULUM.replace("start = 0.6", "start = 0.7");
    let message = call_with_input(&["run", "-"], &off).failed_with(2);
    // 0.49 + 0.64 − 1 and 2 (0.56 − 0.48).
    for words in ["`rod` is off by 1.300e-1 (positions)", "`rod` is off by 1.600e-1 (velocities)", "`--project`"] {
        assert!(message.contains(words), "{words}: {message}");
    }
    let moved = call_with_input(&["run", "-", "--project"], &off);
    let said = format!("{}{}", moved.stdout, moved.stderr);
    assert!(moved.code == Some(0) && said.contains("moved"), "{said}");
    let sideways = PENDULUM.replace("velocity = -0.6", "velocity = 0.0");
    let message = call_with_input(&["run", "-"], &sideways).failed_with(2);
    assert!(message.contains("(velocities)") && !message.contains("(positions)"), "{message}");
}

#[test]
fn a_singular_configuration_stops_the_run_and_keeps_what_was_computed() {
    let folder = Folder::new();
    std::fs::write(folder.path("rhombus.toml"), RHOMBUS).unwrap();
    let message = folder.call(&["run", "rhombus.toml", "--out", "run.csv"]).failed_with(1);
    assert!(message.contains("singular configuration") && message.contains("depends on"), "{message}");
    let rows = folder.read("run.csv");
    // Heading, start, and the steps of 0.01 until the flat configuration.
    assert!((106..=110).contains(&rows.lines().count()), "{}", rows.lines().count());
}

#[test]
fn wrong_statements_are_refused_with_their_names() {
    for (constraint, words) in [
        ("speed = \"x'^2 + y'^2 = 1\"", "affine"),
        ("flat = \"x''= 0\"", "x''"),
        ("rail = \"z = 0\"", "z"),
        ("rail = \"x + y\"", "="),
    ] {
        let message = call_with_input(&["run", "-"], &format!("{PENDULUM}{constraint}\n")).failed_with(2);
        assert!(message.contains(words), "{constraint}: {message}");
    }
    for (arguments, words) in [
        (["run", "gallery:rolling-disc", "--method", "galerkin(2)"], "not defined under nonholonomic constraints"),
        (["run", "gallery:skate-on-incline-vakonomic", "--method", "energy-entropy"], "not defined under vakonomic"),
    ] {
        let message = call(&arguments).failed_with(2);
        assert!(message.contains(words), "{arguments:?}: {message}");
    }
}

#[test]
fn derive_prints_constrained_equations() {
    let text = call(&["derive", "gallery:pendulum-rod"]).succeeded();
    for line in [
        "m*x'' - g*m = 2*lambda_rod*x",
        "m*y'' = 2*lambda_rod*y",
        "2*x*x' + 2*y*y' = 0",
        "2*x*x'' + 2*x'^2 + 2*y*y'' + 2*y'^2 = 0",
        "p_y_0 = m*(y_1 - y_0)/h - h*lambda_rod_0*y_0",
        "p_y_1 = h*lambda_rod_1*y_1 + m*(y_1 - y_0)/h",
        "0 = x_1^2 - l^2 + y_1^2",
        "0 = 2*x_1*x_1' + 2*y_1*y_1'",
    ] {
        assert!(text.lines().any(|printed| printed.trim() == line), "{line}:\n{text}");
    }
    let text = call(&["derive", "gallery:skate-on-incline-vakonomic", "--form", "lagrange"]).succeeded();
    assert!(text.contains("J*theta'' - lambda_blade*x'*cos(theta) - lambda_blade*y'*sin(theta) = 0"), "{text}");
}

#[test]
fn every_constrained_run_can_be_compared() {
    for (name, methods, order) in [
        ("pendulum-rod", "midpoint", 2.0),
        ("rolling-disc", "trapezoidal", 2.0),
        ("skate-on-incline-vakonomic", "midpoint", 2.0),
        ("pendulum-in-gas", "compose(suzuki4, midpoint)", 4.0),
    ] {
        let target = format!("gallery:{name}");
        let arguments = ["compare", &target, "--methods", methods, "--steps", "0.04,0.02", "--until", "1.7"];
        let report = json(&[&arguments[..], &["--against", "dop853", "--json"]].concat());
        let orders = report["rows"][1]["orders"].as_object().unwrap();
        // One halving: the next order shows in the second digit. What the method gets exactly has no order.
        let measured: Vec<f64> = orders.values().filter_map(Value::as_f64).filter(|o| *o > 0.5).collect();
        assert!(!measured.is_empty() && measured.iter().all(|o| (o - order).abs() < 0.3), "{name}: {report}");
    }
}

/// A constraint that follows from another holds at every point of it up to round-off; one that is only tangent to it at the start
/// does not, however small the difference: of y²/20 at a point 1e-3 away, 1e-8 of the terms is left.
#[test]
fn what_is_dependent_only_at_the_start_does_not_follow() {
    let model = |other: &str| {
        format!(
            "[coordinates]\nx = {{ start = 1.0 }}\ny = {{ start = 0.0 }}\nz = {{ start = 0.0, velocity = 1.0 }}\n[dynamics]\n\
             lagrangian = \"(x'^2 + y'^2 + z'^2)/2\"\n[constraints]\na = \"x^2 + y^2 = 1\"\nb = \"{other}\"\n[simulation]\n\
             method = \"midpoint\"\nstep = 0.1\nuntil = 1.0\n"
        )
    };
    let said = call_with_input(&["run", "-"], &model("x^2 + 1.05*y^2 = 1")).failed_with(2);
    assert!(said.contains("singular configuration") && said.contains("but not nearby"), "{said}");
    let printed = call_with_input(&["run", "-", "--json"], &model("0.3*x^2 + 0.3*y^2 = 0.3")).succeeded();
    assert!(printed.contains("follows from"), "{printed}");
}
