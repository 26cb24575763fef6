//! Work that nobody asked for has an end, counted and not timed: what is beyond it is said.

use serde_json::Value;

use extremal_testkit::program::Folder;

fn folder_with(model: &str) -> Folder {
    let folder = Folder::new();
    std::fs::write(folder.path("model.toml"), model).unwrap();
    folder
}

/// One coordinate with a kinetic energy, a potential and a friction.
fn body(start: &str, kinetic: &str, potential: &str, friction: &str) -> String {
    format!(
        "[parameters]\nm = 1\n[coordinates]\nx = {{ {start} }}\n[dynamics]\nlagrangian = \"m*{kinetic} - {potential}\"\n\
         [friction]\nx = \"{friction}\"\n[simulation]\nmethod = \"dop853\"\nstep = 10\nuntil = 500\n"
    )
}

#[test]
fn an_adaptive_run_that_gets_nowhere_says_what_keeps_its_steps_short() {
    let jumping = body("start = 2, velocity = 1e-30", "x'^2/2", "0", "-sign(x')").replace(
        "[dynamics]\nlagrangian = \"",
        "y = { start = 2, velocity = 1e-9 }\n[dynamics]\nlagrangian = \"y'^2/2 + x'*y'/3 + ",
    );
    let stiff = body("start = 1", "x'^2/2", "x^2/2", "-1e6*x'");
    let fast = body("start = 1", "x'^2/2", "5e5*x^2", "0");
    let cases = [
        (jumping, "forces jump there"),
        (stiff, "the equations are stiff there"),
        (fast, "the motion is that fast there"),
    ];
    for (text, why) in cases {
        let folder = folder_with(&text);
        for method in ["dop853", "dopri5"] {
            let said = folder.call(&["run", "model.toml", "--quiet", "--method", method]).failed_with(1);
            assert!(said.contains(why) && said.contains("steps of the integrator it is at t = "), "{method}: {said}");
        }
        // A member is its run.
        let run = folder.call(&["run", "model.toml", "--quiet"]).failed_with(1);
        let sweep = ["sweep", "model.toml", "--vary", "m=1", "--quiet", "--out", "members.csv"];
        let member = folder.call(&sweep).failed_with(1);
        let reason = member.split("the first is 0: ").nth(1).unwrap().lines().next().unwrap();
        assert!(run.contains(reason), "{run}\n{reason}");
        assert!(folder.read("members.csv").contains(",failed,"));
    }
}

#[test]
fn the_step_that_is_advised_leaves_enough_steps() {
    // At 1000 radians a second, in 100 seconds, by steps of a third of a radian: more than are saved up.
    let folder = folder_with(&body("start = 1", "x'^2/2", "5e5*x^2", "0"));
    let said = folder.call(&["run", "model.toml", "--quiet", "--until", "100"]).failed_with(1);
    let advised = said.split("with records every ").nth(1).unwrap().split_whitespace().next().unwrap();
    let found = folder.call(&["run", "model.toml", "--until", "100", "--step", advised, "--json"]).succeeded();
    let found: Value = serde_json::from_str(&found).unwrap();
    let x = found["end"]["q"]["x"].as_f64().unwrap();
    // The phase is 1e5, of which 1e-12 is lost in each of some 3e5 steps at most.
    assert!((x - f64::cos(1e5)).abs() < 1e-5, "{x}");
}

#[test]
fn a_comparison_whose_reference_does_not_arrive_says_so() {
    let folder = folder_with(&body("start = 1", "x'^2/2", "5e15*x^2", "0"));
    let arguments = ["compare", "model.toml", "--methods", "midpoint", "--steps", "0.1,0.05", "--until", "1"];
    let said = folder.call(&arguments).failed_with(1);
    assert!(said.contains("the reference solution fails: stopped at step 1") && said.contains("that fast"), "{said}");
}

#[test]
fn a_refinement_that_does_not_settle_ends_with_the_last_grid_it_solved() {
    // The mass vanishes wherever x passes a quarter of a turn, as it has to on the way.
    let folder = folder_with(
        "[coordinates]\nx = {}\n[dynamics]\nlagrangian = \"cos(x)^2*x'^2/2 - x\"\n[controls]\nu = { on = \"x\", min = -20, max = 20 }\n\
         [objective]\nrunning = \"u^2 + x^2\"\n[boundary]\nduration = 10\nsteps = 2\nstart = { x = 1, \"x'\" = 1 }\n\
         end = { x = -1, \"x'\" = -1 }\n[simulation]\nmethod = \"trapezoidal\"\n",
    );
    let called = folder.call(&["solve", "model.toml", "--refine", "1e-4", "--json"]);
    assert_eq!(called.code, Some(1), "{}", called.stderr);
    let found: Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(found["status"], "unresolved");
    let levels = found["refinement"].as_array().unwrap();
    let work = |level: &Value| level["steps"].as_u64().unwrap() * level["iterations"].as_u64().unwrap();
    assert!(levels.iter().map(work).sum::<u64>() < 250_000, "{levels:?}");
    assert_eq!(levels.last().unwrap()["steps"], found["steps"]);
    assert!(
        called.stderr.contains("the refinement ended at its limit") && called.stderr.contains("of itself"),
        "{}",
        called.stderr
    );
}
