//! The analysis as sections of sentences and formulas.

use extremal_expr::Expr;
use extremal_mechanics::analysis::Conservation;

use super::{Findings, StatedSymmetry, geometry_sections, sentences};
use crate::printed::{EquationSide, Section, SectionLine, to_latex, to_text};

impl<'m> Findings<'m> {
    /// The analysis for readers.
    pub fn sections(&self) -> Vec<Section<'m>> {
        if self.placeholder {
            let mut section = Section::titled("Structure");
            section.say(
                "[discrete] does not approximate the Lagrangian of [dynamics]: the motion is that of the discrete \
                 equations alone, and the Lagrangian is not analysed",
            );
            let geometry = self.step_geometry.as_ref().map(|seen| seen.section());
            return [section].into_iter().chain(self.method_section()).chain(geometry).collect();
        }
        let mut sections = match self.poisson_section() {
            Some(poisson) => vec![poisson],
            None => vec![self.structure_section(), self.regularity_section()],
        };
        sections.extend(self.contact_section());
        if self.contradiction().is_none() {
            sections.push(self.conserved_section());
            sections.extend(self.stated_section());
            sections.extend(self.equilibrium_section());
            sections.extend(self.optimal_motion.as_ref().map(|motion| motion.section()));
            sections.extend(self.method_section());
            sections.extend(self.backward.as_ref().map(|backward| backward.section()));
            sections.extend(self.phase.as_ref().map(geometry_sections::phase_section));
            sections.extend(self.step_geometry.as_ref().map(|seen| seen.section()));
        }
        let mut sources = Section::titled("Sources");
        sentences::sources(&to_text(&sections)).into_iter().for_each(|source| sources.say(source));
        sections.extend((!sources.lines.is_empty()).then_some(sources));
        sections
    }

    /// Plain text; expressions read back as such.
    pub fn to_text(&self) -> String {
        to_text(&self.sections())
    }

    /// LaTeX: one `align*` environment per section, sentences as comments.
    pub fn to_latex(&self) -> String {
        to_latex(&self.sections())
    }

    fn structure_section(&self) -> Section<'m> {
        let system = &self.system;
        let mut section = Section::titled("Structure");
        let n = system.len();
        let Some(structure) = &self.structure else {
            let time =
                if system.lagrangian.depends_on(&[system.t]) { "contains the time" } else { "without explicit time" };
            let count = counted(n / self.order, "coordinate");
            section.say(format!("{count}; Lagrangian of order {}; {time}", self.order));
            return section;
        };
        let kind = match (&structure.split, structure.natural) {
            (_, true) if system.is_contact() => "L = T2(q, q') - V(q, z) with its own action z",
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
        let states = system.heat.states().len();
        if n == 0 && states > 0 && system.heat.entropies().is_empty() {
            let timed = system.graph.depend_on(&system.heat.state_rates, &[system.t]).contains(&true);
            let time = if timed { "rates contain the time" } else { "rates without explicit time" };
            section.say(format!("{} of first order; {time}", counted(states, "state")));
        } else {
            let beside =
                if states > 0 { format!(", {} of first order", counted(states, "state")) } else { String::new() };
            section.say(format!("{}{beside}; {kind}; {time}; {reversible}", counted(n, "coordinate")));
        }
        if !self.controls.is_empty() {
            section.say(format!("without control: {} = 0", self.controls.join(" = ")));
        }
        if !self.multipliers.is_empty() {
            let names: Vec<String> = self.multipliers.iter().map(Expr::to_string).collect();
            section.say(format!("constant multipliers of the integrals: {}", names.join(", ")));
        }
        if let Some(split) = &structure.split {
            let upper = (0..n).flat_map(|j| (j..n).map(move |k| (j, k)));
            for (j, k) in upper.filter(|(j, k)| !split.mass[*j][*k].is_zero()) {
                section.lines.push(self.entry("a", "a", &[j, k], split.mass[j][k]));
            }
            for symbol in &structure.christoffel {
                let text =
                    format!("[{} {}, {}]", system.names[symbol.k], system.names[symbol.l], system.names[symbol.j]);
                let [k, l, j] = [symbol.k, symbol.l, symbol.j].map(|i| system.q[i].latex().to_string());
                section.lines.push(formula(text, format!("[{k}\\,{l},\\,{j}]"), symbol.value));
            }
        }
        if let Some(gyroscopic) = &structure.gyroscopic {
            let upper = (0..n).flat_map(|j| (j + 1..n).map(move |k| (j, k)));
            for (j, k) in upper.filter(|(j, k)| !gyroscopic[*j][*k].is_zero()) {
                section.lines.push(self.entry("γ", "\\gamma", &[j, k], gyroscopic[j][k]));
            }
        }
        if let Some((energy, kept)) = structure.total_energy.zip(self.total_energy) {
            let verdict = match kept {
                Conservation::Always | Conservation::Here => "conserved too",
                other => conservation(other),
            };
            let remark = format!("as written, not the same as p*q' - L; {verdict}");
            section.lines.push(formula("T + V", "T + V", energy).remarked(remark));
        }
        if let Some(gauge) = structure.gauge {
            let remark = match gauge.of {
                Some(of) => format!("the time derivative of {}, without effect on the motion", of.text().limit(200)),
                None => "a total time derivative, without effect on the motion".to_string(),
            };
            section.lines.push(formula("gauge term", "\\text{gauge term}", gauge.part).remarked(remark));
        }
        if let Some(force) = &structure.potential_force {
            match force.potential {
                Some(potential) => {
                    let remark = "the forces at rest are its gradient and could be part of the Lagrangian";
                    section.lines.push(formula("V of the forces", "V_F", potential).remarked(remark));
                }
                None => section.say("the forces at rest are a gradient"),
            }
        }
        section
    }

    fn entry(&self, symbol: &str, latex: &str, places: &[usize], value: Expr<'m>) -> SectionLine<'m> {
        let names: Vec<&str> = places.iter().map(|k| self.system.names[*k].as_str()).collect();
        let tex: Vec<String> = places.iter().map(|k| self.system.q[*k].latex().to_string()).collect();
        formula(
            format!("{symbol}[{}]", names.join(", ")),
            format!("{latex}_{{{}}}", tex.join(",")),
            self.graph.simplified(value),
        )
    }

    fn regularity_section(&self) -> Section<'m> {
        let seen = &self.regularity;
        let mut section = Section::titled("Regularity");
        let highest = format!("d2L/d(q{})2", "'".repeat(self.order));
        let bordered = if self.constraints.is_empty() { "" } else { " bordered by the constraints" };
        let condition = match (self.order, self.system.vakonomic().next()) {
            (1, None) => "",
            (1, Some(_)) => " ([VC] 4.11)",
            _ => " ([VC] 5.9)",
        };
        let state = match (self.contradiction().is_some(), seen.is_regular()) {
            (true, _) => "contradictory",
            (false, true) => "regular",
            (false, false) => "singular",
        };
        let ranks = format!("rank {} of {}", seen.rank, seen.unknowns);
        section.say(match seen.decided {
            true if seen.unknowns == 0 && !self.system.heat.states().is_empty() => {
                "regular: the rates determine the motion through each state".to_owned()
            }
            true => format!("{state}: {highest}{bordered} has {ranks}{condition}"),
            false => format!("not decided: {highest}{bordered} could not be evaluated exactly"),
        });
        if let Some(determinant) = seen.determinant {
            let mut item = formula("det", "\\det", determinant);
            if determinant.depends_on(&[&self.system.q[..], &self.system.v, &[self.system.t]].concat()) {
                item = item.remarked(match seen.regular_everywhere {
                    true => "it vanishes nowhere",
                    false => "where it vanishes, if it does, the motion is not determined",
                });
            }
            section.lines.push(item);
        }
        for (round, constraints) in seen.chain.iter().flat_map(|chain| &chain.rounds).enumerate() {
            for constraint in constraints {
                section.lines.push(formula(format!("round {}: 0", round + 1), "0", *constraint));
            }
        }
        if let Some(verdict) = sentences::singular_verdict(seen) {
            section.say(verdict);
        } else if let Some(dimension) =
            seen.final_dimension.filter(|_| !self.constraints.is_empty() && self.contradiction().is_none())
        {
            section.say(format!(
                "{} of rank {} {} {dimension} of {} dimensions of the states: {}",
                counted(self.constraints.len() + self.redundant.len(), "constraint"),
                self.constraints.len(),
                if self.constraints.len() + self.redundant.len() == 1 { "leaves" } else { "leave" },
                seen.state_dimension,
                counted_degrees(self.degrees_of_freedom()),
            ));
        }
        match &self.feasibility {
            Some(Err(contradiction)) => section.say(format!("no motion: {contradiction}")),
            Some(Ok(structure)) => section.lines.extend(structure.redundant.iter().map(|(name, others)| {
                let others: Vec<String> = others.iter().map(|other| format!("`{other}`")).collect();
                SectionLine::Sentence(format!("`{name}` follows from {}", others.join(", ")))
            })),
            None => section.lines.extend(self.redundant.iter().map(|name| {
                SectionLine::Sentence(format!(
                    "`{name}` restricts no velocity that the other constraints leave: whether it follows from them or \
                     contradicts them depends on the start"
                ))
            })),
        }
        if let Some(control) = &self.control {
            section.say(sentences::control(control));
            section.lines.extend(control.reach.map(|reach| SectionLine::Sentence(sentences::abnormal(reach))));
        }
        section
    }

    fn conserved_section(&self) -> Section<'m> {
        let conserved = &self.conserved;
        let mut section = Section::titled("Conserved quantities");
        for (place, quantity) in conserved.found.iter().enumerate() {
            let mut item = formula(quantity.name.clone(), format!("\\text{{{}}}", quantity.name), quantity.expression);
            if let Some(symmetry) = &quantity.symmetry {
                let theorem = quantity.theorem.map_or(String::new(), |t| format!(" ({})", sentences::theorem(t)));
                item = item.remarked(format!("{}{theorem}", sentences::symmetry(&self.system, symmetry)));
            }
            item = item.remarked(sentences::proof(quantity));
            if let Some((method, kept)) =
                self.method.as_ref().and_then(|m| Some((m.method.to_string(), m.preserved.get(place)?)))
            {
                item = item.remarked(sentences::preserved(kept, &method));
            }
            section.lines.push(item);
        }
        let count = conserved.found.len();
        let space = &conserved.space;
        let undecided = space.candidates == 0 && !space.generators.is_empty();
        if count == 0 && !undecided {
            section.say("none found");
        } else if count > 0 {
            section.say(format!(
                "{count} found, {} of them independent (the states have {})",
                conserved.independent,
                counted(conserved.most, "dimension"),
            ));
        }
        if undecided {
            let others = if count == 0 { "not decided" } else { "no others were sought" };
            section.say(format!("{others}: the functions in it could not be evaluated exactly"));
        }
        if space.candidates > 0 {
            let generators: Vec<String> = self.generator_names();
            let shown = if generators.len() > 16 { &generators[..16] } else { &generators[..] };
            let more = if generators.len() > 16 { ", …" } else { "" };
            section.say(format!(
                "searched: {} products of degree up to {} in {}{more}",
                space.candidates,
                space.degree,
                shown.join(", ")
            ));
        }
        for (kind, candidates) in &space.further {
            section.say(format!("and {candidates} {}", sentences::family(*kind)));
        }
        section
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

    fn stated_section(&self) -> Option<Section<'m>> {
        let mut section = Section::titled("Stated symmetries and invariants");
        self.symmetries.iter().for_each(|symmetry| symmetry_lines(&mut section, symmetry));
        for (name, expression, kept) in &self.invariants {
            let latex = format!("\\text{{{}}}", name.replace('_', " "));
            section.lines.push(formula(name.clone(), latex, *expression).remarked(conservation(*kept)));
        }
        (!section.lines.is_empty()).then_some(section)
    }

    fn equilibrium_section(&self) -> Option<Section<'m>> {
        let mut section = Section::titled("Equilibrium");
        let Some(equilibrium) = &self.equilibrium else {
            section.say(sentences::no_equilibrium(self.no_equilibrium?));
            return Some(section);
        };
        let at: Vec<String> =
            equilibrium.positions.iter().map(|(name, x)| format!("{name} = {}", number(*x))).collect();
        section.say(format!("at {}", at.join(", ")));
        if !equilibrium.entropies.is_empty() {
            let held = self.system.heat.names.iter().zip(&equilibrium.entropies);
            let held: Vec<String> = held.map(|(name, s)| format!("{name} = {}", number(*s))).collect();
            let what = if self.system.heat.held_by.is_empty() { "the entropies" } else { "entropies and amounts" };
            section.say(format!("with {what} held at {}", held.join(", ")));
        }
        for mode in &equilibrium.modes {
            let shape = mode.shape.iter().filter(|(_, x)| x.norm() > 1e-9);
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
            section.say(format!("mode with {rate}: {}", shape.join(", ")));
        }
        if equilibrium.neutral > 0 {
            section.say(format!("{} zero: nothing pulls in these directions", counted(equilibrium.neutral, "rate")));
        }
        section.say(sentences::stability(equilibrium));
        Some(section)
    }

    fn method_section(&self) -> Option<Section<'m>> {
        let report = self.method.as_ref()?;
        let mut section = Section::titled(format!("Method {}, step {}", report.method, report.step));
        if let Some(failure) = &report.failure {
            section.say(format!("not measured: {failure}"));
        }
        if let Some(steps) = report.shortened {
            section.say(format!("measured over {} only: the equations are large", counted(steps as usize, "step")));
        }
        if let Some(seen) = report.regularity {
            let (low, high) = seen.determinant;
            let steps = if seen.steps == 1 { "the first step".to_string() } else { format!("{} steps", seen.steps) };
            let value =
                if number(low) == number(high) { number(low) } else { format!("{} to {}", number(low), number(high)) };
            let verdict =
                if low.abs() > 0.0 && low.signum() == high.signum() { "regular" } else { "singular somewhere" };
            section.say(format!("discrete equations {verdict}: over {steps} the derivative of a step by its state has determinant {value}"));
        }
        (!section.lines.is_empty()).then_some(section)
    }
}

