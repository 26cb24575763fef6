//! `compare` over time: the files of its samples and the figures of the sources.

use std::collections::HashMap;

use extremal_testkit::program::Folder;

/// The numbers of a file of samples by column; the method is left out.
fn samples(text: &str) -> Vec<HashMap<String, f64>> {
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let row = |cells: Vec<&str>| {
        let numbers = names.iter().zip(cells).filter_map(|(name, cell)| Some((name.to_string(), cell.parse().ok()?)));
        numbers.collect()
    };
    lines.map(row).collect()
}

/// The largest of a function of the samples with this step, without those where it is no number.
fn largest(samples: &[HashMap<String, f64>], step: f64, of: impl Fn(&HashMap<String, f64>) -> f64) -> f64 {
    samples.iter().filter(|sample| sample["step"] == step).map(of).fold(f64::NEG_INFINITY, f64::max)
}

/// [TT] figure 4.6: x_k − x(kh) of the cart for three steps.
#[test]
fn the_differences_of_the_cart() {
    let folder = Folder::new();
    let command = ["compare", "gallery:cart-with-friction", "--methods", "left", "--entropy", "left"];
    let files = ["--steps", "0.2,0.1,0.05", "--out", "cart.csv", "--out", "cart.parquet"];
    let said = folder.call(&[&command[..], &files].concat()).succeeded();
    assert!(said.contains("written: cart.csv, cart.parquet"), "{said}");
    let samples = samples(&folder.read("cart.csv"));
    assert_eq!(samples.len(), 51 + 101 + 201);
    // The recurrence typed by hand has these digits.
    let error = largest(&samples, 0.1, |sample| sample["x_error"]);
    assert!((error - 0.1978489746).abs() < 5e-11, "{error}");
    for sample in &samples {
        assert_eq!(sample["x_error"], sample["x"] - sample["x_true"]);
    }
}

/// [TP] table 3: the energy of the ideal gas by p⁻ and p⁺, the latter without the first pair, and by the velocity estimate.
#[test]
fn the_energies_of_the_gas() {
    let folder = Folder::new();
    let command = ["compare", "gallery:ideal-gas-piston", "--methods", "midpoint,rk2", "--steps", "0.01"];
    folder.call(&[&command[..], &["--out", "gas.csv"]].concat()).succeeded();
    let text = folder.read("gas.csv");
    let (variational, reference): (Vec<&str>, Vec<&str>) =
        text.lines().skip(1).partition(|line| line.ends_with(",midpoint"));
    assert!(reference.iter().all(|line| line.ends_with(",rk2") && line.contains("NaN,NaN,NaN")), "{}", reference[0]);
    let header = text.lines().next().unwrap();
    let samples = samples(&[&[header], &variational[..]].concat().join("\n"));
    let off =
        |column: &'static str| move |sample: &HashMap<String, f64>| (sample[column] - sample["energy_true"]).abs();
    let by = |column: &'static str, first: f64| {
        let kept: Vec<_> = samples.iter().filter(|sample| sample["sample"] >= first).cloned().collect();
        largest(&kept, 0.01, off(column))
    };
    for (found, printed) in
        [(by("energy_p-", 0.0), 2695.0), (by("energy_p+", 2.0), 1894.0), (by("energy_v", 0.0), 1557.0)]
    {
        assert!((found - printed).abs() <= 0.5, "{found}, and {printed} is printed");
    }
    let (first, last) = (&samples[0], &samples[samples.len() - 1]);
    assert!(first["energy_p+"].is_nan() && first["energy_v"].is_nan() && last["energy_p-"].is_nan());
    assert_eq!(last["energy_p+"], last["energy"]);
}

/// Every command of the table of figures draws what it says: the truth, the methods over time, errors, energies.
#[test]
fn the_figures_of_the_sources_are_drawn() {
    let page = include_str!("../../../../docs/papers.md");
    let commands: Vec<&str> = (page.lines())
        .filter(|line| line.starts_with("| [T") && line.contains("--plot"))
        .filter_map(|line| line.split('`').find(|part| part.starts_with("extremal compare")))
        .collect();
    assert_eq!(commands.len(), 8);
    let folder = Folder::new();
    for command in commands {
        let words: Vec<&str> = command.split_whitespace().skip(1).collect();
        folder.call(&words).succeeded();
        let picture = folder.read(words[words.len() - 1]);
        for part in ["truth", "over time", "Error of ", "Energy", "h = "] {
            assert!(picture.contains(part), "{command}: no {part}");
        }
    }
}

#[test]
fn several_steps_are_drawn_over_the_step_unless_asked_otherwise() {
    let folder = Folder::new();
    let command = ["compare", "gallery:pendulum", "--methods", "midpoint,rk4", "--steps", "0.1,0.05", "--until", "1"];
    folder.call(&[&command[..], &["--plot", "a.svg"]].concat()).succeeded();
    assert!(folder.read("a.svg").contains("step h"));
    folder.call(&[&command[..], &["--plot", "b.svg", "--over", "time"]].concat()).succeeded();
    let picture = folder.read("b.svg");
    assert!(picture.contains("midpoint, h = 0.05, by p") && !picture.contains("step h"), "{picture}");
}

#[test]
fn what_cannot_be_written_is_said_before_anything_is_computed() {
    let folder = Folder::new();
    let command = |file: &str| folder.call(&["compare", "gallery:pendulum", "--out", file]);
    assert!(command("a.json").failed_with(2).contains("its name should end in .csv or .parquet"));
    assert!(command("nowhere/a.csv").failed_with(2).contains("nowhere"));
    assert!(folder.call(&["compare", "gallery:pendulum", "--over", "time"]).failed_with(2).contains("--plot"));
}
