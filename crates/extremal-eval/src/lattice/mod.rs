//! Computations whose members, but for a few at both ends, are shifts of one another: found in a small instance, run at any size.
//!
//! `shapes` tells which values are shifts of one another, `plan` makes loops of the member that all others repeat, `body` has
//! these loops with places for their values, and `loops_memory` runs them over pieces that fit the cache; `ends` has the first and the
//! last members as ordinary programs. `machine` is all this for one application, `recurrence` for many, with what `carried` finds
//! that goes from one to the next and `sums`, which are made in the same loops.

pub(crate) mod body;
mod carried;
mod ends;
mod loop_machine;
mod machine;
mod plan;
mod recurrence;
mod shapes;
mod sums;
mod totals;

use std::collections::BTreeMap;
use std::sync::Arc;

use extremal_expr::{Expr, Graph, Id};
use rustc_hash::FxHashMap;

use crate::op::Instruction;
use crate::program::{CompileError, EntryPoint, Program};
use crate::slots::MemorySlot;
use crate::ssa::{ValueDefinition, ValueId};

use plan::{GivenValues, LoopOperand, LoopPlan, WantedValues};
use shapes::{Located, ShapeId, Shapes, Shifted, ValueShape};

pub use machine::{LatticeMachine, NotFinite};
pub use recurrence::{LatticeRecurrence, RecurrenceMachine, Stopped};
pub(crate) use totals::Compensated;

/// A small instance of a computation by members.
#[derive(Clone, Copy)]
pub struct LatticeFormulas<'a> {
    /// Where the expressions are.
    pub graph: &'a Graph,
    /// Inputs that seldom change.
    pub parameters: &'a [Id],
    /// Inputs that are the same for all members.
    pub scalars: &'a [Id],
    /// Inputs that every member has one of, field by field.
    pub fields: &'a [Vec<Id>],
    /// What is computed for every member, result by result.
    pub results: &'a [Vec<Id>],
    /// What is summed up over everything, term by term.
    pub sums: &'a [Vec<Id>],
}

/// A computation by members, for any number of them.
///
/// ```
/// use extremal_eval::{LatticeFormulas, LatticeProgram};
/// use extremal_expr::{Expr, Graph};
///
/// // Each number less the one before it, the first less an eighth: and the sum of all squares.
/// let g = Graph::new();
/// let instance = |size: usize| {
///     let x: Vec<Expr<'_>> = (0..size).map(|i| g.symbol(&format!("x{i}"))).collect();
///     let before = |i: usize| if i == 0 { g.int(1) / 8 } else { x[i - 1] };
///     let less: Vec<_> = (0..size).map(|i| (x[i] - before(i)).id()).collect();
///     let squares: Vec<_> = x.iter().map(|x| x.powi(2).id()).collect();
///     (x.iter().map(|x| x.id()).collect::<Vec<_>>(), less, squares)
/// };
/// let (small, larger) = (instance(20), instance(21));
/// let members = |(x, less, squares): &(Vec<_>, Vec<_>, Vec<_>)| (vec![x.clone()], vec![less.clone()], vec![squares.clone()]);
/// let (a, b) = (members(&small), members(&larger));
/// let of = |(fields, results, sums)| LatticeFormulas { graph: &g, parameters: &[], scalars: &[], fields, results, sums };
/// let program = LatticeProgram::find(of((&a.0, &a.1, &a.2)), of((&b.0, &b.1, &b.2)))?.expect("all members but the first are alike");
///
/// let mut machine = program.machine(1000).expect("enough members");
/// machine.set_parameters(&[]);
/// let x: Vec<f64> = (0..1000).map(f64::from).collect();
/// let (mut less, mut sum) = (vec![0.0; 1000], [0.0]);
/// machine.run(&[], &x, &mut less, &mut sum).expect("all is finite");
/// assert_eq!((less[0], less[1], less[999]), (-0.125, 1.0, 1.0));
/// assert_eq!(sum, [332_833_500.0]);
/// # Ok::<(), extremal_eval::CompileError>(())
/// ```
#[derive(Clone)]
pub struct LatticeProgram {
    /// The first and the last members and what the sums have of them, as two entries of the small instance.
    ends: Program,
    size: usize,
    before: usize,
    behind: usize,
    scalars: usize,
    fields: usize,
    results: usize,
    sums: usize,
    /// Do the first and the last members know each other?
    is_ring: bool,
    loops: Arc<LatticeLoops>,
}

