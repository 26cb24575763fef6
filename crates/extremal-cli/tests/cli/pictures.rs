//! What the mechanism looks like: pages and pictures of a motion.

use extremal_testkit::program::Folder;
use serde_json::Value;

/// The data that a page carries.
fn motion(page: &str) -> Value {
    let (_, rest) = page.split_once("type=\"application/json\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// The trajectory is the other way out of the program: the page says the same, by formulas typed here.
#[test]
fn an_animation_shows_the_numbers_of_the_run_and_needs_nothing_else() {
    let folder = Folder::new();
    let arguments = ["run", "gallery:double-pendulum", "--set", "l2=0.7", "--animate", "a.html", "--out", "a.csv"];
    let text = folder.call(&arguments).succeeded();
    assert!(text.contains("written: a.csv, a.html"), "{text}");
    let page = folder.read("a.html");
    for outside in ["http:", "https:", "//cdn", "src=", "import ", "@import", "url("] {
        assert!(!page.contains(outside), "the page asks for something outside: {outside}");
    }
    let (motion, table) = (motion(&page), folder.read("a.csv"));
    let rows: Vec<Vec<f64>> =
        table.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    assert_eq!(motion["points"], serde_json::json!(["O", "A", "B"]));
    let (times, frames) = (numbers(&motion["times"]), motion["frames"].as_array().unwrap());
    // 501 rows are few enough for a frame each.
    assert_eq!((times.len(), frames.len(), rows.len()), (501, 501, 501));
    for ((time, frame), row) in times.iter().zip(frames).zip(&rows) {
        let (a, b) = (row[1], row[2]);
        let expected =
            [[0.0, 0.0, 0.0], [a.sin(), -a.cos(), 0.0], [a.sin() + 0.7 * b.sin(), -a.cos() - 0.7 * b.cos(), 0.0]];
        assert_eq!(*time, row[0]);
        // Two sums of numbers below 2, each rounded once by whoever computes them.
        for (shown, typed) in numbers(frame).iter().zip(expected.as_flattened()) {
            assert!((shown - typed).abs() < 1e-15 * 4.0, "{shown} is not {typed}");
        }
    }
    let theta = motion["curves"].as_array().unwrap().iter().find(|curve| curve["name"] == "θ1").unwrap();
    assert_eq!(numbers(&theta["values"]), rows.iter().map(|row| row[1]).collect::<Vec<_>>());
}

#[test]
fn what_cannot_be_drawn_is_refused_before_the_run() {
    let folder = Folder::new();
    let refused = |arguments: &[&str]| {
        let error = folder.call(arguments).failed_with(2);
        assert!(!folder.path("a.html").exists());
        error
    };
    let error = refused(&["run", "gallery:rc-circuit", "--animate", "a.html"]);
    assert!(error.contains("[drawing]"), "{error}");
    let error = refused(&["run", "gallery:pendulum", "--animate", "a.webm"]);
    assert!(error.contains("`a.webm`") && error.contains(".html"), "{error}");
}
