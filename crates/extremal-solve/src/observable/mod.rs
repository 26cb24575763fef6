//! Which states can be observed, without observing them.
//!
//! A state whose energy, velocity or other observed quantity is no number is none of the motion, so that something must be known of
//! every state of it, also of those that nobody looks at. Interval arithmetic tells what all quantities are bounded by as long as the
//! state is; what it cannot exclude (a distance that vanishes, a logarithm of something negative) becomes a [`Demand`] on the state, a
//! comparison that costs much less than an observation.

mod harmonics;
mod interval;

use crate::kernel::same_bits;
use extremal_expr::{Expr, Function, Function2, Graph, Id, Node, Relation};
use extremal_mechanics::Block;
use harmonics::harmonics;
use interval::Interval;

/// States are bounded by this, and times.
pub(crate) const LARGEST_STATE: f64 = 1e40;
/// Steps and first times for which the time is too, whatever the number of steps.
const LARGEST_TIME: f64 = 1e20;
/// Quantities that may be larger are not known to be finite.
const LARGEST: f64 = 1e300;
/// What is divided by is at least this,
const LEAST_DIVISOR: f64 = 1e-40;
/// or so much that its power is at most this.
const LARGEST_POWER: f64 = 1e120;
/// What is exponentiated.
const LARGEST_EXPONENT: f64 = 280.0;
/// Logarithms of less are too near to those of zero.
const LEAST_LOGARITHM: f64 = 1e-300;
/// A determinant is at least this part of its terms: there the equations are solved without a second thought.
const LEAST_DETERMINANT: f64 = 1.0 / 256.0;
/// Larger systems of equations are not written out.
const LARGEST_SOLVE: usize = 3;

/// What is known of the quantities observed of one system: for all its states that meet the demands, they are finite, provided that the parameters are
/// [as good](Observable::holds_for) as those it was found for.
#[derive(Clone)]
pub(crate) struct Observable {
    /// In the order of their nodes, which is that of evaluation.
    rules: Vec<QuantityRule>,
    demands: Vec<Demand>,
    /// What the demands are about.
    demanded: Vec<Id>,
    /// What must not be negative for the equations to be solvable.
    margins: Vec<usize>,
    bounds: Vec<Interval>,
    /// The parameters that were asked for last, and the answer.
    last: Vec<f64>,
    holds: bool,
}

/// How a quantity follows from those before it.
#[derive(Clone)]
enum QuantityRule {
    Fixed(f64),
    Parameter(usize),
    State,
    Sum { constant: f64, terms: Vec<(usize, f64)> },
    Product(Vec<(usize, i64)>),
    Root(usize, u32),
    Power(usize, usize),
    Call(Function, usize),
    Call2(Function2, usize, usize),
    Either(usize, usize),
    Same(usize),
    Condition,
}

/// What must hold for a quantity, by its rule.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Demand {
    rule: usize,
    kind: DemandKind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum DemandKind {
    AtLeast(f64),
    AtMost(f64),
    /// The magnitude is at least this.
    Away(f64),
    /// The magnitude is at most this.
    Within(f64),
}

impl DemandKind {
    fn holds_on(self, x: Interval) -> bool {
        match self {
            DemandKind::AtLeast(least) => x.low >= least,
            DemandKind::AtMost(most) => x.high <= most,
            DemandKind::Away(least) => x.least() >= least,
            DemandKind::Within(most) => x.size() <= most,
        }
    }

    /// What is left of an interval where it holds.
    fn restrict(self, x: Interval) -> Interval {
        match self {
            DemandKind::AtLeast(least) => Interval::new(x.low.max(least), x.high.max(least)),
            DemandKind::AtMost(most) => Interval::new(x.low.min(most), x.high.min(most)),
            DemandKind::Away(_) => x,
            DemandKind::Within(most) => Interval::new(x.low.clamp(-most, most), x.high.clamp(-most, most)),
        }
    }
}

