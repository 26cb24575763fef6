//! Singular Lagrangians: the chain of constraints and the verdict, computed by hand beside each; and runs that follow it or are refused.

use extremal_engine::mechanics::analysis::ChainVerdict;
use extremal_engine::{CompiledRun, Model, Settings};

use extremal_testkit::analyses::{analysed, assert_found, typed};
use extremal_testkit::models::model;
use extremal_testkit::runs::{gallery, record};

fn singular(coordinates: &str, lagrangian: &str) -> Model {
    model(&format!(
        "[coordinates]\n{coordinates}\n[dynamics]\nlagrangian = \"{lagrangian}\"\n[simulation]\nstep = 0.01\nuntil = 1.0"
    ))
}

/// Checks the constraints of each round, up to a factor, the dimension of W_f out of that of the states, and the verdict.
fn assert_chain(model: &Model, rounds: &[&[&str]], dimensions: (Option<usize>, usize), verdict: &ChainVerdict<'_>) {
    let analysis = analysed(model);
    let seen = &analysis.regularity;
    assert!(!seen.is_regular());
    let chain = seen.chain.as_ref().unwrap();
    assert_eq!(chain.rounds.len(), rounds.len(), "{:?}", chain.rounds);
    for (found, by_hand) in chain.rounds.iter().zip(rounds) {
        assert_eq!(found.len(), by_hand.len(), "{found:?}");
        for text in *by_hand {
            let by_hand = typed(model, text);
            let same = |e: &&_| model.graph().proves_zero(**e - by_hand) || model.graph().proves_zero(**e + by_hand);
            assert!(found.iter().find(same).is_some(), "{text} is not among {found:?}");
        }
    }
    assert_eq!((seen.final_dimension, seen.state_dimension), dimensions);
    assert_eq!(std::mem::discriminant(&chain.verdict), std::mem::discriminant(verdict), "{:?}", chain.verdict);
    let settings = Settings { method: "dop853".parse().unwrap(), project: true, ..Settings::of(model) };
    if *verdict == ChainVerdict::Unique {
        let run = record(model, &settings);
        let (_, energy) = run.recorder.drifts().next().unwrap();
        assert!(energy.max_drift() < 1e-10, "{:e}", energy.max_drift());
        return;
    }
    // A run is refused, with the verdict.
    let Err(refusal) = CompiledRun::new(model, &settings) else { panic!("a singular system runs") };
    let words = refusal.to_string();
    let expected = match verdict {
        ChainVerdict::Unique => unreachable!(),
        ChainVerdict::NotUnique => "not unique",
        ChainVerdict::NoMotion { .. } => "no motion",
        ChainVerdict::Undecided { .. } => "not known",
    };
    assert!(words.contains(expected), "{words}");
}

#[test]
fn a_lagrangian_of_the_first_order() {
    // EL_x: y' + x = 0, EL_y: x' − y = 0. Both hold on a surface of dimension 2 of (x, y, x', y'); their derivatives give x'' and y''.
    let first_order = singular("x = 1.0\ny = 0.0", "x'*y - (x^2 + y^2)/2");
    assert_chain(&first_order, &[&["x + y'", "y - x'"]], (Some(2), 4), &ChainVerdict::Unique);
    // x'' = −x: an oscillator whose energy is the Hamiltonian of (x, y).
    assert_found(&first_order, &[("energy", "(x^2 + y^2)/2")]);
}

#[test]
fn a_square_root_that_does_not_depend_on_the_parameter() {
    // The path of a relativistic particle in any parameter: L is homogeneous of degree one in (s', x'), so M v = 0 and v·EL = 0 is
    // an identity. No constraint among positions and velocities; one acceleration, that of the parameter, is free.
    let path =
        singular("s = { start = 0.0, velocity = 1.0 }\nx = { start = 0.0, velocity = 0.3 }", "-sqrt(s'^2 - x'^2)");
    assert_chain(&path, &[], (Some(4), 4), &ChainVerdict::NotUnique);
    let analysis = analysed(&path);
    assert_eq!(analysis.regularity.chain.as_ref().unwrap().free.len(), 1);
    assert!(analysis.conserved.found.is_empty());
    // In its own time it is regular.
    assert!(analysed(&gallery("relativistic-particle")).regularity.is_regular());
}

