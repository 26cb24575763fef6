//! Models and calls drawn at random: everything that a model can state, mostly sensible, sometimes not.

use std::fmt::Write;

use super::random::Random;

/// A model file and the arguments of a call of the program with it.
pub struct Case {
    pub model: String,
    pub arguments: Vec<String>,
}

/// Where the model and the rows are, in the folder of a call.
pub const MODEL: &str = "model.toml";
pub const ROWS: &str = "rows.csv";

const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "2",
    "-1",
    "0.5",
    "0.1",
    "3.7",
    "1e-3",
    "1e3",
    "-0.25",
    "1e-9",
    "1e6",
    "\"pi/3\"",
    "\"sqrt(2)\"",
    "1e30",
    "1e-30",
];
const STEPS: [&str; 6] = ["0.01", "0.1", "0.05", "0.3", "1", "1e-4"];
const METHODS: [&str; 24] = [
    "midpoint",
    "trapezoidal",
    "left",
    "right",
    "galerkin(2)",
    "galerkin(3)",
    "galerkin(2, lobatto(3))",
    "gauss(2)",
    "gauss(3)",
    "rk2",
    "rk4",
    "dop853",
    "dopri5",
    "compose(suzuki4, midpoint)",
    "compose(yoshida4, trapezoidal)",
    "kahan-li8",
    "energy-entropy",
    "energy-entropy(2)",
    "compose(suzuki4, energy-entropy)",
    "theta(0.3)",
    "suzuki4",
    "midpoint",
    "hermite",
    "yoshida6",
];
const COMMANDS: [&str; 12] =
    ["run", "run", "run", "run", "sweep", "sweep", "sweep", "derive", "analyze", "compare", "solve", "solve"];

/// A model and what was stated in it.
struct Draw<'r> {
    random: &'r mut Random,
    text: String,
    parameters: Vec<&'static str>,
    coordinates: Vec<&'static str>,
    entropies: Vec<&'static str>,
    controls: bool,
    definitions: bool,
}

/// The case of a seed.
pub fn case(seed: u64) -> Case {
    let random = &mut Random::new(seed);
    let command = random.pick(&COMMANDS);
    let none = Vec::new;
    let mut draw = Draw {
        random,
        text: String::new(),
        parameters: none(),
        coordinates: none(),
        entropies: none(),
        controls: false,
        definitions: false,
    };
    draw.model(command == "solve");
    let arguments = draw.arguments(command);
    Case { model: draw.text, arguments }
}

