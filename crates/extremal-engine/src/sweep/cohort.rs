//! Members that begin together and end together, in columns: of none of them anything is done alone, as long as there is nothing in it for
//! which every row should be looked at.

use std::ops::Range;

use extremal_solve::{LaneCohort, SeenLanes};
use extremal_trajectory::frame::{Frame, Word};

use super::lane_extremes::LaneExtremes;
use super::member_marcher::{Glimpsed, OPENING, SweepContext};
use super::members::Members;
use super::record::{FINISHED, Record};
use crate::run::{ColumnSource, Compiled, LaneAudits, LaneStartCheck, Plan, StartCheck};

/// Marches members with the same steps, as many at a time as there are lanes.
pub(super) struct CohortMarcher<'s> {
    common: &'s SweepContext<'s>,
    cohort: LaneCohort,
    check: LaneStartCheck,
    audits: LaneAudits,
    extremes: Option<LaneExtremes>,
    /// Where the columns come from that are kept.
    kept: Vec<ColumnSource>,
    /// Columns of the members at hand.
    parameters: Vec<f64>,
    starts: Vec<f64>,
    first_energies: Vec<f64>,
}

/// Rows of members by column, one for each, and which of these are none.
pub(super) struct CohortRows {
    numbers: Vec<Vec<f64>>,
    rows: usize,
    pub again: Vec<usize>,
}

impl CohortRows {
    pub fn new(columns: usize, rows: usize) -> CohortRows {
        CohortRows { numbers: vec![Vec::with_capacity(rows); columns], rows: 0, again: Vec::new() }
    }

    /// The rows as those of members that went through all their steps.
    pub fn frame(self, common: &SweepContext<'_>, first: u64) -> Frame {
        let finished: Word = Some(FINISHED.into());
        let numbers = (first..first + self.rows as u64).map(|number| number as i64).collect();
        let texts = vec![vec![finished; self.rows], vec![None; self.rows], vec![None; self.rows]];
        Frame::of_columns(&common.layout.fields, vec![numbers], self.numbers, texts)
    }
}

/// For fewer steps the way into lanes takes longer than the steps.
const FEWEST_STEPS: u64 = 8;