#[test]
fn a_lagrangian_linear_in_one_velocity() {
    // EL_x: x'' = y'. EL_y: x' + y = 0. Its derivative x'' + y' = 0 with the first: 2 y' = 0. Then y'' = 0.
    let linear = singular("x = { start = 0.0, velocity = 0.5 }\ny = -0.5", "x'^2/2 + x*y' - y^2/2");
    assert_chain(&linear, &[&["x' + y"], &["2*y'"]], (Some(2), 4), &ChainVerdict::Unique);
}

#[test]
fn a_degenerate_example_that_needs_two_rounds() {
    // EL_x: x'' = 2 x y'. EL_y: 2 x x' + y = 0. Its derivative with x'' put in: 2 x'² + (1 + 4 x²) y' = 0, which determines y'.
    let degenerate = singular("x = 1.0\ny = 0.0", "x'^2/2 + x^2*y' - y^2/2");
    let rounds: [&[&str]; 2] = [&["2*x*x' + y"], &["2*x'^2 + (1 + 4*x^2)*y'"]];
    assert_chain(&degenerate, &rounds, (Some(2), 4), &ChainVerdict::Unique);
}

#[test]
fn a_multiplier_as_a_coordinate() {
    // EL_z: x = 0, then x' = 0; EL_x: x'' = z, so z = 0, then z' = 0: only rest is left.
    let multiplier = singular("x = 0.0\nz = 0.0", "x'^2/2 + x*z");
    assert_chain(&multiplier, &[&["x"], &["x'"], &["z"], &["z'"]], (Some(0), 4), &ChainVerdict::Unique);
}

#[test]
fn no_motion_at_all() {
    // EL_x: 1 = 0.
    let none = singular("x = 0.0\ny = 0.0", "x + y'^2/2");
    assert_chain(&none, &[&["1"]], (None, 4), &ChainVerdict::NoMotion { contradiction: none.graph().int(1) });
}

#[test]
fn a_singular_point_of_a_regular_system_is_named() {
    // det M = l² r² vanishes at r = 0 and nowhere else.
    let polar = singular("r = 0.0\nphi = 0.0", "(r'^2 + r^2*phi'^2)/2");
    let analysis = analysed(&polar);
    assert!(analysis.regularity.is_regular());
    assert_eq!(analysis.regularity.determinant, Some(typed(&polar, "r^2")));
    let Err(refusal) = CompiledRun::new(&polar, &Settings::of(&polar)) else { panic!("runs from a singular point") };
    assert!(refusal.to_string().contains("regular elsewhere"), "{refusal}");
}

#[test]
fn the_cart_pole_as_an_optimal_control_problem() {
    // [VC] 7.2: the Hessian of u² by u is 2 whatever the motion, so the condition [VC 7.9] holds; 4n = 8.
    let cart = gallery("cart-pole-swing");
    let analysis = analysed(&cart);
    let control = analysis.control.unwrap();
    assert_eq!((control.rank, control.controls, control.state_dimension), (1, 1, 8));
    // A cost without the control leaves it open: Pontryagin's controls jump between their bounds.
    let fastest = gallery("double-integrator-in-time");
    let control = analysed(&fastest).control.unwrap();
    assert_eq!((control.rank, control.controls), (0, 1));
}

#[test]
fn the_cart_pole_as_a_vakonomic_problem_of_second_order() {
    // The same with the control eliminated ([VC] 7.2, slips V1 and V2 put right): L = u²/2 with u = A x'' + B θ'' − m l sin θ θ'²,
    // subject to Φ = B x'' + C θ'' − m g l sin θ, where A = M + m, B = m l cos θ, C = m l². The matrix [VC 5.9] is
    // [[A², AB, B], [AB, B², C], [B, C, 0]], its determinant −(A C − B²)², and W_f has dimension 2kn = 8 of 9.
    let text = "[parameters]\nM = 1.0\nm = 0.3\nl = 0.5\ng = 9.81\n[coordinates]\nx = 0.0\nth = 0.0\n[definitions]\n\
                u = \"(M + m)*x'' + m*l*cos(th)*th'' - m*l*sin(th)*th'^2\"\n[dynamics]\nlagrangian = \"u^2/2\"\n[constraints]\n\
                pole = { equation = \"m*l*cos(th)*x'' + m*l^2*th'' - m*g*l*sin(th) = 0\", kind = \"vakonomic\" }\n[simulation]\n\
                method = \"hermite\"\n";
    let cart = model(text);
    let analysis = analysed(&cart);
    let seen = &analysis.regularity;
    assert_eq!((analysis.order, seen.rank, seen.unknowns), (2, 3, 3));
    assert_eq!((seen.final_dimension, seen.state_dimension), (Some(8), 9));
    // The whole matrix of the equivalent system of the first order is too large for a determinant; its block by hand is not zero.
    assert!(analysis.to_text().contains("rank 3 of 3 ([VC] 5.9)"));
}

