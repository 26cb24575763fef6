//! Routh's function and the equations without cyclic coordinates.

use extremal_mechanics::System;
use extremal_mechanics::discrete::SchemeError;

use super::{Pages, named, of};

/// By these coordinates, or by all that are cyclic if there are none.
pub(super) fn routh<'m>(system: &System<'m>, names: &[String], pages: &mut Pages<'m>) -> Result<(), SchemeError> {
    let mut system = system.clone();
    system.cyclic = match names {
        [] => system.all_cyclic(),
        names => system.reducible(names)?,
    };
    let routhian = system.routhian().filter(|_| !system.cyclic.is_empty());
    let Some(routhian) = routhian else {
        let note = "There is no cyclic coordinate that the system could be reduced by.".to_string();
        pages.section("Routh's function", Some(note), Vec::new());
        return Ok(());
    };
    let g = system.graph;
    let of_cyclic: Vec<&str> = system.cyclic.iter().map(|place| system.names[*place].as_str()).collect();
    let note = format!("R = L - p*v of the cyclic {}, whose momenta are constant.", of_cyclic.join(", "));
    pages.section("Routh's function", Some(note), vec![(named("R", "R"), routhian.function)]);
    let mut unforced = routhian.reduced.clone();
    unforced.force.fill(g.int(0));
    let lines = unforced.euler_lagrange().into_iter().zip(&routhian.reduced.force);
    let lines = lines.map(|(left, right)| (of(g.simplified(left)), *right));
    pages.section("Reduced equations", None, lines.collect());
    pages.section("Reduced energy", None, vec![(named("E", "E"), routhian.reduced.energy())]);
    let lines = system.cyclic.iter().zip(&routhian.rates).map(|(place, rate)| (of(system.v[*place]), *rate));
    let note = "Minus the derivatives of R by the momenta: integrals along the reduced motion.".to_string();
    pages.section("Reconstruction", Some(note), lines.collect());
    Ok(())
}
