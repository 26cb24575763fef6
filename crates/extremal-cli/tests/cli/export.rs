//! `extremal export`.

use extremal_testkit::program::{Folder, call, call_with_input};

const SPRING: &str = r#"
name = "Spring"
coordinates.x = 1.0
dynamics.lagrangian = "x'^2/2 - x^4/4"
simulation = { step = 0.1, until = 1.0 }
"#;

#[test]
fn a_file_is_written_or_printed() {
    let folder = Folder::new();
    assert_eq!(folder.call(&["export", "gallery:pendulum", "--to", "c", "--out", "pendulum.c"]).succeeded(), "");
    let written = folder.read("pendulum.c");
    assert_eq!(call(&["export", "gallery:pendulum", "--to", "c"]).succeeded(), written);
    assert!(written.starts_with("// Pendulum\n"), "{written}");
    assert!(written.contains("midpoint (order 2; keeps: symplectic form"), "{written}");
    for (language, sign) in [
        ("rust", "pub fn step(p: &Parameters"),
        ("python", "def step(p, t, h, x):"),
        ("julia", "function step(p, t, h, x)"),
    ] {
        let text = call_with_input(&["export", "-", "--to", language, "--method", "rk4"], SPRING).succeeded();
        assert!(text.contains(sign) && text.contains("rk4"), "{text}");
    }
    let document = call_with_input(&["export", "-", "--to", "latex"], SPRING).succeeded();
    assert!(document.contains("\\title{Spring}"), "{document}");
}

#[test]
fn parameters_are_those_of_the_call() {
    let text = call(&["export", "gallery:pendulum", "--to", "python", "--set", "l=0.25"]).succeeded();
    assert!(text.contains("self.l = 0.25"), "{text}");
}

#[test]
fn what_cannot_be_exported_says_what_to_do() {
    let error = call(&["export", "gallery:pendulum", "--to", "c", "--method", "dop853"]).failed_with(2);
    assert!(error.contains("chooses its steps as it goes") && error.contains("say `--method midpoint`"), "{error}");
    let error = call(&["export", "gallery:spring-in-gas", "--to", "c"]).failed_with(2);
    assert!(error.contains("say `--start legendre`"), "{error}");
    let without = SPRING.replace("step = 0.1, ", "");
    let error = call_with_input(&["export", "-", "--to", "c"], &without).failed_with(2);
    assert!(error.contains("or say `--step 0.01`"), "{error}");
    assert!(
        call_with_input(&["export", "-", "--to", "c", "--step", "0.01"], &without).succeeded().contains("spring_step")
    );
    let folder = Folder::new();
    std::fs::write(folder.path("spring.toml"), SPRING).unwrap();
    let error = folder.call(&["export", "spring.toml", "--to", "c", "--out", "spring.toml"]).failed_with(2);
    assert!(error.contains("would be written over"), "{error}");
    assert_eq!(folder.read("spring.toml"), SPRING);
}
