//! What the mechanism looks like: pages and pictures of a motion.

use std::process::Command;

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
    assert!(error.contains("`a.webm`") && error.contains(".html, .gif or .mp4"), "{error}");
    let error = refused(&["run", "gallery:rc-circuit", "--frame", "a.svg"]);
    assert!(error.contains("[drawing]"), "{error}");
    let error = refused(&["run", "gallery:pendulum", "--frame", "a.bmp"]);
    assert!(error.contains("`a.bmp`"), "{error}");
    let error = refused(&["run", "gallery:pendulum", "--frame", "a.svg", "--at", "11"]);
    assert!(error.contains("a row is wanted at t = 11, but the run goes from 0 to 10"), "{error}");
}

/// The ends of the lines of this width in a picture.
fn lines(svg: &str, width: &str) -> Vec<[f64; 4]> {
    let is_wide = |line: &&str| line.contains(&format!("stroke-width=\"{width}\"")) && line.contains("d=\"M");
    let ends = |line: &str| {
        let path = line.split("d=\"M").nth(1).unwrap().split('"').next().unwrap();
        let numbers: Vec<f64> = path.split(['L', ' ']).filter_map(|word| word.parse().ok()).collect();
        [numbers[0], numbers[1], numbers[numbers.len() - 2], numbers[numbers.len() - 1]]
    };
    svg.lines().filter(is_wide).map(ends).collect()
}

/// The rod of a pendulum in pictures, against the angles of the trajectory file.
#[test]
fn a_frame_shows_the_mechanism_at_its_time() {
    let folder = Folder::new();
    let arguments = ["run", "gallery:pendulum", "--frame", "a.svg", "--at", "0,0.5,1.2", "--out", "a.csv"];
    let text = folder.call(&arguments).succeeded();
    assert!(text.contains("written: a.csv, a.svg"), "{text}");
    let table = folder.read("a.csv");
    let rows: Vec<Vec<f64>> =
        table.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    // Times are sums of steps of 0.01.
    let angle = |time: f64| rows.iter().find(|row| (row[0] - time).abs() < 1e-9).unwrap()[1];
    let svg = folder.read("a.svg");
    assert!(svg.contains("3 times from 0 to 1.2"), "{svg}");
    let rods = lines(&svg, "4");
    assert_eq!(rods.len(), 3, "{svg}");
    for (time, [x0, y0, x1, y1]) in [0.0, 0.5, 1.2].into_iter().zip(rods) {
        let (dx, dy) = (x1 - x0, y0 - y1);
        // The page has a resolution of 0.01 at a length of hundreds.
        let (found, theta) = (dx.atan2(-dy), angle(time));
        assert!((found - theta).sin().abs() < 1e-4 && (found - theta).cos() > 0.0, "{time}: {found} is not {theta}");
        assert!(dx.hypot(dy) > 100.0);
    }
    folder.call(&["run", "gallery:pendulum", "--quiet", "--frame", "b.png", "--shots", "4"]).succeeded();
    assert!(std::fs::read(folder.path("b.png")).unwrap().starts_with(b"\x89PNG"));
}

/// Solutions are drawn too: the upright pole at the end of its swing.
#[test]
fn an_optimal_motion_is_drawn_and_animated() {
    let folder = Folder::new();
    let called = ["solve", "gallery:cart-pole-swing", "--quiet", "--frame", "a.svg", "--animate", "a.html"];
    folder.call(&called).succeeded();
    let poles = lines(&folder.read("a.svg"), "4");
    let [x0, y0, x1, y1] = poles[0];
    assert!((x0 - x1).abs() < 0.02 && y0 - y1 > 50.0, "{poles:?}");
    let motion = motion(&folder.read("a.html"));
    assert_eq!(numbers(&motion["times"]).last(), Some(&2.0));
}

/// The blocks of a film: logical screen, then a picture for each 25th of a second.
#[test]
fn a_film_is_a_gif_that_loops() {
    let folder = Folder::new();
    let called = ["run", "gallery:pendulum", "--until", "2", "--animate", "a.gif"];
    let text = folder.call(&called).succeeded();
    assert!(text.contains("written: a.gif"), "{text}");
    let bytes = std::fs::read(folder.path("a.gif")).unwrap();
    assert!(bytes.starts_with(b"GIF89a") && bytes.ends_with(&[0x3b]));
    let count = |pattern: &[u8]| bytes.windows(pattern.len()).filter(|window| *window == pattern).count();
    assert_eq!(count(b"NETSCAPE2.0"), 1);
    // A graphic control with a delay of 4 hundredths in front of each of 51 pictures.
    assert_eq!(count(&[0x21, 0xf9, 0x04, 0x04, 0x04, 0x00]) + count(&[0x21, 0xf9, 0x04, 0x00, 0x04, 0x00]), 51);
    // White paper is white.
    let palette = &bytes[13..13 + 3 * (2 << (bytes[10] & 7))];
    assert!(palette.chunks(3).any(|color| color == [255, 255, 255]));
}

