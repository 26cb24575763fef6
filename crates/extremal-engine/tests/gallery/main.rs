//! The gallery against independent truth: equations typed by hand, motions computed by other programs.

mod bits;
mod equations;
mod hand_typed;
mod runs;

use extremal_engine::{Model, gallery};

fn model(name: &str) -> Model {
    let text = gallery::text(name).unwrap_or_else(|| panic!("no gallery model {name}"));
    Model::from_toml(text).unwrap_or_else(|e| panic!("{}", e.render(name, false)))
}
