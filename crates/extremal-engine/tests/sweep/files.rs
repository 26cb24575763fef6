//! Files of ensembles: ended anywhere and resumed, they are the file of one call.

use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::Path;

use extremal_engine::sweep::{CompiledSweep, Record, SweepProgress, Variation};
use extremal_engine::trajectory::frame::{Existing, FrameError};
use extremal_engine::{Model, Settings};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

use extremal_testkit::runs::{Lasting, gallery, gallery_with};
use extremal_testkit::sweeps::{grid, random};

const MEMBERS: u64 = 41;

fn variation() -> Variation {
    random(&["θ1=-3:3", "m2=0.5:2"], MEMBERS, 3)
}

fn sweep(model: &Model, variation: Variation) -> CompiledSweep {
    let settings = Settings::of(model).until(0.2);
    CompiledSweep::new(model, &settings, variation, Record::End).unwrap().with_groups_of(4)
}

fn go_on(_: SweepProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The numbers of the members in a file.
fn members(path: &Path) -> Vec<i64> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    reader.get_row_iter(None).unwrap().map(|row| row.unwrap().get_long(0).unwrap()).collect()
}

#[test]
fn ended_anywhere_and_resumed_the_file_is_the_same() {
    let model = gallery("double-pendulum");
    let sweep = sweep(&model, variation());
    let folder = tempfile::tempdir().unwrap();
    for name in ["t.parquet", "t.csv"] {
        let path = folder.path().join(name);
        let whole = sweep.to_file(&path, Existing::Refuse, 1, go_on).unwrap();
        assert!(whole.complete && whole.resumed == 0);
        let expected = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        for stop in [0, 1, 7, 20, 39] {
            let mut existing = Existing::Refuse;
            let mut before = 0;
            let ended = loop {
                let until = before + stop;
                let break_at = |now: SweepProgress| match now.done >= until {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                };
                let outcome = match stop {
                    // The first look comes before the first member: such a call would never end.
                    0 if existing == Existing::Resume => sweep.to_file(&path, existing, 2, go_on).unwrap(),
                    _ => sweep.to_file(&path, existing, 1 + (before % 2) as usize, break_at).unwrap(),
                };
                if outcome.complete {
                    break outcome;
                }
                let done = outcome.summary.members();
                if name.ends_with("parquet") {
                    assert_eq!(members(&path), (0..done as i64).collect::<Vec<_>>());
                }
                assert_eq!(outcome.resumed, before);
                (existing, before) = (Existing::Resume, done);
            };
            assert_eq!(ended.summary, whole.summary, "what was done before counts as well");
            assert_eq!(fs::read(&path).unwrap(), expected, "{name}, looked at every {stop}");
            fs::remove_file(&path).unwrap();
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing else is left");
    }
}

#[test]
fn what_would_lose_or_mix_work_is_refused() {
    let model = gallery("double-pendulum");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let first = sweep(&model, variation());
    let at_once = |now: SweepProgress| if now.done > 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    assert!(!first.to_file(&path, Existing::Refuse, 1, at_once).unwrap().complete);
    let again = first.to_file(&path, Existing::Refuse, 1, go_on);
    assert!(matches!(again, Err(FrameError::Unfinished { .. })));
    for (other, what) in [
        (Variation { seed: 4, ..variation() }, "seed 3, now it is 4"),
        (Variation { samples: 42, ..variation() }, "samples 41, now it is 42"),
        (Variation { samples: 1, random: Vec::new(), ..grid(&["θ1=0:1:41"]) }, "no grid, now it is θ1=0.0:1.0:41"),
    ] {
        let Err(error) = sweep(&model, other).to_file(&path, Existing::Resume, 1, go_on) else { panic!("resumed") };
        assert!(error.to_string().contains(what), "{error}");
    }
    let settings = Settings::of(&model).until(0.3);
    let longer = CompiledSweep::new(&model, &settings, variation(), Record::End).unwrap().with_groups_of(4);
    let Err(error) = longer.to_file(&path, Existing::Resume, 1, go_on) else { panic!("resumed") };
    assert!(error.to_string().contains("end t = 0.2, now it is t = 0.3"), "{error}");
    assert!(first.to_file(&path, Existing::Resume, 1, go_on).unwrap().complete);
    let finished = fs::read(&path).unwrap();
    let again = |existing| first.to_file(&path, existing, 1, go_on);
    assert!(matches!(again(Existing::Refuse), Err(FrameError::Exists { .. })));
    assert!(matches!(again(Existing::Resume), Err(FrameError::Finished { .. })));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(again(Existing::Replace).unwrap().complete);
    assert_eq!(fs::read(&path).unwrap(), finished);
}

/// Every setting that a row follows from is compared: with any other the file would be a mixture.
#[test]
fn work_is_continued_only_with_the_same_settings() {
    let model = gallery("double-pendulum");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let base = || Settings::of(&model).until(0.2);
    let make = |settings: &Settings, record: Record, group: u64| {
        CompiledSweep::new(&model, settings, variation(), record).unwrap().with_groups_of(group)
    };
    let at_once = |now: SweepProgress| if now.done > 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    assert!(!make(&base(), Record::End, 4).to_file(&path, Existing::Refuse, 1, at_once).unwrap().complete);
    let resumed = |sweep: CompiledSweep| sweep.to_file(&path, Existing::Resume, 1, go_on);
    let others: [(&str, Settings); 4] = [
        ("method midpoint, now it is trapezoidal", Settings { method: "trapezoidal".parse().unwrap(), ..base() }),
        ("step 0.01, now it is 0.02", Settings { step: Some(0.02), ..base() }),
        ("no tolerance, now it is 1e-9", Settings { tolerance: Some(1e-9), ..base() }),
        ("no projection, now it is yes", Settings { project: true, ..base() }),
    ];
    for (what, settings) in others {
        let Err(error) = resumed(make(&settings, Record::End, 4)) else { panic!("resumed: {what}") };
        assert!(error.to_string().contains(what), "{error}");
    }
    let Err(error) = resumed(make(&base(), Record::All { every: 3 }, 4)) else { panic!("resumed") };
    assert!(error.to_string().contains("record end, now it is all, every 3"), "{error}");
    let Err(error) = resumed(make(&base(), Record::End, 5)) else { panic!("resumed") };
    assert!(error.to_string().contains("groups of 4, now it is 5"), "{error}");
    let other = gallery_with("double-pendulum", &[("m1", "2.0")]);
    let settings = Settings::of(&other).until(0.2);
    let sweep = CompiledSweep::new(&other, &settings, variation(), Record::End).unwrap().with_groups_of(4);
    let Err(error) = resumed(sweep) else { panic!("resumed with another mass") };
    assert!(error.to_string().contains("parameters"), "{error}");
    assert!(resumed(make(&base(), Record::End, 4)).unwrap().complete);
}

/// A copy of unfinished work is a file like any other once nothing else is left of that work: only its last row tells.
#[test]
fn a_part_of_a_sweep_is_not_called_finished_when_all_beside_it_is_gone() {
    let model = gallery("double-pendulum");
    for name in ["t.csv", "t.parquet"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let first = sweep(&model, variation());
        let at_once =
            |now: SweepProgress| if now.done > 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        assert!(!first.to_file(&path, Existing::Refuse, 1, at_once).unwrap().complete);
        for beside in [".part", ".part.journal"] {
            fs::remove_file(folder.path().join(format!("{name}{beside}"))).unwrap();
        }
        let again = first.to_file(&path, Existing::Resume, 1, go_on);
        let Err(FrameError::Partial { last, count: 41, .. }) = again else { panic!("{name}: {:?}", again.err()) };
        assert!(last.is_some_and(|last| (0..40).contains(&last)), "{name}: {last:?}");
        assert!(first.to_file(&path, Existing::Replace, 1, go_on).unwrap().complete);
        let finished = first.to_file(&path, Existing::Resume, 1, go_on);
        assert!(matches!(finished, Err(FrameError::Finished { .. })), "{name}");
    }
}
