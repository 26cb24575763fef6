//! Expressions in the words of a model, asked for from outside its file.

use crate::diagnostic::{InvalidModel, Severity};
use crate::model::Model;
use crate::overrides::Overrides;
use crate::text::SourceText;

impl Model {
    /// Reads a model file with some values replaced, and further expressions in its words: of positions, their time derivatives,
    /// entropies, states, controls, multipliers, time, parameters and definitions. They are [`Model::quantities`], in the order of the
    /// texts.
    ///
    /// ```
    /// use extremal_model::{Model, Overrides};
    /// let text = "[coordinates]\nx = 1\n[definitions]\ny = \"x^2\"\n[dynamics]\nlagrangian = \"x'^2/2\"";
    /// let model = Model::asked(text, &Overrides::default(), &["y' + 1", "x''"])?;
    /// let shown: Vec<String> = model.quantities().iter().map(|id| model.graph().expr(*id).to_string()).collect();
    /// assert_eq!(shown, ["2*x*x' + 1", "x''"]);
    /// let invalid = Model::asked(text, &Overrides::default(), &["x", "2*z"]).unwrap_err();
    /// assert_eq!((invalid.source_text.as_str(), invalid.diagnostics[0].labels[0].span.clone()), ("x\n2*z", 4..5));
    /// # Ok::<(), extremal_model::InvalidModel>(())
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with the file; if nothing is, all that is wrong with the expressions, whose source is their lines.
    pub fn asked(text: &str, overrides: &Overrides, expressions: &[&str]) -> Result<Model, InvalidModel> {
        Model::load(text, overrides)?;
        let mut start = 0;
        let quantities = expressions.iter().map(|expression| {
            let quantity = SourceText::bare(expression, start);
            start = quantity.span.end + 1;
            quantity
        });
        Model::read(text, overrides, quantities.collect()).map_err(|InvalidModel { mut diagnostics, .. }| {
            // What is odd about the model was said of it already.
            diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
            InvalidModel { diagnostics, source_text: expressions.join("\n") }
        })
    }
}
