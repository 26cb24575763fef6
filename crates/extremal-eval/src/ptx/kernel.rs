//! Kernels: what a thread reads, computes and writes.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use thiserror::Error;

use super::body::{Body, Count, Integer, JumpLabel, PtxNumber};
use super::evaluation::Evaluation;
use super::functions::{Routine, library};
use super::place::{MemberPlace, parameter, parameter_count};
use super::uniforms::UniformValues;
use crate::op::Instruction;
use crate::program::{Feedback, Program, TRIES};
use crate::ssa::{ValueDefinition, ValueId};

/// Where a kernel finds an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemberInput {
    /// A column of the table: a number for each member.
    Column(usize),
    /// One number for all members.
    Uniform,
}

/// Where a kernel finds the inputs of a program, and where it writes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MemberLayout {
    /// Each input of each tier. A loop writes what it replaces back to the same columns.
    pub inputs: Vec<Vec<MemberInput>>,
    /// The column of each output of an entry; what is not wanted is not computed. A loop has none.
    pub outputs: Vec<Option<usize>>,
}

/// Why there is no kernel for a program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KernelRefusal {
    /// The layout is that of another program.
    #[error("the layout has {given} {what}, the program {expected}")]
    OtherLayout {
        /// Of what there are not as many.
        what: &'static str,
        /// So many in the layout.
        given: usize,
        /// So many in the program.
        expected: usize,
    },
    /// A loop replaces an input that is the same for all members.
    #[error("a loop replaces its input {input}, which therefore is not the same for all members")]
    UniformInLoop {
        /// The place of the input in the last tier.
        input: usize,
    },
    /// The program is no loop.
    #[error("the program is no loop")]
    NoLoop,
    /// More is the same for all members than a kernel can be given.
    #[error("{count} numbers are the same for all members, and a kernel can be given {most}")]
    TooManyUniforms {
        /// So many numbers.
        count: usize,
        /// The most.
        most: usize,
    },
    /// The name cannot be that of a kernel.
    #[error("`{name}` is no name for a kernel: letters, digits and underscores, a letter first")]
    NotAName {
        /// The name.
        name: String,
    },
    /// Lanes of the program know of each other, which threads do not.
    #[error("members of the program know of each other")]
    Spreads,
}

/// Parameters of a kernel have 4096 bytes at most, of which others need 40.
const MOST_UNIFORMS: usize = 500;

/// A program as PTX.
#[derive(Clone)]
pub struct ThreadKernel {
    name: String,
    text: String,
    routines: BTreeSet<Routine>,
    uniforms: KernelNumbers,
}

/// What is the same for all members of a kernel.
#[derive(Clone)]
enum KernelNumbers {
    Computed(UniformValues),
    /// So many inputs of the first tier as they are.
    Given(usize),
}

impl ThreadKernel {
    /// What it is called in the module.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The numbers that are the same for all members, computed from the uniform inputs, which are given by tier and place: the last
    /// parameter of the kernel.
    pub fn uniforms(&self, input: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        match &self.uniforms {
            KernelNumbers::Computed(values) => values.numbers(input),
            KernelNumbers::Given(count) => (0..*count).map(|at| input(0, at)).collect(),
        }
    }

    /// Of a body that ends here, with so many numbers that are the same for all members and are given as they are.
    pub(super) fn of_given(name: &str, place: &MemberPlace<'_>, count: usize) -> Result<ThreadKernel, KernelRefusal> {
        ThreadKernel::new(name, place, count, KernelNumbers::Given(count))
    }

    fn new(
        name: &str,
        place: &MemberPlace<'_>,
        count: usize,
        uniforms: KernelNumbers,
    ) -> Result<ThreadKernel, KernelRefusal> {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(is_letter) {
            return Err(KernelRefusal::NotAName { name: name.to_owned() });
        }
        if count > MOST_UNIFORMS {
            return Err(KernelRefusal::TooManyUniforms { count, most: MOST_UNIFORMS });
        }
        Ok(ThreadKernel {
            name: name.to_owned(),
            text: place.finish(name, count),
            routines: place.body.routines(),
            uniforms,
        })
    }
}

