//! The analysis as a page: text and LaTeX.

use std::fmt::Write as _;

use extremal_expr::{Expr, Graph, Id};
use extremal_mechanics::analysis::Conservation;

use super::{Analysis, words};

/// Headings with words and formulas under them.
pub struct Page<'m> {
    graph: &'m Graph,
    sections: Vec<(String, Vec<Item>)>,
}

enum Item {
    Words(String),
    /// A name with its LaTeX, an expression, and what is said about it.
    Formula(String, String, Id, Vec<String>),
}

impl<'m> Analysis<'m> {
    /// The analysis for readers.
    pub fn page(&self) -> Page<'m> {
        let mut page = Page { graph: self.graph, sections: Vec::new() };
        if self.placeholder {
            let words = "[discrete] does not approximate the Lagrangian of [dynamics]: the motion is that of the discrete \
                         equations alone, and the Lagrangian is not analysed";
            page.sections.push(("Structure".to_string(), vec![Item::Words(words.to_string())]));
            self.method_section(&mut page);
            return page;
        }
        self.structure_section(&mut page);
        self.regularity_section(&mut page);
        if self.is_contradictory() {
            return page;
        }
        self.conserved_section(&mut page);
        self.stated_section(&mut page);
        self.equilibrium_section(&mut page);
        self.method_section(&mut page);
        page
    }

    fn structure_section(&self, page: &mut Page<'m>) {
        let system = &self.system;
        let mut items = Vec::new();
        let n = system.len();
        let Some(structure) = &self.structure else {
            let time =
                if system.lagrangian.depends_on(&[system.t]) { "contains the time" } else { "without explicit time" };
            let count = counted(n / self.order, "coordinate");
            items.push(Item::Words(format!("{count}; Lagrangian of order {}; {time}", self.order)));
            page.sections.push(("Structure".to_string(), items));
            return;
        };
        let kind = match (&structure.split, structure.natural) {
            (_, true) => "natural: L = T2(q, q') - V(q)",
            (Some(_), false) => "not natural",
            (None, false) => "not quadratic in the velocities",
        };
        let time = if structure.explicit_time { "contains the time" } else { "without explicit time" };
        let reversible = match structure.reversible {
            Some(true) => "reversible",
            Some(false) => "not reversible",
            None => "whether it is reversible is not decided",
        };
        items.push(Item::Words(format!("{}; {kind}; {time}; {reversible}", counted(n, "coordinate"))));
        if !self.controls.is_empty() {
            items.push(Item::Words(format!("without control: {} = 0", self.controls.join(" = "))));
        }
        if !self.multipliers.is_empty() {
            let names: Vec<String> = self.multipliers.iter().map(Expr::to_string).collect();
            items.push(Item::Words(format!("constant multipliers of the integrals: {}", names.join(", "))));
        }
        if let Some(split) = &structure.split {
            let upper = (0..n).flat_map(|j| (j..n).map(move |k| (j, k)));
            for (j, k) in upper.filter(|(j, k)| !split.mass[*j][*k].is_zero()) {
                items.push(self.entry("a", "a", &[j, k], split.mass[j][k]));
            }
            for symbol in &structure.christoffel {
                let text =
                    format!("[{} {}, {}]", system.names[symbol.k], system.names[symbol.l], system.names[symbol.j]);
                let [k, l, j] = [symbol.k, symbol.l, symbol.j].map(|i| system.q[i].latex().to_string());
                items.push(formula(text, format!("[{k}\\,{l},\\,{j}]"), symbol.value));
            }
        }
        if let Some(gyroscopic) = &structure.gyroscopic {
            let upper = (0..n).flat_map(|j| (j + 1..n).map(move |k| (j, k)));
            for (j, k) in upper.filter(|(j, k)| !gyroscopic[*j][*k].is_zero()) {
                items.push(self.entry("γ", "\\gamma", &[j, k], gyroscopic[j][k]));
            }
        }
        if let Some((energy, kept)) = structure.total_energy.zip(self.total_energy) {
            let verdict = match kept {
                Conservation::Always | Conservation::Here => "conserved too",
                other => conservation(other),
            };
            let mut item = formula("T + V", "T + V", energy);
            remark(&mut item, format!("as written, not the same as p*q' - L; {verdict}"));
            items.push(item);
        }
        if let Some(gauge) = structure.gauge {
            let mut item = formula("gauge term", "\\text{gauge term}", gauge.part);
            remark(
                &mut item,
                match gauge.of {
                    Some(of) => {
                        format!("the time derivative of {}, without effect on the motion", of.text().limit(200))
                    }
                    None => "a total time derivative, without effect on the motion".to_string(),
                },
            );
            items.push(item);
        }
        if let Some(force) = &structure.potential_force {
            match force.potential {
                Some(potential) => {
                    let mut item = formula("V of the forces", "V_F", potential);
                    remark(
                        &mut item,
                        "the forces at rest are its gradient and could be part of the Lagrangian".to_string(),
                    );
                    items.push(item);
                }
                None => items.push(Item::Words("the forces at rest are a gradient".to_string())),
            }
        }
        page.sections.push(("Structure".to_string(), items));
    }

    fn entry(&self, symbol: &str, latex: &str, places: &[usize], value: Expr<'m>) -> Item {
        let names: Vec<&str> = places.iter().map(|k| self.system.names[*k].as_str()).collect();
        let tex: Vec<String> = places.iter().map(|k| self.system.q[*k].latex().to_string()).collect();
        formula(
            format!("{symbol}[{}]", names.join(", ")),
            format!("{latex}_{{{}}}", tex.join(",")),
            self.graph.simplified(value),
        )
    }

    fn regularity_section(&self, page: &mut Page<'m>) {
        let seen = &self.regularity;
        let mut items = Vec::new();
        let highest = format!("d2L/d(q{})2", "'".repeat(self.order));
        let bordered = if self.constraints.is_empty() { "" } else { " bordered by the constraints" };
        let condition = match (self.order, self.system.vakonomic().next()) {
            (1, None) => "",
            (1, Some(_)) => " ([VC] 4.11)",
            _ => " ([VC] 5.9)",
        };
        let state = match (self.is_contradictory(), seen.is_regular()) {
            (true, _) => "contradictory",
            (false, true) => "regular",
            (false, false) => "singular",
        };
        let ranks = format!("rank {} of {}", seen.rank, seen.unknowns);
        items.push(Item::Words(match seen.decided {
            true => format!("{state}: {highest}{bordered} has {ranks}{condition}"),
            false => format!("not decided: {highest}{bordered} could not be evaluated exactly"),
        }));
        if let Some(determinant) = seen.determinant {
            let mut item = formula("det", "\\det", determinant);
            if determinant.depends_on(&[&self.system.q[..], &self.system.v, &[self.system.t]].concat()) {
                remark(
                    &mut item,
                    match seen.regular_everywhere {
                        true => "it vanishes nowhere".to_string(),
                        false => "where it vanishes, if it does, the motion is not determined".to_string(),
                    },
                );
            }
            items.push(item);
        }
        for (round, constraints) in seen.chain.iter().flat_map(|chain| &chain.rounds).enumerate() {
            for constraint in constraints {
                items.push(formula(format!("round {}: 0", round + 1), "0", *constraint));
            }
        }
        if let Some(verdict) = words::singular_verdict(seen) {
            items.push(Item::Words(verdict));
        } else if let Some(dimension) =
            seen.final_dimension.filter(|_| !self.constraints.is_empty() && !self.is_contradictory())
        {
            items.push(Item::Words(format!(
                "{} of rank {} {} {dimension} of {} dimensions of the states: {}",
                counted(self.constraints.len() + self.redundant.len(), "constraint"),
                self.constraints.len(),
                if self.constraints.len() + self.redundant.len() == 1 { "leaves" } else { "leave" },
                seen.state_dimension,
                counted_degrees(self.degrees_of_freedom()),
            )));
        }
        match &self.feasibility {
            Some(Err(contradiction)) => items.push(Item::Words(format!("no motion: {contradiction}"))),
            Some(Ok(structure)) => items.extend(structure.redundant.iter().map(|(name, others)| {
                let others: Vec<String> = others.iter().map(|other| format!("`{other}`")).collect();
                Item::Words(format!("`{name}` follows from {}", others.join(", ")))
            })),
            None => items.extend(self.redundant.iter().map(|name| {
                Item::Words(format!(
                    "`{name}` restricts no velocity that the other constraints leave: whether it follows from them or \
                     contradicts them depends on the start"
                ))
            })),
        }
        if let Some(control) = &self.control {
            items.push(Item::Words(words::control(control)));
        }
        page.sections.push(("Regularity".to_string(), items));
    }

    fn conserved_section(&self, page: &mut Page<'m>) {
        let conserved = &self.conserved;
        let mut items = Vec::new();
        for (place, quantity) in conserved.found.iter().enumerate() {
            let mut item = formula(quantity.name.clone(), format!("\\text{{{}}}", quantity.name), quantity.expression);
            if let Some(symmetry) = &quantity.symmetry {
                let theorem = quantity.theorem.map_or(String::new(), |t| format!(" ({})", words::theorem(t)));
                remark(&mut item, format!("{}{theorem}", words::symmetry(&self.system, symmetry)));
            }
            remark(&mut item, words::proof(quantity));
            if let Some((method, kept)) =
                self.method.as_ref().and_then(|m| Some((m.method.to_string(), m.preserved.get(place)?)))
            {
                remark(&mut item, words::preserved(kept, &method));
            }
            items.push(item);
        }
        let count = conserved.found.len();
        let space = &conserved.space;
        let undecided = space.candidates == 0 && !space.generators.is_empty();
        if count == 0 && !undecided {
            items.push(Item::Words("none found".to_string()));
        } else if count > 0 {
            items.push(Item::Words(format!(
                "{count} found, {} of them independent (the states have {})",
                conserved.independent,
                counted(conserved.most, "dimension"),
            )));
        }
        if undecided {
            let others = if count == 0 { "not decided" } else { "no others were sought" };
            items.push(Item::Words(format!("{others}: the functions in it could not be evaluated exactly")));
        }
        if space.candidates > 0 {
            let generators: Vec<String> = self.generator_names();
            let shown = if generators.len() > 16 { &generators[..16] } else { &generators[..] };
            let more = if generators.len() > 16 { ", …" } else { "" };
            items.push(Item::Words(format!(
                "searched: {} products of degree up to {} in {}{more}",
                space.candidates,
                space.degree,
                shown.join(", ")
            )));
        }
        for (kind, candidates) in &space.further {
            items.push(Item::Words(format!("and {candidates} {}", words::family(*kind))));
        }
        page.sections.push(("Conserved quantities".to_string(), items));
    }

    /// The generators of the search, momenta by their symbols.
    pub(super) fn generator_names(&self) -> Vec<String> {
        let momenta = self.system.momenta();
        let name =
            |generator: &Expr<'m>| match momenta.iter().position(|p| p == generator && p.depends_on(&self.system.v)) {
                Some(place) => self.system.p[place].to_string(),
                None => generator.text().limit(60).to_string(),
            };
        self.conserved.space.generators.iter().map(name).collect()
    }

    fn stated_section(&self, page: &mut Page<'m>) {
        let mut items = Vec::new();
        for symmetry in &self.symmetries {
            let mut item = formula(
                format!("momentum of {}", symmetry.name),
                format!("\\text{{momentum of {}}}", symmetry.name.replace('_', " ")),
                symmetry.momentum,
            );
            remark(
                &mut item,
                match symmetry.conservation {
                    Conservation::No => format!("not conserved: its rate is {}", symmetry.rate.text().limit(200)),
                    kept => conservation(kept).to_string(),
                },
            );
            items.push(item);
        }
        for (name, expression, kept) in &self.invariants {
            let mut item = formula(name.clone(), format!("\\text{{{}}}", name.replace('_', " ")), *expression);
            remark(&mut item, conservation(*kept).to_string());
            items.push(item);
        }
        if !items.is_empty() {
            page.sections.push(("Stated symmetries and invariants".to_string(), items));
        }
    }

    fn equilibrium_section(&self, page: &mut Page<'m>) {
        if let Some(reason) = self.no_equilibrium {
            page.sections.push(("Equilibrium".to_string(), vec![Item::Words(words::no_equilibrium(reason))]));
        }
        let Some(equilibrium) = &self.equilibrium else { return };
        let mut items = Vec::new();
        let at = self.system.names.iter().zip(&equilibrium.positions);
        let at: Vec<String> = at.map(|(name, x)| format!("{name} = {}", number(*x))).collect();
        items.push(Item::Words(format!("at {}", at.join(", "))));
        if !equilibrium.entropies.is_empty() {
            let held = self.system.heat.names.iter().zip(&equilibrium.entropies);
            let held: Vec<String> = held.map(|(name, s)| format!("{name} = {}", number(*s))).collect();
            items.push(Item::Words(format!("with the entropies held at {}", held.join(", "))));
        }
        for mode in &equilibrium.modes {
            let shape = self.system.names.iter().zip(&mode.shape).filter(|(_, x)| x.norm() > 1e-9);
            let shape: Vec<String> = shape
                .map(|(name, x)| match x.im.abs() < 1e-9 {
                    true => format!("{name} {}", number(x.re)),
                    false => format!("{name} {} at phase {}", number(x.norm()), number(x.im.atan2(x.re))),
                })
                .collect();
            let rate = match (mode.frequency > 0.0, mode.growth.abs() > 1e-12 * mode.frequency) {
                (true, true) => format!("frequency {}, growth {}", number(mode.frequency), number(mode.growth)),
                (true, false) => format!("frequency {}", number(mode.frequency)),
                (false, _) => format!("growth {}", number(mode.growth)),
            };
            items.push(Item::Words(format!("mode with {rate}: {}", shape.join(", "))));
        }
        if equilibrium.neutral > 0 {
            items.push(Item::Words(format!(
                "{} zero: nothing pulls in these directions",
                counted(equilibrium.neutral, "rate")
            )));
        }
        items.push(Item::Words(words::stability(equilibrium).to_string()));
        page.sections.push(("Equilibrium".to_string(), items));
    }

    fn method_section(&self, page: &mut Page<'m>) {
        let Some(report) = &self.method else { return };
        let mut items = Vec::new();
        let title = format!("Method {}, step {}", report.method, report.step);
        if let Some(failure) = &report.failure {
            items.push(Item::Words(format!("not measured: {failure}")));
        }
        if let Some(seen) = report.regularity {
            let (low, high) = seen.determinant;
            let steps = if seen.steps == 1 { "the first step".to_string() } else { format!("{} steps", seen.steps) };
            let value =
                if number(low) == number(high) { number(low) } else { format!("{} to {}", number(low), number(high)) };
            let verdict =
                if low.abs() > 0.0 && low.signum() == high.signum() { "regular" } else { "singular somewhere" };
            items.push(Item::Words(format!("discrete equations {verdict}: over {steps} the derivative of a step by its state has determinant {value}")));
        }
        if !items.is_empty() {
            page.sections.push((title, items));
        }
    }
}

