//! Processes that answer questions. One is ended with what it is at; the next question gets another.

use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::work::{ANSWER, read_frame};

/// Processes at once: one for the motion, one for the second one, one for the text, one for what takes long.
const MOST_WORKERS: usize = 4;

/// What a process says.
pub(crate) enum WorkerFrame {
    Progress(Vec<u8>),
    Answer(Vec<u8>),
}

struct Worker {
    child: Child,
    questions: ChildStdin,
    frames: Receiver<WorkerFrame>,
    /// What it was asked for last: it has compiled that.
    lane: String,
}

/// All of them.
pub(crate) struct Workers {
    command: Box<dyn Fn() -> Command + Send + Sync>,
    state: Mutex<WorkerStock>,
    returned: Condvar,
}

#[derive(Default)]
struct WorkerStock {
    idle: Vec<Worker>,
    out: usize,
    ended: bool,
}

impl Workers {
    pub fn new(command: Box<dyn Fn() -> Command + Send + Sync>) -> Workers {
        Workers { command, state: Mutex::default(), returned: Condvar::new() }
    }

    fn stock(&self) -> MutexGuard<'_, WorkerStock> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A process to ask, the one that was last asked for the same if it is idle; none if all are busy for so long.
    pub fn lease(&self, lane: &str, wait: Duration) -> io::Result<Option<WorkerLease<'_>>> {
        let mut stock = self.stock();
        if stock.out >= MOST_WORKERS && !stock.ended {
            stock = self.returned.wait_timeout(stock, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
        if stock.out >= MOST_WORKERS || stock.ended {
            return Ok(None);
        }
        let known = stock.idle.iter().position(|worker| worker.lane == lane);
        // Another one is started before one that has something else compiled is taken from that.
        let spare = || (stock.out + stock.idle.len() >= MOST_WORKERS).then_some(0);
        let taken = known.or_else(spare).map(|place| stock.idle.remove(place));
        stock.out += 1;
        drop(stock);
        let started = match taken {
            Some(worker) => Ok(worker),
            None => Worker::start(&mut (self.command)()),
        };
        match started {
            Ok(mut worker) => {
                lane.clone_into(&mut worker.lane);
                Ok(Some(WorkerLease { workers: self, worker: Some(worker) }))
            }
            Err(error) => {
                self.stock().out -= 1;
                Err(error)
            }
        }
    }

    fn take_back(&self, worker: Option<Worker>) {
        let mut stock = self.stock();
        stock.out -= 1;
        match worker {
            Some(mut worker) if stock.ended => worker.kill(),
            Some(worker) => stock.idle.push(worker),
            None => {}
        }
        drop(stock);
        self.returned.notify_one();
    }

    /// Ends all that are idle, and the others when they come back.
    pub fn end(&self) {
        let mut stock = self.stock();
        stock.ended = true;
        stock.idle.iter_mut().for_each(Worker::kill);
        stock.idle.clear();
        drop(stock);
        self.returned.notify_all();
    }
}

impl Worker {
    fn start(command: &mut Command) -> io::Result<Worker> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let missing = || io::Error::from(io::ErrorKind::BrokenPipe);
        let (questions, said) = (child.stdin.take().ok_or_else(missing)?, child.stdout.take().ok_or_else(missing)?);
        let (sender, frames) = channel();
        thread::Builder::new().name("answers".to_owned()).spawn(move || listen(BufReader::new(said), &sender))?;
        Ok(Worker { child, questions, frames, lane: String::new() })
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listen(mut said: impl Read, frames: &Sender<WorkerFrame>) {
    while let Ok(Some((letter, content))) = read_frame(&mut said) {
        let frame = if letter == ANSWER { WorkerFrame::Answer(content) } else { WorkerFrame::Progress(content) };
        if frames.send(frame).is_err() {
            break;
        }
    }
}

/// A process that answers one question. It is ended if it is not given back: nobody waits for what it is at.
pub(crate) struct WorkerLease<'w> {
    workers: &'w Workers,
    worker: Option<Worker>,
}

impl WorkerLease<'_> {
    /// Asks. That the process is gone shows where its answer is waited for.
    pub fn send(&mut self, question: &[u8]) {
        let Some(worker) = &mut self.worker else { return };
        let length = u32::try_from(question.len()).unwrap_or(u32::MAX).to_le_bytes();
        let _ = worker.questions.write_all(&length).and_then(|()| worker.questions.write_all(question));
        let _ = worker.questions.flush();
    }

    /// What it says next, within some time.
    pub fn next(&self, wait: Duration) -> Result<WorkerFrame, RecvTimeoutError> {
        self.worker.as_ref().map_or(Err(RecvTimeoutError::Disconnected), |worker| worker.frames.recv_timeout(wait))
    }

    /// It has answered, and can be asked again.
    pub fn give_back(mut self) {
        let worker = self.worker.take();
        self.workers.take_back(worker);
        std::mem::forget(self);
    }

    /// How it ended without an answer.
    pub fn ending(&mut self) -> String {
        let status = self.worker.as_mut().and_then(|worker| worker.child.wait().ok());
        match status.and_then(|status| status.code()) {
            Some(code) => format!(
                "the process that worked on this ended with code {code}: it needs more memory than it may use (`--memory`)"
            ),
            None => "the process that worked on this was ended from outside".to_owned(),
        }
    }
}

impl Drop for WorkerLease<'_> {
    fn drop(&mut self) {
        if let Some(mut worker) = self.worker.take() {
            worker.kill();
        }
        self.workers.take_back(None);
    }
}
