//! Gradients of what a motion ends with: backward through its steps, beside forward.

use extremal_engine::{CompiledRun, Settings};
use extremal_testkit::runs::{Lasting, executed, gallery, with};

/// Both ways through the same steps differ by round-off alone.
#[test]
fn backward_and_forward_are_the_same() {
    for (name, method, quantity) in [
        ("double-pendulum", "midpoint", "θ1"),
        ("double-pendulum", "compose(suzuki4, midpoint)", "p_θ2"),
        ("double-pendulum", "gauss(2)", "θ2'"),
        ("kepler", "trapezoidal", "x"),
        ("damped-oscillator", "midpoint", "q'"),
        ("two-vessels", "midpoint", "S1"),
    ] {
        let model = gallery(name);
        let settings = if name == "two-vessels" { Settings::of(&model) } else { with(&model, method, 0.03) }.steps(60);
        let gradient =
            CompiledRun::new(&model, &settings).unwrap().gradient(quantity).unwrap_or_else(|e| panic!("{name}: {e}"));
        let names: Vec<String> = gradient.slopes.iter().map(|slope| slope.name.clone()).collect();
        assert!(names.len() > 2, "{name}: {names:?}");
        for slope in &gradient.slopes {
            // One by one: a parameter that follows another stays where it is if both are asked for.
            let settings = Settings { sensitivity: vec![slope.name.clone()], ..settings.clone() };
            let forward = executed(&CompiledRun::new(&model, &settings).unwrap());
            assert_eq!(gradient.value.to_bits(), forward.last(quantity).to_bits(), "{name}");
            let found = forward.last(&format!("d{quantity}/d{}", slope.name));
            let size = gradient.slopes.iter().map(|slope| slope.slope.abs()).fold(1.0, f64::max);
            assert!((slope.slope - found).abs() < 1e-10 * size, "{name}, {method}: {slope:?}, forward {found}");
        }
    }
}

#[test]
fn what_has_no_gradient_is_said() {
    let model = gallery("kepler");
    let run = CompiledRun::new(&model, &Settings::of(&model)).unwrap();
    assert!(run.gradient("z").unwrap_err().to_string().contains("no column, definition or error is named `z`"));
    assert!(run.gradient("p_*").unwrap_err().to_string().contains("several columns"));
    assert!(run.gradient("t").unwrap_err().to_string().contains("not a function of the state"));
}
