//! LaTeX output, as read by an independent LaTeX parser.

use extremal_expr::syntax::{AnyName, parse_any};
use extremal_expr::{Expr, Graph};
use pulldown_latex::{Parser, Storage};

fn assert_valid(latex: &str) {
    let storage = Storage::new();
    for event in Parser::new(latex, &storage) {
        if let Err(error) = event {
            panic!("{latex}\n{error}");
        }
    }
}

fn read<'g>(graph: &'g Graph, text: &str) -> Expr<'g> {
    parse_any(graph, text, &AnyName(graph)).unwrap().value
}

fn latex(text: &str) -> String {
    let graph = Graph::new();
    let latex = read(&graph, text).latex().to_string();
    assert_valid(&latex);
    latex
}

#[test]
fn the_parser_used_here_does_refuse_bad_latex() {
    for bad in [r"\frac{1}{", r"\nosuchcommand", r"\left( x", r"x_1_2", r"\begin{cases} x"] {
        let storage = Storage::new();
        assert!(Parser::new(bad, &storage).any(|event| event.is_err()), "{bad}");
    }
}

#[test]
fn notation() {
    for (text, expected) in [
        ("m*x'^2/2", r"\frac{m\,\dot{x}^{2}}{2}"),
        ("-x", "-x"),
        ("3/2", r"\frac{3}{2}"),
        ("-3/2", r"-\frac{3}{2}"),
        ("x^(3/2)", r"x^{3/2}"),
        ("sqrt(x)", r"\sqrt{x}"),
        ("sqrt(x)^2", r"\left(\sqrt{x}\right)^{2}"),
        ("1/sqrt(x)", r"\frac{1}{\sqrt{x}}"),
        ("x^y", "x^{y}"),
        ("(x + 1)^y", r"\left(x + 1\right)^{y}"),
        ("x^-y", "x^{-y}"),
        ("(a + b)/c", r"\frac{a + b}{c}"),
        ("(a + b)*c", r"c\,\left(a + b\right)"),
        ("2*(a + b)", r"2\,\left(a + b\right)"),
        ("sin(θ)^2", r"\sin^{2}\left(\theta\right)"),
        ("log(x)^2", r"\left(\ln\left(x\right)\right)^{2}"),
        ("abs(x)^3", r"\left|x\right|^{3}"),
        ("cbrt(x)", r"\sqrt[3]{x}"),
        ("x[3]''*y_0", r"\ddot{x}_{3}\,y_{0}"),
        ("x'''^2", r"\left(x^{(3)}\right)^{2}"),
        ("atan2(y, x)", r"\operatorname{atan2}\left(y, x\right)"),
        ("2*pi", r"2\,\pi"),
        ("if(x > 0, x, -x)", r"\begin{cases} x & \text{if } 0 < x \\ -x & \text{otherwise} \end{cases}"),
        ("x <= y and not y == z", r"x \le y \land \lnot \left(y = z\right)"),
        ("1 < 2", r"\top"),
        ("2^100000*3", r"3 \cdot 2^{100000}"),
    ] {
        assert_eq!(latex(text), expected, "{text}");
    }
}

/// Every function, every kind of node, nested in every kind of place.
#[test]
fn every_kind_of_output_is_valid() {
    let atoms = "x|x'|x''|x'''|θ|theta_1|x[12]'|k_spring|speed|_a|й|ä_ö|x₁|3|-3|2/3|-2/3|pi|1e40|x^y|x^(1/3)|x^(-5/2)|2^(x + 1)|(2/3)^x|\
        a + b|a - b|a*b/c|-a/(b*c)|sqrt(x)|sqrt(a + b)|if(a < b, a, b)|min(a, b)|max(a, b)|atan2(a, b)|2^100000|(-2)^x|\
        sin(x)|cos(x)|tan(x)|asin(x)|acos(x)|atan(x)|sinh(x)|cosh(x)|tanh(x)|asinh(x)|acosh(x)|atanh(x)|exp(x)|log(x)|cbrt(x)|abs(x)|sign(x)";
    let places = "@|-(@)|1 + (@)|2*(@)*w|(@)/w|w/(@)|(@)^2|(@)^-2|(@)^(3/2)|(@)^w|w^(@)|sqrt(@)|sin(@)|abs(@)|\
        cbrt(@)^2|if(@ < w, @, 1)|if(not (@ < w) or w != 2 and @ == 1, 2, @)|atan2(@, w)";
    let graph = Graph::new();
    let mut checked = 0;
    for atom in atoms.split('|') {
        for place in places.split('|') {
            let expr = read(&graph, &place.replace('@', atom.trim()));
            assert_valid(&expr.latex().to_string());
            assert_valid(&expr.latex().limit(2).to_string());
            checked += 1;
        }
    }
    assert_eq!(checked, 53 * 18);
}

#[test]
fn names_from_outside_the_language_are_harmless() {
    let graph = Graph::new();
    for name in [
        "", "'", "a b", "q+", "x_{n+1}", "100%", "a&b", "\\alpha", "x^2", "$y$", "~", "#1", "[3]", "x[", "x]",
        "x[i+1]", "_0", "λ_max'",
    ] {
        let symbol = graph.symbol(name);
        assert_valid(&symbol.latex().to_string());
        assert_valid(&(symbol.powi(2) / 3).latex().to_string());
    }
}
