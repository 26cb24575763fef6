//! The calculus of the graph: simplification keeps values, derivatives are right, and both at the stated cost.

mod dual;
mod identities;
mod nested;

use dual::{Dual, VARIABLES};
use extremal_expr::{Expr, Function, Function2, Graph, Id, Rational, Relation};
use extremal_testkit::bounded::{self, Bounded};
use proptest::prelude::*;

const NAMES: [&str; VARIABLES] = ["x", "y", "z"];

/// One step of a recipe: which construction, on which of the results so far.
type Choice = (u8, u16, u16, u16, i8);

/// Follows a recipe twice: once with the constructors of the graph, once directly with numbers.
fn cook<'g>(g: &'g Graph, recipe: &[Choice], point: [f64; VARIABLES]) -> Vec<(Expr<'g>, Dual)> {
    let mut made: Vec<(Expr, Dual)> =
        NAMES.iter().enumerate().map(|(i, name)| (g.symbol(name), Dual::variable(point[i], i))).collect();
    for &(kind, i, j, k, n) in recipe {
        // Half of the picks among the latest, so that expressions grow deep as well as wide.
        let pick = |at: u16| match at % 2 {
            0 => made[usize::from(at / 2) % made.len()],
            _ => made[made.len() - 1 - usize::from(at / 2) % made.len().min(3)],
        };
        let ((a, da), (b, db), (c, dc)) = (pick(i), pick(j), pick(k));
        let (numerator, denominator) = (i64::from(n % 16), i64::from(j % 6) + 1);
        let number = |p: i64, q: i64| {
            let value = Dual::constant(Bounded::rounded(p as f64 / q as f64));
            (g.rational(Rational::new(p, q).unwrap()), value)
        };
        let (r, dr) = number(numerator, denominator);
        made.push(match kind % 22 {
            0..=2 => (a + b, da.add(db)),
            3..=4 => (a - b, da.sub(db)),
            5..=7 => (a * b, da.mul(db)),
            8..=9 => (a / b, da.div(db)),
            10 => (a * r, da.mul(dr)),
            11 => (a + r, da.add(dr)),
            12 => (-a, Dual::constant(Bounded::exact(0.0)).sub(da)),
            13 => (a.powi(numerator % 7), da.powi(numerator % 7)),
            14 => {
                // Never an integer after cancelling, which would be another function, defined for negative bases too.
                let (p, q) = (numerator | 1, 2 * denominator);
                let (exponent, dual) = number(p, q);
                (a.pow(exponent), da.powf(dual))
            }
            15 => (a.sqrt(), da.powf(number(1, 2).1)),
            16 => (a.pow(b), da.powf(db)),
            17..=19 => {
                let f = Function::ALL[usize::from(j) % Function::ALL.len()];
                (a.call(f), da.call(f))
            }
            20 => {
                let f = Function2::ALL[usize::from(j) % Function2::ALL.len()];
                (g.call2(f, a, b), da.call2(f, db))
            }
            _ => {
                let comparison = Relation::ALL[usize::from(j) % Relation::ALL.len()];
                let condition = g.compare(comparison, a, b);
                (g.select(condition, a, c), Dual::select(da.value.compare(comparison, db.value), da, dc))
            }
        });
    }
    made
}

/// Evaluates expressions with a bound on the error.
fn evaluate(g: &Graph, roots: &[Expr], point: [f64; VARIABLES]) -> Vec<Bounded> {
    let ids: Vec<Id> = roots.iter().map(|e| e.id()).collect();
    let known = bounded::evaluate(g, &ids, |name| point[NAMES.iter().position(|n| *n == name).unwrap()]);
    ids.iter().map(|id| known[id]).collect()
}

/// A value the comparison can say something about.
fn is_reliable(number: Bounded) -> bool {
    number.value.is_finite() && number.value.abs() < 1e100 && number.error < 1e-4 * (1.0 + number.value.abs())
}

