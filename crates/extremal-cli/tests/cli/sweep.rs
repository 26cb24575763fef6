//! `extremal sweep` from the outside: files that survive a kill, messages, exit codes.

use serde_json::Value;

use extremal_testkit::program::{Folder, call, json};

/// A few hundred members whose rows make several groups.
const ENSEMBLE: &[&str] =
    &["sweep", "gallery:henon-heiles", "--random", "y'=0:0.5", "--samples", "40", "--record", "all", "--every", "4"];

#[test]
fn rows_and_summary_agree() {
    let folder = Folder::new();
    let arguments = ["sweep", "gallery:pendulum", "--vary", "theta=0.5:2.5:5", "--vary", "l=1,2", "--until", "1"];
    let printed = folder.call(&[&arguments[..], &["--out", "ends.csv"]].concat()).succeeded();
    assert!(printed.contains("10: 10 finished, 10 rows"), "{printed}");
    assert!(printed.contains("written: ends.csv"), "{printed}");
    let csv = folder.read("ends.csv");
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    assert_eq!(header[..5], ["member", "theta(0)", "l", "t", "theta"]);
    assert_eq!(header[header.len() - 4..], ["energy_change", "status", "reason", "warning"]);
    let rows: Vec<Vec<&str>> = lines.collect();
    assert_eq!((rows.len(), rows[3][..4].to_vec()), (10, vec!["3", "1.0", "2.0", "1.0"]));
    let report = json(&[&arguments[..], &["--json"]].concat());
    let angles: Vec<f64> = rows.iter().map(|row| row[4].parse().unwrap()).collect();
    assert_eq!(report["columns"]["theta"]["min"], angles.iter().copied().fold(f64::NAN, f64::min));
    assert_eq!(report["columns"]["theta"]["max"], angles.iter().copied().fold(f64::NAN, f64::max));
    assert_eq!((&report["members"], &report["failed"], &report["complete"]), (&10.into(), &0.into(), &true.into()));
    assert_eq!(report["file"], Value::Null);
}

#[test]
fn a_member_is_the_run_of_its_own() {
    let swept = json(&["sweep", "gallery:kepler", "--vary", "eccentricity=0.3", "--json"]);
    let single = json(&["run", "gallery:kepler", "--set", "eccentricity=0.3", "--json"]);
    for (column, group) in [("x", "q"), ("y", "q")] {
        assert_eq!(swept["columns"][column]["max"], single["end"][group][column]);
    }
}

/// Three machines, of which one counts members and two count parts.
#[test]
fn parts_one_after_the_other_are_the_whole() {
    let folder = Folder::new();
    let ensemble =
        ["sweep", "gallery:pendulum", "--random", "theta=-1:1", "--samples", "100", "--until", "1", "--quiet"];
    let call = |more: &[&str]| folder.call(&[&ensemble[..], more].concat());
    call(&["--out", "whole.csv"]).succeeded();
    let parts = [("1.csv", "--shard", "1/3"), ("2.csv", "--members", "33:66"), ("3.csv", "--shard", "3/3")];
    let rows: Vec<String> = parts
        .iter()
        .map(|(file, option, part)| {
            call(&["--out", file, option, part]).succeeded();
            folder.read(file)
        })
        .collect();
    let without_heading = |text: &String| text.split_once('\n').unwrap().1.to_owned();
    let joined = rows[0].clone() + &without_heading(&rows[1]) + &without_heading(&rows[2]);
    assert_eq!(joined, folder.read("whole.csv"));
    let merged = folder.call(&["merge", "3.csv", "1.csv", "2.csv", "--out", "merged.csv"]).succeeded();
    assert!(merged.contains("100, of 3 parts"), "{merged}");
    assert_eq!(folder.read("merged.csv"), folder.read("whole.csv"));
    assert!(call(&["--members", "90:101"]).failed_with(2).contains("there are 100"));
    assert!(call(&["--shard", "4/3"]).failed_with(2).contains("3/20"));
    let other = call(&["--out", "1.csv", "--members", "0:2", "--resume"]).failed_with(2);
    assert!(other.contains("1.csv"), "{other}");
}

