//! Names that a language takes, near to those that a model has.

use std::collections::HashSet;

/// Hands out each name once.
pub(super) struct NameTable {
    taken: HashSet<String>,
}

impl NameTable {
    pub fn new(reserved: &[&str]) -> NameTable {
        NameTable { taken: reserved.iter().map(|name| (*name).to_owned()).collect() }
    }

    /// A name like this one that was not handed out yet.
    pub fn take(&mut self, name: &str) -> String {
        let mut own = identifier(name);
        while !self.taken.insert(own.clone()) {
            own.push('_');
        }
        own
    }
}

/// Letters, digits and underscores: `x[3]'` becomes `x_3_dot`.
pub(super) fn identifier(name: &str) -> String {
    let mut own = String::new();
    for c in name.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' => own.push(c),
            '\'' => own.push_str("_dot"),
            ']' => {}
            _ if own.ends_with('_') => {}
            _ => own.push('_'),
        }
    }
    // A name of numbers of ours is a letter and digits.
    let numbered =
        own.strip_prefix('w').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
    if own.is_empty() || own.starts_with(|c: char| c.is_ascii_digit() || c == '_') {
        own.insert(0, 'x');
    }
    if numbered { own + "_" } else { own }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_near_to_what_they_were() {
        let mut names = NameTable::new(&["if", "p"]);
        let given = ["theta", "theta'", "x[3]'", "if", "p", "p", "w12", "φ", "3", "x 3 dot"];
        let taken = given.map(|name| names.take(name));
        assert_eq!(taken, ["theta", "theta_dot", "x_3_dot", "if_", "p_", "p__", "w12_", "x_", "x3", "x_3_dot_"]);
    }
}
