//! What the encoder writes, read by a decoder that knows nothing of it.

use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter, MemorySizeOptions};

use extremal_expr::Relation;

use super::encoder::{FusedOrder, Predicate, X86Assembler, X86Width};
use crate::native::operand::{AddressRegister, Binary, Bits, Fused, MachineOperand};

const WIDTHS: [X86Width; 4] = [X86Width::One, X86Width::Four, X86Width::Eight, X86Width::Sixteen];
const BASES: [(AddressRegister, &str); 6] = [
    (AddressRegister::Memory, "rbx"),
    (AddressRegister::GivenResults, "rsi"),
    (AddressRegister::GivenMemory, "rdi"),
    (AddressRegister::Fields, "r13"),
    (AddressRegister::Results, "r14"),
    (AddressRegister::Temporaries, "r15"),
];
/// Distances that fit one byte, that fit one byte in units of an operand, and that fit none.
const OFFSETS: [i32; 15] =
    [0, 8, -8, 64, -64, 127, 128, -128, -129, 8 * 127, 8 * 128, 64 * 127, 64 * 128, 0x0012_3456, -0x0012_3456];

/// The instructions in Intel's notation.
fn decoded(code: &X86Assembler) -> Vec<String> {
    assert!(code.fits);
    let mut formatter = IntelFormatter::new();
    let options = formatter.options_mut();
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_uppercase_hex(false);
    options.set_small_hex_numbers_in_decimal(false);
    options.set_use_pseudo_ops(false);
    options.set_branch_leading_zeros(false);
    options.set_memory_size_options(MemorySizeOptions::Never);
    let mut decoder = Decoder::with_ip(64, &code.bytes, 0, DecoderOptions::NONE);
    let mut lines = Vec::new();
    while decoder.can_decode() {
        let instruction = decoder.decode();
        let mut line = String::new();
        formatter.format(&instruction, &mut line);
        lines.push(line);
    }
    lines
}

/// A vector register by its name.
fn vector(width: X86Width, register: u8) -> String {
    let class = match width {
        X86Width::One => "xmm",
        X86Width::Four => "ymm",
        X86Width::Eight | X86Width::Sixteen => "zmm",
    };
    format!("{class}{register}")
}

fn address(base: AddressRegister, offset: i32) -> String {
    let base = BASES.iter().find(|(register, _)| *register == base).unwrap().1;
    match offset {
        0 => format!("[{base}]"),
        1.. => format!("[{base}+0x{offset:x}]"),
        _ => format!("[{base}-0x{:x}]", offset.unsigned_abs()),
    }
}

/// The last operand, `further` bytes on where it is a whole register of numbers.
fn last(width: X86Width, operand: MachineOperand, further: i32) -> String {
    match operand {
        MachineOperand::Register(register) => vector(width, register),
        MachineOperand::Memory(base, offset) => address(base, offset + further),
        MachineOperand::Spread(base, offset) => {
            let lanes = width.lanes().clamp(2, 8);
            format!("{}{{1to{lanes}}}", address(base, offset))
        }
    }
}

/// Registers, and last operands, that instructions of a width may have; with AVX-512 all of them.
fn operands(width: X86Width, masks: bool) -> Vec<([u8; 3], MachineOperand)> {
    let mut registers = vec![[0, 1, 2], [7, 8, 15], [15, 7, 8], [9, 14, 3]];
    if masks && width != X86Width::Sixteen {
        registers.extend([[16, 1, 2], [3, 17, 8], [4, 5, 31], [24, 30, 23]]);
    }
    let mut all = Vec::new();
    for own in registers {
        all.push((own, MachineOperand::Register(own[2])));
        for (base, _) in BASES {
            for offset in OFFSETS {
                all.push((own, MachineOperand::Memory(base, offset)));
                if masks && width != X86Width::One {
                    all.push((own, MachineOperand::Spread(base, offset)));
                }
            }
        }
    }
    all
}

/// Machines and widths that code is emitted for.
fn kinds() -> impl Iterator<Item = (bool, X86Width)> {
    let all = [false, true].into_iter().flat_map(|masks| WIDTHS.map(|width| (masks, width)));
    all.filter(|(masks, width)| *masks || width.lanes() <= 4)
}

/// Emits an instruction and compares it, and the one for the second half of sixteen lanes, with what `expected` says of it: from the
/// first two registers, the last operand, and the number of the mask.
fn check(
    masks: bool,
    width: X86Width,
    (registers, operand): ([u8; 3], MachineOperand),
    scalar: bool,
    emit: impl FnOnce(&mut X86Assembler),
    expected: impl Fn(&str, &str, &str, u8) -> String,
) {
    let mut code = X86Assembler::new(masks);
    emit(&mut code);
    let halves = (0..width.halves()).map(|half| {
        let name = |register: u8| vector(width, register + 16 * half);
        let operand = match operand {
            MachineOperand::Register(register) => MachineOperand::Register(register + 16 * half),
            other => other,
        };
        let further = if scalar { 0 } else { 64 * i32::from(half) };
        expected(&name(registers[0]), &name(registers[1]), &last(width, operand, further), half + 1)
    });
    let wanted: Vec<String> =
        halves.flat_map(|lines| lines.split(';').map(str::to_owned).collect::<Vec<_>>()).collect();
    let (mut found, mut sorted) = (decoded(&code), wanted);
    // Where there are several instructions, the two halves of each follow one another.
    found.sort();
    sorted.sort();
    assert_eq!(found, sorted, "{masks}, {width:?}, {registers:?}, {operand:?}");
}

