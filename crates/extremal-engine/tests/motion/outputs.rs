//! Quantities that a model asks for by name.

use extremal_engine::Model;
use extremal_engine::sweep::Record;
use extremal_testkit::models::model;
use extremal_testkit::runs::{Lasting, record, with};
use extremal_testkit::sweeps::{SweepRows, grid};

/// A pendulum of mass 2 on a rod of length 1/2, in x and y.
fn pendulum() -> Model {
    model(
        r#"
        parameters = { m = 2, l = 0.5, g = 9.81 }
        coordinates.x = { start = 0.3, velocity = 0.8 }
        coordinates.y = { start = -0.4, velocity = 0.6 }
        definitions.height = "y + l"
        dynamics.lagrangian = "m*(x'^2 + y'^2)/2 - m*g*y"
        constraints.rod = "x^2 + y^2 = l^2"
        outputs.tension = "-2*l*lambda_rod"
        outputs.pull = "reaction_y"
        outputs.falling = "y''"
        outputs.speed = "sqrt(p_x^2 + p_y^2)/m"
        outputs.height = "height"
        outputs.share = "m*g*height/energy"
        "#,
    )
}

#[test]
fn outputs_follow_from_the_state_and_from_the_equations() {
    let model = pendulum();
    for method in ["midpoint", "trapezoidal", "compose(suzuki4, midpoint)", "dop853", "rk4"] {
        let run = record(&model, &with(&model, method, 0.001).until(0.5));
        let names = ["x", "y", "x'", "y'", "tension", "pull", "falling", "speed"];
        for [x, y, u, v, tension, pull, falling, speed] in run.rows(names) {
            let fast = u * u + v * v;
            // m (v²/l − g y/l) along the rod; what is printed of x and y is on the circle to 1e-12 or better.
            let by_hand = 2.0 * (fast / 0.5 - 9.81 * y / 0.5);
            assert!((tension - by_hand).abs() < 1e-9 * by_hand, "{method} at ({x}, {y}): {tension} and {by_hand}");
            assert!((pull + tension * y / 0.5).abs() < 1e-9 * by_hand, "{method}: {pull}");
            assert!((falling - (pull / 2.0 - 9.81)).abs() < 1e-9 * by_hand, "{method}: {falling}");
            assert!((speed - fast.sqrt()).abs() < 1e-9, "{method}: {speed}");
        }
        for [y, height, share, energy] in run.rows(["y", "height", "share", "energy"]) {
            assert!((height - (y + 0.5)).abs() < 1e-15 && (share * energy - 2.0 * 9.81 * height).abs() < 1e-12);
        }
        // They are recorded, not watched.
        assert!(run.recorder.drifts().all(|(column, _)| column.name() == "energy"), "{method}");
    }
}

#[test]
fn temperatures_and_members_of_families_have_their_names() {
    let chain = model(
        r#"
        parameters.n = 3
        coordinates.x = { count = "n", start = 0.1, velocity = "i" }
        entropies.S = 1.0
        dynamics.lagrangian = "sum(i, 1, n, x[i]'^2/2 - x[i]^4/4) - exp(S)"
        friction."x[2]" = "-0.3*x[2]'"
        outputs.momentum = "sum(i, 1, n, p_x[i])"
        outputs.warmth = "log(T_S) - S"
        "#,
    );
    let run = record(&chain, &with(&chain, "midpoint", 0.01).until(1.0));
    for [momentum, warmth, a, b, c] in run.rows(["momentum", "warmth", "p_x[1]", "p_x[2]", "p_x[3]"]) {
        assert!((momentum - (a + b + c)).abs() < 1e-15 * 8.0 && warmth.abs() < 1e-14, "{momentum} {warmth}");
    }
    let rows = SweepRows::of(&chain, &with(&chain, "midpoint", 0.01).until(1.0), grid(&["S=1:2:3"]), Record::End);
    let [first, ..] = rows.column("momentum") else { panic!("no rows") };
    assert_eq!(first.to_bits(), run.last("momentum").to_bits());
}

#[test]
fn what_the_user_has_named_comes_first() {
    let own = model(
        r#"
        parameters.energy = 7
        coordinates.x = { start = 1, velocity = 0 }
        dynamics.lagrangian = "x'^2/2 - energy*x^2/2"
        outputs.seven = "energy"
        "#,
    );
    let run = record(&own, &with(&own, "midpoint", 0.01).until(0.1));
    assert_eq!(run.last("seven"), 7.0);
}

#[test]
fn outputs_of_unknown_things_are_refused_where_they_stand() {
    let text = "[coordinates]\nx = 1\n[dynamics]\nlagrangian = \"x'^2/2\"\n[outputs]\na = \"lambda_rod\"\nb = \"x'''\"\nc = \"T_x\"";
    let problems = Model::from_toml(text).unwrap_err().render("model", false);
    for words in ["lambda_rod", "x'''", "T_x", "accelerations"] {
        assert!(problems.contains(words), "{words}: {problems}");
    }
}
