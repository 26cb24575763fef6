//! `hamiltonian`: a system stated by H(q, p, S, t) instead of a Lagrangian.
//!
//! Where q' = ∂H/∂p can be solved for the momenta, H being quadratic in them, the Lagrangian L = p·q' − H is formed and `p_x` is a name
//! for what it is worth by velocities. Elsewhere the momenta are coordinates of their own, behind all others, and the Lagrangian
//! is that of the phase space, p·q' − H(q, p), which has no accelerations.

use extremal_expr::elimination::solve_affine;
use extremal_expr::{Expr, Graph, Id, Rational};

use super::coordinates::{CoordinateStatement, Coordinates};
use super::definitions::{self, Definitions};
use super::entropies::Entropy;
use super::families::Family;
use super::matter::Amount;
use super::observables::SymmetryGenerator;
use super::states::FirstOrderState;
use super::{DeclaredQuantities, Statements, boundary};
use crate::diagnostic::{Code, Diagnostic, Problems};
use crate::document::{Name, Scalar, ScalarSeries};
use crate::names::{Declaration, NameMeaning};
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;

/// Momenta are solved for up to this many that are coupled: beyond it the formulas fill pages.
const MAX_COUPLED: usize = 6;

/// A Hamiltonian with the Lagrangian that belongs to it.
pub(crate) struct StatedHamiltonian<'g> {
    /// In the symbols `p_x`.
    pub hamiltonian: Expr<'g>,
    pub lagrangian: Expr<'g>,
}

/// What a state carries beside positions and velocities.
pub(crate) struct CarriedStarts<'a> {
    pub entropies: &'a [Entropy],
    pub amounts: &'a [Amount],
    pub states: &'a [FirstOrderState],
}

impl CarriedStarts<'_> {
    /// The symbol of each with its start, where one is stated.
    fn starts(&self) -> impl Iterator<Item = (Id, Id)> {
        let entropies = self.entropies.iter().map(|entropy| (entropy.symbol, entropy.start));
        let amounts = self.amounts.iter().map(|amount| (amount.symbol, amount.start));
        let states = self.states.iter().filter_map(|state| Some((state.symbol, state.start?)));
        entropies.chain(amounts).chain(states)
    }
}

/// What is kept of a stated Hamiltonian.
#[derive(Clone, Copy)]
pub(crate) struct HamiltonianContent {
    pub expression: Id,
    /// Are the momenta coordinates, in the second half of the list?
    pub phase_space: bool,
}

/// The name of the momentum of a coordinate, or of a family of them.
fn momentum_name(coordinate: &str) -> String {
    format!("p_{coordinate}")
}

/// Adds the momenta to the coordinates where the Hamiltonian has no Lagrangian in closed form. What is in error is left alone: it is
/// reported when the statements are given their meaning.
pub(crate) fn complete(statements: &mut Statements) {
    if statements.dynamics.hamiltonian.is_none() || has_closed_form(statements) != Some(false) {
        return;
    }
    let by_velocity = statements.coordinates.iter().any(|coordinate| coordinate.velocity.is_some());
    if by_velocity && statements.coordinates.iter().any(|coordinate| coordinate.momentum.is_some()) {
        return;
    }
    let zero = |name: &Name| ScalarSeries::One(Scalar::Number { value: Rational::ZERO, span: name.span.clone() });
    let mut momenta = Vec::with_capacity(statements.coordinates.len());
    for coordinate in &mut statements.coordinates {
        let lists = [&coordinate.start, &coordinate.velocity, &coordinate.momentum].into_iter().flatten();
        let length = lists.filter_map(|series| match series {
            ScalarSeries::One(_) => None,
            ScalarSeries::List { items, .. } => Some(items.len() as i64),
        });
        let listed = length.max().and_then(|length| Rational::new(length, 1));
        let span = coordinate.name.span.clone();
        let count = coordinate.count.clone().or(listed.map(|value| Scalar::Number { value, span }));
        let name = Name { text: momentum_name(&coordinate.name.text), span: coordinate.name.span.clone() };
        let stated = coordinate.momentum.take();
        let start = if by_velocity { stated } else { Some(stated.unwrap_or_else(|| zero(&name))) };
        if by_velocity {
            coordinate.velocity.get_or_insert_with(|| zero(&coordinate.name));
        }
        let index = coordinate.index.clone();
        momenta.push(CoordinateStatement {
            name,
            has_start: true,
            start,
            count,
            index,
            ..CoordinateStatement::default()
        });
    }
    statements.coordinates.extend(momenta);
    statements.dynamics.phase_space = true;
}

/// Can the momenta be solved for? `None` where something is in error.
fn has_closed_form(statements: &Statements) -> Option<bool> {
    let (graph, problems) = (Graph::new(), &mut Problems::default());
    let independent = boundary::independent(statements.boundary.as_ref(), problems);
    let resolver = &mut Resolver::new(&graph, &independent, problems);
    let coordinates = DeclaredQuantities::of(resolver, statements).coordinates;
    definitions::resolve(resolver, &statements.definitions);
    let hamiltonian =
        resolver.number(statements.dynamics.hamiltonian.as_ref()?, &ExpressionPlace::HAMILTONIAN, None)?;
    Some(LegendreForm::of(hamiltonian, &coordinates).is_some())
}

