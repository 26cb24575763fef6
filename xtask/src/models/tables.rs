//! The tables of a drawn model beyond its Lagrangian.

use super::grammar::Draw;

impl Draw<'_> {
    pub fn tables(&mut self, warm: bool) {
        let first = self.coordinates[0];
        if self.random.one_in(if warm { 2 } else { 4 }) {
            self.friction();
        }
        if self.random.one_in(5) {
            let force = self.expression(2, true);
            self.line(&format!("[forces]\n{first} = \"{force}\""));
        }
        if self.entropies.len() > 1 && self.random.one_in(2) {
            let conductance = self.random.pick(&["0.3", "\"exp(-t)\"", "1e6", "0", "1", "-1"]);
            self.line(&format!("[conduction]\nwall = {{ between = [\"S\", \"R\"], conductance = {conductance} }}"));
        }
        if warm && self.random.one_in(5) {
            let power = self.expression(1, true);
            let power = if self.random.one_in(2) { "sin(t)" } else { power.as_str() };
            self.line(&format!("[heat]\nS = \"{power}\""));
        }
        if warm && self.random.one_in(4) {
            self.ports();
        }
        if self.random.one_in(4) {
            self.constraints();
        }
        if self.random.one_in(6) {
            let value = self.expression(2, true);
            self.line(&format!("[invariants]\nwatched = \"{value}\""));
        }
        if self.random.one_in(6) {
            let value = self.expression(2, true);
            let derived = self.random.pick(&["p_", "reaction_", "T_", "lambda_", "mu_"]);
            let other = self.random.pick(&["energy", "energy", "1", "0"]);
            self.line(&format!("[outputs]\nasked = \"{value}\"\nother = \"{derived}{first}*{first}''/{other}\""));
        }
        if self.random.one_in(6) {
            self.stop = true;
            let value = self.expression(1, false);
            let direction = self.random.pick(&["rising", "falling", "any", "rising", "falling", "sideways"]);
            let line = match self.random.below(3) {
                0 => format!("[stop]\nreached = {{ when = \"{value}\", direction = \"{direction}\" }}"),
                1 => format!("[stop]\nreached = \"{first}\"\nother = \"{first}' - t\""),
                _ => format!("[stop]\nreached = \"{value}\""),
            };
            self.line(&line);
        }
        if self.random.one_in(8) {
            let generator = self.random.pick(&["1", "1", "x", "t", "x'"]);
            let lift = self.random.pick(&["", "", "", "1", "-0.1", "x'", "t"]);
            let lift = if lift.is_empty() { String::new() } else { format!(", \"{first}'\" = \"{lift}\"") };
            self.line(&format!("[symmetries]\nshift = {{ {first} = \"{generator}\"{lift} }}"));
        }
        if self.random.one_in(10) {
            let form = self.random.pick(&["cos(t)", "t^2/2", "1/(1 - t)", "log(t)"]);
            self.line(&format!("[exact]\n{first} = \"{form}\""));
        }
    }

    /// Matter in the part of the entropy `S`, and ways into it and out of it.
    fn ports(&mut self) {
        let flow = self.random.pick(&["0.1", "sin(t)", "0.1*(1 - N)", "-N", "1e3"]);
        let load = self.random.pick(&[
            "enthalpy = 3, entropy = 1",
            "potential = 1, temperature = 2, entropy = \"S/N\"",
            "entropy = 1",
            "enthalpy = \"S\", entropy = 0",
        ]);
        let temperature = self.random.pick(&["2", "\"exp(-t)\"", "-1"]);
        let held = if self.entropies.len() > 1 { ", entropy = \"S\"" } else { "" };
        self.line(&format!("[matter]\nN = {{ start = 1.5{held} }}"));
        self.line(&format!("[ports]\ninlet = {{ into = \"N\", flow = \"{flow}\", {load} }}"));
        match self.random.below(4) {
            0 => self.line("leak = { from = \"N\", flow = \"0.2*N\" }"),
            1 => self.line(&format!("bath = {{ into = \"S\", conductance = 0.3, temperature = {temperature} }}")),
            2 => self.line(&format!("oven = {{ into = \"S\", power = \"sin(t)\", temperature = {temperature} }}")),
            _ => {}
        }
    }

    fn friction(&mut self) {
        let heats = self.entropies.first().filter(|_| self.entropies.len() > 1);
        let heats = heats.map_or(String::new(), |entropy| format!(", heats = {{ {entropy} = 1 }}"));
        self.line("[friction]");
        for name in self.coordinates.clone() {
            let strange = self.expression(2, true);
            let law = self.random.pick(&["-0.1*?'", "-?'^3", "-abs(?')*?'", "-sign(?')", "-2*?'"]).replace('?', name);
            let bound =
                self.random.pick(&["0.3", "2*abs(?)", "0.1 + ?'^2", "1e6", "0", "exp(-t)", "?"]).replace('?', name);
            let further = match self.random.below(4) {
                0 => ", static = 0.5".to_owned(),
                1 => format!(", along = \"{name}' - sin(t)\""),
                _ => String::new(),
            };
            let line = match self.random.below(8) {
                0 => format!("{name} = \"{strange}\""),
                1 | 2 => format!("{name} = {{ dry = \"{bound}\"{further}{heats} }}"),
                3 => format!("{name} = [{{ force = \"{law}\"{heats} }}, {{ dry = \"{bound}\"{heats} }}]"),
                4 => format!("{name} = {{ force = \"{law}\"{heats} }}"),
                _ if !heats.is_empty() => format!("{name} = {{ force = \"{law}\"{heats} }}"),
                _ => format!("{name} = \"{law}\""),
            };
            self.dry |= line.contains("dry");
            self.line(&line);
            if self.random.one_in(3) {
                break;
            }
        }
    }

    fn constraints(&mut self) {
        self.line("[constraints]");
        for number in 0..1 + self.random.below(2) {
            let (left, right) = (self.expression(2, false), self.expression(1, true));
            let first = self.coordinates[0];
            let last = self.coordinates[self.coordinates.len() - 1];
            let name = format!("c{number}");
            let line = match self.random.below(13) {
                0 => format!("{name} = \"x^2 + {last}^2 = 1\""),
                1 => format!("{name} = \"{last}' = x*{first}'\""),
                2 => format!("{name} = {{ equation = \"{last}' = {right}\", kind = \"vakonomic\" }}"),
                3 => format!("{name} = \"{first} = sin(t)\""),
                4 => format!("{name} = \"{first} + {left} = {right}\""),
                5 => {
                    format!("{name} = {{ equation = \"{last}' = x*t\", variational = \"{last}' = {first}*{first}'\" }}")
                }
                6 => {
                    format!("{name} = {{ equation = \"{last}'^2 = {right}\", kind = \"vakonomic\", multiplier = 0.5 }}")
                }
                7 => format!("{name} = [\"{last} = {first}\", \"{last}' = {first}'\"]"),
                8 => format!("{name} = {{ equation = \"{first}' = {left}\", kind = \"nonholonomic\" }}"),
                9 => format!("{name} = {{ equation = \"{last}'^2 + {first}'^2 = {right}\", kind = \"chetaev\" }}"),
                10 => format!("{name} = {{ equation = \"{last} = {first}\", variational = \"{first}' = 0\" }}"),
                11 if !self.entropies.is_empty() => format!("{name} = \"S = {first}^2 + {last}\""),
                _ => format!("{name} = \"{first} = {left}\""),
            };
            self.line(&line);
            self.constraints.push(name);
        }
    }

    /// A step of the model's own.
    pub fn step_of_its_own(&mut self) {
        self.discrete = true;
        let mut terms: Vec<String> = Vec::new();
        for name in self.coordinates.clone() {
            let potential =
                self.random.pick(&["(?_0 + ?_1)^2/8", "cos(?_1)", "?_0", "1/?_1", "?_0*?_1"]).replace('?', name);
            terms.push(format!("({name}_1 - {name}_0)^2/(2*h) - h*{potential}"));
        }
        self.line(&format!("[discrete]\nlagrangian = \"{}\"", terms.join(" + ")));
        let first = self.coordinates[0];
        if self.random.one_in(3) {
            self.line(&format!(
                "force_minus = {{ {first} = \"-h*{first}_0/10\" }}\nforce_plus = {{ {first} = \"0\" }}"
            ));
        }
        if !self.entropies.is_empty() {
            let rules: Vec<String> =
                self.entropies.iter().map(|name| format!("{name} = \"{name}_1 - {name}_0 - h\"")).collect();
            self.line(&format!("entropy = {{ {} }}", rules.join(", ")));
        }
        if let Some(name) = self.constraints.first().cloned()
            && self.random.one_in(2)
        {
            self.line(&format!("constraints = {{ {name} = \"{first}_1 - {first}_0 = h\" }}"));
        }
    }

    pub fn boundary(&mut self) {
        let first = self.coordinates[0];
        if self.random.one_in(2) {
            self.control();
        }
        let duration = match self.random.below(6) {
            0 => "duration = { min = 0.5, max = 5, guess = 2 }".to_owned(),
            1 => "from = 1\nto = 2".to_owned(),
            _ => format!("duration = {}", self.random.pick(&["1.0", "2", "0.1", "10", "\"pi\""])),
        };
        let steps = self.random.pick(&["2", "5", "20", "40"]);
        self.line(&format!("[boundary]\n{duration}\nsteps = {steps}"));
        match self.random.below(16) {
            0 => self.line("periodic = true"),
            1 => self.line(&format!("path = {{ {first} = {{ min = -1, max = 2 }} }}")),
            2 => self.line(&format!("path = {{ \"{first}'\" = {{ max = 1 }} }}")),
            3 => self.line(&format!("integrals = {{ length = \"{first}^2 = 0.3\" }}")),
            4 => self.line(&format!("guess = {{ {first} = \"sin(3*s)\" }}")),
            5 => self.line("grading = { start = 3, end = 1 }"),
            6 => self.line(&format!("via = [{{ s = 0.5, {first} = 2 }}]")),
            _ => {}
        }
        for side in ["start", "end"] {
            let mut stated: Vec<String> = Vec::new();
            for name in self.coordinates.clone() {
                let value = self.random.pick(&["0", "1", "-1", "0.5", "3"]);
                if !self.random.one_in(4) {
                    stated.push(format!("{name} = {value}"));
                }
                if self.controls && !self.random.one_in(4) {
                    stated.push(format!("\"{name}'\" = {value}"));
                }
            }
            if side == "start" && !self.random.one_in(4) {
                stated.extend(self.entropies.iter().map(|name| format!("{name} = 0.5")));
            }
            self.line(&format!("{side} = {{ {} }}", stated.join(", ")));
        }
    }

    fn control(&mut self) {
        let first = self.coordinates[0];
        self.controls = true;
        let bounds =
            self.random.pick(&["", ", min = -1, max = 1", ", min = -20, max = 20", ", min = 0", ", guess = 1"]);
        let on = match self.random.below(4) {
            0 => format!(
                "{{ {} }}",
                self.coordinates.iter().map(|c| format!("{c} = \"cos({first})\"")).collect::<Vec<_>>().join(", ")
            ),
            _ => format!("\"{first}\""),
        };
        self.line(&format!("[controls]\nu = {{ on = {on}{bounds} }}\n[objective]"));
        let cost = self.expression(1, true);
        let line = match self.random.below(4) {
            0 => format!("running = \"u^2 + ({cost})^2\""),
            1 => format!("running = \"{cost}\"\nterminal = \"{first}^2\""),
            2 => format!("terminal = \"{cost}\""),
            _ => "running = \"u^2\"".to_owned(),
        };
        self.line(&line);
    }
}