/// Loops, and what is the same for all their members.
struct LatticeLoops {
    plan: LoopPlan,
    uniforms: Uniforms,
    parameters: usize,
    scalars: usize,
}

impl LatticeProgram {
    /// Finds the member that all others repeat. `larger` has one member more than `small`: its members must be the same, and one more of
    /// those in the middle. `None` if that is not so.
    pub fn find(
        small: LatticeFormulas<'_>,
        larger: LatticeFormulas<'_>,
    ) -> Result<Option<LatticeProgram>, CompileError> {
        let Some(alike) = AlikeMembers::find(small, larger)? else { return Ok(None) };
        let given = GivenValues { fields: small.fields.len(), values: &[] };
        match LoopPlan::new(&alike.shapes, &alike.wanted, given) {
            Some(plan) => alike.program(plan),
            None => Ok(None),
        }
    }

    /// How many operations one member takes, and how many loops they are in.
    pub fn operations(&self) -> (usize, usize) {
        let loops = &self.loops.plan.loops;
        (loops.iter().map(|body| body.ops.len()).sum(), loops.len())
    }
}

/// An instance of which all members are alike but a few at both ends.
struct AlikeMembers<'a> {
    small: LatticeFormulas<'a>,
    seen: LocatedValues,
    shapes: Shapes,
    wanted: WantedValues,
    before: usize,
    behind: usize,
}

impl<'a> AlikeMembers<'a> {
    fn find(small: LatticeFormulas<'a>, larger: LatticeFormulas<'_>) -> Result<Option<AlikeMembers<'a>>, CompileError> {
        Self::find_among(Shapes::default(), 0, small, larger)
    }

    /// The same where other shapes are known already; so many scalars are not its own.
    fn find_among(
        mut shapes: Shapes,
        first_scalar: usize,
        small: LatticeFormulas<'a>,
        larger: LatticeFormulas<'_>,
    ) -> Result<Option<AlikeMembers<'a>>, CompileError> {
        let seen = LocatedValues::of(small, first_scalar, &mut shapes)?;
        let more = LocatedValues::of(larger, first_scalar, &mut shapes)?;
        let Some(found) = CommonMember::compare(&seen, &more) else { return Ok(None) };
        let sums = found.densities.iter().map(|density| total(&mut shapes, density)).collect();
        let wanted = WantedValues { results: found.results, sums };
        Ok(Some(AlikeMembers { small, seen, shapes, wanted, before: found.before, behind: found.behind }))
    }

    /// Loops that are given so many scalars.
    fn loops(&self, plan: LoopPlan, scalars: usize) -> LatticeLoops {
        let parameters = self.small.parameters.len();
        let uniforms = Uniforms::of(&self.shapes, &plan, parameters, scalars);
        LatticeLoops { plan, uniforms, parameters, scalars }
    }

    /// The program with these loops; `None` if they reach too far.
    fn program(&self, plan: LoopPlan) -> Result<Option<LatticeProgram>, CompileError> {
        let before = self.before.max(-plan.touched.first as usize);
        let behind = self.behind.max(plan.touched.last as usize);
        if before + behind >= self.seen.size {
            return Ok(None);
        }
        let ends = ends(self.small, &self.seen, before, behind)?;
        let is_ring = self.shapes.goes_round;
        if is_ring && reads_the_middle(&ends, self.small) {
            return Ok(None);
        }
        Ok(Some(LatticeProgram {
            ends,
            is_ring,
            size: self.seen.size,
            before,
            behind,
            scalars: self.small.scalars.len(),
            fields: self.small.fields.len(),
            results: self.small.results.len(),
            sums: self.small.sums.len(),
            loops: Arc::new(self.loops(plan, self.small.scalars.len())),
        }))
    }
}

/// The values of an instance.
struct LocatedValues {
    size: usize,
    /// Result by result, each relative to its member.
    results: Vec<Vec<Shifted>>,
    /// Sum by sum: where each term is, if it is anywhere.
    terms: Vec<Vec<Located>>,
}