/// Declares the momenta as symbols, until it is known what they are worth.
pub(crate) fn declare(resolver: &mut Resolver<'_, '_>, statements: &Statements, coordinates: &Coordinates) {
    check_starts(resolver, statements);
    if statements.dynamics.hamiltonian.is_none() || statements.dynamics.phase_space {
        return;
    }
    for family in &coordinates.families.list {
        let name = Name { text: momentum_name(&family.name.text), span: family.name.span.clone() };
        if resolver.admit(&name, "momentum") {
            let symbols = symbols(resolver.graph, family);
            redeclare(resolver, family, NameMeaning::Momentum { symbols });
        }
    }
}

/// The momenta of a family of coordinates as symbols.
fn symbols<'g>(graph: &'g Graph, family: &Family) -> Vec<Expr<'g>> {
    (0..family.len()).map(|at| graph.symbol(&momentum_name(&family.member(at)))).collect()
}

fn redeclare<'g>(resolver: &mut Resolver<'g, '_>, family: &Family, meaning: NameMeaning<'g>) {
    let span = family.name.span.clone();
    let declaration = Declaration { what: "momentum", meaning, count: family.count, span };
    resolver.names.declare(&momentum_name(&family.name.text), declaration);
}

/// A start is given by momenta or by velocities, and by momenta only where these are stated of the system.
fn check_starts(resolver: &mut Resolver<'_, '_>, statements: &Statements) {
    let mut by_velocity = statements.coordinates.iter().filter_map(|coordinate| coordinate.velocity.as_ref());
    for coordinate in &statements.coordinates {
        let Some(momentum) = &coordinate.momentum else { continue };
        let name = &coordinate.name.text;
        let problem = match by_velocity.next() {
            _ if statements.dynamics.hamiltonian.is_none() => {
                let message = format!("the start of `{name}` has a momentum, but the system has a Lagrangian");
                let diagnostic = Diagnostic::error(Code::Conflict, message).at(momentum.span(), "");
                diagnostic.help("state the velocity, or the system by `hamiltonian = \"...\"` in [dynamics]")
            }
            Some(velocity) => {
                Diagnostic::error(Code::Conflict, "a start is given by velocities or by momenta, not by both")
                    .at(momentum.span(), "a momentum")
                    .at(velocity.span(), "a velocity")
            }
            None => continue,
        };
        resolver.problems.push(problem);
        return;
    }
}

/// The Hamiltonian and its Lagrangian. Definitions that contain momenta are written by what these are worth, and starts by momenta
/// become starts by velocities.
pub(crate) fn resolve<'g>(
    resolver: &mut Resolver<'g, '_>,
    statements: &Statements,
    coordinates: &mut Coordinates,
    definitions: &mut Definitions,
    carried: &CarriedStarts<'_>,
) -> Option<StatedHamiltonian<'g>> {
    let scalar = statements.dynamics.hamiltonian.as_ref()?;
    let hamiltonian = resolver.number(scalar, &ExpressionPlace::HAMILTONIAN, None)?;
    if statements.dynamics.phase_space {
        check_targets(resolver, statements, coordinates);
        return Some(on_phase_space(hamiltonian, coordinates));
    }
    // Without one the momenta would be coordinates, unless something else is wrong.
    let form = LegendreForm::of(hamiltonian, coordinates)?;
    let mut values = form.momenta.iter().copied();
    for family in &coordinates.families.list {
        let values = values.by_ref().take(family.len()).collect();
        redeclare(resolver, family, NameMeaning::Definition { values, columns: None });
    }
    definitions::substitute(resolver, definitions, &form.rules());
    start_by_momenta(resolver, statements, coordinates, carried, hamiltonian);
    Some(StatedHamiltonian { hamiltonian, lagrangian: form.lagrangian })
}

/// Momenta by velocities, and the Lagrangian, of a Hamiltonian that is quadratic in the momenta.
struct LegendreForm<'g> {
    symbols: Vec<Expr<'g>>,
    momenta: Vec<Expr<'g>>,
    lagrangian: Expr<'g>,
}

