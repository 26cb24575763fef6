//! What can be asked.

use std::path::PathBuf;

use extremal_engine::derive::Form;
use extremal_engine::expr::syntax::parse_number;
use extremal_engine::model::Extent;
use extremal_engine::trajectory::shortest;
use extremal_engine::{Method, Model, Overrides, Settings, gallery};
use serde::Deserialize;

use crate::DeskError;

/// A question, by `ask`.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum DeskQuestion {
    /// The tables, functions and methods that there are, for highlighting and completion.
    Words,
    /// The built-in models.
    Gallery,
    /// The text of one of them.
    GalleryModel {
        /// Its name.
        name: String,
    },
    /// What is wrong with a model, and what its names are.
    Check(ModelRequest),
    /// Its equations.
    Equations {
        /// The model.
        #[serde(flatten)]
        asked: ModelRequest,
        /// In which forms; none for the usual ones.
        #[serde(default)]
        forms: Vec<Form>,
    },
    /// What it conserves and what its method keeps.
    Analyze(ModelRequest),
    /// Its motion.
    Run(ModelRequest),
    /// A short stretch of its motion, to be drawn small.
    Picture(ModelRequest),
    /// The errors of two methods.
    Compare {
        /// One of them.
        first: ModelRequest,
        /// The method and step of the other.
        second: ModelRequest,
        /// By how much steps are divided.
        #[serde(default)]
        steps: Vec<f64>,
    },
    /// The solution of its boundary or control problem.
    Solve {
        /// The model.
        #[serde(flatten)]
        asked: ModelRequest,
        /// Steps of the grid, if not those of the model.
        #[serde(default)]
        steps: Option<usize>,
    },
    /// Many motions.
    Sweep {
        /// The model.
        #[serde(flatten)]
        asked: ModelRequest,
        /// What varies: `theta=0:3:40`.
        axes: Vec<String>,
    },
    /// It in another language, or its motion in a format.
    Export {
        /// The model.
        #[serde(flatten)]
        asked: ModelRequest,
        /// `c`, `rust`, `python`, `julia`, `latex`, `csv`, `json`, `svg` or `notebook`.
        target: String,
        /// Steps of the grid of a problem, in a notebook.
        #[serde(default)]
        steps: Option<usize>,
    },
}

/// A model and how it is to be run. What is not said is taken from the model.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[non_exhaustive]
pub struct ModelRequest {
    /// The text of the model file.
    pub text: String,
    /// What the file is called, for the command line.
    #[serde(default)]
    pub name: Option<String>,
    /// Other values of parameters and starts.
    #[serde(default)]
    pub values: Vec<(String, f64)>,
    /// The method.
    #[serde(default)]
    pub method: Option<String>,
    /// The step, a number or an expression of parameters.
    #[serde(default)]
    pub step: Option<String>,
    /// The time at which it ends, likewise.
    #[serde(default)]
    pub until: Option<String>,
    /// Where files are looked for that it names: not the asker's business.
    #[serde(skip)]
    pub(crate) folder: Option<PathBuf>,
}

impl DeskQuestion {
    /// The models it is about.
    pub(crate) fn models_mut(&mut self) -> impl Iterator<Item = &mut ModelRequest> {
        let (one, other) = match self {
            DeskQuestion::Words | DeskQuestion::Gallery | DeskQuestion::GalleryModel { .. } => (None, None),
            DeskQuestion::Check(asked)
            | DeskQuestion::Equations { asked, .. }
            | DeskQuestion::Analyze(asked)
            | DeskQuestion::Run(asked)
            | DeskQuestion::Picture(asked)
            | DeskQuestion::Solve { asked, .. }
            | DeskQuestion::Sweep { asked, .. }
            | DeskQuestion::Export { asked, .. } => (Some(asked), None),
            DeskQuestion::Compare { first, second, .. } => (Some(first), Some(second)),
        };
        one.into_iter().chain(other)
    }
}

/// A text that says something.
fn said(text: &Option<String>) -> Option<&str> {
    text.as_deref().map(str::trim).filter(|text| !text.is_empty())
}

