//! Straight lines of operations, cut out of a program.

use extremal_expr::{Function, TableFunction};
use rustc_hash::{FxHashMap, FxHashSet};

use super::dialect::{Dialect, LibraryUses};
use super::names::NameTable;
use crate::op::{Instruction, Op};
use crate::program::Program;
use crate::ssa::{ValueDefinition, ValueId};

/// What an input of a program is to formulas.
#[derive(Clone, Debug)]
pub struct ProgramInput {
    /// What it is called in the model.
    pub name: String,
    /// Where it is found.
    pub place: InputPlace,
}

/// Where formulas find a number.
#[derive(Clone, Copy, Debug)]
pub enum InputPlace {
    /// A parameter, by its place.
    Parameter(usize),
    /// Among what is given, by its place.
    Given(usize),
    /// Among the unknowns that were found, by its place.
    Found(usize),
    /// Known when the file is written.
    Number(f64),
}

/// Formulas to be written: some outputs of an entry, and where they go.
pub struct FormulaSource<'a> {
    /// The name of the formulas.
    pub name: &'a str,
    /// What they are, in a sentence.
    pub comment: &'a str,
    /// Where they come from.
    pub program: &'a Program,
    /// The entry.
    pub entry: usize,
    /// Outputs of the entry by their places, each with its place in what is written. Zeros are not written: they are there before.
    pub outputs: &'a [(usize, usize)],
    /// What the inputs of each tier are.
    pub inputs: &'a [Vec<ProgramInput>],
}

impl FormulaSource<'_> {
    /// The tables that are called.
    pub(super) fn tables(&self) -> impl Iterator<Item = TableFunction> {
        self.needed().into_iter().filter_map(|step| match step.op {
            Op::Table(function, _) => Some(function),
            _ => None,
        })
    }

    /// The instructions that the outputs need, of the entry and of the commits before it.
    fn needed(&self) -> Vec<Instruction<ValueId>> {
        let program = self.program;
        let hoisted = (0..program.tier(self.entry)).flat_map(|tier| program.hoisted_ops(tier));
        let all: Vec<Instruction<ValueId>> = hoisted.chain(program.ops(self.entry)).copied().collect();
        let mut wanted: FxHashSet<ValueId> =
            self.outputs.iter().map(|(output, _)| program.outputs(self.entry)[*output]).collect();
        let mut needed = Vec::new();
        for Instruction { to, op } in all.into_iter().rev() {
            // Of sine and cosine one may be enough.
            let step = match op {
                Op::SinCos { argument, cosine } if !wanted.contains(&cosine) => {
                    Instruction { to, op: Op::Call(Function::Sin, argument) }
                }
                Op::SinCos { argument, cosine } if !wanted.contains(&to) => {
                    Instruction { to: cosine, op: Op::Call(Function::Cos, argument) }
                }
                _ => Instruction { to, op },
            };
            if wanted.contains(&step.to) {
                step.op.for_each_operand(|operand| {
                    wanted.insert(operand);
                });
                needed.push(step);
            }
        }
        needed.reverse();
        needed
    }

    /// How many operations are written.
    pub fn operations(&self) -> usize {
        self.needed().len()
    }

    /// Are all outputs zero, so that nothing is written?
    pub fn writes_nothing(&self) -> bool {
        self.outputs.iter().all(|(output, _)| self.is_zero(self.program.outputs(self.entry)[*output]))
    }

    fn is_zero(&self, value: ValueId) -> bool {
        matches!(self.program.definition(value), ValueDefinition::Constant(0.0))
    }

    /// Which of the numbers that are given, and of the unknowns that were found, are read.
    pub fn reads(&self) -> (Vec<usize>, Vec<usize>) {
        let (mut given, mut found) = (Vec::new(), Vec::new());
        let mut see = |value: ValueId| {
            if let ValueDefinition::Input { tier, index } = self.program.definition(value) {
                match self.inputs[tier][index].place {
                    InputPlace::Given(at) => given.push(at),
                    InputPlace::Found(at) => found.push(at),
                    InputPlace::Parameter(_) | InputPlace::Number(_) => {}
                }
            }
        };
        self.needed().iter().for_each(|step| step.op.for_each_operand(&mut see));
        self.outputs.iter().for_each(|(output, _)| see(self.program.outputs(self.entry)[*output]));
        (given, found)
    }

    /// The formulas in a language; `fields` are the names of the parameters.
    pub(super) fn write(&self, dialect: &dyn Dialect, fields: &[(String, f64)], uses: &mut LibraryUses) -> Vec<String> {
        let mut writer = LineWriter {
            source: self,
            dialect,
            fields,
            names: NameTable::new(dialect.reserved()),
            texts: FxHashMap::default(),
            lines: Vec::new(),
            used: [false; 4],
        };
        for step in self.needed() {
            writer.instruction(step, uses);
        }
        for (output, place) in self.outputs {
            let value = self.program.outputs(self.entry)[*output];
            if !self.is_zero(value) {
                writer.used[3] = true;
                let text = writer.text(value);
                writer.lines.push(dialect.assign("out", *place, &text));
            }
        }
        let mut lines = dialect.formulas(self.name, writer.used);
        lines.extend(writer.lines.into_iter().map(|line| format!("    {line}")));
        lines
    }
}

struct LineWriter<'a, 'd> {
    source: &'a FormulaSource<'a>,
    dialect: &'d dyn Dialect,
    fields: &'a [(String, f64)],
    names: NameTable,
    /// What values are called.
    texts: FxHashMap<ValueId, String>,
    lines: Vec<String>,
    /// Are parameters, what is given, what was found and what is written used?
    used: [bool; 4],
}

impl LineWriter<'_, '_> {
    /// What a value is called. An input gets its name where it is first used.
    fn text(&mut self, value: ValueId) -> String {
        if let Some(text) = self.texts.get(&value) {
            return text.clone();
        }
        let text = match self.source.program.definition(value) {
            ValueDefinition::Constant(number) => self.dialect.number(number),
            ValueDefinition::Computed(_) => format!("w{}", value.index()),
            ValueDefinition::Input { tier, index } => {
                let input = &self.source.inputs[tier][index];
                let (kind, element) = match input.place {
                    InputPlace::Number(number) => return self.dialect.number(number),
                    InputPlace::Parameter(at) => (0, self.dialect.parameter(&self.fields[at].0)),
                    InputPlace::Given(at) => (1, self.dialect.element("given", at)),
                    InputPlace::Found(at) => (2, self.dialect.element("found", at)),
                };
                self.used[kind] = true;
                let name = self.names.take(&input.name);
                self.lines.push(self.dialect.bind(&name, &element));
                name
            }
        };
        self.texts.insert(value, text.clone());
        text
    }

    fn instruction(&mut self, Instruction { to, op }: Instruction<ValueId>, uses: &mut LibraryUses) {
        let name = self.text(to);
        let line = match op {
            Op::SinCos { argument, cosine } => {
                let (argument, cosine) = (self.text(argument), self.text(cosine));
                self.dialect.bind_sines(&name, &cosine, &argument, uses)
            }
            op => {
                let mut texts = Vec::new();
                let places = op.map(|operand| {
                    texts.push(self.text(operand));
                    texts.len() - 1
                });
                let written = self.dialect.operation(places.map(|at| texts[at].as_str()), uses);
                self.dialect.bind(&name, &written)
            }
        };
        self.lines.push(line);
    }
}