fn check(what: &str, graph: Bounded, direct: Bounded, shown: impl std::fmt::Display) -> Result<(), TestCaseError> {
    if !is_reliable(direct) {
        return Ok(());
    }
    prop_assert!(!graph.value.is_nan(), "{what}: NaN, directly {}: {shown}", direct.value);
    let tolerance = graph.error + direct.error;
    let difference = (graph.value - direct.value).abs();
    prop_assert!(
        difference <= tolerance || tolerance.is_infinite() || tolerance.is_nan(),
        "{what}: {:e}, directly {:e}, apart {difference:e} > {tolerance:e}: {shown}",
        graph.value,
        direct.value
    );
    Ok(())
}

fn recipe() -> impl Strategy<Value = Vec<Choice>> {
    prop::collection::vec(any::<Choice>(), 1..16)
}

fn point() -> impl Strategy<Value = [f64; VARIABLES]> {
    prop::array::uniform3(prop_oneof![4 => -2.5..2.5f64, 1 => prop::sample::select(vec![-2.0, -1.0, 0.0, 1.0, 2.0])])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, max_global_rejects: 1 << 20, failure_persistence: None, ..ProptestConfig::default() })]

    /// Wherever the written form is defined, the simplified one has its value.
    #[test]
    fn construction_keeps_values(recipe in recipe(), point in point()) {
        let g = &Graph::new();
        let made = cook(g, &recipe, point);
        let exprs: Vec<Expr> = made.iter().map(|(e, _)| *e).collect();
        for ((expr, dual), graph) in made.iter().zip(evaluate(g, &exprs, point)) {
            check("value", graph, dual.value, expr)?;
        }
    }

    /// Gradient, Jacobian and directional derivative against dual numbers, hence against each other.
    #[test]
    fn derivatives_are_those_of_dual_numbers(recipe in recipe(), point in point(), direction in prop::array::uniform3(-1.0..1.0f64)) {
        let g = &Graph::new();
        let made = cook(g, &recipe, point);
        let (f, dual) = *made.last().unwrap();
        prop_assume!(is_reliable(dual.value) && dual.slopes.iter().all(|s| is_reliable(*s)));
        let variables = NAMES.map(|name| g.symbol(name));

        let gradient = g.gradient(f, &variables);
        let by_gradient = evaluate(g, &gradient, point);
        let mut row = [g.int(0); VARIABLES];
        for (column, entry) in &g.jacobian(&[f], &variables)[0] {
            row[*column] = *entry;
        }
        let by_jacobian = evaluate(g, &row, point);
        for i in 0..VARIABLES {
            check("gradient", by_gradient[i], dual.slopes[i], format!("d/d{} of {f} = {}", NAMES[i], gradient[i]))?;
            check("Jacobian", by_jacobian[i], dual.slopes[i], format!("d/d{} of {f} = {}", NAMES[i], row[i]))?;
        }

        let seeds: Vec<(Expr, Expr)> = variables.iter().zip(direction).map(|(v, d)| (*v, g.float(d).unwrap())).collect();
        let along = g.directional(&[f], &seeds)[0];
        let expected = (0..VARIABLES).fold(Bounded::exact(0.0), |sum, i| sum + dual.slopes[i] * Bounded::exact(direction[i]));
        check("directional", evaluate(g, &[along], point)[0], expected, format!("of {f}: {along}"))?;
    }

    /// Substituting numbers for symbols is evaluation; substituting symbols for symbols is renaming.
    #[test]
    fn substitution_commutes_with_evaluation(recipe in recipe(), point in point()) {
        let g = &Graph::new();
        let (f, dual) = *cook(g, &recipe, point).last().unwrap();
        let variables = NAMES.map(|name| g.symbol(name));
        let numbers: Vec<(Expr, Expr)> = variables.iter().zip(point).map(|(v, x)| (*v, g.float(x).unwrap())).collect();
        let inserted = f.substitute(&numbers);
        check("substituted", evaluate(g, &[inserted], point)[0], dual.value, f)?;
        let names = NAMES.map(|name| g.symbol(&format!("{name}2")));
        let forth: Vec<(Expr, Expr)> = variables.into_iter().zip(names).collect();
        let back: Vec<(Expr, Expr)> = names.into_iter().zip(variables).collect();
        let renamed = f.substitute(&forth).substitute(&back);
        check("renamed", evaluate(g, &[renamed], point)[0], dual.value, f)?;
    }
}
