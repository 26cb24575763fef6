//! What cannot be exported is said by name; what has odd names can.

use extremal_engine::Settings;
use extremal_engine::eval::source::Language;
use extremal_engine::export::{ExportTarget, export};
use extremal_testkit::models::model;
use extremal_testkit::runs::{gallery, gallery_with, with};

use super::files::{Exported, WorkFolder, in_c, in_rust};

fn refusal(name: &str, change: impl FnOnce(Settings) -> Settings) -> String {
    let model = gallery(name);
    let settings = change(Settings::of(&model));
    match export(&model, &settings, ExportTarget::Source(Language::C)) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{name} is not refused"),
    }
}

#[test]
fn what_has_no_single_step_is_refused() {
    let adaptive = refusal("pendulum", |settings| Settings { method: "dop853".parse().unwrap(), ..settings });
    assert!(adaptive.starts_with("`dop853` chooses its steps as it goes"), "{adaptive}");
    let dry = refusal("stick-slip", |settings| settings);
    assert!(dry.starts_with("dry friction cannot be exported"), "{dry}");
    let points = refusal("damped-oscillator", |settings| settings);
    assert!(points.starts_with("the start `two-points` cannot be exported"), "{points}");
    let momenta = refusal("cart-pole-flow", |settings| settings);
    assert!(momenta.starts_with("a motion from momenta cannot be exported"), "{momenta}");
    let unfit = refusal("pendulum-in-gas", |settings| Settings { method: "hermite".parse().unwrap(), ..settings });
    assert!(unfit.contains("hermite"), "{unfit}");
}

#[test]
fn large_families_are_refused() {
    let model = gallery_with("fermi-pasta-ulam", &[("n", "500")]);
    let error = export(&model, &Settings::of(&model), ExportTarget::Source(Language::Rust)).unwrap_err().to_string();
    assert!(error.starts_with("the state has 1000 numbers, and up to 256 are exported"), "{error}");
}

/// Names that are keywords, functions or arguments of the emitted code, and no name at all.
#[test]
fn odd_names_are_taken() {
    let text = r#"
        parameters = { "if" = 2, fn = 3, double = 1, w1 = 5, p = 0.5 }
        coordinates = { x = { start = 1, velocity = 0.5 }, given = 0.5, out = 0.25 }
        dynamics.lagrangian = "(double*x'^2 + given'^2 + out'^2)/2 - fn*x^4/4 - w1*given^2*x^2/2 - p*out^4 + fn*sin(out)"
        simulation = { step = 0.01, until = 1, method = "trapezoidal" }
    "#
    .replace("\"if\" = 2, ", "");
    let of = model(&text);
    let settings = with(&of, "trapezoidal", 0.01);
    let models = [Exported { name: "odd", model: of, settings }];
    let folder = WorkFolder::new("odd");
    assert_eq!(in_c(&models, &folder), in_rust(&models, &folder));
}

#[test]
fn the_document_is_whole() {
    let model = gallery("pendulum-in-gas");
    let text = export(&model, &Settings::of(&model), ExportTarget::Latex).unwrap();
    assert!(text.starts_with("\\documentclass"), "{text}");
    assert!(text.ends_with("\\end{document}\n"), "{text}");
    let count = |what: &str| text.matches(what).count();
    assert!(count("\\begin{align*}") >= 5, "{text}");
    assert_eq!(count("\\begin{align*}"), count("\\end{align*}"));
    // Outside of formulas nothing is left that would start one.
    let outside = text.split("\\begin{align*}").map(|part| part.split("\\end{align*}").last().unwrap());
    for line in outside.flat_map(str::lines).filter(|line| !line.starts_with('\\')) {
        let bare = line.replace("\\_", "").replace("\\^{}", "");
        assert!(bare.matches('$').count() % 2 == 0, "{line}");
        let plain: String = bare.split('$').step_by(2).collect();
        assert!(!plain.contains(['_', '^', '&', '#']), "{line}");
    }
}
