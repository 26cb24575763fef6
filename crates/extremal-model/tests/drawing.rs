//! `[drawing]`: what it means, and what is said of mistakes in it.

use extremal_model::{DrawnShape, Model};

const CHAIN: &str = r#"
    [parameters]
    n = 3
    [coordinates]
    theta = { count = "n", start = 0.1 }
    [dynamics]
    lagrangian = "sum(i, 1, n, theta[i]'^2/2)"
"#;

fn with(drawing: &str) -> String {
    format!("{CHAIN}[drawing]\n{drawing}")
}

#[test]
fn families_of_points_stand_for_their_members() {
    let text = with(
        r#"points = { O = [0, 0], P = { count = "n", at = ["sum(j, 1, i, sin(theta[j]))", "-i"] } }
           rods = [["O", "P"]]
           springs = [["O", "P[n]"]]
           discs = [{ at = "P", radius = "i/10", angle = "theta[i]" }]"#,
    );
    let model = Model::from_toml(&text).unwrap();
    let drawing = model.drawing();
    let shown = |id| model.graph().expr(id).to_string();
    assert_eq!(drawing.points.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["O", "P[1]", "P[2]", "P[3]"]);
    assert_eq!(shown(drawing.points[2].at[0]), "sin(theta[1]) + sin(theta[2])");
    assert!(!drawing.spatial && matches!(&drawing.shapes[0], DrawnShape::Rod(points) if points == &[0, 1, 2, 3]));
    assert!(matches!(drawing.shapes[1], DrawnShape::Spring { ends: [0, 3], turns: 10 }));
    let DrawnShape::Disc { at, radius, angle, .. } = &drawing.shapes[4] else { panic!("{:?}", drawing.shapes) };
    assert_eq!((*at, shown(radius.unwrap()), shown(angle.unwrap())), (3, "3/10".into(), "theta[3]".into()));
}

#[test]
fn mistakes_are_said_where_they_are() {
    for (drawing, message, at) in [
        ("points = { O = [0] }", "the point `O` needs two or three components", "[0]"),
        ("points = { O = [0, \"thta[1]\"] }", "unknown name `thta`", "thta"),
        ("points = { O = [0, 0] }\nrods = [[\"O\", \"Q\"]]", "[drawing] has no point `Q`", "\"Q\""),
        ("points = { O = [0, 0] }\nrods = [[\"O\", \"O[2]\"]]", "there is no point `O[2]`", "\"O[2]\""),
        ("points = { O = [0, 0] }\nboxes = [\"O\"]", "a box has a `width` and a `height`", "\"O\""),
        (
            "points = { O = [0, 0] }\narrows = [{ at = \"O\" }]",
            "an arrow has a `vector` of two or three components",
            "\"O\"",
        ),
        ("discs = [{ radius = 1 }]", "this shape of [drawing] discs has no place", "{ radius = 1 }"),
        ("points = { O = [0, 0] }\ncircles = [\"O\"]", "a circle has a `radius` and an `axis`", "\"O\""),
        (
            "points = { O = [0, 0] }\ncircles = [{ at = \"O\", radius = 1, axis = [0, 1] }]",
            "this is a list of 3 numbers",
            "[0, 1]",
        ),
        ("curves = [{ at = [0, 1] }]", "this curve of [drawing] curves lacks `along = \"s\"`", "{ at = [0, 1] }"),
        ("curves = [{ along = \"s\", at = [\"s\", \"r\"] }]", "unknown name `r`", "r"),
        ("curves = [{ along = \"n\", at = [\"n\", 0] }]", "the index `n` hides the parameter `n`", "\"n\""),
        ("view = { x = [1, 2, 3] }", "this is a list of 2 numbers", "[1, 2, 3]"),
        ("view = { above = 1 }", "[drawing] view has no key `above`", "above"),
        ("points = { O = [0, 0] }\nsprings = [{ between = [\"O\"], turns = 0.5 }]", "must be an integer", "0.5"),
        ("points = { O = [0, 0] }\ntrails = { seconds = 1 }", "has no place", "{ seconds = 1 }"),
        ("rods = 3", "[drawing] rods should be a list of lists of points, not a number", "3"),
    ] {
        let text = with(drawing);
        let invalid = Model::from_toml(&text).unwrap_err();
        let first = &invalid.diagnostics[0];
        assert!(first.message.contains(message), "{drawing}: {}", first.message);
        assert_eq!(&text[first.labels[0].span.clone()], at, "{drawing}");
    }
}

#[test]
fn names_suggest_points_where_nothing_is_stated() {
    let text = "[coordinates]\nx1 = 1\nphi = 0\n[definitions]\ny1 = \"2*x1\"\nz = \"phi\"\n\
                [dynamics]\nlagrangian = \"(x1'^2 + y1'^2 + phi'^2 - z^2)/2\"";
    let model = Model::from_toml(text).unwrap();
    let points = &model.drawing().points;
    assert_eq!(points.len(), 1);
    assert_eq!(model.graph().expr(points[0].at[1]).to_string(), "2*x1");
    assert!(Model::from_toml(CHAIN).unwrap().drawing().points.is_empty());
}

#[test]
fn curves_are_formulas_of_a_name_of_their_own() {
    let text = with(
        r#"points = { O = [0, 0] }
           curves = [{ along = "s", from = "n", to = "2*n", at = ["s", "s^2 + theta[1]", 1] }]
           walls = [["O", "O"]]
           springs = [{ between = ["O", "O"], turns = "2*n" }]
           trails = [{ at = "O", seconds = 2 }]
           view = { x = [-1, "n"], from = [1, 2, 3] }"#,
    );
    let model = Model::from_toml(&text).unwrap();
    let drawing = model.drawing();
    let shown = |id| model.graph().expr(id).to_string();
    let DrawnShape::Curve(places) = &drawing.shapes[0] else { panic!("{:?}", drawing.shapes) };
    let (first, last) = (places[0].map(shown), places[places.len() - 1].map(shown));
    assert_eq!((first[0].as_str(), last[0].as_str(), last[2].as_str()), ("n", "2*n", "1"));
    assert_eq!(last[1], "4*n^2 + theta[1]");
    assert!(drawing.spatial && matches!(drawing.shapes[1], DrawnShape::Wall(_)));
    assert!(matches!(drawing.shapes[2], DrawnShape::Spring { turns: 6, .. }));
    assert!(matches!(drawing.shapes[3], DrawnShape::Trail { at: 0, seconds: Some(_) }));
    assert_eq!(drawing.across.map(|ends| ends.map(shown)), Some(["-1".to_owned(), "n".to_owned()]));
    assert_eq!(drawing.from.map(|from| from.map(shown)), Some(["1", "2", "3"].map(str::to_owned)));
    assert!(drawing.up.is_none());
}

/// Gases are behind what moves in them, wherever they are stated.
#[test]
fn gases_are_drawn_first() {
    let text = with(
        r#"points = { O = [0, 0], A = [1, 0] }
           rods = [["O", "A"]]
           boxes = [{ at = "O", width = 1, height = 1 }, { at = "A", width = 1, height = 1, heat = 300 }]"#,
    );
    let model = Model::from_toml(&text).unwrap();
    let shapes = &model.drawing().shapes;
    assert!(matches!(shapes[0], DrawnShape::Block { heat: Some(_), at: 1, .. }));
    assert!(matches!(shapes[1], DrawnShape::Rod(_)) && matches!(shapes[2], DrawnShape::Block { heat: None, .. }));
}
