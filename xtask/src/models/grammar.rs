//! Models drawn at random: everything that a model can state, mostly sensible, sometimes not.

use std::fmt::Write;

use extremal_testkit::numbers::Draws;

/// A model file and calls of the program with it, one after the other in one folder.
pub struct Case {
    pub model: String,
    pub calls: Vec<Vec<String>>,
}

/// Where the model is, in the folder of a case.
pub const MODEL: &str = "model.toml";

pub(super) const NUMBERS: [&str; 16] = [
    "0", "1", "2", "-1", "0.5", "0.1", "3.7", "1e-3", "1e3", "-0.25", "1e-9", "1e6", "'pi/3'", "'2^.5'", "1e30",
    "1e-30",
];
const STEPS: [&str; 6] = ["0.01", "0.1", "0.05", "0.3", "1", "1e-4"];
const COMMANDS: [&str; 13] =
    ["run", "run", "run", "run", "sweep", "sweep", "sweep", "derive", "analyze", "compare", "solve", "solve", "export"];

/// A model and what was stated in it.
pub(super) struct Draw<'r> {
    pub random: &'r mut Draws,
    pub text: String,
    pub parameters: Vec<String>,
    pub coordinates: Vec<&'static str>,
    pub entropies: Vec<&'static str>,
    /// Is there a state of first order, `z`?
    pub state: bool,
    pub constraints: Vec<String>,
    pub controls: bool,
    pub definitions: bool,
    /// Are there functions, `f` of a number and `g` of two vectors, and a vector `r`?
    pub functions: bool,
    /// Are there two positions to start from?
    pub second: bool,
    /// Is there a friction that sticks?
    pub dry: bool,
    /// Are there conditions to stop at?
    pub stop: bool,
    /// Is there a step of the model's own?
    pub discrete: bool,
    /// The highest derivative in the Lagrangian.
    pub order: usize,
    /// The method that the model states.
    pub method: String,
}

/// The case of a seed; models of the gallery are drawn too.
pub fn case(seed: u64, gallery: &[String]) -> Case {
    let random = &mut Draws(seed);
    let command = random.pick(&COMMANDS);
    let mut draw = Draw {
        random,
        text: String::new(),
        parameters: Vec::new(),
        coordinates: Vec::new(),
        entropies: Vec::new(),
        state: false,
        constraints: Vec::new(),
        controls: false,
        definitions: false,
        functions: false,
        second: false,
        dry: false,
        stop: false,
        discrete: false,
        order: 1,
        method: String::new(),
    };
    let drawn = draw.random.below(10 * gallery.len().max(1));
    match gallery.get(drawn) {
        Some(text) if command != "solve" || text.contains("[boundary]") => draw.take_from_gallery(text),
        _ => draw.model(command == "solve"),
    }
    let calls = draw.calls(command);
    Case { model: draw.text, calls }
}

