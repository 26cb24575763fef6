//! Names in expressions: enough of the language to replace them.

use std::iter::Peekable;
use std::str::CharIndices;

/// A name as it occurs in an expression.
pub struct Occurrence<'t> {
    pub name: &'t str,
    /// `[i + 1]`, or nothing.
    pub index: &'t str,
    pub primes: usize,
}

impl Occurrence<'_> {
    /// The occurrence under another name.
    pub fn named(&self, name: &str) -> String {
        format!("{name}{}{}", self.index, "'".repeat(self.primes))
    }

    pub fn as_it_stands(&self) -> String {
        self.named(self.name)
    }
}

/// `text` with every name for which `replacement` has one replaced.
pub fn rewrite(text: &str, replacement: &dyn Fn(&Occurrence) -> Option<String>) -> String {
    let mut written = String::with_capacity(2 * text.len());
    let mut rest = text.char_indices().peekable();
    while let Some((start, first)) = rest.next() {
        if first.is_ascii_digit() || first == '.' {
            skip_number(&mut rest);
            written.push_str(&text[start..place(&mut rest, text)]);
        } else if first.is_alphabetic() || first == '_' {
            skip_while(&mut rest, |c| c.is_alphanumeric() || c == '_');
            let name = &text[start..place(&mut rest, text)];
            let index_at = place(&mut rest, text);
            skip_index(&mut rest);
            let primes_at = place(&mut rest, text);
            let primes = skip_while(&mut rest, |c| c == '\'');
            let found = Occurrence { name, index: &text[index_at..primes_at], primes };
            written.push_str(&replacement(&found).unwrap_or_else(|| found.as_it_stands()));
        } else {
            written.push(first);
        }
    }
    written
}

type Rest<'t> = Peekable<CharIndices<'t>>;

fn place(rest: &mut Rest, text: &str) -> usize {
    rest.peek().map_or(text.len(), |(at, _)| *at)
}

fn skip_while(rest: &mut Rest, is_part: impl Fn(char) -> bool) -> usize {
    let mut count = 0;
    while rest.next_if(|(_, c)| is_part(*c)).is_some() {
        count += 1;
    }
    count
}

/// The rest of a number, so that the `e` of an exponent is not a name.
fn skip_number(rest: &mut Rest) {
    skip_while(rest, |c| c.is_ascii_digit() || c == '.');
    if rest.next_if(|(_, c)| matches!(c, 'e' | 'E')).is_some() {
        let _ = rest.next_if(|(_, c)| matches!(c, '+' | '-'));
        skip_while(rest, |c| c.is_ascii_digit());
    }
}

fn skip_index(rest: &mut Rest) {
    if rest.next_if(|(_, c)| *c == '[').is_none() {
        return;
    }
    let mut open = 1;
    while open > 0 {
        match rest.next() {
            Some((_, '[')) => open += 1,
            Some((_, ']')) => open -= 1,
            Some(_) => {}
            None => return,
        }
    }
}

#[test]
fn names_are_found_with_their_primes_and_indices() {
    let marked = rewrite("2e-3*x1'^2 + x[i + 1]' - sin(θ)*x", &|found| {
        (found.name == "x" || found.name == "θ").then(|| format!("<{}|{}|{}>", found.name, found.index, found.primes))
    });
    assert_eq!(marked, "2e-3*x1'^2 + <x|[i + 1]|1> - sin(<θ||0>)*<x||0>");
}
