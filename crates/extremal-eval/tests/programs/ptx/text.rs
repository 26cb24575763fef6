//! What is refused: by the writer, by the reader, by the assembler.

use std::path::PathBuf;
use std::process::Command;

use extremal_eval::ptx::{KernelRefusal, MemberInput, MemberLayout, module};
use extremal_eval::{EntryPoint, Program};
use extremal_expr::{Function, Function2, Graph, Id, Interpolation, OutsideTable, Relation, TableFunction};
use extremal_testkit::ptx::{DeviceMemory, KernelArgument, PtxModule, PtxProblem};

#[test]
fn refusals() {
    let g = Graph::new();
    let (x, y) = (g.symbol("x").id(), g.symbol("y").id());
    let entry = Program::compile(&g, &[vec![x], vec![y]], &[EntryPoint { tier: 1, outputs: vec![y] }]).unwrap();
    let layout = |inputs: &[usize], outputs: usize| MemberLayout {
        inputs: inputs.iter().map(|count| vec![MemberInput::Uniform; *count]).collect(),
        outputs: vec![Some(0); outputs],
    };
    let said =
        |name: &str, layout: MemberLayout| entry.kernel(name, 0, &layout).err().map(|refusal| refusal.to_string());
    assert_eq!(said("entry", layout(&[1, 1], 1)), None);
    assert_eq!(said("entry", layout(&[1], 1)).unwrap(), "the layout has 1 tiers, the program 2");
    assert_eq!(said("entry", layout(&[1, 2], 1)).unwrap(), "the layout has 2 inputs in a tier, the program 1");
    assert_eq!(said("entry", layout(&[1, 1], 0)).unwrap(), "the layout has 0 outputs, the program 1");
    assert!(said("an entry", layout(&[1, 1], 1)).unwrap().contains("`an entry` is no name"));
    assert_eq!(entry.loop_kernel("rounds", &layout(&[1, 1], 0)).err(), Some(KernelRefusal::NoLoop));

    let goes_on = g.compare(Relation::Lt, g.expr(x), g.expr(y)).id();
    let next = (g.expr(x) + 1).id();
    let rounds = Program::looping(&g, &[vec![x, y]], &[], goes_on, &[next, y], &[]).unwrap();
    let refused = rounds.loop_kernel("rounds", &layout(&[2], 0)).err();
    assert_eq!(refused, Some(KernelRefusal::UniformInLoop { input: 0 }));
    // What is handed on as itself may be the same for all members.
    let inputs = vec![vec![MemberInput::Column(0), MemberInput::Uniform]];
    assert!(rounds.loop_kernel("rounds", &MemberLayout { inputs, outputs: vec![] }).is_ok());

    let symbols: Vec<Id> = (0..600).map(|at| g.symbol(&format!("x{at}")).id()).collect();
    let sum = g.sum(symbols.iter().map(|id| g.expr(*id).sin() * g.expr(y))).id();
    let many = Program::compile(&g, &[symbols, vec![y]], &[EntryPoint { tier: 1, outputs: vec![sum] }]).unwrap();
    let inputs = vec![vec![MemberInput::Uniform; 600], vec![MemberInput::Column(0)]];
    let refused = many.kernel("many", 0, &MemberLayout { inputs, outputs: vec![Some(1)] }).err();
    assert_eq!(refused, Some(KernelRefusal::TooManyUniforms { count: 600, most: 500 }));
}

