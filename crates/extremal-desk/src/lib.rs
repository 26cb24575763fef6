//! Requests and answers about models, as a page asks them.
//!
//! A request is JSON with `ask`, the kind of question. An answer is JSON with columns of numbers beside it, as [`Reply`] encodes them.
//! Nothing here writes files, opens connections or looks at a clock: `extremal studio` and the page without a server are two ways to
//! this one desk.
//!
//! ```
//! use extremal_desk::Desk;
//! use std::ops::ControlFlow;
//! let request = r#"{"ask": "run", "text": "[coordinates]\nx = 1\n[dynamics]\nlagrangian = \"x'^2/2 - x^2/2\"",
//!                   "step": "0.01", "until": "1", "method": "midpoint"}"#;
//! let reply = Desk::default().answer(request, &mut |_| ControlFlow::Continue(()));
//! assert_eq!(reply.content["summary"]["status"], "finished");
//! let x = reply.content["summary"]["end"]["q"]["x"].as_f64().unwrap();
//! assert!((x - 1f64.cos()).abs() < 1e-4);
//! ```

mod catalogue;
mod checked;
mod comparison;
mod ensemble;
mod equations;
mod exported;
mod failure;
mod motion;
mod notebook;
mod numbers;
mod optimum;
mod request;

use std::ops::ControlFlow;
use std::path::PathBuf;

use serde_json::{Value, json};

pub use failure::DeskError;
pub use numbers::Reply;
pub use request::{DeskQuestion, ModelRequest};

use motion::CompiledMotions;
use numbers::NumberBlocks;

/// How far the work on an answer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeskProgress {
    /// What is done,
    pub done: u64,
    /// of so much, where that is known.
    pub total: Option<u64>,
}

/// Sees the progress and may end the work.
pub type WatchDesk<'w> = &'w mut dyn FnMut(DeskProgress) -> ControlFlow<()>;

/// Answers questions one after the other. What was compiled for the last ones is kept, so that the same motion with other values costs its
/// steps alone.
#[derive(Default)]
pub struct Desk {
    folder: Option<PathBuf>,
    motions: CompiledMotions,
    gallery: Option<Value>,
}

impl Desk {
    /// A desk for models whose files are looked for in this folder; without one, they name none.
    pub fn in_folder(folder: Option<PathBuf>) -> Desk {
        Desk { folder, ..Desk::default() }
    }

    /// Answers a request. What is wrong with it, or with the model, is an answer too: `error` says it.
    pub fn answer(&mut self, request: &str, watch: WatchDesk<'_>) -> Reply {
        let mut blocks = NumberBlocks::default();
        let content = match serde_json::from_str::<DeskQuestion>(request) {
            Ok(mut question) => {
                question.models_mut().for_each(|asked| asked.folder.clone_from(&self.folder));
                self.content(&question, &mut blocks, watch)
            }
            Err(error) => Err(DeskError::Request(error)),
        };
        match content {
            Ok(content) => Reply { content, numbers: blocks.into_numbers() },
            Err(error) => Reply { content: error.content(), numbers: Vec::new() },
        }
    }

    fn content(
        &mut self,
        question: &DeskQuestion,
        blocks: &mut NumberBlocks,
        watch: WatchDesk<'_>,
    ) -> Result<Value, DeskError> {
        match question {
            DeskQuestion::Words => Ok(catalogue::words()),
            DeskQuestion::Gallery => Ok(self.gallery.get_or_insert_with(catalogue::gallery).clone()),
            DeskQuestion::GalleryModel { name } => catalogue::model(name),
            DeskQuestion::Check(asked) => Ok(checked::check(asked)),
            DeskQuestion::Equations { asked, forms } => equations::equations(asked, forms),
            DeskQuestion::Analyze(asked) => equations::analysis(asked),
            DeskQuestion::Run(asked) => self.motions.run(asked, blocks, watch),
            DeskQuestion::Picture(asked) => motion::picture(asked, blocks, watch),
            DeskQuestion::Compare { first, second, steps } => comparison::compare(first, second, steps),
            DeskQuestion::Solve { asked, steps } => optimum::solve(asked, *steps, blocks, watch),
            DeskQuestion::Sweep { asked, axes } => ensemble::sweep(asked, axes, blocks, watch),
            DeskQuestion::Export { asked, target, steps } if target == "notebook" => {
                notebook::notebook(asked, *steps, watch).map(|text| json!({ "text": text }))
            }
            DeskQuestion::Export { asked, target, .. } => {
                exported::export(asked, target, watch).map(|text| json!({ "text": text }))
            }
        }
    }
}
