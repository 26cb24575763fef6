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
    assert!(matches!(drawing.shapes[1], DrawnShape::Spring([0, 3])));
    let DrawnShape::Disc { at, radius, angle } = &drawing.shapes[4] else { panic!("{:?}", drawing.shapes) };
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
