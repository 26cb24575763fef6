//! Lagrangians with accelerations, and curves under integral constraints.

use extremal_engine::mechanics::analysis::Symmetry;

use extremal_testkit::analyses::{analysed, assert_equal, assert_found, typed};
use extremal_testkit::runs::gallery;

#[test]
fn the_oscillator_of_pais_and_uhlenbeck_keeps_the_energies_of_both_its_frequencies() {
    let oscillator = gallery("pais-uhlenbeck");
    let analysis = analysed(&oscillator);
    assert_eq!(analysis.order, 2);
    let seen = &analysis.regularity;
    assert_eq!((seen.rank, seen.unknowns, seen.state_dimension, seen.final_dimension), (1, 1, 4, Some(4)));
    let energy = &analysis.conserved.found[0];
    assert_eq!((energy.name.as_str(), &energy.symmetry), ("energy", &Some(Symmetry::Time)));
    let ostrogradsky = "x''^2/2 - x'*x''' - (a^2 + b^2)*x'^2/2 - a^2*b^2*x^2/2";
    assert_equal(energy.expression, typed(&oscillator, ostrogradsky));
    // x = A cos(at + …) + B cos(bt + …): x'' + b² x contains A only, and (x''' + b² x')² + a² (x'' + b² x)² is its energy.
    let second = analysis.conserved.found.iter().find(|c| c.name == "quadratic integral").unwrap();
    assert!(second.general);
    let of_a = typed(&oscillator, "(x''' + b^2*x')^2 + a^2*(x'' + b^2*x)^2");
    let of_b = typed(&oscillator, "(x''' + a^2*x')^2 + b^2*(x'' + a^2*x)^2");
    let g = oscillator.graph();
    // Every quadratic integral without resonance is a combination of the two: compare the coefficients of x''² and x'''².
    let [x2, x3] = ["x''", "x'''"].map(|name| g.symbol(name));
    let half = |e: extremal_engine::expr::Expr<'_>, s: extremal_engine::expr::Expr<'_>| {
        let (e, s) = (g.expr(e.id()), g.expr(s.id()));
        g.gradient(g.gradient(e, &[s])[0], &[s])[0] / 2
    };
    let (a, b) = (typed(&oscillator, "a"), typed(&oscillator, "b"));
    let (c2, c3) = (half(second.expression, x2), half(second.expression, x3));
    // α + β = c3, α a² + β b² = c2.
    let beta = (c2 - c3 * a.powi(2)) / (b.powi(2) - a.powi(2));
    assert_equal(second.expression, (c3 - beta) * of_a + beta * of_b);
}

#[test]
fn a_spline_is_a_cubic() {
    let spline = gallery("cubic-spline");
    let analysis = analysed(&spline);
    // y'''' = 0: the four coefficients of the cubic, by their Ostrogradsky momenta p = −y''' and p' = y''.
    assert_eq!((analysis.conserved.independent, analysis.conserved.most), (4, 4));
    let momentum = analysis.conserved.found.iter().find(|c| c.name == "momentum of y").unwrap();
    assert_equal(momentum.expression, typed(&spline, "-y'''"));
    let slope = analysis.conserved.found.iter().find(
        |c| matches!(&c.symmetry, Some(Symmetry::Point { generator, .. }) if generator[0] == typed(&spline, "x")),
    );
    // The shift y → y + ε x.
    assert_equal(slope.unwrap().expression, typed(&spline, "y'' - x*y'''"));
}

#[test]
fn the_curve_of_dido_is_a_circle() {
    // L = y + mu sqrt(1 + y'²): both integrals together are (x − x0)² + (y − y0)² = mu².
    let dido = gallery("dido");
    let analysis = analysed(&dido);
    assert_eq!(analysis.multipliers.len(), 1);
    assert_found(
        &dido,
        &[("energy", "-mu_rope/sqrt(1 + y'^2) + y"), ("pseudo-momentum of y", "mu_rope*y'/sqrt(1 + y'^2) + x")],
    );
}
