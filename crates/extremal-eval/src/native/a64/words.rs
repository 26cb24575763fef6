//! What the encoder writes, beside the words that the GNU assembler makes of the same instructions.

use extremal_expr::Relation;

use crate::native::operand::MachineOperand::{Memory, Register, Spread};
use crate::native::operand::{AddressRegister, BEYOND, Binary, Bits, Fused};

use super::encoder::A64Assembler;
use super::encoder::A64Width::{Four, One};

type Emit = fn(&mut A64Assembler);

fn words(emit: Emit) -> (Vec<u32>, bool) {
    let mut code = A64Assembler::default();
    emit(&mut code);
    let (words, rest) = code.bytes.as_chunks();
    assert!(rest.is_empty());
    (words.iter().map(|word| u32::from_le_bytes(*word)).collect(), code.fits)
}

#[test]
fn instructions_are_those_of_an_assembler() {
    let cases: &[(&str, Emit, &[u32])] = &[
        ("fadd d3, d29, d5", |code| code.binary(Binary::Add, One, 3, 21, Register(5)), &[0x1e65_2ba3]),
        (
            "ldr d30, [x19, 8]; fsub d3, d29, d30",
            |code| code.binary(Binary::Sub, One, 3, 21, Memory(AddressRegister::Memory, 8)),
            &[0xfd40_067e, 0x1e7e_3ba3],
        ),
        ("fmul d16, d17, d0", |code| code.binary(Binary::Mul, One, 8, 9, Register(0)), &[0x1e60_0a30]),
        (
            "ldr d30, [x0, 32760]; fdiv d16, d17, d30",
            |code| code.binary(Binary::Div, One, 8, 9, Memory(AddressRegister::GivenMemory, 32760)),
            &[0xfd7f_fc1e, 0x1e7e_1a30],
        ),
        ("fsqrt d16, d2", |code| code.binary(Binary::Sqrt, One, 8, 1, Register(2)), &[0x1e61_c050]),
        (
            "fcmgt d31, d3, d2; bsl v31.16b, v2.16b, v3.16b; mov v1.16b, v31.16b",
            |code| code.binary(Binary::Min, One, 1, 2, Register(3)),
            &[0x7ee2_e47f, 0x6e63_1c5f, 0x4ebf_1fe1],
        ),
        (
            "fcmgt d31, d2, d3; bsl v31.16b, v2.16b, v3.16b; mov v1.16b, v31.16b",
            |code| code.binary(Binary::Max, One, 1, 2, Register(3)),
            &[0x7ee3_e45f, 0x6e63_1c5f, 0x4ebf_1fe1],
        ),
        (
            "fadd v3.2d, v13.2d, v5.2d; fadd v19.2d, v29.2d, v21.2d",
            |code| code.binary(Binary::Add, Four, 3, 13, Register(5)),
            &[0x4e65_d5a3, 0x4e75_d7b3],
        ),
        (
            "ldur q14, [x21, 24]; fsub v3.2d, v13.2d, v14.2d; ldur q30, [x21, 40]; fsub v19.2d, v29.2d, v30.2d",
            |code| code.binary(Binary::Sub, Four, 3, 13, Memory(AddressRegister::Fields, 24)),
            &[0x3cc1_82ae, 0x4eee_d5a3, 0x3cc2_82be, 0x4efe_d7b3],
        ),
        (
            "ldr d14, [x20, 24]; dup v14.2d, v14.d[0]; fmul v3.2d, v13.2d, v14.2d; ldr d30, [x20, 24]; dup v30.2d, v30.d[0]; fmul v19.2d, v29.2d, v30.2d",
            |code| code.binary(Binary::Mul, Four, 3, 13, Spread(AddressRegister::Results, 24)),
            &[0xfd40_0e8e, 0x4e08_05ce, 0x6e6e_dda3, 0xfd40_0e9e, 0x4e08_07de, 0x6e7e_dfb3],
        ),
        (
            "fdiv v0.2d, v1.2d, v2.2d; fdiv v16.2d, v17.2d, v18.2d",
            |code| code.binary(Binary::Div, Four, 0, 1, Register(2)),
            &[0x6e62_fc20, 0x6e72_fe30],
        ),
        (
            "fsqrt v0.2d, v2.2d; fsqrt v16.2d, v18.2d",
            |code| code.binary(Binary::Sqrt, Four, 0, 1, Register(2)),
            &[0x6ee1_f840, 0x6ee1_fa50],
        ),
        (
            "fcmgt v15.2d, v1.2d, v2.2d; bsl v15.16b, v1.16b, v2.16b; mov v0.16b, v15.16b; fcmgt v31.2d, v17.2d, v18.2d; bsl v31.16b, v17.16b, v18.16b; mov v16.16b, v31.16b",
            |code| code.binary(Binary::Max, Four, 0, 1, Register(2)),
            &[0x6ee2_e42f, 0x6e62_1c2f, 0x4eaf_1de0, 0x6ef2_e63f, 0x6e72_1e3f, 0x4ebf_1ff0],
        ),
        ("fmadd d0, d1, d2, d3", |code| code.fused_one(Fused::MulAdd, 0, 1, Register(2), Register(3)), &[0x1f42_0c20]),
        (
            "fnmsub d17, d18, d19, d20",
            |code| code.fused_one(Fused::MulSub, 9, 10, Register(11), Register(12)),
            &[0x1f73_d251],
        ),
        (
            "ldr d30, [x19, 16]; fmsub d0, d1, d2, d30",
            |code| code.fused_one(Fused::SubMul, 0, 1, Register(2), Memory(AddressRegister::Memory, 16)),
            &[0xfd40_0a7e, 0x1f42_f820],
        ),
        (
            "ldr d30, [x19]; mov v31.16b, v30.16b; ldr d30, [x19, 16]; fmadd d0, d1, d31, d30",
            |code| {
                code.fused_one(
                    Fused::MulAdd,
                    0,
                    1,
                    Memory(AddressRegister::Memory, 0),
                    Memory(AddressRegister::Memory, 16),
                )
            },
            &[0xfd40_027e, 0x4ebe_1fdf, 0xfd40_0a7e, 0x1f5f_7820],
        ),
        (
            "fmla v0.2d, v1.2d, v2.2d; fmla v16.2d, v17.2d, v18.2d",
            |code| code.accumulate(Fused::MulAdd, 0, 1, Register(2)),
            &[0x4e62_cc20, 0x4e72_ce30],
        ),
        (
            "fmls v0.2d, v1.2d, v2.2d; fmls v16.2d, v17.2d, v18.2d",
            |code| code.accumulate(Fused::SubMul, 0, 1, Register(2)),
            &[0x4ee2_cc20, 0x4ef2_ce30],
        ),
        ("fneg v4.2d, v4.2d; fneg v20.2d, v20.2d", |code| code.negate_own(4), &[0x6ee0_f884, 0x6ee0_fa94]),
        ("fneg d4, d16", |code| code.negate(One, 4, 8, Register(0)), &[0x1e61_4204]),
        ("fabs d4, d16", |code| code.size(One, 4, 8, Register(0)), &[0x1e60_c204]),
        (
            "fabs v4.2d, v8.2d; fabs v20.2d, v24.2d",
            |code| code.size(Four, 4, 8, Register(0)),
            &[0x4ee0_f904, 0x4ee0_fb14],
        ),
        ("and v1.16b, v2.16b, v3.16b", |code| code.bits(Bits::And, One, 1, 2, Register(3)), &[0x4e23_1c41]),
        (
            "orr v1.16b, v2.16b, v3.16b; orr v17.16b, v18.16b, v19.16b",
            |code| code.bits(Bits::Or, Four, 1, 2, Register(3)),
            &[0x4ea3_1c41, 0x4eb3_1e51],
        ),
        ("eor v1.16b, v2.16b, v3.16b", |code| code.bits(Bits::Xor, One, 1, 2, Register(3)), &[0x6e23_1c41]),
        ("mov v1.16b, v16.16b", |code| code.copy(One, 1, 8), &[0x4eb0_1e01]),
        ("mov v1.16b, v8.16b; mov v17.16b, v24.16b", |code| code.copy(Four, 1, 8), &[0x4ea8_1d01, 0x4eb8_1f11]),
        (
            "ldr d5, [x19, 40]; dup v5.2d, v5.d[0]; dup v21.2d, v5.d[0]",
            |code| code.load_spread(Four, 5, AddressRegister::Memory, 40),
            &[0xfd40_1665, 0x4e08_04a5, 0x4e08_04b5],
        ),
        (
            "shl v1.2d, v2.2d, 62; shl v17.2d, v18.2d, 62",
            |code| code.shift_left(Four, 1, 2, 62),
            &[0x4f7e_5441, 0x4f7e_5651],
        ),
        (
            "fmov d30, 1.0; fcmgt d31, d3, d2; and v1.16b, v30.16b, v31.16b",
            |code| code.compare(Relation::Lt, One, 1, (2, 3), Register(0)),
            &[0x1e6e_101e, 0x7ee2_e47f, 0x4e3f_1fc1],
        ),
        (
            "fmov d30, 1.0; fcmge d31, d3, d2; and v1.16b, v30.16b, v31.16b",
            |code| code.compare(Relation::Le, One, 1, (2, 3), Register(0)),
            &[0x1e6e_101e, 0x7e62_e47f, 0x4e3f_1fc1],
        ),
        (
            "fmov d30, 1.0; fcmeq d31, d2, d3; and v1.16b, v30.16b, v31.16b",
            |code| code.compare(Relation::Eq, One, 1, (2, 3), Register(0)),
            &[0x1e6e_101e, 0x5e63_e45f, 0x4e3f_1fc1],
        ),
        (
            "fmov v14.2d, 1.0; fcmeq v15.2d, v2.2d, v3.2d; bic v1.16b, v14.16b, v15.16b; fmov v30.2d, 1.0; fcmeq v31.2d, v18.2d, v19.2d; bic v17.16b, v30.16b, v31.16b",
            |code| code.compare(Relation::Ne, Four, 1, (2, 3), Register(0)),
            &[0x6f03_f60e, 0x4e63_e44f, 0x4e6f_1dc1, 0x6f03_f61e, 0x4e73_e65f, 0x4e7f_1fd1],
        ),
        (
            "fmov v14.2d, 1.0; fcmge v15.2d, v3.2d, v2.2d; and v1.16b, v14.16b, v15.16b; fmov v30.2d, 1.0; fcmge v31.2d, v19.2d, v18.2d; and v17.16b, v30.16b, v31.16b",
            |code| code.compare(Relation::Le, Four, 1, (2, 3), Register(0)),
            &[0x6f03_f60e, 0x6e62_e46f, 0x4e2f_1dc1, 0x6f03_f61e, 0x6e72_e67f, 0x4e3f_1fd1],
        ),
        (
            "fcmeq d31, d2, d2; bsl v31.16b, v3.16b, v2.16b; mov v1.16b, v31.16b",
            |code| code.select_nan(One, 2, 0, 1, (2, 3)),
            &[0x5e62_e45f, 0x6e62_1c7f, 0x4ebf_1fe1],
        ),
        ("fcmp d17, 0.0", |code| code.note_nonzero(One, 9, Register(0), 0), &[0x1e60_2228]),
        (
            "fcmeq v2.2d, v9.2d, 0; fcmeq v18.2d, v25.2d, 0; mvn v2.16b, v2.16b; mvn v18.16b, v18.16b",
            |code| code.note_nonzero(Four, 9, Register(0), 2),
            &[0x4ee0_d922, 0x4ee0_db32, 0x6e20_5842, 0x6e20_5a52],
        ),
        (
            "sshr v2.2d, v2.2d, 63; sshr v18.2d, v18.2d, 63",
            |code| code.note_signs(Four, 2),
            &[0x4f41_0442, 0x4f41_0652],
        ),
        ("fcsel d1, d2, d3, ne", |code| code.by_signs(One, 1, 0, (Register(2), 3)), &[0x1e63_1c41]),
        (
            "mov v1.16b, v3.16b; bit v1.16b, v2.16b, v4.16b; mov v17.16b, v19.16b; bit v17.16b, v18.16b, v20.16b",
            |code| code.by_signs(Four, 1, 4, (Register(2), 3)),
            &[0x4ea3_1c61, 0x6ea4_1c41, 0x4eb3_1e71, 0x6eb4_1e51],
        ),
        (
            "bsl v4.16b, v2.16b, v3.16b; bsl v20.16b, v18.16b, v19.16b",
            |code| code.by_signs(Four, 4, 4, (Register(2), 3)),
            &[0x6e63_1c44, 0x6e73_1e54],
        ),
        (
            "bif v2.16b, v3.16b, v4.16b; bif v18.16b, v19.16b, v20.16b",
            |code| code.by_signs(Four, 2, 4, (Register(2), 3)),
            &[0x6ee4_1c62, 0x6ef4_1e72],
        ),
        (
            "bit v3.16b, v2.16b, v4.16b; bit v19.16b, v18.16b, v20.16b",
            |code| code.by_signs(Four, 3, 4, (Register(2), 3)),
            &[0x6ea4_1c43, 0x6eb4_1e53],
        ),
        (
            "and v15.16b, v5.16b, v21.16b; fminp d15, v15.2d; fcmp d15, 0.0",
            |code| code.test_all(Four, 5, Register(0)),
            &[0x4e35_1caf, 0x7ef0_f9ef, 0x1e60_21e8],
        ),
        ("fcmp d5, 0.0", |code| code.test_all(One, 5, Register(0)), &[0x1e60_20a8]),
        (
            "fcmgt v15.2d, v6.2d, v5.2d; fcmgt v31.2d, v22.2d, v21.2d; and v15.16b, v15.16b, v31.16b; xtn v15.2s, v15.2d; fmov x16, d15; cmn x16, 1",
            |code| code.test_all_less(Four, 5, Register(6)),
            &[0x6ee5_e4cf, 0x6ef5_e6df, 0x4e3f_1def, 0x0ea1_29ef, 0x9e66_01f0, 0xb100_061f],
        ),
        ("fcmp d3, d16", |code| code.compare_to_flags(3, Register(8)), &[0x1e70_2060]),
        ("ldr d2, [x0]", |code| code.load(One, 2, AddressRegister::GivenMemory, 0), &[0xfd40_0002]),
        ("ldur d2, [x22, -256]", |code| code.load(One, 2, AddressRegister::Temporaries, -256), &[0xfc50_02c2]),
        (
            "add x17, x19, 8, lsl 12; ldr d2, [x17]",
            |code| code.load(One, 2, AddressRegister::Memory, 32768),
            &[0x9140_2271, 0xfd40_0222],
        ),
        ("str d28, [x1, 8]", |code| code.store(One, AddressRegister::GivenResults, 8, 20), &[0xfd00_043c]),
        (
            "add x17, x19, 0x123, lsl 12; str d28, [x17, 0x458]",
            |code| code.store(One, AddressRegister::Memory, 0x12_3458, 20),
            &[0x9144_8e71, 0xfd02_2e3c],
        ),
        (
            "mov x17, -264; str d28, [x19, x17]",
            |code| code.store(One, AddressRegister::Memory, -264, 20),
            &[0x9280_20f1, 0xfc31_6a7c],
        ),
        (
            "movz x17, 0x4568; movk x17, 0x123, lsl 16; ldr d2, [x19, x17]",
            |code| code.load(One, 2, AddressRegister::Memory, 0x0123_4568),
            &[0xd288_ad11, 0xf2a0_2471, 0xfc71_6a62],
        ),
        ("ldp q2, q18, [x19, 32]", |code| code.load(Four, 2, AddressRegister::Memory, 32), &[0xad41_4a62]),
        ("ldp q2, q18, [x19, -1024]", |code| code.load(Four, 2, AddressRegister::Memory, -1024), &[0xad60_4a62]),
        ("stp q2, q18, [x19, 1008]", |code| code.store(Four, AddressRegister::Memory, 1008, 2), &[0xad1f_ca62]),
        (
            "str q2, [x19, 1024]; str q18, [x19, 1040]",
            |code| code.store(Four, AddressRegister::Memory, 1024, 2),
            &[0x3d81_0262, 0x3d81_0672],
        ),
        (
            "stur q2, [x19, 8]; stur q18, [x19, 24]",
            |code| code.store(Four, AddressRegister::Memory, 8, 2),
            &[0x3c80_8262, 0x3c81_8272],
        ),
        (
            "add x17, x19, 1, lsl 12; ldur q2, [x17, 8]; add x17, x19, 1, lsl 12; ldur q18, [x17, 24]",
            |code| code.load(Four, 2, AddressRegister::Memory, 4104),
            &[0x9140_0671, 0x3cc0_8222, 0x9140_0671, 0x3cc1_8232],
        ),
        (
            "mov x17, 4504; ldr q2, [x19, x17]; mov x17, 4520; ldr q18, [x19, x17]",
            |code| code.load(Four, 2, AddressRegister::Memory, 4504),
            &[0xd282_3311, 0x3cf1_6a62, 0xd282_3511, 0x3cf1_6a72],
        ),
        (
            "add x17, x19, 16, lsl 12; ldr q2, [x17]; add x17, x19, 16, lsl 12; ldr q18, [x17, 16]",
            |code| code.load(Four, 2, AddressRegister::Memory, 65536),
            &[0x9140_4271, 0x3dc0_0222, 0x9140_4271, 0x3dc0_0632],
        ),
        (
            "mov x17, -2048; str q2, [x21, x17]; mov x17, -2032; str q18, [x21, x17]",
            |code| code.store(Four, AddressRegister::Fields, -2048, 2),
            &[0x9280_fff1, 0x3cb1_6aa2, 0x9280_fdf1, 0x3cb1_6ab2],
        ),
        ("ret", |code| code.end(One), &[0xd65f_03c0]),
        (
            "stp d8, d9, [sp, -64]!; stp d10, d11, [sp, 16]; stp d12, d13, [sp, 32]; stp d14, d15, [sp, 48]",
            |code| {
                code.begin(Four);
            },
            &[0x6dbc_27e8, 0x6d01_2fea, 0x6d02_37ec, 0x6d03_3fee],
        ),
        (
            "ldp d14, d15, [sp, 48]; ldp d12, d13, [sp, 32]; ldp d10, d11, [sp, 16]; ldp d8, d9, [sp], 64; ret",
            |code| code.end(Four),
            &[0x6d43_3fee, 0x6d42_37ec, 0x6d41_2fea, 0x6cc4_27e8, 0xd65f_03c0],
        ),
        (
            "stp x19, x20, [sp, -64]!; stp x21, x22, [sp, 16]; stp x23, x24, [sp, 32]; str x30, [sp, 48]; mov x19, x0; mov x20, x1",
            |code| code.enter(),
            &[0xa9bc_53f3, 0xa901_5bf5, 0xa902_63f7, 0xf900_1bfe, 0xaa00_03f3, 0xaa01_03f4],
        ),
        (
            "ldr x30, [sp, 48]; ldp x23, x24, [sp, 32]; ldp x21, x22, [sp, 16]; ldp x19, x20, [sp], 64",
            |code| code.leave(),
            &[0xf940_1bfe, 0xa942_63f7, 0xa941_5bf5, 0xa8c4_53f3],
        ),
        (
            "stp x19, x20, [sp, -64]!; stp x21, x22, [sp, 16]; stp x23, x24, [sp, 32]; str x30, [sp, 48]; mov x19, x0; mov x23, x2",
            |code| code.enter_rounds(),
            &[0xa9bc_53f3, 0xa901_5bf5, 0xa902_63f7, 0xf900_1bfe, 0xaa00_03f3, 0xaa02_03f7],
        ),
        (
            "stp x19, x20, [sp, -64]!; stp x21, x22, [sp, 16]; stp x23, x24, [sp, 32]; str x30, [sp, 48]; mov x19, x0; mov x21, x1; mov x23, x2",
            |code| code.enter_traced_rounds(),
            &[0xa9bc_53f3, 0xa901_5bf5, 0xa902_63f7, 0xf900_1bfe, 0xaa00_03f3, 0xaa01_03f5, 0xaa02_03f7],
        ),
        (
            "mov x0, x23; ldr x30, [sp, 48]; ldp x23, x24, [sp, 32]; ldp x21, x22, [sp, 16]; ldp x19, x20, [sp], 64",
            |code| code.leave_rounds(),
            &[0xaa17_03e0, 0xf940_1bfe, 0xa942_63f7, 0xa941_5bf5, 0xa8c4_53f3],
        ),
        (
            "stp x19, x20, [sp, -64]!; stp x21, x22, [sp, 16]; stp x23, x24, [sp, 32]; str x30, [sp, 48]; mov x19, x0; mov x21, x1; mov x20, x2; mov x22, x3; mov x23, x4",
            |code| code.enter_array_loop(),
            &[
                0xa9bc_53f3,
                0xa901_5bf5,
                0xa902_63f7,
                0xf900_1bfe,
                0xaa00_03f3,
                0xaa01_03f5,
                0xaa02_03f4,
                0xaa03_03f6,
                0xaa04_03f7,
            ],
        ),
        (
            "add x20, x20, 32; add x21, x21, 32; add x22, x22, 32; sub x23, x23, 1; cbnz x23, .-16",
            |code| code.next_members(32, 0),
            &[0x9100_8294, 0x9100_82b5, 0x9100_82d6, 0xd100_06f7, 0xb5ff_ff97],
        ),
        ("add x21, x21, 8", |code| code.next_in_trace(), &[0x9100_22b5]),
        ("mov x24, 4", |code| code.set_tries(4), &[0xd280_0098]),
        ("sub x24, x24, 1; cbnz x24, .-4", |code| code.next_try(0), &[0xd100_0718, 0xb5ff_fff8]),
        ("sub x23, x23, 1; cbnz x23, .-4", |code| code.next_round(0), &[0xd100_06f7, 0xb5ff_fff7]),
        (
            "sub x23, x23, 1; b.ne .+12; cbnz x23, .-8; mov x23, -1",
            |code| code.next_round_unless_all(0),
            &[0xd100_06f7, 0x5400_0061, 0xb5ff_ffd7, 0x9280_0017],
        ),
        ("b .", |code| code.jump_back(0), &[0x1400_0000]),
        (
            "b .+8; ret",
            |code| {
                let jump = code.jump();
                code.end(One);
                code.land(jump);
            },
            &[0x1400_0002, 0xd65f_03c0],
        ),
        (
            "fcmp d3, 0.0; b.eq .+8; ret",
            |code| {
                let jump = code.jump_if_zero(3, Register(0));
                code.end(One);
                code.land(jump);
            },
            &[0x1e60_2068, 0x5400_0040, 0xd65f_03c0],
        ),
        (
            "fcmp d2, d1; b.le .+4",
            |code| {
                let jump = code.jump_unless_less(Register(1), 2, false);
                code.land(jump);
            },
            &[0x1e61_2040, 0x5400_002d],
        ),
        (
            "ldr d30, [x19, 8]; fcmp d2, d30; b.lt .+4",
            |code| {
                let jump = code.jump_unless_less(Memory(AddressRegister::Memory, 8), 2, true);
                code.land(jump);
            },
            &[0xfd40_067e, 0x1e7e_2040, 0x5400_002b],
        ),
        (
            "fcmp d2, 0.0; b.eq .+4",
            |code| {
                let jump = code.jump_unless_all(One, 2, Register(0));
                code.land(jump);
            },
            &[0x1e60_2048, 0x5400_0020],
        ),
        (
            "fcmgt d31, d1, d2; fmov x16, d31; cmn x16, 1; b.ne .+4",
            |code| {
                let jump = code.jump_unless_all_less(One, 2, Register(1), 0);
                code.land(jump);
            },
            &[0x7ee2_e43f, 0x9e66_03f0, 0xb100_061f, 0x5400_0021],
        ),
        ("add x0, x19, 8", |code| code.first_argument(8), &[0x9100_2260]),
        (
            "add x1, x19, 0x12, lsl 12; add x1, x1, 0x345",
            |code| code.second_argument(0x1_2345),
            &[0x9140_4a61, 0x910d_1421],
        ),
        ("mov x17, -8; add x0, x19, x17", |code| code.first_argument(-8), &[0x9280_00f1, 0x8b11_0260]),
        ("mov x2, 7", |code| code.third_argument(7), &[0xd280_00e2]),
        (
            "movz x1, 0x9abc; movk x1, 0x5678, lsl 16; movk x1, 0x1234, lsl 32",
            |code| code.second_argument_at(0x1234_5678_9abc),
            &[0xd293_5781, 0xf2aa_cf01, 0xf2c2_4681],
        ),
        ("mov x3, 0x10000", |code| code.fourth_argument_at(0x10000), &[0xd2a0_0023]),
        (
            "movz x16, 0x1234; movk x16, 0xffff, lsl 32; blr x16",
            |code| code.call(0xffff_0000_1234),
            &[0xd282_4690, 0xf2df_fff0, 0xd63f_0200],
        ),
    ];
    for (text, emit, expected) in cases {
        assert_eq!(words(*emit), (expected.to_vec(), true), "{text}");
    }
}

#[test]
fn what_does_not_fit_an_instruction_is_noticed() {
    let beyond: [(&str, Emit); 5] = [
        ("an offset", |code| code.load(One, 0, AddressRegister::Memory, BEYOND)),
        ("an argument", |code| code.first_argument(BEYOND)),
        // The second part of four numbers is 16 bytes on.
        ("a second part", |code| code.load(Four, 0, AddressRegister::Memory, i32::MAX - 15)),
        ("a member", |code| code.next_members(1 << 12, 0)),
        ("a jump", |code| {
            let jump = code.jump_if_zero(0, Register(0));
            code.bytes.resize(jump + (1 << 20), 0);
            code.land(jump);
        }),
    ];
    for (what, emit) in beyond {
        assert!(!words(emit).1, "{what}");
    }
    let within: [Emit; 4] = [
        |code| code.load(Four, 0, AddressRegister::Memory, i32::MAX - 17),
        |code| code.first_argument(i32::MAX - 1),
        |code| code.next_members((1 << 12) - 1, 0),
        |code| {
            let jump = code.jump_if_zero(0, Register(0));
            code.bytes.resize(jump + (1 << 20) - 8, 0);
            code.land(jump);
        },
    ];
    for emit in within {
        assert!(words(emit).1);
    }
}
