//! Random models: small systems with everything that a model may have, drawn from a seed.

use std::fmt::Write;

use crate::source::Source;
use extremal_testkit::numbers::Draws;

/// As many as the suite takes; `METAMORPHIC_MODELS` draws more.
const MODELS: u64 = 200;

pub fn random_models() -> Vec<(String, Source)> {
    let count = std::env::var("METAMORPHIC_MODELS").ok().and_then(|n| n.parse().ok()).unwrap_or(MODELS);
    (0..count).map(|seed| (format!("random {seed}"), Source::read(&random_model(seed)))).collect()
}

const NAMES: [&str; 6] = ["x", "theta", "q2", "alpha", "Y", "φ"];
const METHODS: [&str; 8] = [
    "midpoint",
    "trapezoidal",
    "left",
    "galerkin(2)",
    "galerkin(3)",
    "galerkin(2, lobatto(3))",
    "compose(suzuki4, midpoint)",
    "compose(kahan-li8, trapezoidal)",
];

const METHODS_UNDER_CONSTRAINTS: [&str; 3] = ["midpoint", "trapezoidal", "compose(suzuki4, midpoint)"];

/// What a random model has beside its coordinates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Free,
    /// An entropy that friction heats.
    Heated,
    /// Two coordinates on a circle.
    Rod,
    /// Three coordinates with z' = y x'.
    Contact,
}

/// The model of a seed, as text. Potentials are bounded below and masses above zero, so that every motion exists for all times.
pub fn random_model(seed: u64) -> String {
    let mut draw = Draws(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) + 1);
    let kind = draw.pick(&[Kind::Free, Kind::Free, Kind::Free, Kind::Heated, Kind::Heated, Kind::Rod, Kind::Contact]);
    let n = match kind {
        Kind::Free | Kind::Heated => 1 + draw.below(3),
        Kind::Rod => 2,
        Kind::Contact => 3,
    };
    let first = draw.below(NAMES.len());
    let names: Vec<&str> = (0..n).map(|i| NAMES[(first + i) % NAMES.len()]).collect();
    let mut text = String::from("[parameters]\n");
    for parameter in ["m", "k", "a"] {
        writeln!(text, "{parameter} = {}", draw.number(0.5, 2.0)).unwrap();
    }
    writeln!(text, "[coordinates]").unwrap();
    for (name, [start, velocity]) in names.iter().zip(starts(&mut draw, kind, n)) {
        writeln!(text, "\"{name}\" = {{ start = \"{start}\", velocity = \"{velocity}\" }}").unwrap();
    }
    if kind == Kind::Heated {
        writeln!(text, "[entropies]\nS = {{ start = {} }}", draw.number(-0.5, 0.5)).unwrap();
    }
    match kind {
        Kind::Rod => writeln!(text, "[constraints]\nrod = \"{}^2 + {}^2 = a^2\"", names[0], names[1]).unwrap(),
        Kind::Contact => {
            writeln!(text, "[constraints]\nslide = \"{}' = {}*{}'\"", names[2], names[1], names[0]).unwrap();
        }
        Kind::Free | Kind::Heated => {}
    }
    writeln!(text, "[definitions]").unwrap();
    writeln!(text, "bend = \"{}\"", function(&mut draw, names[0])).unwrap();
    writeln!(text, "turn = \"a*sin({}) + {}\"", names[n - 1], if draw.one_in(2) { "bend" } else { names[0] }).unwrap();
    let lagrangian = lagrangian(&mut draw, &names, kind);
    writeln!(text, "[dynamics]\nlagrangian = \"{lagrangian}\"").unwrap();
    if draw.one_in(4) {
        let amplitude = draw.number(-1.0, 1.0);
        writeln!(text, "[forces]\n\"{}\" = \"{amplitude}*cos(t) - 0.1*{}\"", names[0], names[n - 1]).unwrap();
    }
    if kind == Kind::Heated || draw.one_in(4) {
        let name = names[n - 1];
        writeln!(text, "[friction]\n\"{name}\" = \"-{}*(1 + {name}^2)*{name}'\"", draw.number(0.05, 0.5)).unwrap();
    }
    let method = match kind {
        Kind::Free => draw.pick(&METHODS),
        Kind::Heated => METHODS[draw.below(2)],
        Kind::Rod | Kind::Contact => draw.pick(&METHODS_UNDER_CONSTRAINTS),
    };
    writeln!(text, "[simulation]\nmethod = \"{method}\"\nstep = {}\nuntil = 10.0", draw.number(0.02, 0.08)).unwrap();
    text
}

