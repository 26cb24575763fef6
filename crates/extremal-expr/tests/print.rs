//! The text people see.

use extremal_expr::Graph;
use extremal_expr::syntax::{AnyName, parse_any};

fn printed(text: &str) -> String {
    let graph = Graph::new();
    parse_any(&graph, text, &AnyName(&graph)).unwrap().value.to_string()
}

#[test]
fn what_reads_well_is_printed_as_it_was_written() {
    let texts = "2*x - y/3|x^2|sqrt(x)|x^(3/2)|(a + b)/c|-x|1 - x|3/2|-3/2|1/x|-1/(a*b)|a/(2*b^2)|2*(a + b)|\
        (a + b)/2|(a + b)^2/2|-c*(a + b)/2|m*x'^2/2 - k*x^2/2|l^2*m*θ'^2/2 + g*l*m*cos(θ)|x[2]' + x[10]'|\
        x^y|(x^y)^2|x^(-y)|x^(y + 1)|1/x^y|(-2)^x|(2/3)^x|1/x^(3/2)|sqrt(x)^2|(x^(1/4))^2|\
        x^(1/99999999999)|if(x < y and not (a == b or c <= d), 1, 2)|a < b or b < c and c < d|\
        a < 1 and (b < 1 and c < 1)|min(a, max(b, c))|atan2(y, x)|2*pi*sqrt(l/g)|0 < 1|1 < 0|\
        a^2 + 2*a*b + b^2|exp(-x^2/2)|2^100000|123456789012345678901234567890";
    let long = format!("1{}/3", "0".repeat(400));
    for text in texts.split('|').chain([long.as_str()]) {
        assert_eq!(printed(text), text);
    }
}

#[test]
fn other_ways_of_writing_are_brought_into_form() {
    for (text, expected) in [
        ("x + x", "2*x"),
        ("- x + 1", "1 - x"),
        ("x**2", "x^2"),
        ("x′ + y″", "x' + y''"),
        ("a - -b", "a + b"),
        ("0.1*x", "x/10"),
        ("1.5e-3", "3/2000"),
        ("x*x*y/x", "x*y"),
        ("π*2", "2*pi"),
        ("pow(x, 3)", "x^3"),
        ("x > 1", "1 < x"),
        ("-x^2", "-x^2"),
        ("(-x)^2", "x^2"),
        ("2^-1", "1/2"),
        ("2^3^2", "512"),
        ("a/b/c", "a/(b*c)"),
        ("a/(b/c)", "a*c/b"),
        ("a - (b - c)", "a - b + c"),
        ("min(3, 1, 2)", "1"),
        (".5 + 5.", "11/2"),
        ("+x", "x"),
        ("2*-x", "-2*x"),
    ] {
        assert_eq!(printed(text), expected, "{text}");
    }
}