impl Draw<'_> {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    fn model(&mut self, boundary: bool) {
        let count = 1 + self.random.below(3);
        self.coordinates = ["x", "y", "theta"][..count].to_vec();
        if self.random.once_in(6) {
            return self.family();
        }
        self.line("[parameters]");
        for name in ["m", "k", "c", "a"].into_iter().take(self.random.below(5)) {
            let value = self.random.pick(&NUMBERS);
            self.line(&format!("{name} = {value}"));
            self.parameters.push(name);
        }
        let warm = !boundary && self.random.once_in(3);
        if warm {
            self.entropies = ["S", "R"][..1 + self.random.below(2)].to_vec();
        }
        self.line("[coordinates]");
        for name in self.coordinates.clone() {
            let (start, velocity) = (self.random.pick(&NUMBERS), self.random.pick(&NUMBERS));
            let domain = if self.random.once_in(8) { format!(", domain = \"{name} > -2\"") } else { String::new() };
            let line = match self.random.below(4) {
                0 if boundary => format!("{name} = {{}}"),
                0 => format!("{name} = {start}"),
                _ => format!("{name} = {{ start = {start}, velocity = {velocity}{domain} }}"),
            };
            self.line(&line);
        }
        if warm {
            self.line("[entropies]");
            for name in self.entropies.clone() {
                let start = self.random.pick(&NUMBERS);
                self.line(&format!("{name} = {{ start = {start} }}"));
            }
        }
        if self.random.once_in(3) {
            let (a, b) = (self.expression(2, false), self.expression(1, false));
            self.line(&format!("[definitions]\nd = \"{a}\"\ne = \"d*({b})\""));
            self.definitions = true;
        }
        let lagrangian = self.lagrangian();
        self.line(&format!("[dynamics]\nlagrangian = \"{lagrangian}\""));
        self.tables(warm);
        if boundary {
            self.boundary();
        }
        self.simulation(boundary);
    }

    fn tables(&mut self, warm: bool) {
        let first = self.coordinates[0];
        if self.random.once_in(if warm { 2 } else { 4 }) {
            self.line("[friction]");
            for name in self.coordinates.clone() {
                let strange = self.expression(2, true);
                let heats = self.entropies.first().map_or(String::new(), |s| format!(", heats = {{ {s} = 1 }}"));
                let law =
                    self.random.pick(&["-0.1*?'", "-?'^3", "-abs(?')*?'", "-sign(?')", "-2*?'"]).replace('?', name);
                let line = match self.random.below(4) {
                    0 => format!("{name} = \"{strange}\""),
                    1..=3 if self.entropies.len() > 1 => format!("{name} = {{ force = \"{law}\"{heats} }}"),
                    _ => format!("{name} = \"{law}\""),
                };
                self.line(&line);
            }
        }
        if self.random.once_in(5) {
            let force = self.expression(2, true);
            self.line(&format!("[forces]\n{first} = \"{force}\""));
        }
        if self.entropies.len() > 1 && self.random.once_in(2) {
            self.line("[conduction]\nwall = { between = [\"S\", \"R\"], conductance = 0.3 }");
        }
        if warm && self.random.once_in(5) {
            self.line("[heat]\nS = \"sin(t)\"");
        }
        if self.random.once_in(5) {
            self.constraints();
        }
        if self.random.once_in(6) {
            let value = self.expression(2, true);
            self.line(&format!("[invariants]\nwatched = \"{value}\""));
        }
        if self.random.once_in(6) {
            let value = self.expression(1, false);
            self.line(&format!("[stop]\nreached = \"{value}\""));
        }
        if self.random.once_in(8) {
            self.line(&format!("[symmetries]\nshift = {{ {first} = \"1\" }}"));
        }
    }

    fn constraints(&mut self) {
        self.line("[constraints]");
        for number in 0..1 + self.random.below(2) {
            let (left, right) = (self.expression(2, false), self.expression(1, true));
            let first = self.coordinates[0];
            let last = self.coordinates[self.coordinates.len() - 1];
            let line = match self.random.below(6) {
                0 => format!("c{number} = \"x^2 + {last}^2 = 1\""),
                1 => format!("c{number} = \"{last}' = x*{first}'\""),
                2 => format!("c{number} = {{ equation = \"{last}' = {right}\", kind = \"vakonomic\" }}"),
                3 => format!("c{number} = \"{first} = sin(t)\""),
                4 => format!("c{number} = \"{left} = {right}\""),
                _ => format!("c{number} = \"{left} = 0\""),
            };
            self.line(&line);
        }
    }

    fn boundary(&mut self) {
        let first = self.coordinates[0];
        if self.random.once_in(2) {
            self.controls = true;
            let bounds = self.random.pick(&["", ", min = -1, max = 1", ", min = -20, max = 20", ", min = 0"]);
            self.line(&format!("[controls]\nu = {{ on = \"{first}\"{bounds} }}\n[objective]"));
            let cost = self.expression(1, true);
            let line = match self.random.below(3) {
                0 => format!("running = \"u^2 + ({cost})^2\""),
                1 => format!("running = \"{cost}\"\nterminal = \"{first}^2\""),
                _ => "running = \"u^2\"".to_owned(),
            };
            self.line(&line);
        }
        let duration = self.random.pick(&["1.0", "2", "0.1", "10", "\"pi\""]);
        let steps = self.random.pick(&["2", "5", "20", "40"]);
        self.line(&format!("[boundary]\nduration = {duration}\nsteps = {steps}"));
        for side in ["start", "end"] {
            let mut stated: Vec<String> = Vec::new();
            for name in self.coordinates.clone() {
                let value = self.random.pick(&["0", "1", "-1", "0.5", "3"]);
                if !self.random.once_in(4) {
                    stated.push(format!("{name} = {value}"));
                }
                if self.controls && !self.random.once_in(4) {
                    stated.push(format!("\"{name}'\" = {value}"));
                }
            }
            self.line(&format!("{side} = {{ {} }}", stated.join(", ")));
        }
    }

    /// Many like members.
    fn family(&mut self) {
        let n = self.random.pick(&["1", "2", "3", "5", "12", "40"]);
        self.coordinates = vec!["q"];
        let start = self.random.pick(&["i/n", "sin(i)", "0.1*i", "1/(i - 1)", "log(i)"]);
        let kinetic = self.random.pick(&["q[i]'^2/2", "k*q[i]'^2/2", "i*q[i]'^2/2", "(1 + q[i]^2)*q[i]'^2/2"]);
        let bond = self.random.pick(&[
            "(q[i + 1] - q[i])^2/2",
            "k*(q[i + 1] - q[i])^4/4",
            "cos(q[i + 1] - q[i])",
            "1/(q[i + 1] - q[i])",
            "exp(q[i] - q[i + 1])",
        ]);
        let k = self.random.pick(&NUMBERS);
        self.line(&format!(
            "[parameters]\nn = {n}\nk = {k}\n[coordinates]\nq = {{ count = \"n\", start = \"{start}\" }}"
        ));
        self.line(&format!("[dynamics]\nlagrangian = \"sum(i, 1, n, {kinetic}) - sum(i, 1, n - 1, {bond})\""));
        self.parameters.push("k");
        self.simulation(false);
    }

    fn simulation(&mut self, boundary: bool) {
        let (mut method, step) = (self.random.pick(&METHODS), self.random.pick(&STEPS));
        if boundary && !self.random.once_in(8) {
            method = self.random.pick(&["midpoint", "trapezoidal", "galerkin(2)", "left"]);
        }
        let end = self.random.pick(&["steps = 50", "steps = 200", "until = 1.0", "until = 3.3", "steps = 1"]);
        self.line(&format!("[simulation]\nmethod = \"{method}\"\nstep = {step}\n{end}"));
    }

    fn lagrangian(&mut self) -> String {
        let mut terms = Vec::new();
        for name in self.coordinates.clone() {
            let mass = self.random.pick(&[
                "1",
                "1",
                "2",
                "m",
                "(1 + ?^2)",
                "exp(?)",
                "?",
                "(1 - t)",
                "cos(?)^2",
                "1",
                "1",
                "3",
            ]);
            let mass = if mass == "m" && !self.parameters.contains(&"m") { "1" } else { mass };
            terms.push(format!("{}*{name}'^2/2", mass.replace('?', name)));
        }
        if let [a, b, ..] = self.coordinates[..]
            && self.random.once_in(3)
        {
            terms.push(format!("cos({a} - {b})*{a}'*{b}'/3"));
        }
        if self.random.once_in(8) {
            terms.push(self.expression(3, true));
        }
        let mut text = terms.join(" + ");
        let _ = write!(text, " - ({})", self.expression(3, false));
        for name in self.entropies.clone() {
            let energy =
                self.random.pick(&["exp(?)", "exp(?/2)", "2*exp(? - x)", "?^2", "exp(?)*x^(-2/3)", "exp(?)", "?^2"]);
            let _ = write!(text, " - {}", energy.replace('?', name));
        }
        text
    }

    /// An expression of what there is, velocities included where they are wanted.
    fn expression(&mut self, depth: usize, velocities: bool) -> String {
        if depth == 0 || self.random.once_in(5) {
            return self.leaf(velocities);
        }
        let a = self.expression(depth - 1, velocities);
        let b = self.expression(depth - 1, velocities);
        match self.random.below(16) {
            0..=2 => format!("({a} + {b})"),
            3 | 4 => format!("({a} - {b})"),
            5..=7 => format!("({a})*({b})"),
            8 => format!("({a})/({b})"),
            9 => format!("({a})^2"),
            10 => format!("({a})^{}", self.random.pick(&["3", "4", "(-1)", "(1/2)", "(3/2)", "(-2)", "7"])),
            11 | 12 => {
                let function = self.random.pick(&[
                    "sin", "cos", "exp", "log", "sqrt", "tanh", "abs", "sign", "cosh", "atan", "asin", "acosh", "tan",
                    "cbrt",
                ]);
                format!("{function}({a})")
            }
            13 => format!("{}({a}, {b})", self.random.pick(&["min", "max", "atan2"])),
            14 => format!("if({a} < {b}, {a}, {b})"),
            _ => format!("({a})^({b})"),
        }
    }

    fn leaf(&mut self, velocities: bool) -> String {
        let coordinate = self.coordinates[self.random.below(self.coordinates.len())];
        match self.random.below(8) {
            0 | 1 => self.random.pick(&["1", "2", "0.5", "3", "pi", "0", "1e3", "1e-3"]).to_owned(),
            2 if !self.parameters.is_empty() => self.parameters[self.random.below(self.parameters.len())].to_owned(),
            3 if velocities => format!("{coordinate}'"),
            4 => "t".to_owned(),
            5 if self.definitions => self.random.pick(&["d", "e"]).to_owned(),
            6 if !self.entropies.is_empty() => self.entropies[0].to_owned(),
            _ => coordinate.to_owned(),
        }
    }

    fn arguments(&mut self, command: &str) -> Vec<String> {
        let mut words: Vec<String> = vec![command.to_owned(), MODEL.to_owned()];
        let mut say = |list: &[&str]| words.extend(list.iter().map(|word| (*word).to_owned()));
        match command {
            "run" => say(&["--out", ROWS, "--quiet"]),
            "sweep" => say(&["--out", ROWS, "--quiet", "--threads", "1"]),
            "solve" => say(&["--out", ROWS]),
            _ => {}
        }
        let random = &mut *self.random;
        if matches!(command, "run" | "sweep") {
            if random.once_in(3) {
                say(&["--method", random.pick(&METHODS)]);
            }
            if random.once_in(4) {
                say(&[
                    "--step",
                    random.pick(&["0.01", "0.5", "10", "1e-300", "1e300", "0.001", "nan", "0"]),
                    "--steps",
                    "20",
                ]);
            } else if random.once_in(4) {
                say(&["--steps", random.pick(&["1", "7", "300"])]);
            }
            if random.once_in(8) {
                say(&["--tolerance", random.pick(&["1e-6", "1e-15", "1e-12", "0", "1e-9"])]);
            }
            if random.once_in(5) {
                say(&["--project"]);
            }
        }
        match command {
            "run" if random.once_in(6) => say(&["--track", "found"]),
            "run" if random.once_in(6) => say(&["--record", random.pick(&["1", "3", "1000"])]),
            "sweep" => {
                let name = if self.parameters.is_empty() { self.coordinates[0] } else { self.parameters[0] };
                let values = random.pick(&["0.5:2:5", "-1:1:3", "1", "-1e308:1e308:3", "0,1e-300,1e300", "1:2:40"]);
                say(&[
                    "--vary",
                    &format!("{name}={values}"),
                    "--record",
                    random.pick(&["end", "all", "extremes", "end", "events"]),
                ]);
                if random.once_in(4) {
                    say(&["--random", &format!("{}=normal(0, 1)", self.coordinates[0]), "--samples", "3"]);
                }
            }
            "derive" => match random.below(4) {
                0 => say(&["--json"]),
                1 => say(&["--form", random.pick(&["discrete", "hamilton", "lagrange"])]),
                2 => say(&["--latex"]),
                _ => {}
            },
            "analyze" if random.once_in(2) => say(&["--json"]),
            "compare" => {
                say(&[
                    "--methods",
                    random.pick(&["midpoint,rk4", "left", "galerkin(2),midpoint"]),
                    "--steps",
                    "0.1,0.05",
                ]);
                say(&["--until", random.pick(&["0.5", "1", "0.01", "0.7"])]);
                if random.once_in(4) {
                    say(&[random.pick(&["--first", "--skip"]), random.pick(&["0", "1", "5", "100000"])]);
                }
                if random.once_in(2) {
                    say(&["--json"]);
                }
            }
            "solve" => {
                if random.once_in(3) {
                    say(&["--refine", random.pick(&["1e-4", "1e-6", "1e-3", "nan"])]);
                }
                if random.once_in(4) {
                    say(&["--tolerance", random.pick(&["1e-6", "inf", "1e-12", "1e-9"])]);
                }
                if random.once_in(3) {
                    say(&["--json"]);
                }
            }
            _ => {}
        }
        words
    }
}
