//! `section` and `run --restart`, as a user calls them.

use extremal_testkit::program::{Folder, call};

const TWO: &str = "\
parameters.w = 2.0
coordinates.x = { start = 0.0, velocity = 1.0 }
coordinates.y = { start = 0.5, velocity = 0.0 }
dynamics.lagrangian = \"(x'^2 + y'^2)/2 - (x^2 + w^2*y^2)/2\"
simulation = { method = \"gauss(4)\", step = 0.1, until = 40 }
stop.far = \"x - 0.5\"
";

/// Columns of a file of rows by name, and what stands under `event`.
fn column(text: &str, name: &str) -> Vec<String> {
    let mut lines = text.lines();
    let at = lines.next().unwrap().split(',').position(|known| known == name).unwrap();
    lines.map(|line| line.split(',').nth(at).unwrap().to_owned()).collect()
}

fn numbers(text: &str, name: &str) -> Vec<f64> {
    column(text, name).iter().map(|cell| cell.parse().unwrap()).collect()
}

/// x = sin t rises through zero at 2 pi k, where y = cos(w t)/2; [stop] does not end it.
#[test]
fn points_are_where_the_motion_goes_through() {
    let folder = Folder::new();
    std::fs::write(folder.path("two.toml"), TWO).unwrap();
    folder.call(&["section", "two.toml", "--when", "x", "--set", "w=1.3", "--out", "a.csv"]).succeeded();
    let text = folder.read("a.csv");
    let events = column(&text, "event");
    assert_eq!(events.iter().filter(|event| *event == "section").count(), 6, "{text}");
    let (times, ys, xs) = (numbers(&text, "t"), numbers(&text, "y"), numbers(&text, "x"));
    for (k, ((t, y), x)) in times.iter().zip(ys).zip(xs).take(6).enumerate() {
        let exact = std::f64::consts::TAU * (k + 1) as f64;
        // Of order eight.
        assert!(
            (t - exact).abs() < 1e-8 && x.abs() < 1e-12 && (y - 0.5 * (1.3 * exact).cos()).abs() < 1e-8,
            "{k}: {t}, {y}"
        );
    }
    let both = folder.call(&["section", "two.toml", "--when", "x", "--direction", "any", "--out", "b.csv"]);
    both.succeeded();
    assert_eq!(column(&folder.read("b.csv"), "event").iter().filter(|event| *event == "section").count(), 12);
    let text =
        folder.call(&["section", "two.toml", "--when", "x", "--vary", "y=0.1:0.9:5", "--plot", "a.svg"]).succeeded();
    assert!(text.contains("written: a.svg"), "{text}");
    assert!(folder.read("a.svg").contains("y and p_y"));
}

/// At every period of x the point is the same but for that of y, whatever the step was.
#[test]
fn points_at_a_period_are_taken_by_steps_that_divide_it() {
    let folder = Folder::new();
    std::fs::write(folder.path("two.toml"), TWO.replace("stop.far = \"x - 0.5\"\n", "")).unwrap();
    folder.call(&["section", "two.toml", "--period", "2*pi", "--out", "a.csv"]).succeeded();
    let text = folder.read("a.csv");
    let (times, xs, ys) = (numbers(&text, "t"), numbers(&text, "x"), numbers(&text, "y"));
    assert_eq!(times.len(), 7, "{text}");
    for (k, ((t, x), y)) in times.iter().zip(xs).zip(ys).enumerate() {
        assert!(
            (t - std::f64::consts::TAU * k as f64).abs() < 1e-12 && x.abs() < 1e-8 && (y - 0.5).abs() < 1e-7,
            "{t}, {x}, {y}"
        );
    }
}

#[test]
fn sections_that_cannot_be_meant_are_refused() {
    for (arguments, said) in [
        (&["section", "gallery:henon-heiles"][..], "--when"),
        (&["section", "gallery:bouncing-ball", "--when", "y'"], "[events]"),
        (&["section", "gallery:henon-heiles", "--when", "z"], "unknown name"),
        (&["section", "gallery:henon-heiles", "--period=-1"], "positive time"),
    ] {
        let error = call(arguments).failed_with(2);
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn a_run_goes_on_from_its_file() {
    let folder = Folder::new();
    let run = |rest: &[&str]| {
        folder.call(&[&["run", "gallery:henon-heiles", "--step", "0.1"][..], rest].concat()).succeeded()
    };
    run(&["--until", "20", "--out", "first.csv"]);
    run(&["--until", "50", "--restart", "first.csv", "--out", "rest.csv"]);
    run(&["--until", "50", "--out", "long.csv"]);
    let [first, rest, long] = ["first.csv", "rest.csv", "long.csv"].map(|name| folder.read(name));
    let joined: Vec<&str> = first.lines().chain(rest.lines().skip(2)).collect();
    assert_eq!(joined, long.lines().collect::<Vec<_>>());
    let arguments = ["run", "gallery:henon-heiles", "--step", "0.1", "--until", "20", "--restart", "first.csv"];
    let error = folder.call(&arguments).failed_with(2);
    assert!(error.contains("the file goes to t = 20 already"), "{error}");
    let error = folder.call(&[&arguments[..], &["--out", "first.csv"]].concat()).failed_with(2);
    assert!(error.contains("is read by this command"), "{error}");
}
