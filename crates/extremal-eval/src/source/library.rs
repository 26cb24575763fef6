//! The parts of the texts of a language that a file needs.

use std::collections::BTreeSet;

use super::dialect::LibraryUses;
use extremal_expr::elementary::{LEAST_MANTISSA, PARTS};

/// The sections `#section name: names of others` of a text that are used, and those that they use, in the order of the text.
pub(super) fn sections(text: &str, uses: &LibraryUses) -> String {
    let sections: Vec<LibrarySection<'_>> = text.split("#section ").skip(1).map(LibrarySection::read).collect();
    let mut wanted: BTreeSet<&str> = uses.iter().copied().collect();
    // A section stands behind those that it uses.
    for section in sections.iter().rev() {
        if wanted.contains(section.name) {
            wanted.extend(&section.needs);
        }
    }
    let used = sections.iter().filter(|section| wanted.contains(section.name));
    used.map(|section| with_table(section.body.trim_end())).collect::<Vec<_>>().join("\n\n")
}

struct LibrarySection<'t> {
    name: &'t str,
    needs: Vec<&'t str>,
    body: &'t str,
}

impl<'t> LibrarySection<'t> {
    fn read(text: &'t str) -> LibrarySection<'t> {
        let (head, body) = text.split_once('\n').unwrap_or((text, ""));
        let (name, needs) = head.split_once(": ").unwrap_or((head, ""));
        LibrarySection { name, needs: needs.split(", ").filter(|name| !name.is_empty()).collect(), body }
    }
}

/// The text with the table of logarithms, where it has a place for that.
fn with_table(body: &str) -> String {
    let (open, close) = if body.contains("static const") { ('{', '}') } else { ('[', ']') };
    let row = |part: &extremal_expr::elementary::LogarithmPart| {
        format!("        {open} {:?}, {:?}, {:?} {close},\n", part.reciprocal, part.log[0], part.log[1])
    };
    match body.contains("%parts%") {
        true => {
            let table: String = PARTS.iter().map(row).collect();
            body.replace("%parts%", &table).replace("%least%", &format!("{LEAST_MANTISSA:#018x}"))
        }
        false => body.to_owned(),
    }
}

/// A text up to its first `#part name`, and the named part, if it is wanted.
pub(super) fn parts(text: &str, wanted: &[&str]) -> String {
    let mut parts = text.split("#part ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, body) = part.split_once('\n').unwrap_or((part, ""));
        if wanted.contains(&name) {
            out.push('\n');
            out.push_str(body.trim_start_matches('\n'));
        }
    }
    out
}
