//! The analysis as data: what `analyze --json` prints.

use extremal_expr::Expr;
use extremal_mechanics::analysis::{Conservation, Conserved, Proof, Structure, Symmetry, Verdict};
use extremal_trajectory::json_number;
use serde_json::{Map, Value, json};

use super::{Analysis, Equilibrium, MethodReport, Preservation, Stability, words};

impl<'m> Analysis<'m> {
    /// Do the constraints exclude each other, so that there is no motion?
    pub fn is_contradictory(&self) -> bool {
        matches!(self.feasibility, Some(Err(_)))
    }

    /// Half of the dimension of the states that have a motion.
    pub fn degrees_of_freedom(&self) -> usize {
        // Entropies are states of their own; a nonholonomic constraint takes a velocity and leaves the position.
        let entropies = self.system.heat.s.len();
        match self.regularity.final_dimension {
            Some(dimension) if !self.regularity.is_regular() => dimension.saturating_sub(entropies) / 2,
            _ => self.system.len().saturating_sub(self.system.reacting().count()),
        }
    }

    /// One object, with expressions as text that reads back.
    pub fn to_json(&self) -> Value {
        let seen = &self.regularity;
        let mut object = json!({
            "model": self.name,
            "order": self.order,
            "degrees_of_freedom": self.degrees_of_freedom(),
            "regular": match seen.decided || self.is_contradictory() {
                true => (seen.is_regular() && !self.is_contradictory()).into(),
                false => Value::Null,
            },
            "rank": seen.rank,
            "unknowns": seen.unknowns,
            "mass_rank": seen.mass_rank,
            "state_dimension": seen.state_dimension,
            "final_dimension": seen.final_dimension,
            "conserved": self.conserved.found.iter().enumerate().map(|(k, c)| self.quantity(k, c)).collect::<Vec<_>>(),
            "independent": self.conserved.independent,
            "search": {
                "generators": self.generator_names(),
                "degree": self.conserved.space.degree,
                "candidates": self.conserved.space.candidates,
                "further": self.conserved.space.further.iter().map(|(kind, count)| {
                    json!({"family": words::family(*kind), "candidates": count})
                }).collect::<Vec<_>>(),
            },
            "constraints": self.constraints(),
            "structure": self.structure.as_ref().map(|structure| self.structure_json(structure)),
        });
        if let Some(Err(contradiction)) = &self.feasibility {
            object["contradiction"] = contradiction.to_string().into();
            object["conserved"] = json!([]);
            object["final_dimension"] = Value::Null;
        } else if !self.redundant.is_empty() {
            object["redundant"] = self.redundant.clone().into();
        }
        if !self.controls.is_empty() {
            object["controls"] = json!({ "names": self.controls });
        }
        if let Some(control) = &self.control {
            object["controls"]["rank"] = control.rank.into();
            object["controls"]["regular"] = control.is_regular().into();
        }
        if let Some(determinant) = seen.determinant {
            object["determinant"] = text(determinant);
            object["regular_everywhere"] = seen.regular_everywhere.into();
        }
        if let Some(chain) = &seen.chain {
            object["verdict"] = match &chain.verdict {
                Verdict::Unique => "unique",
                Verdict::NotUnique => "not unique",
                Verdict::NoMotion { .. } => "no motion",
                Verdict::Undecided { .. } => "undecided",
            }
            .into();
            object["free"] = chain.free.into();
        }
        if !self.symmetries.is_empty() {
            object["symmetries"] = self
                .symmetries
                .iter()
                .map(|s| {
                    json!({
                        "name": s.name,
                        "momentum": text(s.momentum),
                        "conserved": is_conserved(s.conservation),
                        "general": s.conservation == Conservation::Always,
                        "rate": text(s.rate),
                    })
                })
                .collect();
        }
        if !self.invariants.is_empty() {
            let entries = self.invariants.iter().map(|(name, expression, kept)| {
                json!({"name": name, "expression": text(*expression), "conserved": is_conserved(*kept)})
            });
            object["invariants"] = entries.collect();
        }
        if let Some(equilibrium) = &self.equilibrium {
            object["equilibrium"] = self.equilibrium_json(equilibrium);
        }
        if let Some(reason) = self.no_equilibrium {
            object["no_equilibrium"] = words::no_equilibrium(reason).into();
        }
        if self.placeholder {
            object["placeholder"] = true.into();
            for name in ["regular", "rank", "mass_rank", "final_dimension", "degrees_of_freedom", "structure"] {
                object[name] = Value::Null;
            }
        }
        if let Some(method) = &self.method {
            object["method"] = method_json(method);
        }
        object
    }

