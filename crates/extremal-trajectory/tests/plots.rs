//! Figures are well-formed, not blank, and survive any numbers.

use extremal_trajectory::plot::{Curve, Mark, Panel, PictureFormat, Selection};
use extremal_trajectory::{Column, Columns, Figure, PlotError, Role, Series};
use tiny_skia::Pixmap;

fn mechanical() -> Columns {
    Columns::new([
        Column::time(),
        Column::coordinate("x"),
        Column::coordinate("theta"),
        Column::momentum("x"),
        Column::momentum("theta"),
        Column::new("E", Role::Energy),
    ])
    .unwrap()
}

fn figure(rows: usize, row: impl Fn(f64) -> [f64; 6]) -> Figure {
    let mut series = Series::new(6);
    for i in 0..rows {
        series.push(&row(i as f64));
    }
    Figure::of("Test", &mechanical(), &series).subtitle("h = 0.1")
}

/// Parses both outputs and returns the texts shown and the share of pixels
/// that are not white.
fn checked(figure: &Figure) -> (Vec<String>, f64) {
    let svg = figure.to_svg();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let root = document.root_element();
    let size = |name| root.attribute(name).unwrap().parse::<f64>().unwrap();
    let (width, height) = (size("width"), size("height"));
    let mut texts = Vec::new();
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        for name in ["x", "y", "cx", "cy", "r", "width", "height", "font-size"] {
            if let Some(value) = node.attribute(name) {
                let value: f64 = value.parse().unwrap();
                assert!((-1.0..=width.max(height) + 1.0).contains(&value), "{name}={value}");
            }
        }
        if node.has_tag_name("text") {
            texts.push(node.descendants().filter_map(|n| n.text().filter(|_| n.is_text())).collect());
        }
        if let Some(path) = node.attribute("d") {
            assert!(!path.contains("NaN") && !path.contains("inf"));
        }
    }
    let image = Pixmap::decode_png(&figure.to_png().unwrap()).unwrap();
    // Two pixels per unit.
    assert!((f64::from(image.width()) - 2.0 * width).abs() <= 1.0);
    assert!((f64::from(image.height()) - 2.0 * height).abs() <= 1.0);
    let inked = image.pixels().iter().filter(|p| (p.red(), p.green(), p.blue()) != (255, 255, 255)).count();
    (texts, inked as f64 / image.pixels().len() as f64)
}

#[test]
fn a_figure_says_what_it_shows() {
    let figure = figure(500, |i| {
        let t = 0.05 * i;
        [t, t.cos(), t.sin(), -t.sin(), t.cos(), 1.0 + 1e-9 * t.sin()]
    });
    let titles: Vec<_> = figure.panel_titles().collect();
    assert_eq!(titles, ["Coordinates", "Configuration plane", "Phase plane", "Energy error"]);
    let (texts, inked) = checked(&figure);
    for text in ["Test", "h = 0.1", "time", "θ", "E − E0", "×10⁻⁹", "start", "0.5", "−1.0"] {
        assert!(texts.iter().any(|t| t == text), "{text} is not in {texts:?}");
    }
    assert!((0.02..0.5).contains(&inked), "{inked}");
}

#[test]
fn a_circle_is_round() {
    // The extent of the configuration curve on the page is equal both ways, where both coordinates are called as lengths are.
    let columns = Columns::new([Column::time(), Column::coordinate("x"), Column::coordinate("y")]).unwrap();
    let mut series = Series::new(3);
    for i in 0..500 {
        let t = 0.05 * f64::from(i);
        series.push(&[t, 3.0 * t.cos(), 3.0 * t.sin()]);
    }
    let figure = Figure::of("Test", &columns, &series);
    let svg = figure.to_svg();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let curves: Vec<(f64, f64)> = document
        .descendants()
        .filter(|node| node.attribute("stroke") == Some("#0072b2"))
        .filter_map(|node| node.attribute("d"))
        .filter(|path| path.len() > 300)
        .map(|path| {
            let numbers: Vec<f64> =
                path.split(['M', 'L', ' ']).filter(|n| !n.is_empty()).map(|n| n.parse().unwrap()).collect();
            let extent = |offset: usize| {
                let values = || numbers.iter().skip(offset).step_by(2).copied();
                values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)
            };
            (extent(0), extent(1))
        })
        .collect();
    // Second long curve: the coordinate x over time is the first.
    let (width, height) = curves[1];
    // Lines are simplified to 0.12 and written to 0.01.
    assert!((width - height).abs() < 0.3, "{width} by {height}");
    assert!(height > 150.0);
}

