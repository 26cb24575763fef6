//! What evaluates the formulas cannot be seen in the results.

use extremal::eval::Backend;
use extremal::{Run, Settings, gallery};

use crate::model;

const STEPS: usize = 25;

/// The bits of all states and observed values of a short run; a motion that ends early ends it for all.
fn bits(name: &str, backend: Backend) -> Vec<u64> {
    let model = model(name);
    let settings = Settings { backend: Some(backend), ..Settings::of(&model) };
    let run = Run::new(&model, &settings).unwrap();
    let mut motion = run.begin().unwrap();
    let mut bits = Vec::new();
    for _ in 0..STEPS {
        if motion.advance().is_err() {
            break;
        }
        bits.extend(motion.state().iter().map(|x| x.to_bits()));
        bits.extend(motion.observe().unwrap().iter().map(|x| x.to_bits()));
    }
    bits
}

#[test]
fn machine_code_gives_the_bits_of_the_tape() {
    for name in gallery::names().filter(|name| model(name).boundary().is_none()) {
        let expected = bits(name, Backend::Tape);
        assert!(!expected.is_empty(), "{name}");
        for backend in [Backend::Avx2, Backend::Avx512] {
            assert!(bits(name, backend) == expected, "{name}: {backend:?} differs from the tape");
        }
    }
}
