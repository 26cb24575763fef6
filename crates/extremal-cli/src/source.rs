//! Where a model comes from: a file, the gallery, standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use extremal_engine::expr::syntax::nearest;
use extremal_engine::model::{MAX_FILE_BYTES, render};
use extremal_engine::run::Lattice;
use extremal_engine::{Model, Overrides, Settings, gallery};

use crate::arguments::ModelArguments;
use crate::failure::CommandError;
use crate::terminal;

const GALLERY: &str = "gallery:";

/// A model and what its text is called in diagnostics.
pub struct Source {
    pub name: String,
    pub model: Model,
    /// Many like members, of which the model has a few.
    pub lattice: Option<Lattice>,
}

impl Source {
    /// Reads the model that the arguments name.
    pub fn load(arguments: &ModelArguments) -> Result<Source, CommandError> {
        Self::load_with(arguments, &arguments.overrides())
    }

    /// The same with these values replaced.
    pub fn load_with(arguments: &ModelArguments, overrides: &Overrides) -> Result<Source, CommandError> {
        let (name, text) = text_of(&arguments.model)?;
        Self::unroll(name, &text, overrides)
    }

    /// Reads the model to be run with these settings; one of many like members is not unrolled if that can be helped.
    pub fn load_to_run(
        arguments: &ModelArguments,
        overrides: &Overrides,
        settings: impl FnOnce(&Model) -> Settings,
    ) -> Result<Source, CommandError> {
        let (name, text) = text_of(&arguments.model)?;
        match Lattice::read(&text, overrides, settings) {
            Ok(Some((model, lattice))) => Ok(Source { name, model, lattice: Some(lattice) }),
            Ok(None) => Self::unroll(name, &text, overrides),
            Err(invalid) => Err(CommandError::Model { name, invalid }),
        }
    }

    fn unroll(name: String, text: &str, overrides: &Overrides) -> Result<Source, CommandError> {
        match Model::load(text, overrides) {
            Ok(model) => Ok(Source { name, model, lattice: None }),
            Err(invalid) => Err(CommandError::Model { name, invalid }),
        }
    }

    /// The name of the system, or of the file if it has none.
    pub fn title(&self) -> &str {
        self.model.name().unwrap_or(&self.name)
    }

    /// The warnings about the model in one line each.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        self.model.warnings().iter().map(ToString::to_string)
    }

    /// Shows the warnings with the source on standard error.
    pub fn show_warnings(&self) {
        let warnings = self.model.warnings();
        if !warnings.is_empty() {
            terminal::print_error(&render(warnings, &self.name, self.model.source_text(), true));
            terminal::print_error("\n");
        }
    }
}

/// Where files are looked for that a model names: in its own folder, or where the program was started.
pub fn folder_of(model: &str) -> PathBuf {
    let parent = Path::new(model).parent().filter(|_| model != "-" && !model.starts_with(GALLERY));
    parent.map(Path::to_owned).unwrap_or_default()
}

/// What a model is called that is a file, of the gallery or standard input, and its text.
pub fn text_of(model: &str) -> Result<(String, String), CommandError> {
    Ok(match model {
        "-" => ("standard input".to_owned(), read(io::stdin().lock(), "standard input", MODEL_FILE)?),
        model => match model.strip_prefix(GALLERY) {
            Some(built_in) => (model.to_owned(), gallery_text(built_in)?.to_owned()),
            None => (model.to_owned(), read_file(model)?),
        },
    })
}

/// The text of a built-in model.
pub fn gallery_text(name: &str) -> Result<&'static str, CommandError> {
    gallery::text(name).ok_or_else(|| {
        let help = match nearest(name, gallery::names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`extremal gallery` lists them".to_owned(),
        };
        CommandError::UnknownGalleryName { name: name.to_owned(), help }
    })
}

/// How long a file of a kind may be, and what the kind is called.
#[derive(Clone, Copy)]
pub struct Limit {
    pub bytes: usize,
    pub what: &'static str,
}

const MODEL_FILE: Limit = Limit { bytes: MAX_FILE_BYTES, what: "a model file" };

/// The text of a file that is not longer than a model may be.
pub fn read_file(path: &str) -> Result<String, CommandError> {
    read_file_of(path, MODEL_FILE)
}

/// The text of a file.
pub fn read_file_of(path: &str, limit: Limit) -> Result<String, CommandError> {
    let name = format!("`{path}`");
    let file = File::open(path).map_err(|source| {
        let help = match gallery::text(path) {
            Some(_) => format!("; the built-in model is called `{GALLERY}{path}`"),
            None => String::new(),
        };
        CommandError::Read { name: name.clone(), source, help }
    })?;
    read(file, &name, limit)
}

/// Reads all there is, without being led astray by an endless input.
fn read(from: impl Read, name: &str, limit: Limit) -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    let fail = |source| CommandError::Read { name: name.to_owned(), source, help: String::new() };
    from.take(limit.bytes as u64 + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() > limit.bytes {
        return Err(CommandError::TooLong { name: name.to_owned(), limit: limit.bytes, what: limit.what });
    }
    String::from_utf8(bytes).map_err(|_| fail(io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text")))
}
