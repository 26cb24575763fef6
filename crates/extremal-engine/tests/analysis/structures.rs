//! Contact and Poisson systems: what is found of their structure, and what a step keeps of it.

use extremal_engine::Settings;
use extremal_engine::analyze::{AnalysisExtent, Findings, analyze};
use extremal_engine::mechanics::analysis::{BracketDependence, Proof};
use extremal_engine::{Method, Model};
use extremal_testkit::analyses::{analysed, analysed_with_numbers, assert_equal, typed};
use extremal_testkit::models::model;
use extremal_testkit::runs::gallery;

/// The analysis with another method and step.
fn with_method<'m>(model: &'m Model, method: &str, step: f64) -> Findings<'m> {
    let method: Method = method.parse().unwrap();
    analyze(model, &Settings { method, step: Some(step), ..Settings::of(model) }, AnalysisExtent::default())
}

/// Energy and angular momentum of a rotationally symmetric contact system are dissipated, both proved.
#[test]
fn dissipated_quantities_are_found_and_proved() {
    let spring = gallery("herglotz-spring");
    let findings = analysed(&spring);
    let contact = findings.contact.as_ref().unwrap();
    assert_equal(contact.growth, typed(&spring, "-a - c*z"));
    let names: Vec<&str> = contact.dissipated.iter().map(|quantity| quantity.name.as_str()).collect();
    assert_eq!(names, ["energy", "angular momentum"]);
    let energy = "(x'^2 + y'^2)/2 + (x^2 + y^2)/2 + (x^2 + y^2)^2/4 + a*z + c*z^2/2";
    for (quantity, by_hand) in contact.dissipated.iter().zip([energy, "x*y' - y*x'"]) {
        assert_equal(quantity.expression, typed(&spring, by_hand));
        assert!(quantity.general && quantity.proof == Proof::Symbolic);
    }
    assert!(findings.symmetries[0].dissipated);
    assert!(findings.conserved.found.is_empty(), "{:?}", findings.conserved.found);
    // A symmetry of nothing is not dissipated.
    let shifted = model(
        "coordinates.x = 1.0
        action.z = 0.0
        dynamics.lagrangian = \"x'^2/2 - x^2/2 - z/10\"
        symmetries.shift = { x = 1 }",
    );
    assert!(!analysed(&shifted).symmetries[0].dissipated);
}

/// dz - p dq is scaled by variational steps to round-off, and by no other; its factor is the one that is summed up.
#[test]
fn variational_steps_are_contact_maps() {
    let spring = gallery("herglotz-spring");
    for method in ["left", "right", "theta(0.3)", "midpoint", "trapezoidal", "compose(suzuki4, midpoint)"] {
        let findings = with_method(&spring, method, 0.1);
        let contact = findings.contact.as_ref().unwrap();
        let kept = contact.kept.unwrap();
        assert!(kept.exact && kept.deviation < 1e-12, "{method}: {kept:?}");
        let (factor, by_log) = contact.factors.unwrap();
        assert!((factor - by_log).abs() < 1e-13, "{method}: {factor} {by_log}");
    }
    for (method, order) in [("rk4", 5.0), ("gauss(1)", 3.0)] {
        let kept = with_method(&spring, method, 0.1).contact.unwrap().kept.unwrap();
        assert!(!kept.exact && (kept.order.unwrap() - order).abs() < 0.5, "{method}: {kept:?}");
    }
    let oscillator = gallery("herglotz-oscillator");
    let (factor, _) = analysed_with_numbers(&oscillator).contact.unwrap().factors.unwrap();
    assert!((factor - 0.9975 / 1.0025).abs() < 1e-15, "{factor}");
}

