//! How long the swing-up of cart and pole takes from its text until it is solved; `benches/peers/casadi_cart_pole.py` prints the same
//! for CasADi with IPOPT.

use std::ops::ControlFlow;
use std::time::Instant;

use extremal::boundary::{Guess, Problem, SolveSettings, Statement};

use crate::model;
use crate::timing::{Table, readable};

/// Steps of the grids, and how often each is solved.
const GRIDS: [(usize, usize); 3] = [(50, 20), (400, 10), (3333, 3)];

pub fn measure(table: &mut Table) {
    for (steps, rounds) in GRIDS {
        let (mut building, mut solving, mut said) = (f64::INFINITY, f64::INFINITY, String::new());
        for _ in 0..rounds {
            let clock = Instant::now();
            let model = model("cart-pole-swing");
            let statement = Statement::of(&model).expect("the gallery states a problem");
            let problem = Problem::new(&model, statement, &model.simulation().method).expect("the gallery compiles");
            building = clock.elapsed().as_secs_f64().min(building);
            let settings = SolveSettings { steps: Some(steps), ..SolveSettings::default() };
            let clock = Instant::now();
            let solution = problem.solve(&Guess::Stated, &settings, &mut |_| ControlFlow::Continue(()));
            solving = clock.elapsed().as_secs_f64().min(solving);
            let solution = solution.expect("the gallery is solved");
            assert!(solution.status.is_solved());
            said = format!("{} iterations, {:.7}", solution.iterations, solution.objective);
        }
        table.push([format!("{steps} steps"), readable(building), readable(solving), said]);
    }
}
