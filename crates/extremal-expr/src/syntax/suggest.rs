//! "Did you mean ...?"

use crate::print::greek;

/// The candidate nearest to `name`, if one is near enough to be what was meant. Letter case and the spelling of Greek letters
/// (`theta` for `θ`) do not count.
///
/// ```
/// use extremal_expr::syntax::nearest;
/// assert_eq!(nearest("thata", ["x", "theta"]), Some("theta"));
/// assert_eq!(nearest("theta", ["x", "θ"]), Some("θ"));
/// assert_eq!(nearest("q", ["x", "theta"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Names longer than this are not compared: the distance costs the product of the lengths.
    const LONGEST: usize = 64;
    let plain: Vec<char> = plain(name);
    if plain.len() > LONGEST {
        return None;
    }
    // One slip in a short name, one in three characters in a long one, and never all of them.
    let allowed = (plain.len() / 3).max(1).min(plain.len().saturating_sub(1));
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (self::plain(candidate), candidate))
        .filter(|(letters, _)| letters.len() <= LONGEST)
        .map(|(letters, candidate)| (distance(&plain, &letters), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, candidate)| (*distance, *candidate))
        .map(|(_, candidate)| candidate)
}

fn plain(name: &str) -> Vec<char> {
    let mut letters = Vec::new();
    for c in name.chars() {
        match greek::spelled(c) {
            Some(spelled) => letters.extend(spelled.chars().flat_map(char::to_lowercase)),
            None => letters.extend(c.to_lowercase()),
        }
    }
    letters
}

/// Edits (insert, remove, replace, exchange neighbours) between two words.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut row = vec![0; b.len() + 1];
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let same = a[i - 1] == b[j - 1];
            row[j] = (last[j - 1] + usize::from(!same)).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        (before, last, row) = (last, row, before);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_the_known_ones() {
        let d = |a: &str, b: &str| distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!(d("kitten", "sitting"), 3);
        assert_eq!(d("", "abc"), 3);
        assert_eq!(d("ab", "ba"), 1);
        assert_eq!(d("theta", "theta"), 0);
    }

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        assert_eq!(nearest("lenght", ["length", "mass"]), Some("length"));
        assert_eq!(nearest("Gamma", ["gamma"]), Some("gamma"));
        assert_eq!(nearest("ϕ", ["phi"]), Some("phi"));
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest("mass", ["length"]), None);
        assert_eq!(nearest("", ["length"]), None);
    }
}
