//! Trajectories as records: drift of invariants, files, plots, summaries.
//!
//! This crate knows nothing of mechanics. A trajectory is a stream of rows of
//! `f64` under [`Columns`], each with a name and a [`Role`]. A [`Recorder`]
//! takes the rows one at a time and keeps, in bounded memory, all that is said
//! about them afterwards: files, the [`Drift`] of what should be constant, and
//! a [`Series`] that a [`Figure`] is drawn from.
//!
//! ```
//! use extremal_trajectory::{Column, Columns, Figure, Recorder, Role};
//!
//! let mut recorder = Recorder::new(Columns::new([
//!     Column::time(),
//!     Column::coordinate("x"),
//!     Column::momentum("x"),
//!     Column::new("E", Role::Energy),
//! ])?);
//! let folder = tempfile::tempdir()?;
//! recorder.add_file(&folder.path().join("oscillator.csv"))?;
//! for i in 0..=1000 {
//!     let t = 0.01 * i as f64;
//!     let (x, p) = (t.cos(), -t.sin());
//!     recorder.push(&[t, x, p, (x * x + p * p) / 2.0])?;
//! }
//! recorder.finish()?;
//!
//! let energy = recorder.drifts().next().unwrap().1;
//! assert!(energy.max_drift() < 1e-15);
//! Figure::of("Harmonic oscillator", recorder.columns(), recorder.series())
//!     .save(&folder.path().join("oscillator.svg"))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block;
mod chosen;
mod columns;
mod csv;
mod drift;
mod event_table;
mod format;
pub mod frame;
mod number;
#[cfg(feature = "plot")]
pub mod plot;
mod recorder;
mod series;
pub mod sink;
mod stopwatch;
mod table;
mod whole;

pub use block::RowBlock;
pub use chosen::is_named;
pub use columns::{Column, ColumnLayout, Columns, ColumnsError, Role};
pub use csv::csv_lines;
pub use drift::Drift;
pub use event_table::EventFileError;
pub use format::FormatError;
pub use number::{shortest, sig};
#[cfg(feature = "plot")]
pub use plot::{Figure, PlotError};
pub use recorder::{RecordError, Recorder};
pub use series::Series;
#[cfg(feature = "parquet")]
pub use sink::ParquetSink;
pub use sink::{Format, Sink, SinkError, TextLayout, TextSink};
pub use stopwatch::Stopwatch;
pub use table::{Align, Table};
pub use whole::{WholeFile, write_whole};