fn number(width: X86Width) -> &'static str {
    if width == X86Width::One { "sd" } else { "pd" }
}

#[test]
fn arithmetic_is_what_it_is_called() {
    let names = [
        (Binary::Add, "add"),
        (Binary::Sub, "sub"),
        (Binary::Mul, "mul"),
        (Binary::Div, "div"),
        (Binary::Min, "min"),
        (Binary::Max, "max"),
    ];
    let logic = [(Bits::And, "and"), (Bits::Or, "or"), (Bits::Xor, "xor")];
    let fused = [(Fused::MulAdd, "fmadd"), (Fused::MulSub, "fmsub"), (Fused::SubMul, "fnmadd")];
    let orders = [(FusedOrder::O132, 132), (FusedOrder::O213, 213), (FusedOrder::O231, 231)];
    for (masks, width) in kinds() {
        let d = number(width);
        for given @ ([x, y, _], z) in operands(width, masks) {
            let scalar = width == X86Width::One;
            for (op, name) in names {
                let emit = |code: &mut X86Assembler| code.binary(op, width, x, y, z);
                check(masks, width, given, scalar, emit, |x, y, z, _| format!("v{name}{d} {x},{y},{z}"));
            }
            let emit = |code: &mut X86Assembler| code.binary(Binary::Sqrt, width, x, y, z);
            check(masks, width, given, scalar, emit, |x, y, z, _| match width {
                X86Width::One => format!("vsqrtsd {x},{y},{z}"),
                _ => format!("vsqrtpd {x},{z}"),
            });
            for (op, name) in logic {
                let emit = |code: &mut X86Assembler| code.bits(op, width, x, y, z);
                check(masks, width, given, false, emit, |x, y, z, _| format!("v{name}pd {x},{y},{z}"));
            }
            for ((op, name), (order, digits)) in fused.iter().flat_map(|op| orders.map(|order| (*op, order))) {
                let emit = |code: &mut X86Assembler| code.fused(op, order, width, x, y, z);
                check(masks, width, given, scalar, emit, |x, y, z, _| format!("v{name}{digits}{d} {x},{y},{z}"));
            }
        }
    }
}

#[test]
fn loads_stores_and_copies_go_where_they_should() {
    for (masks, width) in kinds() {
        let (scalar, mov) = (width == X86Width::One, if width == X86Width::One { "vmovsd" } else { "vmovupd" });
        for given @ ([x, y, _], z) in operands(width, masks) {
            match z {
                MachineOperand::Register(from) => {
                    let emit = |code: &mut X86Assembler| code.copy(width, x, from);
                    check(masks, width, given, false, emit, |x, _, z, _| format!("vmovapd {x},{z}"));
                    let emit = |code: &mut X86Assembler| code.shift_left(width, x, from, 52);
                    check(masks, width, given, false, emit, |x, _, z, _| format!("vpsllq {x},{z},0x34"));
                }
                MachineOperand::Memory(base, offset) => {
                    let emit = |code: &mut X86Assembler| code.load(width, x, base, offset);
                    check(masks, width, given, scalar, emit, |x, _, z, _| format!("{mov} {x},{z}"));
                    let emit = |code: &mut X86Assembler| code.store(width, base, offset, y);
                    check(masks, width, given, scalar, emit, |_, y, z, _| format!("{mov} {z},{y}"));
                    if width != X86Width::One {
                        let emit = |code: &mut X86Assembler| code.load_spread(width, x, base, offset);
                        check(masks, width, given, true, emit, |x, _, z, _| format!("vbroadcastsd {x},{z}"));
                    }
                }
                MachineOperand::Spread(..) => {}
            }
        }
    }
}