/// Files of parts that cannot be put together, and what is said of them.
#[test]
fn parts_that_are_no_whole_are_refused() {
    let folder = Folder::new();
    let ensemble = ["sweep", "gallery:pendulum", "--vary", "theta=0.1:1:10", "--until", "1", "--quiet"];
    let call = |more: &[&str]| folder.call(&[&ensemble[..], more].concat()).succeeded();
    call(&["--out", "whole.csv"]);
    call(&["--out", "a.csv", "--shard", "1/2"]);
    call(&["--out", "b.csv", "--members", "4:10"]);
    call(&["--out", "c.csv", "--shard", "2/2", "--step", "0.001"]);
    call(&["--out", "d.parquet", "--shard", "2/2"]);
    let refused = |parts: &[&str]| folder.call(&[&["merge"], parts, &["--out", "x.csv"]].concat()).failed_with(2);
    for (parts, hint) in [
        (&["a.csv"][..], "the numbers 5 to 9 of 0 to 9 are missing\n  compute them with"),
        (&["b.csv"], "the numbers 0 to 3 of 0 to 9 are missing"),
        (&["a.csv", "b.csv"], "`a.csv` and `b.csv` have both number 4"),
        (&["a.csv", "c.csv"], "`a.csv` and `c.csv` are parts of different tables"),
        (&["a.csv", "d.parquet"], "`x.csv` has another format than `d.parquet`"),
        (&["whole.csv"], "`whole.csv` has no manifest beside it"),
    ] {
        let message = refused(parts);
        assert!(message.contains(hint), "{parts:?}:\n{message}");
    }
    let text = folder.read("a.csv");
    let shorter: Vec<&str> = text.lines().take(4).collect();
    std::fs::write(folder.path("a.csv"), shorter.join("\n")).unwrap();
    call(&["--out", "e.csv", "--shard", "2/2"]);
    assert!(refused(&["a.csv", "e.csv"]).contains("`a.csv` is not finished\n  continue it with"));
    assert!(!folder.path("x.csv").exists());
}

/// An array of twenty jobs, three of which are killed, and started again as a whole.
#[cfg(unix)]
#[test]
fn twenty_tasks_of_which_three_are_killed() {
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, Stdio};
    use std::time::{Duration, Instant};
    use std::{fs, thread};

    const TASKS: usize = 20;
    let folder = Folder::new();
    fs::create_dir(folder.path("parts")).unwrap();
    let ensemble = ["--random", "y'=0:0.5", "--samples", "120", "--record", "all", "--every", "4", "--until", "2000"];
    let ensemble = [&["sweep", "gallery:henon-heiles"], &ensemble[..], &["--threads", "1", "--quiet"]].concat();
    let start = |task: usize| -> Child {
        let (number, file) = (task.to_string(), format!("parts/{task}.parquet"));
        let arguments = [&ensemble[..], &["--shard", "auto/20", "--out", &file, "--resume"]].concat();
        let mut command = folder.command(&arguments);
        command.env("SLURM_ARRAY_TASK_ID", number).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut tasks: Vec<Child> = (1..=TASKS).map(start).collect();
    // The journal has a line for the whole and one for each group that is safe.
    let patience = Instant::now();
    let begun = |task: usize| {
        let journal = folder.path(&format!("parts/{task}.parquet.part.journal"));
        fs::read_to_string(journal).is_ok_and(|text| text.lines().count() > 1)
    };
    for killed in [3, 11, 20] {
        while !begun(killed) && patience.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(1));
        }
        if killed == 3 {
            assert_eq!(start(3).wait().unwrap().code(), Some(2), "two tasks on one part");
        }
        tasks[killed - 1].kill().unwrap();
    }
    let killed = tasks.iter_mut().filter_map(|task| task.wait().unwrap().signal()).count();
    assert_eq!(killed, 3, "they were still at work");
    let merge = || folder.call(&["merge", "parts", "--out", "merged.parquet"]);
    assert!(merge().failed_with(2).contains("is not finished"));
    for mut task in (1..=TASKS).map(start).collect::<Vec<_>>() {
        assert_eq!(task.wait().unwrap().code(), Some(0));
    }
    assert!(merge().succeeded().contains("120, of 20 parts"));
    folder.call(&[&ensemble[..], &["--out", "whole.parquet"]].concat()).succeeded();
    assert!(fs::read(folder.path("whole.parquet")).unwrap() == fs::read(folder.path("merged.parquet")).unwrap());
    assert!(merge().failed_with(2).contains("replace it with `--force`"));
}

