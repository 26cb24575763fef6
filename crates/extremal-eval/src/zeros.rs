//! Memory for many numbers.

use crate::native::lie_in_large_pages;

/// From so many bytes on: a few of the large pages that processors have.
const MANY: usize = 1 << 22;

/// So many zeros. Where they are many they lie in large pages, if the system has these: a page costs a fault when it is first written.
///
/// ```
/// assert_eq!(extremal_eval::zeros(3), [0.0; 3]);
/// ```
pub fn zeros(count: usize) -> Vec<f64> {
    let mut numbers = vec![0.0; count];
    if count * size_of::<f64>() >= MANY {
        lie_in_large_pages(&mut numbers);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_numbers_are_zeros_too() {
        let mut numbers = zeros(MANY);
        assert!(numbers.len() == MANY && numbers.iter().all(|number| *number == 0.0));
        numbers.fill(1.0);
        assert_eq!(numbers.iter().sum::<f64>(), MANY as f64);
    }
}
