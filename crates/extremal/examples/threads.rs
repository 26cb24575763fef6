//! One model on several threads.

use std::thread;

use extremal::{Error, Model};

pub(crate) fn main() -> Result<(), Error> {
    let model = Model::gallery("pendulum")?;
    let lengths = [0.5, 1.0, 2.0];
    let ends = thread::scope(|scope| {
        let tasks = lengths.map(|l| {
            let model = model.clone();
            scope.spawn(move || Ok::<f64, Error>(model.with("l", l)?.simulate().until(3.0).run()?.end().q("theta")))
        });
        tasks.map(|task| task.join().expect("no task panics"))
    });
    for (l, end) in lengths.iter().zip(ends) {
        println!("l = {l}: theta(3) = {}", end?);
    }
    Ok(())
}