impl Observable {
    /// Finds what the outputs of `observe` demand of a state where the `parameters` have these or similar values. `None` where it is not known how to
    /// keep them finite.
    pub fn of(
        g: &Graph,
        observe: &Block,
        state: &[Id],
        time: Id,
        parameters: &[Id],
        values: &[f64],
    ) -> Option<Observable> {
        let (outputs, margins) = written_out(g, observe)?;
        let wanted: Vec<Id> = outputs.iter().chain(&margins).map(|e| e.id()).collect();
        let mut nodes = g.reachable(&wanted);
        nodes.sort();
        let place = |id: Id| nodes.binary_search(&id).ok();
        let rules = nodes
            .iter()
            .map(|id| rule(g, *id, &place, state, time, parameters))
            .collect::<Option<Vec<QuantityRule>>>()?;
        let bounds = vec![Interval::point(0.0); rules.len()];
        let margins = margins.iter().map(|margin| place(margin.id())).collect::<Option<Vec<usize>>>()?;
        let mut found = Observable {
            rules,
            demands: Vec::new(),
            demanded: Vec::new(),
            margins,
            bounds,
            last: values.to_vec(),
            holds: true,
        };
        let mut demands = Vec::new();
        let mut grant = |demand: Demand| {
            if !demands.contains(&demand) {
                demands.push(demand);
            }
            true
        };
        found.evaluate(&points(values), &mut grant).then_some(())?;
        found.demanded = demands.iter().map(|demand| nodes[demand.rule]).collect();
        found.demands = demands;
        Some(found)
    }

    /// Does it hold for these parameters too?
    pub fn holds_for(&mut self, parameters: &[f64]) -> bool {
        // Members of an ensemble often have the same.
        if !same_bits(&self.last, parameters) {
            let assumed = std::mem::take(&mut self.demands);
            self.holds = self.evaluate(&points(parameters), &mut |demand| assumed.contains(&demand));
            self.demands = assumed;
            self.last.clear();
            self.last.extend_from_slice(parameters);
        }
        self.holds
    }

    /// Does it hold for all parameters between these? What holds for each of them may not be seen to hold for all together.
    pub fn holds_between(&mut self, parameters: &[[f64; 2]]) -> bool {
        let ranges: Vec<Interval> = parameters.iter().map(|[low, high]| Interval::new(*low, *high)).collect();
        let assumed = std::mem::take(&mut self.demands);
        let holds = self.evaluate(&ranges, &mut |demand| assumed.contains(&demand));
        self.demands = assumed;
        // What is known now is not known of single parameters.
        self.last.clear();
        holds
    }