/// The brightness of the pixels of a film, picture by picture, as `ffmpeg` decodes it.
fn decoded(folder: &Folder, film: &str, (width, height): (usize, usize)) -> Vec<Vec<u8>> {
    // An .mp4 has even sizes, and so a margin.
    let crop = format!("crop={width}:{height}:0:0");
    let command = ["-loglevel", "error", "-i", film, "-vf", &crop, "-f", "rawvideo", "-pix_fmt", "gray", "-"];
    let output = Command::new("ffmpeg").args(command).current_dir(folder.path("")).output().unwrap();
    assert!(output.status.success(), "{film}: {}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout.len() % (width * height), 0, "{film}: pictures are not {width} by {height}");
    output.stdout.chunks(width * height).map(<[u8]>::to_vec).collect()
}

/// The same pictures as in the `.gif`, but for what is lost in compression, which is little beside what moves.
#[test]
fn a_film_is_an_mp4_where_its_encoder_is() {
    if Command::new("ffmpeg").arg("-version").output().is_err() {
        eprintln!("there is no ffmpeg: films as .mp4 are not tested");
        return;
    }
    let folder = Folder::new();
    let called = ["run", "gallery:pendulum", "--until", "2", "--animate", "a.gif", "--animate", "a.mp4"];
    folder.call(&called).succeeded();
    let bytes = std::fs::read(folder.path("a.mp4")).unwrap();
    assert_eq!(&bytes[4..8], b"ftyp");
    let head = std::fs::read(folder.path("a.gif")).unwrap();
    let size = [6, 8].map(|at| usize::from(u16::from_le_bytes([head[at], head[at + 1]])));
    let [gif, mp4] = ["a.gif", "a.mp4"].map(|film| decoded(&folder, film, size.into()));
    assert_eq!((gif.len(), mp4.len()), (51, 51));
    let away =
        |a: &[u8], b: &[u8]| a.iter().zip(b).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / a.len() as f64;
    let moved = away(&gif[0], &gif[12]);
    assert!(moved > 1.0, "{moved}");
    for (at, (gif, mp4)) in gif.iter().zip(&mp4).enumerate() {
        let lost = away(gif, mp4);
        assert!(lost < moved / 4.0, "picture {at}: {lost} is lost, and {moved} moves");
    }
}

#[test]
fn a_film_without_its_encoder_names_it() {
    let folder = Folder::new();
    let mut command = folder.command(&["run", "gallery:pendulum", "--animate", "a.mp4"]);
    let output = command.env("PATH", folder.path("")).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("`ffmpeg`") && error.contains(".gif"), "{error}");
    assert!(!folder.path("a.mp4").exists());
}

#[test]
fn panels_are_those_that_are_asked_for() {
    let folder = Folder::new();
    let mut arguments = vec!["run", "gallery:double-pendulum", "--quiet", "--plot", "a.svg"];
    for panel in ["x2,y2", "phase θ1", "change energy", "θ1 θ2", "x1,y1 x2,y2"] {
        arguments.extend(["--panel", panel]);
    }
    folder.call(&arguments).succeeded();
    let svg = folder.read("a.svg");
    let titles = ["x2, y2", "Phase plane of θ1", "Change of energy", "θ1, θ2", "x1, y1; x2, y2"];
    for title in titles {
        assert!(svg.contains(&format!(">{title}</")), "{title} is not in\n{svg}");
    }
    assert!(!svg.contains("Configuration plane") && !svg.contains("Energy error"));
    folder.call(&["run", "gallery:kepler", "--quiet", "--plot", "b.png", "--panel", "x,y"]).succeeded();
    folder.call(&["solve", "gallery:catenary", "--quiet", "--plot", "c.svg", "--panel", "x,y"]).succeeded();
    assert!(folder.read("c.svg").contains(">x, y</"));
    for (panel, word) in [("q,r", "no column `q`"), ("x,y z", "is no panel"), ("phase energy", "neither a momentum")] {
        let error = folder.call(&["run", "gallery:kepler", "--plot", "d.svg", "--panel", panel]).failed_with(2);
        assert!(error.contains(word) && !folder.path("d.svg").exists(), "{panel}: {error}");
    }
}

