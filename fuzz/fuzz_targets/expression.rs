//! Any text is read or refused; what is read prints as text that reads back to the same node.

#![no_main]

use extremal_expr::Graph;
use extremal_expr::syntax::{AnyName, parse_any, parse_equation};
use libfuzzer_sys::fuzz_target;

/// Text cannot share sub-expressions as the graph does: larger ones are printed shortened and not read back.
const PRINTED_NODES: usize = 5_000;

fuzz_target!(|text: &str| {
    let graph = Graph::new();
    let scope = AnyName(&graph);
    if let Ok(equation) = parse_equation(&graph, text, &scope) {
        let _ = equation.left.text().limit(PRINTED_NODES).to_string();
    }
    let Ok(read) = parse_any(&graph, text, &scope) else { return };
    let _ = read.value.latex().limit(PRINTED_NODES).to_string();
    let printed = read.value.text().limit(PRINTED_NODES).to_string();
    if printed.contains('…') {
        return;
    }
    match parse_any(&graph, &printed, &scope) {
        Ok(again) => assert_eq!(again.value.id(), read.value.id(), "{text} printed as {printed}"),
        Err(errors) => panic!("{text} printed as {printed}\n{errors}"),
    }
});