impl LocatedValues {
    fn of(
        formulas: LatticeFormulas<'_>,
        first_scalar: usize,
        shapes: &mut Shapes,
    ) -> Result<LocatedValues, CompileError> {
        let size = formulas.fields.first().map_or(0, Vec::len);
        let outputs: Vec<Id> = formulas.results.iter().chain(formulas.sums).flatten().copied().collect();
        let program = Program::compile(formulas.graph, &inputs(formulas), &[EntryPoint { tier: 1, outputs }])?;
        let mut located = shapes.locate(&program, first_scalar, formulas.scalars.len(), size).into_iter();
        let half = size as i32 / 2;
        // The shorter way round.
        let distance = |from: i32, to: i32| (to - from + half).rem_euclid(size as i32) - half;
        let relative = |(member, value): (usize, Located)| Shifted {
            shape: value.shape,
            shift: value.position.map_or(0, |position| distance(member as i32, position)),
        };
        let mut take = |list: &Vec<Id>| -> Vec<Located> { located.by_ref().take(list.len()).collect() };
        let results: Vec<Vec<Located>> = formulas.results.iter().map(&mut take).collect();
        let terms = formulas.sums.iter().map(take).collect();
        let results = results.into_iter().map(|list| list.into_iter().enumerate().map(relative).collect()).collect();
        Ok(LocatedValues { size, results, terms })
    }

    /// The shapes of the terms at each position, and those that are nowhere.
    fn densities(&self, sum: usize) -> (Vec<Vec<ShapeId>>, Vec<ShapeId>) {
        let mut at = vec![Vec::new(); self.size];
        let mut nowhere = Vec::new();
        for term in &self.terms[sum] {
            match term.position {
                Some(position) => at[position as usize].push(term.shape),
                None => nowhere.push(term.shape),
            }
        }
        at.iter_mut().for_each(|list| list.sort_unstable());
        nowhere.sort_unstable();
        (at, nowhere)
    }
}

fn inputs(formulas: LatticeFormulas<'_>) -> [Vec<Id>; 2] {
    let moving = formulas.scalars.iter().chain(formulas.fields.iter().flatten()).copied().collect();
    [formulas.parameters.to_vec(), moving]
}

/// What is the same for all members but `before` and `behind`.
struct CommonMember {
    results: Vec<Shifted>,
    densities: Vec<Vec<ShapeId>>,
    before: usize,
    behind: usize,
}

impl CommonMember {
    fn compare(a: &LocatedValues, b: &LocatedValues) -> Option<CommonMember> {
        let mut found = CommonMember { results: Vec::new(), densities: Vec::new(), before: 0, behind: 0 };
        if b.size != a.size + 1 || a.results.len() != b.results.len() || a.terms.len() != b.terms.len() {
            return None;
        }
        for (a, b) in a.results.iter().zip(&b.results) {
            let result = found.list(a, b)?;
            found.results.push(result);
        }
        for sum in 0..a.terms.len() {
            let ((a, nowhere_a), (b, nowhere_b)) = (a.densities(sum), b.densities(sum));
            if nowhere_a != nowhere_b {
                return None;
            }
            let density = found.list(&a, &b)?;
            found.densities.push(density);
        }
        Some(found)
    }

    /// What stands in the middle of both lists; their ends must be the same.
    fn list<T: PartialEq + Clone>(&mut self, a: &[T], b: &[T]) -> Option<T> {
        let middle = a.len() / 2;
        let repeated = a.get(middle)?;
        if b.len() != a.len() + 1 || a[..=middle] != b[..=middle] || a[middle..] != b[middle + 1..] {
            return None;
        }
        let alike = |other: &&T| *other == repeated;
        let (left, right) = (a[..=middle].iter().rev(), a[middle..].iter());
        self.before = self.before.max(middle + 1 - left.take_while(alike).count());
        self.behind = self.behind.max(a.len() - middle - right.take_while(alike).count());
        Some(repeated.clone())
    }
}

/// The sum of values that are all at one position; zero if there are none.
fn total(shapes: &mut Shapes, density: &[ShapeId]) -> Shifted {
    let terms = density.iter().map(|shape| Located { shape: *shape, position: Some(0) });
    let sum = terms.reduce(|sum, term| shapes.operation(crate::op::Op::Add(sum, term)));
    Shifted { shape: sum.map_or_else(|| shapes.zero(), |sum| sum.shape), shift: 0 }
}

