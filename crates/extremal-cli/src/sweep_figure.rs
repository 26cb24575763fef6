//! The figures of `extremal sweep`: maps over two varied quantities, curves over one, points for samples, and courses over time.

use extremal_engine::sweep::{CompiledSweep, Record, Variation};
use extremal_engine::trajectory::frame::Frame;
use extremal_engine::trajectory::plot::{Curve, Mark, Panel};
use extremal_engine::trajectory::{Figure, Role};

use crate::failure::CommandError;

/// What is drawn of more quantities than this is asked for by `--panel`.
const MOST_PANELS: usize = 4;

/// The rows of a sweep, and what they are rows of.
pub struct SweptRows<'s> {
    pub sweep: &'s CompiledSweep,
    pub variation: &'s Variation,
    pub record: Record,
    /// Are rows points of a plane?
    pub is_section: bool,
    pub frame: &'s Frame,
}

impl SweptRows<'_> {
    fn names(&self) -> &[String] {
        self.sweep.fields().number_names()
    }

    /// How many of the columns are what varies; they come first.
    fn varied(&self) -> usize {
        self.variation.names().count()
    }

    fn column(&self, name: &str) -> Result<usize, CommandError> {
        let unknown = || CommandError::NoSweepColumn { name: name.to_owned(), known: self.names().join(", ") };
        self.names().iter().position(|other| other == name).ok_or_else(unknown)
    }

    /// The coordinates, states and entropies, as this record has them.
    fn telling(&self) -> Vec<usize> {
        let columns = self.sweep.run().columns();
        let told = |role: &Role| matches!(role, Role::Coordinate | Role::State | Role::Entropy);
        let names =
            columns.names().enumerate().filter(|(at, _)| told(&columns[*at].role())).map(|(_, name)| {
                match self.record {
                    Record::Extremes => format!("{name}_max"),
                    _ => name.to_owned(),
                }
            });
        names.filter_map(|name| self.column(&name).ok()).take(MOST_PANELS).collect()
    }

    /// The figure: of the columns that are named, or of those that tell most.
    pub fn figure(&self, title: &str, panels: &[String]) -> Result<Figure, CommandError> {
        let subtitle = format!("{} members", self.sweep.members());
        let mut figure = Figure::new(title).subtitle(subtitle);
        let found: Vec<Vec<usize>> = match panels {
            [] if self.is_section => {
                let told = self.telling();
                let most = told.iter().map(|at| self.range(*at)).fold(0.0, f64::max);
                // What is zero on the surface tells nothing.
                let first = told.into_iter().find(|at| self.range(*at) > 1e-6 * most);
                first.map(|x| vec![self.section(x)]).unwrap_or_default()
            }
            [] => self.telling().into_iter().map(|at| vec![at]).collect(),
            asked => {
                let columns = asked.iter().map(|panel| panel.split(',').map(|name| self.column(name.trim())).collect());
                columns.collect::<Result<_, CommandError>>()?
            }
        };
        for columns in found {
            let panel = match columns[..] {
                [x, y, ..] => self.points(x, y),
                [only] => self.quantity(only),
                [] => continue,
            };
            figure = figure.panel(panel);
        }
        Ok(figure)
    }

    /// The rows that are points: the one at the end of a member is no crossing.
    fn point_rows(&self) -> impl Iterator<Item = usize> + '_ {
        let events = (self.record == Record::Events).then(|| self.frame.texts(0));
        (0..self.frame.rows()).filter(move |at| events.is_none_or(|events| events[*at].is_some()))
    }

    /// From the least to the largest of the numbers of a column.
    fn range(&self, at: usize) -> f64 {
        let numbers = self.frame.numbers(at);
        let finite = || self.point_rows().map(|row| numbers[row]).filter(|value| value.is_finite());
        (finite().fold(f64::NEG_INFINITY, f64::max) - finite().fold(f64::INFINITY, f64::min)).max(0.0)
    }

    /// A coordinate and what belongs to it: its momentum or its velocity, else what comes next.
    fn section(&self, x: usize) -> Vec<usize> {
        let (columns, name) = (self.sweep.run().columns(), &self.names()[x]);
        let of = |role: Role| columns.belonging_to(name, role).map(|at| columns[at].name().to_owned());
        let partner = of(Role::Momentum).or_else(|| of(Role::Velocity)).and_then(|name| self.column(&name).ok());
        vec![x, partner.unwrap_or((x + 1).min(self.names().len() - 1))]
    }

    fn points(&self, x: usize, y: usize) -> Panel {
        let (xs, ys) = (self.frame.numbers(x), self.frame.numbers(y));
        let points = self.point_rows().map(|at| (xs[at], ys[at]));
        let curve = Curve::new("", points).mark(Mark::Dots);
        let names = self.names();
        Panel::new(format!("{} and {}", names[x], names[y])).x_label(&names[x]).y_label(&names[y]).plane().curve(curve)
    }

    fn quantity(&self, at: usize) -> Panel {
        let sampled = !self.variation.random.is_empty() || self.variation.list.is_some();
        let name = &self.names()[at];
        match (self.record, self.varied()) {
            (Record::All { .. }, _) => self.course(at),
            (Record::Events, _) => self.points(0, at),
            (_, 2) if !sampled => self.map(at),
            (_, 1) if !sampled => {
                let xs = self.frame.numbers(0);
                let points = xs.iter().copied().zip(self.frame.numbers(at).iter().copied());
                let panel =
                    Panel::new(format!("{name} over {}", self.names()[0])).x_label(&self.names()[0]).y_label(name);
                panel.curve(Curve::new(name, points))
            }
            _ => self.points(0, at),
        }
    }

    /// The last of two varies fastest, and goes up.
    fn map(&self, at: usize) -> Panel {
        let (xs, ys) = (self.frame.numbers(0), self.frame.numbers(1));
        let sorted = |values: &[f64]| {
            let mut values = values.to_vec();
            values.sort_by(f64::total_cmp);
            values.dedup();
            values
        };
        let (across, up) = (sorted(xs), sorted(ys));
        let mut values = vec![f64::NAN; across.len() * up.len()];
        let place = |list: &[f64], value: f64| list.binary_search_by(|other| other.total_cmp(&value)).ok();
        for ((x, y), value) in xs.iter().zip(ys).zip(self.frame.numbers(at)) {
            if let (Some(x), Some(y)) = (place(&across, *x), place(&up, *y)) {
                values[y * across.len() + x] = *value;
            }
        }
        let names = self.names();
        Panel::new(names[at].as_str()).x_label(&names[0]).y_label(&names[1]).map(across, up, values)
    }

    /// What least, half and most of the members have at every time that several of them have.
    fn course(&self, at: usize) -> Panel {
        let name = &self.names()[at];
        let time = self.varied();
        let mut rows: Vec<(f64, f64)> =
            self.frame.numbers(time).iter().copied().zip(self.frame.numbers(at).iter().copied()).collect();
        rows.retain(|(t, value)| t.is_finite() && value.is_finite());
        rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let groups: Vec<&[(f64, f64)]> = rows.chunk_by(|a, b| a.0 == b.0).collect();
        let curve = |label: &str, part: f64| {
            let at = |group: &[(f64, f64)]| group[((group.len() - 1) as f64 * part).round() as usize];
            Curve::new(label, groups.iter().map(|group| at(group)))
        };
        let panel = Panel::new(format!("{name} of all members")).x_label("time").y_label(name);
        panel
            .curve(curve("median", 0.5))
            .curve(curve("least", 0.0).mark(Mark::Dashed))
            .curve(curve("most", 1.0).mark(Mark::Dashed))
    }
}
