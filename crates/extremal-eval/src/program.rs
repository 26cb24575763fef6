//! What is compiled, and what can be asked about it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use extremal_expr::{Graph, Id};
use thiserror::Error;

use crate::lower::lower;
use crate::machine::Machine;
use crate::native::Native;
use crate::op::Instruction;
use crate::schedule::{CodeBlock, schedule};
use crate::slots::{MemoryLayout, MemorySlot, assign};
use crate::ssa::{ValueDefinition, ValueId};
use crate::wide_tape::BLOCK;

/// An entry point to be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPoint {
    /// The tier whose inputs are set just before the entry is run; inputs of later tiers may not occur in it.
    pub tier: usize,
    /// What it computes. A condition gives 1 or 0.
    pub outputs: Vec<Id>,
}

/// Why expressions could not be compiled.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CompileError {
    /// An output contains a symbol that is no input.
    #[error("`{name}` has no value: it is not among the inputs")]
    UnboundSymbol {
        /// The symbol.
        name: String,
    },
    /// A symbol is listed twice among the inputs.
    #[error("the input `{name}` is listed twice")]
    DuplicateInput {
        /// The symbol.
        name: String,
    },
    /// An input is not a symbol.
    #[error("input {index} of tier {tier} is not a symbol")]
    InputNotSymbol {
        /// The tier of the input.
        tier: usize,
        /// Its place in the tier.
        index: usize,
    },
    /// An entry belongs to a tier that has no inputs list.
    #[error("entry {entry} belongs to tier {tier}, but there are {tiers} tiers")]
    NoSuchTier {
        /// The entry.
        entry: usize,
        /// The tier it names.
        tier: usize,
        /// How many tiers there are.
        tiers: usize,
    },
    /// A loop hands on more values than its tier has inputs.
    #[error("a loop cannot replace {inputs} inputs by {outputs} outputs")]
    NotALoop {
        /// Its outputs.
        outputs: usize,
        /// The inputs of its tier.
        inputs: usize,
    },
    /// An output of an entry needs inputs of a later tier.
    #[error("output {output} of entry {entry} needs inputs of tier {needs}, later than its tier {tier}")]
    OutputTooEarly {
        /// The entry.
        entry: usize,
        /// The place of the output in it.
        output: usize,
        /// The tier of the entry.
        tier: usize,
        /// The tier the output needs.
        needs: usize,
    },
}

/// How the outputs of the only entry of a program become inputs again: a condition, `carried` of them where it holds, `retried` of
/// them where it does not.
#[derive(Clone, Copy)]
pub(crate) struct Feedback {
    /// The first input that is replaced, and the first that is replaced for another try.
    pub first: usize,
    pub first_retried: usize,
    pub carried: usize,
    pub retried: usize,
    /// So many of the first inputs that are replaced can be written to a trace in every round.
    pub traced: usize,
}

/// An input that is the same in all lanes: what another input is in one of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spread {
    /// The input.
    pub symbol: Id,
    /// The input it is taken from.
    pub of: Id,
    /// The lane.
    pub lane: usize,
    /// Where there are fewer lanes: the first of inputs that all such numbers are given in, one after the other.
    pub given: Option<Id>,
}

/// The same by places in memory.
#[cfg_attr(
    not(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "native")),
    expect(dead_code, reason = "what is interpreted takes these numbers from inputs of their own")
)]
#[derive(Clone, Copy)]
pub(crate) struct SpreadSlot {
    pub slot: MemorySlot,
    pub of: MemorySlot,
    pub lane: usize,
    pub given: Option<MemorySlot>,
}

/// How a program is repeated.
#[derive(Default)]
struct Looping {
    feedback: Option<Feedback>,
    converging: usize,
    spreads: Vec<SpreadSlot>,
}

/// Most rounds that are traced in one go.
pub const TRACE_ROUNDS: usize = 256;

/// The distance between the columns of a trace: not a multiple of a page, so that they do not compete for the same cache lines.
pub const TRACE_STRIDE: usize = TRACE_ROUNDS + 8;

/// So often is a round of a loop tried in all.
pub const TRIES: u32 = 4;

/// What runs a program. All give the same bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Backend {
    /// The interpreter, on every machine.
    Tape,
    /// Machine code for x86-64 with AVX2 and FMA.
    Avx2,
    /// Machine code for x86-64 with AVX-512 (F, DQ and VL).
    Avx512,
    /// Machine code for aarch64.
    Neon,
}