#[test]
fn a_vakonomic_problem_of_first_order_states_its_condition() {
    // Heisenberg: M = diag(1, 1, 0), Φ_v = (y/2, −x/2, 1) up to sign: [VC 4.11] det [[M, Φ_vᵀ], [Φ_v, 0]] = −1, and W_f has
    // dimension 2n = 6 of 7, the multiplier being one of the states.
    let analysis_of = gallery("heisenberg");
    let analysis = analysed(&analysis_of);
    let seen = &analysis.regularity;
    assert_eq!((seen.rank, seen.unknowns, seen.final_dimension, seen.state_dimension), (4, 4, Some(6), 7));
    assert_eq!(seen.determinant, Some(typed(&analysis_of, "-1")));
    assert!(analysis.to_text().contains("([VC] 4.11)"));
}

#[test]
fn degrees_of_freedom_and_rank_of_constraints() {
    // Three rods between three points, of which any two fix the third length only together: independent. A rod given twice is not,
    // however it is written: as a root it is independent of the first everywhere but on the circle itself.
    for again in ["2*x^2 + 2*y^2 = 2", "y = -sqrt(1 - x^2)", "log(x^2 + y^2) = 0"] {
        let twice = format!(
            "[coordinates]\nx = {{ start = 0.6, velocity = 0.0 }}\ny = -0.8\n[dynamics]\nlagrangian = \"(x'^2 + y'^2)/2 - y\"\n\
             [constraints]\nrod = \"x^2 + y^2 = 1\"\nagain = \"{again}\"\n[simulation]\nstep = 0.01\nuntil = 1.0"
        );
        let twice = model(&twice);
        let analysis = analysed(&twice);
        assert_eq!(analysis.redundant, ["again"], "{again}");
        assert!(analysis.contradiction().is_none() && analysis.regularity.is_regular(), "{again}");
        assert_eq!((analysis.degrees_of_freedom(), analysis.regularity.final_dimension), (1, Some(2)), "{again}");
        let text = analysis.to_text();
        assert!(
            text.contains("2 constraints of rank 1 leave 2 of 4 dimensions of the states: 1 degree of freedom"),
            "{text}"
        );
        assert!(text.contains("`again` follows from `rod`"), "{text}");
    }
    let by_hand = [("rigid-body-rods", 6), ("double-pendulum-rods", 2), ("rolling-disc", 2), ("four-bar-linkage", 1)];
    for (name, freedom) in by_hand {
        let constrained = gallery(name);
        assert_eq!(analysed(&constrained).degrees_of_freedom(), freedom, "{name}");
    }
}

#[test]
fn more_conditions_than_states_are_no_dimension() {
    let model = model(
        r#"
        coordinates.x = 1.4
        dynamics.lagrangian = "x''^2/2 - if(tan(x)/(x*t) < 0, tan(x)/(x*t), 0)"
        constraints.c = "x' = x*x'"
        simulation.method = "dop853"
        "#,
    );
    let analysis = analysed(&model);
    assert_eq!(analysis.regularity.final_dimension, None);
}

#[test]
fn more_constraints_than_coordinates_leave_no_freedom() {
    let model = model(
        r#"
        coordinates.x = 0.0
        entropies.S = 1.0
        dynamics.lagrangian = "x'^2/2 - S^2"
        constraints.c0 = "x = sin(t)"
        constraints.c1 = "x + S = 1"
        "#,
    );
    assert_eq!(analysed(&model).degrees_of_freedom(), 0);
}
