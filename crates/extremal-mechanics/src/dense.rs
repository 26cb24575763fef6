//! Small linear systems of numbers.

/// The solution of a small linear system by rows, by elimination with pivots; `None` if it is singular.
pub(crate) fn solution(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let n = right.len();
    for k in 0..n {
        let size = |row: &usize| matrix[row * n + k].abs();
        let pivot = (k..n).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        if matrix[pivot * n + k] == 0.0 || matrix[pivot * n + k].is_nan() {
            return None;
        }
        (0..n).for_each(|column| matrix.swap(k * n + column, pivot * n + column));
        right.swap(k, pivot);
        for row in (0..n).filter(|row| *row != k) {
            let factor = matrix[row * n + k] / matrix[k * n + k];
            (k..n).for_each(|column| matrix[row * n + column] -= factor * matrix[k * n + column]);
            right[row] -= factor * right[k];
        }
    }
    Some((0..n).map(|k| right[k] / matrix[k * n + k]).collect())
}
