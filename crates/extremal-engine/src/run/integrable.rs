//! Velocity constraints that restrict positions after all.

use extremal_expr::generic::{Field, Generic, Matrix, Residue};
use extremal_expr::{Expr, Rational};
use extremal_mechanics::{Constraint, System};

/// Points at which the condition must hold, and points that are tried to have them.
const POINTS: usize = 3;
const TRIES: u64 = 64;

/// The names of the velocity constraints if all of them together are integrable, by Frobenius' condition: dω(X, Y) = 0 for all
/// directions X, Y that the constraints allow, at generic points and exactly. `values` are exact values of parameters. Nothing
/// where that is not decided.
pub(super) fn integrable<'g>(system: &System<'g>, values: &[(Expr<'g>, Rational)]) -> Vec<String> {
    let velocity = |c: &Constraint<'_>| !c.kind.nature().binds_positions;
    if !system.constraints.iter().any(velocity) {
        return Vec::new();
    }
    let Some(forms) = system.pfaffian_forms() else { return Vec::new() };
    let width = system.len() + 1;
    let entries: Vec<Expr<'g>> =
        forms.iter().flat_map(|form| form.row.iter().chain(form.slopes.iter().flatten()).copied()).collect();
    let every = (0..Field::COUNT).find_map(|number| {
        let field = Field::number(number);
        let generic = Generic::new(system.graph, &entries, values, field);
        let points: Vec<_> = (0..TRIES).filter_map(|seed| generic.at(seed, &[])).take(POINTS).collect();
        let flags: Vec<Vec<bool>> = points.iter().map(|point| closed(field, point, width)).collect();
        (points.len() == POINTS).then(|| (0..forms.len()).map(|form| flags.iter().all(|flags| flags[form])).collect())
    });
    let Some(every): Option<Vec<bool>> = every else { return Vec::new() };
    let named = system.constraints.iter().zip(every).filter(|(c, holds)| velocity(c) && *holds);
    let names: Vec<String> = named.map(|(constraint, _)| constraint.name.clone()).collect();
    // Some of several are not yet integrable by themselves: only all together.
    let all = system.constraints.iter().filter(|c| velocity(c)).count();
    if names.len() == all { names } else { Vec::new() }
}

/// Of each form, whether dω vanishes on the directions that all forms annihilate.
fn closed(f: Field, values: &[Residue], width: usize) -> Vec<bool> {
    let forms: Vec<(&[Residue], &[Residue])> =
        values.chunks(width * (width + 1)).map(|form| form.split_at(width)).collect();
    let mut rows = Matrix::new(width);
    forms.iter().for_each(|(row, _)| rows.push(row));
    let allowed = rows.null_space(f);
    let directions: Vec<&[Residue]> = (0..allowed.len()).map(|k| allowed.row(k)).collect();
    let curl = |slopes: &[Residue], x: &[Residue], y: &[Residue]| {
        let pairs = (0..width).flat_map(|i| (0..width).map(move |j| (i, j)));
        pairs.fold(Field::ZERO, |sum, (i, j)| {
            let turn = f.sub(slopes[width * i + j], slopes[width * j + i]);
            f.add(sum, f.mul(turn, f.mul(x[j], y[i])))
        })
    };
    let is_closed =
        |slopes: &[Residue]| directions.iter().all(|x| directions.iter().all(|y| curl(slopes, x, y) == Field::ZERO));
    forms.iter().map(|(_, slopes)| is_closed(slopes)).collect()
}
