//! Runs that go on from the last row of a file.

use extremal_engine::boundary::SolutionTable;
use extremal_engine::run::RestartError;
use extremal_engine::{CompiledRun, Model, Settings};
use extremal_testkit::runs::{Lasting, RecordedRun, executed, gallery, record, with};

/// All rows of a run, as a file has them.
fn file(run: &RecordedRun) -> SolutionTable {
    let names: Vec<String> = run.recorder.columns().names().map(str::to_owned).collect();
    let columns: Vec<Vec<f64>> = names.iter().map(|name| run.column(name)).collect();
    let rows = (0..columns[0].len()).map(|row| columns.iter().map(|column| column[row]).collect()).collect();
    SolutionTable { names, rows }
}

fn halves(model: &Model, settings: &Settings, before: u64, all: u64) -> (RecordedRun, RecordedRun, Vec<String>) {
    let first = record(model, &settings.clone().steps(before));
    let run = CompiledRun::new(model, &settings.clone().steps(all)).unwrap().restarted(&file(&first)).unwrap();
    (record(model, &settings.clone().steps(all)), executed(&run), run.notes())
}

#[test]
fn explicit_steps_go_on_with_the_same_bits() {
    for (name, method) in [
        ("kepler", "trapezoidal"),
        ("kepler", "rk4"),
        ("henon-heiles", "compose(kahan-li8, trapezoidal)"),
        ("three-body-figure-eight", "compose(suzuki4, trapezoidal)"),
        ("fermi-pasta-ulam", "trapezoidal"),
        ("lotka-volterra", "rk2"),
    ] {
        let model = gallery(name);
        let settings = with(&model, method, 0.01);
        // Rows alone, blocks of rows, and both.
        for (before, all) in [(3, 9), (700, 1500), (5, 1200)] {
            let (long, rest, notes) = halves(&model, &settings, before, all);
            assert!(notes.iter().all(|note| !note.contains("goes on")), "{name}, {method}: {notes:?}");
            assert_eq!(rest.outcome.steps, all - before, "{name}, {method}");
            for column in long.recorder.columns().names() {
                let (whole, part) = (long.column(column), rest.column(column));
                let same = whole[before as usize..].iter().zip(&part).all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(same && part.len() as u64 == all - before + 1, "{name}, {method}: {column}");
            }
        }
    }
}

/// Steps that are solved from those before them go on from the same state, and it is said that their last digits differ.
#[test]
fn implicit_steps_go_on_up_to_their_last_digits() {
    for (name, method) in [
        ("double-pendulum", "midpoint"),
        ("pendulum-rod", "midpoint"),
        ("piston-between-gases", "midpoint"),
        ("kepler", "gauss(2)"),
    ] {
        let model = gallery(name);
        let settings = match name {
            "piston-between-gases" => Settings::of(&model),
            _ => with(&model, method, 0.01),
        };
        let (long, rest, notes) = halves(&model, &settings, 40, 90);
        assert!(notes.iter().any(|note| note.contains("last digits")), "{name}: {notes:?}");
        for column in long.recorder.columns().names() {
            let (a, b) = (long.last(column), rest.last(column));
            // Residuals of fifty steps at round-off.
            assert!((a - b).abs() < 1e-9 * a.abs().max(1.0), "{name}: {column}, {a} and {b}");
        }
    }
}

#[test]
fn what_does_not_go_on_is_said() {
    let model = gallery("kepler");
    let settings = with(&model, "trapezoidal", 0.01);
    let rows = file(&record(&model, &settings.clone().steps(100)));
    let refused = |settings: &Settings, rows: &SolutionTable| {
        CompiledRun::new(&model, settings).unwrap().restarted(rows).err().unwrap()
    };
    let longer = settings.clone().steps(200);
    assert!(matches!(refused(&settings.clone().steps(100), &rows), RestartError::Ended { .. }));
    assert!(matches!(refused(&with(&model, "trapezoidal", 0.03).until(2.0), &rows), RestartError::BetweenSteps { .. }));
    assert!(matches!(refused(&with(&model, "dop853", 0.01).steps(200), &rows), RestartError::Method { .. }));
    let mut without = rows.clone();
    let place = without.names.iter().position(|name| name == "p_x").unwrap();
    without.names[place] = "q".to_owned();
    assert_eq!(refused(&longer, &without), RestartError::Missing { column: "p_x".to_owned() });
    let mut broken = rows;
    broken.rows.last_mut().unwrap()[place] = f64::NAN;
    assert_eq!(refused(&longer, &broken), RestartError::NotFinite { column: "p_x".to_owned() });
}