/// Start and velocity of every coordinate, within the constraints.
fn starts(draw: &mut Draws, kind: Kind, n: usize) -> Vec<[String; 2]> {
    let free = |draw: &mut Draws| [draw.number(-1.2, 1.2), draw.number(-1.0, 1.0)];
    if kind == Kind::Rod {
        let [angle, turning] = free(draw);
        let velocity = |function: &str| format!("a*({turning})*{function}({angle})");
        let position = |function: &str| format!("a*{function}({angle})");
        return vec![[position("cos"), format!("-{}", velocity("sin"))], [position("sin"), velocity("cos")]];
    }
    let numbers: Vec<[f64; 2]> = (0..n).map(|_| free(draw)).collect();
    let mut starts: Vec<[String; 2]> = numbers.iter().map(|pair| pair.map(|x| x.to_string())).collect();
    if kind == Kind::Contact {
        starts[2][1] = format!("({})*({})", numbers[1][0], numbers[0][1]);
    }
    starts
}

/// A smooth function of one coordinate, bounded with its derivatives near the start.
fn function(draw: &mut Draws, name: &str) -> String {
    match draw.below(5) {
        0 => format!("sin({name})"),
        1 => format!("{name} + {name}^3/6"),
        2 => format!("sqrt(1 + {name}^2)"),
        3 => format!("exp(-{name}^2/2)"),
        _ => format!("log(2 + {name}^2)"),
    }
}

fn lagrangian(draw: &mut Draws, names: &[&str], kind: Kind) -> String {
    let mut text = String::new();
    for (i, name) in names.iter().enumerate() {
        let mass = draw.number(0.8, 2.0);
        text += &match draw.below(4) {
            0 => format!("{mass}*{name}'^2/2"),
            1 => format!("m*(1 + {name}^2/4)*{name}'^2/2"),
            2 => format!("(m + {mass})*{name}'^2/2"),
            _ => format!("{mass}*(2 + cos({name}))*{name}'^2/2"),
        };
        text += &match draw.below(5) {
            0 => format!(" - k*{name}^2/2"),
            1 => format!(" - ({name}^4/4 - a*{name}^2/2)"),
            2 => format!(" + k*cos({name})"),
            3 => format!(" - k*sqrt(1 + ({name} - a)^2)"),
            _ => format!(" - a*{name}^2*({name}^2 + 1)/3"),
        };
        if i > 0 {
            let before = names[i - 1];
            text += &match draw.below(4) {
                0 => format!(" - k*({name} - {before})^2/2"),
                1 => format!(" + 0.3*cos({name} - {before})*{name}'*{before}'"),
                2 => format!(" + a*({name}*{before}' - {before}*{name}')"),
                _ => format!(" - a*{name}^2*{before}^2/2"),
            };
        }
        text += " + ";
    }
    text += &match draw.below(4) {
        0 => "m*turn'^2/4".to_string(),
        1 => "(turn' + bend)^2/5".to_string(),
        2 => "0.2*bend*cos(1.3*t)".to_string(),
        _ => "k*bend/3 - turn^2/4".to_string(),
    };
    if kind == Kind::Heated {
        text += &format!(" - m*exp(S/a)*(1 + {}^2/8)", names[0]);
    }
    text
}