#[cfg(unix)]
#[test]
fn killed_in_the_middle_and_resumed_the_file_is_the_same() {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    use std::{fs, thread};

    let folder = Folder::new();
    let call = |more: &[&str]| folder.call(&[ENSEMBLE, more].concat());
    call(&["--out", "whole.parquet", "--threads", "1", "--quiet"]).succeeded();
    let arguments = [ENSEMBLE, &["--out", "part.parquet", "--threads", "2", "--quiet"]].concat();
    let mut child = folder.command(&arguments).stdout(Stdio::null()).spawn().unwrap();
    // The journal has a line for the whole and one for each group that is safe.
    let patience = Instant::now();
    let lines = || fs::read_to_string(folder.path("part.parquet.part.journal")).map_or(0, |text| text.lines().count());
    while lines() < 2 && patience.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9), "it was still at work");
    let readable = fs::read(folder.path("part.parquet")).unwrap();
    assert!(readable.starts_with(b"PAR1") && readable.ends_with(b"PAR1"));
    assert!(call(&["--out", "part.parquet"]).failed_with(2).contains("continue it with `--resume`"));
    let other = call(&["--out", "part.parquet", "--resume", "--seed", "1"]).failed_with(2);
    assert!(other.contains("was begun with seed 0, now it is 1"), "{other}");
    let resumed: Value =
        serde_json::from_str(&call(&["--out", "part.parquet", "--resume", "--json"]).succeeded()).unwrap();
    assert!(resumed["resumed"].as_u64().unwrap() > 0 && resumed["finished"] == 40, "{resumed}");
    assert!(fs::read(folder.path("part.parquet")).unwrap() == fs::read(folder.path("whole.parquet")).unwrap());
    assert!(call(&["--out", "part.parquet", "--resume"]).failed_with(2).contains("is finished"));
    assert!(call(&["--out", "part.parquet"]).failed_with(2).contains("replace it with `--force`"));
    assert!(!folder.path("part.parquet.part").exists() && !folder.path("part.parquet.part.journal").exists());
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_whole_members() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use extremal_testkit::program::ProgramOutput;

    let folder = Folder::new();
    let arguments =
        ["sweep", "gallery:pendulum", "--vary", "theta=0:3:100000000", "--until", "0.1", "--out", "long.csv"];
    let child = folder.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let patience = Instant::now();
    while !folder.path("long.csv").exists() && patience.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let message = ProgramOutput::of(child.wait_with_output().unwrap()).failed_with(130);
    assert!(message.contains("interrupted") && message.contains("continue with `--resume`"), "{message}");
    let csv = folder.read("long.csv");
    assert!(csv.lines().skip(1).enumerate().all(|(at, line)| line.starts_with(&format!("{at},"))), "members in order");
}

#[test]
fn failed_members_do_not_fail_the_sweep() {
    let falls = ["sweep", "gallery:kepler", "--method", "midpoint", "--step", "0.3", "--until", "30"];
    let called = call(&[&falls[..], &["--vary", "eccentricity=0.1,-1,-1"]].concat());
    assert!(called.stderr.contains("warning: 2 of 3 members failed, the first is 1: "), "{}", called.stderr);
    assert!(called.succeeded().contains("3: 1 finished, 2 failed, "));
    let message = call(&[&falls[..], &["--vary", "eccentricity=-1"]].concat()).failed_with(1);
    assert!(message.contains("error: 1 of 1 members failed"), "{message}");
}

