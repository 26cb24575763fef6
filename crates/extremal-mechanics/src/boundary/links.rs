//! Conditions that link both ends of a motion.

use extremal_expr::Expr;
use extremal_model::at_end_of_motion;

use super::action::Formulas;
use super::{At, Condition, GridPlace, Question};

impl<'g> Formulas<'_, 'g> {
    /// Rows between both ends, from `first_row` on among those that occur once. `variables` are what moves at an end, with the places
    /// in a node or once in the problem.
    pub fn bind_ends(
        &mut self,
        question: &Question<'g>,
        variables: [&[(Expr<'g>, GridPlace)]; 2],
        first_row: usize,
    ) -> Vec<Condition> {
        if question.links.is_empty() {
            return Vec::new();
        }
        let mut both = Vec::new();
        for (end, variables) in [false, true].into_iter().zip(variables) {
            both.extend(variables.iter().map(|(symbol, place)| {
                let place = match *place {
                    GridPlace::Node(0, at) if end => GridPlace::Last(at),
                    place => place,
                };
                (at_end_of_motion(*symbol, end), place)
            }));
        }
        both.extend(self.duration_variable());
        let timed = self.timed_at_ends(&question.links).into_iter().enumerate();
        let rows: Vec<_> = timed.map(|(k, row)| (row, GridPlace::Once(first_row + k))).collect();
        let zero = self.zero();
        self.push(&both, zero, &rows, At::First);
        (0..question.links.len()).map(Condition::Link).collect()
    }
}
