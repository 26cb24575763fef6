//! Graph nodes to operations.

use extremal_expr::{Graph, Id, Node, Rational};
use rustc_hash::FxHashMap;

use crate::arithmetic::Signed;
use crate::op::Op;
use crate::program::{CompileError, EntryPoint};
use crate::ssa::{ValueId, ValueTable};

/// Lowers all outputs of all entries into one set of values. `names` are symbols that stand for expressions, which may use the
/// names before them.
pub(crate) fn lower(
    graph: &Graph,
    inputs: &[Vec<Id>],
    names: &[(Id, Id)],
    entries: &[EntryPoint],
) -> Result<(ValueTable, Vec<Vec<ValueId>>), CompileError> {
    let mut lowering = ProgramLowering {
        graph,
        values: ValueTable::default(),
        of_node: FxHashMap::default(),
        opposite: FxHashMap::default(),
    };
    for (tier, symbols) in inputs.iter().enumerate() {
        for (index, symbol) in symbols.iter().enumerate() {
            let Some(name) = graph.expr(*symbol).as_symbol() else {
                return Err(CompileError::InputNotSymbol { tier, index });
            };
            let value = lowering.values.input(tier, index);
            if lowering.of_node.insert(*symbol, value).is_some() {
                return Err(CompileError::DuplicateInput { name: name.to_string() });
            }
        }
    }
    for (name, expression) in names {
        lowering.reach(&[*expression])?;
        let value = lowering.of_node[expression];
        lowering.of_node.insert(*name, value);
    }
    let roots: Vec<Id> = entries.iter().flat_map(|entry| &entry.outputs).copied().collect();
    lowering.reach(&roots)?;
    let mut outputs = Vec::with_capacity(entries.len());
    for (at, entry) in entries.iter().enumerate() {
        if entry.tier >= inputs.len() {
            return Err(CompileError::NoSuchTier { entry: at, tier: entry.tier, tiers: inputs.len() });
        }
        let values: Vec<ValueId> = entry.outputs.iter().map(|id| lowering.of_node[id]).collect();
        for (output, value) in values.iter().enumerate() {
            if let Some(needs) = lowering.values.level(*value).tier()
                && needs > entry.tier
            {
                return Err(CompileError::OutputTooEarly { entry: at, output, tier: entry.tier, needs });
            }
        }
        outputs.push(values);
    }
    Ok((lowering.values, outputs))
}

pub(crate) struct ProgramLowering<'g> {
    pub graph: &'g Graph,
    pub values: ValueTable,
    pub of_node: FxHashMap<Id, ValueId>,
    /// Nodes whose opposite was cheaper to make, with that opposite: sums and products take it with the other sign.
    pub opposite: FxHashMap<Id, ValueId>,
}

impl ProgramLowering<'_> {
    /// Lowers everything that `roots` are made of.
    fn reach(&mut self, roots: &[Id]) -> Result<(), CompileError> {
        for id in self.graph.reachable(roots) {
            if !self.of_node.contains_key(&id) {
                let value = self.node(id)?;
                self.of_node.insert(id, value);
            }
        }
        Ok(())
    }

    fn node(&mut self, id: Id) -> Result<ValueId, CompileError> {
        let of = |id: &Id| self.of_node[id];
        let op = match &self.graph.expr(id).node() {
            Node::Number(number) => return Ok(self.values.constant(number.to_f64())),
            Node::Pi => return Ok(self.values.constant(std::f64::consts::PI)),
            Node::Truth(holds) => return Ok(self.values.constant(if *holds { 1.0 } else { 0.0 })),
            Node::Symbol(name) => return Err(CompileError::UnboundSymbol { name: name.to_string() }),
            Node::Sum { constant, terms } => {
                let Signed { value, negative } = self.sum(constant, terms);
                if !negative {
                    return Ok(value);
                }
                self.opposite.insert(id, value);
                Op::Neg(value)
            }
            Node::Product(factors) => return Ok(self.product(factors, &Rational::ONE)),
            Node::Root(a, 2) => Op::Sqrt(of(a)),
            Node::Root(a, q) => Op::Pow(of(a), self.values.constant(1.0 / f64::from(*q))),
            Node::Power(a, b) => Op::Pow(of(a), of(b)),
            Node::Call(function, a) => Op::Call(*function, of(a)),
            Node::Table(function, a) => Op::Table(*function, of(a)),
            Node::Call2(function, a, b) => Op::Call2(*function, of(a), of(b)),
            Node::Select(c, a, b) => Op::Select(of(c), of(a), of(b)),
            Node::Grouped(a) => return Ok(of(a)),
            Node::Compare(comparison, a, b) => Op::Compare(*comparison, of(a), of(b)),
            Node::And(a, b) => Op::And(of(a), of(b)),
            Node::Or(a, b) => Op::Or(of(a), of(b)),
            Node::Not(a) => Op::Not(of(a)),
        };
        Ok(self.values.compute(op))
    }
}