/// What is not printed is a problem of the reader: types, declarations, values that nobody wrote, places that nobody allocated.
#[test]
fn the_reader_takes_nothing_else() {
    let text = |body: &str| {
        format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(\n\t.param .u64 place$\n)\n{{\n\t.reg .f64 %d<3>;\n\t\
             .reg .b64 %l<2>;\n\t.reg .pred %p<1>;\n\tld.param.u64 %l0, [place$];\n{body}\tret;\n}}\n"
        )
    };
    let run = |body: &str| {
        let mut memory = DeviceMemory::default();
        let place = memory.put(&[2.0]);
        let module = PtxModule::parse(&text(body))?;
        module.launch("k", 1, 1, &[KernelArgument::Long(place)], &mut memory)?;
        Ok::<f64, PtxProblem>(memory.numbers(place, 1)[0])
    };
    let load = "\tld.global.f64 %d0, [%l0];\n";
    let store = "\tst.global.f64 [%l0], %d1;\n";
    assert_eq!(run(&format!("{load}\tsqrt.rn.f64 %d1, %d0;\n{store}")), Ok(2f64.sqrt()));
    for (body, expected) in [
        ("\tsqrt.approx.f64 %d1, %d0;\n", "`sqrt.approx.f64` is not printed"),
        ("\tadd.f64 %d1, %d0, %d0;\n", "`add.f64` is not printed"),
        ("\tadd.rn.f64 %d1, %d0, %l0;\n", "%l0 has another type"),
        ("\tadd.rn.f64 %d1, %d0, 1.0;\n", "`1.0` is no number"),
        ("\tadd.rn.f64 %d1, %d0;\n", "another number of operands"),
        ("\tneg.f64 %d3, %d0;\n", "%d3 is not declared"),
        ("\tneg.f64 %d1, %d2;\n", "is read before it is written"),
        ("\tld.global.f64 %d0, [%l0+8];\n", "were not allocated"),
        ("\tbra L7;\n", "L7 is nowhere"),
        ("\tcall (%d0), f, (%d0);\n", "no function f"),
        ("\t@%d0 ret;\n", "is no condition"),
    ] {
        let problem = run(&format!("{load}{body}")).unwrap_err();
        assert!(problem.0.contains(expected), "{body}: {problem}");
    }
}

/// The assembler, from the variable or from the path.
fn assembler() -> Option<PathBuf> {
    let named = std::env::var_os("EXTREMAL_PTXAS").map(PathBuf::from);
    let found = || {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join("ptxas")).find(|file| file.is_file())
    };
    named.or_else(found)
}

/// Every function and every kind of kernel in one text, assembled where there is an assembler.
#[test]
fn the_assembler_takes_the_text() {
    let Some(assembler) = assembler() else {
        eprintln!("LEFT OUT: no ptxas on the path, and EXTREMAL_PTXAS names none");
        return;
    };
    let g = &Graph::new();
    let (x, y) = (g.symbol("x"), g.symbol("y"));
    let table =
        TableFunction::through("table", &[0.0, 1.0, 3.0], &[1.0, 0.5, 2.0], Interpolation::Linear, OutsideTable::Hold);
    let mut formulas: Vec<Id> = Function::ALL.iter().map(|function| x.call(*function).id()).collect();
    formulas.extend(Function2::ALL.iter().map(|function| g.call2(*function, x, y).id()));
    formulas.extend([x.pow(y).id(), x.table(table.unwrap()).id(), (x / g.int(3)).id(), (x / y).sqrt().id()]);
    let entries = [EntryPoint { tier: 0, outputs: formulas.clone() }];
    let entry = Program::compile(g, &[vec![x.id(), y.id()]], &entries).unwrap();
    let columns: Vec<MemberInput> = (0..2).map(MemberInput::Column).collect();
    let layout = MemberLayout { inputs: vec![columns], outputs: (2..2 + formulas.len()).map(Some).collect() };
    let entry = entry.kernel("entry", 0, &layout).unwrap();
    let sum = g.sum(formulas.iter().map(|id| g.expr(*id)));
    let goes_on = g.compare(Relation::Le, (x - y).abs() / x, g.int(2));
    let again = [(x + y).id()];
    let inputs = [vec![y.id()], vec![x.id()]];
    let program = Program::looping(g, &inputs, &[], goes_on.id(), &[sum.id()], &again).unwrap();
    let layout =
        MemberLayout { inputs: vec![vec![MemberInput::Uniform], vec![MemberInput::Column(0)]], outputs: vec![] };
    let rounds = program.loop_kernel("rounds", &layout).unwrap();

    let folder = std::env::temp_dir().join(format!("extremal-ptx-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let [text, object] = ["kernels.ptx", "kernels.cubin"].map(|name| folder.join(name));
    std::fs::write(&text, module(&[&entry, &rounds])).unwrap();
    let output = Command::new(&assembler).args(["-arch=sm_90", "-o"]).args([&object, &text]).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("warning"), "{}: {said}", assembler.display());
}