#[test]
fn bad_input_is_exit_code_two_with_a_way_out() {
    let folder = Folder::new();
    std::fs::write(folder.path("short.csv"), "l,theta\n1\n").unwrap();
    std::fs::write(folder.path("there.csv"), "mine\n").unwrap();
    let cases: [(&[&str], &str); 16] = [
        (&[], "nothing varies"),
        (&["--vary", "thetta=0:1:2"], "did you mean `theta`?"),
        (&["--vary", "theta=0:1"], "NAME=FROM:TO:COUNT"),
        (&["--vary", "theta=0:1:2", "--random", "theta=0:1", "--samples", "2"], "`theta` is varied twice"),
        (&["--vary", "l=1,2", "--set", "l=3"], "cannot be set and vary at once"),
        (&["--random", "l=1:2"], "say `--samples N`"),
        (&["--vary", "l=1,2", "--samples", "5"], "nothing is random"),
        (&["--vary", "l=1,2", "--record", "events"], "neither [stop] conditions nor [events]"),
        (&["--vary", "l=1,2", "--out", "x.json"], ".csv or .parquet"),
        (&["--vary", "l=1,2", "--out", "no/such/x.csv"], "there is no folder `no/such`"),
        (&["--vary", "l=1,2", "--out", "there.csv"], "`there.csv` is there already\n  replace it with `--force`"),
        (&["--vary", "l=1,2", "--resume"], "--out"),
        (&["--vary", "l=1,2", "--out", "x.csv", "--resume", "--force"], "cannot be used with"),
        (&["--list", "short.csv"], "`short.csv` is no list of members: line 2 has 1 values for 2 columns"),
        (&["--list", "missing.csv"], "cannot read `missing.csv`"),
        (&["--vary", "l=1,2", "--threads", "0"], "--threads"),
    ];
    for (arguments, hint) in cases {
        let message = folder.call(&[&["sweep", "gallery:pendulum"], arguments].concat()).failed_with(2);
        assert!(message.contains(hint), "{arguments:?}:\n{message}");
    }
    assert_eq!(folder.read("there.csv"), "mine\n");
    assert!(!folder.path("there.csv.part.journal").exists() && !folder.path("x.csv").exists());
}

#[test]
fn members_whose_energy_is_no_number_have_not_finished() {
    let folder = Folder::new();
    let model = "[coordinates]\nx = { start = 1.0 }\n[dynamics]\nlagrangian = \"x'^2/2 - log(x)\"\n\
                 [simulation]\nmethod = \"trapezoidal\"\nstep = 0.01\nuntil = 5.0\n";
    std::fs::write(folder.path("log.toml"), model).unwrap();
    folder.call(&["run", "log.toml"]).failed_with(1);
    folder.call(&["sweep", "log.toml", "--vary", "x=0.5:1.5:101", "--out", "ends.csv"]).failed_with(1);
    let csv = folder.read("ends.csv");
    assert!(csv.lines().skip(1).count() == 101 && !csv.contains("NaN") && !csv.contains("finished"), "{csv}");
}

#[test]
fn an_axis_may_be_longer_than_the_largest_number() {
    let report =
        json(&["sweep", "gallery:harmonic-oscillator", "--vary", "x=-1e308:1e308:3", "--steps", "1", "--json"]);
    assert_eq!(report["columns"]["x(0)"]["min"], -1e308);
    assert_eq!(report["columns"]["x(0)"]["mean"], 0.0);
    let wide = ["sweep", "gallery:harmonic-oscillator", "--random", "x=normal(0, 1e308)", "--samples", "2"];
    let said = call(&wide).failed_with(2);
    assert!(said.contains("beyond the largest number"), "{said}");
}

#[test]
fn what_is_read_is_not_written_over() {
    let folder = Folder::new();
    let list = "x\n0.5\n";
    std::fs::write(folder.path("members.csv"), list).unwrap();
    let arguments =
        ["sweep", "gallery:harmonic-oscillator", "--list", "members.csv", "--out", "./members.csv", "--force"];
    let said = folder.call(&arguments).failed_with(2);
    assert!(said.contains("is read by this command"), "{said}");
    assert_eq!(folder.read("members.csv"), list);
}