/// The first and the last members and the terms of sums that are there, as two entries.
fn ends(
    formulas: LatticeFormulas<'_>,
    seen: &LocatedValues,
    before: usize,
    behind: usize,
) -> Result<Program, CompileError> {
    let g = formulas.graph;
    let last = seen.size - behind;
    let sum_where = |is_there: &dyn Fn(Option<i32>) -> bool| -> Vec<Id> {
        let sum = |(terms, located): (&Vec<Id>, &Vec<Located>)| {
            let there = terms.iter().zip(located).filter(|(_, located)| is_there(located.position));
            g.sum(there.map(|(term, _)| g.expr(*term)).collect::<Vec<Expr<'_>>>()).id()
        };
        formulas.sums.iter().zip(&seen.terms).map(sum).collect()
    };
    let left = formulas.results.iter().flat_map(|list| &list[..before]).copied();
    let right = formulas.results.iter().flat_map(|list| &list[last..]).copied();
    let left_sums = sum_where(&|position| position.is_none_or(|position| (position as usize) < before));
    let right_sums = sum_where(&|position| position.is_some_and(|position| position as usize >= last));
    let entries = [left.chain(left_sums).collect(), right.chain(right_sums).collect()]
        .map(|outputs| EntryPoint { tier: 1, outputs });
    Program::compile(g, &inputs(formulas), &entries)
}

/// Do the ends of a ring read members of which it cannot be said from which end they are counted?
fn reads_the_middle(ends: &Program, formulas: LatticeFormulas<'_>) -> bool {
    let size = formulas.fields.first().map_or(0, Vec::len);
    let mut reads = false;
    let mut meet = |value: ValueId| {
        if let ValueDefinition::Input { tier: 1, index } = ends.definition(value)
            && let Some(at) = index.checked_sub(formulas.scalars.len())
        {
            reads |= [size / 2 - 1, size / 2].contains(&(at % size));
        }
    };
    for entry in [0, 1] {
        ends.ops(entry).iter().for_each(|step| step.op.for_each_operand(&mut meet));
        ends.outputs(entry).iter().copied().for_each(&mut meet);
    }
    ends.hoisted_ops(1).iter().for_each(|step| step.op.for_each_operand(&mut meet));
    reads
}

/// What is the same for all members: computed once, before the loops.
#[derive(Clone)]
struct Uniforms {
    /// Numbers to begin with: parameters and scalars, to be filled in, then constants.
    memory: Vec<f64>,
    steps: Vec<Instruction<MemorySlot>>,
    /// Where each shape that loops use is.
    slots: BTreeMap<ShapeId, MemorySlot>,
    /// The scalars that are used at all.
    used: Vec<usize>,
}

impl Uniforms {
    fn of(shapes: &Shapes, plan: &LoopPlan, parameters: usize, scalars: usize) -> Uniforms {
        let mut wanted: Vec<ShapeId> = Vec::new();
        let mut meet = |operand: LoopOperand| {
            if let LoopOperand::Uniform(shape) = operand {
                wanted.push(shape);
            }
        };
        plan.loops.iter().flat_map(|body| &body.ops).for_each(|op| op.for_each_operand(&mut meet));
        plan.copies.iter().for_each(|(_, from)| meet(*from));
        let mut made = Uniforms {
            memory: vec![0.0; parameters + scalars],
            steps: Vec::new(),
            slots: BTreeMap::new(),
            used: Vec::new(),
        };
        let mut needed = vec![false; shapes.list.len()];
        wanted.iter().for_each(|shape| needed[*shape as usize] = true);
        for at in (0..shapes.list.len()).rev() {
            if let (true, ValueShape::Op(op)) = (needed[at], shapes.list[at]) {
                op.for_each_operand(|operand| needed[operand.shape as usize] = true);
            }
        }
        let mut slots: FxHashMap<ShapeId, MemorySlot> = FxHashMap::default();
        for (at, shape) in shapes.list.iter().enumerate().filter(|(at, _)| needed[*at]) {
            let next = made.memory.len() as MemorySlot;
            let slot = match shape {
                ValueShape::Scalar(0, index) => *index as MemorySlot,
                ValueShape::Scalar(_, index) => {
                    made.used.push(*index);
                    (parameters + index) as MemorySlot
                }
                ValueShape::Constant(bits) => {
                    made.memory.push(f64::from_bits(*bits));
                    next
                }
                ValueShape::Op(op) => {
                    made.memory.push(0.0);
                    made.steps.push(Instruction { to: next, op: op.map(|operand| slots[&operand.shape]) });
                    next
                }
                ValueShape::Field(_) => continue,
            };
            slots.insert(at as ShapeId, slot);
        }
        made.slots = wanted.into_iter().map(|shape| (shape, slots[&shape])).collect();
        made
    }
}
