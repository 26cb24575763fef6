//! Names as LaTeX: Greek letters, subscripts, dots.

use super::greek;

/// A name taken apart: `θ_1[3]''` is θ with the subscripts 1 and 3 and two dots.
pub(super) struct NameParts<'n> {
    /// The letter or word.
    pub base: String,
    /// What stands below it, in order.
    pub subscripts: Vec<String>,
    /// The index between brackets, the last of what stands below it.
    pub index: Option<&'n str>,
    /// How often it is differentiated by time.
    pub primes: usize,
}

impl NameParts<'_> {
    pub(super) fn of(name: &str) -> NameParts<'_> {
        let unprimed = name.trim_end_matches('\'');
        let (stem, index) = match unprimed.strip_suffix(']').and_then(|open| open.split_once('[')) {
            Some((stem, index)) => (stem, Some(index)),
            None => (unprimed, None),
        };
        let (base, subscripts) = subscripts(stem);
        NameParts { base, subscripts, index, primes: name.len() - unprimed.len() }
    }

    /// Is it written with a superscript, so that a power needs parentheses? There is no accent for more dots that every renderer knows.
    pub(super) fn is_raised(&self) -> bool {
        self.primes > 2
    }
}

/// A name as LaTeX.
pub(super) struct Symbol {
    /// The notation.
    pub latex: String,
    /// Does it end in a superscript, so that a power needs parentheses?
    pub raised: bool,
}

impl Symbol {
    pub(super) fn new(name: &str) -> Symbol {
        let parts = NameParts::of(name);
        let raised = parts.is_raised();
        let NameParts { base, subscripts, index, primes } = parts;
        let subscripts: Vec<String> = subscripts.iter().map(|part| word(part)).chain(index.map(escape)).collect();
        let base = letter(&base);
        let mut latex = match primes {
            1 => format!(r"\dot{{{base}}}"),
            2 => format!(r"\ddot{{{base}}}"),
            _ => base,
        };
        if !subscripts.is_empty() {
            latex.push_str(&format!("_{{{}}}", subscripts.join(",")));
        }
        if raised {
            latex.push_str(&format!("^{{({primes})}}"));
        }
        Symbol { latex, raised }
    }
}

/// Splits `x_0`, `x12` and `x₀` into a base and its subscripts, with plain digits.
fn subscripts(stem: &str) -> (String, Vec<String>) {
    let mut parts = stem.split('_').filter(|part| !part.is_empty());
    let head = parts.next().unwrap_or_default();
    let is_digit = |c: char| c.is_ascii_digit() || subscript_digit(c).is_some();
    let base = head.trim_end_matches(is_digit);
    let digits = plain(&head[base.len()..]);
    if base.is_empty() {
        return (head.to_owned(), parts.map(plain).collect());
    }
    let own = (!digits.is_empty()).then_some(digits);
    (base.to_owned(), own.into_iter().chain(parts.map(plain)).collect())
}

/// The same with plain digits.
fn plain(text: &str) -> String {
    text.chars().map(|c| subscript_digit(c).unwrap_or(c)).collect()
}

fn subscript_digit(c: char) -> Option<char> {
    let value = u32::from(c).checked_sub(u32::from('₀'))?;
    char::from_digit(value, 10)
}

/// A word in a subscript: a letter or number as it is, Greek as its letter, longer words upright.
fn word(text: &str) -> String {
    if text.bytes().all(|b| b.is_ascii_digit()) { text.to_owned() } else { letter(text) }
}

fn letter(name: &str) -> String {
    let mut characters = name.chars();
    match (characters.next(), characters.next()) {
        (None, _) => r"\square".to_owned(),
        (Some(c), None) => match greek::spelled(c) {
            Some(spelled) => format!(r"\{spelled}"),
            None if c.is_ascii_alphabetic() => c.to_string(),
            None => upright(name),
        },
        _ if greek::is_name(name) => format!(r"\{name}"),
        _ => upright(name),
    }
}

/// A word in upright letters; other scripts as text, which every renderer takes as it is.
fn upright(name: &str) -> String {
    let command = if name.is_ascii() { "mathrm" } else { "text" };
    format!(r"\{command}{{{}}}", escape(name))
}

/// Keeps letters, digits and what is harmless; names made outside the language may contain anything.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '_' | '%' | '&' | '#' | '$' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c if c.is_alphanumeric() || "+-*/=<>.,:;!?()[]|".contains(c) => escaped.push(c),
            _ => escaped.push(' '),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_mathematics() {
        for (name, latex) in [
            ("x", "x"),
            ("theta", r"\theta"),
            ("θ'", r"\dot{\theta}"),
            ("Omega_1''", r"\ddot{\Omega}_{1}"),
            ("x[3]'", r"\dot{x}_{3}"),
            ("x_0", "x_{0}"),
            ("x₁₂", "x_{12}"),
            ("speed", r"\mathrm{speed}"),
            ("x1", "x_{1}"),
            ("k_spring", r"k_{\mathrm{spring}}"),
            ("p_theta", r"p_{\theta}"),
            ("q_1[2]", "q_{1,2}"),
            ("x'''", "x^{(3)}"),
            ("й", r"\text{й}"),
            ("_", r"\square"),
        ] {
            assert_eq!(Symbol::new(name).latex, latex, "{name}");
        }
    }
}
