//! The file: formulas, and the functions that call them.

use extremal_eval::source::{
    Argument, FormulaSource, InputPlace, Language, NumberTable, ProgramInput, SourceFile, SourceFunction,
    SourceStatement,
};
use extremal_solve::{ExplicitStep, NewtonOptions};

use super::ExportError;
use super::block::ExportBlock;
use super::heading::heading;
use super::parts::{DenseMatrix, ExportParts};

/// Operations that are written out.
const MOST_OPERATIONS: usize = 200_000;

pub(super) fn write(parts: &ExportParts<'_>, language: Language) -> Result<String, ExportError> {
    let operations = operations(parts);
    if operations > MOST_OPERATIONS {
        return Err(ExportError::TooLong { operations, limit: MOST_OPERATIONS });
    }
    let name = parts.model.name().unwrap_or("model");
    let mut file = SourceFile::new(language, name, &parts.parameters);
    tables(parts, &mut file);
    continuous(parts, &mut file);
    discrete(parts, &mut file);
    let tolerance = parts.settings.tolerance.unwrap_or(NewtonOptions::default().tolerance);
    Ok(file.finish(&heading(parts, language), tolerance))
}

fn operations(parts: &ExportParts<'_>) -> usize {
    let blocks = [&parts.rates, &parts.start, &parts.step, &parts.observe];
    let blocks = blocks.into_iter().chain(&parts.invariant_formulas).map(|block| block.operations());
    let matrices = parts.mass.iter().chain([&parts.slopes]).map(|matrix| matrix.source("", "").operations());
    blocks.chain(matrices).sum()
}

/// Names and the start.
fn tables(parts: &ExportParts<'_>, file: &mut SourceFile) {
    let mut state = parts.state.clone();
    if parts.carries_velocities {
        state.extend_from_slice(&parts.velocities);
    }
    file.table(
        "phase_names",
        "The phase state: what the continuous equations move.",
        &NumberTable::Texts(&parts.phase),
    );
    file.table("initial", "Where the model starts.", &NumberTable::Numbers(&parts.initial));
    let comment = match parts.carries_velocities {
        true => {
            "What a step carries; its last numbers are the velocities, with which the search for the next step begins."
        }
        false => "What a step carries.",
    };
    file.table("state_names", comment, &NumberTable::Texts(&state));
    if !parts.invariants.is_empty() {
        let comment = "What should stay the same, or is watched as such.";
        file.table("invariant_names", comment, &NumberTable::Texts(&parts.invariants));
    }
}

fn array(name: &'static str, length: usize) -> SourceStatement {
    SourceStatement::Array { name, length: length.max(1) }
}

fn copy(to: (&'static str, usize), from: (&'static str, usize), length: usize) -> Option<SourceStatement> {
    (length > 0).then_some(SourceStatement::Copy { to, from, length })
}

impl DenseMatrix {
    fn source<'a>(&'a self, name: &'a str, comment: &'a str) -> FormulaSource<'a> {
        FormulaSource { name, comment, program: &self.program, entry: 0, outputs: &self.places, inputs: &self.inputs }
    }
}

/// Rates, their slopes, the mass matrix.
fn continuous(parts: &ExportParts<'_>, file: &mut SourceFile) {
    let n = parts.phase.len();
    let given = || {
        let phase = SourceStatement::Copy { to: ("given", 0), from: ("y", 0), length: n };
        vec![array("given", n + 1), phase, SourceStatement::Put { to: ("given", n), value: "t" }]
    };
    let arguments = |out: &'static str, length: usize| {
        vec![Argument::Scalar("t"), Argument::Given("y", n), Argument::Written(out, length)]
    };
    parts.rates.write(file);
    let mut body = given();
    body.push(array("result", n));
    body.extend(parts.rates.statements("given", "found", "result"));
    body.push(SourceStatement::Finite { array: "result", length: n });
    body.extend(copy(("dy", 0), ("result", 0), n));
    let comment = "The right-hand side: the rates dy of the phase state y at the time t.".to_owned();
    file.function(&SourceFunction { name: "rates".to_owned(), comment, arguments: arguments("dy", n), body });

    let slopes = parts.slopes.source("jacobian_formulas", "Slopes of the rates, row by row.");
    file.formulas(&slopes);
    let mut body = given();
    let formulas = "jacobian_formulas".to_owned();
    if parts.rates.is_explicit() {
        body.push(array("result", n * n));
        body.push(SourceStatement::Call { formulas, given: "given", found: "given", out: "result" });
    } else {
        body.extend(parts.rates.solving("given", "found"));
        body.push(array("parts", parts.slopes.length));
        body.push(SourceStatement::Call { formulas, given: "given", found: "found", out: "parts" });
        body.push(array("result", n * n));
        body.push(SourceStatement::Slopes { sizes: [n, n, parts.rates.unknowns()], parts: "parts", out: "result" });
    }
    body.push(SourceStatement::Finite { array: "result", length: n * n });
    body.extend(copy(("slopes", 0), ("result", 0), n * n));
    let comment = format!("The Jacobian of the right-hand side, {n} rows one after the other: d dy[i] / d y[j].");
    let arguments_of_slopes = arguments("slopes", n * n);
    file.function(&SourceFunction { name: "jacobian".to_owned(), comment, arguments: arguments_of_slopes, body });

    if let Some(mass) = &parts.mass {
        let [rows, columns] = mass.size;
        file.formulas(&mass.source("mass_formulas", "Entries of the mass matrix, row by row."));
        let mut body = given();
        body.push(array("result", mass.length));
        let formulas = "mass_formulas".to_owned();
        body.push(SourceStatement::Call { formulas, given: "given", found: "given", out: "result" });
        body.push(SourceStatement::Finite { array: "result", length: mass.length });
        body.extend(copy(("mass", 0), ("result", 0), mass.length));
        let comment = "The mass matrix, second derivatives of the Lagrangian by velocities, row by row.".to_owned();
        let arguments = arguments("mass", rows * columns);
        file.function(&SourceFunction { name: "mass_matrix".to_owned(), comment, arguments, body });
    }
}