    /// The demands as conditions, on whatever `rules` put in the place of the state.
    pub fn conditions<'g>(&self, g: &'g Graph, rules: &[(Expr<'g>, Expr<'g>)]) -> Vec<Expr<'g>> {
        let quantities = g.substitute(&g.exprs(&self.demanded), rules);
        let number = |x: f64| g.float(x).unwrap_or(g.int(0));
        let condition = |(demand, x): (&Demand, Expr<'g>)| match demand.kind {
            DemandKind::AtLeast(least) => g.compare(Relation::Le, number(least), x),
            DemandKind::AtMost(most) => g.compare(Relation::Le, x, number(most)),
            DemandKind::Away(least) => g.compare(Relation::Le, number(least), x.abs()),
            DemandKind::Within(most) => g.compare(Relation::Le, x.abs(), number(most)),
        };
        self.demands.iter().zip(quantities).map(condition).collect()
    }

    /// Bounds all quantities, as far as the demands that are granted allow.
    fn evaluate(&mut self, parameters: &[Interval], grant: &mut dyn FnMut(Demand) -> bool) -> bool {
        for at in 0..self.rules.len() {
            let Some(bound) = self.bound(at, parameters, grant) else { return false };
            if bound.low.is_nan() || bound.high.is_nan() || bound.size() > LARGEST {
                return false;
            }
            self.bounds[at] = bound;
        }
        let solvable = DemandKind::AtLeast(0.0);
        self.margins
            .iter()
            .all(|rule| solvable.holds_on(self.bounds[*rule]) || grant(Demand { rule: *rule, kind: solvable }))
    }

    fn bound(&self, at: usize, parameters: &[Interval], grant: &mut dyn FnMut(Demand) -> bool) -> Option<Interval> {
        let bounds = &self.bounds;
        let mut ask = |rule: usize, kind: DemandKind| -> Option<Interval> {
            let holds = kind.holds_on(bounds[rule]) || grant(Demand { rule, kind });
            holds.then(|| kind.restrict(bounds[rule]))
        };
        Some(match &self.rules[at] {
            QuantityRule::Fixed(value) => Interval::point(*value),
            QuantityRule::Parameter(at) => *parameters.get(*at)?,
            QuantityRule::State => Interval::within(LARGEST_STATE),
            QuantityRule::Sum { constant, terms } => Interval::sum(
                *constant,
                terms.iter().map(|(term, factor)| bounds[*term].times(Interval::point(*factor))),
            ),
            QuantityRule::Product(factors) => {
                let mut product = Interval::point(1.0);
                for (base, exponent) in factors {
                    let away = match *exponent {
                        -3.. => LEAST_DIVISOR,
                        large => LARGEST_POWER.powf(1.0 / large as f64),
                    };
                    if *exponent < 0 {
                        match &self.rules[*base] {
                            // A root is away from zero where its argument is.
                            QuantityRule::Root(argument, q) => {
                                ask(*argument, DemandKind::AtLeast(away.powi(*q as i32)))?
                            }
                            _ => ask(*base, DemandKind::Away(away))?,
                        };
                    }
                    product = product.times(bounds[*base].power(*exponent, away));
                }
                product
            }
            QuantityRule::Root(argument, q) => {
                ask(*argument, DemandKind::AtLeast(0.0))?.rising(|x| x.max(0.0).powf(1.0 / f64::from(*q)))
            }
            QuantityRule::Power(base, exponent) => {
                let logarithm = ask(*base, DemandKind::AtLeast(LEAST_DIVISOR))?.rising(f64::ln);
                logarithm.times(bounds[*exponent]).rising(f64::exp)
            }
            QuantityRule::Call(function, argument) => {
                let x = bounds[*argument];
                match function {
                    Function::Sin | Function::Cos | Function::Tanh | Function::Sign => Interval::within(1.0),
                    Function::Asin => ask(*argument, DemandKind::Within(1.0))?.rising(f64::asin),
                    Function::Acos => {
                        ask(*argument, DemandKind::Within(1.0))?;
                        Interval::new(0.0, 4.0)
                    }
                    Function::Atan => x.rising(f64::atan),
                    Function::Sinh => ask(*argument, DemandKind::Within(LARGEST_EXPONENT))?.rising(f64::sinh),
                    Function::Cosh => {
                        Interval::new(1.0, ask(*argument, DemandKind::Within(LARGEST_EXPONENT))?.size().cosh())
                    }
                    Function::Asinh => x.rising(f64::asinh),
                    Function::Acosh => ask(*argument, DemandKind::AtLeast(1.0))?.rising(|x| x.max(1.0).acosh()),
                    Function::Exp => ask(*argument, DemandKind::AtMost(LARGEST_EXPONENT))?.rising(f64::exp),
                    Function::Log => ask(*argument, DemandKind::AtLeast(LEAST_LOGARITHM))?.rising(f64::ln),
                    Function::Cbrt => x.rising(f64::cbrt),
                    Function::Abs => Interval::new(x.least(), x.size()),
                    // Poles, and whatever else has no bound that is known here.
                    _ => return None,
                }
            }
            QuantityRule::Call2(Function2::Atan2, ..) => Interval::within(4.0),
            QuantityRule::Call2(Function2::Min | Function2::Max, a, b) | QuantityRule::Either(a, b) => {
                bounds[*a].join(bounds[*b])
            }
            QuantityRule::Same(a) => bounds[*a],
            QuantityRule::Condition => Interval::point(0.0),
        })
    }
}

/// Single values as intervals.
fn points(values: &[f64]) -> Vec<Interval> {
    values.iter().map(|value| Interval::point(*value)).collect()
}