#[test]
fn comparisons_and_choices_are_those_that_are_meant() {
    let predicates = [
        (Predicate::Equal, 0),
        (Predicate::Unordered, 3),
        (Predicate::NotEqual, 4),
        (Predicate::Less, 0x11),
        (Predicate::LessOrEqual, 0x12),
        (Predicate::NotLess, 0x15),
    ];
    for (masks, width) in kinds() {
        for given @ ([x, y, s], z) in operands(width, masks) {
            for (predicate, code_of) in predicates {
                if masks {
                    let emit = |code: &mut X86Assembler| code.compare_to_mask(predicate, width, y, z);
                    check(masks, width, given, false, emit, |_, y, z, k| format!("vcmppd k{k},{y},{z},0x{code_of:x}"));
                } else {
                    let emit = |code: &mut X86Assembler| code.compare_to_bits(predicate, width, x, y, z);
                    check(masks, width, given, false, emit, |x, y, z, _| format!("vcmppd {x},{y},{z},0x{code_of:x}"));
                }
            }
            let emit = |code: &mut X86Assembler| code.by_signs(width, x, s, (z, y));
            check(masks, width, given, false, emit, |x, y, z, k| match masks {
                true => format!("vblendmpd {x}{{k{k}}},{y},{z}"),
                false => format!("vblendvpd {x},{y},{z},{}", vector(width, s)),
            });
            match z {
                MachineOperand::Register(from) if masks => {
                    let emit = |code: &mut X86Assembler| code.note_signs(width, from);
                    check(masks, width, given, false, emit, |_, _, z, k| format!("vpmovq2m k{k},{z}"));
                }
                MachineOperand::Memory(..) => {
                    let emit = |code: &mut X86Assembler| code.compare(Relation::Lt, width, x, (x, y), z);
                    check(masks, width, given, false, emit, |x, y, z, k| match masks {
                        true => format!("vcmppd k{k},{x},{y},0x11;vmovupd {x}{{k{k}}}{{z}},{z}"),
                        false => format!("vcmppd {x},{x},{y},0x11;vandpd {x},{x},{z}"),
                    });
                }
                _ => {}
            }
        }
    }
    for (width, expected) in [(X86Width::Eight, "kortestb k1,k1"), (X86Width::Sixteen, "kortestb k1,k2")] {
        let mut code = X86Assembler::new(true);
        code.test_mask(width);
        assert_eq!(decoded(&code), [expected]);
    }
    for width in [X86Width::One, X86Width::Four] {
        for given @ ([x, ..], z) in operands(width, false) {
            check(
                false,
                width,
                given,
                false,
                |code| code.test_bits(width, x, z),
                |x, _, z, _| format!("vptest {x},{z}"),
            );
            check(
                false,
                width,
                given,
                false,
                |code| code.test_signs(width, x, z),
                |x, _, z, _| format!("vtestpd {x},{z}"),
            );
        }
    }
    for given @ ([x, ..], z) in operands(X86Width::One, true) {
        check(
            true,
            X86Width::One,
            given,
            true,
            |code| code.compare_to_flags(x, z),
            |x, _, z, _| format!("vucomisd {x},{z}"),
        );
    }
}

/// Emits and returns the text of it all.
fn text(emit: impl FnOnce(&mut X86Assembler)) -> String {
    let mut code = X86Assembler::new(true);
    emit(&mut code);
    decoded(&code).join("; ")
}

#[test]
fn functions_begin_loop_and_end_as_their_callers_expect() {
    let expected = [
        (text(X86Assembler::enter), "push rbx; push r14; sub rsp,0x8; mov rbx,rdi; mov r14,rsi"),
        (text(X86Assembler::leave), "add rsp,0x8; pop r14; pop rbx"),
        (text(X86Assembler::enter_rounds), "push rbx; push r14; push r15; mov rbx,rdi; mov r15,rdx"),
        (text(X86Assembler::leave_rounds), "mov rax,r15; pop r15; pop r14; pop rbx"),
        (
            text(X86Assembler::enter_array_loop),
            "push rbx; push r12; push r13; push r14; push r15; mov rbx,rdi; mov r13,rsi; mov r14,rdx; mov r15,rcx; mov r12,r8",
        ),
        (text(X86Assembler::leave_array_loop), "pop r15; pop r14; pop r13; pop r12; pop rbx"),
        (text(|code| code.next_members(64, 0)), "add r13,0x40; add r14,0x40; add r15,0x40; dec r12; jne 0x0"),
        (text(|code| code.set_tries(4)), "mov r14d,0x4"),
        (text(|code| code.next_try(0)), "dec r14d; jne 0x0"),
        (text(|code| code.next_round(0)), "dec r15; jne 0x0"),
        (
            text(|code| code.next_round_unless_all(0)),
            "lea r15,[r15-0x1]; je 0x17; test r15,r15; jne 0x0; or r15,0xffffffffffffffff",
        ),
        (text(|code| code.first_argument(-0x1234)), "lea rdi,[rbx-0x1234]"),
        (text(|code| code.second_argument(0x1234)), "lea rsi,[rbx+0x1234]"),
        (text(|code| code.third_argument(7)), "mov edx,0x7"),
        (text(|code| code.call(0x1234_5678_9abc)), "mov rax,0x123456789abc; call rax"),
        (text(|code| code.end(X86Width::Four)), "vzeroupper; ret"),
        (text(|code| code.end(X86Width::One)), "ret"),
        (text(X86Assembler::ret), "ret"),
        (text(|code| code.jump_back(0)), "jmp 0x0"),
        (
            text(|code| {
                let jump = code.jump();
                code.ret();
                code.land(jump);
                code.ret();
            }),
            "jmp 0x6; ret; ret",
        ),
    ];
    for (found, expected) in expected {
        assert_eq!(found, expected);
    }
}