impl ModelRequest {
    /// What replaces values of the model; with the values, or without where they are set later.
    fn overrides(&self, with_values: bool) -> Overrides {
        let expression =
            |text: &Option<String>| said(text).filter(|text| parse_number(text).is_err()).map(str::to_owned);
        let mut overrides = match &self.folder {
            Some(folder) => Overrides::default().folder(folder.clone()),
            None => Overrides::default(),
        };
        if with_values {
            overrides = self.values.iter().fold(overrides, |all, (name, value)| all.assign(name, shortest(*value)));
        }
        if let Some(step) = expression(&self.step) {
            overrides = overrides.step(step);
        }
        if let Some(until) = expression(&self.until) {
            overrides = overrides.until(until);
        }
        overrides
    }

    /// The model with the values.
    pub(crate) fn model(&self) -> Result<Model, DeskError> {
        Ok(Model::load(&self.text, &self.overrides(true))?)
    }

    /// The model without them.
    pub(crate) fn model_as_it_is(&self) -> Result<Model, DeskError> {
        Ok(Model::load(&self.text, &self.overrides(false))?)
    }

    /// How it is run; a step or an end that is not given as a number is left to the model, where it follows parameters.
    pub(crate) fn settings(&self, model: &Model) -> Result<Settings, DeskError> {
        let of_model = Settings::of(model);
        let number = |text: &Option<String>| said(text).and_then(|text| parse_number(text).ok());
        Ok(Settings {
            method: self.method()?.unwrap_or(of_model.method),
            step: number(&self.step),
            extent: number(&self.until).map(Extent::Until),
            ..of_model
        })
    }

    /// The same with a step and an end.
    pub(crate) fn settled(&self, model: &Model) -> Result<Settings, DeskError> {
        let settings = self.settings(model)?;
        let simulation = model.simulation();
        Ok(Settings {
            step: settings.step.or(simulation.step),
            extent: settings.extent.or(simulation.extent),
            ..settings
        })
    }

    /// Is a step asked for?
    pub(crate) fn states_step(&self) -> bool {
        said(&self.step).is_some()
    }

    /// Is an end asked for?
    pub(crate) fn states_end(&self) -> bool {
        said(&self.until).is_some()
    }

    /// The method that is asked for.
    pub(crate) fn method(&self) -> Result<Option<Method>, DeskError> {
        said(&self.method).map(|text| text.parse().map_err(|error| DeskError::Method { error })).transpose()
    }

    /// The same question for another method, step and end.
    pub(crate) fn is_same_motion(&self, other: &ModelRequest) -> bool {
        let said = |request: &ModelRequest| {
            [&request.method, &request.step, &request.until].map(|text| said(text).map(str::to_owned))
        };
        self.text == other.text && said(self) == said(other)
    }

    /// The name under which the model is found, and whether that is one of the gallery.
    pub(crate) fn file(&self) -> String {
        let stated = said(&self.name).unwrap_or("model.toml");
        match stated.strip_prefix("gallery:") {
            // A built-in model that was changed is a file.
            Some(name) if gallery::text(name) != Some(self.text.as_str()) => format!("{name}.toml"),
            _ => stated.to_owned(),
        }
    }

    /// The command that does the same, with these options behind it.
    pub(crate) fn command(&self, command: &str, further: &[(&str, &str)]) -> String {
        let mut words = vec!["extremal".to_owned(), command.to_owned(), quoted(&self.file())];
        for (name, value) in &self.values {
            words.extend(["--set".to_owned(), quoted(&format!("{name}={}", shortest(*value)))]);
        }
        let own = [("--method", said(&self.method)), ("--step", said(&self.step)), ("--until", said(&self.until))];
        let own = own.iter().filter_map(|(option, value)| Some((*option, (*value)?)));
        for (option, value) in own.chain(further.iter().copied()) {
            words.extend([option.to_owned(), quoted(value)]);
        }
        words.join(" ")
    }
}

/// A word of a command line, between quotes where a shell would take it apart.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-+./:=,".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_quoted_for_a_shell() {
        let asked = ModelRequest {
            text: gallery::text("pendulum").unwrap().to_owned(),
            name: Some("gallery:pendulum".to_owned()),
            values: vec![("theta'".to_owned(), 0.5)],
            method: Some("galerkin(2)".to_owned()),
            ..ModelRequest::default()
        };
        let wanted = r"extremal run gallery:pendulum --set 'theta'\''=0.5' --method 'galerkin(2)'";
        assert_eq!(asked.command("run", &[]), wanted);
        let changed = ModelRequest { text: format!("{}\n", asked.text), values: Vec::new(), method: None, ..asked };
        assert_eq!(changed.command("solve", &[("--steps", "40")]), "extremal solve pendulum.toml --steps 40");
    }
}
