//! Hostile input is refused, quickly and by name.

use std::time::{Duration, Instant};

use extremal_expr::Graph;
use extremal_expr::syntax::{AnyName, SyntaxErrorKind, parse_any, parse_equation};

fn refusal(text: &str) -> (SyntaxErrorKind, Duration) {
    let graph = Graph::new();
    let start = Instant::now();
    let errors = parse_any(&graph, text, &AnyName(&graph)).expect_err("accepted");
    (errors.into_iter().next().unwrap().kind, start.elapsed())
}

/// Far above what the refusals take (microseconds to milliseconds), far below what reading the whole text would.
const AT_ONCE: Duration = Duration::from_millis(100);

#[test]
fn a_million_parentheses() {
    for text in [
        "(".repeat(1_000_000),
        "-".repeat(1_000_000),
        "sin(".repeat(250_000),
        "x^".repeat(500_000),
        "q[".repeat(500_000),
        "not ".repeat(250_000),
    ] {
        let (kind, took) = refusal(&text);
        assert_eq!(kind, SyntaxErrorKind::TooDeep { limit: 256 }, "{}", &text[..10]);
        assert!(took < AT_ONCE, "{took:?}");
    }
}

#[test]
fn a_line_of_ten_megabytes() {
    let (kind, took) = refusal(&"x + ".repeat(2_500_000));
    assert_eq!(kind, SyntaxErrorKind::TextTooLong { bytes: 10_000_000, limit: 1 << 20 });
    assert!(took < AT_ONCE, "{took:?}");
}

#[test]
fn sums_that_would_never_end() {
    let (kind, took) = refusal("sum(i, 1, 9e18, x)");
    assert_eq!(kind, SyntaxErrorKind::TooManyNodes { limit: 4_000_000 });
    assert!(took < AT_ONCE, "{took:?}");
    let nested = "sum(a, 1, 1000, sum(b, 1, 1000, sum(c, 1, 1000, x[a + b + c])))";
    assert_eq!(refusal(nested).0, SyntaxErrorKind::TooManyNodes { limit: 4_000_000 });
    // A short text whose sums are copied over and over.
    let copies = format!("{}1{}", "(sum(i, 1, 9000, x[i]) + ".repeat(200), ")*1".repeat(200));
    assert!(matches!(refusal(&copies).0, SyntaxErrorKind::TooManyNodes { .. }));
}

#[test]
fn exact_numbers_that_would_grow_without_end() {
    let long_product = "123456789012345678*".repeat(50_000) + "1";
    let long_coefficient = "(3*x)*".repeat(100_000) + "1";
    for text in ["sum(i, 1, 100000, 1/i)", "sum(i, 1, 100000, x/i)", &long_product, &long_coefficient] {
        let (kind, took) = refusal(text);
        assert_eq!(kind, SyntaxErrorKind::NumberTooLong { limit: 4096 });
        assert!(took < Duration::from_secs(20), "{took:?}");
    }
    let graph = Graph::new();
    // These stay symbolic, whatever their size.
    for text in
        ["10^100000", "((2^1000)^1000)^1000", "x^9223372036854775807", "x^99999999999999999999", "2^(1/4294967295)"]
    {
        assert!(parse_any(&graph, text, &AnyName(&graph)).is_ok(), "{text}");
    }
}

#[test]
fn long_texts_within_the_limits_are_read_in_linear_time() {
    let graph = Graph::new();
    let scope = AnyName(&graph);
    let start = Instant::now();
    let sum: String = (0..100_000).map(|i| format!("x{i}+")).collect();
    assert!(parse_any(&graph, &(sum + "1"), &scope).is_ok());
    let product: String = (0..100_000).map(|i| format!("x{i}*")).collect();
    assert!(parse_any(&graph, &(product + "1"), &scope).is_ok());
    let conditions = "x < 1 and ".repeat(90_000);
    assert!(parse_any(&graph, &(conditions + "x < 2"), &scope).is_ok());
    // Quadratic time would take minutes.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn the_deepest_nesting_accepted_fits_a_small_stack() {
    let read = || {
        let graph = Graph::new();
        let every_operator = "if(x < 1 or x < 1 and 1 < 1 + 2*3^";
        let forms = [
            ("(", ")"),
            ("sin(", ")"),
            ("q[", "]"),
            ("sum(i, 1, 1, ", ")"),
            ("-", ""),
            ("2^", ""),
            (every_operator, ", 1, 1)"),
        ];
        for (open, close) in forms {
            let levels = if open == every_operator { 127 } else { 255 };
            let text = open.repeat(levels) + "1" + &close.repeat(levels);
            // Indices must be integers; the others are read.
            assert!(parse_any(&graph, &text, &AnyName(&graph)).is_ok() || open == "q[", "{open}");
        }
        assert!(
            parse_equation(&graph, &format!("{}x{} = 1", "(".repeat(200), ")".repeat(200)), &AnyName(&graph)).is_ok()
        );
    };
    let small = std::thread::Builder::new().stack_size(512 << 10);
    small.spawn(read).unwrap().join().unwrap();
}
