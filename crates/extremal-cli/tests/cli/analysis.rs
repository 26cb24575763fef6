//! `analyze`, and what of it other commands use.

use extremal_testkit::program::{Folder, call, call_with_input, json};

const FIRST_ORDER: &str = r#"
coordinates = { x = 1.0, y = 0.0 }
dynamics.lagrangian = "x'*y - (x^2 + y^2)/2"
simulation = { step = 0.1, until = 1.0 }
"#;

#[test]
fn analyze_prints_a_page() {
    let text = call(&["analyze", "gallery:kepler"]).succeeded();
    for words in [
        "Structure\n  2 coordinates; natural: L = T2(q, q') - V(q); without explicit time; reversible\n",
        "regular: d2L/d(q')2 has rank 2 of 2\n",
        "  angular momentum = m*x*y' - m*x'*y\n      generator x = -y, y = x (Noether)\n      proved by algebra\n",
        "keeps it to round-off, as the discrete Noether condition says\n",
        "4 found, 3 of them independent (the states have 4 dimensions)\n",
        "searched: 208 products of degree up to 4 in p_x, p_y, x, y, t, 1/sqrt(x^2 + y^2)\n",
        "Stated symmetries and invariants\n",
        "Method galerkin(2, gauss(2)), step 0.05\n",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "colours in a pipe");
}

#[test]
fn analyze_json_has_the_documented_shape() {
    let report = json(&["analyze", "gallery:rolling-disc", "--json"]);
    for key in
        ["model", "order", "degrees_of_freedom", "regular", "rank", "conserved", "search", "constraints", "structure"]
    {
        assert!(!report[key].is_null(), "{key}");
    }
    assert_eq!(report["degrees_of_freedom"], 2);
    assert_eq!(report["constraints"].as_array().unwrap().len(), 2);
    let conserved = report["conserved"].as_array().unwrap();
    let spin = conserved.iter().find(|c| c["name"] == "momentum of theta").unwrap();
    assert_eq!(spin["expression"], "I*theta'");
    assert_eq!(spin["verified"], "symbolic");
    assert_eq!(spin["symmetry"]["generator"]["theta"], "1");
    assert_eq!(spin["discrete"]["exact"], true);
    let oscillator = json(&["analyze", "gallery:spring-with-friction", "--json"]);
    assert!(oscillator["conserved"].as_array().unwrap().is_empty());
    // −λ/2m = −0.3/4 of [TT] 2.16.
    let growth = oscillator["equilibrium"]["modes"][0]["growth"].as_f64().unwrap();
    assert!((growth + 0.075).abs() < 1e-12, "{growth}");
}

#[test]
fn analyze_latex_has_its_formulas_in_environments() {
    let text = call(&["analyze", "gallery:spherical-pendulum", "--latex"]).succeeded();
    let align = text.split("\\begin{align*}").nth(1).unwrap().split("\\end{align*}").next().unwrap();
    assert!(align.contains("a_{\\theta,\\theta} &= "), "{align}");
    assert!(text.contains("% regular: "), "{text}");
    assert_eq!(text.matches("\\begin{align*}").count(), text.matches("\\end{align*}").count());
    for line in align.split("\\\\\n") {
        assert_eq!(line.matches('{').count(), line.matches('}').count(), "{line}");
    }
}

#[test]
fn bounds_of_the_search_are_options() {
    let narrow = json(&["analyze", "gallery:kepler", "--degree", "2", "--json"]);
    assert_eq!(narrow["search"]["degree"], 2);
    // The Laplace vector is of degree three.
    assert_eq!(narrow["conserved"].as_array().unwrap().len(), 2);
    let few = json(&["analyze", "gallery:kepler", "--candidates", "30", "--json"]);
    assert!(few["search"]["candidates"].as_u64().unwrap() <= 30);
}

#[test]
fn discrete_regularity_is_checked_along_a_run_on_request() {
    let text = call(&["analyze", "gallery:pendulum", "--along", "25", "--step", "0.1"]).succeeded();
    assert!(text.contains("discrete equations regular: over 25 steps"), "{text}");
    assert!(text.contains("Method midpoint, step 0.1"), "{text}");
    let report = json(&["analyze", "gallery:pendulum", "--along", "25", "--json"]);
    assert_eq!(report["method"]["steps"], 25);
    for bound in report["method"]["determinant"].as_array().unwrap() {
        assert!((bound.as_f64().unwrap() - 1.0).abs() < 1e-12, "{bound}");
    }
}

#[test]
fn the_method_that_is_asked_about_is_the_one_that_is_measured() {
    let report = json(&["analyze", "gallery:kepler", "--method", "rk4", "--step", "0.02", "--json"]);
    let conserved = report["conserved"].as_array().unwrap();
    assert_eq!(report["method"]["name"], "rk4");
    assert!(conserved.iter().all(|c| c["discrete"]["exact"] == false && c["discrete"]["noether"] == false));
}

