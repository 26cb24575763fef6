//! Tables in files, and controls that are given.

use extremal_testkit::program::Folder;

fn last_row(text: &str) -> Vec<f64> {
    text.lines().last().unwrap().split(',').map(|cell| cell.parse().unwrap()).collect()
}

/// A parabola is its own spline: a ball on it is an oscillator, whose closed form is typed here.
#[test]
fn a_table_is_read_from_beside_the_model() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("deep")).unwrap();
    std::fs::write(folder.path("deep/well.csv"), "# measured\ndepth; place\n2; -1\n0; 0\n2; 1\n8; 2\n").unwrap();
    let model = r#"
        tables.well = { file = "well.csv", x = "place", y = "depth", interpolation = "cubic" }
        coordinates = { x = 0.5 }
        dynamics.lagrangian = "x'^2/2 - well(x)"
        exact.x = "cos(2*t)/2"
        outputs.push = "-well'(x)"
        simulation = { step = 0.001, until = 1.0, method = "galerkin(2)" }
    "#;
    std::fs::write(folder.path("deep/model.toml"), model).unwrap();
    folder.call(&["run", "deep/model.toml", "--columns", "error_x,push,x", "--out", "run.csv"]).succeeded();
    let row = last_row(&folder.read("run.csv"));
    // Fourth order: h⁴ and the round-off of a thousand steps.
    assert!(row[0].abs() < 1e-12 && (row[1] + 4.0 * row[2]).abs() < 1e-14, "{row:?}");
}

/// The oscillator as a force and as a feedback has the same bits; the row of the control is its law.
#[test]
fn a_law_is_a_force() {
    let folder = Folder::new();
    let model = |what: &str| {
        format!(
            "coordinates = {{ x = 1.0 }}\ndynamics.lagrangian = \"x'^2/2\"\n{what}\nsimulation = {{ step = 0.1, until = 5.0 }}\n"
        )
    };
    std::fs::write(folder.path("force.toml"), model("forces.x = \"-3*x - x'/5\"")).unwrap();
    std::fs::write(folder.path("law.toml"), model("controls.u = { on = \"x\", law = \"-3*x - x'/5\" }")).unwrap();
    std::fs::write(folder.path("other.toml"), model("controls.u = { on = \"x\", law = \"t\" }")).unwrap();
    folder.call(&["run", "force.toml", "--columns", "t,x,x'", "--out", "force.csv"]).succeeded();
    folder.call(&["run", "law.toml", "--columns", "t,x,x'", "--out", "law.csv"]).succeeded();
    folder
        .call(&["run", "other.toml", "--control", "u=-3*x - x'/5", "--columns", "t,x,x'", "--out", "other.csv"])
        .succeeded();
    assert_eq!(folder.read("force.csv"), folder.read("law.csv"));
    assert_eq!(folder.read("force.csv"), folder.read("other.csv"));
    folder.call(&["run", "law.toml", "--columns", "u,x,x'", "--out", "control.csv"]).succeeded();
    let row = last_row(&folder.read("control.csv"));
    assert!((row[0] - (-3.0 * row[1] - row[2] / 5.0)).abs() < 1e-15);
}

