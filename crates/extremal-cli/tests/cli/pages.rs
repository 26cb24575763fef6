//! The pages of the documentation say what the program does: what they show is printed, and what they name exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use extremal_testkit::program::{Folder, call, call_with_input};

const PAGES: [(&str, &str); 13] = [
    ("README.md", include_str!("../../../../README.md")),
    ("CONTRIBUTING.md", include_str!("../../../../CONTRIBUTING.md")),
    ("ARCHITECTURE.md", include_str!("../../../../ARCHITECTURE.md")),
    ("docs/benchmarks.md", include_str!("../../../../docs/benchmarks.md")),
    ("docs/cli.md", CLI),
    ("docs/design.md", include_str!("../../../../docs/design.md")),
    ("docs/drawings.md", include_str!("../../../../docs/drawings.md")),
    ("docs/gallery.md", include_str!("../../../../docs/gallery.md")),
    ("docs/model-file.md", MODEL_FILE),
    ("docs/mutants.md", include_str!("../../../../docs/mutants.md")),
    ("docs/papers.md", include_str!("../../../../docs/papers.md")),
    ("docs/studio.md", include_str!("../../../../docs/studio.md")),
    ("docs/theory.md", include_str!("../../../../docs/theory.md")),
];
const CLI: &str = include_str!("../../../../docs/cli.md");
const MODEL_FILE: &str = include_str!("../../../../docs/model-file.md");
/// What `cargo xtask` can do.
const TASKS: &str = include_str!("../../../../xtask/src/main.rs");

/// The book, below the root of the repository.
pub(crate) const BOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../book/src");

/// The pages of the documentation and those of the book.
pub(crate) fn pages() -> &'static [(String, String)] {
    static ALL: OnceLock<Vec<(String, String)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let written = PAGES.iter().map(|(name, page)| ((*name).to_owned(), (*page).to_owned()));
        let mut chapters: Vec<PathBuf> = fs::read_dir(BOOK).unwrap().map(|entry| entry.unwrap().path()).collect();
        chapters.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
        chapters.sort();
        let name = |path: &Path| format!("book/src/{}", path.file_name().unwrap().to_string_lossy());
        let chapters = chapters.iter().map(|path| (name(path), fs::read_to_string(path).unwrap()));
        written.chain(chapters).collect()
    })
}

/// The fenced blocks of a page: the text before each, what kind it is of, and its content.
pub(crate) fn fenced(page: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let parts: Vec<&str> = page.split("```").collect();
    let block = |at: usize| parts[at].split_once('\n').map(|(kind, content)| (parts[at - 1], kind, content));
    (1..parts.len()).step_by(2).filter_map(block).collect::<Vec<_>>().into_iter()
}

/// The words of a command; what stands in quotes is one.
pub(crate) fn words(command: &str) -> Vec<String> {
    let outside = |(at, part): (usize, &str)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    };
    command.split('"').enumerate().flat_map(outside).collect()
}

/// Models that pages show, by the names of their files: the model `Spring pendulum` is `spring-pendulum.toml`.
pub(crate) fn models() -> Vec<(String, &'static str)> {
    let named = |model: &'static str| {
        let name = model.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))?.to_lowercase();
        let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        Some((format!("{}.toml", words.join("-")), model))
    };
    let blocks = pages().iter().flat_map(|(_, page)| fenced(page)).filter(|(_, kind, _)| *kind == "toml");
    blocks.filter_map(|(.., model)| named(model)).collect()
}

/// A line without what differs from machine to machine: times, round-off, and the widths of columns that follow from it.
pub(crate) fn lasting(line: &str) -> String {
    let number = |word: &str| word.trim_start_matches('(').trim_end_matches([',', ';', ')']).parse::<f64>().ok();
    let mut words: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        let unit = matches!(word.trim_end_matches([',', ')']), "ns" | "µs" | "ms" | "s" | "min");
        match (words.last_mut(), number(word)) {
            (Some(last), _) if unit && number(last).is_some() => *last = "time".to_owned(),
            (_, Some(x)) if x != 0.0 && x.abs() < 1e-11 => words.push("round-off".to_owned()),
            _ if word.starts_with('─') => words.push("─".to_owned()),
            _ => words.push(word.to_owned()),
        }
    }
    words.join(" ")
}

