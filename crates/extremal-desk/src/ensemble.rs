//! Maps: many motions, each with other values.

use std::thread;

use extremal_engine::sweep::{Axis, AxisError, CompiledSweep, Record, Variation};
use serde_json::{Value, json};

use crate::numbers::NumberBlocks;
use crate::{DeskError, DeskProgress, ModelRequest, WatchDesk};

/// Members of a map: each is a pixel or more.
const MOST_MEMBERS: u64 = 250_000;
/// Numbers of its columns, which the first ones take.
const MOST_NUMBERS: usize = 1 << 21;

pub(crate) fn sweep(
    asked: &ModelRequest,
    axes: &[String],
    blocks: &mut NumberBlocks,
    watch: WatchDesk<'_>,
) -> Result<Value, DeskError> {
    if !(1..=2).contains(&axes.len()) {
        return Err(DeskError::Axes(axes.len()));
    }
    let grid: Vec<Axis> = axes.iter().map(|axis| axis.parse()).collect::<Result<_, AxisError>>()?;
    let values = asked.values.iter().filter(|(name, _)| !grid.iter().any(|axis| axis.name == *name)).cloned().collect();
    let asked = ModelRequest { values, ..asked.clone() };
    let model = asked.model()?;
    let settings = asked.settings(&model)?;
    let variation = Variation { grid: grid.clone(), ..Variation::default() };
    let members = variation.members().unwrap_or(u64::MAX);
    if members > MOST_MEMBERS {
        return Err(DeskError::TooManyMembers { members, most: MOST_MEMBERS });
    }
    let sweep = CompiledSweep::new(model, &settings, variation, Record::End)?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (frame, outcome) =
        sweep.collect_watched(threads, |now| watch(DeskProgress { done: now.done, total: Some(now.members) }));
    let names = sweep.fields().number_names();
    let shown = names.len().min(MOST_NUMBERS / frame.rows().max(1)).max(axes.len());
    let axes_said = grid.iter().map(|axis| {
        let values: Vec<f64> = (0..axis.len()).map(|at| axis.value(at)).collect();
        json!({ "name": axis.name, "values": values })
    });
    let further: Vec<(&str, &str)> = axes.iter().map(|axis| ("--vary", axis.as_str())).collect();
    Ok(json!({
        "command": asked.command("sweep", &further),
        "summary": sweep.report(&outcome),
        "axes": axes_said.collect::<Vec<_>>(),
        "names": names[..shown],
        "numbers": blocks.put_columns((0..shown).map(|column| frame.numbers(column))),
        "complete": outcome.complete,
    }))
}
