//! docs/papers.md: its commands run, and what its rows say of them stands in what they print and write.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use extremal_testkit::program::Folder;

use crate::pages::{commands, lasting, models, words};

const PAGE: &str = include_str!("../../../../docs/papers.md");

/// The only command of the page that shows a failure: [TT] 3.29 has no next state.
const WITHOUT_MOTION: &str = "extremal run gallery:no-next-state --set alpha=3.2";

/// What a command leaves: its words, and the numbers in it with all their digits.
struct Trace {
    words: String,
    numbers: Vec<f64>,
}

/// The commands of the page, each called once, in a folder with the models of the page.
struct Desk {
    folder: Folder,
    traces: RefCell<BTreeMap<String, Rc<Trace>>>,
}

impl Desk {
    fn new() -> Desk {
        let folder = Folder::new();
        for (file, model) in models() {
            std::fs::write(folder.path(&file), model).unwrap();
        }
        Desk { folder, traces: RefCell::default() }
    }

    fn trace(&self, command: &str) -> Rc<Trace> {
        let known = self.traces.borrow().get(command).cloned();
        known.unwrap_or_else(|| {
            let trace = Rc::new(self.called(command));
            self.traces.borrow_mut().insert(command.to_owned(), Rc::clone(&trace));
            trace
        })
    }

    fn called(&self, command: &str) -> Trace {
        let arguments = words(command);
        let mut arguments: Vec<&str> = arguments.iter().skip(1).map(String::as_str).collect();
        let output = self.folder.call(&arguments);
        let expected = i32::from(command == WITHOUT_MOTION);
        assert_eq!(output.code, Some(expected), "`{command}`\n{}\n{}", output.stdout, output.stderr);
        let mut text = format!("{}\n{}", output.stdout, output.stderr);
        let files = arguments.windows(2).filter(|pair| pair[0] == "--out").map(|pair| self.folder.read(pair[1]));
        text.extend(files);
        let mut numbers = numbers_in(&text);
        if ["run", "solve", "compare"].contains(&arguments[0]) {
            // The page may have more digits than are printed.
            arguments.push("--json");
            numbers.extend(numbers_in(&self.folder.call(&arguments).stdout));
        }
        let words = text.lines().map(lasting).collect::<Vec<_>>().join(" ");
        Trace { words: without_signs(&words), numbers: numbers.into_iter().map(|(number, _)| number.abs()).collect() }
    }
}

/// The page has typographic signs and escapes of Markdown.
fn without_signs(text: &str) -> String {
    text.replace('−', "-").replace("\\*", "*")
}

/// The numbers in a text with a decimal point, each with half of the unit of its last digit.
fn numbers_in(text: &str) -> Vec<(f64, f64)> {
    let of_number = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let words = text.split(|c: char| !of_number(c)).map(|word| word.trim_matches(['.', '-']));
    let number = |word: &str| {
        let (mantissa, power) = word.split_once('e').unwrap_or((word, "0"));
        let decimals = mantissa.split_once('.')?.1.len();
        let unit = 10f64.powi(power.parse::<i32>().ok()? - i32::try_from(decimals).ok()?);
        Some((word.parse().ok()?, unit / 2.0))
    };
    words.filter_map(number).collect()
}

/// A part of a cell: what stands in backticks, in quotation marks, or outside.
#[derive(Clone, Copy)]
enum Piece<'p> {
    Code(&'p str),
    Quote(&'p str),
    Text(&'p str),
}

fn pieces(cell: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = cell;
    while let Some(at) = rest.find(['`', '"']) {
        let (text, marked) = rest.split_at(at);
        let (mark, inside) = marked.split_at(1);
        let (inside, after) = inside.split_once(mark).unwrap_or_else(|| panic!("a {mark} is alone in {cell}"));
        pieces.push(Piece::Text(text));
        pieces.push(if mark == "`" { Piece::Code(inside) } else { Piece::Quote(inside) });
        rest = after;
    }
    pieces.push(Piece::Text(rest));
    pieces
}

/// What a row says of its commands.
#[derive(Default)]
struct Claims<'p> {
    commands: Vec<&'p str>,
    /// Quotations anywhere, titles of sections, and code in the clause after a command and a colon.
    words: Vec<&'p str>,
    /// Numbers with three decimals at least.
    numbers: Vec<(f64, f64)>,
}

impl<'p> Claims<'p> {
    /// "The same" is the first command of the row before.
    fn of(cell: &'p str, before: Option<&'p str>) -> Claims<'p> {
        let mut claims = Claims::default();
        // Whether this clause describes what a command prints.
        let (mut named, mut describes) = (false, false);
        for piece in pieces(cell) {
            match piece {
                Piece::Code(code) if code.starts_with("extremal ") => {
                    claims.commands.push(code);
                    (named, describes) = (true, false);
                }
                Piece::Code(code) if describes => claims.words.extend(code.split("...")),
                Piece::Code(_) => named = false,
                Piece::Quote(quote) => claims.words.extend(quote.split("...")),
                Piece::Text(text) => {
                    let same = ["| the same:", "| the same,"].iter().any(|same| text.contains(same));
                    claims.commands.extend(before.filter(|_| same));
                    describes |= (named && text.starts_with(':')) || text.ends_with("| the same: ");
                    if text.contains([';', '.']) {
                        (named, describes) = (false, false);
                    }
                    // Stars of formulas are not those of titles.
                    let prose = text.split('$').step_by(2).filter(|prose| prose.matches('*').count() % 2 == 0);
                    claims.words.extend(prose.flat_map(|prose| prose.split('*').skip(1).step_by(2)));
                    claims.numbers.extend(numbers_in(text).into_iter().filter(|(_, half)| *half < 1e-3));
                }
            }
        }
        claims
    }

    /// What the commands do not leave.
    fn unmet(&self, desk: &Desk) -> Vec<String> {
        let traces: Vec<Rc<Trace>> = self.commands.iter().map(|command| desk.trace(command)).collect();
        let said = |words: &str| traces.iter().any(|trace| trace.words.contains(words));
        let words = self.words.iter().map(|words| without_signs(&lasting(words)));
        let words = words.filter(|words| !said(words));
        words
            .chain(self.numbers.iter().filter(|number| !is_among(**number, &traces)).map(|(x, _)| x.to_string()))
            .collect()
    }
}

