//! "Did you mean ...?"

use extremal_expr::syntax::nearest;

/// A help line for `word`, which is none of the candidates: the likely one, or all of them while they are few.
pub(crate) fn help_for<'a>(
    word: &str,
    what: &str,
    candidates: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<String> {
    /// Longer lists are not printed.
    const MAX_LISTED: usize = 20;
    if let Some(likely) = nearest(word, candidates.clone()) {
        return Some(format!("did you mean `{likely}`?"));
    }
    let all: Vec<String> = candidates.into_iter().map(|c| format!("`{c}`")).collect();
    (1..=MAX_LISTED).contains(&all.len()).then(|| format!("{what}: {}", all.join(", ")))
}