impl<'s> CohortMarcher<'s> {
    /// `None` where members have to be begun or ended one by one.
    pub fn new(
        common: &'s SweepContext<'s>,
        compiled: &Compiled,
        check: &StartCheck,
        lanes: usize,
    ) -> Option<CohortMarcher<'s>> {
        let Compiled::Scheme(scheme) = compiled else { return None };
        let record = common.layout.record;
        if !matches!(record, Record::End | Record::Extremes) || common.observables.heated() > 0 {
            return None;
        }
        let cohort = scheme.cohort(lanes)?;
        let (observables, kept) = (&*common.observables, common.layout.kept());
        let all = ColumnSource::of_all(observables);
        let extremes = (record == Record::Extremes).then(|| LaneExtremes::new(observables, kept, lanes));
        Some(CohortMarcher {
            common,
            cohort,
            check: LaneStartCheck::new(check.clone(), common.start.values(), lanes),
            audits: LaneAudits::new(observables, &common.promises, lanes),
            extremes,
            kept: kept.iter().map(|column| all[*column]).collect(),
            parameters: Vec::new(),
            starts: Vec::new(),
            first_energies: vec![0.0; lanes],
        })
    }

    /// Does it march members with this plan?
    pub fn takes(&self, plan: &Plan) -> bool {
        plan.remainder.is_none() && plan.whole_steps >= FEWEST_STEPS
    }

    /// How many members it marches at a time.
    pub fn lanes(&self) -> usize {
        self.cohort.lanes()
    }

    /// Marches some members, all with this plan, and adds their rows; those of which it does not know all are to be marched again.
    pub fn march(&mut self, members: &Members, places: Range<usize>, plan: &Plan, rows: &mut CohortRows) {
        let count = places.len();
        members.columns(places.clone(), self.lanes(), &mut self.parameters, &mut self.starts);
        let varied = members.varied(places.clone());
        for (at, column) in rows.numbers.iter_mut().take(members.width()).enumerate() {
            column.extend(varied.iter().skip(at).step_by(members.width()));
        }
        let begun = rows.rows;
        rows.rows += count;
        if !self.go_through(plan) || !self.push_ends(count, members.width(), rows) {
            for column in &mut rows.numbers[members.width()..] {
                column.resize(rows.rows, f64::NAN);
            }
            rows.again.extend(begun..rows.rows);
        } else {
            let unknown = |at: &usize| {
                let cohort = &self.cohort;
                let known = !cohort.is_lost(*at) && cohort.was_smooth(*at) && !self.audits.is_doubtful(*at);
                !known || members.is_impossible(places.start + at)
            };
            rows.again.extend((0..count).filter(unknown).map(|at| begun + at));
        }
        if let Some(extremes) = &mut self.extremes {
            extremes.finish(|_, _, _| {});
        }
    }

    /// Takes members from their starts to their ends; `false` where that is not known of any of them.
    fn go_through(&mut self, plan: &Plan) -> bool {
        let CohortMarcher { common, cohort, check, audits, extremes, parameters, starts, first_energies, .. } = self;
        let lanes = cohort.lanes();
        let good = check.run(parameters, starts, plan.from);
        let Some(model) = good.iter().position(|good| *good) else { return false };
        for column in parameters.chunks_exact_mut(lanes).chain(starts.chunks_exact_mut(lanes)) {
            let value = column[model];
            column.iter_mut().zip(good).filter(|(_, good)| !**good).for_each(|(x, _)| *x = value);
        }
        cohort.set_parameters(parameters);
        let behind = starts.len() - common.start.multipliers * lanes;
        let (first, multipliers) = starts.split_at(behind);
        if !cohort.begin([first, multipliers], plan.from, plan.step) {
            return false;
        }
        (0..lanes).filter(|at| !good[*at]).for_each(|at| cohort.lose(at));
        let Some(seen) = cohort.observe() else { return false };
        first_energies.copy_from_slice(ColumnSource::of_energy(&common.observables).of_lanes(&seen, lanes));
        audits.begin(&seen);
        let mut see = |seen: SeenLanes<'_>| {
            if let Some(extremes) = extremes {
                extremes.see(&seen, |_, _, _| {});
            }
        };
        see(seen);
        let every = Glimpsed::every(plan);
        let all = common.layout.record == Record::Extremes;
        while cohort.steps() < plan.whole_steps {
            let steps = cohort.steps();
            let stretch = if steps < OPENING { 1 } else { (every - steps % every).min(plan.whole_steps - steps) };
            if !cohort.advance(stretch, if all { Some(&mut see) } else { None }) {
                return false;
            }
            let steps = cohort.steps();
            let Some(seen) = cohort.observe() else { return false };
            if steps <= OPENING { audits.open(&seen) } else { audits.glimpse(&seen) }
        }
        true
    }

    /// Adds what is recorded of the ends.
    fn push_ends(&mut self, count: usize, behind: usize, rows: &mut CohortRows) -> bool {
        let lanes = self.cohort.lanes();
        let Some(seen) = self.cohort.observe() else { return false };
        let column = |source: &ColumnSource| source.of_lanes(&seen, lanes);
        let mut places = rows.numbers[behind..].iter_mut();
        let mut push = |values: &[f64]| {
            if let Some(place) = places.next() {
                place.extend_from_slice(&values[..count]);
            }
        };
        let Some(extremes) = &self.extremes else {
            self.kept.iter().for_each(|source| push(column(source)));
            let energy = column(&ColumnSource::of_energy(&self.common.observables));
            let changes: Vec<f64> = energy.iter().zip(&self.first_energies).map(|(last, first)| last - first).collect();
            push(&changes);
            return true;
        };
        push(seen.times);
        extremes.columns().skip(1).flatten().for_each(push);
        true
    }
}
