//! Systems with entropy: the audit of both laws, the tables of the papers, refusals by name.

use serde_json::Value;

use extremal_testkit::program::{Folder, call, call_with_input, json};

/// An oscillator in a bath at temperature 1, up to its friction.
const BATH: &str = r#"
coordinates.x = { start = 1.0, velocity = 1.0 }
entropies.S = 0.0
dynamics.lagrangian = "x'^2/2 - x^2/2 - S"
simulation = { step = 0.1, until = 1.0 }
"#;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// The cells of the rows of a printed table, after its heading.
fn table(text: &str) -> Vec<Vec<&str>> {
    text.lines().skip_while(|line| !line.starts_with("──")).skip(1).map(|l| l.split_whitespace().collect()).collect()
}

#[test]
fn json_has_both_laws_and_the_temperatures() {
    let report = json(&["run", "gallery:piston-between-gases", "--json"]);
    let (laws, end) = (&report["laws"], &report["end"]);
    for key in ["energy_change", "work", "heat", "max_defect", "relative"] {
        assert!(laws["first"][key].is_f64(), "{key}: {laws}");
    }
    // A few roundings of the energy per step, over 1000 steps.
    assert!(number(&laws["first"]["relative"]) < 1000.0 * 4.0 * f64::EPSILON, "{laws}");
    assert!(number(&laws["second"]["smallest_step"]) > 0.0, "{laws}");
    let (s1, s2) = (number(&end["S"]["S1"]), number(&end["S"]["S2"]));
    // The entropies start with 1 and 0.5; sums of numbers of order one.
    assert!((number(&laws["second"]["total"]) - (s1 + s2 - 1.5)).abs() < 1e-15, "{laws}");
    // U1 = exp(S1/c) x^(-1/c) and U2 = exp(S2/c) (l - x)^(-1/c), so T = U/c, with c = 1.5 and l = 2.
    let x = number(&end["q"]["x"]);
    for (name, s, room) in [("S1", s1, x), ("S2", s2, 2.0 - x)] {
        let temperature = ((s - room.ln()) / 1.5).exp() / 1.5;
        assert!((number(&end["T"][name]) - temperature).abs() < 1e-14, "{name}: {end}");
        let range = &laws["temperatures"][name];
        assert_eq!(range["last"], end["T"][name]);
        assert!(number(&range["lowest"]) <= number(&range["first"]) && range["highest"].is_f64(), "{range}");
    }
}

#[test]
fn a_system_without_entropies_has_no_laws() {
    let report = json(&["run", "gallery:viscous-oscillator", "--json"]);
    assert!(report.get("laws").is_none() && report["end"].get("S").is_none(), "{report}");
}

#[test]
fn the_summary_ends_with_the_laws() {
    let text = call(&["run", "gallery:damped-oscillator"]).succeeded();
    for words in ["temperature at start", "first law   energy change ", "second law  entropy grows by ", "T of S"] {
        assert!(text.contains(words), "{words}:\n{text}");
    }
}

#[test]
fn columns_are_in_their_order() {
    let folder = Folder::new();
    let heading = |arguments: &[&str]| {
        let all = [&["run"], arguments, &["--steps", "1", "--quiet", "--out", "run.csv"]].concat();
        folder.call(&all).succeeded();
        folder.read("run.csv").lines().next().unwrap().to_owned()
    };
    assert_eq!(heading(&["gallery:damped-oscillator"]), "t,q,q',p_q,S,T_S,energy,kinetic,internal,potential,energy_v");
    // Not variational: no energy by positions. No potential besides the gases.
    assert_eq!(heading(&["gallery:piston-between-gases"]), "t,x,x',p_x,S1,S2,T_S1,T_S2,energy,kinetic,internal");
    std::fs::write(folder.path("warmed.toml"), format!("{BATH}[heat]\nS = \"1\"\n[forces]\nx = \"t\"\n")).unwrap();
    assert_eq!(heading(&["warmed.toml"]), "t,x,x',p_x,S,T_S,energy,kinetic,internal,potential,energy_v,work,heat");
}

#[test]
fn heat_from_outside_is_accounted_for() {
    let model = format!("{BATH}[heat]\nS = \"2*t\"\n");
    let text = call_with_input(&["run", "-", "--json", "--method", "energy-entropy"], &model).succeeded();
    let first = &serde_json::from_str::<Value>(&text).unwrap()["laws"]["first"];
    // The integral of 2 t until 1, exact for the midpoint rule; ten roundings.
    assert!((number(&first["heat"]) - 1.0).abs() < 1e-14, "{first}");
    assert!((number(&first["energy_change"]) - 1.0).abs() < 1e-14, "{first}");
    assert_eq!(number(&first["work"]), 0.0);
}

/// Bajo, de León & López-Gordón (2025), table 2; see docs/papers.md for more digits and a misprint.
#[test]
fn the_table_of_the_damped_oscillator_is_reproduced() {
    let command = ["compare", "gallery:damped-oscillator", "--methods", "midpoint,rk2", "--steps", "1e-1,1e-2"];
    let whole = call(&[&command[..], &["--until", "1000"]].concat()).succeeded();
    let rows = table(&whole);
    let errors: Vec<[&str; 3]> = rows.iter().map(|row| [row[0], row[2], row[6]]).collect();
    assert_eq!(
        errors,
        [
            ["midpoint", "6.180e-3", "8.096e-4"],
            ["midpoint", "6.182e-5", "8.237e-6"],
            ["rk2", "1.228e-2", "5.623e-5"],
            ["rk2", "1.226e-4", "1.137e-5"],
        ]
    );
    let first = call(&[&command[..], &["--until", "1000", "--first", "1500"]].concat()).succeeded();
    let entropies: Vec<&str> = table(&first).iter().map(|row| row[4]).collect();
    assert_eq!(entropies, ["8.096e-3", "3.362e-5", "7.631e-3", "5.411e-5"]);
}

