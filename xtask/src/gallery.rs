//! Every model of the gallery through the program itself: run or solved, trajectory file, picture, equations.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use crate::shell::{Step, TaskFailure, heading, root};

pub fn all() -> Result<(), TaskFailure> {
    heading("gallery");
    let failure = |reason: io::Error| TaskFailure { step: "gallery".to_owned(), reason: reason.to_string() };
    let program = program().map_err(failure)?;
    let models = models().map_err(failure)?;
    let folder = env::temp_dir().join(format!("extremal-gallery-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(failure)?;
    let outcome = models.iter().try_for_each(|model| one(&program, model, &folder));
    fs::remove_dir_all(&folder).map_err(failure)?;
    outcome?;
    eprintln!("{} models", models.len());
    Ok(())
}

fn one(program: &Path, model: &Path, folder: &Path) -> Result<(), TaskFailure> {
    let file = model.to_string_lossy();
    let trajectory = folder.join("trajectory.csv");
    let picture = folder.join("picture.svg");
    let (trajectory, picture) = (trajectory.to_string_lossy(), picture.to_string_lossy());
    let command = command(&file)?;
    let execute = [command, &*file, "--quiet", "--out", &*trajectory, "--plot", &*picture];
    Step::new(&format!("extremal {command} {file}"), program, &execute).run_silently()?;
    let derive = ["derive", &*file, "--form", "lagrange", "--form", "hamilton", "--form", "discrete"];
    Step::new(&format!("extremal derive {file}"), program, &derive).run_silently()
}

/// What there is to be done with a model.
pub fn command(file: &str) -> Result<&'static str, TaskFailure> {
    let text = fs::read_to_string(file).map_err(|error| TaskFailure::of(file, &error))?;
    Ok(if text.lines().any(|line| line.trim() == "[boundary]") { "solve" } else { "run" })
}

/// The program that the tests have built, beside this one: it is not compiled again.
pub fn program() -> io::Result<PathBuf> {
    let here = env::current_exe()?;
    Ok(here.with_file_name(format!("extremal{}", env::consts::EXE_SUFFIX)))
}

pub fn models() -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(root().join("gallery"))?;
    let mut models: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    models.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    models.sort();
    Ok(models)
}
