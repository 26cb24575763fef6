//! Every example runs.

#[path = "../examples/conserved.rs"]
mod conserved;
#[path = "../examples/constraints.rs"]
mod constraints;
#[path = "../examples/control.rs"]
mod control;
#[path = "../examples/ensemble.rs"]
mod ensemble;
#[path = "../examples/equations.rs"]
mod equations;
#[path = "../examples/heat.rs"]
mod heat;
#[path = "../examples/orders.rs"]
mod orders;
#[path = "../examples/pendulum.rs"]
mod pendulum;
#[path = "../examples/progress.rs"]
mod progress;
#[path = "../examples/threads.rs"]
mod threads;

use extremal::{Ensemble, Error, Model, Motion, Run, Simulation, Solution, Stream, Sweep};

macro_rules! runs {
    ($($example:ident),* $(,)?) => {
        $(#[test]
        fn $example() -> Result<(), Error> {
            $example::main()
        })*
    };
}

mod run {
    use super::*;

    runs!(conserved, constraints, control, ensemble, equations, heat, orders, pendulum, progress, threads);
}

/// What users keep and hand between threads.
#[test]
fn models_and_results_can_be_shared() {
    fn shared<T: Clone + Send + Sync + 'static>() {}
    shared::<Model>();
    shared::<Simulation>();
    shared::<Run>();
    shared::<Sweep>();
    shared::<Ensemble>();
    shared::<Solution>();
    fn sent<T: Send + 'static>() {}
    sent::<Error>();
    sent::<Stream>();
    sent::<Motion>();
    fn compiled<T: Send + Sync + 'static>() {}
    compiled::<extremal_engine::CompiledRun>();
    compiled::<extremal_engine::sweep::CompiledSweep>();
}

/// What was asked before does not change the numbers.
#[test]
fn a_run_has_the_same_bits_after_an_analysis() -> Result<(), Error> {
    let model = Model::gallery("double-pendulum")?;
    let before = model.simulate().until(2.0).run()?;
    model.analyze();
    let after = model.simulate().until(2.0).run()?;
    assert!(before.columns().all(|name| before[name] == after[name]));
    Ok(())
}
