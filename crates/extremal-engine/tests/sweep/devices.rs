//! Members on a device have the rows that they have on the processor. The device is pretended: its kernels are interpreted from their text.

use std::ops::ControlFlow;

use extremal_engine::devices::{Device, DeviceError};
use extremal_engine::sweep::{CompiledSweep, DeviceReport, Record, Variation};
use extremal_engine::trajectory::frame::Existing;
use extremal_engine::{Model, Settings, gallery as models};
use extremal_model::{Extent, Start};
use extremal_testkit::pretended_device::PretendedDevice;
use extremal_testkit::runs::gallery;
use extremal_testkit::sweeps::{assert_same, random};

/// On one device that never fails.
fn pretended() -> Vec<Box<dyn Device>> {
    vec![Box::new(PretendedDevice::default())]
}

/// Marches members on the processor and on a device, and compares their rows.
fn compared(model: &Model, settings: &Settings, variation: &Variation, record: Record) -> Option<DeviceReport> {
    let settings = Settings { wide: true, ..settings.clone() };
    let make = || CompiledSweep::new(model, &settings, variation.clone(), record).ok();
    let here = make()?;
    let there = make()?.on_devices(pretended());
    let (rows, _) = here.collect(1);
    let (others, _) = there.collect(2);
    assert_same(&rows, &others, here.fields(), &format!("{} {}", model.name().unwrap_or_default(), record.name()));
    there.device_report()
}

/// Starts around those of the model, and its first parameters.
fn around(model: &Model, members: u64) -> Option<Variation> {
    let start = |at: usize| {
        let coordinate = &model.coordinates()[at];
        let value = |name: &str| model.parameters().iter().find(|parameter| parameter.name == name).map(|p| p.value);
        let start = model.graph().evaluate(&[model.graph().expr(coordinate.start?)], value)[0];
        let wide = 0.02 * start.abs() + 0.01;
        start.is_finite().then(|| format!("{}={}:{}", coordinate.name, start - wide, start + wide))
    };
    let mut axes: Vec<String> = (0..model.coordinates().len()).filter_map(start).collect();
    let first = model.parameters().iter().find(|parameter| parameter.value != 0.0);
    axes.extend(first.map(|p| format!("{}={}:{}", p.name, p.value, 1.01 * p.value)));
    let axes: Vec<&str> = axes.iter().map(String::as_str).collect();
    (!axes.is_empty()).then(|| random(&axes, members, 3))
}

/// The models of the gallery whose members a device takes.
const TAKEN: [&str; 22] = [
    "bead-on-wire",
    "cart-pole",
    "coupled-oscillators",
    "damped-oscillator",
    "double-pendulum",
    "driven-pendulum",
    "duffing",
    "elastic-floor",
    "elastic-pendulum",
    "harmonic-oscillator",
    "henon-heiles",
    "henon-heiles-integrable",
    "herglotz-oscillator",
    "ideal-gas-piston",
    "moving-base",
    "pendulum",
    "spherical-pendulum",
    "spherical-pendulum-reduced",
    "two-pistons",
    "van-der-pol",
    "van-der-waals-piston",
    "viscous-oscillator",
];

#[test]
fn models_have_the_rows_of_the_processor() {
    let (mut taken, mut told) = (Vec::new(), Vec::new());
    for name in models::names() {
        let model = gallery(name);
        let Some(variation) = around(&model, 3) else { continue };
        let settings = Settings { extent: Some(Extent::Steps(13)), ..Settings::of(&model) };
        let Some(report) = compared(&model, &settings, &variation, Record::End) else { continue };
        match &report.refusal {
            None => {
                taken.push(name);
                told.push(format!("{name}: {} of {} again", report.left, report.marched));
            }
            Some(refusal) => told.push(format!("{name}: {refusal}")),
        }
    }
    taken.sort_unstable();
    assert_eq!(taken, TAKEN, "{}", told.join("\n"));
}