/// A stated symmetry, its momentum or quantity, and what was found of it.
fn symmetry_lines<'m>(section: &mut Section<'m>, symmetry: &StatedSymmetry<'m>) {
    let what = if symmetry.lifted.is_some() { "quantity" } else { "momentum" };
    let left = format!("{what} of {}", symmetry.name);
    let latex = format!("\\text{{{what} of {}}}", symmetry.name.replace('_', " "));
    let kept = match symmetry.conservation {
        _ if symmetry.dissipated => "dissipated: scaled like the contact form, J' = dL/dz J".to_owned(),
        Conservation::No => format!("not conserved: its rate is {}", symmetry.rate.text().limit(200)),
        kept => conservation(kept).to_string(),
    };
    match symmetry.momentum {
        Some(momentum) => section.lines.push(formula(left, latex, momentum).remarked(kept)),
        None => section.say(format!("{left}: {}", sentences::no_quantity(symmetry))),
    }
    if let Some(lifted) = &symmetry.lifted {
        sentences::lifted(lifted).into_iter().for_each(|sentence| section.say(format!("  {sentence}")));
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

pub(super) fn number(x: f64) -> String {
    extremal_trajectory::sig(x, 8)
}

/// `left = value`, with the LaTeX of the left side.
pub(super) fn formula<'m>(left: impl Into<String>, latex: impl Into<String>, value: Expr<'m>) -> SectionLine<'m> {
    SectionLine::equation(EquationSide::Named(left.into(), latex.into()), EquationSide::WithParts(value))
}
