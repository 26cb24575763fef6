//! Small programs between the large ones: formulas of columns, each a kernel.

use extremal_device::DeviceError;
use extremal_eval::ptx::{KernelRefusal, MemberInput};
use extremal_eval::{EntryPoint, Program};
use extremal_expr::{Expr, Function2, Graph, Id, Relation};

use super::WideRefusal;
use super::table::{MemberTable, TableKernel, TableKernels};

/// A kernel under construction, whose formulas are of columns, of numbers, and of numbers that are given when it runs.
pub struct TableFormulas<'g> {
    g: &'g Graph,
    inputs: Vec<Id>,
    places: Vec<MemberInput>,
    /// The numbers in the places that are the same for all members.
    values: Vec<f64>,
    /// Where the numbers stand that are given later.
    given: Vec<usize>,
    names: Vec<(Id, Id)>,
    outputs: Vec<(Id, usize)>,
    zero: Expr<'g>,
    always: Expr<'g>,
}

/// Such a kernel.
#[derive(Clone)]
pub struct FormulaKernel {
    kernel: TableKernel,
    values: Vec<f64>,
    given: Vec<usize>,
}

impl<'g> TableFormulas<'g> {
    /// Nothing yet.
    pub fn new(g: &'g Graph) -> TableFormulas<'g> {
        let mut formulas = TableFormulas {
            g,
            inputs: Vec::new(),
            places: Vec::new(),
            values: Vec::new(),
            given: Vec::new(),
            names: Vec::new(),
            outputs: Vec::new(),
            zero: g.int(0),
            always: g.int(1),
        };
        formulas.zero = formulas.number(0.0);
        let one = formulas.number(1.0);
        formulas.always = g.compare(Relation::Lt, formulas.zero, one);
        formulas
    }

    /// The graph of the formulas.
    pub fn graph(&self) -> &'g Graph {
        self.g
    }

    /// What stands in a column.
    pub fn column(&mut self, column: usize) -> Expr<'g> {
        self.input(&format!("column {column}"), MemberInput::Column(column), f64::NAN)
    }

    /// What stands in some columns.
    pub fn columns(&mut self, columns: impl IntoIterator<Item = usize>) -> Vec<Expr<'g>> {
        columns.into_iter().map(|column| self.column(column)).collect()
    }

    /// A number of which nothing is known: no formula is simplified by its value.
    pub fn number(&mut self, value: f64) -> Expr<'g> {
        self.input(&format!("number {:x}", value.to_bits()), MemberInput::Uniform, value)
    }

    /// A number that is given when the kernel runs, in the order in which they are asked for.
    pub fn given(&mut self) -> Expr<'g> {
        self.given.push(self.inputs.len());
        self.input(&format!("given {}", self.given.len()), MemberInput::Uniform, f64::NAN)
    }

    /// Zero, as a number.
    pub fn zero(&self) -> Expr<'g> {
        self.zero
    }

    fn input(&mut self, name: &str, place: MemberInput, value: f64) -> Expr<'g> {
        let symbol = self.g.symbol(name);
        if !self.inputs.contains(&symbol.id()) {
            self.inputs.push(symbol.id());
            self.places.push(place);
            self.values.push(value);
        }
        symbol
    }

    /// The expression as one number, through which nothing is simplified.
    pub fn named(&mut self, e: Expr<'g>) -> Expr<'g> {
        let symbol = self.g.symbol(&format!("name {}", self.names.len()));
        self.names.push((symbol.id(), e.id()));
        symbol
    }

    /// A product that is rounded before anything is added to it.
    pub fn rounded(&mut self, product: Expr<'g>) -> Expr<'g> {
        let whole = self.named(product);
        self.named(self.g.select(self.always, whole, self.zero))
    }

    /// The larger one; no number if one of them is none.
    pub fn larger(&self, a: Expr<'g>, b: Expr<'g>) -> Expr<'g> {
        self.g.call2(Function2::Max, a, b)
    }

    /// The largest magnitude of these.
    pub fn norm(&self, values: &[Expr<'g>]) -> Expr<'g> {
        values.iter().fold(self.zero, |norm, value| self.larger(norm, value.abs()))
    }

    /// Does `a <= b` hold?
    pub fn at_most(&self, a: Expr<'g>, b: Expr<'g>) -> Expr<'g> {
        self.g.compare(Relation::Le, a, b)
    }

    /// Does `a < b` hold?
    pub fn below(&self, a: Expr<'g>, b: Expr<'g>) -> Expr<'g> {
        self.g.compare(Relation::Lt, a, b)
    }

    /// Are these finite?
    pub fn are_finite(&mut self, values: &[Expr<'g>]) -> Expr<'g> {
        let most = self.number(f64::MAX);
        self.all(values.iter().map(|value| self.at_most(value.abs(), most)))
    }

    /// Do all of these hold?
    pub fn all(&self, conditions: impl IntoIterator<Item = Expr<'g>>) -> Expr<'g> {
        conditions.into_iter().fold(self.always, |all, condition| self.g.and(all, condition))
    }

    /// Does a column say so?
    pub fn is_set(&mut self, column: usize) -> Expr<'g> {
        let flag = self.column(column);
        self.g.compare(Relation::Ne, flag, self.zero)
    }

    /// Puts a value into a column.
    pub fn put(&mut self, column: usize, value: Expr<'g>) {
        self.outputs.push((value.id(), column));
    }

    /// Puts a condition into a column, as one or zero.
    pub fn put_condition(&mut self, column: usize, condition: Expr<'g>) {
        let flag = self.g.select(condition, self.g.int(1), self.g.int(0));
        self.put(column, flag);
    }

    /// Leaves a column set where the condition holds too.
    pub fn keep_set(&mut self, column: usize, condition: Expr<'g>) {
        let before = self.is_set(column);
        self.put_condition(column, self.g.and(before, condition));
    }

    /// The kernel.
    ///
    /// # Errors
    /// There is none of these formulas.
    pub fn kernel(self, kernels: &mut TableKernels) -> Result<FormulaKernel, WideRefusal> {
        let TableFormulas { g, inputs, places, values, given, names, outputs, .. } = self;
        let (outputs, columns): (Vec<Id>, Vec<usize>) = outputs.into_iter().unzip();
        let entry = EntryPoint { tier: 0, outputs };
        let program = Program::compile_with_names(g, &[inputs], &names, &[entry])?;
        let columns = columns.into_iter().map(Some).collect();
        let kernel: Result<TableKernel, KernelRefusal> = kernels.entry(&program, 0, vec![places], columns);
        Ok(FormulaKernel { kernel: kernel?, values, given })
    }
}

impl FormulaKernel {
    /// Runs it for the first `count` members with the numbers that are given.
    ///
    /// # Errors
    /// The device fails.
    pub fn run(&self, table: &mut MemberTable<'_>, count: usize, given: &[f64]) -> Result<(), DeviceError> {
        let mut values = self.values.clone();
        self.given.iter().zip(given).for_each(|(at, value)| values[*at] = *value);
        table.run(self.kernel, count, &[&values])
    }
}
