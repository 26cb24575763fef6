//! Equations solved for what they determine: accelerations and multipliers, and nonholonomic motion without multipliers.

use extremal_mechanics::System;

use super::{Pages, named, of};

/// Longer lines are not printed unless they are asked for.
const SHORT: usize = 110;
/// So many lines are not short, whatever each of them is.
const MOST_COORDINATES: usize = 12;

/// Accelerations, rates of entropies and multipliers; then, of a nonholonomic system, the reduced equations.
pub(super) fn solved<'m>(system: &System<'m>, pages: &mut Pages<'m>) {
    let Some(values) = system.solved_motion() else {
        let note = "The equations of motion do not determine the accelerations in closed form here; a run does it numerically.";
        pages.section("Solved equations", Some(note.to_owned()), Vec::new());
        return;
    };
    let lines = system.motion_unknowns().into_iter().zip(values).map(|(unknown, value)| (of(unknown), value));
    let note =
        (!system.constraints.is_empty()).then(|| "Where the constraints hold and no denominator vanishes.".to_owned());
    pages.section("Solved equations", note, lines.collect());
    let Some(reduced) = system.reduced_motion() else { return };
    let names = |places: &[usize]| places.iter().map(|at| system.v[*at].to_string()).collect::<Vec<_>>().join(", ");
    let bound: Vec<usize> = reduced.bound.iter().map(|(place, _)| *place).collect();
    let note = format!(
        "Without multipliers: the constraints bind {} to {}. L_D is the Lagrangian with these velocities; Lagrange's equations are added up \
         along the displacements that the constraints allow.",
        names(&bound),
        names(&reduced.free)
    );
    let mut lines: Vec<_> = reduced.bound.iter().map(|(place, value)| (of(system.v[*place]), *value)).collect();
    lines.push((named("L_D", "L_D"), reduced.lagrangian));
    lines.extend(reduced.equations.into_iter().map(|(left, right)| (of(left), right)));
    pages.section("Reduced equations", Some(note), lines);
}

/// Are the solved equations there, and short?
pub(super) fn is_short(system: &System<'_>) -> bool {
    if system.len() > MOST_COORDINATES {
        return false;
    }
    let mut pages = Pages { graph: system.graph, sections: Vec::new() };
    solved(system, &mut pages);
    let mut lines = pages.sections.iter().flat_map(|section| section.equations()).peekable();
    lines.peek().is_some() && lines.all(|line| line.left.text().len() + line.right.text().len() <= SHORT)
}
