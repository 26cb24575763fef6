//! Vectors, matrices and functions: the same numbers as written out by hand.

use std::collections::BTreeMap;

use extremal_expr::syntax::{
    AnyName, Binding, DeclaredFunction, ExprShape, NameRefusal, NameUse, Scope, SyntaxErrors, parse_expression,
    parse_quantity,
};
use extremal_expr::{Expr, Graph};

/// Every name is a symbol whose derivative has one prime more, `r` is a family of three, and some functions are declared.
struct Declared<'g> {
    graph: &'g Graph,
    functions: BTreeMap<&'static str, DeclaredFunction>,
}

impl<'g> Declared<'g> {
    fn new(graph: &'g Graph, functions: &[(&'static str, &[&str], &str)]) -> Self {
        let declare = |(name, arguments, body): &(&'static str, &[&str], &str)| {
            let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
            (*name, DeclaredFunction::new(name, arguments, body).unwrap())
        };
        Declared { graph, functions: functions.iter().map(declare).collect() }
    }

    fn read(&self, text: &str) -> Expr<'g> {
        parse_expression(self.graph, text, self).unwrap_or_else(|errors| panic!("{text}: {errors}")).value
    }

    fn plain(&self, text: &str) -> Expr<'g> {
        parse_expression(self.graph, text, &AnyName(self.graph)).unwrap().value
    }

    fn refused(&self, text: &str) -> String {
        parse_expression(self.graph, text, self).map(|read| read.value.to_string()).unwrap_err().to_string()
    }
}

