//! Sweeps on a GPU beside kernels written by hand, beside JAX, and, for every model of the gallery, beside the processor: on a machine that
//! has a GPU. Tables for docs/benchmarks.md.

use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use crate::gallery::models;
use crate::shell::{Step, TaskFailure, heading, root};

/// Members and steps of what is timed.
const MEMBERS: f64 = 1e6;
const STEPS: f64 = 1000.0;
/// The least time of so many calls counts.
const CALLS: usize = 5;
/// Members and steps of what is compared byte for byte.
const COMPARED: [&str; 4] = ["--samples", "10000", "--steps", "100"];

/// A sweep, and the kernel by hand that does the same.
struct TimedSweep {
    title: &'static str,
    floor: &'static str,
    arguments: &'static [&'static str],
}

const TIMED: [TimedSweep; 4] = [
    TimedSweep {
        title: "double pendulum, midpoint",
        floor: "double_pendulum",
        arguments: &["gallery:double-pendulum", "--random", "θ1=2:3", "--random", "θ2=1:2"],
    },
    TimedSweep {
        title: "Hénon and Heiles, kahan-li8",
        floor: "henon_heiles",
        arguments: &[
            "gallery:henon-heiles",
            "--method",
            "kahan-li8",
            "--random",
            "x=-0.1:0.1",
            "--random",
            "y=-0.1:0.1",
        ],
    },
    TimedSweep {
        title: "ideal gas with a piston, energy-entropy",
        floor: "piston",
        arguments: &[
            "gallery:ideal-gas-piston",
            "--method",
            "energy-entropy",
            "--start",
            "legendre",
            "--random",
            "S0=0:2",
        ],
    },
    TimedSweep {
        title: "pendulum with a rod, Störmer–Verlet",
        floor: "rod",
        arguments: &[
            "gallery:pendulum-rod",
            "--method",
            "trapezoidal",
            "--random",
            "phi0=0.5:2.5",
            "--random",
            "w0=-1:1",
        ],
    },
];