/// What a sweep is drawn as follows from what varies and what is recorded.
#[test]
fn sweeps_are_drawn_as_what_they_are() {
    let folder = Folder::new();
    let drawn = |arguments: &[&str]| {
        let mut all = vec!["sweep", "--quiet", "--plot", "a.svg"];
        all.extend(arguments);
        folder.call(&all).succeeded();
        folder.read("a.svg")
    };
    let grid = ["gallery:pendulum", "--until", "1", "--vary", "theta=0.5:2.5:5", "--vary", "l=1:2:3"];
    let svg = drawn(&grid);
    // Fifteen members are fifteen cells of a fifth by a third of the plot, with different colours where neighbours are.
    let widths = |svg: &str| {
        let cells = svg.lines().filter(|line| line.starts_with("<rect") && line.contains("fill=\"#"));
        let number =
            |line: &str, key: &str| line.split(&format!("{key}=\"")).nth(1)?.split('"').next()?.parse::<f64>().ok();
        cells.filter_map(|line| Some((number(line, "width")?, number(line, "height")?))).collect::<Vec<_>>()
    };
    let sizes = widths(&svg);
    let plot = sizes[1];
    let is_cell =
        |(width, height): &&(f64, f64)| (*width - plot.0 / 5.0).abs() < 0.45 && (*height - plot.1 / 3.0).abs() < 0.45;
    assert_eq!(sizes.iter().filter(is_cell).count(), 15, "{sizes:?}");
    let svg = drawn(&[
        "gallery:pendulum",
        "--until",
        "1",
        "--vary",
        "theta=0.5:2.5:5",
        "--panel",
        "energy",
        "--panel",
        "theta,p_theta",
    ]);
    assert!(
        svg.contains("theta(0)</text>") && svg.contains("energy over theta(0)") && svg.contains("theta and p_theta"),
        "{svg}"
    );
    let samples = ["gallery:kepler", "--until", "1", "--random", "x=0.3:0.5", "--samples", "20", "--seed", "1"];
    // A point is a dash without length: twenty of them for each of two coordinates.
    let svg = drawn(&samples);
    assert_eq!(svg.matches("h0").count(), 40, "{svg}");
    let all = ["gallery:pendulum", "--until", "1", "--vary", "theta=0.5:2.5:5", "--record", "all"];
    assert!(drawn(&all).contains("median"));
    let error = folder
        .call(&["sweep", "gallery:pendulum", "--vary", "l=1:2:3", "--plot", "b.svg", "--panel", "q"])
        .failed_with(2);
    assert!(error.contains("no column `q`") && !folder.path("b.svg").exists(), "{error}");
}

/// A file and a picture of the same rows, in one call: each is what it is alone. Rows of an earlier call are not in memory.
#[test]
fn a_sweep_is_written_and_drawn_in_one_call() {
    let sweep = ["sweep", "gallery:pendulum", "--until", "1", "--vary", "theta=0.5:2.5:5", "--quiet"];
    let section = ["section", "gallery:henon-heiles", "--until", "40", "--when", "x", "--quiet"];
    for call in [&sweep[..], &section] {
        let folder = Folder::new();
        let with = |options: &[&str]| folder.call(&[call, options].concat());
        with(&["--out", "alone.csv"]).succeeded();
        with(&["--plot", "alone.svg"]).succeeded();
        with(&["--out", "both.csv", "--plot", "both.svg"]).succeeded();
        assert_eq!(folder.read("both.csv"), folder.read("alone.csv"));
        assert_eq!(folder.read("both.svg"), folder.read("alone.svg"));
        with(&["--out", "rest.csv", "--plot", "rest.svg", "--resume"]).failed_with(2);
    }
}

/// The page of the drawings lists the models that have one, by their files.
#[test]
fn the_page_of_drawings_lists_all_of_them() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let page = std::fs::read_to_string(format!("{root}/docs/drawings.md")).unwrap();
    let (_, list) = page.split_once("## The models").unwrap();
    let listed: Vec<String> = list.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let mut drawn: Vec<String> = std::fs::read_dir(format!("{root}/gallery"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| std::fs::read_to_string(path).is_ok_and(|text| text.lines().any(|line| line == "[drawing]")))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    drawn.sort();
    assert_eq!(listed, drawn);
    assert!(drawn.len() > 100);
}