impl<'g> LegendreForm<'g> {
    /// With H = p·K p/2 + a·p + V the momenta are K⁻¹(v − a), and L = p·(v − a)/2 − V. `None` where H is not of this form, K is
    /// singular, or too many momenta are coupled.
    fn of(hamiltonian: Expr<'g>, coordinates: &Coordinates) -> Option<LegendreForm<'g>> {
        let g = hamiltonian.graph();
        let symbols: Vec<_> = coordinates.families.list.iter().flat_map(|family| symbols(g, family)).collect();
        let velocities: Vec<_> = coordinates.list.iter().map(|c| g.expr(c.velocity)).collect();
        if !g.unbroken_in(&[hamiltonian], &symbols)[0] {
            return None;
        }
        let slopes = g.gradient(hamiltonian, &symbols);
        let rows: Vec<_> = slopes.iter().zip(&velocities).map(|(slope, v)| *slope - *v).collect();
        let momenta = solve_affine(g, &rows, &symbols, |group| group.len() <= MAX_COUPLED)?;
        let momenta: Vec<_> = momenta.into_iter().map(|momentum| g.simplified(momentum)).collect();
        let at_zero: Vec<_> = symbols.iter().map(|symbol| (*symbol, g.int(0))).collect();
        let relative = velocities.iter().zip(g.substitute(&slopes, &at_zero)).map(|(v, drift)| *v - drift);
        let kinetic = g.dot(&momenta, &relative.collect::<Vec<_>>()) * g.rational(Rational::HALF);
        let lagrangian = g.simplified(kinetic) - g.simplified(hamiltonian.substitute(&at_zero));
        Some(LegendreForm { symbols, momenta, lagrangian })
    }

    fn rules(&self) -> Vec<(Expr<'g>, Expr<'g>)> {
        self.symbols.iter().copied().zip(self.momenta.iter().copied()).collect()
    }
}

/// The Lagrangian of the phase space, whose coordinates are positions and then momenta.
fn on_phase_space<'g>(hamiltonian: Expr<'g>, coordinates: &Coordinates) -> StatedHamiltonian<'g> {
    let g = hamiltonian.graph();
    let (positions, momenta) = coordinates.list.split_at(coordinates.list.len() / 2);
    let pairs = positions.iter().zip(momenta).map(|(x, p)| g.expr(p.position) * g.expr(x.velocity));
    StatedHamiltonian { hamiltonian, lagrangian: g.sum(pairs) - hamiltonian }
}

/// Forces act on coordinates.
fn check_targets(resolver: &mut Resolver<'_, '_>, statements: &Statements, coordinates: &Coordinates) {
    let families = &coordinates.families.list;
    let forces = statements.dynamics.forces.iter().map(|assignment| &assignment.key);
    let frictions = statements.friction.iter().map(|friction| &friction.key);
    for key in forces.chain(frictions) {
        let stem = key.value.split('[').next().unwrap_or_default().trim();
        let Some(family) = families[families.len() / 2..].iter().find(|family| family.name.text == stem) else {
            continue;
        };
        let message = format!("`{}` is a momentum; forces act on coordinates", key.value);
        let coordinate = family.name.text.strip_prefix("p_").unwrap_or_default();
        resolver.problems.push(
            Diagnostic::error(Code::Conflict, message)
                .at(key.span.clone(), "")
                .help(format!("the force on `{coordinate}` is what changes its momentum")),
        );
    }
}

/// Velocities at the start from momenta there, by q' = ∂H/∂p.
fn start_by_momenta<'g>(
    resolver: &mut Resolver<'g, '_>,
    statements: &Statements,
    coordinates: &mut Coordinates,
    carried: &CarriedStarts<'_>,
    hamiltonian: Expr<'g>,
) {
    if statements.coordinates.iter().any(|coordinate| coordinate.velocity.is_some()) {
        return;
    }
    let g = resolver.graph;
    let symbols: Vec<_> = coordinates.families.list.iter().flat_map(|family| symbols(g, family)).collect();
    let zero = g.int(0);
    let mut rules = vec![(resolver.names.time(), zero)];
    for (coordinate, symbol) in coordinates.list.iter().zip(&symbols) {
        rules.push((*symbol, coordinate.start_momentum.map_or(zero, |id| g.expr(id))));
        rules.extend(coordinate.start.map(|start| (g.expr(coordinate.position), g.expr(start))));
    }
    rules.extend(carried.starts().map(|(symbol, start)| (g.expr(symbol), g.expr(start))));
    let velocities = g.substitute(&g.gradient(hamiltonian, &symbols), &rules);
    let positions: Vec<_> = coordinates.list.iter().map(|coordinate| g.expr(coordinate.position)).collect();
    for (coordinate, velocity) in coordinates.list.iter_mut().zip(velocities) {
        // Where a boundary problem leaves the start open, so are the velocities there.
        if !velocity.depends_on(&positions) && (coordinate.start_momentum.is_some() || !velocity.is_zero()) {
            coordinate.start_momentum.get_or_insert(zero.id());
            coordinate.start_velocity = Some(velocity.id());
        }
    }
}

/// A symmetry of the coordinates moves the momenta too: p_j changes by −Σ p_k ∂X_k/∂q_j.
pub(crate) fn lift(graph: &Graph, symmetries: &mut [SymmetryGenerator], coordinates: &Coordinates) {
    let half = coordinates.list.len() / 2;
    let symbols: Vec<Expr<'_>> = coordinates.list.iter().map(|c| graph.expr(c.position)).collect();
    for symmetry in symmetries {
        let moved = graph.exprs(&symmetry.generator[..half]);
        let work = graph.dot(&moved, &symbols[half..]);
        let rates = graph.gradient(work, &symbols[..half]);
        symmetry.generator.truncate(half);
        symmetry.generator.extend(rates.iter().map(|rate| (-*rate).id()));
    }
}
