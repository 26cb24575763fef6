//! Routh's function: cyclic coordinates taken out of a system, at constant momenta, and found again from the motion of the others.

use extremal_expr::elimination::solve_affine;
use extremal_expr::syntax::nearest;
use extremal_expr::{Expr, Rational};
use thiserror::Error;

use crate::System;

/// Velocities of cyclic coordinates are solved for up to this many that are coupled.
const MAX_COUPLED: usize = 6;

/// A system without its cyclic coordinates.
pub struct Routhian<'g> {
    /// R = L − p·φ' at the velocities φ' that the momenta p have, an expression of the other coordinates, their velocities and p.
    pub function: Expr<'g>,
    /// The places of the coordinates that stay.
    pub kept: Vec<usize>,
    /// φ' = −∂R/∂p of each cyclic coordinate.
    pub rates: Vec<Expr<'g>>,
    /// The coordinates that stay, with R as Lagrangian.
    pub reduced: System<'g>,
}

/// Why coordinates cannot be taken out of a system.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum ReductionError {
    #[error(
        "there is no coordinate `{name}` to reduce by{}",
        .suggestion.as_ref().map_or_else(String::new, |other| format!("; did you mean `{other}`?"))
    )]
    Unknown { name: String, suggestion: Option<String> },
    #[error(
        "`{name}` is not cyclic, for {what} depends on it: a system is reduced by coordinates on which nothing depends"
    )]
    NotCyclic { name: String, what: &'static str },
    #[error("a force acts on `{name}`, so that its momentum is not constant: a system is not reduced by it")]
    Forced { name: String },
    #[error("the velocities of the cyclic coordinates do not follow from their momenta in closed form")]
    NotSolved,
    #[error("a system is not reduced by all of its coordinates: one must stay")]
    NothingStays,
    #[error("a system is not reduced beside {0}")]
    Beside(&'static str),
}

impl<'g> System<'g> {
    /// The places of the coordinates with these names, if the system can be reduced by them.
    ///
    /// # Errors
    /// What is in the way.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::System;
    /// let g = Graph::new();
    /// let [r, v, w, p] = ["r", "r'", "f'", "p_f"].map(|name| g.symbol(name));
    /// let mut planet = System::new(&g, &["r", "f"], (v.powi(2) + r.powi(2) * w.powi(2)) / 2 + r.powi(-1));
    /// planet.cyclic = planet.reducible(&["f"])?;
    /// let routhian = planet.routhian().unwrap();
    /// assert_eq!(routhian.rates, [p / r.powi(2)]);
    /// assert_eq!(routhian.function, v.powi(2) / 2 - p.powi(2) / r.powi(2) / 2 + r.powi(-1));
    /// assert!(planet.reducible(&["r"]).unwrap_err().to_string().contains("`r` is not cyclic"));
    /// # Ok::<(), extremal_mechanics::continuous::ReductionError>(())
    /// ```
    pub fn reducible(&self, names: &[impl AsRef<str>]) -> Result<Vec<usize>, ReductionError> {
        let mut places = Vec::new();
        for name in names.iter().map(AsRef::as_ref) {
            let place = self.names.iter().position(|own| own == name).ok_or_else(|| ReductionError::Unknown {
                name: name.to_owned(),
                suggestion: nearest(name, self.names.iter().map(String::as_str)).map(str::to_owned),
            })?;
            self.check_cyclic(place)?;
            places.push(place);
        }
        places.sort_unstable();
        places.dedup();
        if places.is_empty() {
            return Ok(places);
        }
        let beside = [
            (self.order > 1, "accelerations"),
            (!self.constraints.is_empty(), "constraints"),
            (!self.heat.is_empty(), "entropies"),
            (!self.dry.is_empty(), "dry friction"),
            (self.manifold.is_some(), "a singular Lagrangian"),
        ];
        match beside.into_iter().find(|(stated, _)| *stated) {
            Some((_, what)) => return Err(ReductionError::Beside(what)),
            None if places.len() == self.len() => return Err(ReductionError::NothingStays),
            None => {}
        }
        self.reduced_by(&places).routhian().map(|_| places).ok_or(ReductionError::NotSolved)
    }

    /// The same system, of which steps are taken without the coordinates at these places.
    #[must_use]
    pub fn reduced_by(&self, places: &[usize]) -> System<'g> {
        let mut reduced = self.clone();
        reduced.cyclic = places.to_vec();
        reduced
    }

    /// All coordinates that it can be reduced by, by their places; none where it cannot.
    pub fn all_cyclic(&self) -> Vec<usize> {
        let cyclic = (0..self.len()).filter(|place| self.check_cyclic(*place).is_ok());
        let mut names: Vec<&str> = cyclic.map(|place| self.names[place].as_str()).collect();
        if names.len() == self.len() {
            names.pop();
        }
        self.reducible(&names).unwrap_or_default()
    }

    fn check_cyclic(&self, place: usize) -> Result<(), ReductionError> {
        let (g, q, name) = (self.graph, [self.q[place]], || self.names[place].clone());
        if g.vanishes(g.gradient(self.lagrangian, &q)[0], &[]) != Some(true) {
            return Err(ReductionError::NotCyclic { name: name(), what: "the Lagrangian" });
        }
        if !self.force[place].is_zero() {
            return Err(ReductionError::Forced { name: name() });
        }
        match g.depend_on(&self.force, &q).contains(&true) {
            true => Err(ReductionError::NotCyclic { name: name(), what: "a force" }),
            false => Ok(()),
        }
    }

    /// The system without its [`cyclic`](Self::cyclic) coordinates; `None` where their velocities do not follow from their momenta in
    /// closed form.
    pub fn routhian(&self) -> Option<Routhian<'g>> {
        let g = self.graph;
        let pick = |all: &[Expr<'g>]| self.cyclic.iter().map(|place| all[*place]).collect::<Vec<_>>();
        let (v, p) = (pick(&self.v), pick(&self.p));
        let momenta = g.gradient(self.lagrangian, &v);
        let rows: Vec<_> = momenta.iter().zip(&p).map(|(momentum, p)| *momentum - *p).collect();
        let rates = solve_affine(g, &rows, &v, |group| group.len() <= MAX_COUPLED)?;
        let rates: Vec<_> = rates.into_iter().map(|rate| g.simplified(rate)).collect();
        // L = φ'·A φ'/2 + b·φ' + c and A φ' = p − b, so that R = c − (p − b)·φ'/2.
        let at_rest: Vec<_> = v.iter().map(|v| (*v, g.int(0))).collect();
        let shifted: Vec<_> = p.iter().zip(g.substitute(&momenta, &at_rest)).map(|(p, b)| *p - b).collect();
        let rest = self.lagrangian.substitute(&at_rest);
        let function = g.simplified(rest - g.dot(&shifted, &rates) * g.rational(Rational::HALF));
        let kept: Vec<usize> = (0..self.len()).filter(|place| !self.cyclic.contains(place)).collect();
        let by_momenta: Vec<_> = v.iter().copied().zip(rates.iter().copied()).collect();
        // A coordinate that cancels only by algebra is nowhere: it may be anything.
        let nowhere: Vec<_> = pick(&self.q).into_iter().map(|q| (q, g.int(0))).collect();
        let function = function.substitute(&nowhere);
        let reduced = self.keeping(&kept, function, &g.substitute(&self.force, &by_momenta));
        Some(Routhian { function, kept, rates: g.substitute(&rates, &nowhere), reduced })
    }
}