#[test]
fn the_first_samples_can_be_left_out() {
    // Table 3 of the same paper: 2700 by p-, 1890 by p+, which leaves out the first pair.
    let command = ["compare", "gallery:ideal-gas-piston", "--methods", "midpoint", "--steps", "0.01"];
    let drift = |more: &[&str]| table(&call(&[&command, more].concat()).succeeded())[0][6].to_owned();
    assert_eq!(drift(&[]), "2.695e3");
    assert_eq!(drift(&["--skip", "2"]), "1.894e3");
}

#[test]
fn start_and_entropy_change_the_order() {
    let command = ["compare", "gallery:cart-with-friction", "--methods", "midpoint", "--steps", "0.05,0.025", "--json"];
    let orders = |more: &[&str]| {
        let report = json(&[&command, more].concat());
        let orders = &report["rows"][1]["orders"];
        (number(&orders["x"]), number(&orders["S"]))
    };
    // The error terms of the next order are a few per cent of an order at these steps.
    let near = |(x, s): (f64, f64), (order_x, order_s): (f64, f64)| {
        assert!((x - order_x).abs() < 0.05 && (s - order_s).abs() < 0.05, "{x} {s}");
    };
    near(orders(&[]), (1.0, 1.0));
    near(orders(&["--start", "legendre"]), (2.0, 2.0));
    // The motion of the cart does not feel the entropy.
    near(orders(&["--start", "legendre", "--entropy", "left"]), (2.0, 1.0));
}

#[test]
fn compare_json_has_the_entropies() {
    let arguments = ["compare", "gallery:piston-between-gases", "--methods", "energy-entropy,midpoint", "--json"];
    let report = json(&[&arguments[..], &["--steps", "0.1,0.05", "--until", "2"]].concat());
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    for row in rows {
        for name in ["x", "S1", "S2"] {
            assert!(row["errors"][name].is_f64(), "{row}");
            assert_eq!(row["orders"][name].is_null(), row["step"] == 0.1, "{row}");
        }
    }
    // Twenty steps of a few roundings each of an energy of 3.8.
    assert!(number(&rows[0]["energy_drift"]) < 20.0 * 4.0 * 3.8 * f64::EPSILON, "{report}");
    assert!(number(&rows[2]["energy_drift"]) > 1e-6, "midpoint does not keep the energy: {report}");
}

#[test]
fn a_state_without_a_successor_is_said_to_have_none() {
    // Both arctangents of example 3.29 lie within pi/2 of zero, so they cannot sum to -4 - 2 exp(S).
    let called = call(&["run", "gallery:no-next-state", "--set", "alpha=4"]);
    assert!(called.failed_with(1).contains("no next state exists"));
    call(&["run", "gallery:no-next-state"]).succeeded();
}

#[test]
fn heat_into_an_undeclared_entropy_is_refused() {
    let message = call_with_input(&["run", "-"], &format!("{BATH}[heat]\nS2 = \"1\"\n")).failed_with(2);
    assert!(message.contains("`S2` is not an entropy") && message.contains("did you mean `S`?"), "{message}");
}

#[test]
fn friction_that_pumps_stops_the_run() {
    let model = format!("{BATH}[friction]\nx = \"0.1*x'\"\n");
    for method in ["midpoint", "energy-entropy(2)", "rk4", "dop853"] {
        let message = call_with_input(&["run", "-", "--method", method], &model).failed_with(1);
        assert!(message.contains("warning[pumping-friction]"), "{method}: {message}");
        assert!(message.contains("the friction that heats S takes energy out of the motion"), "{method}: {message}");
    }
}

#[test]
fn an_energy_without_its_entropy_is_refused() {
    let model = BATH.replace(" - S\"", "\"");
    let message = call_with_input(&["run", "-"], &model).failed_with(2);
    assert!(message.contains("`S`"), "{message}");
}

#[test]
fn combinations_that_do_not_exist_are_refused_by_name() {
    let cases: [(&[&str], &str); 6] = [
        (&["run", "gallery:damped-oscillator", "--entropy", "sideways"], "`left`, `midpoint` or `right`"),
        (&["compare", "gallery:damped-oscillator", "--entropy", "sideways"], "`left`, `midpoint` or `right`"),
        (&["run", "gallery:damped-oscillator", "--method", "galerkin(2)"], "not defined for a system with entropies"),
        (
            &["run", "gallery:damped-oscillator", "--start", "legendre", "--method", "compose(suzuki4, midpoint)"],
            "needs a symmetric step",
        ),
        (&["run", "gallery:damped-oscillator", "--method", "energy-entropy"], "`two-points` is not defined"),
        (&["run", "gallery:chain-pendulum", "--method", "energy-entropy"], "the Hamiltonian in closed form"),
    ];
    for (arguments, words) in cases {
        let message = call(arguments).failed_with(2);
        assert!(message.contains(words), "{arguments:?}:\n{message}");
    }
}

#[test]
fn a_composition_says_what_it_cannot_promise() {
    let arguments = ["run", "gallery:heat-bar", "--method", "compose(suzuki4, energy-entropy)", "--steps", "1"];
    assert!(call(&arguments).succeeded().contains("negative substeps"));
}
