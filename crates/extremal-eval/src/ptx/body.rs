//! PTX under construction: typed registers, an instruction a line, jumps to labels.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fmt::{self, Display, Write};
use std::marker::PhantomData;

use super::functions::Routine;

/// What a register holds.
pub(super) trait RegisterKind: Copy {
    /// Its place among the kinds.
    const AT: usize;
    /// How names of registers begin.
    const PREFIX: &'static str;
    /// As an operand whose bits count.
    const BITS: &'static str;

    /// A number that is known, in 64 bits.
    fn literal(f: &mut fmt::Formatter<'_>, bits: u64) -> fmt::Result;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident $at:literal $prefix:literal $bits:literal $format:literal;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name;

        impl RegisterKind for $name {
            const AT: usize = $at;
            const PREFIX: &'static str = $prefix;
            const BITS: &'static str = $bits;

            fn literal(f: &mut fmt::Formatter<'_>, bits: u64) -> fmt::Result {
                write!(f, $format, bits)
            }
        })*

        /// Names and types of the kinds, for declarations.
        const KINDS: &[(&str, &str)] = &[$(($prefix, $bits)),*];
    };
}

kinds! {
    /// A number of double precision.
    Double 0 "d" "f64" "0d{:016X}";
    /// 64 bits: an integer, an address, or the bits of a number.
    Long 1 "l" "b64" "0x{:016x}";
    /// 32 bits: a count, or half of the bits of a number.
    Word 2 "r" "b32" "0x{:x}";
    /// A condition.
    Truth 3 "p" "pred" "{}";
}

/// A register, or a number that is known.
#[derive(Clone, Copy)]
pub(super) struct PtxValue<'b, K> {
    body: &'b Body,
    operand: ValueOperand<K>,
}

/// The same without the body.
#[derive(Clone, Copy)]
pub(super) enum ValueOperand<K> {
    Register(u32, PhantomData<K>),
    Literal(u64),
}

/// A number.
pub(super) type PtxNumber<'b> = PtxValue<'b, Double>;
/// An integer of 64 bits.
pub(super) type Integer<'b> = PtxValue<'b, Long>;
/// An integer of 32 bits.
pub(super) type Count<'b> = PtxValue<'b, Word>;
/// A condition.
pub(super) type PtxCondition<'b> = PtxValue<'b, Truth>;

/// What stands for a value of a kind.
pub(super) trait IntoOperand<K>: Copy {
    fn operand(self) -> ValueOperand<K>;
}

impl<K: RegisterKind> IntoOperand<K> for PtxValue<'_, K> {
    fn operand(self) -> ValueOperand<K> {
        self.operand
    }
}

impl IntoOperand<Double> for f64 {
    fn operand(self) -> ValueOperand<Double> {
        ValueOperand::Literal(self.to_bits())
    }
}

impl IntoOperand<Long> for u64 {
    fn operand(self) -> ValueOperand<Long> {
        ValueOperand::Literal(self)
    }
}

impl IntoOperand<Word> for u32 {
    fn operand(self) -> ValueOperand<Word> {
        ValueOperand::Literal(u64::from(self))
    }
}

impl<K: RegisterKind> Display for ValueOperand<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueOperand::Register(number, _) => write!(f, "%{}{number}", K::PREFIX),
            ValueOperand::Literal(bits) => K::literal(f, *bits),
        }
    }
}

impl<K: RegisterKind> Display for PtxValue<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.operand.fmt(f)
    }
}

/// A place to jump to.
#[derive(Clone, Copy)]
pub(super) struct JumpLabel(u32);

impl Display for JumpLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "L{}", self.0)
    }
}

/// The instructions of one function, or of one entry.
#[derive(Default)]
pub(super) struct Body {
    text: RefCell<String>,
    registers: [Cell<u32>; KINDS.len()],
    labels: Cell<u32>,
    calls: RefCell<BTreeSet<Routine>>,
    /// Are formulas written that are right for ordinary numbers only?
    is_brief: Cell<bool>,
    /// What the numbers that instructions find in memory are called, where they do, and these numbers.
    numbers_name: Option<String>,
    numbers: RefCell<Vec<u64>>,
    /// Where such formulas may be wrong.
    doubts: RefCell<Vec<ValueOperand<Truth>>>,
}

