//! What text means: compared with the same expressions built by hand, and with values worked out on paper.

use extremal_expr::syntax::{
    Ast, Binding, Limits, NameRefusal, NameUse, RepeatedText, Scope, parse_any, parse_condition, parse_equation,
    parse_expression,
};
use extremal_expr::{Expr, Graph, Relation};
use extremal_testkit::scope::SmallScope;

fn read<'g>(graph: &'g Graph, text: &str) -> Expr<'g> {
    parse_expression(graph, text, &SmallScope(graph)).unwrap_or_else(|errors| panic!("{text}\n{errors}")).value
}

#[test]
fn operators_bind_as_in_mathematics() {
    let graph = Graph::new();
    for (text, value) in [
        ("-2^2", -4),
        ("(-2)^2", 4),
        ("2^3^2", 512),
        ("(2^3)^2", 64),
        ("2*3^2", 18),
        ("8/2/2", 2),
        ("8/(2*2)", 2),
        ("2 - 3 - 4", -5),
        ("2 - (3 - 4)", 3),
        ("-2*3 + 1", -5),
        ("2*-3", -6),
        ("2--3", 5),
        ("2^-1*4", 2),
        ("2**3", 8),
        ("1 + 2*3 - 4/2", 5),
        ("if(1 < 2, 3, 4)", 3),
        ("if(not 1 < 2 or 2 == 2 and 3 != 3, 3, 4)", 4),
        ("if(1 < 2 or 1/2 < 0 and 0 < 0, 3, 4)", 3),
        ("sum(i, 1, 4, i^2)", 30),
        ("sum(i, 1, 3, sum(j, i, 3, i*j))", 25),
        ("sum(i, 3, 1, i)", 0),
        ("sum(i, 1, 2, sum(i, 1, 3, i))", 12),
        ("sum(i, -2, 2, i^3)", 0),
        ("max(1, 5, 3) - min(2, 1)", 4),
        ("1.5e1", 15),
        ("abs(-3) + sign(-3)", 2),
    ] {
        assert_eq!(read(&graph, text), graph.int(value), "{text}");
    }
}

#[test]
fn names_primes_and_indices_reach_the_scope() {
    let graph = Graph::new();
    let symbol = |name: &str| graph.symbol(name);
    assert_eq!(read(&graph, "m*x'^2/2"), symbol("m") * symbol("x'").powi(2) / 2);
    assert_eq!(read(&graph, "x″ + x′"), symbol("x''") + symbol("x'"));
    assert_eq!(read(&graph, "q[2*2 - 1]'"), symbol("q[3]'"));
    assert_eq!(read(&graph, "q[n - 1]"), symbol("q[4]"));
    assert_eq!(read(&graph, "q[2^2/2]"), symbol("q[2]"));
    assert_eq!(read(&graph, "n*x"), symbol("n") * symbol("x"));
    assert_eq!(read(&graph, "height'"), symbol("theta").cos() * symbol("theta'"));
    assert_eq!(read(&graph, "2*π"), graph.pi() * 2);
    let springs = (1..=4).map(|i| (symbol(&format!("q[{}]", i + 1)) - symbol(&format!("q[{i}]"))).powi(2));
    assert_eq!(read(&graph, "sum(i, 1, n-1, (q[i+1] - q[i])^2)"), graph.sum(springs));
}

/// A small scope in which `k` is the number of a member.
struct Numbered<'g>(SmallScope<'g>, i64);

impl<'g> Scope<'g> for Numbered<'g> {
    fn resolve(&self, name: &str) -> Option<Binding> {
        if name == "k" { Some(Binding::constant("index").integer(self.1)) } else { self.0.resolve(name) }
    }

    fn value(&self, reference: NameUse<'_>) -> Result<Expr<'g>, NameRefusal> {
        if reference.name == "k" { Ok(self.0.0.int(self.1)) } else { self.0.value(reference) }
    }

    fn names(&self) -> Vec<String> {
        self.0.names()
    }
}