fn conservation(kept: Conservation) -> &'static str {
    match kept {
        Conservation::Always => "conserved",
        Conservation::Here => "conserved for these values of the parameters",
        Conservation::No => "not conserved",
        Conservation::Undecided => "not decided whether it is conserved",
    }
}

/// `1 mode`, `2 modes`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn counted_degrees(count: usize) -> String {
    format!("{count} degree{} of freedom", if count == 1 { "" } else { "s" })
}

fn number(x: f64) -> String {
    extremal_trajectory::sig(x, 8)
}

fn formula(text: impl Into<String>, latex: impl Into<String>, value: Expr<'_>) -> Item {
    Item::Formula(text.into(), latex.into(), value.id(), Vec::new())
}

fn remark(item: &mut Item, words: String) {
    if let Item::Formula(.., remarks) = item {
        remarks.push(words);
    }
}

impl Page<'_> {
    /// Plain text; expressions read back as such.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for (index, (title, items)) in self.sections.iter().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            let _ = writeln!(out, "{title}");
            for item in items {
                match item {
                    Item::Words(words) => {
                        let _ = writeln!(out, "  {words}");
                    }
                    Item::Formula(left, _, right, remarks) => {
                        let _ = writeln!(out, "  {left} = {}", self.graph.expr(*right).text_with_parts());
                        for remark in remarks {
                            let _ = writeln!(out, "      {remark}");
                        }
                    }
                }
            }
        }
        out
    }

    /// LaTeX: one `align*` environment per section, words as comments.
    pub fn to_latex(&self) -> String {
        let mut out = String::new();
        for (title, items) in &self.sections {
            let _ = writeln!(out, "% {title}");
            let mut lines = Vec::new();
            for item in items {
                match item {
                    Item::Words(words) => {
                        let _ = writeln!(out, "% {words}");
                    }
                    Item::Formula(_, left, right, _) => {
                        lines.push(format!("{left} &= {}", self.graph.expr(*right).latex_with_parts()));
                    }
                }
            }
            if !lines.is_empty() {
                let _ = writeln!(out, "\\begin{{align*}}\n{}\n\\end{{align*}}", lines.join(" \\\\\n"));
            }
        }
        out
    }
}