/// Whether some command has the number: as many digits of it as are stated, and the round-off of decimals.
fn is_among((number, half): (f64, f64), traces: &[Rc<Trace>]) -> bool {
    let near = |x: &f64| (x - number.abs()).abs() <= 1.001 * half;
    traces.iter().any(|trace| trace.numbers.iter().any(near))
}

/// The rows of a text's tables.
fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'))
}

/// The part of the page below a title.
fn section(title: &str) -> &'static str {
    let (_, below) = PAGE.split_once(title).unwrap_or_else(|| panic!("no section {title}"));
    below.split("\n## ").next().unwrap()
}

/// Every command ends as it should, and leaves what the rows say of it.
#[test]
fn what_rows_say_of_commands_is_so() {
    let desk = Desk::new();
    let (mut unmet, mut claimed) = (Vec::new(), 0);
    for title in ["## Where singular", "## One's own", "## Item by item"] {
        let mut before = None;
        for row in rows(section(title)) {
            let claims = Claims::of(row, before);
            before = claims.commands.first().copied();
            if claims.commands.is_empty() {
                continue;
            }
            claimed += claims.words.len() + claims.numbers.len();
            let item = row.split('|').next().unwrap();
            unmet.extend(claims.unmet(&desk).into_iter().map(|claim| format!("{item}: {claim}")));
        }
    }
    assert!(unmet.is_empty(), "docs/papers.md, not found in what the commands leave:\n{}", unmet.join("\n"));
    assert!(claimed > 100, "only {claimed} claims were found");
    let complete = |command: &&str| !command.contains("...") && !command.contains("NAME");
    commands(PAGE, "extremal ").filter(complete).for_each(|command| drop(desk.trace(command)));
    let called = desk.traces.borrow().len();
    assert!(called > 150, "only {called} commands were found");
}

/// The tables of the papers: what stands under "computed" is printed by the commands above the table.
#[test]
fn computed_numbers_of_the_tables_are_printed() {
    let desk = Desk::new();
    let other_gas = |command: &str| command.replace("ideal-gas", "van-der-waals");
    for (title, count) in [("## Damped oscillator", 18), ("## Ideal gas", 32), ("## Cart with friction", 18)] {
        let text = section(title);
        let stated = commands(text, "extremal ").filter(|command| !command.contains("..."));
        let traces: Vec<Rc<Trace>> = stated.flat_map(|c| [desk.trace(c), desk.trace(&other_gas(c))]).collect();
        let mut rows = rows(text).map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
        let printed: Vec<bool> = rows.next().unwrap().iter().map(|head| head.ends_with("printed")).collect();
        // Not from these commands: the notes of the page say where from.
        let elsewhere = |cell: &&str| ["printed", "late", "1e-4", "S_{k-1}"].iter().any(|word| cell.contains(word));
        let mut found = 0;
        for cells in rows.filter(|cells| !cells[..2].iter().any(elsewhere)) {
            let computed =
                cells.iter().zip(&printed).skip(1).filter(|(cell, printed)| !**printed && !cell.contains("(b)"));
            for number in computed.flat_map(|(cell, _)| numbers_in(cell)) {
                assert!(is_among(number, &traces), "{title}: {} of {cells:?} is not printed", number.0);
                found += 1;
            }
        }
        assert!(found >= count, "{title}: only {found} numbers");
    }
}
