//! Names as a model would declare them.

use extremal_expr::syntax::{Binding, NameRefusal, NameUse, Scope};
use extremal_expr::{Expr, Graph};

/// Coordinates `x`, `theta` and the family `q[1]` to `q[5]`, parameters `m`, `gamma` and the integer `n = 5`, time `t`,
/// a definition `height` and the entropy `S`.
pub struct SmallScope<'g>(pub &'g Graph);

impl<'g> Scope<'g> for SmallScope<'g> {
    fn resolve(&self, name: &str) -> Option<Binding> {
        Some(match name {
            "x" | "theta" => Binding::variable("coordinate"),
            "q" => Binding::variable("coordinate").family(1..=5),
            "m" | "gamma" => Binding::constant("parameter"),
            "n" => Binding::constant("parameter").integer(5),
            "t" => Binding::constant("time variable"),
            "S" => Binding::variable("entropy"),
            "height" => Binding::variable("definition"),
            _ => return None,
        })
    }

    fn value(&self, reference: NameUse<'_>) -> Result<Expr<'g>, NameRefusal> {
        let graph = self.0;
        let theta = ["theta", "theta'", "theta''"].map(|name| graph.symbol(name));
        match (reference.name, reference.primes) {
            ("height", 0) => Ok(theta[0].sin()),
            ("height", 1) => Ok(graph.directional(&[theta[0].sin()], &[(theta[0], theta[1])])[0]),
            (_, 3..) => Err(NameRefusal {
                message: format!("`{}` is not available", reference.symbol()),
                help: Some("accelerations are the highest derivatives here".to_owned()),
            }),
            _ => Ok(graph.symbol(&reference.symbol())),
        }
    }

    fn names(&self) -> Vec<String> {
        ["x", "theta", "q", "m", "gamma", "n", "t", "S", "height"].map(str::to_owned).to_vec()
    }
}
