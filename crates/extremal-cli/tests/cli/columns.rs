//! What of a trajectory is written.

use extremal_testkit::program::{Folder, call_with_input};

const OSCILLATOR: &str = r#"
coordinates = { x = 1.0, y = 0.0 }
definitions = { r = ["x", "y"], square = "x^2 + y^2" }
dynamics.lagrangian = "dot(r', r')/2 - square/2"
exact.x = "cos(t)"
simulation = { step = 0.1, until = 1.0 }
"#;

/// The cells of a file, with its heading.
fn cells(text: &str) -> (Vec<&str>, Vec<Vec<f64>>) {
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let heading = lines.next().unwrap();
    (heading, lines.map(|line| line.iter().map(|cell| cell.parse().unwrap()).collect()).collect())
}

#[test]
fn columns_definitions_and_errors_are_written_by_name() {
    let folder = Folder::new();
    std::fs::write(folder.path("model.toml"), OSCILLATOR).unwrap();
    let names = "t,p_*,square,r,error_x,x,t";
    folder.call(&["run", "model.toml", "--columns", names, "--out", "some.csv", "--out", "some.json"]);
    let text = folder.read("some.csv");
    let (heading, rows) = cells(&text);
    assert_eq!(heading, ["t", "p_x", "p_y", "square", "r[1]", "r[2]", "error_x", "x"]);
    assert_eq!(rows.len(), 11);
    for row in &rows {
        let [t, _, _, square, first, _, error, x] = row[..] else { panic!("{row:?}") };
        assert_eq!((square, first), (x * x, x));
        // One rounding of the cosine and one of the difference.
        assert!((error - (x - t.cos())).abs() <= 2.0 * f64::EPSILON, "{error} at {t}");
    }
    // The midpoint rule turns by 2 atan(h/2) a step.
    let (turned, last) = (10.0 * 2.0 * (0.05f64).atan(), rows.last().unwrap());
    assert!((last[7] - turned.cos()).abs() < 1e-14 && (last[6] - (turned.cos() - 1f64.cos())).abs() < 1e-14);
    assert!(folder.read("some.json").starts_with("{\"columns\":[\"t\",\"p_x\",\"p_y\",\"square\",\"r[1]\""));
}

#[test]
fn a_name_that_nothing_has_is_refused() {
    let unknown = |name: &str| call_with_input(&["run", "-", "--columns", name], OSCILLATOR).failed_with(2);
    assert!(unknown("t,squar").contains("no column, definition or error is named `squar`"));
    assert!(unknown("p_z").contains("did you mean `p_x`?"));
    assert!(unknown("error_y").contains("`error_y`"));
}