/// Start, step and what is observed of a state.
fn discrete(parts: &ExportParts<'_>, file: &mut SourceFile) {
    let (phase, state, carried) = (parts.phase.len(), parts.state.len(), parts.carried());
    let (known, velocities) = (parts.motion + parts.entropies, parts.velocities.len());
    parts.start.write(file);
    let length = known + 2 + parts.multipliers;
    let mut body = vec![array("given", length)];
    body.extend(copy(("given", 0), ("y", 0), known));
    body.push(SourceStatement::Put { to: ("given", known), value: "t" });
    body.push(SourceStatement::Put { to: ("given", known + 1), value: "h" });
    body.extend(copy(("given", known + 2), ("y", phase - parts.multipliers), parts.multipliers));
    body.push(array("result", carried));
    body.extend(parts.start.statements("given", "found", "result"));
    if parts.carries_velocities {
        body.extend(copy(("result", state), ("y", parts.motion - velocities), velocities));
    }
    body.push(SourceStatement::Finite { array: "result", length: carried });
    body.extend(copy(("x", 0), ("result", 0), carried));
    let comment = "The state x that a motion with steps h begins with at the time t, from a phase state y.".to_owned();
    let arguments = vec![
        Argument::Scalar("t"),
        Argument::Scalar("h"),
        Argument::Given("y", phase),
        Argument::Written("x", carried),
    ];
    file.function(&SourceFunction { name: "start".to_owned(), comment, arguments, body });

    if velocities > 0 {
        let comment = "The velocities that belong to the state x at the time t.";
        observing(parts, &parts.observe, file, ["velocities", comment, "v"], velocities);
    }
    if let Some(invariants) = &parts.invariant_formulas {
        let comment = "The energy of the state x at the time t, and what else the model states as conserved.";
        observing(parts, invariants, file, ["invariants", comment, "values"], parts.invariants.len());
    }
    match &parts.explicit {
        Some(explicit) => explicit_step(parts, explicit, file),
        None => step(parts, file),
    }
}

