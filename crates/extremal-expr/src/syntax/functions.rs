//! The functions of the language by name.

use super::suggest::nearest;
use crate::{Function, Function2};

/// A function by what it builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    Unary(Function),
    Sqrt,
    /// Exactly two arguments.
    Binary(Function2),
    /// Two arguments or more, folded from the left.
    Folded(Function2),
    Pow,
    /// Of vectors and matrices.
    OfArrays(ArrayFunction),
}

/// A function of vectors and matrices, written out as it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArrayFunction {
    Dot,
    Cross,
    Norm,
    Transpose,
}

impl ArrayFunction {
    const ALL: [ArrayFunction; 4] =
        [ArrayFunction::Dot, ArrayFunction::Cross, ArrayFunction::Norm, ArrayFunction::Transpose];

    pub(super) fn name(self) -> &'static str {
        match self {
            ArrayFunction::Dot => "dot",
            ArrayFunction::Cross => "cross",
            ArrayFunction::Norm => "norm",
            ArrayFunction::Transpose => "transpose",
        }
    }

    /// What it takes, in words.
    pub(super) fn takes(self) -> &'static str {
        match self {
            ArrayFunction::Dot => "two vectors of the same length",
            ArrayFunction::Cross => "two vectors of 3, or two of 2",
            ArrayFunction::Norm => "a vector",
            ArrayFunction::Transpose => "a matrix",
        }
    }
}

impl Named {
    pub(super) fn find(name: &str) -> Option<Named> {
        match name {
            "sqrt" => return Some(Named::Sqrt),
            "pow" => return Some(Named::Pow),
            _ => {}
        }
        if let Some(function) = ArrayFunction::ALL.iter().find(|f| f.name() == name) {
            return Some(Named::OfArrays(*function));
        }
        if let Some(function) = Function::ALL.iter().find(|f| f.name() == name) {
            return Some(Named::Unary(*function));
        }
        let function = Function2::ALL.iter().find(|f| f.name() == name)?;
        Some(if function.folds() { Named::Folded(*function) } else { Named::Binary(*function) })
    }

    /// What it takes, in words, when `count` arguments are wrong.
    pub(super) fn refuses(self, count: usize) -> Option<&'static str> {
        let (right, expected) = match self {
            Named::Unary(_) | Named::Sqrt | Named::OfArrays(ArrayFunction::Norm | ArrayFunction::Transpose) => {
                (count == 1, "1 argument")
            }
            Named::Binary(_) | Named::Pow | Named::OfArrays(ArrayFunction::Dot | ArrayFunction::Cross) => {
                (count == 2, "2 arguments")
            }
            Named::Folded(_) => (count >= 2, "2 arguments or more"),
        };
        (!right).then_some(expected)
    }
}

fn all_names() -> impl Iterator<Item = &'static str> {
    let unary = Function::ALL.iter().map(|f| f.name());
    let binary = Function2::ALL.iter().map(|f| f.name());
    let of_arrays = ArrayFunction::ALL.iter().map(|f| f.name());
    unary.chain(binary).chain(of_arrays).chain(["sqrt", "pow", "if", "sum"])
}

/// The function meant by an unknown name: other languages' spellings first, then the nearest.
pub(super) fn suggest(name: &str) -> Option<&'static str> {
    const ELSEWHERE: [(&str, &str); 6] =
        [("arctan2", "atan2"), ("power", "pow"), ("Sum", "sum"), ("where", "if"), ("inner", "dot"), ("length", "norm")];
    let function = Function::ALL.iter().find(|f| f.elsewhere().contains(&name)).map(|f| f.name());
    let other = || ELSEWHERE.iter().find(|(other, _)| *other == name).map(|(_, ours)| *ours);
    function.or_else(other).or_else(|| nearest(name, all_names()))
}

/// Words that cannot be declared as names.
pub(super) fn is_reserved(name: &str) -> bool {
    matches!(name, "and" | "or" | "not" | "pi" | "π") || all_names().any(|function| function == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_of_the_language_is_found() {
        let language = "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp log sqrt cbrt abs sign min max pow \
             dot cross norm transpose";
        for name in language.split_whitespace() {
            assert!(Named::find(name).is_some(), "{name}");
            assert!(is_reserved(name), "{name}");
        }
        assert_eq!(Named::find("ln"), None);
    }

    #[test]
    fn spellings_from_elsewhere_are_recognised() {
        assert_eq!(suggest("ln"), Some("log"));
        assert_eq!(suggest("cosine"), None);
        assert_eq!(suggest("sen"), Some("sin"));
        assert_eq!(suggest("squrt"), Some("sqrt"));
    }
}
