//! Equations and analysis, typeset.

use extremal_engine::analyze::{AnalysisExtent, analyze};
use extremal_engine::derive::{Form, derive, usual_forms};
use extremal_engine::printed::{EquationSide, Section, SectionLine};
use serde_json::{Value, json};

use crate::{DeskError, ModelRequest};

/// Longer lines are said to be long instead: a page would take seconds to lay them out.
const LONGEST_LINE: usize = 60_000;

/// The equations in these forms, or in the usual ones where none is named.
pub(crate) fn equations(asked: &ModelRequest, forms: &[Form]) -> Result<Value, DeskError> {
    let model = asked.model()?;
    let settings = asked.settled(&model)?;
    let further: Vec<(&str, &str)> = forms.iter().map(|form| ("--form", form.name())).collect();
    let forms = if forms.is_empty() { usual_forms(&model) } else { forms.to_vec() };
    let derivation = derive(&model, &settings, &forms)?;
    Ok(json!({ "sections": typeset(&derivation.sections), "command": asked.command("derive", &further) }))
}

pub(crate) fn analysis(asked: &ModelRequest) -> Result<Value, DeskError> {
    let model = asked.model()?;
    let settings = asked.settled(&model)?;
    let findings = analyze(&model, &settings, AnalysisExtent::default());
    let report = findings.report();
    Ok(json!({
        "sections": typeset(&findings.sections()),
        "conserved": report.conserved,
        "method": report.method,
        "command": asked.command("analyze", &[]),
    }))
}

fn typeset(sections: &[Section<'_>]) -> Vec<Value> {
    let line = |line: &SectionLine<'_>| match line {
        SectionLine::Sentence(sentence) => json!({ "sentence": sentence }),
        SectionLine::Equation(equation) => {
            let text = format!("{} = {}", equation.left.text(), equation.right.text());
            let mut shown = json!({ "text": text, "remarks": equation.remarks });
            let [left, right] = [&equation.left, &equation.right].map(EquationSide::mathml);
            let length: usize = left.iter().chain(&right).map(String::len).sum();
            if length <= LONGEST_LINE {
                shown["left"] = json!(left);
                shown["right"] = json!(right);
                shown["latex"] = json!(format!("{} = {}", equation.left.latex(), equation.right.latex()));
            }
            shown
        }
    };
    let section = |section: &Section<'_>| {
        json!({
            "title": section.title,
            "note": section.note,
            "lines": section.lines.iter().map(line).collect::<Vec<_>>(),
        })
    };
    sections.iter().map(section).collect()
}
