//! Functions that are given by tables: their values against numbers found otherwise, and their derivatives against their own pieces.

use extremal_expr::{Graph, Interpolation, OutsideTable, TableFunction, TableProblem};

const X: [f64; 6] = [0.0, 1.0, 2.5, 3.0, 5.0, 6.0];
const Y: [f64; 6] = [0.0, 1.0, 0.5, -0.3, 0.2, 2.0];

fn through(interpolation: Interpolation, outside: OutsideTable) -> TableFunction {
    TableFunction::through("f", &X, &Y, interpolation, outside).unwrap()
}

/// The spline by its second derivatives, from a dense elimination in another language; round-off of numbers near 1.
#[test]
fn the_cubic_spline_is_the_one_with_one_polynomial_at_each_end() {
    let f = through(Interpolation::Cubic, OutsideTable::Error);
    let expected = [
        (0.3, 0.370_075_921_908_893_7),
        (1.7, 1.151_722_342_733_188_9),
        (2.9, -0.150_484_164_859_002_04),
        (4.4, -0.523_161_822_125_813_2),
        (5.6, 1.220_610_845_986_984),
    ];
    for (x, y) in expected {
        assert!((f.value(x) - y).abs() < 1e-14, "{x}: {} and {y}", f.value(x));
    }
    // A cubic polynomial is its own spline.
    let cubic = |x: f64| 2.0 - x + 0.5 * x * x - 0.25 * x * x * x;
    let same = TableFunction::through("c", &X, &X.map(cubic), Interpolation::Cubic, OutsideTable::Hold).unwrap();
    for x in [0.2, 1.9, 4.5, 5.9] {
        assert!((same.value(x) - cubic(x)).abs() < 1e-13);
    }
}

#[test]
fn every_interpolation_meets_its_points_with_as_many_derivatives_as_it_should() {
    let cases = [(Interpolation::Linear, 0), (Interpolation::Monotone, 1), (Interpolation::Cubic, 2)];
    for (interpolation, smooth) in cases {
        let mut f = through(interpolation, OutsideTable::Error);
        for (x, y) in X.iter().zip(Y) {
            assert!((f.value(*x) - y).abs() < 1e-14, "{interpolation:?} at {x}");
        }
        for order in 0..=smooth {
            for x in &X[1..5] {
                let (left, right) = (f.value(x - 1e-9), f.value(x + 1e-9));
                // The next derivative is below 100.
                assert!((left - right).abs() < 1e-6, "{interpolation:?}, derivative {order} at {x}");
            }
            let slope = f.slope().unwrap();
            for x in [0.4, 1.2, 2.7, 4.0, 5.5] {
                let difference = (f.value(x + 1e-5) - f.value(x - 1e-5)) / 2e-5;
                // Differences of cubics: a sixth of the third derivative times 1e-10, and round-off by 1e-5.
                assert!((slope.value(x) - difference).abs() < 1e-8, "{interpolation:?}, derivative {order} at {x}");
            }
            f = slope;
        }
    }
}

#[test]
fn monotone_tables_have_no_new_hills_and_constant_ones_no_slopes() {
    let y = [0.0, 0.0, 0.1, 5.0, 5.0, 5.1];
    let f = TableFunction::through("m", &X, &y, Interpolation::Monotone, OutsideTable::Error).unwrap();
    let values: Vec<f64> = (0..=600).map(|at| f.value(at as f64 / 100.0)).collect();
    assert!(values.windows(2).all(|pair| pair[0] <= pair[1] + 1e-15));
    let steps = through(Interpolation::Constant, OutsideTable::Hold);
    assert_eq!([-1.0, 0.99, 1.0, 5.9, 7.0].map(|x| steps.value(x)), [0.0, 0.0, 1.0, 0.2, 2.0]);
    assert_eq!(steps.slope(), None);
}

/// A spline through eight points of the sine repeats itself, and is as near as h⁴/384.
#[test]
fn a_periodic_table_repeats_itself() {
    let x: Vec<f64> = (0..=32).map(|at| f64::from(at) * std::f64::consts::TAU / 32.0).collect();
    let y: Vec<f64> = (0..=32).map(|at| if at == 32 { 0.0 } else { x[at].sin() }).collect();
    let f = TableFunction::through("wave", &x, &y, Interpolation::Periodic, OutsideTable::Error).unwrap();
    let slope = f.slope().unwrap();
    let bound = (std::f64::consts::TAU / 32.0).powi(4) / 384.0 * 1.01;
    for at in -300..300 {
        let x = f64::from(at) * 0.173;
        assert!((f.value(x) - x.sin()).abs() < bound, "{x}");
        assert!((slope.value(x) - x.cos()).abs() < 30.0 * bound, "{x}");
    }
}

#[test]
fn outside_is_what_was_stated() {
    let ends = |outside| through(Interpolation::Linear, outside);
    let (error, hold, extend) = (ends(OutsideTable::Error), ends(OutsideTable::Hold), ends(OutsideTable::Extend));
    assert!(error.value(-0.1).is_nan() && error.value(6.1).is_nan() && error.value(f64::NAN).is_nan());
    assert!((error.value(6.0 + 1e-12) - 2.0).abs() < 1e-9);
    assert_eq!((hold.value(-1.0), hold.value(7.0)), (0.0, 2.0));
    assert_eq!((extend.value(-1.0), extend.value(7.0)), (-1.0, 3.8));
    assert_eq!((hold.slope().unwrap().value(7.0), extend.slope().unwrap().value(7.0)), (0.0, 1.8));
}

#[test]
fn what_no_function_goes_through_is_refused() {
    let refused = |x: &[f64], y: &[f64], kind| TableFunction::through("r", x, y, kind, OutsideTable::Hold).unwrap_err();
    let cubic = Interpolation::Cubic;
    assert_eq!(refused(&[0.0], &[0.0], cubic), TableProblem::TooFew { needed: 2 });
    assert_eq!(refused(&[0.0, 1.0], &[0.0], cubic), TableProblem::Lengths { x: 2, y: 1 });
    assert_eq!(refused(&[0.0, 0.0], &[0.0, 1.0], cubic), TableProblem::NotIncreasing { at: 2, x: 0.0 });
    assert_eq!(refused(&[0.0, 1.0], &[0.0, f64::NAN], cubic), TableProblem::NotFinite { at: 2 });
    let periodic = refused(&[0.0, 1.0, 2.0, 3.0], &[0.0, 1.0, 0.0, 1.0], Interpolation::Periodic);
    assert_eq!(periodic, TableProblem::NotPeriodic { first: 0.0, last: 1.0 });
}

#[test]
fn equal_tables_are_one_and_expressions_differentiate_them() {
    let g = Graph::new();
    let x = g.symbol("x");
    let [f, same] = [(); 2].map(|()| through(Interpolation::Cubic, OutsideTable::Hold));
    assert_eq!(x.powi(2).table(f), x.powi(2).table(same));
    let slope = g.gradient(x.powi(2).table(f), &[x])[0];
    assert_eq!(slope.to_string(), "2*x*f'(x^2)");
    let at = |_: &str| Some(1.3);
    assert_eq!(g.evaluate(&[slope], at)[0], 2.6 * f.slope().unwrap().value(1.3f64.powi(2)));
    // The fourth derivative of a cubic is none.
    let fourth = (0..4).fold(x.table(f), |value, _| g.gradient(value, &[x])[0]);
    assert!(fourth.is_zero());
}