/// A function of the state: velocities, or invariants.
fn observing(
    parts: &ExportParts<'_>,
    block: &ExportBlock,
    file: &mut SourceFile,
    [name, comment, out]: [&'static str; 3],
    count: usize,
) {
    block.write(file);
    let mut body = observation_inputs(parts, "x", "t");
    body.push(array("result", count));
    body.extend(block.statements("given", "found", "result"));
    body.push(SourceStatement::Finite { array: "result", length: count });
    body.extend(copy((out, 0), ("result", 0), count));
    let arguments = vec![Argument::Scalar("t"), Argument::Given("x", parts.carried()), Argument::Written(out, count)];
    file.function(&SourceFunction { name: name.to_owned(), comment: comment.to_owned(), arguments, body });
}

/// What is given to observe a state: the state, the time, and velocities to begin with.
fn observation_inputs(parts: &ExportParts<'_>, state: &'static str, time: &'static str) -> Vec<SourceStatement> {
    let (own, velocities) = (parts.state.len(), parts.velocities.len());
    let mut body = vec![array("given", own + 1 + velocities)];
    body.extend(copy(("given", 0), (state, 0), own));
    body.push(SourceStatement::Put { to: ("given", own), value: time });
    if parts.carries_velocities {
        body.extend(copy(("given", own + 1), (state, own), velocities));
    }
    body
}

const STEP: &str = "One step of size h from the state x at the time t. Where it fails, x stays as it is.";

/// A whole step in one program.
fn explicit_step(parts: &ExportParts<'_>, explicit: &ExplicitStep, file: &mut SourceFile) {
    let n = parts.state.len();
    let number = |value: &f64| ProgramInput { name: String::new(), place: InputPlace::Number(*value) };
    let given = |(at, name): (usize, &str)| ProgramInput { name: name.to_owned(), place: InputPlace::Given(at) };
    let first = parts.step_parameters.iter().cloned().chain(explicit.limits.iter().map(number)).collect();
    let time = parts.model.graph().expr(parts.model.time().id()).to_string();
    let times = [(0, "h"), (1, time.as_str())].map(given).to_vec();
    let mut going: Vec<ProgramInput> =
        parts.state.iter().enumerate().map(|(at, name)| given((2 + at, name.as_str()))).collect();
    // The number of the step, for the first time is that of the state; what follows is not read by the next state.
    let inputs = explicit.program.machine().inputs(2).len();
    going.resize_with(inputs, || number(&0.0));
    let inputs: Vec<Vec<ProgramInput>> = vec![first, times, going];
    let outputs: Vec<(usize, usize)> = (0..=n).map(|at| (at, (at + n) % (n + 1))).collect();
    let comment = "The state after a step, and whether that is finite, satisfies the conditions and can be observed.";
    file.formulas(&FormulaSource {
        name: "step_formulas",
        comment,
        program: &explicit.program,
        entry: 0,
        outputs: &outputs,
        inputs: &inputs,
    });
    let mut body = vec![array("given", n + 2)];
    body.push(SourceStatement::Put { to: ("given", 0), value: "h" });
    body.push(SourceStatement::Put { to: ("given", 1), value: "t" });
    body.extend(copy(("given", 2), ("x", 0), n));
    body.push(array("next", n + 1));
    let formulas = "step_formulas".to_owned();
    body.push(SourceStatement::Call { formulas, given: "given", found: "given", out: "next" });
    body.push(SourceStatement::Finite { array: "next", length: n });
    body.push(SourceStatement::Guards { of: ("next", n), count: 1 });
    body.extend(copy(("x", 0), ("next", 0), n));
    file.function(&SourceFunction {
        name: "step".to_owned(),
        comment: STEP.to_owned(),
        arguments: vec![Argument::Scalar("t"), Argument::Scalar("h"), Argument::Written("x", n)],
        body,
    });
}

/// A step, or the substeps of a composition, by solving the block.
fn step(parts: &ExportParts<'_>, file: &mut SourceFile) {
    let (n, carried, guards) = (parts.state.len(), parts.carried(), parts.guards.len());
    parts.step.write(file);
    let mut body = vec![array("now", carried)];
    body.extend(copy(("now", 0), ("x", 0), carried));
    body.push(array("next", n + guards));
    match parts.substeps[..] {
        [1.0] => body.extend(substep(parts, ["t", "h", "t + h"])),
        _ => {
            let mut elapsed = 0.0;
            let fractions = parts.substeps.iter().map(|fraction| {
                let before = elapsed;
                elapsed += fraction;
                (before, *fraction)
            });
            let fractions = fractions.collect();
            let body_of_each = substep(parts, ["instant", "length", "instant + length"]);
            body.push(SourceStatement::Substeps { fractions, body: body_of_each });
        }
    }
    if guards > 0 {
        body.push(SourceStatement::Guards { of: ("next", n), count: guards });
    }
    body.extend(copy(("x", 0), ("now", 0), carried));
    file.function(&SourceFunction {
        name: "step".to_owned(),
        comment: STEP.to_owned(),
        arguments: vec![Argument::Scalar("t"), Argument::Scalar("h"), Argument::Written("x", carried)],
        body,
    });
}

/// From the state `now` to the one after a substep, which begins at a time, has a length, and leads to another time.
fn substep(parts: &ExportParts<'_>, [time, size, after]: [&'static str; 3]) -> Vec<SourceStatement> {
    let (n, velocities) = (parts.state.len(), parts.velocities.len());
    let mut body = vec![array("taken", n + 2 + velocities)];
    body.extend(copy(("taken", 0), ("now", 0), n));
    body.push(SourceStatement::Put { to: ("taken", n), value: time });
    body.push(SourceStatement::Put { to: ("taken", n + 1), value: size });
    if parts.carries_velocities {
        body.extend(copy(("taken", n + 2), ("now", n), velocities));
    }
    body.extend(parts.step.statements("taken", "unknowns", "next"));
    body.push(SourceStatement::Finite { array: "next", length: n });
    body.extend(copy(("now", 0), ("next", 0), n));
    if parts.carries_velocities {
        body.extend(observation_inputs(parts, "now", after));
        body.push(array("result", velocities));
        body.extend(parts.observe.statements("given", "found", "result"));
        body.push(SourceStatement::Finite { array: "result", length: velocities });
        body.extend(copy(("now", n), ("result", 0), velocities));
    }
    body
}
