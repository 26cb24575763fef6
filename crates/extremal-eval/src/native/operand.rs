//! What instructions work on and do, whatever the processor.

/// A vector register, by the number that the processor's encoder gives it.
pub(super) type Register = u8;

/// General registers that hold addresses, by what they are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AddressRegister {
    /// The first argument: the memory, in functions that call nothing.
    GivenMemory,
    /// The second argument: where results go, in functions that call nothing.
    GivenResults,
    /// The memory, where it has to outlive calls.
    Memory,
    /// Where results go, where that has to outlive calls.
    Results,
    /// The fields of an array loop, or where a trace goes.
    Fields,
    /// The temporaries of an array loop.
    Temporaries,
}

/// Stands for a distance that is too large for an instruction.
pub(super) const BEYOND: i32 = i32::MAX;

/// The last operand: a register, memory at an address, or a single number there that all lanes share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MachineOperand {
    Register(Register),
    Memory(AddressRegister, i32),
    Spread(AddressRegister, i32),
}

/// Binary operations whose last operand may be in memory. The smaller and the larger of two are the last operand where they do not
/// differ or one is NaN; the root is that of the last operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    Sqrt,
}

/// Fused operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fused {
    MulAdd,
    MulSub,
    SubMul,
}

/// Operations on the bits of all lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bits {
    And,
    Or,
    Xor,
}
