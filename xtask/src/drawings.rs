//! Pictures that are committed: the sheet of all drawings of the gallery, and those of the book, each by the command that its page names.

use std::path::Path;
use std::{fs, io};

use crate::shell::{Step, TaskFailure, heading, root};

pub fn all() -> Result<(), TaskFailure> {
    let failure = |reason: io::Error| TaskFailure { step: "pictures".to_owned(), reason: reason.to_string() };
    Step::cargo("program", &["build", "--quiet", "-p", "extremal-cli"]).run()?;
    let program = root().join("target/debug").join(format!("extremal{}", std::env::consts::EXE_SUFFIX));
    Step::new("sheet of drawings", &program, &["gallery", "--sheet", "docs/drawings.png"]).run()?;
    heading("pictures of the book");
    let source = root().join("book/src");
    for entry in fs::read_dir(&source).map_err(failure)? {
        let path = entry.map_err(failure)?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            let text = fs::read_to_string(&path).map_err(failure)?;
            commands(&text).try_for_each(|command| draw(&program, &source.join("pictures"), command))?;
        }
    }
    Ok(())
}

/// The commands of a page that write a picture which the page shows.
fn commands(text: &str) -> impl Iterator<Item = &str> {
    let code = text.split('`').skip(1).step_by(2).filter(|code| code.starts_with("extremal "));
    code.filter(|command| {
        let mut files = command.split_whitespace().filter(|word| word.ends_with(".svg") || word.ends_with(".png"));
        files.any(|file| text.contains(&format!("(pictures/{file})")))
    })
}

fn draw(program: &Path, folder: &Path, command: &str) -> Result<(), TaskFailure> {
    let parts = command.split('"').enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    let arguments: Vec<&str> = words.skip(1).collect();
    eprintln!("{command}");
    Step::new(command, program, &arguments).inside(folder).run_silently()
}
