//! Which columns are eliminated together, and in which order.

use crate::linear::{Adjacency, inverse, minimum_degree};

/// Fronts smaller than this are merged with their parents: a few zeros are cheaper than the bookkeeping, and 2×2 pivots find
/// their partners.
const SMALL_FRONT: usize = 12;

/// The assembly tree; everything in it is in the numbers of the elimination order.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// Where each original index went.
    pub place: Vec<usize>,
    /// Children before parents.
    pub nodes: Vec<FrontNode>,
    /// Row and column of every entry of the pattern.
    pub places: Vec<(usize, usize)>,
}

/// Columns that are eliminated in one front.
#[derive(Clone, Debug, Default)]
pub(super) struct FrontNode {
    pub columns: Vec<usize>,
    /// Further rows of the front.
    pub rows: Vec<usize>,
    pub children: Vec<usize>,
    pub parent: Option<usize>,
    /// Entries of the pattern that are added here.
    pub entries: Vec<usize>,
}

impl Tree {
    pub fn of(n: usize, entries: &[(usize, usize)]) -> Tree {
        let place = inverse(&minimum_degree(&Adjacency::new(n, entries.iter().copied())).0);
        let places: Vec<(usize, usize)> = entries.iter().map(|&(i, j)| (place[i], place[j])).collect();
        let rows = structure(n, &places);
        let mut nodes: Vec<FrontNode> = Vec::new();
        // Columns gathered so far for the front whose last column this is.
        let mut gathered: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut node_of = vec![usize::MAX; n];
        for column in 0..n {
            let mut columns = std::mem::take(&mut gathered[column]);
            columns.push(column);
            let parent = rows[column].first().copied();
            if let Some(parent) = parent {
                let same = rows[column].len() == rows[parent].len() + 1;
                if same || columns.len() + gathered[parent].len() < SMALL_FRONT {
                    let (own, orphans) = (&mut gathered[parent], std::mem::take(&mut children[column]));
                    own.append(&mut columns);
                    children[parent].extend(orphans);
                    continue;
                }
            }
            let at = nodes.len();
            for done in &columns {
                node_of[*done] = at;
            }
            if let Some(parent) = parent {
                children[parent].push(at);
            }
            let children = std::mem::take(&mut children[column]);
            for child in &children {
                nodes[*child].parent = Some(at);
            }
            nodes.push(FrontNode { columns, rows: rows[column].clone(), children, parent: None, entries: Vec::new() });
        }
        for (entry, &(i, j)) in places.iter().enumerate() {
            nodes[node_of[i.min(j)]].entries.push(entry);
        }
        Tree { place, nodes, places }
    }
}

/// Per column, the rows below the diagonal of the factor, ascending; the first one is the parent in the elimination tree.
fn structure(n: usize, places: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); n];
    for &(i, j) in places.iter().filter(|(i, j)| i != j) {
        rows[i.min(j)].push(i.max(j));
    }
    for column in 0..n {
        rows[column].sort_unstable();
        rows[column].dedup();
        if let Some(&parent) = rows[column].first() {
            let (done, open) = rows.split_at_mut(parent);
            open[0].extend_from_slice(&done[column][1..]);
        }
    }
    rows
}