/// Builds the program, unless one is given, and compares.
pub fn all(program: Option<&str>) -> Result<(), TaskFailure> {
    let program = match program {
        Some(program) => PathBuf::from(program),
        None => {
            let build = ["build", "--release", "-p", "extremal-cli"];
            Step::cargo("cargo build --release", &build).run()?;
            root().join(format!("target/release/extremal{}", env::consts::EXE_SUFFIX))
        }
    };
    let folder = env::temp_dir().join(format!("extremal-gpu-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| TaskFailure::of("gpu", &error))?;
    let outcome = times(&program, &folder).and_then(|()| jax()).and_then(|()| bits(&program, &folder));
    fs::remove_dir_all(&folder).map_err(|error| TaskFailure::of("gpu", &error))?;
    outcome
}

/// Nanoseconds per member and step: in all, a further step, and by hand.
fn times(program: &Path, folder: &Path) -> Result<(), TaskFailure> {
    heading("times");
    println!("| sweep of 1e6 members, 1000 steps | in all | ready before | a further step | kernel by hand | ratio |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for TimedSweep { title, floor, arguments } in TIMED {
        let (mut first, mut ready) = (f64::INFINITY, f64::INFINITY);
        let mut longer = f64::INFINITY;
        let mut refused = None;
        for _ in 0..CALLS {
            let one = swept(program, arguments, STEPS)?;
            refused = one["refused"].as_str().map(str::to_owned);
            let seconds = |told: &Value, name: &str| told[name].as_f64().unwrap_or(f64::NAN);
            ready = ready.min(seconds(&one, "ready_seconds"));
            first = first.min(seconds(&one, "marching_seconds") - seconds(&one, "ready_seconds"));
            let two = swept(program, arguments, 2.0 * STEPS)?;
            longer = longer.min(seconds(&two, "marching_seconds") - seconds(&two, "ready_seconds"));
        }
        let by_hand = kernel_by_hand(floor, folder)?;
        let each = |seconds: f64| seconds * 1e9 / MEMBERS / STEPS;
        let of_hand = by_hand.map_or_else(|| "no nvcc".to_owned(), |time| format!("{time:.4} ns"));
        match refused {
            Some(why) => println!("| {title} | by the processor: {why} | | | {of_hand} | |"),
            None => {
                let step = each(longer - first);
                let ratio = by_hand.map_or_else(String::new, |time| format!("{:.2}", step / time));
                let (all, ready) = (each(first), 1e3 * ready);
                println!("| {title} | {all:.4} ns | {ready:.1} ms | {step:.4} ns | {of_hand} | {ratio} |");
            }
        }
    }
    Ok(())
}

/// What the program says of its devices after a sweep.
fn swept(program: &Path, arguments: &[&str], steps: f64) -> Result<Value, TaskFailure> {
    let (members, steps) = (MEMBERS.to_string(), steps.to_string());
    let common = ["--step", "0.01", "--steps", &steps, "--samples", &members, "--device", "gpu", "--json"];
    let call = [&["sweep"], arguments, &common].concat();
    let told = Step::new(&format!("extremal {}", call.join(" ")), program, &call).output()?;
    let told: Value = serde_json::from_str(&told)
        .map_err(|error| TaskFailure { step: "gpu".to_owned(), reason: error.to_string() })?;
    Ok(told["device"].clone())
}

/// The time of a step of a kernel by hand; none without a compiler.
fn kernel_by_hand(floor: &str, folder: &Path) -> Result<Option<f64>, TaskFailure> {
    let source = format!("benches/floors/gpu/{floor}.cu");
    let built = folder.join(floor);
    let built = built.to_string_lossy();
    let options =
        ["-std=c++17", "-O3", "-arch=native", "-fmad=false", "-Xcompiler", "-O3,-march=native,-ffp-contract=off"];
    let call = [&options[..], &[&source, "-o", &*built]].concat();
    if Step::new("nvcc", Path::new("nvcc"), &call).run_silently().is_err() {
        return Ok(None);
    }
    let (members, steps) = (MEMBERS.to_string(), STEPS.to_string());
    let told = Step::new(floor, Path::new(&*built), &[&members, &steps]).output()?;
    let time = told.split("device: ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
    Ok(time)
}

fn jax() -> Result<(), TaskFailure> {
    heading("JAX");
    match Step::new("jax", Path::new("python3"), &["benches/peers/jax_ensemble.py"]).output() {
        Ok(told) => print!("{told}"),
        Err(failure) => println!("not here: {}", failure.reason.lines().next().unwrap_or_default()),
    }
    Ok(())
}

/// The files of every model that devices take, byte for byte.
fn bits(program: &Path, folder: &Path) -> Result<(), TaskFailure> {
    heading("bits");
    let (mut same, mut different) = (Vec::new(), Vec::new());
    for model in models().map_err(|error| TaskFailure::of("gallery", &error))? {
        let file = model.to_string_lossy();
        let Some(axes) = axes(&model) else { continue };
        let varied: Vec<&str> = axes.iter().flat_map(|axis| ["--random", axis]).collect();
        let rows = |name: &str, device: &str| -> Option<(Vec<u8>, Value)> {
            let out = folder.join(format!("{name}.csv"));
            let out_text = out.to_string_lossy();
            let end = ["--device", device, "--force", "--json", "--out", &*out_text];
            let call = [&["sweep", &*file], &varied[..], &COMPARED, &end].concat();
            // A model that is no motion from a start is none to compare.
            let told = Step::new("extremal sweep", program, &call).output().ok()?;
            Some((fs::read(&out).ok()?, serde_json::from_str(&told).ok()?))
        };
        let Some((there, told)) = rows("there", "gpu") else { continue };
        if !told["device"]["refused"].is_null() {
            continue;
        }
        let Some((here, _)) = rows("here", "cpu") else { continue };
        let name = model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let left = told["device"]["left"].as_u64().unwrap_or(0);
        if here == there { same.push(format!("{name} ({left})")) } else { different.push(name) }
    }
    println!(
        "{} models have the bytes of the processor with 10000 members, of which so many were marched again:",
        same.len()
    );
    println!("{}", same.join(", "));
    match different.is_empty() {
        true => Ok(()),
        false => Err(TaskFailure { step: "bits".to_owned(), reason: format!("different: {}", different.join(", ")) }),
    }
}

/// What varies: starts that are numbers, and the first parameter.
fn axes(model: &Path) -> Option<Vec<String>> {
    let text = fs::read_to_string(model).ok()?;
    let table = DeTable::parse(&text).ok()?.into_inner();
    let mut axes = Vec::new();
    for (name, coordinate) in table.get("coordinates")?.get_ref().as_table()? {
        let start = coordinate.get_ref().as_table().and_then(|coordinate| coordinate.get("start"));
        if let Some(start) = start.and_then(|start| number(start.get_ref())) {
            let wide = 0.02 * start.abs() + 0.01;
            axes.push(format!("{}={}:{}", name.get_ref(), start - wide, start + wide));
        }
    }
    let parameters = table.get("parameters").and_then(|parameters| parameters.get_ref().as_table());
    let first = parameters.and_then(|all| all.iter().find_map(|(name, value)| Some((name, number(value.get_ref())?))));
    let first = first.filter(|(_, value)| *value != 0.0);
    axes.extend(first.map(|(name, value)| format!("{}={value}:{}", name.get_ref(), 1.01 * value)));
    (!axes.is_empty()).then_some(axes)
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(number) => number.as_str().parse().ok(),
        DeValue::Float(number) => number.as_str().parse().ok(),
        _ => None,
    }
}