/// The text of a module with some kernels, and with the functions that they call.
pub fn module(kernels: &[&ThreadKernel]) -> String {
    let routines = kernels.iter().flat_map(|kernel| kernel.routines.iter().copied()).collect();
    let mut text = String::from(".version 7.0\n.target sm_70\n.address_size 64\n\n");
    text.push_str(&library(&routines));
    kernels.iter().for_each(|kernel| text.push_str(&kernel.text));
    text
}

impl Program {
    /// An entry as a kernel: each thread reads the inputs of its member, computes, and writes the outputs that are wanted.
    ///
    /// # Errors
    /// There is no kernel for the program, or the layout is that of another one.
    pub fn kernel(&self, name: &str, entry: usize, layout: &MemberLayout) -> Result<ThreadKernel, KernelRefusal> {
        let body = Body::default();
        let mut writer = ThreadWriter::begin(&body, self, entry, layout)?;
        let outputs = self.outputs(entry);
        if layout.outputs.len() != outputs.len() {
            let (given, expected) = (layout.outputs.len(), outputs.len());
            return Err(KernelRefusal::OtherLayout { what: "outputs", given, expected });
        }
        writer.leave_out_the_finished();
        let wanted: Vec<(ValueId, usize)> =
            outputs.iter().zip(&layout.outputs).filter_map(|(value, column)| Some((*value, (*column)?))).collect();
        let values: Vec<ValueId> = wanted.iter().map(|(value, _)| *value).collect();
        let mut evaluation = writer.evaluation(&values);
        evaluation.compute(&values, &mut writer.uniforms);
        for (value, column) in wanted {
            let number = evaluation.number(value, &mut writer.uniforms);
            writer.place.store(column, number);
        }
        writer.finish(name)
    }

    /// A loop as a kernel: each thread goes on until its member has no steps left, or no more tries for a step
    /// ([`TRIES`]), as [`Machine::repeat`](crate::Machine::repeat) does.
    ///
    /// # Errors
    /// The program is no loop, there is no kernel for it, or the layout is that of another one.
    pub fn loop_kernel(&self, name: &str, layout: &MemberLayout) -> Result<ThreadKernel, KernelRefusal> {
        let feedback = self.code.feedback.ok_or(KernelRefusal::NoLoop)?;
        let body = Body::with_numbers(format!("numbers_of_{name}"));
        let mut writer = ThreadWriter::begin(&body, self, 0, layout)?;
        writer.rounds(feedback)?;
        writer.finish(name)
    }
}

/// The body of a kernel under construction.
struct ThreadWriter<'b, 'p> {
    body: &'b Body,
    program: &'p Program,
    entry: usize,
    layout: &'p MemberLayout,
    steps: Rc<[Instruction<ValueId>]>,
    uniforms: UniformValues,
    place: MemberPlace<'b>,
}

impl<'b, 'p> ThreadWriter<'b, 'p> {
    fn begin(
        body: &'b Body,
        program: &'p Program,
        entry: usize,
        layout: &'p MemberLayout,
    ) -> Result<Self, KernelRefusal> {
        if program.code.converging > 0 {
            return Err(KernelRefusal::Spreads);
        }
        let tiers = (0..program.tiers()).map(|tier| program.code.inputs(tier).len());
        if layout.inputs.len() != program.tiers() {
            let (given, expected) = (layout.inputs.len(), program.tiers());
            return Err(KernelRefusal::OtherLayout { what: "tiers", given, expected });
        }
        for (expected, given) in tiers.zip(layout.inputs.iter().map(Vec::len)) {
            if given != expected {
                return Err(KernelRefusal::OtherLayout { what: "inputs in a tier", given, expected });
            }
        }
        let hoisted = (0..program.tier(entry)).flat_map(|tier| program.hoisted_ops(tier));
        let steps: Rc<[_]> = hoisted.chain(program.ops(entry)).copied().collect();
        let uniforms = UniformValues::new(program, &steps, &layout.inputs);
        let place = MemberPlace::begin(body);
        Ok(ThreadWriter { body, program, entry, layout, steps, uniforms, place })
    }

