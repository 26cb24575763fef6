//! How long a chain of n pendulums takes from its text until it can march.

use std::hint::black_box;
use std::time::Instant;

use extremal::{Model, Overrides, Run, Settings, gallery};

use crate::timing::{Table, readable};

const LINKS: [u32; 3] = [16, 32, 64];

pub fn measure(table: &mut Table) {
    let text = gallery::text("chain-pendulum").expect("the gallery has a chain");
    let mut previous: Option<f64> = None;
    let mut first = None;
    for links in LINKS {
        let time = (0..15).map(|_| seconds_until_ready(text, links)).fold(f64::INFINITY, f64::min);
        let growth = previous.map_or(String::new(), |before| format!("n^{:.2}", (time / before).log2()));
        table.push([format!("chain of {links} pendulums"), readable(time), String::new(), growth]);
        previous = Some(time);
        first.get_or_insert(time);
    }
    if let (Some(first), Some(last)) = (first, previous) {
        let exponent = (last / first).log2() / 2.0;
        table.push(["16 to 64 links".to_string(), String::new(), String::new(), format!("n^{exponent:.2}")]);
    }
}

/// The shortest of several of these is what the work itself takes, when others use the machine too.
fn seconds_until_ready(text: &str, links: u32) -> f64 {
    let clock = Instant::now();
    let model = Model::load(text, &Overrides::default().set("n", links)).expect("the gallery loads");
    let run = black_box(Run::new(&model, &Settings::of(&model)).expect("the gallery runs"));
    let seconds = clock.elapsed().as_secs_f64();
    drop(run);
    seconds
}
