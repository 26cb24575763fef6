//! Orders of elimination that keep the factors small.

use std::collections::VecDeque;

use super::pattern::Pattern;

/// Which unknowns share an equation or an equation's unknown: the pattern of `A + Aᵀ` without its diagonal, as
/// neighbours of every vertex.
#[derive(Debug)]
pub(crate) struct Adjacency {
    start: Vec<usize>,
    neighbours: Vec<usize>,
}

impl Adjacency {
    pub(super) fn of(pattern: &Pattern) -> Self {
        Self::new(pattern.size(), pattern.places())
    }

    pub fn new(n: usize, places: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut edges: Vec<(usize, usize)> =
            places.filter(|(i, j)| i != j).flat_map(|(i, j)| [(i, j), (j, i)]).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut start = vec![0; n + 1];
        for &(i, _) in &edges {
            start[i + 1] += 1;
        }
        for i in 0..n {
            start[i + 1] += start[i];
        }
        Self { start, neighbours: edges.into_iter().map(|(_, j)| j).collect() }
    }

    fn size(&self) -> usize {
        self.start.len() - 1
    }

    fn neighbours(&self, vertex: usize) -> &[usize] {
        &self.neighbours[self.start[vertex]..self.start[vertex + 1]]
    }

    fn degree(&self, vertex: usize) -> usize {
        self.start[vertex + 1] - self.start[vertex]
    }
}

/// An order of elimination: which original index comes at each place.
pub(crate) type EliminationOrder = Vec<usize>;

/// Where each original index went.
pub(crate) fn inverse(order: &[usize]) -> Vec<usize> {
    let mut place = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = new;
    }
    place
}

/// The order with a narrow band: as given, or the reverse of Cuthill and McKee if that is narrower.
pub(super) fn narrow_band(adjacency: &Adjacency) -> (EliminationOrder, usize) {
    let natural: EliminationOrder = (0..adjacency.size()).collect();
    let natural_width = half_bandwidth(adjacency, &natural);
    // Nothing can be narrower than a chain.
    if natural_width <= 1 {
        return (natural, natural_width);
    }
    let reordered = reverse_cuthill_mckee(adjacency);
    let reordered_width = half_bandwidth(adjacency, &reordered);
    if reordered_width < natural_width { (reordered, reordered_width) } else { (natural, natural_width) }
}

fn half_bandwidth(adjacency: &Adjacency, order: &[usize]) -> usize {
    let place = inverse(order);
    (0..adjacency.size())
        .flat_map(|i| adjacency.neighbours(i).iter().map(move |&j| (i, j)))
        .map(|(i, j)| place[i].abs_diff(place[j]))
        .max()
        .unwrap_or(0)
}

/// Breadth first from an end of every component, neighbours of low degree first, then all reversed.
fn reverse_cuthill_mckee(adjacency: &Adjacency) -> EliminationOrder {
    let mut by_degree: Vec<usize> = (0..adjacency.size()).collect();
    by_degree.sort_by_key(|&vertex| adjacency.degree(vertex));
    let mut order = EliminationOrder::with_capacity(adjacency.size());
    let mut search = BreadthFirst::new(adjacency);
    for seed in by_degree {
        if !search.settled[seed] {
            let end = search.far_end(seed);
            search.visit(end, true);
            order.extend_from_slice(&search.found);
        }
    }
    order.reverse();
    order
}

/// Breadth-first searches that reuse their memory.
struct BreadthFirst<'a> {
    adjacency: &'a Adjacency,
    /// Vertices of finished components.
    settled: Vec<bool>,
    /// Round in which a vertex was last seen, so that nothing has to be cleared between rounds.
    seen: Vec<u32>,
    round: u32,
    queue: VecDeque<(usize, usize)>,
    found: Vec<usize>,
}

impl<'a> BreadthFirst<'a> {
    fn new(adjacency: &'a Adjacency) -> Self {
        let n = adjacency.size();
        Self {
            adjacency,
            settled: vec![false; n],
            seen: vec![0; n],
            round: 0,
            queue: VecDeque::new(),
            found: Vec::new(),
        }
    }

    /// Fills `found` with the component of `start`, nearest first, and returns its depth.
    fn visit(&mut self, start: usize, settle: bool) -> usize {
        self.round += 1;
        self.found.clear();
        self.queue.push_back((start, 0));
        self.seen[start] = self.round;
        let mut depth = 0;
        let mut next = Vec::new();
        while let Some((vertex, level)) = self.queue.pop_front() {
            depth = level;
            self.found.push(vertex);
            self.settled[vertex] |= settle;
            next.clear();
            next.extend(self.adjacency.neighbours(vertex).iter().filter(|&&w| self.seen[w] != self.round));
            next.sort_by_key(|&w| self.adjacency.degree(w));
            for &w in &next {
                self.seen[w] = self.round;
                self.queue.push_back((w, level + 1));
            }
        }
        depth
    }

    /// A vertex about as far away as the component of `seed` allows.
    fn far_end(&mut self, seed: usize) -> usize {
        const ROUNDS: usize = 8;
        let (mut end, mut reach) = (seed, 0);
        for _ in 0..ROUNDS {
            let depth = self.visit(end, false);
            match self.found.last() {
                Some(&last) if depth > reach => (end, reach) = (last, depth),
                _ => break,
            }
        }
        end
    }
}

/// The order of approximate minimum degree of groups, each of which is eliminated as one, from its last member to its first.
pub(super) fn minimum_degree_of_groups(pattern: &Pattern, groups: &[usize]) -> EliminationOrder {
    let count = groups.iter().max().map_or(0, |last| last + 1);
    let coupled = Adjacency::new(count, pattern.places().map(|(i, j)| (groups[i], groups[j])));
    let mut members = vec![Vec::new(); count];
    groups.iter().enumerate().rev().for_each(|(member, group)| members[*group].push(member));
    minimum_degree(&coupled).0.into_iter().flat_map(|group| std::mem::take(&mut members[group])).collect()
}

/// The order of approximate minimum degree and the multiplications that elimination in it needs, if no pivoting
/// disturbs it.
pub(crate) fn minimum_degree(adjacency: &Adjacency) -> (EliminationOrder, usize) {
    let n = adjacency.size();
    // With the diagonal: the crate counts on having at least one entry per column.
    let mut start = vec![0_i64];
    let mut rows = Vec::with_capacity(adjacency.neighbours.len() + n);
    for vertex in 0..n {
        let neighbours = adjacency.neighbours(vertex);
        let above = neighbours.partition_point(|&w| w < vertex);
        rows.extend(neighbours[..above].iter().map(|&w| w as i64));
        rows.push(vertex as i64);
        rows.extend(neighbours[above..].iter().map(|&w| w as i64));
        start.push(rows.len() as i64);
    }
    match amd::order(n as i64, &start, &rows, &amd::Control::default()) {
        Ok((order, _, info)) => (order.into_iter().map(|vertex| vertex as usize).collect(), info.n_mult_subs_lu),
        // Only for invalid patterns, which this is not; any order is correct.
        Err(_) => ((0..n).collect(), n * n * n / 3),
    }
}