impl<'g> Scope<'g> for Declared<'g> {
    fn resolve(&self, name: &str) -> Option<Binding> {
        Some(match name {
            "r" => Binding::variable("coordinate").family(1..=3),
            "n" => Binding::constant("parameter").integer(2),
            "nowhere" => return None,
            _ => Binding::variable("name"),
        })
    }

    fn value(&self, reference: NameUse<'_>) -> Result<Expr<'g>, NameRefusal> {
        Ok(self.graph.symbol(&reference.symbol()))
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn derivative(&self, value: Expr<'g>, primes: u32) -> Result<Expr<'g>, NameRefusal> {
        let once = |value: Expr<'g>| {
            let symbols = self.graph.free_symbols(&[value]);
            let rules: Vec<_> = symbols.iter().map(|s| (*s, self.graph.symbol(&format!("{s}'")))).collect();
            self.graph.directional(&[value], &rules)[0]
        };
        Ok((0..primes).fold(value, |value, _| once(value)))
    }

    fn function(&self, name: &str) -> Option<&DeclaredFunction> {
        self.functions.get(name)
    }
}

/// Equal at a point without round numbers; a dozen operations of the size of one leave a few units in the last place.
fn assert_same(graph: &Graph, found: Expr<'_>, expected: Expr<'_>, text: &str) {
    let coordinate =
        |name: &str| Some(0.5 + name.bytes().fold(0u32, |sum, b| (31 * sum + u32::from(b)) % 97) as f64 / 61.0);
    let [found_at, expected_at] =
        [found, expected].map(|value| graph.evaluate(&[graph.expr(value.id())], coordinate)[0]);
    assert!((found_at - expected_at).abs() < 1e-13 * expected_at.abs().max(1.0), "{text} is {found}, not {expected}");
}

#[test]
fn products_of_vectors_and_matrices() {
    let graph = Graph::new();
    let scope = Declared::new(&graph, &[]);
    for (text, by_hand) in [
        ("dot(r, r')", "r[1]*r[1]' + r[2]*r[2]' + r[3]*r[3]'"),
        ("norm(r)", "sqrt(r[1]^2 + r[2]^2 + r[3]^2)"),
        ("dot(cross(r, [a, b, c]), [1, 0, 0])", "r[2]*c - r[3]*b"),
        ("dot(cross(r, [a, b, c]), [0, 1, 0])", "r[3]*a - r[1]*c"),
        ("dot(cross(r, [a, b, c]), [0, 0, 1])", "r[1]*b - r[2]*a"),
        ("cross([a, b], [c, d])", "a*d - b*c"),
        ("dot([[a, b], [c, d]]*[x, y], [1, 10])", "a*x + b*y + 10*c*x + 10*d*y"),
        ("dot(transpose([[a, b], [c, d]])*[x, y], [1, 10])", "a*x + c*y + 10*b*x + 10*d*y"),
        // From the right or from the left is the same.
        ("dot(2*[[a, b], [c, d]]*[[1, 2], [3, 4]]*[x, y]/m, [1, 0])", "2*(a + 3*b)*x/m + 2*(2*a + 4*b)*y/m"),
        ("dot(sum(i, 1, 3, i*[x, y]) - [1, 0], [1, 1])", "6*x + 6*y - 1"),
        ("dot(if(x > 0, [a, b], [c, d]), [1, 0])", "if(x > 0, a, c)"),
        ("dot(if(n > 1, [a, b], [1]), [0, 1])", "b"),
        ("dot([x^2, y]', [1, 1])", "2*x*x' + y'"),
        ("(x*y)'", "x'*y + x*y'"),
        ("sin(x)'", "cos(x)*x'"),
    ] {
        assert_same(&graph, scope.read(text), scope.plain(by_hand), text);
    }
    let (matrix, _) = parse_quantity(&graph, "transpose([[1, 2, 3], [4, 5, 6]])", &scope).unwrap();
    assert_eq!(matrix.shape, ExprShape::Matrix(3, 2));
    assert_eq!(matrix.elements, [1, 4, 2, 5, 3, 6].map(|k| graph.int(k)));
}

#[test]
fn calls_are_written_out() {
    let graph = Graph::new();
    let scope = Declared::new(
        &graph,
        &[
            ("U", &["s"], "-k/s"),
            ("kinetic", &["m", "v"], "m*dot(v', v')/2"),
            ("twice", &["s"], "U(s) + U(2*s)"),
            ("pick", &["v", "i"], "v[i]"),
            ("upto", &["i"], "sum(j, 1, i, r[j])"),
            ("shift", &["v", "s"], "v + s*[1, 1, 1]"),
        ],
    );
    for (text, by_hand) in [
        ("U(x)", "-k/x"),
        ("twice(x)", "-3*k/(2*x)"),
        ("U(x)'", "-k'/x + k*x'/x^2"),
        ("kinetic(2, r)", "r[1]'^2 + r[2]'^2 + r[3]'^2"),
        ("pick([a, b, c], n)", "b"),
        ("upto(n)", "r[1] + r[2]"),
        ("pick(shift(r, x), 3)", "r[3] + x"),
    ] {
        assert_same(&graph, scope.read(text), scope.plain(by_hand), text);
    }
    let uses = parse_expression(&graph, "upto(n) + pick(r, n)", &scope).unwrap().uses;
    assert_eq!(uses.structural.iter().collect::<Vec<_>>(), ["n"], "an integer that a function uses shapes the result");
    assert!(uses.names.contains("r"));
}

#[test]
fn misfits_are_named() {
    let graph = Graph::new();
    let scope = Declared::new(
        &graph,
        &[
            ("U", &["s"], "-k/s"),
            ("f", &["v"], "v + 1"),
            ("g", &["v"], "f(v)"),
            ("lost", &["v"], "v + nowhere"),
            ("round", &["v"], "round(v + 1)"),
        ],
    );
    for (text, message) in [
        ("r + 1", "a vector of 3 and a number cannot be added"),
        ("r*r", "a vector of 3 and a vector of 3 cannot be multiplied"),
        ("[[1, 2]]*r", "a 1 by 2 matrix and a vector of 3 cannot be multiplied"),
        ("1/r", "nothing can be divided by a vector of 3"),
        ("r^2", "needs an index"),
        ("sin(r)", "needs an index"),
        ("sin([1, 2])", "expected a number, found a vector of 2"),
        ("dot(r, [1, 2])", "`dot` takes two vectors of the same length, found a vector of 3 and a vector of 2"),
        ("cross(r, 1)", "`cross` takes two vectors of 3, or two of 2, found a vector of 3 and a number"),
        ("norm(x)", "`norm` takes a vector, found a number"),
        ("transpose(r)", "`transpose` takes a matrix"),
        ("dot([[1, 2], [3]], r)", "the list has a vector of 2 beside a vector of 1"),
        ("[]", "the list is empty"),
        ("r[1,2]", "is no matrix and takes one index"),
        ("r[4]", "index 4 is outside"),
        ("if(x > 0, r, [1])*1", "`if` chooses between a vector of 3 and a vector of 1"),
        ("r > 1", "needs an index"),
        ("U(x, y)", "`U(s)` takes 1 argument, found 2"),
        ("nowhere(x)", "unknown function `nowhere`"),
        ("U(x > 1)", "expected a number, found a condition"),
        ("f(r)", "in `f`: a vector of 3 and a number cannot be added"),
        ("g(r)", "in `f`: a vector of 3 and a number cannot be added"),
        ("lost(x)", "in `lost`: unknown name `nowhere`"),
        ("round(x)", "functions call one another more than 64 levels deep"),
    ] {
        assert!(scope.refused(text).contains(message), "{text}: {}", scope.refused(text));
    }
}

/// Calls that double at every level are bounded work: the same call is written out once, and different ones count.
#[test]
fn work_is_bounded() {
    let graph = Graph::new();
    let names: Vec<&'static str> = (0..40).map(|k| &*Box::leak(format!("f{k}").into_boxed_str())).collect();
    let same = |k: usize| if k == 0 { "x".to_owned() } else { format!("f{0}(x)*f{0}(x)/f{0}(x)", k - 1) };
    let bodies: Vec<String> = (0..40).map(same).collect();
    let functions: Vec<_> = names.iter().zip(&bodies).map(|(name, body)| (*name, &["x"][..], body.as_str())).collect();
    assert_eq!(Declared::new(&graph, &functions).read("f39(y)"), graph.symbol("y"));
    let other = |k: usize| if k == 0 { "x".to_owned() } else { format!("f{0}(x + 1/{k}) + f{0}(x^2)", k - 1) };
    let bodies: Vec<String> = (0..40).map(other).collect();
    let functions: Vec<_> = names.iter().zip(&bodies).map(|(name, body)| (*name, &["x"][..], body.as_str())).collect();
    let refused: Result<_, SyntaxErrors> = parse_expression(&graph, "f39(y)", &Declared::new(&graph, &functions));
    assert!(refused.unwrap_err().to_string().contains("more than"));
}