#[test]
fn found_quantities_become_columns_of_a_run() {
    let folder = Folder::new();
    let text = folder.call(&["run", "gallery:charged-particle", "--track", "found", "--json", "--out", "run.csv"]);
    let report: serde_json::Value = serde_json::from_str(&text.succeeded()).unwrap();
    let csv = folder.read("run.csv");
    let header = csv.lines().next().unwrap();
    for name in ["pseudo-momentum of x", "momentum of y", "momentum of z", "Galilean boost of z"] {
        assert!(header.contains(name), "{header}");
        // The midpoint rule keeps affine momenta of this linear system; 500 steps of round-off.
        assert!(report["invariants"][name]["max_drift"].as_f64().unwrap() < 1e-11, "{name}");
    }
    // Without the option there are none of them.
    let plain = json(&["run", "gallery:charged-particle", "--json"]);
    assert!(plain["invariants"]["Galilean boost of z"].is_null());
    // Names with commas survive in a file.
    folder.call(&["run", "gallery:three-body-figure-eight", "--track", "found", "--out", "bodies.csv"]).succeeded();
    assert!(folder.read("bodies.csv").lines().next().unwrap().contains("\"Galilean boost of x1, x2, x3\""));
}

#[test]
fn a_singular_system_is_analysed_and_runs_where_its_motion_is_unique() {
    let text = call_with_input(&["analyze", "-"], FIRST_ORDER).succeeded();
    for words in [
        "singular: d2L/d(q')2 has rank 0 of 2",
        "round 1: 0 = x + y'",
        "there is a motion through the states with",
        "(dimension 2 of 4), and only one",
        "energy = x^2/2 + y^2/2",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
    // x'' = -x, by the midpoint rule in x and y.
    let text = call_with_input(&["run", "-"], FIRST_ORDER).succeeded();
    assert!(text.contains("conserved?"), "{text}");
    let refusal = call_with_input(&["run", "-", "--method", "energy-entropy"], FIRST_ORDER).failed_with(2);
    assert!(refusal.contains("`energy-entropy` is not defined for a singular Lagrangian"), "{refusal}");
    let square_root = FIRST_ORDER.replace("x'*y - (x^2 + y^2)/2", "sqrt(1 + x'^2 + 2*x'*y' + y'^2)");
    let refusal = call_with_input(&["run", "-"], &square_root).failed_with(2);
    assert!(refusal.contains("singular"), "{refusal}");
}

#[test]
fn conditions_of_optimal_control_and_of_higher_order_are_printed() {
    let text = call(&["analyze", "gallery:cart-pole-swing"]).succeeded();
    assert!(text.contains("without control: u = 0"), "{text}");
    assert!(text.contains("the cost determines the controls: rank 1 of 1 ([VC] 7.9)"), "{text}");
    assert!(text.contains("[VC] thesis on vakonomic mechanics, ") && !text.contains("[TP]"), "{text}");
    let text = call(&["analyze", "gallery:two-pistons"]).succeeded();
    assert!(text.contains("\n  [TP] J. Bajo, M. de León, A. López-Gordón, Geometric integrators"), "{text}");
    let text = call(&["analyze", "gallery:pais-uhlenbeck"]).succeeded();
    assert!(text.contains("1 coordinate; Lagrangian of order 2; without explicit time"), "{text}");
    assert!(text.contains("regular: d2L/d(q'')2 has rank 1 of 1 ([VC] 5.9)"), "{text}");
    assert!(text.contains("hermite keeps it to order 4"), "{text}");
}

#[test]
fn the_geometry_of_a_step_is_printed_and_is_data() {
    let plain = ["analyze", "gallery:ideal-gas-piston", "--method", "midpoint", "--degree", "1"];
    let text = call(&plain).succeeded();
    for words in [
        "Geometry of the phase space\n  θ = p_x dx\n  ω = dx∧dp_x\n  η = gamma*p_x dx - x^(-1/c)*exp(S) dS\n",
        "  ω^n∧η is a volume form ([TP] proposition 1): proved\n",
        "  L_E ω = dη - dF_ext ([TP] proposition 2): proved\n",
        "Geometry of a step of midpoint\n  forward matrix ([TT] 3.25): d(p_x-, rule of S)/d(x_1, S_1)\n",
        "regular for all steps of this size: rank 2, and its determinant vanishes nowhere\n",
        "  first step: x_0 = 1, x_1 = 1, S_0 = 10\n",
        "  ω- there: 161.23463 dx_0∧dx_1 - 73.421553 dx_0∧dS_0\n",
        "  ω+ there: 161.13463 dx_0∧dx_1 + 73.421553 dx_1∧dS_0\n",
        "Φ*ω- = ω+ over 16 steps: holds to ",
        "\n  [TT] Sistemas termomecánicos lagrangianos",
    ] {
        assert!(text.contains(words), "no {words:?} in\n{text}");
    }
    let data = json(&[&plain[..], &["--json"]].concat());
    let first = &data["step_geometry"]["first"];
    assert!((first["two_forms"][0][0][1].as_f64().unwrap() - 161.2346).abs() < 5e-5, "{first}");
    assert_eq!(data["step_geometry"]["forward"]["rank"], 2);
    assert_eq!(data["geometry"]["statements"][0]["holds"], true);
    // Only where it is asked for.
    let page = call(&["analyze", "gallery:ideal-gas-piston", "--degree", "1"]).succeeded();
    assert!(!page.contains("Geometry"), "{page}");
    let latex = call(&[&plain[..], &["--latex"]].concat()).succeeded();
    assert!(latex.contains("\\omega^- &= "), "{latex}");
}