impl Draw<'_> {
    pub fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    /// The name of a method, which mostly fits the model.
    pub fn drawn_method(&mut self) -> String {
        let random = &mut *self.random;
        let compositions = ["yoshida4", "yoshida6", "yoshida8", "suzuki4", "kahan-li8", "sofroniou-spaletta10"];
        let by_turns = ["blanes-moan4", "blanes-moan6", "blanes-moan6-nystrom"];
        let fits = !random.one_in(10);
        let drawn = match random.below(10) {
            _ if fits && self.order > 1 => random.pick(&["hermite", "difference", "dop853", "dopri5"]),
            _ if fits && self.dry => random.pick(&["midpoint", "trapezoidal"]),
            _ if fits && self.discrete => "custom",
            0..=3 => random.pick(&["midpoint", "midpoint", "trapezoidal", "left", "right", "theta(0.3)"]),
            4 if fits && !self.entropies.is_empty() => "energy-entropy",
            4 => random.pick(&[
                "galerkin(1)",
                "galerkin(2)",
                "galerkin(3)",
                "galerkin(2, gauss(3))",
                "galerkin(2, lobatto(3))",
            ]),
            5 => random.pick(&["gauss(1)", "gauss(2)", "gauss(3)", "euler", "rk2", "rk4"]),
            6 => random.pick(&["dop853", "dop853", "dopri5"]),
            7 => random.pick(&["energy-entropy", "energy-entropy(2)", "energy-entropy(3)", "energy-entropy-momentum"]),
            8 if !fits => random.pick(&["hermite", "difference", "custom"]),
            8 => match random.below(4) {
                0 => random.pick(&by_turns),
                1 => "wisdom-holman",
                _ => random.pick(&compositions),
            },
            _ => {
                let base = random.pick(&["midpoint", "trapezoidal", "energy-entropy", "energy-entropy-momentum"]);
                return format!("compose({}, {base})", random.pick(&compositions));
            }
        };
        drawn.to_owned()
    }

    pub fn number(&mut self) -> &'static str {
        self.random.pick(&NUMBERS)
    }

    /// A model of the gallery with one of its parameters changed, which the calls may do once more.
    fn take_from_gallery(&mut self, text: &str) {
        let mut table = "";
        let mut changed = false;
        for line in text.lines() {
            if line.starts_with('[') {
                table = line;
            }
            let named = line.split_once(" = ").filter(|(name, _)| !name.starts_with('#'));
            match named {
                Some((name, _)) if table == "[parameters]" => {
                    self.parameters.push(name.to_owned());
                    // Sizes of families are not made larger.
                    if name != "n" && !changed && self.random.one_in(4) {
                        changed = true;
                        let value = self.number();
                        self.line(&format!("{name} = {value}"));
                        continue;
                    }
                }
                Some(("method", value)) => self.method = value.trim_matches('"').to_owned(),
                _ => {}
            }
            self.line(line);
        }
        self.parameters.retain(|name| name != "n");
        self.coordinates = vec!["x"];
    }

    fn model(&mut self, boundary: bool) {
        let count = 1 + self.random.below(3);
        self.coordinates = ["x", "y", "theta"][..count].to_vec();
        if self.random.one_in(8) {
            self.line("name = \"Drawn\"\nsource = \"nowhere\"\ndescription = \"by chance\"");
        }
        if !boundary && self.random.one_in(6) {
            return self.family();
        }
        if self.random.one_in(12) {
            self.order = 2 + usize::from(self.random.one_in(5));
        }
        self.line("[parameters]");
        for name in ["m", "k", "c", "a"].into_iter().take(self.random.below(5)) {
            let value = self.number();
            self.line(&format!("{name} = {value}"));
            self.parameters.push(name.to_owned());
        }
        self.functions = self.random.one_in(4);
        if self.functions {
            let body = self.random.pick(&["u^2 + 1", "sin(u)*u", "if(u > 0, u, -u)", "log(u)", "u'"]);
            self.line(&format!("[functions]\n\"f(u)\" = \"{body}\"\n\"g(u, v)\" = \"dot(u, v)/2 + f(u[1])\""));
        }
        let warm = self.order == 1 && self.random.one_in(if boundary { 12 } else { 3 });
        if warm {
            self.entropies = ["S", "R"][..1 + self.random.below(2)].to_vec();
        }
        self.second = !boundary && self.random.one_in(8);
        self.line("[coordinates]");
        for name in self.coordinates.clone() {
            let (start, velocity, next) = (self.number(), self.number(), self.number());
            let start = match self.random.below(20) {
                0 => "\"2*x' + 1\"",
                1 => "\"x/2\"",
                _ => start,
            };
            let domain = match self.random.below(12) {
                0 => format!(", domain = \"{name} > -2\""),
                1 => format!(", domain = \"{name} < 4 and {name} > -4\""),
                _ => String::new(),
            };
            let second = if self.second { format!(", second = {next}") } else { String::new() };
            let more = match self.order > 1 || boundary {
                true if self.random.one_in(8) => ", p0 = 0.3, p1 = -0.2",
                _ if self.order > 1 => ", acceleration = 1, jerk = 0.5",
                _ => "",
            };
            let line = match self.random.below(4) {
                0 if boundary => format!("{name} = {{}}"),
                0 if !self.second => format!("{name} = {start}"),
                _ => format!("{name} = {{ start = {start}, velocity = {velocity}{second}{more}{domain} }}"),
            };
            self.line(&line);
        }
        if warm {
            // One state may be an action instead, beside which other tables are refused.
            let action = self.entropies.len() == 1 && self.random.one_in(4);
            self.line(if action { "[action]" } else { "[entropies]" });
            for name in self.entropies.clone() {
                let start = self.number();
                self.line(&format!("{name} = {{ start = {start} }}"));
            }
        }
        self.state = self.random.one_in(if self.order == 1 { 6 } else { 40 });
        if self.state {
            let (start, rate) = (self.number(), self.expression(2, true));
            self.line(&format!("[states]\nz = {{ start = {start}, rate = \"{rate}\" }}"));
        }
        if self.random.one_in(3) {
            let (a, b) = (self.expression(2, false), self.expression(1, false));
            self.line(&format!("[definitions]\nd = \"{a}\"\ne = \"d*({b})\""));
            self.definitions = true;
        }
        let dynamics = match self.order == 1 && self.random.one_in(10) {
            true => format!("hamiltonian = \"{}\"", self.hamiltonian()),
            false => format!("lagrangian = \"{}\"", self.lagrangian()),
        };
        self.line(&format!("[dynamics]\n{dynamics}"));
        self.tables(warm);
        if boundary {
            self.boundary();
        }
        if self.random.one_in(12) {
            self.step_of_its_own();
        }
        self.simulation(boundary);
    }

    /// By momenta that can be solved for, and by others.
    fn hamiltonian(&mut self) -> String {
        let mut terms = Vec::new();
        for name in self.coordinates.clone() {
            let kinetic =
                ["p_?^2/2", "p_?^2/2", "(1 + ?^2)*p_?^2/2", "sqrt(1 + p_?^2)", "cosh(p_?)", "-cos(p_?)", "p_?*?"];
            terms.push(self.random.pick(&kinetic).replace('?', name));
        }
        terms.push(format!("({})", self.expression(2, false)));
        terms.extend(self.entropies.iter().map(|name| format!("exp({name})")));
        terms.join(" + ")
    }

    /// Many like members.
    fn family(&mut self) {
        let warm = self.random.one_in(5);
        let rods = !warm && self.random.one_in(6);
        // Steps with many entropies or constraints are long, and asked for: no hang of the program's.
        let n = self.random.pick(match (warm, rods) {
            (true, _) => &["1", "2", "3", "5"],
            (_, true) => &["1", "2", "3", "12"],
            _ => &["1", "3", "12", "40"],
        });
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
        let ring = self.random.pick(&["", "", " - (q[1] - q[n])^2/2"]);
        let k = self.number();
        self.line(&format!(
            "[parameters]\nn = {n}\nk = {k}\n[coordinates]\nq = {{ count = \"n\", start = \"{start}\" }}"
        ));
        let heat = if warm { " - sum(i, 1, n, exp(S[i]))" } else { "" };
        if warm {
            self.line("[entropies]\nS = { count = \"n\", start = \"0.1*i\" }");
        }
        self.line(&format!(
            "[dynamics]\nlagrangian = \"sum(i, 1, n, {kinetic}) - sum(i, 1, n - 1, {bond}){ring}{heat}\""
        ));
        if rods {
            self.line("[constraints]\nrod = { count = \"n - 1\", equation = \"q[i + 1] - q[i] = 1/n\" }");
        }
        match self.random.below(6) {
            0 if warm => self.line("[friction]\nq = { force = \"-0.1*q[i]'\", heats = { \"S[i]\" = 1 } }"),
            0 | 1 => self.line("[forces]\nq = \"sin(t)\""),
            2 if warm => self.line(
                "[conduction]\nbar = { count = \"n - 1\", between = [\"S[i]\", \"S[i + 1]\"], conductance = 0.3 }",
            ),
            _ => {}
        }
        self.parameters.push("k".to_owned());
        self.simulation(false);
    }

    fn simulation(&mut self, boundary: bool) {
        let step = self.random.pick(&STEPS);
        self.method = self.drawn_method();
        if boundary && self.order == 1 && !self.discrete && !self.random.one_in(8) {
            self.method = self.random.pick(&["midpoint", "trapezoidal", "galerkin(2)", "left"]).to_owned();
        }
        let end = self.random.pick(&["steps = 50", "steps = 200", "until = 1.0", "until = 3.3", "steps = 1"]);
        self.line(&format!("[simulation]\nmethod = \"{}\"\nstep = {step}\n{end}", self.method));
        if self.second && !self.random.one_in(4) {
            self.line("start = \"two-points\"");
        }
        let misfit = self.random.one_in(40);
        if (misfit || !self.entropies.is_empty()) && self.random.one_in(5) {
            let line = self.random.pick(&["entropy = \"left\"", "entropy = \"right\""]);
            self.line(line);
        }
        if (misfit || !self.constraints.is_empty()) && self.random.one_in(2) {
            let line = self.random.pick(&[
                "constraints = \"shake\"",
                "project = true",
                "project = true",
                "singular = \"pass\"",
            ]);
            self.line(line);
        }
        if self.random.one_in(12) {
            let line = self.random.pick(&["record = 3", "tolerance = 1e-9"]);
            self.line(line);
        }
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
            let mass = if mass == "m" && !self.parameters.iter().any(|name| name == "m") { "1" } else { mass };
            terms.push(format!("{}*{name}'^2/2", mass.replace('?', name)));
        }
        if let [a, b, ..] = self.coordinates[..]
            && self.random.one_in(3)
        {
            terms.push(format!("cos({a} - {b})*{a}'*{b}'/3"));
        }
        if self.order > 1 {
            let primes = "'".repeat(self.order);
            terms.extend(self.coordinates.clone().iter().map(|name| format!("{name}{primes}^2/2")));
        }
        if self.random.one_in(8) {
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
    pub fn expression(&mut self, depth: usize, velocities: bool) -> String {
        if depth == 0 || self.random.one_in(5) {
            return self.leaf(velocities);
        }
        let a = self.expression(depth - 1, velocities);
        let b = self.expression(depth - 1, velocities);
        match self.random.below(18) {
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
            15 if self.functions => format!("{}({a})", self.random.pick(&["f", "f", "norm", "g"])),
            16 if self.functions => match self.random.below(4) {
                0 => format!("g([{a}, {b}], [1, x])"),
                1 => format!("norm([{a}, 1] - [[1, {b}], [x, 2]]*[{b}, x])"),
                2 => format!("cross([{a}, {b}], [x, 1])"),
                _ => format!("({a})'"),
            },
            _ => format!("({a})^({b})"),
        }
    }

    fn leaf(&mut self, velocities: bool) -> String {
        let coordinate = self.coordinates[self.random.below(self.coordinates.len())];
        match self.random.below(8) {
            0 | 1 => self.random.pick(&["1", "2", "0.5", "3", "pi", "0", "1e3", "1e-3"]).to_owned(),
            2 if !self.parameters.is_empty() => self.parameters[self.random.below(self.parameters.len())].clone(),
            3 if velocities => format!("{coordinate}'"),
            4 => "t".to_owned(),
            5 if self.definitions => self.random.pick(&["d", "e"]).to_owned(),
            6 if !self.entropies.is_empty() => self.entropies[0].to_owned(),
            7 if self.state => "z".to_owned(),
            _ => coordinate.to_owned(),
        }
    }
}