impl Backend {
    /// Those that are machine code, on one processor or another; the fastest first.
    pub const EMITTED: [Backend; 3] = [Backend::Avx512, Backend::Avx2, Backend::Neon];

    /// In the order in which they are tried.
    pub(crate) const FASTEST_FIRST: [Backend; 4] = [Backend::Avx512, Backend::Avx2, Backend::Neon, Backend::Tape];
}

/// How much work a call does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpCounts {
    /// Instructions per run of the entry.
    pub operations: usize,
    /// Those among them that call the mathematics library.
    pub transcendental: usize,
    /// Instructions per commit of each tier, shared by all entries.
    pub hoisted: Vec<usize>,
}

/// A compiled straight-line program. Cheap to clone and to share between threads; [`machine`](Program::machine) makes the
/// memory to run it.
#[derive(Clone)]
pub struct Program {
    pub(crate) code: Arc<ProgramCode>,
}

/// What machine code is made of.
#[cfg_attr(
    not(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "native")),
    expect(dead_code, reason = "nothing is made of it where there is none")
)]
pub(crate) struct NativeSource<'a> {
    pub commits: &'a [CodeBlock],
    pub entries: Vec<(&'a CodeBlock, &'a [ValueId])>,
    /// Places of inputs, constants and kept values.
    pub fixed: &'a [MemorySlot],
    pub first_free: usize,
    /// How outputs become inputs again, where it is a loop.
    pub feedback: Option<Feedback>,
    /// So many entries are repeated until they converge, and replace the inputs from this one on.
    pub converging: usize,
    pub first_converging: usize,
    /// Places that are read from a lane of another.
    pub spreads: &'a [SpreadSlot],
}

/// Everything a machine needs to know.
pub(crate) struct ProgramCode {
    definitions: Vec<ValueDefinition>,
    hoisted: Vec<CodeBlock>,
    entries: Vec<EntryCode>,
    pub layout: MemoryLayout,
    /// Per tier, the instructions of [`Machine::commit`].
    pub commit_tapes: Vec<Vec<Instruction<MemorySlot>>>,
    /// How outputs become inputs again, where it is a loop.
    pub feedback: Option<Feedback>,
    /// So many entries are repeated until they converge.
    pub converging: usize,
    spreads: Vec<SpreadSlot>,
    /// Machine code, where there is any.
    pub native: Option<Arc<Native>>,
}

pub(crate) struct EntryCode {
    pub tier: usize,
    block: CodeBlock,
    outputs: Vec<ValueId>,
    pub tape: Vec<Instruction<MemorySlot>>,
    pub output_slots: Vec<MemorySlot>,
}

impl ProgramCode {
    pub fn entry(&self, entry: usize) -> &EntryCode {
        &self.entries[entry]
    }

    #[inline]
    pub fn inputs(&self, tier: usize) -> Range<usize> {
        self.layout.inputs[tier].clone()
    }

    /// Are there enough lanes for the inputs that are lanes of others?
    pub fn has_lanes(&self, lanes: usize) -> bool {
        lanes > 1 && self.spreads.iter().all(|spread| spread.lane < lanes)
    }

    /// Inputs that are read from elsewhere where there are so many lanes.
    fn spreads_among(&self, lanes: usize) -> Vec<SpreadSlot> {
        let end = self.layout.inputs.last().map_or(0, |inputs| inputs.end);
        let given = |spread: &SpreadSlot| {
            let first = spread.given.filter(|first| *first as usize + spread.lane / lanes < end);
            first.map(|of| SpreadSlot { of, ..*spread })
        };
        match lanes {
            1 => Vec::new(),
            _ if self.has_lanes(lanes) => self.spreads.clone(),
            _ => self.spreads.iter().filter_map(given).collect(),
        }
    }

    /// Machine code for a backend, if this machine can run it.
    fn native_on(&self, backend: Backend, lanes: usize) -> Option<Arc<Native>> {
        let blocks = NativeSource {
            commits: &self.hoisted,
            entries: self.entries.iter().map(|entry| (&entry.block, &entry.outputs[..])).collect(),
            fixed: &self.layout.fixed,
            first_free: self.layout.first_temporary,
            feedback: self.feedback,
            converging: if self.has_lanes(lanes) { self.converging } else { 0 },
            first_converging: self.layout.inputs.last().map_or(0, |inputs| inputs.start),
            spreads: &self.spreads_among(lanes),
        };
        Native::compile(&blocks, backend, lanes).map(Arc::new)
    }
}

