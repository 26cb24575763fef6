//! Velocity constraints that restrict positions after all.

use extremal_expr::Expr;
use extremal_mechanics::{Constraint, System};

use super::beginning::Beginning;

/// The names of the velocity constraints if all of them together are integrable, by Frobenius' condition at points around the
/// start: dω(X, Y) = 0 for all directions X, Y that the constraints allow.
pub(super) fn integrable(system: &System<'_>, start: &Beginning) -> Vec<String> {
    let velocity = |c: &Constraint<'_>| !c.kind.nature().binds_positions;
    if !system.constraints.iter().any(velocity) {
        return Vec::new();
    }
    let Some(forms) = system.pfaffian_forms() else { return Vec::new() };
    let width = system.len() + 1;
    let mut every: Vec<bool> = vec![true; forms.len()];
    let entries: Vec<Expr<'_>> =
        forms.iter().flat_map(|form| form.row.iter().chain(form.slopes.iter().flatten()).copied()).collect();
    for sample in 0..3 {
        let mut point = start.clone();
        for (k, q) in point.values.q.iter_mut().enumerate() {
            *q += 0.1 * (1.0 + q.abs()) * (0.3 + 2.1 * k as f64 + 1.3 * f64::from(sample)).sin();
        }
        point.values.time += 0.17 * f64::from(sample);
        let values = point.evaluate(system, &entries);
        let forms: Vec<(&[f64], &[f64])> =
            values.chunks(width * (width + 1)).map(|form| form.split_at(width)).collect();
        let directions = allowed(&forms.iter().map(|(row, _)| row.to_vec()).collect::<Vec<_>>(), width);
        for (flag, (_, slopes)) in every.iter_mut().zip(&forms) {
            let size = slopes.iter().fold(1e-300f64, |m, s| m.max(s.abs()));
            let curl = |x: &[f64], y: &[f64]| -> f64 {
                let pairs = (0..width).flat_map(|i| (0..width).map(move |j| (i, j)));
                pairs.map(|(i, j)| (slopes[width * i + j] - slopes[width * j + i]) * x[j] * y[i]).sum()
            };
            *flag &= directions.iter().all(|x| directions.iter().all(|y| curl(x, y).abs() <= 1e-9 * size));
        }
    }
    let named = system.constraints.iter().zip(every).filter(|(c, holds)| velocity(c) && *holds);
    let names: Vec<String> = named.map(|(constraint, _)| constraint.name.clone()).collect();
    // Some of several are not yet integrable by themselves: only all together.
    let all = system.constraints.iter().filter(|c| velocity(c)).count();
    if names.len() == all { names } else { Vec::new() }
}

/// An orthonormal basis of the directions that all rows annihilate.
fn allowed(rows: &[Vec<f64>], width: usize) -> Vec<Vec<f64>> {
    let unit = |k: usize| (0..width).map(|i| if i == k { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut free = Vec::new();
    for (at, mut vector) in rows.iter().cloned().chain((0..width).map(unit)).enumerate() {
        let scale = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        for _ in 0..2 {
            for known in &basis {
                let part: f64 = vector.iter().zip(known).map(|(a, b)| a * b).sum();
                vector.iter_mut().zip(known).for_each(|(a, b)| *a -= part * b);
            }
        }
        let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length <= 1e-9 * scale {
            continue;
        }
        vector.iter_mut().for_each(|x| *x /= length);
        if at >= rows.len() {
            free.push(vector.clone());
        }
        basis.push(vector);
    }
    free
}
