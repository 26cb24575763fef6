//! Every method on one model, and what may come of it.

use extremal_testkit::program::{ProgramOutput, call_with_input};

/// One method of every family that needs nothing but a Lagrangian, with its order.
const METHODS: [(&str, u32); 18] = [
    ("left", 1),
    ("right", 1),
    ("theta(0.3)", 1),
    ("midpoint", 2),
    ("trapezoidal", 2),
    ("galerkin(2)", 4),
    ("galerkin(3)", 6),
    ("compose(suzuki4, midpoint)", 4),
    ("compose(kahan-li8, trapezoidal)", 8),
    ("energy-entropy", 2),
    ("energy-entropy(2)", 4),
    ("energy-entropy-momentum", 2),
    ("compose(yoshida4, energy-entropy)", 4),
    ("rk2", 2),
    ("rk4", 4),
    ("gauss(2)", 4),
    ("dopri5", 5),
    ("dop853", 8),
];

/// A model without `[simulation]`, and how it is run.
pub struct Edge<'a> {
    pub model: &'a str,
    pub step: f64,
    pub until: f64,
}

/// A number at the end of a run.
fn end(called: &ProgramOutput, place: &str, name: &str) -> f64 {
    let end = &called.json()["end"];
    if place == "t" { &end["t"] } else { &end[place][name] }.as_f64().unwrap_or(f64::NAN)
}

impl Edge<'_> {
    fn run(&self, method: &str) -> ProgramOutput {
        // Whole steps: a last one that is shorter would be a remark among the warnings.
        let (step, steps) = (self.step.to_string(), (self.until / self.step).round().to_string());
        call_with_input(&["run", "-", "--json", "--method", method, "--step", &step, "--steps", &steps], self.model)
    }

    /// The motion ends at this time: every method must stop near it. Whoever goes on, on the other side, is wrong whatever is said.
    pub fn ends(self, at: f64) {
        self.stops(at, 0.0, "", None);
    }

    /// The same, and the message must say why.
    pub fn ends_because(self, at: f64, why: &str) {
        self.stops(at, 0.0, why, None);
    }

    /// The same, but methods that keep the energy end where the Hamiltonian has a pole.
    pub fn ends_because_or_at_pole(self, at: f64, why: &str, pole: f64) {
        self.stops(at, 0.0, why, Some(pole));
    }

    /// The same where a method may be off by more than the steps next to the end.
    pub fn ends_within(self, at: f64, off: f64) {
        self.stops(at, off, "", None);
    }

    fn stops(&self, at: f64, off: f64, why: &str, pole: Option<f64>) {
        self.judge("", |verdict, method, order| {
            let pole = pole.filter(|_| method.contains("energy-entropy"));
            let (at, why) = pole.map_or((at, why), |pole| (pole, "is not a finite number"));
            if verdict.code != Some(1) {
                return if verdict.code == Some(2) {
                    Ok(())
                } else {
                    Err(format!("went on: {:?}", verdict.warnings()))
                };
            }
            // A step that is off is followed for two more, and the stop is at its beginning: three steps early. Within the last step
            // every method is wrong by a part of it. One of order one meets a pole h ln(1/h) too late or too early: of v' = v² Euler's
            // method solves v' = v² - h v³, for which ∫ dv/v' is longer by h ln v, up to v = 1/h.
            let own = if order == 1 { 1.0 + self.step.recip().ln().max(0.0) } else { 1.0 };
            let reached = end(verdict, "t", "");
            let near = (reached - at).abs() <= off + (3.0 + own) * self.step + 1e-9;
            match near && verdict.stderr.contains(why) {
                true => Ok(()),
                false => {
                    Err(format!("stopped at t = {reached}, not near {at}, for another reason: {}", verdict.stderr))
                }
            }
        });
    }

    /// The motion goes on, and these are positions at its end, to within `tolerance` for a method of order two and above and ten
    /// times that for one of order one. The methods in `right` must say so without a word of warning.
    pub fn moves(self, exact: &[(&str, f64)], tolerance: f64, right: &str) {
        self.judge(right, |verdict, _, order| {
            if verdict.code != Some(0) || !verdict.warnings().is_empty() {
                return Ok(());
            }
            let allowed = if order == 1 { 10.0 * tolerance } else { tolerance };
            for (name, value) in exact {
                let place = if name.starts_with('S') { "S" } else { "q" };
                let found = end(verdict, place, name);
                let near = (found - value).abs() <= allowed;
                if !near {
                    return Err(format!("silently wrong: {name} = {found}, and {value} in truth"));
                }
            }
            Ok(())
        });
    }

    fn judge(&self, right: &str, rule: impl Fn(&ProgramOutput, &str, u32) -> Result<(), String>) {
        let right: Vec<&str> = right.split_whitespace().collect();
        let known: Vec<String> = METHODS.iter().map(|(method, _)| method.replace(' ', "")).collect();
        assert!(right.iter().all(|name| known.iter().any(|known| known == name)), "{right:?}");
        let mut complaints = Vec::new();
        let mut tried = 0;
        for (method, order) in METHODS {
            let verdict = &self.run(method);
            assert!(!verdict.stderr.contains("panicked"), "{method}: {}", verdict.stderr);
            let known = matches!(verdict.code, Some(0..=2));
            // What is refused says why.
            let refused = verdict.code == Some(2);
            tried += usize::from(!refused);
            let mut outcome =
                if known { rule(verdict, method, order) } else { Err(format!("exit {:?}", verdict.code)) };
            if refused && verdict.stderr.trim().is_empty() {
                outcome = Err("refused without a word".to_string());
            }
            if right.contains(&method.replace(' ', "").as_str())
                && (verdict.code != Some(0) || !verdict.warnings().is_empty())
            {
                outcome = Err(format!(
                    "should be right: exit {:?}, {:?}, {}",
                    verdict.code,
                    verdict.warnings(),
                    verdict.stderr
                ));
            }
            if let Err(complaint) = outcome {
                complaints.push(format!("{method}: {complaint}"));
            }
        }
        assert!(tried > 0, "every method refuses the model");
        assert!(complaints.is_empty(), "{}\n{}", self.model, complaints.join("\n"));
    }
}
