//! Progress and cancellation.

use std::ops::ControlFlow;

/// How far a task has come.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Steps, members or iterations done.
    pub done: u64,
    /// How many there will be; not known for iterations.
    pub total: Option<u64>,
}

/// Told now and then how far a task has come; may end it. Closures are observers.
///
/// ```
/// use std::ops::ControlFlow;
/// use extremal::{ErrorKind, Model, Progress};
/// let model = Model::gallery("pendulum")?;
/// let impatient = |progress: Progress| if progress.done > 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
/// let error = model.simulate().until(1e6).run_with(impatient).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Interrupted);
/// assert!(error.partial().unwrap().steps() > 10);
/// # Ok::<(), extremal::Error>(())
/// ```
pub trait Observer {
    /// Says whether to go on.
    fn progress(&mut self, progress: Progress) -> ControlFlow<()>;
}

impl<F: FnMut(Progress) -> ControlFlow<()>> Observer for F {
    fn progress(&mut self, progress: Progress) -> ControlFlow<()> {
        self(progress)
    }
}

/// Lets a task go to its end.
pub(crate) fn unwatched(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