/// How a node follows from its children; `None` for symbols of which nothing is known.
fn rule(
    g: &Graph,
    id: Id,
    place: &dyn Fn(Id) -> Option<usize>,
    state: &[Id],
    time: Id,
    parameters: &[Id],
) -> Option<QuantityRule> {
    Some(match g.expr(id).node() {
        Node::Number(number) => QuantityRule::Fixed(number.to_f64()),
        Node::Pi => QuantityRule::Fixed(std::f64::consts::PI),
        Node::Symbol(_) if id == time || state.contains(&id) => QuantityRule::State,
        Node::Symbol(_) => QuantityRule::Parameter(parameters.iter().position(|parameter| *parameter == id)?),
        Node::Sum { constant, terms } => {
            let terms = terms.iter().map(|(term, factor)| Some((place(*term)?, factor.to_f64())));
            QuantityRule::Sum { constant: constant.to_f64(), terms: terms.collect::<Option<_>>()? }
        }
        Node::Product(factors) => {
            let factors = factors.iter().map(|(base, exponent)| Some((place(*base)?, *exponent)));
            QuantityRule::Product(factors.collect::<Option<_>>()?)
        }
        Node::Root(argument, q) => QuantityRule::Root(place(argument)?, q),
        Node::Power(base, exponent) => QuantityRule::Power(place(base)?, place(exponent)?),
        Node::Call(function, argument) => QuantityRule::Call(function, place(argument)?),
        Node::Call2(function, a, b) => QuantityRule::Call2(function, place(a)?, place(b)?),
        Node::Select(_, yes, no) => QuantityRule::Either(place(yes)?, place(no)?),
        // Its bounds are not known here.
        Node::Table(..) => return None,
        Node::Grouped(a) => QuantityRule::Same(place(a)?),
        Node::Compare(..) | Node::And(..) | Node::Or(..) | Node::Not(_) | Node::Truth(_) => QuantityRule::Condition,
    })
}

/// Is the time bounded with these steps, whatever their number?
pub(crate) fn is_bounded(h: f64, time: f64) -> bool {
    h.abs() <= LARGEST_TIME && time.abs() <= LARGEST_TIME
}

/// The outputs without unknowns, and what must not be negative for the equations to be solvable; `None` where these are not linear, or too many.
fn written_out<'g>(g: &'g Graph, observe: &Block) -> Option<(Vec<Expr<'g>>, Vec<Expr<'g>>)> {
    let reduced = observe.reduced(g);
    let mut known: Vec<(Expr<'g>, Expr<'g>)> = Vec::new();
    let mut margins = Vec::new();
    for (solve, slopes) in reduced.block.solves.iter().zip(&reduced.slopes) {
        let (n, unknowns) = (solve.unknowns.len(), g.exprs(&solve.unknowns));
        let entries: Vec<Expr<'g>> = slopes.iter().flatten().map(|(_, slope)| g.expr(*slope)).collect();
        if n > LARGEST_SOLVE || g.depend_on(&entries, &unknowns).contains(&true) {
            return None;
        }
        let mut values = g.substitute(&entries, &known).into_iter();
        let mut matrix = vec![vec![g.int(0); n]; n];
        for (row, entries) in matrix.iter_mut().zip(slopes) {
            entries.iter().zip(&mut values).for_each(|((column, _), value)| row[*column] = value);
        }
        let at_zero: Vec<_> = unknowns.iter().map(|unknown| (*unknown, g.int(0))).collect();
        let right = g.substitute(&g.substitute(&g.exprs(&solve.residual), &at_zero), &known);
        let determinant = harmonics(g, determinant(g, &matrix));
        let sizes: Vec<Vec<Expr<'g>>> = matrix.iter().map(|row| row.iter().map(|x| x.abs()).collect()).collect();
        let part = g.float(LEAST_DETERMINANT)?;
        margins.push(determinant.abs() - permanent(g, &sizes) * part);
        // Cramer's rule.
        let replaced = |column: usize| {
            let mut matrix = matrix.clone();
            matrix.iter_mut().zip(&right).for_each(|(row, value)| row[column] = -*value);
            matrix
        };
        known.extend(unknowns.iter().enumerate().map(|(i, u)| (*u, self::determinant(g, &replaced(i)) / determinant)));
    }
    Some((g.substitute(&g.exprs(&reduced.block.outputs), &known), margins))
}

