//! The swing-up of cart and pole, from its text until it is solved. With `EXTREMAL_PEER=python3`, a Python that has casadi, the
//! times of CasADi with IPOPT on the same transcription stand beside (`benches/peers/casadi_cart_pole.py`).

use std::ops::ControlFlow;
use std::process::Command;

use cpu_time::ThreadTime;
use extremal_engine::boundary::{Guess, Problem, SolveSettings, Statement};

use crate::model;
use crate::timing::Table;

/// Steps of the grids, and how often each is solved: the shortest time counts.
const GRIDS: [(usize, usize); 3] = [(50, 20), (400, 10), (3333, 5)];
const PEER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/peers/casadi_cart_pole.py");

pub fn measure(table: &mut Table) {
    let peer = peer();
    for (steps, rounds) in GRIDS {
        let mut shortest = [f64::INFINITY; 2];
        let mut cost = f64::NAN;
        for _ in 0..rounds {
            let clock = ThreadTime::now();
            let model = model("cart-pole-swing");
            let statement = Statement::of(&model).expect("the gallery states a problem");
            let problem = Problem::new(&model, statement, &model.simulation().method).expect("the gallery compiles");
            let built = clock.elapsed().as_secs_f64();
            let settings = SolveSettings { steps: Some(steps), ..SolveSettings::default() };
            let solution = problem.solve(&Guess::Stated, &settings, &mut |_| ControlFlow::Continue(()));
            let solved = clock.elapsed().as_secs_f64() - built;
            let solution = solution.expect("the gallery is solved");
            assert!(solution.status.is_solved());
            cost = solution.objective;
            shortest = [shortest[0].min(built), shortest[1].min(solved)];
        }
        let beside = peer.iter().find(|row| row[0] == steps as f64);
        if let Some(row) = beside {
            assert!((cost - row[4]).abs() < 1e-6, "not the same problem: {cost}, CasADi {}", row[4]);
        }
        let work = ["building", "solution"].map(|part| format!("cart and pole, {steps} steps: {part} (beside CasADi)"));
        for (at, work) in work.iter().enumerate() {
            table.beside_peer(work, shortest[at], beside.map(|row| row[1 + at]));
        }
    }
}

/// Rows of steps, building, solution, iterations and cost.
fn peer() -> Vec<[f64; 5]> {
    let Some(python) = std::env::var_os("EXTREMAL_PEER") else { return Vec::new() };
    let output = Command::new(python).arg(PEER).output().expect("EXTREMAL_PEER names a Python");
    let text = String::from_utf8_lossy(&output.stdout);
    let row = |line: &str| -> Option<[f64; 5]> {
        let numbers: Option<Vec<f64>> = line.split_whitespace().map(|word| word.parse().ok()).collect();
        numbers?.try_into().ok()
    };
    text.lines().filter_map(row).collect()
}
