//! What is remembered of the events of a step until its row is recorded.

use extremal_solve::{March, StepFailure};

use super::events::{EventObserver, EventWatch};
use super::observables::Observables;
use super::snapshot::Snapshot;

/// When an event is seen: just before it changes the state, or just after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventSide {
    Before,
    After,
}

impl EventSide {
    /// As it stands in files.
    pub fn name(self) -> &'static str {
        match self {
            EventSide::Before => "before",
            EventSide::After => "after",
        }
    }
}

/// Sums up what the events of a step change, and keeps their rows where they are wanted.
pub(crate) struct EventLog {
    /// Of every recorded output, what is no drift of it.
    leaps: Vec<f64>,
    /// The change of the energy that was meant, and that of the entropies.
    energy: f64,
    entropy: f64,
    before: f64,
    keeps_energy: Vec<bool>,
    /// Where rows are wanted.
    snapshot: Option<Snapshot>,
    rows: Vec<(usize, EventSide, Vec<f64>)>,
}

impl EventLog {
    /// For a motion with these events; do the rows at them matter?
    pub fn new(watch: &EventWatch, observables: &Observables, rows: bool) -> EventLog {
        EventLog {
            leaps: vec![0.0; observables.recorded],
            energy: 0.0,
            entropy: 0.0,
            before: 0.0,
            keeps_energy: (0..observables.events).map(|event| watch.keeps_energy(event)).collect(),
            snapshot: rows.then(|| Snapshot::new(observables, None)),
            rows: Vec::new(),
        }
    }

    /// Forgets the events so far.
    pub fn clear(&mut self) {
        self.leaps.fill(0.0);
        (self.energy, self.entropy) = (0.0, 0.0);
        self.rows.clear();
    }

    /// What is no drift of a recorded output.
    pub fn leap(&self, output: usize) -> f64 {
        self.leaps[output]
    }

    /// By how much energy and entropies were changed.
    pub fn changes(&self) -> [f64; 2] {
        [self.energy, self.entropy]
    }

    /// The rows at events: which of them, before it or after it, and the row.
    pub fn rows(&self) -> impl Iterator<Item = (usize, EventSide, &[f64])> {
        self.rows.iter().map(|(event, side, row)| (*event, *side, &row[..]))
    }

    /// Hears of the events of a motion with these observables.
    pub fn listening<'l>(&'l mut self, observables: &'l Observables) -> ListeningLog<'l> {
        ListeningLog { log: self, observables }
    }
}

/// The log of the events of a step, while that is gone through.
pub(crate) struct ListeningLog<'l> {
    log: &'l mut EventLog,
    observables: &'l Observables,
}

impl ListeningLog<'_> {
    fn entropy(&self, motion: &dyn March) -> f64 {
        let first = self.observables.state().entropies().start;
        motion.state()[first..first + self.observables.heated()].iter().sum()
    }

    fn keep(&mut self, event: usize, side: EventSide, motion: &mut dyn March) -> Result<(), StepFailure> {
        if let Some(snapshot) = &mut self.log.snapshot {
            snapshot.leap();
            snapshot.take(self.observables, motion)?;
            self.log.rows.push((event, side, snapshot.row.clone()));
        }
        Ok(())
    }
}

impl EventObserver for ListeningLog<'_> {
    fn before(&mut self, event: usize, motion: &mut dyn March) -> Result<(), StepFailure> {
        self.log.before = self.entropy(motion);
        self.keep(event, EventSide::Before, motion)
    }

    fn after(
        &mut self,
        event: usize,
        motion: &mut dyn March,
        before: &[f64],
        after: &[f64],
    ) -> Result<(), StepFailure> {
        let outputs = self.observables.observed().outputs();
        let energy = self.observables.observed().energy() - outputs.start;
        let kept = self.log.keeps_energy[event];
        for (at, leap) in self.log.leaps.iter_mut().enumerate() {
            if !(kept && at == energy) {
                *leap += after[outputs.start + at] - before[outputs.start + at];
            }
        }
        if !kept {
            self.log.energy += after[outputs.start + energy] - before[outputs.start + energy];
        }
        self.log.entropy += self.entropy(motion) - self.log.before;
        self.keep(event, EventSide::After, motion)
    }
}