impl Program {
    /// Compiles `entries`. `inputs` lists the symbols that get values, per tier, slowest changing first.
    ///
    /// An output may be anything: a number, an input, something an earlier tier already determines.
    pub fn compile(graph: &Graph, inputs: &[Vec<Id>], entries: &[EntryPoint]) -> Result<Program, CompileError> {
        Self::compile_with_names(graph, inputs, &[], entries)
    }

    /// The same with `names`: symbols that stand for expressions, which may use inputs and the names before them. Each is computed as
    /// it is written, whatever it is used in.
    pub fn compile_with_names(
        graph: &Graph,
        inputs: &[Vec<Id>],
        names: &[(Id, Id)],
        entries: &[EntryPoint],
    ) -> Result<Program, CompileError> {
        Self::build(graph, inputs, names, entries, Looping::default())
    }

    /// Compiles a program that is a loop ([`Machine::repeat`]): as long as `condition` holds, `next` replaces the first
    /// inputs of the last tier. Where it does not hold, the round is tried a few times with `again` in place of the last
    /// inputs. `names` are symbols that stand for expressions, which may use inputs
    /// and the names before them: each is computed as it is written, whatever it is used in.
    ///
    /// ```
    /// use extremal_eval::Program;
    /// use extremal_expr::{Relation, Graph};
    ///
    /// // Heron's rule for the root of a, until the square is near enough.
    /// let g = Graph::new();
    /// let (a, x, next) = (g.symbol("a"), g.symbol("x"), g.symbol("next"));
    /// let far = g.compare(Relation::Lt, g.int(1) / 1000, (x.powi(2) - a).abs());
    /// let names = [(next.id(), ((x + a / x) / 2).id())];
    /// let rule = Program::looping(&g, &[vec![a.id()], vec![x.id()]], &names, far.id(), &[next.id()], &[])?;
    ///
    /// let mut machine = rule.machine();
    /// machine.inputs_mut(0)[0] = 2.0;
    /// machine.commit(0);
    /// machine.inputs_mut(1)[0] = 1.0;
    /// assert_eq!(machine.repeat(100), 3);
    /// assert!((machine.inputs(1)[0] - 2f64.sqrt()).abs() < 1e-5);
    /// # Ok::<(), extremal_eval::CompileError>(())
    /// ```
    pub fn looping(
        graph: &Graph,
        inputs: &[Vec<Id>],
        names: &[(Id, Id)],
        condition: Id,
        next: &[Id],
        again: &[Id],
    ) -> Result<Program, CompileError> {
        Self::traced_looping(graph, inputs, names, condition, next, again, 0)
    }

    /// The same where the first `traced` of the inputs that are replaced can be written down in every round
    /// ([`Machine::repeat_traced`]).
    pub fn traced_looping(
        graph: &Graph,
        inputs: &[Vec<Id>],
        names: &[(Id, Id)],
        condition: Id,
        next: &[Id],
        again: &[Id],
        traced: usize,
    ) -> Result<Program, CompileError> {
        let own: usize = inputs.last().map_or(0, Vec::len);
        let outputs = next.len().max(again.len());
        if outputs > own || inputs.is_empty() {
            return Err(CompileError::NotALoop { outputs, inputs: own });
        }
        let end: usize = inputs.iter().map(Vec::len).sum();
        let feedback = Feedback {
            first: end - own,
            first_retried: end - again.len(),
            carried: next.len(),
            retried: again.len(),
            traced: traced.min(next.len()),
        };
        let entry = EntryPoint { tier: inputs.len() - 1, outputs: [&[condition], next, again].concat() };
        Self::build(graph, inputs, names, &[entry], Looping { feedback: Some(feedback), ..Looping::default() })
    }