/// Every block that stands below a command is what the command prints; where the text says that this is all, it is all.
#[test]
fn what_pages_show_is_printed() {
    let folder = Folder::new();
    for (file, model) in models() {
        fs::write(folder.path(&file), model).unwrap();
    }
    let mut shown = 0;
    for (name, page) in pages() {
        for (before, _, block) in fenced(page).filter(|(_, kind, _)| *kind == "text") {
            let command = before.split('`').rfind(|code| code.starts_with("extremal "));
            let command = command.unwrap_or_else(|| panic!("{name}: no command says where this is from:\n{block}"));
            let arguments = words(command);
            let arguments: Vec<&str> = arguments.iter().skip(1).map(String::as_str).collect();
            let printed = folder.call(&arguments).succeeded();
            let printed: Vec<String> = printed.lines().map(lasting).collect();
            let expected: Vec<String> = block.lines().map(lasting).collect();
            if before.trim_end().ends_with("` prints") {
                assert_eq!(expected, printed, "{name}: `{command}` prints");
            }
            // In this order, among other things.
            let mut rest = printed.iter();
            for line in &expected {
                assert!(
                    rest.any(|other| other == line),
                    "{name}: `{command}` does not print (there)\n{line}\nbut\n{}",
                    printed.join("\n")
                );
            }
            shown += 1;
        }
    }
    assert!(shown >= 7, "only {shown} blocks were found");
}

/// The commands that a page names, in its text or in lines of their own.
pub(crate) fn commands<'p>(page: &'p str, program: &'p str) -> impl Iterator<Item = &'p str> {
    let spans = page.split("```").step_by(2).flat_map(|text| text.split('`').skip(1).step_by(2));
    let lines = page.lines().filter_map(|line| line.strip_prefix("    "));
    spans.chain(lines).filter(move |code| code.starts_with(program))
}

/// The words in the left column of a help page: commands and options, or the names of the gallery.
fn listed(arguments: &[&str]) -> BTreeSet<String> {
    let help = call(arguments).succeeded();
    let of_option = |c: char| !c.is_alphanumeric() && c != '-';
    help.lines().filter_map(|line| line.trim_start().split(of_option).next()).map(str::to_owned).collect()
}

fn options(command: &str) -> BTreeSet<String> {
    let help = call(&[command, "--help"]).succeeded();
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-') || line.starts_with("[alias"));
    let words = lines.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '-'));
    words.filter(|word| word.starts_with("--")).map(str::to_owned).collect()
}

#[test]
fn commands_that_pages_name_exist() {
    let (subcommands, built_in) = (listed(&["--help"]), listed(&["gallery"]));
    let mut found = 0;
    for (name, page) in pages() {
        for command in commands(page, "extremal ").filter(|command| !command.contains("...")) {
            // Beside a command there may be words about it.
            let command = command.split(['#', '[']).next().unwrap().split("   ").next().unwrap();
            let words = words(command);
            let Some(subcommand) = words.get(1) else { continue };
            assert!(subcommands.contains(subcommand), "{name}: `{command}`: no such command");
            let known = options(subcommand);
            for word in &words[2..] {
                let option = word.split('=').next().unwrap();
                assert!(!word.starts_with("--") || known.contains(option), "{name}: `{command}`: no option {word}");
                let model = word.strip_prefix("gallery:").filter(|model| *model != "NAME");
                assert!(model.is_none_or(|model| built_in.contains(model)), "{name}: `{command}`: no such model");
            }
            found += 1;
        }
        for command in commands(page, "cargo xtask ") {
            let task = command.split_whitespace().nth(2).unwrap();
            assert!(TASKS.contains(&format!("[\"{task}\"")), "{name}: `{command}`: no such task");
            found += 1;
        }
    }
    assert!(found >= 40, "only {found} commands were found");
}

/// The page of the program names every option of every command, and no other.
#[test]
fn the_page_of_the_program_has_its_options() {
    let (general, sections) = CLI.split_once("\n## `").unwrap();
    let named = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| word.starts_with("--"));
        words.filter(|word| word.len() > 2 && !word[2..].starts_with('-')).map(str::to_owned).collect()
    };
    for section in sections.split("\n## `") {
        let (command, text) = section.split_once("`\n").unwrap();
        let text = text.split("\n## ").next().unwrap();
        let (stated, real) = (named(text), options(command));
        let stated = &stated | &named(general);
        let missing: Vec<&String> = real.difference(&stated).collect();
        assert!(missing.is_empty(), "docs/cli.md does not name {missing:?} of `{command}`");
        // Rows of the table of a command are options of it; other sentences may speak of other commands.
        let rows: String = text.lines().filter_map(|line| line.strip_prefix("| `--")?.split('|').next()).collect();
        let unknown: Vec<String> = named(&rows).difference(&real).cloned().collect();
        assert!(unknown.is_empty(), "docs/cli.md names {unknown:?} of `{command}`, which has no such option");
    }
}

#[test]
fn the_model_in_the_reference_runs() {
    let (.., model) = fenced(MODEL_FILE).find(|(.., model)| model.contains("[heat]")).unwrap();
    let called = call_with_input(&["run", "-", "--json"], model);
    assert_eq!(called.stderr, "");
    // Heat comes in as 5 exp(-t) until t = 20, which is 5 up to 1e-8; two Gauss points per step miss 5 h⁴/4320 = 7e-9 of it.
    let heat = called.json()["laws"]["first"]["heat"].as_f64().unwrap();
    assert!((heat - 5.0).abs() < 2e-8, "{heat}");
}