/// Numbers in a space of memory.
pub(super) fn declared_numbers(space: &str, name: &str, numbers: &[u64]) -> String {
    let list: Vec<String> = numbers.iter().map(|bits| format!("{bits:#018x}")).collect();
    format!(".{space} .align 8 .b64 {name}[{}] = {{{}}};\n", list.len(), list.join(", "))
}

fn next(count: &Cell<u32>) -> u32 {
    count.replace(count.get() + 1)
}

impl Body {
    /// With numbers in memory for constants, under a name: an instruction takes them as operands, where it would need two others to put
    /// them into a register.
    pub fn with_numbers(name: String) -> Body {
        Body { numbers_name: Some(name), ..Body::default() }
    }

    /// An operand of an arithmetic instruction. Those whose lower half is zero fit into the instruction itself.
    pub fn arithmetic(&self, operand: ValueOperand<Double>) -> ValueOperand<Double> {
        match (operand, &self.numbers_name) {
            (ValueOperand::Literal(bits), Some(name)) if bits as u32 != 0 => {
                let mut numbers = self.numbers.borrow_mut();
                let place = numbers.iter().position(|number| *number == bits).unwrap_or_else(|| {
                    numbers.push(bits);
                    numbers.len() - 1
                });
                self.result("ld.const.f64", &[&format!("[{name}+{}]", 8 * place)]).operand
            }
            _ => operand,
        }
    }

    /// The declaration of the numbers in memory.
    pub fn declared_numbers(&self) -> String {
        match (&self.numbers_name, &self.numbers.borrow()[..]) {
            (Some(name), numbers @ [_, ..]) => declared_numbers("const", name, numbers),
            _ => String::new(),
        }
    }

    /// Writes an instruction, without the mark at its end.
    pub fn line(&self, line: fmt::Arguments<'_>) {
        let mut text = self.text.borrow_mut();
        // Writing to a text cannot fail.
        let _ = writeln!(text, "\t{line};");
    }

