//! Ends where the Lagrangian has no finite value: found, unfolded, and approached by ever shorter steps.

use extremal_expr::Expr;
use extremal_mechanics::boundary::Unfolding;
use extremal_mechanics::discrete::degree_of;
use extremal_model::{Method, Model};

use super::guess::Path;
use super::statement::{Grading, Statement};
use super::{Kind, StatementError};

/// How far from the end the Lagrangian is looked at, as parts of the way of a coordinate, and the speeds there.
const DISTANCES: [f64; 2] = [1e-8, 1e-10];
const SPEEDS: [f64; 2] = [1e12, 1e13];
/// Exponents are ratios of numbers up to this, and found within the tolerance.
const LARGEST_DENOMINATOR: i64 = 6;
const NEAR: f64 = 1e-3;
/// Steps shrink no faster than an error of this order asks for.
const HIGHEST_ORDER: usize = 8;

/// What is known of the ends.
#[derive(Clone, Debug)]
pub(super) struct SingularEnds<'g> {
    /// Is there a singular end?
    pub singular: bool,
    /// Is there one whose exponent is not known?
    pub unresolved: bool,
    /// Coordinates in which they are not.
    pub unfoldings: Vec<Unfolding<'g>>,
    pub grading: Grading,
}

impl<'g> SingularEnds<'g> {
    /// Looks at both ends. Without an action there is nothing to unfold.
    pub fn of(
        model: &'g Model,
        statement: &Statement,
        kind: Kind,
        method: &Method,
        order: usize,
    ) -> Result<SingularEnds<'g>, StatementError> {
        let refused = match (order, statement.periodic, statement.via.is_empty()) {
            (2.., ..) => Some("with accelerations in the Lagrangian"),
            (_, true, _) => Some("of a periodic motion, which has none"),
            (.., false) => Some("with points in between, which are counted in equal steps"),
            _ => None,
        };
        let graded = statement.grading.is_some_and(|grading| grading != Grading::NONE);
        if let Some(reason) = refused.filter(|_| graded) {
            return Err(StatementError::Grading(reason));
        }
        let mut ends =
            SingularEnds { singular: false, unresolved: false, unfoldings: Vec::new(), grading: Grading::NONE };
        let mut unfolded = [false; 2];
        if order == 1 && !statement.periodic && kind == Kind::Action {
            for (end, unfolded) in unfolded.iter_mut().enumerate() {
                *unfolded = ends.look(model, statement, end, *method != Method::Custom);
            }
        }
        // Between (k/N)^power the error of a method falls at its order, twice the degree, from that power on.
        let order = (2 * degree_of(method)).min(HIGHEST_ORDER);
        let power = |singular: bool| if singular { order as f64 + 1.0 } else { 1.0 };
        ends.grading = match (statement.grading, refused) {
            (Some(grading), _) => grading,
            (None, Some(_)) => Grading::NONE,
            (None, None) => Grading { start: power(unfolded[0]), end: power(unfolded[1]) },
        };
        Ok(ends)
    }

    /// Looks at one end; was a coordinate unfolded there?
    fn look(&mut self, model: &'g Model, statement: &Statement, end: usize, may_unfold: bool) -> bool {
        let path = Path { model, statement };
        let lagrangian = model.lagrangian();
        let at = end as f64;
        let values = if end == 0 { &statement.start } else { &statement.end };
        let inwards = (at - DISTANCES[0]).abs();
        if path.value(lagrangian, at, &[]).is_finite() || !path.value(lagrangian, inwards, &[]).is_finite() {
            return false;
        }
        self.singular = true;
        let (before, mut regular) = (self.unfoldings.len(), false);
        for value in values.iter().filter(|value| value.order == 0) {
            let way = path.position(value.coordinate, 1.0 - at) - value.value;
            let known = self.unfoldings.iter().any(|unfolding| unfolding.coordinate == value.coordinate);
            if way == 0.0 || known || !may_unfold {
                continue;
            }
            let name = &model.coordinates()[value.coordinate].name;
            let rate = format!("{name}'");
            let size = |distance: f64, speed: f64| {
                let moved = [(name.as_str(), value.value + way * distance), (rate.as_str(), way * speed)];
                path.value(lagrangian, at, &moved).abs().ln()
            };
            let [near, nearer] = DISTANCES.map(|distance| size(distance, SPEEDS[0]));
            let grows = (size(DISTANCES[0], SPEEDS[1]) - near) / (SPEEDS[1] / SPEEDS[0]).ln();
            let falls = (nearer - near) / (DISTANCES[0] / DISTANCES[1]).ln();
            let base = model.graph().float(value.value);
            // What does not grow with the velocity does no harm: a jump gains nothing by it.
            regular |= (falls / grows).abs() < NEAR;
            if let (Some(exponent), Some(base)) = (ratio(model, 1.0 - falls / grows), base) {
                let above = way > 0.0;
                self.unfoldings.push(Unfolding { coordinate: value.coordinate, base, above, exponent });
            }
        }
        let unfolded = self.unfoldings.len() > before;
        self.unresolved |= !unfolded && !regular;
        unfolded
    }
}

/// A number between zero and one as a ratio of small ones.
fn ratio(model: &Model, number: f64) -> Option<Expr<'_>> {
    let g = model.graph();
    (2..=LARGEST_DENOMINATOR).find_map(|below| {
        let above = (number * below as f64).round();
        let fits = above >= 1.0 && above < below as f64 && (number - above / below as f64).abs() < NEAR;
        fits.then(|| g.int(above as i64) / g.int(below))
    })
}
