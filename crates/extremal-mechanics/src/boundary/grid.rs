//! Copies of the pieces of a transcription along a grid.

use super::{At, Condition, GridPlace, Quantity, Transcription};

/// One copy of a piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// Which piece.
    pub piece: usize,
    /// The unknowns that are its variables.
    pub variables: Vec<usize>,
    /// Where its step begins and how long it is, as parts of the duration.
    pub data: [f64; 2],
    /// The rows that it adds to.
    pub rows: Vec<usize>,
}

/// A transcription on a grid: all unknowns, all rows, all copies.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// What each unknown is, and the node or step it belongs to (zero for those that occur once).
    pub variables: Vec<(Quantity, usize)>,
    /// What each row says, and the node or step it belongs to.
    pub rows: Vec<(Condition, usize)>,
    /// The copies.
    pub elements: Vec<Element>,
    /// Nodes, those before the start and after the end included; one less than there are instants if the motion is periodic.
    pub nodes: usize,
}

impl Transcription {
    /// Lays the problem out on the instants `fractions`, which go from 0 to 1 in parts of the duration.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::System;
    /// use extremal_mechanics::boundary::{Question, stationary_action};
    /// let g = Graph::new();
    /// let v = g.symbol("x'");
    /// let free = System::new(&g, &["x"], v.powi(2) / 2);
    /// let problem = stationary_action(&free, &"midpoint".parse()?, None, &Question::default())?;
    /// let layout = problem.assemble(&[0.0, 0.5, 1.0]);
    /// assert_eq!(layout.variables.len(), 3);
    /// assert_eq!(layout.elements[1].variables, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If there are fewer than two instants.
    pub fn assemble(&self, fractions: &[f64]) -> Assembly {
        let steps = fractions.len().checked_sub(1).filter(|steps| *steps > 0).expect("a grid has a step");
        let nodes = if self.periodic { steps } else { steps + 1 + 2 * self.ghosts };
        let stride = self.node.len() + self.step.len();
        let row_stride = self.node_rows.len() + self.step_rows.len();
        let index = |once: usize, stride: usize, per_node: usize, place: GridPlace, k: usize| match place {
            GridPlace::Once(i) => i,
            GridPlace::Node(offset, i) => once + ((k + offset) % nodes) * stride + i,
            GridPlace::Last(i) => once + (nodes - 1) * stride + i,
            GridPlace::Step(i) => once + k * stride + per_node + i,
        };
        let mut elements = Vec::new();
        for (piece, placed) in self.pieces.iter().enumerate() {
            let reach = placed.variables.iter().chain(&placed.rows).map(|place| match place {
                GridPlace::Node(offset, _) => *offset,
                GridPlace::Step(_) => 1,
                GridPlace::Once(_) | GridPlace::Last(_) => 0,
            });
            let reach = reach.max().unwrap_or(0);
            let count = if self.periodic { nodes } else { nodes.saturating_sub(reach) };
            let range = match placed.at {
                At::Every => 0..count,
                At::First => 0..count.min(1),
                At::Last => count.saturating_sub(1)..count,
                At::Inner => 1..count.saturating_sub(1),
            };
            for k in range {
                let at = |place: &GridPlace| index(self.once.len(), stride, self.node.len(), *place, k);
                let row_at =
                    |place: &GridPlace| index(self.once_rows.len(), row_stride, self.node_rows.len(), *place, k);
                elements.push(Element {
                    piece,
                    variables: placed.variables.iter().map(at).collect(),
                    data: self.instant(fractions, k),
                    rows: placed.rows.iter().map(row_at).collect(),
                });
            }
        }
        let steps_with_unknowns = if self.periodic { nodes } else { nodes - 1 };
        let mut variables: Vec<_> = self.once.iter().map(|quantity| (*quantity, 0)).collect();
        let mut rows: Vec<_> = self.once_rows.iter().map(|condition| (*condition, 0)).collect();
        for k in 0..nodes {
            let last = k >= steps_with_unknowns;
            variables.extend(self.node.iter().map(|quantity| (*quantity, k)));
            variables.extend(self.step.iter().filter(|_| !last).map(|quantity| (*quantity, k)));
            rows.extend(self.node_rows.iter().map(|condition| (*condition, k)));
            rows.extend(self.step_rows.iter().filter(|_| !last).map(|condition| (*condition, k)));
        }
        Assembly { variables, rows, elements, nodes }
    }

    /// Where the step of node `k` begins and how long it is. Beyond the ends the grid goes on as it began.
    fn instant(&self, fractions: &[f64], k: usize) -> [f64; 2] {
        let steps = fractions.len() - 1;
        let length = |at: usize| fractions[at + 1] - fractions[at];
        match k.checked_sub(self.ghosts) {
            None => [fractions[0] - (self.ghosts - k) as f64 * length(0), length(0)],
            Some(k) if k < steps => [fractions[k], length(k)],
            Some(k) => [fractions[steps] + (k - steps) as f64 * length(steps - 1), length(steps - 1)],
        }
    }
}