fn determinant<'g>(g: &'g Graph, a: &[Vec<Expr<'g>>]) -> Expr<'g> {
    expanded(g, a, -1)
}

/// The determinant with all its signs positive.
fn permanent<'g>(g: &'g Graph, a: &[Vec<Expr<'g>>]) -> Expr<'g> {
    expanded(g, a, 1)
}

/// Expanded along the first row, with signs that alternate by `sign`.
fn expanded<'g>(g: &'g Graph, a: &[Vec<Expr<'g>>], sign: i64) -> Expr<'g> {
    let Some((first, rest)) = a.split_first() else { return g.int(1) };
    let mut factor = g.int(1);
    let mut terms = Vec::with_capacity(first.len());
    for (column, value) in first.iter().enumerate() {
        let without = |row: &Vec<Expr<'g>>| {
            row.iter().enumerate().filter(|(at, _)| *at != column).map(|(_, value)| *value).collect()
        };
        let minor: Vec<Vec<Expr<'g>>> = rest.iter().map(without).collect();
        terms.push(*value * factor * expanded(g, &minor, sign));
        factor = factor * sign;
    }
    g.sum(terms)
}

#[cfg(test)]
mod tests {
    use extremal_mechanics::Solve;

    use super::*;

    /// What is demanded for these outputs of x and y, by text.
    fn demands(g: &Graph, outputs: &[Expr<'_>]) -> Option<Vec<String>> {
        let state = ["x", "y"].map(|name| g.symbol(name).id());
        let block =
            Block { inputs: state.to_vec(), solves: Vec::new(), outputs: outputs.iter().map(|e| e.id()).collect() };
        let found = Observable::of(g, &block, &state, g.symbol("t").id(), &[g.symbol("m").id()], &[2.0])?;
        Some(found.conditions(g, &[]).iter().map(ToString::to_string).collect())
    }

    #[test]
    fn only_what_may_fail_is_demanded() {
        let g = Graph::new();
        let (x, y, m) = (g.symbol("x"), g.symbol("y"), g.symbol("m"));
        assert_eq!(demands(&g, &[x.powi(4) / 4 + x.sin() * y / m, (x.powi(2) + 1).powi(-1)]), Some(Vec::new()));
        let distance = (x.powi(2) + y.powi(2)).sqrt();
        // One demand for all that divides by the distance, and it is on its square.
        let found = demands(&g, &[distance.powi(-1), distance.powi(-3) * x, distance]).unwrap();
        assert!(found.len() == 1 && found[0].contains("x^2 + y^2") && !found[0].contains("sqrt"), "{found:?}");
        assert_eq!(demands(&g, &[x.log()]).unwrap().len(), 1);
        assert_eq!(demands(&g, &[x.exp()]).unwrap().len(), 1);
        assert_eq!(demands(&g, &[x.powi(9)]), None, "too large at the border");
        assert_eq!(demands(&g, &[g.symbol("unknown") * x]), None);
    }

    /// The mass matrix of a double pendulum with rods of length 1: its determinant is m + sin²(x - y).
    #[test]
    fn a_determinant_that_cannot_vanish_is_not_looked_at() {
        let g = Graph::new();
        let [x, y, p, q, v, w, m] = ["x", "y", "p", "q", "v", "w", "m"].map(|name| g.symbol(name));
        let coupling = x.cos() * y.cos() + x.sin() * y.sin();
        let rows = [(m + 1) * v + coupling * w - p, coupling * v + w - q];
        let state = [x, y, p, q].map(|e| e.id());
        let solve = Solve::new(&[v, w], &rows, &[p, q]);
        let block = Block { inputs: state.to_vec(), solves: vec![solve], outputs: vec![v.id(), w.id()] };
        let of = |mass: f64| Observable::of(&g, &block, &state, g.symbol("t").id(), &[m.id()], &[mass]).unwrap();
        let mut found = of(1.0);
        assert!(found.conditions(&g, &[]).is_empty());
        assert!(found.holds_for(&[3.0]) && found.holds_for(&[1.0]));
        assert!(!found.holds_for(&[0.0]), "without a mass it vanishes at x = y");
        assert!(!found.holds_for(&[f64::NAN]) && !found.holds_for(&[1e290]));
        assert!(!of(0.0).conditions(&g, &[]).is_empty());
    }
}
