//! Tables as functions of source.

use extremal_expr::TableFunction;

/// What the function of a table is called: letters and digits that no other table has.
pub(crate) fn table_name(function: TableFunction) -> String {
    function.name().chars().fold("table_".to_owned(), |name, c| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => name + &c.to_string(),
        '\'' => name + "_slope",
        _ => format!("{name}u{:x}", u32::from(c)),
    })
}

/// The breaks and the pieces, each number written by `number`, each piece between the brackets.
pub(super) fn written(
    function: TableFunction,
    number: impl Fn(f64) -> String,
    [open, close]: [&str; 2],
) -> [String; 2] {
    let breaks: Vec<String> = function.breaks().iter().map(|at| number(*at)).collect();
    let piece = |piece: &extremal_expr::PolynomialPiece| {
        let numbers: Vec<String> = std::iter::once(piece.origin).chain(piece.coefficients).map(&number).collect();
        format!("{open}{}{close}", numbers.join(", "))
    };
    let pieces: Vec<String> = function.pieces().iter().map(piece).collect();
    [breaks.join(", "), pieces.join(", ")]
}