/// A swing-up is followed again: with the steps of the solution the discrete motion is the solution, to the tolerance of its search (1e-8)
/// times what the upright pole makes of it; another mass misses the end, and a feedback to the found motion misses it by less.
#[test]
fn an_optimal_motion_is_followed_again() {
    let folder = Folder::new();
    folder.call(&["solve", "gallery:cart-pole-swing", "--out", "s.csv"]).succeeded();
    let followed = |model: &str, more: &[&str]| {
        let run = ["run", model, "--step", "0.04", "--until", "2", "--columns", "th,x", "--out", "run.csv"];
        folder.call(&[&run[..], more].concat()).succeeded();
        last_row(&folder.read("run.csv"))
    };
    let again = followed("gallery:cart-pole-swing", &["--controls", "s.csv"]);
    assert!(again[0].abs() < 1e-6 && (again[1] - 1.0).abs() < 1e-6, "{again:?}");
    let disturbed = followed("gallery:cart-pole-swing", &["--controls", "s.csv", "--set", "m=0.31"]);
    assert!(disturbed[0].abs() > 0.05, "{disturbed:?}");
    let mut text = folder.call(&["gallery", "cart-pole-swing"]).succeeded();
    text.push_str("\n[tables]\n");
    for (name, column, kind) in [("force", "u", "constant"), ("angle", "th", "cubic"), ("turn", "th'", "cubic")] {
        let rest = format!("interpolation = \"{kind}\", outside = \"hold\"");
        text.push_str(&format!("{name} = {{ file = \"s.csv\", x = \"t\", y = \"{column}\", {rest} }}\n"));
    }
    std::fs::write(folder.path("closed.toml"), text).unwrap();
    // The cart pushes the pole by the cosine of its angle.
    let law = "u=force(t) + (20*(th - angle(t)) + 3*(th' - turn(t)))*cos(angle(t))";
    let closed = followed("closed.toml", &["--control", law, "--set", "m=0.31"]);
    assert!(closed[0].abs() < 0.05 * disturbed[0].abs(), "{closed:?} and {disturbed:?}");
}

/// Controls are followed in the shape that they were found in: with the steps of the solution its motion comes again.
#[test]
fn controls_are_followed_in_their_shape() {
    let folder = Folder::new();
    for (model, step, until, end) in [
        // Three values in a step, of two controls in the rates of states.
        ("gallery:unicycle", "0.025", "1", "unicycle.csv"),
        ("gallery:hard-spring", "0.05", "2", "hard-spring.csv"),
        ("gallery:bounded-jerk", "0.03125", "1", "bounded-jerk.csv"),
    ] {
        folder.call(&["solve", model, "--out", end]).succeeded();
        let header = folder.read(end).lines().next().unwrap().to_owned();
        let columns: Vec<&str> =
            header.split(',').skip(1).take(if model.ends_with("unicycle") { 3 } else { 2 }).collect();
        let out = ["--columns", &columns.join(","), "--out", "run.csv"];
        let run = ["run", model, "--step", step, "--until", until, "--controls", end];
        folder.call(&[&run[..], &out].concat()).succeeded();
        let (solution, motion) = (last_cells(&folder.read(end)), last_row(&folder.read("run.csv")));
        for (found, followed) in solution[1..].iter().zip(&motion) {
            let found: f64 = found.parse().unwrap();
            assert!((found - followed).abs() < 1e-7, "{model}: {solution:?} and {motion:?}");
        }
    }
    // Without the stages each value would hold through its step.
    let text = folder.read("hard-spring.csv").replace("stage_", "other_");
    std::fs::write(folder.path("held.csv"), text).unwrap();
    let run = ["run", "gallery:hard-spring", "--step", "0.05", "--until", "2", "--controls", "held.csv"];
    folder.call(&[&run[..], &["--columns", "x", "--out", "run.csv"]].concat()).succeeded();
    let found: f64 = last_cells(&folder.read("hard-spring.csv"))[1].parse().unwrap();
    assert!((last_row(&folder.read("run.csv"))[0] - found).abs() > 1e-4);
}

fn last_cells(text: &str) -> Vec<String> {
    text.lines().last().unwrap().split(',').map(str::to_owned).collect()
}

#[test]
fn what_cannot_be_given_is_refused_by_name() {
    let folder = Folder::new();
    std::fs::write(folder.path("rows.csv"), "t,v\n0,1\n1,2\n").unwrap();
    let refused = [
        (vec!["--control", "v=1"], "the model has no control `v`"),
        (vec!["--control", "u=x''"], "cannot be used in the law of a control"),
        (vec!["--control", "u[2]=1"], "there is no control `u[2]`"),
        (vec!["--controls", "rows.csv"], "has no column of a control"),
    ];
    for (more, message) in refused {
        let run = ["run", "gallery:cart-pole-swing", "--step", "0.1", "--until", "1"];
        let said = folder.call(&[&run[..], &more].concat()).failed_with(2);
        assert!(said.contains(message), "{message}: {said}");
    }
}