/// Solved, explicit, composed, with differences, with heat; a last step that is shorter.
#[test]
fn every_record_has_the_rows_of_the_processor() {
    let cases = [
        ("double-pendulum", "midpoint", 0.305),
        ("henon-heiles", "kahan-li8", 2.1),
        ("harmonic-oscillator", "midpoint", 1.03),
        ("elastic-pendulum", "midpoint", 0.1),
        ("ideal-gas-piston", "energy-entropy", 0.105),
    ];
    for (name, method, until) in cases {
        let model = gallery(name);
        let settings = Settings {
            method: method.parse().unwrap(),
            extent: Some(Extent::Until(until)),
            start: Start::Legendre,
            ..Settings::of(&model)
        };
        let variation = around(&model, 5).unwrap();
        for record in [Record::End, Record::Extremes, Record::All { every: 4 }] {
            let report = compared(&model, &settings, &variation, record).unwrap();
            assert_eq!((report.refusal, report.left), (None, 0), "{name} {method} {}", record.name());
        }
    }
}

/// Steps that are long beside what happens in them, and starts from which none goes: the processor marches these again.
#[test]
fn members_that_need_a_closer_look_are_marched_again() {
    let model = gallery("double-pendulum");
    let settings = Settings { step: Some(0.025), extent: Some(Extent::Until(6.0)), ..Settings::of(&model) };
    let variation = random(&["θ1=-3:3", "θ2'=normal(0, 6)"], 12, 5);
    let report = compared(&model, &settings, &variation, Record::End).unwrap();
    assert!(report.refusal.is_none() && (1..12).contains(&report.left), "{report:?}");
}

/// Random numbers with a seed, grids whose points are taken several times, and what only the processor draws: listed values.
#[test]
fn what_varies_is_the_same_wherever_it_is_drawn() {
    let model = gallery("double-pendulum");
    let settings = Settings { wide: true, extent: Some(Extent::Steps(4)), ..Settings::of(&model) };
    let axes = |grid: &[&str], random: &[&str], samples: u64| Variation {
        grid: grid.iter().map(|axis| axis.parse().unwrap()).collect(),
        random: random.iter().map(|axis| axis.parse().unwrap()).collect(),
        samples,
        seed: 0xfedc_ba98_7654_3210,
        ..Variation::default()
    };
    let cases = [
        axes(&[], &["θ1=-0.3:0.3", "θ2'=normal(0.1, 0.02)", "m1=1:2"], 17),
        axes(&["θ1=0.1:0.7:7", "m2=1:1:1", "θ2=0.5:-0.5:3"], &["θ1'=-1:1"], 2),
        axes(&["θ1=0.1,0.7", "θ2=0:1:4"], &[], 1),
    ];
    for variation in cases {
        let report = compared(&model, &settings, &variation, Record::End).unwrap();
        assert_eq!((report.refusal, report.left, report.failure), (None, 0, None), "{variation:?}");
    }
}

/// What is said of all members does not depend on whether their rows are made, nor on where those were marched.
#[test]
fn a_summary_needs_no_rows() {
    let model = gallery("double-pendulum");
    let settings = Settings { wide: true, step: Some(0.025), extent: Some(Extent::Until(6.0)), ..Settings::of(&model) };
    for record in [Record::End, Record::Extremes, Record::All { every: 100 }] {
        let make = || {
            let variation = random(&["θ1=-3:3", "θ2'=normal(0, 6)"], 12, 5);
            CompiledSweep::new(&model, &settings, variation, record).unwrap().with_groups_of(5)
        };
        let sweep = make().on_devices(pretended());
        let outcome = sweep.summarise(2, |_| ControlFlow::Continue(()));
        assert_eq!(outcome.summary, make().summarise(1, |_| ControlFlow::Continue(())).summary, "{}", record.name());
        assert!(outcome.complete && sweep.device_report().unwrap().left > 0);
    }
}