    /// A new register.
    pub fn register<K: RegisterKind>(&self) -> PtxValue<'_, K> {
        PtxValue { body: self, operand: ValueOperand::Register(next(&self.registers[K::AT]), PhantomData) }
    }

    /// The result of an instruction.
    pub fn result<K: RegisterKind>(&self, name: &str, operands: &[&dyn Display]) -> PtxValue<'_, K> {
        let result = self.register();
        let mut line = format!("{name} {result}");
        for operand in operands {
            let _ = write!(line, ", {operand}");
        }
        self.line(format_args!("{line}"));
        result
    }

    /// A value that is known.
    pub fn known<K: RegisterKind>(&self, value: impl IntoOperand<K>) -> PtxValue<'_, K> {
        PtxValue { body: self, operand: value.operand() }
    }

    /// A number that is known.
    pub fn number(&self, value: f64) -> PtxNumber<'_> {
        self.known(value)
    }

    /// A register of its own with this value, to be changed.
    pub fn variable<K: RegisterKind>(&self, value: impl IntoOperand<K>) -> PtxValue<'_, K> {
        let variable = self.register();
        self.set(variable, value);
        variable
    }

    /// Changes a variable.
    pub fn set<K: RegisterKind>(&self, variable: PtxValue<'_, K>, value: impl IntoOperand<K>) {
        self.line(format_args!("mov.{} {variable}, {}", K::BITS, value.operand()));
    }

    /// Changes several variables at once.
    pub fn set_all<'b, K: RegisterKind>(&'b self, pairs: &[(PtxValue<'b, K>, PtxValue<'b, K>)]) {
        let name = |value: &PtxValue<'_, K>| match value.operand {
            ValueOperand::Register(number, _) => Some(number),
            ValueOperand::Literal(_) => None,
        };
        let mut left: Vec<_> = pairs.iter().copied().filter(|(to, from)| name(to) != name(from)).collect();
        while !left.is_empty() {
            let free = |at: &usize| {
                left.iter().enumerate().all(|(other, (_, from))| other == *at || name(from) != name(&left[*at].0))
            };
            match (0..left.len()).find(free) {
                Some(at) => {
                    let (to, from) = left.remove(at);
                    self.set(to, from);
                }
                // A ring is cut by one that waits.
                None => left[0].1 = self.variable(left[0].1),
            }
        }
    }

    /// A new label, to be placed once.
    pub fn label(&self) -> JumpLabel {
        JumpLabel(next(&self.labels))
    }

    /// Jumps to the label lead here.
    pub fn place(&self, label: JumpLabel) {
        let _ = writeln!(self.text.borrow_mut(), "{label}:");
    }

    /// Jumps.
    pub fn jump(&self, label: JumpLabel) {
        self.line(format_args!("bra {label}"));
    }

    /// Jumps where the condition holds.
    pub fn jump_if(&self, condition: PtxCondition<'_>, label: JumpLabel) {
        self.line(format_args!("@{condition} bra {label}"));
    }

    /// Jumps where it does not hold.
    pub fn jump_unless(&self, condition: PtxCondition<'_>, label: JumpLabel) {
        self.line(format_args!("@!{condition} bra {label}"));
    }

    /// Does something where a condition holds.
    pub fn when(&self, condition: PtxCondition<'_>, then: impl FnOnce()) {
        let end = self.label();
        self.jump_unless(condition, end);
        then();
        self.place(end);
    }

    /// From here on formulas are those for ordinary numbers, which note their [doubts](Body::doubt), or those for all numbers.
    pub fn set_brief(&self, is_brief: bool) {
        self.is_brief.set(is_brief);
    }

    /// Are formulas those for ordinary numbers?
    pub fn is_brief(&self) -> bool {
        self.is_brief.get()
    }

    /// Where the condition holds, what was computed may be wrong.
    pub fn doubt(&self, condition: PtxCondition<'_>) {
        self.doubts.borrow_mut().push(condition.operand);
    }

    /// Is any of the doubts justified? `None` where there was none.
    pub fn doubts(&self) -> Option<PtxCondition<'_>> {
        let all = self.doubts.take().into_iter().map(|operand| PtxValue { body: self, operand });
        all.reduce(|all, other| all | other)
    }

    /// Calls a routine.
    pub fn call<'b>(&'b self, routine: Routine, arguments: &[PtxNumber<'b>]) -> PtxNumber<'b> {
        let result = self.register();
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        self.line(format_args!("call ({result}), {}, ({})", routine.name(), arguments.join(", ")));
        self.calls.borrow_mut().insert(routine);
        result
    }

    /// Uses what a routine has beside it.
    pub fn refers(&self, routine: Routine) {
        self.calls.borrow_mut().insert(routine);
    }

    /// The routines that are used.
    pub fn routines(&self) -> BTreeSet<Routine> {
        self.calls.borrow().clone()
    }

    /// Declarations and instructions, between braces.
    pub fn finish(&self) -> String {
        let mut text = String::from("{\n");
        for ((prefix, bits), count) in KINDS.iter().zip(&self.registers) {
            if count.get() > 0 {
                let _ = writeln!(text, "\t.reg .{bits} %{prefix}<{}>;", count.get());
            }
        }
        text.push_str(&self.text.borrow());
        text.push_str("}\n");
        text
    }
}

impl<'b, K: RegisterKind> PtxValue<'b, K> {
    /// Where it is written.
    pub fn body(self) -> &'b Body {
        self.body
    }

    /// The bits of a value that is known.
    pub fn literal(self) -> Option<u64> {
        match self.operand {
            ValueOperand::Literal(bits) => Some(bits),
            ValueOperand::Register(..) => None,
        }
    }
}