/// Sums that grow from member to member, or shrink, or begin elsewhere, are what they are when each text is read by itself.
#[test]
fn a_text_read_for_many_members_is_read_for_each() {
    let graph = Graph::new();
    for text in [
        "sum(j, 1, k, q[j]*cos(j))",
        "sum(j, k, n, q[j]*j)",
        "sum(j, 1, n, q[j]*k)",
        "sum(j, 1, k, j) + sum(j, 1, k, sum(i, j, k, q[i]*x))",
        "sum(j, 1, k, if(k > 3, q[j], x))",
        "sum(j, 3, k, q[j]) + q[k]",
    ] {
        let mut repeated = RepeatedText::new(&graph, text).unwrap();
        for k in [1, 2, 4, 5, 3, 3, 1, 5] {
            let scope = Numbered(SmallScope(&graph), k);
            let [again, alone] = [repeated.read(&scope), parse_expression(&graph, text, &scope)].map(Result::unwrap);
            assert_eq!(again.value, alone.value, "{text}, {k}");
            assert_eq!(again.uses.names, alone.uses.names, "{text}, {k}");
        }
        // What is wrong with one member is said of it alone.
        assert!(repeated.read(&Numbered(SmallScope(&graph), 9)).is_err() || !text.contains("1, k, q"), "{text}");
        assert!(repeated.read(&Numbered(SmallScope(&graph), 2)).is_ok(), "{text}");
    }
}

#[test]
fn a_branch_decided_by_an_index_is_not_built() {
    let graph = Graph::new();
    let fixed_ends = "sum(i, 1, n + 1, (if(i <= n, q[i], 0) - if(i > 1, q[i-1], 0))^2)";
    let q = |i: i64| if (1..=5).contains(&i) { graph.symbol(&format!("q[{i}]")) } else { graph.int(0) };
    let by_hand = graph.sum((1..=6).map(|i| (q(i) - q(i - 1)).powi(2)));
    assert_eq!(read(&graph, fixed_ends), by_hand);
}

#[test]
fn uses_tell_names_and_what_shaped_the_result() {
    let graph = Graph::new();
    let read = |text: &str| parse_any(&graph, text, &SmallScope(&graph)).unwrap().uses;
    let uses = read("sum(i, 1, n, q[i]) + m*x");
    assert_eq!(uses.names.iter().collect::<Vec<_>>(), ["m", "n", "q", "x"]);
    assert_eq!(uses.structural.iter().collect::<Vec<_>>(), ["n"]);
    assert!(read("n*x + if(x > n, 1, 2)").structural.is_empty());
    assert_eq!(read("if(n > 3, x, m)").structural.len(), 1);
    assert_eq!(read("if(n > 3, x, m)").names.len(), 3);
}

#[test]
fn conditions_and_equations() {
    let graph = Graph::new();
    let (x, m) = (graph.symbol("x"), graph.symbol("m"));
    let scope = SmallScope(&graph);
    let condition = |text: &str| parse_condition(&graph, text, &scope).unwrap().value;
    assert_eq!(condition("x > m"), graph.compare(Relation::Lt, m, x));
    assert_eq!(condition("x >= m"), graph.compare(Relation::Le, m, x));
    let both = graph.and(graph.compare(Relation::Lt, graph.int(0), x), graph.not(graph.compare(Relation::Eq, x, m)));
    assert_eq!(condition("0 < x and not x == m"), both);
    let equation = parse_equation(&graph, "x^2 + 1 = m", &scope).unwrap();
    assert_eq!((equation.left, equation.right), (x.powi(2) + 1, m));
    let is_condition = |text| Ast::expression(text, &Limits::default()).unwrap().is_condition();
    assert!(
        is_condition("x > 0")
            && is_condition("not (x > 0)")
            && !is_condition("x + 1")
            && !is_condition("if(x > 0, 1, 2)")
    );
}

#[test]
fn a_subtree_is_the_run_of_nodes_that_ends_with_it() {
    let text = "-a*(b/(c*d) - (e + f)) + sum(i, 1, 2 + 1, if(i > 1, g[i + 1]', sin(h^2))) - max(j, 2, k)";
    let ast = Ast::expression(text, &Limits::default()).unwrap();
    for (position, node) in ast.nodes().iter().enumerate() {
        assert!(node.first.index() <= position);
        // Runs nest: a subtree that starts inside another ends inside it.
        for (outer, around) in ast.nodes().iter().enumerate().skip(position) {
            let disjoint = position < around.first.index();
            assert!(disjoint || around.first.index() <= node.first.index(), "{position} and {outer} overlap");
        }
    }
}
