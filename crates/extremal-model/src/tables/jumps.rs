//! Forces that jump with the direction of a motion: dry friction that is stated as a force.

use extremal_expr::{Expr, Function, Graph, Node};

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::resolver::Resolver;

/// Warns of a force on a coordinate or a definition that jumps, which a step in which it should stick has no solution for. `what` it is called. Does it
/// jump?
pub(super) fn report<'g>(resolver: &mut Resolver<'g, '_>, what: &str, on: &str, force: Expr<'g>, span: Span) -> bool {
    let found = jumps(resolver, force);
    if found {
        let message = format!("the {what} on `{on}` jumps where a velocity passes zero");
        let label = "a step in which it should stick has no solution";
        let is_definition = resolver.names.is_definition(on);
        let dry = match is_definition {
            true => format!("q = {{ dry = \"mu*m*g\", along = \"{on}'\" }} of a coordinate q that moves it"),
            false => format!("{on} = {{ dry = \"mu*m*g\" }}"),
        };
        let help = format!("state it as dry friction, which sticks, in [friction]: {dry}");
        let diagnostic = Diagnostic::warning(Code::JumpingFriction, message).at(span, label);
        resolver.problems.push(diagnostic.help(help));
    }
    found
}

/// Does the force jump where a velocity passes zero, as `sign(x')`, `x'/abs(x')` and `if(x' > 0, 1, -1)` do and `sign(x')*x'^2` does
/// not?
fn jumps<'g>(resolver: &Resolver<'g, '_>, force: Expr<'g>) -> bool {
    let graph = resolver.graph;
    let velocities = resolver.names.velocities_in(force);
    if velocities.is_empty() {
        return false;
    }
    let at_rest: Vec<_> = velocities.iter().map(|v| (*v, graph.int(0))).collect();
    // How far the force jumps at rest with the two values of one of its parts.
    let apart = |part: Expr<'g>, [one, other]: [Expr<'g>; 2]| {
        let [one, other] = [one, other].map(|value| force.substitute(&[(part, value)]).substitute(&at_rest));
        !graph.simplified(one - other).is_zero()
    };
    let reached = graph.reachable(&[force.id()]).into_iter().map(|id| graph.expr(id));
    let moving = |id| graph.expr(id).depends_on(&velocities);
    reached.into_iter().any(|part| match part.node() {
        Node::Call(Function::Sign, argument) => moving(argument) && apart(part, [graph.int(1), graph.int(-1)]),
        Node::Select(condition, one, other) => moving(condition) && apart(part, [graph.expr(one), graph.expr(other)]),
        // x'/abs(x') is the sign of x' too.
        Node::Call(Function::Abs, argument) => moving(argument) && divides(graph, force, part),
        _ => false,
    })
}

/// Is something a divisor in an expression?
fn divides<'g>(graph: &'g Graph, whole: Expr<'g>, part: Expr<'g>) -> bool {
    graph.reachable(&[whole.id()]).into_iter().any(|id| match graph.expr(id).node() {
        Node::Product(factors) => factors.iter().any(|(factor, e)| *factor == part.id() && *e < 0),
        _ => false,
    })
}