/// Their force begins near a zero, and is many times as large after a step, which changes next to nothing: no reason to look at every row.
#[test]
fn starts_where_a_force_vanishes_are_ordinary() {
    let model = gallery("henon-heiles");
    let method = "kahan-li8".parse().unwrap();
    let settings = Settings { method, step: Some(0.01), extent: Some(Extent::Steps(40)), ..Settings::of(&model) };
    let report = compared(&model, &settings, &random(&["x=-0.1:0.1", "y=-0.008:0.001"], 24, 1), Record::End).unwrap();
    assert_eq!((report.refusal, report.left), (None, 0));
}

#[test]
fn what_a_device_does_not_do_the_processor_does() {
    for (name, method, why) in [
        ("double-pendulum", "dop853", "`dop853` adapts its steps"),
        ("spherical-pendulum-constrained", "rattle", "constraints are watched at every step"),
    ] {
        let Some(text) = models::text(name) else { continue };
        let model = Model::from_toml(text).unwrap();
        let Ok(method) = method.parse() else { continue };
        let settings = Settings { method, extent: Some(Extent::Steps(5)), ..Settings::of(&model) };
        let variation = around(&model, 3).unwrap();
        if let Some(report) = compared(&model, &settings, &variation, Record::End) {
            assert_eq!(report.refusal.map(|refusal| refusal.to_string()).as_deref(), Some(why));
        }
    }
}

/// Two devices, several batches of several groups.
#[test]
fn rows_do_not_depend_on_devices_and_batches() {
    let model = gallery("double-pendulum");
    let settings = Settings { wide: true, extent: Some(Extent::Steps(9)), ..Settings::of(&model) };
    let make = || {
        let variation = random(&["θ1=-3:3", "m2=0.5:2"], 41, 1);
        CompiledSweep::new(&model, &settings, variation, Record::End).unwrap().with_groups_of(3)
    };
    let (rows, _) = make().collect(1);
    // Room for seven members each, of some two hundred numbers.
    let small = || Box::new(PretendedDevice::with_memory(16_000)) as Box<dyn Device>;
    for devices in [vec![small()], vec![small(), small()], pretended()] {
        let sweep = make().on_devices(devices);
        let others = sweep.collect(3).0;
        assert_eq!(sweep.device_report().unwrap().failure, None);
        assert_same(&rows, &others, sweep.fields(), "batches");
    }
}

/// A device that is lost, or has no memory at all, ends the sweep with its reason, and the rows that are there are those of the first groups.
#[test]
fn a_device_that_fails_loses_no_finished_row() {
    let model = gallery("double-pendulum");
    let settings = Settings { wide: true, extent: Some(Extent::Steps(9)), ..Settings::of(&model) };
    let make = || {
        let variation = random(&["θ1=-3:3"], 40, 1);
        CompiledSweep::new(&model, &settings, variation, Record::End).unwrap().with_groups_of(4)
    };
    let all = make().collect(1).0;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.csv");
    let whole = folder.path().join("whole.csv");
    let go_on = |_| ControlFlow::Continue(());

    make().to_file(&whole, Existing::Refuse, 1, go_on).unwrap();

    let lost = make().on_devices(vec![Box::new(PretendedDevice::with_memory(16_000).lost_after(120))]);
    let outcome = lost.to_file(&file, Existing::Refuse, 1, go_on).unwrap();
    let report = lost.device_report().unwrap();
    assert!(matches!(report.failure, Some(DeviceError::Lost { .. })), "{report:?}");
    assert!(!outcome.complete && outcome.summary.members() < 40);

    let again = make().on_devices(pretended());
    let outcome = again.to_file(&file, Existing::Resume, 1, go_on).unwrap();
    assert!(outcome.complete);
    assert_eq!(std::fs::read(&file).unwrap(), std::fs::read(&whole).unwrap());
    assert_eq!(all.rows(), 40);

    let tiny = make().on_devices(vec![Box::new(PretendedDevice::with_memory(100))]);
    let (rows, outcome) = tiny.collect_watched(1, go_on);
    assert_eq!((rows.rows(), outcome.complete), (0, false));
    assert!(matches!(tiny.device_report().unwrap().failure, Some(DeviceError::OutOfMemory { .. })));
}