#[test]
fn any_numbers_can_be_drawn() {
    let nan = f64::NAN;
    let cases: Vec<(&str, Figure)> = vec![
        ("no rows", figure(0, |_| [0.0; 6])),
        ("one row", figure(1, |_| [0.0, 1.0, 2.0, 3.0, 4.0, 5.0])),
        ("constant", figure(100, |i| [i, 2.0, 0.0, -1e-5, 1e9, 3.0])),
        ("all NaN", figure(10, |_| [nan; 6])),
        (
            "NaN at the end",
            figure(100, |i| {
                let x = if i > 90.0 { nan } else { i.exp() };
                [i, x, i, x, f64::INFINITY, x]
            }),
        ),
        ("every other NaN", figure(100, |i| [i, if i % 2.0 == 0.0 { nan } else { i }, i, i, i, i])),
        (
            "extreme",
            figure(100, |i| {
                let sign = if i % 2.0 == 0.0 { 1.0 } else { -1.0 };
                [i, sign * f64::MAX, 5e-324 * i, 1e-300, 1e300, -1e-310 * i]
            }),
        ),
        ("time stands still", figure(100, |i| [1.0, i, i * i, i, i, i])),
        ("time runs back", figure(5000, |i| [-i, i.sin(), i.cos(), i, i, i])),
        ("noise", figure(50_000, |i| [i, (i * i).sin(), (i * 1.7).sin(), i.sin(), i.cos(), 1.0])),
        ("tiny range", figure(100, |i| [i, 1.0 + 1e-15 * i, 1e15 + i, i, i, 7.0 + 1e-13 * i])),
    ];
    for (name, figure) in cases {
        let (texts, inked) = checked(&figure);
        assert!(inked > 0.003, "{name}: {inked}");
        assert!(inked < 0.8, "{name}: {inked}");
        assert!(texts.iter().all(|t: &String| t.chars().count() < 40), "{name}: {texts:?}");
    }
}

#[test]
fn many_coordinates_do_not_fill_the_page_with_names() {
    let mut columns = vec![Column::time()];
    columns.extend((1..=64).map(|i| Column::coordinate(format!("x[{i}]"))));
    let columns = Columns::new(columns).unwrap();
    let mut series = Series::new(65);
    for i in 0..3000 {
        let t = 0.01 * f64::from(i);
        let row: Vec<f64> = std::iter::once(t).chain((1..=64).map(|k| (t + 0.1 * f64::from(k)).sin())).collect();
        series.push(&row);
    }
    let figure = Figure::of("Chain", &columns, &series);
    let (texts, _) = checked(&figure);
    let names: Vec<_> = texts.iter().filter(|t| t.starts_with('x')).collect();
    assert_eq!(names, ["x1", "x64"]);
    assert!(figure.to_svg().len() < 1_500_000);
}

#[test]
fn hostile_text_is_harmless() {
    let title = "</svg><script>alert('x')</script> & \"quotes\" \u{0}\u{1b}[31m 日本 🚀";
    let columns = Columns::new([Column::time(), Column::coordinate("<x>&'\"")]).unwrap();
    let mut series = Series::new(2);
    series.push(&[0.0, 1.0]);
    series.push(&[1.0, 2.0]);
    let figure = Figure::of(title.repeat(20), &columns, &series).subtitle(title);
    checked(&figure);
    assert!(!figure.to_svg().contains("<script>"));
}

#[test]
fn a_plane_can_be_chosen() {
    let mut series = Series::new(6);
    for i in 0..50 {
        let t = 0.1 * f64::from(i);
        series.push(&[t, t.cos(), t.sin(), t, t, 1.0]);
    }
    let select = |x: &str, y: &str| Selection { plane: Some((x.into(), y.into())), ..Selection::default() };
    let chosen = Figure::with_selection("", &mechanical(), &series, &select("theta", "E")).unwrap();
    assert!(chosen.panel_titles().any(|t| t == "Configuration plane"));
    let error = Figure::with_selection("", &mechanical(), &series, &select("x", "z")).unwrap_err();
    assert_eq!(error.to_string(), "there is no column `z` to plot; there are t, x, theta, p_x, p_theta, E");
}

#[test]
fn logarithmic_panels_leave_out_what_has_no_logarithm() {
    let points = [(0.1, 1e-2), (0.05, 0.0), (0.025, -1.0), (0.0125, 1e-8)];
    let panel = Panel::new("Errors")
        .x_label("h")
        .log_log()
        .curve(Curve::new("rk4", points).mark(Mark::LineAndPoints))
        .curve(Curve::new("none", []))
        .curve(Curve::new("only", [(1e-2, 1e-3)]).mark(Mark::Points));
    let (texts, inked) = checked(&Figure::new("Orders").panel(panel));
    assert!(texts.iter().any(|t| t == "rk4") && texts.iter().any(|t| t == "10⁻²"));
    assert!(inked > 0.003);
    checked(&Figure::new("No panels"));
    checked(&Figure::new(""));
}

#[test]
fn files_by_extension() {
    let folder = tempfile::tempdir().unwrap();
    let figure = figure(10, |i| [i, i, i, i, i, i]);
    figure.save(&folder.path().join("a.svg")).unwrap();
    figure.save(&folder.path().join("a.PNG")).unwrap();
    let png = std::fs::read(folder.path().join("a.PNG")).unwrap();
    assert!(Pixmap::decode_png(&png).is_ok());
    assert_eq!(PictureFormat::of("x.png".as_ref()).unwrap(), PictureFormat::Png);
    let error = figure.save("a.pdf".as_ref()).unwrap_err();
    assert!(error.to_string().ends_with("should end in .svg or .png"));
    let error = figure.save(&folder.path().join("no/a.svg")).unwrap_err();
    assert!(matches!(error, PlotError::Write { .. }));
}

#[test]
fn the_same_data_draw_the_same_bytes() {
    let draw = || figure(3000, |i| [i, i.sin(), i.cos(), i.sin(), i.cos(), 1.0]);
    assert_eq!(draw().to_svg(), draw().to_svg());
    assert_eq!(draw().to_png().unwrap(), draw().to_png().unwrap());
}
