//! What a system conserves, whether it is singular, where it rests.

use std::sync::Arc;

use extremal_engine::analyze::{AnalysisExtent, AnalysisReport, analyze};
use extremal_engine::mechanics::analysis::Proof;
use extremal_engine::{Method, Settings};
use serde::{Serialize, Serializer};

use crate::Model;

/// What was found of a system. As data ([`Serialize`]) it is what `extremal analyze --json` prints.
///
/// ```
/// use extremal::Model;
/// let found = Model::gallery("kepler")?.analyze();
/// let names: Vec<&str> = found.conserved().iter().map(|c| c.name.as_str()).collect();
/// assert_eq!(names, ["energy", "angular momentum", "Laplace-Runge-Lenz y", "Laplace-Runge-Lenz x"]);
/// assert!(found.conserved().iter().all(|c| c.proved));
/// # Ok::<(), extremal::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Analysis {
    found: Arc<Found>,
}

#[derive(Debug)]
struct Found {
    conserved: Vec<Conserved>,
    text: String,
    latex: String,
    summary: AnalysisReport,
}

/// A conserved quantity.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Conserved {
    /// What it is called.
    pub name: String,
    /// Its formula.
    pub expression: String,
    /// Is it proved, not only seen at random points?
    pub proved: bool,
    /// Does it hold for all values of the parameters, not only for the present ones?
    pub general: bool,
}

impl Analysis {
    pub(crate) fn of(model: &Model) -> Analysis {
        Analysis::with(model, None)
    }

    fn with(model: &Model, method: Option<Method>) -> Analysis {
        let model = model.working_copy();
        let settings = Settings::of(&model);
        let asked = method.is_some();
        let extent = AnalysisExtent { backward: asked, geometry: asked, ..AnalysisExtent::default() };
        let settings = Settings { method: method.unwrap_or(settings.method.clone()), ..settings };
        let analysis = analyze(&model, &settings, extent);
        let conserved = analysis.conserved.found.iter().map(|quantity| Conserved {
            name: quantity.name.clone(),
            expression: quantity.expression.to_string(),
            proved: matches!(quantity.proof, Proof::Symbolic),
            general: quantity.general,
        });
        let found = Found {
            conserved: conserved.collect(),
            text: analysis.to_text(),
            latex: analysis.to_latex(),
            summary: analysis.report(),
        };
        Analysis { found: Arc::new(found) }
    }

    /// The conserved quantities, the energy first if it is one.
    pub fn conserved(&self) -> &[Conserved] {
        &self.found.conserved
    }

    /// All of it in words.
    pub fn text(&self) -> &str {
        &self.found.text
    }

    /// All of it in LaTeX.
    pub fn latex(&self) -> &str {
        &self.found.latex
    }
}

impl Serialize for Analysis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.found.summary.serialize(serializer)
    }
}