#[test]
fn ranks_and_casimirs_of_known_brackets() {
    let cases: [(&str, usize, &[&str]); 3] = [
        ("rigid-body-momenta", 2, &["x^2 + y^2 + z^2"]),
        ("heavy-top", 4, &["g[1]^2 + g[2]^2 + g[3]^2", "m[1]*g[1] + m[2]*g[2] + m[3]*g[3]"]),
        ("lotka-volterra-three", 2, &["x*y*z"]),
    ];
    for (name, rank, casimirs) in cases {
        let model = gallery(name);
        let findings = analysed(&model);
        let poisson = findings.poisson.as_ref().unwrap();
        assert_eq!((poisson.structure.rank, poisson.jacobi), (Some(rank), true), "{name}");
        assert_eq!(poisson.structure.casimirs.len(), casimirs.len(), "{name}: {:?}", poisson.structure.casimirs);
        for by_hand in casimirs {
            let by_hand = typed(&model, by_hand);
            let found = |casimir: &&_| {
                let casimir: &extremal_engine::mechanics::analysis::Casimir<'_> = casimir;
                model.graph().proves_zero(casimir.expression - by_hand)
            };
            let casimir =
                poisson.structure.casimirs.iter().find(found).unwrap_or_else(|| panic!("{name}: no {by_hand}"));
            assert_eq!(casimir.proof, Proof::Symbolic, "{name}");
        }
        // The energy is conserved, and Casimirs are first integrals.
        assert!(findings.conserved.found.iter().any(|quantity| quantity.name == "energy"), "{name}");
        assert!(findings.conserved.independent > casimirs.len(), "{name}");
    }
}

/// Canonical brackets: the midpoint rule is a Poisson map. On so(3)* it keeps the Casimir and is one to its order alone; neither is
/// energy-preserving collocation.
#[test]
fn a_step_is_a_poisson_map_where_theory_says_so() {
    let canonical = model(
        "poisson.hamiltonian = \"p^2/2 - cos(q) + p*q^2/3\"
        poisson.variables = { q = 1.0, p = 0.3 }
        poisson.brackets = { \"q,p\" = 1 }
        simulation.step = 0.1
        simulation.until = 1",
    );
    let findings = analysed_with_numbers(&canonical);
    let poisson = findings.poisson.as_ref().unwrap();
    assert_eq!(poisson.structure.dependence, BracketDependence::Constant);
    assert!(poisson.kept.unwrap().exact, "{:?}", poisson.kept);
    let body = gallery("rigid-body-momenta");
    for (canonical_map, model, method) in [
        (true, &canonical, "gauss(2)"),
        (false, &canonical, "rk4"),
        (false, &canonical, "energy-entropy"),
        (false, &body, "midpoint"),
        // Of order four, below 1e-13 in a step of 0.1 and not in one of 0.4.
        (false, &body, "gauss(2)"),
    ] {
        let kept = with_method(model, method, 0.1).poisson.unwrap().kept.unwrap();
        assert_eq!(kept.exact, canonical_map, "{method}: {kept:?}");
    }
    // Of second order: the defect of a step is of third.
    let kept = with_method(&body, "midpoint", 0.1).poisson.unwrap().kept.unwrap();
    assert!((kept.order.unwrap() - 3.0).abs() < 0.3, "{kept:?}");
}

#[test]
fn reports_say_what_the_pages_say() {
    let body = gallery("rigid-body-momenta");
    let findings = analysed_with_numbers(&body);
    let report = serde_json::to_value(findings.report()).unwrap();
    assert_eq!((report["poisson"]["rank"].as_u64(), report["poisson"]["jacobi"].as_str()), (Some(2), Some("proved")));
    assert_eq!(report["poisson"]["casimirs"][0]["expression"], "x^2 + y^2 + z^2");
    let text = findings.to_text();
    for line in ["Poisson structure", "{x, y} = -z", "a step is no Poisson map"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let spring = gallery("herglotz-spring");
    let findings = with_method(&spring, "midpoint", 0.1);
    let report = serde_json::to_value(findings.report()).unwrap();
    assert_eq!(report["contact"]["dissipated"][1]["name"], "angular momentum");
    assert_eq!(report["contact"]["contact_map"]["exact"], true);
    assert!(findings.to_text().contains("contact form eta = dz - p_x*dx - p_y*dy"), "{}", findings.to_text());
}
