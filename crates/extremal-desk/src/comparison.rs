//! Two methods beside the exact solution, or an accurate one.

use extremal_engine::compare::{Against, compare as measured};
use extremal_engine::trajectory::shortest;
use serde_json::{Value, json};

use crate::{DeskError, ModelRequest};

/// Steps are divided by these where nothing else is asked for.
const DIVISORS: [f64; 2] = [1.0, 2.0];
/// More steps take a reference solution long.
const MOST_STEPS: u64 = 200_000;

pub(crate) fn compare(first: &ModelRequest, second: &ModelRequest, steps: &[f64]) -> Result<Value, DeskError> {
    let model = first.model()?;
    let against = if model.exact().is_empty() { Against::Dop853 } else { Against::Exact };
    let divisors = if steps.is_empty() { &DIVISORS } else { steps };
    let (mut shown, mut commands) = (Vec::new(), Vec::new());
    for asked in [first, second] {
        let settings = ModelRequest { until: first.until.clone(), ..asked.clone() }.settled(&model)?;
        let Some(step) = settings.step else { continue };
        let steps: Vec<f64> = divisors.iter().map(|divisor| step / divisor).collect();
        let listed = steps.iter().map(|step| shortest(*step)).collect::<Vec<_>>().join(",");
        let plain = ModelRequest { method: None, step: None, ..first.clone() };
        commands.push(plain.command("compare", &[("--methods", &settings.method.to_string()), ("--steps", &listed)]));
        shown.push(
            match measured(&model, &settings, std::slice::from_ref(&settings.method), &steps, against, 0..MOST_STEPS) {
                Ok(rows) => json!({ "method": settings.method.to_string(), "rows": rows }),
                Err(error) => json!({ "method": settings.method.to_string(), "error": error.to_string() }),
            },
        );
    }
    Ok(json!({
        "commands": commands,
        "against": match against { Against::Exact => "the closed form of the model", Against::Dop853 => "DOP853 at 1e-13" },
        "methods": shown,
    }))
}
