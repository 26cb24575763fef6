//! One dense front: assembly, pivots with a threshold, what is passed on to the parent.

use super::MatrixInertia;
use super::analyse::FrontNode;

/// A 1×1 pivot must be at least this part of its column, and a 2×2 pivot as good: entries of L stay below its inverse.
const THRESHOLD: f64 = 0.01;
/// In an equilibrated matrix, a column whose largest entry is below this is round-off.
const TINY: f64 = 16.0 * f64::EPSILON;
/// A front with more delayed pivots than this is the work of a singular matrix: they are not passed on any more.
const MOST_DELAYED: usize = 24;

/// What a front leaves to its parent: a dense symmetric matrix (lower triangle by columns) over `indices`.
#[derive(Clone, Debug)]
pub(super) struct FrontContribution {
    indices: Vec<usize>,
    /// The first so many are pivots that were delayed.
    delayed: usize,
    matrix: Vec<f64>,
}

/// The eliminated columns of a front.
#[derive(Clone, Debug)]
pub(super) struct FrontFactor {
    /// Indices of the front; the eliminated ones first, in order.
    indices: Vec<usize>,
    pivots: usize,
    /// L by columns, all of height `indices.len()`.
    lower: Vec<f64>,
    /// D⁻¹: its diagonal, and the entry right of it where a 2×2 pivot begins.
    inverse: Vec<f64>,
    coupling: Vec<f64>,
}

/// Memory for one front at a time.
#[derive(Clone, Debug)]
pub(super) struct Front {
    indices: Vec<usize>,
    /// How many of them can be eliminated here.
    summed: usize,
    /// Square, by columns; only the lower triangle counts.
    matrix: Vec<f64>,
    /// Position in the front of every index.
    place: Vec<usize>,
}

/// What can be eliminated next.
enum Pivot {
    One(usize),
    Two(usize, usize),
    /// All that is left of a column is round-off.
    Zero(usize),
}

impl Front {
    pub fn new(n: usize) -> Front {
        Front { indices: Vec::new(), summed: 0, matrix: Vec::new(), place: vec![0; n] }
    }

    fn size(&self) -> usize {
        self.indices.len()
    }

    /// Adds up the entries of the matrix that belong here and what the children left.
    pub fn assemble(
        &mut self,
        node: &FrontNode,
        children: impl Iterator<Item = FrontContribution>,
        places: &[(usize, usize)],
        values: &[f64],
    ) {
        let children: Vec<FrontContribution> = children.collect();
        self.indices.clear();
        for child in &children {
            self.indices.extend_from_slice(&child.indices[..child.delayed]);
        }
        self.indices.extend_from_slice(&node.columns);
        self.summed = self.indices.len();
        self.indices.extend_from_slice(&node.rows);
        for (at, index) in self.indices.iter().enumerate() {
            self.place[*index] = at;
        }
        let m = self.size();
        self.matrix.clear();
        self.matrix.resize(m * m, 0.0);
        for entry in &node.entries {
            let (i, j) = places[*entry];
            let (i, j) = (self.place[i], self.place[j]);
            self.matrix[i.min(j) * m + i.max(j)] += values[*entry];
        }
        for child in &children {
            let size = child.indices.len();
            for (column, j) in child.indices.iter().enumerate() {
                let j = self.place[*j];
                for (row, i) in child.indices.iter().enumerate().skip(column) {
                    let i = self.place[*i];
                    self.matrix[i.min(j) * m + i.max(j)] += child.matrix[column * size + row];
                }
            }
        }
    }