    fn quantity(&self, place: usize, quantity: &Conserved<'m>) -> Value {
        let mut object = json!({
            "name": quantity.name,
            "expression": text(quantity.expression),
            "latex": quantity.expression.latex_with_parts(),
            "verified": if quantity.proof == Proof::Symbolic { "symbolic" } else { "numeric" },
            "general": quantity.general,
        });
        if let Proof::Sampled { states } = quantity.proof {
            object["states"] = states.into();
            object["residual"] = 0.into();
        }
        if let Some(symmetry) = &quantity.symmetry {
            let components = |generator: &[Expr<'m>]| {
                let parts = self.system.names.iter().zip(generator).filter(|(_, x)| !x.is_zero());
                Value::Object(parts.map(|(name, x)| (name.clone(), text(*x))).collect::<Map<_, _>>())
            };
            object["symmetry"] = match symmetry {
                Symmetry::Time => json!({"kind": "time"}),
                Symmetry::Point { generator, gauge } => {
                    json!({"kind": "point", "generator": components(generator), "gauge": text(*gauge)})
                }
                Symmetry::Hidden { generator } => json!({"kind": "hidden", "generator": components(generator)}),
            };
        }
        if let Some(theorem) = quantity.theorem {
            object["theorem"] = words::theorem(theorem).into();
        }
        if let Some(kept) = self.method.as_ref().and_then(|method| method.preserved.get(place)) {
            object["discrete"] = json!({
                "exact": kept.preservation == Preservation::Exact,
                "order": match kept.preservation {
                    Preservation::Order(order) => json_number(order),
                    _ => Value::Null,
                },
                "drift": json_number(kept.drift),
                "noether": kept.noether,
            });
        }
        object
    }

    /// The stated constraints, then those of the constraint algorithm.
    fn constraints(&self) -> Value {
        let stated = self.constraints.iter().map(
            |(name, kind, expression)| json!({"name": name, "kind": kind.name(), "expression": text(*expression)}),
        );
        let rounds = self.regularity.chain.iter().flat_map(|chain| chain.rounds.iter().enumerate());
        let found = rounds.flat_map(|(round, constraints)| {
            constraints.iter().map(move |constraint| json!({"round": round + 1, "expression": text(*constraint)}))
        });
        stated.chain(found).collect()
    }

    fn structure_json(&self, structure: &Structure<'m>) -> Value {
        let system = &self.system;
        let mut object = json!({
            "quadratic": structure.split.is_some(),
            "natural": structure.natural,
            "explicit_time": structure.explicit_time,
            "reversible": structure.reversible,
            "energy": text(structure.energy),
        });
        let matrix = |rows: &[Vec<Expr<'m>>]| -> Value {
            rows.iter().map(|row| row.iter().map(|e| text(self.graph.simplified(*e))).collect::<Value>()).collect()
        };
        if let Some(split) = &structure.split {
            object["mass"] = matrix(&split.mass);
            object["christoffel"] = structure
                .christoffel
                .iter()
                .map(|c| {
                    let [k, l, j] = [c.k, c.l, c.j].map(|i| system.names[i].clone());
                    json!({"k": k, "l": l, "j": j, "value": text(c.value)})
                })
                .collect();
        }
        if let Some(gyroscopic) = &structure.gyroscopic {
            object["gyroscopic"] = matrix(gyroscopic);
        }
        if let Some((energy, kept)) = structure.total_energy.zip(self.total_energy) {
            object["total_energy"] = json!({"expression": text(energy), "conserved": is_conserved(kept)});
        }
        if let Some(gauge) = structure.gauge {
            object["gauge"] = json!({"part": text(gauge.part), "of": gauge.of.map(text)});
        }
        if let Some(force) = &structure.potential_force {
            object["potential_of_forces"] = force.potential.map_or(Value::Null, text);
        }
        object
    }

    fn equilibrium_json(&self, equilibrium: &Equilibrium) -> Value {
        let names = || self.system.names.iter();
        let at: Map<String, Value> =
            names().cloned().zip(equilibrium.positions.iter().map(|x| json_number(*x))).collect();
        let modes = equilibrium.modes.iter().map(|mode| {
            let shape = names().cloned().zip(mode.shape.iter().map(|x| json!([json_number(x.re), json_number(x.im)])));
            json!({
                "frequency": json_number(mode.frequency),
                "growth": json_number(mode.growth),
                "shape": Value::Object(shape.collect()),
            })
        });
        json!({
            "q": at,
            "residual": json_number(equilibrium.residual),
            "modes": modes.collect::<Vec<_>>(),
            "neutral": equilibrium.neutral,
            "entropies_held": !equilibrium.entropies.is_empty(),
            "gyroscopic": equilibrium.gyroscopic,
            "stability": match equilibrium.stability {
                Stability::Asymptotic => "asymptotic",
                Stability::Stable => "stable",
                Stability::Neutral => "neutral",
                Stability::Unstable => "unstable",
                Stability::TimeDependent => "time-dependent",
            },
        })
    }
}

fn method_json(report: &MethodReport) -> Value {
    let mut object = json!({"name": report.method.to_string(), "step": json_number(report.step)});
    if let Some(seen) = report.regularity {
        object["steps"] = seen.steps.into();
        object["determinant"] = json!([json_number(seen.determinant.0), json_number(seen.determinant.1)]);
    }
    if let Some(failure) = &report.failure {
        object["failure"] = failure.as_str().into();
    }
    object
}

/// True, false, or null where it is not decided.
fn is_conserved(kept: Conservation) -> Value {
    match kept {
        Conservation::Always | Conservation::Here => true.into(),
        Conservation::No => false.into(),
        Conservation::Undecided => Value::Null,
    }
}

fn text(e: Expr<'_>) -> Value {
    e.text_with_parts().into()
}