    /// Where the counters of the member are: steps left, tries.
    fn counters(&self) -> [Integer<'b>; 2] {
        let left = parameter(self.body, "counters") + self.place.member.shift_left(2u32);
        [left, left + self.place.stride.shift_left(2u32)]
    }

    /// Lets members without steps rest, if there are counters.
    fn leave_out_the_finished(&self) {
        let counters = parameter(self.body, "counters");
        self.body.when(counters.is_not(0u64), || {
            let [place, _] = self.counters();
            let left: Count<'b> = self.body.result("ld.global.u32", &[&format!("[{place}]")]);
            self.body.jump_if(left.is(0u32), self.place.end);
        });
    }

    /// The inputs that values need: which, of which tier, in which place.
    fn inputs(&self, wanted: &[ValueId]) -> Vec<(ValueId, usize, usize)> {
        let mut needed: BTreeSet<ValueId> = wanted.iter().copied().collect();
        for step in self.steps.iter().rev() {
            let results = [Some(step.to), step.op.second_result()];
            if results.into_iter().flatten().any(|value| needed.contains(&value) && !self.uniforms.contains(value)) {
                step.op.for_each_operand(|operand| {
                    needed.insert(operand);
                });
            }
        }
        let place = |value: ValueId| match self.program.definition(value) {
            ValueDefinition::Input { tier, index } => Some((value, tier, index)),
            _ => None,
        };
        needed.into_iter().filter_map(place).collect()
    }

    /// Where nothing is computed yet: reads the inputs that `wanted` needs.
    fn evaluation(&self, wanted: &[ValueId]) -> Evaluation<'b, 'p> {
        let mut inputs = FxHashMap::default();
        for (value, tier, index) in self.inputs(wanted) {
            if let MemberInput::Column(column) = self.layout.inputs[tier][index] {
                inputs.insert(value, self.place.load(column));
            }
        }
        let outputs = self.program.outputs(self.entry);
        Evaluation::new(self.body, self.program, self.steps.clone(), inputs, outputs, &self.uniforms)
    }

    /// Goes round the loop, and writes what it replaced.
    fn rounds(&mut self, feedback: Feedback) -> Result<(), KernelRefusal> {
        let body = self.body;
        let outputs = self.program.outputs(self.entry);
        let (next, again) = outputs[1..].split_at(feedback.carried);
        let own = self.layout.inputs.last().map_or(&[][..], Vec::as_slice);

        let [left_place, tries_place] = self.counters();
        let count = |place: Integer<'b>| -> Count<'b> { body.result("ld.global.u32", &[&format!("[{place}]")]) };
        let (left, tries) = (body.variable(count(left_place)), body.variable(count(tries_place)));
        let rounds = body.variable(parameter_count(body, "rounds"));
        body.jump_if(left.is(0u32) | rounds.is(0u32) | tries.not_below(TRIES), self.place.end);

        let mut start = self.evaluation(outputs);
        // What is replaced has registers of its own, and is read whether it is used or not.
        let first_retried = own.len() - again.len();
        let mut variables: Vec<Option<PtxNumber<'b>>> = vec![None; own.len()];
        for index in (0..next.len()).chain(first_retried.max(next.len())..own.len()) {
            let is_same = |value: &ValueId| self.is_input(*value, index);
            let retried = index.checked_sub(first_retried).map(|at| &again[at]);
            if next.get(index).is_none_or(is_same) && retried.is_none_or(is_same) {
                continue;
            }
            let MemberInput::Column(column) = own[index] else {
                return Err(KernelRefusal::UniformInLoop { input: index });
            };
            let known = start.input(|value| self.is_input(value, index));
            let variable = body.variable(known.unwrap_or_else(|| self.place.load(column)));
            start.replace_input(|value| self.is_input(value, index), variable);
            variables[index] = Some(variable);
        }
        // What no round changes.
        let constant: Vec<ValueId> = (0..self.program.tier(self.entry))
            .flat_map(|tier| self.program.kept(tier))
            .copied()
            .filter(|value| !self.uniforms.contains(*value))
            .collect();
        start.compute(&constant, &mut self.uniforms);

        let ways = LoopWays { next, again, variables: &variables, first_retried };
        let [round, replaced, tried, more, careful, done] = [(); 6].map(|()| body.label());
        body.place(round);
        body.set_brief(true);
        let is_doubtful = self.once_round(start.clone(), &ways, Some(careful), [replaced, tried]);
        body.set_brief(false);

        body.place(replaced);
        body.set(left, left - 1u32);
        body.set(tries, 0u32);
        body.jump_if(left.is_not(0u32), more);
        body.jump(done);

        body.place(tried);
        match again {
            [] => body.set(tries, TRIES),
            _ => body.set(tries, tries + 1u32),
        }
        body.jump_unless(tries.below(TRIES), done);
        body.place(more);
        body.set(rounds, rounds - 1u32);
        body.jump_if(rounds.is_not(0u32), round);
        body.place(done);
        for (variable, place) in variables.iter().zip(own) {
            if let (Some(variable), MemberInput::Column(column)) = (variable, place) {
                self.place.store(*column, *variable);
            }
        }
        body.line(format_args!("st.global.u32 [{left_place}], {left}"));
        body.line(format_args!("st.global.u32 [{tries_place}], {tries}"));
        if is_doubtful {
            // The same round by formulas for all numbers, out of the way.
            body.jump(self.place.end);
            body.place(careful);
            self.once_round(start, &ways, None, [replaced, tried]);
        }
        Ok(())
    }