    /// Eliminates what can be; at a root, all of it.
    pub fn eliminate(&mut self, root: bool, inertia: &mut MatrixInertia) -> (FrontFactor, Option<FrontContribution>) {
        let m = self.size();
        let (mut inverse, mut coupling) = (Vec::new(), Vec::new());
        let mut done = 0;
        while done < self.summed {
            match self.find_pivot(done) {
                Some(Pivot::One(at)) => {
                    self.swap(done, at);
                    let pivot = self.matrix[done * m + done];
                    match pivot > 0.0 {
                        true => inertia.positive += 1,
                        false => inertia.negative += 1,
                    }
                    self.update_one(done, 1.0 / pivot);
                    inverse.push(1.0 / pivot);
                    coupling.push(0.0);
                    done += 1;
                }
                Some(Pivot::Two(first, second)) => {
                    self.swap(done, first);
                    self.swap(done + 1, if second == done { first } else { second });
                    let [a, b, c] =
                        [done * m + done, done * m + done + 1, (done + 1) * m + done + 1].map(|at| self.matrix[at]);
                    let determinant = a * c - b * b;
                    match determinant < 0.0 {
                        true => {
                            inertia.positive += 1;
                            inertia.negative += 1;
                        }
                        false if a > 0.0 => inertia.positive += 2,
                        false => inertia.negative += 2,
                    }
                    let block = [c / determinant, -b / determinant, a / determinant];
                    self.update_two(done, block);
                    inverse.extend([block[0], block[2]]);
                    coupling.extend([block[1], 0.0]);
                    done += 2;
                }
                Some(Pivot::Zero(at)) => {
                    // The matrix is singular in this direction, which is left alone. To pass it on would only let all fronts above
                    // grow: nothing there could make more of it than round-off.
                    self.swap(done, at);
                    self.leave_alone(done, &mut inverse, &mut coupling);
                    inertia.zero += 1;
                    done += 1;
                }
                None if root || self.summed - done > MOST_DELAYED => {
                    inertia.zero += self.summed - done;
                    for at in done..self.summed {
                        self.leave_alone(at, &mut inverse, &mut coupling);
                    }
                    done = self.summed;
                }
                None => break,
            }
        }
        let contribution = (done < m).then(|| {
            let size = m - done;
            let mut matrix = vec![0.0; size * size];
            for column in 0..size {
                let from = (done + column) * m + done + column;
                matrix[column * size + column..(column + 1) * size]
                    .copy_from_slice(&self.matrix[from..from + size - column]);
            }
            FrontContribution { indices: self.indices[done..].to_vec(), delayed: self.summed - done, matrix }
        });
        let factor = FrontFactor {
            indices: self.indices.clone(),
            pivots: done,
            lower: self.matrix[..done * m].to_vec(),
            inverse,
            coupling,
        };
        (factor, contribution)
    }

    /// A pivot of zero: neither its row nor its column takes part in anything.
    fn leave_alone(&mut self, at: usize, inverse: &mut Vec<f64>, coupling: &mut Vec<f64>) {
        let m = self.size();
        self.matrix[at * m..][..m].fill(0.0);
        inverse.push(0.0);
        coupling.push(0.0);
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.matrix[i.min(j) * self.size() + i.max(j)]
    }

    /// The largest entry off the diagonal of column `j`, and the largest among the rows that can be eliminated, with its row;
    /// entries in row `except` are left out.
    fn largest(&self, done: usize, j: usize, except: usize) -> (f64, f64, usize) {
        let (mut all, mut summed, mut row) = (0.0f64, 0.0f64, usize::MAX);
        for i in (done..self.size()).filter(|i| *i != j && *i != except) {
            let size = self.entry(i, j).abs();
            all = all.max(size);
            if i < self.summed && size > summed {
                (summed, row) = (size, i);
            }
        }
        (all, summed, row)
    }

    fn find_pivot(&self, done: usize) -> Option<Pivot> {
        for j in done..self.summed {
            let (largest, _, partner) = self.largest(done, j, usize::MAX);
            let diagonal = self.entry(j, j).abs();
            if diagonal.max(largest) <= TINY {
                return Some(Pivot::Zero(j));
            }
            if diagonal >= THRESHOLD * largest {
                return Some(Pivot::One(j));
            }
            if partner == usize::MAX {
                continue;
            }
            let (a, b, c) = (self.entry(j, j), self.entry(j, partner), self.entry(partner, partner));
            let determinant = (a * c - b * b).abs();
            // Duff and Reid: |D⁻¹| times the largest entries of both columns.
            let (first, ..) = self.largest(done, j, partner);
            let (second, ..) = self.largest(done, partner, j);
            let growth = (c.abs() * first + b.abs() * second).max(b.abs() * first + a.abs() * second);
            if determinant > TINY * b.abs() * b.abs() && growth * THRESHOLD <= determinant {
                return Some(Pivot::Two(j, partner));
            }
        }
        None
    }