    /// Compiles a program whose lanes know of each other: `spreads` are inputs that are, in every lane, what another input is in one
    /// of them. Its entries are repeated ([`Machine::converge`]): the outputs of each are a condition and what replaces
    /// the first inputs of the last tier, until the condition holds in all lanes.
    ///
    /// A machine with fewer lanes than that is given those inputs like all others, or those they are `given` in, and is not repeated.
    ///
    /// ```
    /// use extremal_eval::{EntryPoint, Program, Spread};
    /// use extremal_expr::{Relation, Graph};
    ///
    /// // Every lane goes half of the way to what lane 2 is, until all are near.
    /// let g = Graph::new();
    /// let (x, second) = (g.symbol("x"), g.symbol("second"));
    /// let near = g.compare(Relation::Lt, (x - second).abs(), g.int(1) / 1000);
    /// let halfway = EntryPoint { tier: 0, outputs: vec![near.id(), ((x + second) / 2).id()] };
    /// let spread = Spread { symbol: second.id(), of: x.id(), lane: 2, given: None };
    /// let program = Program::converging(&g, &[vec![x.id(), second.id()]], &[], &[spread], &[halfway])?;
    ///
    /// if let Some(mut lanes) = program.lane_machine(4) {
    ///     lanes.inputs_mut(0)[..4].copy_from_slice(&[0.0, 1.0, 2.0, 3.0]);
    ///     assert_eq!(lanes.converge(0, 100), Some(12));
    ///     assert_eq!(lanes.inputs(0)[2], 2.0);
    ///     assert!(lanes.inputs(0)[..4].iter().all(|x| (x - 2.0).abs() < 1e-3));
    /// }
    /// # Ok::<(), extremal_eval::CompileError>(())
    /// ```
    pub fn converging(
        graph: &Graph,
        inputs: &[Vec<Id>],
        names: &[(Id, Id)],
        spreads: &[Spread],
        entries: &[EntryPoint],
    ) -> Result<Program, CompileError> {
        let own: usize = inputs.last().map_or(0, Vec::len);
        for entry in entries {
            let outputs = entry.outputs.len();
            if outputs == 0 || outputs - 1 > own || entry.tier + 1 != inputs.len() {
                return Err(CompileError::NotALoop { outputs, inputs: own });
            }
        }
        let all: Vec<Id> = inputs.iter().flatten().copied().collect();
        let place = |symbol: Id| {
            let unknown = || CompileError::UnboundSymbol { name: graph.expr(symbol).to_string() };
            all.iter().position(|other| *other == symbol).map(|at| at as MemorySlot).ok_or_else(unknown)
        };
        let place = |spread: &Spread| -> Result<SpreadSlot, CompileError> {
            let given = spread.given.map(place).transpose()?;
            Ok(SpreadSlot { slot: place(spread.symbol)?, of: place(spread.of)?, lane: spread.lane, given })
        };
        let spreads: Vec<SpreadSlot> = spreads.iter().map(place).collect::<Result<_, _>>()?;
        Self::build(graph, inputs, names, entries, Looping { converging: entries.len(), spreads, ..Looping::default() })
    }

    fn build(
        graph: &Graph,
        inputs: &[Vec<Id>],
        names: &[(Id, Id)],
        entries: &[EntryPoint],
        rounds: Looping,
    ) -> Result<Program, CompileError> {
        let (values, outputs) = lower(graph, inputs, names, entries)?;
        let schedule = schedule(&values, inputs.len(), entries, &outputs);
        let input_counts: Vec<usize> = inputs.iter().map(Vec::len).collect();
        let tapes = assign(&values, &input_counts, &schedule, &outputs);
        let entries = entries
            .iter()
            .zip(schedule.entries)
            .zip(outputs)
            .zip(tapes.entries)
            .map(|(((entry, block), outputs), (tape, output_slots))| EntryCode {
                tier: entry.tier,
                block,
                outputs,
                tape,
                output_slots,
            })
            .collect();
        let mut code = ProgramCode {
            feedback: rounds.feedback,
            converging: rounds.converging,
            spreads: rounds.spreads,
            native: None,
            definitions: values.into_definitions(),
            hoisted: schedule.hoisted,
            entries,
            layout: tapes.layout,
            commit_tapes: tapes.commits,
        };
        code.native = Backend::EMITTED.into_iter().find_map(|backend| code.native_on(backend, 1));
        Ok(Program { code: Arc::new(code) })
    }

    /// New memory to run the program in, by the fastest means there is. Inputs, and what is computed from them at a commit, are
    /// NaN until they are set.
    pub fn machine(&self) -> Machine {
        Machine::new(self.code.clone(), self.code.native.clone(), 1)
    }