    /// Goes round once, and on to one of two places: where inputs were replaced after a step, or for another try. Where what was computed is
    /// in doubt nothing is replaced, and another place is jumped to. Can that be?
    fn once_round(
        &mut self,
        mut before: Evaluation<'b, 'p>,
        ways: &LoopWays<'_, 'b>,
        doubtful: Option<JumpLabel>,
        [replaced, tried]: [JumpLabel; 2],
    ) -> bool {
        let body = self.body;
        let condition = self.program.outputs(self.entry)[0];
        let failed = body.label();
        let mut is_doubtful = false;
        let mut leave_if_doubtful = || {
            if let (Some(doubts), Some(label)) = (body.doubts(), doubtful) {
                body.jump_if(doubts, label);
                is_doubtful = true;
            }
        };
        before.compute(&[&[condition], ways.again].concat(), &mut self.uniforms);
        let works = before.condition(condition, &mut self.uniforms);
        leave_if_doubtful();
        body.jump_unless(works, failed);

        let mut after = before.clone();
        after.compute(ways.next, &mut self.uniforms);
        leave_if_doubtful();
        self.replace(&mut after, ways.next, ways.variables);
        body.jump(replaced);

        body.place(failed);
        self.replace(&mut before, ways.again, &ways.variables[ways.first_retried..]);
        body.jump(tried);
        is_doubtful
    }

    /// Is the value an input of the last tier?
    fn is_input(&self, value: ValueId, place: usize) -> bool {
        let last = self.layout.inputs.len() - 1;
        matches!(self.program.definition(value), ValueDefinition::Input { tier, index } if (tier, index) == (last, place))
    }

    /// Gives variables their new values, all at once.
    fn replace(&mut self, from: &mut Evaluation<'b, 'p>, values: &[ValueId], variables: &[Option<PtxNumber<'b>>]) {
        let pairs: Vec<_> = values
            .iter()
            .zip(variables)
            .filter_map(|(value, variable)| Some(((*variable)?, from.number(*value, &mut self.uniforms))))
            .collect();
        self.body.set_all(&pairs);
    }

    fn finish(self, name: &str) -> Result<ThreadKernel, KernelRefusal> {
        let count = self.uniforms.len();
        ThreadKernel::new(name, &self.place, count, KernelNumbers::Computed(self.uniforms))
    }
}

/// What takes the place of what in a loop: of the first inputs after a step, of the last ones for another try.
struct LoopWays<'a, 'b> {
    next: &'a [ValueId],
    again: &'a [ValueId],
    variables: &'a [Option<PtxNumber<'b>>],
    first_retried: usize,
}