    /// Exchanges two indices of the front, `a <= b`.
    fn swap(&mut self, a: usize, b: usize) {
        if a == b {
            return;
        }
        let m = self.size();
        let f = &mut self.matrix;
        for i in 0..a {
            f.swap(i * m + a, i * m + b);
        }
        f.swap(a * m + a, b * m + b);
        for i in a + 1..b {
            f.swap(a * m + i, i * m + b);
        }
        for i in b + 1..m {
            f.swap(a * m + i, b * m + i);
        }
        self.indices.swap(a, b);
    }

    /// Subtracts l d lᵀ and leaves l in the column.
    fn update_one(&mut self, k: usize, inverse: f64) {
        let m = self.size();
        let (head, tail) = self.matrix.split_at_mut((k + 1) * m);
        let column = &mut head[k * m..];
        for j in k + 1..m {
            let factor = column[j] * inverse;
            if factor != 0.0 {
                let target = &mut tail[(j - k - 1) * m..][j..m];
                for (entry, value) in target.iter_mut().zip(&column[j..m]) {
                    *entry -= factor * value;
                }
            }
        }
        for value in &mut column[k + 1..m] {
            *value *= inverse;
        }
        column[k] = 1.0;
    }

    /// The same with a 2×2 pivot, whose inverse is `[a, b; b, c]`.
    fn update_two(&mut self, k: usize, [a, b, c]: [f64; 3]) {
        let m = self.size();
        let (head, tail) = self.matrix.split_at_mut((k + 2) * m);
        let (first, second) = head[k * m..].split_at_mut(m);
        for j in k + 2..m {
            let (x, y) = (first[j], second[j]);
            if x == 0.0 && y == 0.0 {
                continue;
            }
            let (p, q) = (a * x + b * y, b * x + c * y);
            let target = &mut tail[(j - k - 2) * m..][j..m];
            for ((entry, u), v) in target.iter_mut().zip(&first[j..m]).zip(&second[j..m]) {
                *entry -= p * u + q * v;
            }
        }
        for j in k + 2..m {
            let (x, y) = (first[j], second[j]);
            first[j] = a * x + b * y;
            second[j] = b * x + c * y;
        }
        first[k] = 1.0;
        first[k + 1] = 0.0;
        second[k + 1] = 1.0;
    }
}

impl FrontFactor {
    pub fn entries(&self) -> usize {
        self.pivots * self.indices.len()
    }

    /// L⁻¹, then D⁻¹ on the eliminated indices.
    pub fn forward(&self, x: &mut [f64]) {
        let m = self.indices.len();
        for (k, index) in self.indices[..self.pivots].iter().enumerate() {
            let value = x[*index];
            if value != 0.0 {
                for (row, entry) in self.indices[k + 1..].iter().zip(&self.lower[k * m + k + 1..(k + 1) * m]) {
                    x[*row] -= entry * value;
                }
            }
        }
        let mut k = 0;
        while k < self.pivots {
            let at = self.indices[k];
            if self.coupling[k] == 0.0 {
                x[at] *= self.inverse[k];
                k += 1;
            } else {
                let next = self.indices[k + 1];
                let (p, q) = (x[at], x[next]);
                x[at] = self.inverse[k] * p + self.coupling[k] * q;
                x[next] = self.coupling[k] * p + self.inverse[k + 1] * q;
                k += 2;
            }
        }
    }

    /// L⁻ᵀ.
    pub fn backward(&self, x: &mut [f64]) {
        let m = self.indices.len();
        for (k, index) in self.indices[..self.pivots].iter().enumerate().rev() {
            let column = self.indices[k + 1..].iter().zip(&self.lower[k * m + k + 1..(k + 1) * m]);
            let sum: f64 = column.map(|(row, entry)| entry * x[*row]).sum();
            x[*index] -= sum;
        }
    }
}