    /// The same for a given backend; `None` where it is not available.
    pub fn machine_on(&self, backend: Backend) -> Option<Machine> {
        let native = match &self.code.native {
            _ if backend == Backend::Tape => None,
            Some(native) if native.backend() == backend => Some(native.clone()),
            _ => Some(self.code.native_on(backend, 1)?),
        };
        Some(Machine::new(self.code.clone(), native, 1))
    }

    /// New memory to run the program so many times side by side, by the fastest means there is: 4, 8 or 16 times in machine code, 64 times
    /// on every machine. `None` for other numbers, and for programs that try rounds again.
    pub fn lane_machine(&self, lanes: usize) -> Option<Machine> {
        Backend::FASTEST_FIRST.into_iter().find_map(|backend| self.lane_machine_on(backend, lanes))
    }

    /// The same for a given backend.
    pub fn lane_machine_on(&self, backend: Backend, lanes: usize) -> Option<Machine> {
        if lanes == 1 || self.code.feedback.is_some_and(|feedback| feedback.retried > 0) {
            return None;
        }
        let native = match backend {
            Backend::Tape if lanes == BLOCK => None,
            Backend::Tape => return None,
            _ => Some(self.code.native_on(backend, lanes)?),
        };
        Some(Machine::new(self.code.clone(), native, lanes))
    }

    /// How many tiers of inputs there are.
    pub fn tiers(&self) -> usize {
        self.code.layout.inputs.len()
    }

    /// How many entries there are.
    pub fn entries(&self) -> usize {
        self.code.entries.len()
    }

    /// The tier of an entry.
    pub fn tier(&self, entry: usize) -> usize {
        self.code.entry(entry).tier
    }

    /// The instructions one run of the entry executes, in order.
    pub fn ops(&self, entry: usize) -> &[Instruction<ValueId>] {
        &self.code.entry(entry).block.steps
    }

    /// The outputs of the entry.
    pub fn outputs(&self, entry: usize) -> &[ValueId] {
        &self.code.entry(entry).outputs
    }

    /// The instructions a commit of the tier executes, in order.
    pub fn hoisted_ops(&self, tier: usize) -> &[Instruction<ValueId>] {
        &self.code.hoisted[tier].steps
    }

    /// The values a commit of the tier leaves for later tiers.
    pub fn kept(&self, tier: usize) -> &[ValueId] {
        &self.code.hoisted[tier].results
    }

    /// Where a value comes from.
    pub fn definition(&self, value: ValueId) -> ValueDefinition {
        self.code.definitions[value.index()]
    }

    /// Memory slots a machine of the tape needs.
    pub fn memory(&self) -> usize {
        self.code.layout.len
    }

    /// The work of an entry, and of the commits.
    pub fn counts(&self, entry: usize) -> OpCounts {
        let ops = self.ops(entry);
        OpCounts {
            operations: ops.len(),
            transcendental: ops.iter().filter(|step| step.op.is_transcendental()).count(),
            hoisted: self.code.hoisted.iter().map(|block| block.steps.len()).collect(),
        }
    }

    fn name(&self, value: ValueId) -> String {
        match self.definition(value) {
            ValueDefinition::Constant(number) => format!("{number:?}"),
            ValueDefinition::Input { tier, index } => format!("in{tier}.{index}"),
            ValueDefinition::Computed(_) => format!("v{}", value.0),
        }
    }

    fn list(&self, f: &mut fmt::Formatter<'_>, steps: &[Instruction<ValueId>]) -> fmt::Result {
        for Instruction { to, op } in steps {
            write!(f, "  {}", self.name(*to))?;
            if let Some(second) = op.second_result() {
                write!(f, ", {}", self.name(second))?;
            }
            write!(f, " = {}", op.name())?;
            let mut operands = Vec::new();
            op.for_each_operand(|operand| operands.push(self.name(operand)));
            writeln!(f, " {}", operands.join(", "))?;
        }
        Ok(())
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (tier, block) in self.code.hoisted.iter().enumerate() {
            writeln!(f, "commit {tier}:")?;
            self.list(f, &block.steps)?;
        }
        for (at, entry) in self.code.entries.iter().enumerate() {
            writeln!(f, "entry {at} (tier {}):", entry.tier)?;
            self.list(f, &entry.block.steps)?;
            let outputs: Vec<_> = entry.outputs.iter().map(|value| self.name(*value)).collect();
            writeln!(f, "  -> {}", outputs.join(", "))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Program {{ tiers: {}, entries: {}, memory: {} }}", self.tiers(), self.entries(), self.memory())
    }
}
