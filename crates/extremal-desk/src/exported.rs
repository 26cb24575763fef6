//! Models in other languages, motions as files.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use extremal_engine::CompiledRun;
use extremal_engine::eval::source::Language;
use extremal_engine::export::{ExportTarget, export as written};
use extremal_engine::run::EnergyLaw;
use extremal_engine::trajectory::plot::Selection;
use extremal_engine::trajectory::{Figure, TextLayout, TextSink, sig};

use crate::{DeskError, DeskProgress, ModelRequest, WatchDesk};

/// A file that a page holds at once.
const MOST_BYTES: usize = 64 << 20;

pub(crate) fn export(asked: &ModelRequest, target: &str, watch: WatchDesk<'_>) -> Result<String, DeskError> {
    let language = match target {
        "c" => Some(ExportTarget::Source(Language::C)),
        "rust" => Some(ExportTarget::Source(Language::Rust)),
        "python" => Some(ExportTarget::Source(Language::Python)),
        "julia" => Some(ExportTarget::Source(Language::Julia)),
        "latex" => Some(ExportTarget::Latex),
        _ => None,
    };
    let model = asked.model()?;
    let settings = asked.settled(&model)?;
    if let Some(language) = language {
        return Ok(written(&model, &settings, language)?);
    }
    let layout = match target {
        "csv" => Some(&TextLayout::CSV),
        "json" => Some(&TextLayout::JSON),
        "svg" => None,
        _ => return Err(DeskError::Target(target.to_owned())),
    };
    let run = CompiledRun::new(&model, &settings)?;
    let mut recorder = run.recorder();
    let file = BoundedFile::default();
    if let Some(layout) = layout {
        let sink = TextSink::new(file.clone(), run.columns(), layout).map_err(|_| DeskError::TooLong(MOST_BYTES))?;
        recorder.add_sink("file", Box::new(sink));
    }
    let outcome = run.execute(&mut recorder, |now| watch(DeskProgress { done: now.step, total: Some(now.steps) }));
    if layout.is_some() {
        // A file that is full is the one way in which memory fails as a file.
        outcome.map_err(|_| DeskError::TooLong(MOST_BYTES))?;
        drop(recorder);
        return Ok(file.into_text());
    }
    outcome?;
    let energy_changes = EnergyLaw::of(&model).why_it_changes().is_some();
    let selection = Selection { energy_changes, ..Selection::default() };
    let title = model.name().unwrap_or("Motion");
    let subtitle = format!("{}, h = {}", run.method(), sig(run.step(), 6));
    let figure = Figure::with_selection(title, recorder.columns(), recorder.series(), &selection);
    Ok(figure.unwrap_or_else(|_| Figure::of(title, recorder.columns(), recorder.series())).subtitle(subtitle).to_svg())
}

/// A file in memory that ends before the memory does.
#[derive(Clone, Default)]
struct BoundedFile(Arc<Mutex<Vec<u8>>>);

impl BoundedFile {
    fn into_text(self) -> String {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl io::Write for BoundedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if file.len() + bytes.len() > MOST_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        file.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
