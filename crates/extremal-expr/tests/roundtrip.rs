//! What is printed parses back to the same node of the same graph.

use extremal_expr::syntax::{AnyName, parse_any};
use extremal_expr::{Expr, Function, Function2, Graph, Rational, Relation};
use proptest::prelude::*;

fn assert_parses_back(expr: Expr<'_>) {
    let graph = expr.graph();
    let text = expr.to_string();
    match parse_any(graph, &text, &AnyName(graph)) {
        Ok(parsed) => assert_eq!(parsed.value.id(), expr.id(), "{text} became {}", parsed.value),
        Err(errors) => panic!("{text}\n{errors}"),
    }
}

/// One step of building a random expression out of those built before. The numbers select operands and small constants.
#[derive(Clone, Debug)]
enum Step {
    Symbol(u8),
    Number(i64, i64),
    Pi,
    Sum(Vec<u8>),
    Product(Vec<u8>),
    Negate(u8),
    Divide(u8, u8),
    IntegerPower(u8, i64),
    RationalPower(u8, i64, i64),
    Power(u8, u8),
    Sqrt(u8),
    Call(u8, u8),
    Call2(u8, u8, u8),
    Select(u8, u8, u8),
    Compare(u8, u8, u8),
    Connect(bool, u8, u8),
    Not(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let some = || any::<u8>();
    prop_oneof![
        3 => some().prop_map(Step::Symbol),
        3 => (-20i64..20, 1i64..9).prop_map(|(p, q)| Step::Number(p, q)),
        1 => Just(Step::Pi),
        4 => prop::collection::vec(some(), 2..5).prop_map(Step::Sum),
        4 => prop::collection::vec(some(), 2..5).prop_map(Step::Product),
        2 => some().prop_map(Step::Negate),
        3 => (some(), some()).prop_map(|(a, b)| Step::Divide(a, b)),
        3 => (some(), -4i64..5).prop_map(|(a, e)| Step::IntegerPower(a, e)),
        2 => (some(), -5i64..6, 1i64..5).prop_map(|(a, p, q)| Step::RationalPower(a, p, q)),
        1 => (some(), some()).prop_map(|(a, b)| Step::Power(a, b)),
        1 => some().prop_map(Step::Sqrt),
        3 => (some(), some()).prop_map(|(f, a)| Step::Call(f, a)),
        1 => (some(), some(), some()).prop_map(|(f, a, b)| Step::Call2(f, a, b)),
        1 => (some(), some(), some()).prop_map(|(c, a, b)| Step::Select(c, a, b)),
        1 => (some(), some(), some()).prop_map(|(c, a, b)| Step::Compare(c, a, b)),
        1 => (any::<bool>(), some(), some()).prop_map(|(or, a, b)| Step::Connect(or, a, b)),
        1 => some().prop_map(Step::Not),
    ]
}

/// Runs the steps; numbers and conditions are kept apart because the language does.
fn build<'g>(graph: &'g Graph, steps: &[Step]) -> (Vec<Expr<'g>>, Vec<Expr<'g>>) {
    const NAMES: [&str; 10] = ["x", "y'", "z''", "x[1]", "x[12]'", "θ", "q_0", "mass", "a", "_b"];
    let x = graph.symbol("x");
    let (mut numbers, mut conditions) = (vec![x], vec![graph.compare(Relation::Lt, x, graph.int(1))]);
    for step in steps {
        let n = |i: &u8| numbers[numbers.len() - 1 - usize::from(*i) % numbers.len()];
        let c = |i: &u8| conditions[conditions.len() - 1 - usize::from(*i) % conditions.len()];
        let number = match step {
            Step::Symbol(i) => graph.symbol(NAMES[usize::from(*i) % NAMES.len()]),
            Step::Number(p, q) => graph.rational(Rational::new(*p, *q).unwrap()),
            Step::Pi => graph.pi(),
            Step::Sum(of) => graph.sum(of.iter().map(n)),
            Step::Product(of) => graph.product(of.iter().map(n)),
            Step::Negate(a) => -n(a),
            Step::Divide(_, b) if n(b).is_zero() => continue,
            Step::Divide(a, b) => n(a) / n(b),
            Step::IntegerPower(a, e) if *e < 0 && n(a).is_zero() => continue,
            Step::IntegerPower(a, e) => n(a).powi(*e),
            Step::RationalPower(a, p, _) if *p < 0 && n(a).is_zero() => continue,
            Step::RationalPower(a, p, q) => n(a).pow(graph.rational(Rational::new(*p, *q).unwrap())),
            Step::Power(a, _) if n(a).is_zero() => continue,
            Step::Power(a, b) => n(a).pow(n(b)),
            Step::Sqrt(a) => n(a).sqrt(),
            Step::Call(f, a) => n(a).call(Function::ALL[usize::from(*f) % Function::ALL.len()]),
            Step::Call2(f, a, b) => graph.call2(Function2::ALL[usize::from(*f) % Function2::ALL.len()], n(a), n(b)),
            Step::Select(i, a, b) => graph.select(c(i), n(a), n(b)),
            Step::Compare(i, a, b) => {
                conditions.push(graph.compare(Relation::ALL[usize::from(*i) % Relation::ALL.len()], n(a), n(b)));
                continue;
            }
            Step::Connect(or, a, b) => {
                let joined = if *or { graph.or(c(a), c(b)) } else { graph.and(c(a), c(b)) };
                conditions.push(joined);
                continue;
            }
            Step::Not(a) => {
                conditions.push(graph.not(c(a)));
                continue;
            }
        };
        // Text repeats what the graph shares: leave out what would print as megabytes.
        if graph.reachable(&[number.id()]).len() < 60 && number.text().limit(2000).to_string().len() < 20_000 {
            numbers.push(number);
        }
    }
    (numbers, conditions)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_expressions_parse_back(steps in prop::collection::vec(step(), 1..25)) {
        let graph = Graph::new();
        let (numbers, conditions) = build(&graph, &steps);
        for expr in numbers.iter().chain(&conditions).copied() {
            if !expr.text().limit(2000).to_string().contains('…') {
                assert_parses_back(expr);
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[-+*/^()\\[\\]'<>=!,.0-9a-z θ′²if sum(i,1,3,x\\[i\\])]{0,60}") {
        let graph = Graph::new();
        if let Ok(parsed) = parse_any(&graph, &text, &AnyName(&graph)) {
            assert_parses_back(parsed.value);
        }
    }

    #[test]
    fn any_unicode_is_read_or_refused(text in any::<String>()) {
        let graph = Graph::new();
        let _ = parse_any(&graph, &text, &AnyName(&graph));
    }
}

#[test]
fn a_deep_graph_prints_without_recursion() {
    let graph = Graph::new();
    let mut deep = graph.symbol("x");
    for _ in 0..200_000 {
        deep = deep.sin() + 1;
    }
    let text = deep.to_string();
    assert!(text.starts_with("sin(sin("));
    assert!(deep.latex().to_string().starts_with(r"\sin\left("));
    assert_eq!(deep.text().limit(3).to_string(), "sin(… + 1) + 1");
}

#[test]
fn shared_graphs_print_within_a_limit() {
    let graph = Graph::new();
    let mut shared = graph.symbol("x");
    for _ in 0..200 {
        shared = shared.sin() * shared.cos() + shared;
    }
    let text = shared.text().limit(100).to_string();
    assert!(text.contains('…') && text.len() < 10_000, "{}", text.len());
}
