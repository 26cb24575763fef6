//! Calls of the program with a drawn model: all commands, all options, and no more work than they ask for.

use super::grammar::{Draw, MODEL, NUMBERS};

/// Where rows are written.
pub const ROWS: &str = "rows.csv";

/// A call under construction.
struct Words(Vec<String>);

impl Words {
    fn say(&mut self, list: &[&str]) {
        self.0.extend(list.iter().map(|word| (*word).to_owned()));
    }
}

impl Draw<'_> {
    pub fn calls(&mut self, command: &str) -> Vec<Vec<String>> {
        let mut words = Words(vec![command.to_owned(), MODEL.to_owned()]);
        let random = &mut *self.random;
        if let (Some(name), true) = (self.parameters.last(), random.one_in(8)) {
            let value = random.pick(&NUMBERS).trim_matches('"');
            words.say(&["--set", &format!("{name}={value}")]);
        }
        if random.one_in(12) {
            words.say(&["--memory", random.pick(&["1G", "100M", "1M"])]);
        }
        match command {
            "run" => self.run(&mut words),
            "sweep" => self.sweep(&mut words),
            "derive" => self.derive(&mut words),
            "export" => self.export(&mut words),
            "analyze" => self.analyze(&mut words),
            "compare" => self.compare(&mut words),
            _ => self.solve(&mut words),
        }
        let first = words.0;
        let mut again = first.clone();
        match command {
            "sweep" if self.random.one_in(4) => {
                again.push(self.random.pick(&["--resume", "--force"]).to_owned());
                vec![first, again]
            }
            "solve" if self.random.one_in(6) && !again.iter().any(|word| word == "--multistart") => {
                again.extend(["--warm-start", ROWS, "--steps", "16"].map(str::to_owned));
                // What is read is not written.
                again.retain(|word| word != "--out");
                again = again
                    .into_iter()
                    .enumerate()
                    .filter(|(at, word)| word != ROWS || *at > 3)
                    .map(|(_, word)| word)
                    .collect();
                vec![first, again]
            }
            _ => vec![first],
        }
    }

    /// Options of a step.
    fn step(&mut self, words: &mut Words) {
        let random = &mut *self.random;
        if self.second && random.one_in(3) || random.one_in(30) {
            words.say(&["--start", random.pick(&["two-points", "legendre"])]);
        }
        if !self.entropies.is_empty() && random.one_in(6) {
            words.say(&["--entropy", random.pick(&["left", "midpoint", "right"])]);
        }
        if !self.constraints.is_empty() && random.one_in(5) {
            words.say(&["--constraints", random.pick(&["rattle", "shake"])]);
        }
        if !self.constraints.is_empty() && random.one_in(5) {
            words.say(&["--singular", random.pick(&["stop", "pass"])]);
        }
        if random.one_in(if self.constraints.is_empty() { 20 } else { 2 }) {
            words.say(&["--project"]);
        }
    }

    /// Method, step and end; says whether the method is adaptive.
    fn motion(&mut self, words: &mut Words) -> bool {
        let mut used = self.method.clone();
        if self.random.one_in(3) {
            used = self.drawn_method();
            words.say(&["--method", &used]);
        }
        let random = &mut *self.random;
        if random.one_in(4) {
            let step = random.pick(&["0.01", "0.5", "10", "1e-300", "1e300", "0.001", "0.2", "0.03", "nan", "0"]);
            words.say(&["--step", step, "--steps", "20"]);
        } else if random.one_in(4) {
            words.say(&["--steps", random.pick(&["1", "7", "300"])]);
        } else if random.one_in(20) {
            words.say(&["--until", random.pick(&["-1", "0", "inf", "0.37", "1e300"])]);
        }
        if random.one_in(8) {
            words.say(&["--tolerance", random.pick(&["1e-6", "1e-15", "1e-12", "1e-3", "1e-9", "0"])]);
        }
        used.starts_with("dop")
    }

    fn run(&mut self, words: &mut Words) {
        self.motion(words);
        self.step(words);
        let random = &mut *self.random;
        words.say(&["--out", random.pick(&[ROWS, ROWS, ROWS, "rows.json", "rows.parquet"])]);
        words.say(&[random.pick(&["--quiet", "--quiet", "--json"])]);
        match random.below(12) {
            0 | 1 => words.say(&["--track", "found"]),
            2 | 3 => words.say(&["--record", random.pick(&["1", "3", "1000"])]),
            4 => words.say(&["--plot", random.pick(&["rows.svg", "rows.png"])]),
            _ => {}
        }
    }

    fn sweep(&mut self, words: &mut Words) {
        let adaptive = self.motion(words);
        self.step(words);
        let random = &mut *self.random;
        words.say(&["--out", random.pick(&[ROWS, ROWS, ROWS, "rows.parquet"]), "--threads", "1"]);
        words.say(&[random.pick(&["--quiet", "--quiet", "--json"])]);
        let first = self.coordinates[0];
        let name = self.parameters.first().filter(|_| self.parameters.len() > 1).map_or(first, String::as_str);
        // Each member may take what a run may.
        let few = ["0.5:2:3", "-1:1:3", "1", "-1e308:1e308:3", "0,1e-300,1e300"];
        let values =
            if adaptive { random.pick(&few) } else { random.pick(&[&few[..], &["0.5:2:5", "1:2:40"]].concat()) };
        words.say(&["--vary", &format!("{name}={values}")]);
        let events = if self.stop { "events" } else { "end" };
        words.say(&["--record", random.pick(&["end", "all", "extremes", events])]);
        if random.one_in(4) {
            let from = random.pick(&["normal(0, 1)", "-1:1", "0:1e300"]);
            words.say(&["--random", &format!("{first}={from}"), "--samples", if adaptive { "1" } else { "3" }]);
            if random.one_in(2) {
                words.say(&["--seed", "7"]);
            }
        }
        if random.one_in(10) {
            words.say(&["--every", "3"]);
        }
    }

    fn derive(&mut self, words: &mut Words) {
        if self.random.one_in(3) {
            words.say(&["--method", &self.drawn_method()]);
        }
        let random = &mut *self.random;
        match random.below(5) {
            0 => words.say(&["--json"]),
            1 | 2 => words.say(&["--form", random.pick(&["discrete", "hamilton", "lagrange"])]),
            3 => words.say(&["--latex"]),
            _ => {}
        }
        self.step(words);
    }

    fn export(&mut self, words: &mut Words) {
        words.say(&["--to", self.random.pick(&["c", "rust", "python", "julia", "latex"])]);
        if self.random.one_in(2) {
            words.say(&["--method", &self.drawn_method()]);
        }
        self.step(words);
    }

    fn analyze(&mut self, words: &mut Words) {
        let other = self.drawn_method();
        let random = &mut *self.random;
        match random.below(6) {
            0 => words.say(&["--along", random.pick(&["0", "1", "20"])]),
            1 => words.say(&["--degree", random.pick(&["1", "2", "3"])]),
            2 => words.say(&["--candidates", random.pick(&["1", "50", "300"])]),
            3 => words.say(&["--method", &other]),
            _ => {}
        }
        if random.one_in(2) {
            words.say(&[random.pick(&["--json", "--json", "--latex"])]);
        }
        self.step(words);
    }

    fn compare(&mut self, words: &mut Words) {
        let (one, other) = (self.drawn_method(), self.drawn_method());
        let random = &mut *self.random;
        let methods = match random.below(4) {
            0 => format!("{one},{other}"),
            _ if self.order > 1 => "difference,hermite".to_owned(),
            _ if self.dry => "midpoint,trapezoidal".to_owned(),
            _ => random.pick(&["midpoint,rk4", "left", "galerkin(2),midpoint"]).to_owned(),
        };
        words.say(&["--methods", &methods, "--steps", "0.1,0.05"]);
        words.say(&["--until", random.pick(&["0.5", "1", "0.01", "0.7"])]);
        if random.one_in(4) {
            words.say(&[random.pick(&["--first", "--skip"]), random.pick(&["0", "1", "5", "100000"])]);
        }
        if random.one_in(4) {
            words.say(&["--against", random.pick(&["exact", "dop853", "dop853", "dop853"])]);
        }
        if random.one_in(2) {
            words.say(&["--json"]);
        }
        if random.one_in(8) {
            words.say(&["--plot", "orders.svg"]);
        }
        self.step(words);
    }

    fn solve(&mut self, words: &mut Words) {
        let other = self.drawn_method();
        let random = &mut *self.random;
        words.say(&["--out", ROWS]);
        if random.one_in(3) {
            words.say(&["--refine", random.pick(&["1e-4", "1e-6", "1e-3", "1e-2", "1e-5", "nan"])]);
        }
        if random.one_in(4) {
            words.say(&["--tolerance", random.pick(&["1e-6", "1e-8", "1e-12", "1e-9", "inf"])]);
        }
        if random.one_in(8) {
            words.say(&["--seek", random.pick(&["minimum", "stationary"])]);
        }
        if random.one_in(10) {
            words.say(&["--multistart", "3", "--seed", "5"]);
        }
        match random.below(12) {
            0 => words.say(&["--method", &other]),
            1 => words.say(&["--plot", "rows.svg"]),
            2 => words.say(&["--max-iterations", random.pick(&["1", "10", "1000"])]),
            3 => words.say(&["--log"]),
            _ => {}
        }
        words.say(&[random.pick(&["--quiet", "--json", "--json"])]);
    }
}
