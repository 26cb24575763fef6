//! How the members of a sweep differ: grids, random numbers, lists.

use std::fmt;
use std::str::FromStr;

use extremal_expr::syntax::parse_number;
use extremal_trajectory::frame::checksum;
use extremal_trajectory::shortest;
use thiserror::Error;

use super::list::List;
use crate::random::{normal, uniform_pair};

/// A quantity and the values it takes, one after the other.
///
/// ```
/// use extremal_engine::sweep::Axis;
/// let axis: Axis = "theta=0:pi/2:3".parse()?;
/// assert_eq!((axis.len(), axis.value(1)), (3, std::f64::consts::FRAC_PI_4));
/// let axis: Axis = "m=1,2,4".parse()?;
/// assert_eq!(axis.value(2), 4.0);
/// # Ok::<(), extremal_engine::sweep::AxisError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// A parameter, a coordinate, a velocity `x'` or an entropy.
    pub name: String,
    /// What it takes.
    pub values: Values,
}

/// Values one after the other.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// So many, evenly spaced, both ends included.
    Range {
        /// The first.
        from: f64,
        /// The last.
        to: f64,
        /// How many.
        count: u64,
    },
    /// These.
    Listed(Vec<f64>),
}

/// A quantity with a random value for each member.
///
/// ```
/// use extremal_engine::sweep::{Distribution, RandomAxis};
/// let axis: RandomAxis = "x'=normal(0, 0.5)".parse()?;
/// assert_eq!(axis.distribution, Distribution::Normal { mean: 0.0, deviation: 0.5 });
/// # Ok::<(), extremal_engine::sweep::AxisError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RandomAxis {
    /// A parameter, a coordinate, a velocity `x'` or an entropy.
    pub name: String,
    /// What its values are drawn from.
    pub distribution: Distribution,
}

/// What random values are drawn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Every value between the ends is as likely.
    Uniform {
        /// The lower end.
        from: f64,
        /// The upper end.
        to: f64,
    },
    /// Gauss's distribution.
    Normal {
        /// Its mean.
        mean: f64,
        /// Its standard deviation.
        deviation: f64,
    },
}

/// Why a text is no axis.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum AxisError {
    #[error("write it as {0}")]
    Form(&'static str),
    #[error("`{text}` is no number: {problem}")]
    Number { text: String, problem: String },
    #[error("`{0}` is not the number of values, an integer from 1")]
    Count(String),
    #[error("the standard deviation must be positive, not {0}")]
    Deviation(String),
    #[error("`{0}` gives values beyond the largest number, 1.8e308")]
    Wide(String),
}

/// In standard deviations; numbers with 53 bits give none that is farther from the mean.
pub(super) const LARGEST_DEVIATION: f64 = 9.0;

const GRID_FORM: &str = "NAME=FROM:TO:COUNT or NAME=VALUE,VALUE,.., for example `l=1:2:11`";
const RANDOM_FORM: &str = "NAME=FROM:TO or NAME=normal(MEAN, DEVIATION), for example `x=-1:1`";

impl Axis {
    /// How many values it has.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> u64 {
        match &self.values {
            Values::Range { count, .. } => *count,
            Values::Listed(values) => values.len() as u64,
        }
    }

    /// The value with this number from 0; NaN beyond the last.
    pub fn value(&self, at: u64) -> f64 {
        match &self.values {
            Values::Range { from, count: 1, .. } => *from,
            // The last is exact, whatever rounding does to the others.
            Values::Range { to, count, .. } if at + 1 == *count => *to,
            Values::Range { from, to, count } => between(*from, *to, at as f64 / (count - 1) as f64),
            Values::Listed(values) => values.get(at as usize).copied().unwrap_or(f64::NAN),
        }
    }
}

impl FromStr for Axis {
    type Err = AxisError;

    fn from_str(text: &str) -> Result<Axis, AxisError> {
        let (name, values) = named(text, GRID_FORM)?;
        let parts: Vec<&str> = values.split(':').collect();
        let values = match parts[..] {
            [from, to, count] => {
                let number = count.trim().parse::<u64>().ok().filter(|count| *count > 0);
                let count = number.ok_or_else(|| AxisError::Count(count.trim().to_owned()))?;
                Values::Range { from: number_of(from)?, to: number_of(to)?, count }
            }
            [listed] => Values::Listed(between_commas(listed).map(number_of).collect::<Result<_, _>>()?),
            _ => return Err(AxisError::Form(GRID_FORM)),
        };
        Ok(Axis { name, values })
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Axis { name, values } = self;
        match values {
            Values::Range { from, to, count } => write!(f, "{name}={}:{}:{count}", shortest(*from), shortest(*to)),
            Values::Listed(values) => {
                let values: Vec<String> = values.iter().map(|value| shortest(*value)).collect();
                write!(f, "{name}={}", values.join(","))
            }
        }
    }
}

impl RandomAxis {
    /// The value of a member.
    pub fn value(&self, seed: u64, member: u64) -> f64 {
        let pair = uniform_pair(seed, member, checksum(self.name.as_bytes()));
        match self.distribution {
            Distribution::Uniform { from, to } => between(from, to, pair[0]),
            Distribution::Normal { mean, deviation } => mean + deviation * normal(pair),
        }
    }
}

impl FromStr for RandomAxis {
    type Err = AxisError;

    fn from_str(text: &str) -> Result<RandomAxis, AxisError> {
        let (name, values) = named(text, RANDOM_FORM)?;
        let inside = values.trim().strip_prefix("normal(").and_then(|rest| rest.strip_suffix(')'));
        let distribution = match inside {
            Some(inside) => {
                let parts: Vec<&str> = between_commas(inside).collect();
                let [mean, deviation] = parts[..] else { return Err(AxisError::Form(RANDOM_FORM)) };
                let (mean, deviation) = (number_of(mean)?, number_of(deviation)?);
                if deviation <= 0.0 {
                    return Err(AxisError::Deviation(shortest(deviation)));
                }
                if mean.abs() + LARGEST_DEVIATION * deviation == f64::INFINITY {
                    return Err(AxisError::Wide(values.trim().to_owned()));
                }
                Distribution::Normal { mean, deviation }
            }
            None => {
                let parts: Vec<&str> = values.split(':').collect();
                let [from, to] = parts[..] else { return Err(AxisError::Form(RANDOM_FORM)) };
                Distribution::Uniform { from: number_of(from)?, to: number_of(to)? }
            }
        };
        Ok(RandomAxis { name, distribution })
    }
}

impl fmt::Display for RandomAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, number) = (&self.name, |x: f64| shortest(x));
        match self.distribution {
            Distribution::Uniform { from, to } => write!(f, "{name}={}:{}", number(from), number(to)),
            Distribution::Normal { mean, deviation } => {
                write!(f, "{name}=normal({}, {})", number(mean), number(deviation))
            }
        }
    }
}

/// The number at this part of the way, also where the way is longer than the largest number.
fn between(from: f64, to: f64, part: f64) -> f64 {
    let way = to - from;
    if way.is_finite() { from + way * part } else { from * (1.0 - part) + to * part }
}

fn named<'t>(text: &'t str, form: &'static str) -> Result<(String, &'t str), AxisError> {
    let (name, values) = text.split_once('=').ok_or(AxisError::Form(form))?;
    match name.trim() {
        "" => Err(AxisError::Form(form)),
        name => Ok((name.to_owned(), values)),
    }
}

/// The parts between commas; commas inside parentheses belong to a function.
fn between_commas(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0i32;
    text.split(move |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    })
}

/// A finite number, written as such or as an expression without names: `pi/2`.
fn number_of(text: &str) -> Result<f64, AxisError> {
    let text = text.trim();
    let wrong = |problem: &str| AxisError::Number { text: text.to_owned(), problem: problem.to_owned() };
    let value = parse_number(text)
        .map_err(|errors| wrong(&errors.iter().next().map(ToString::to_string).unwrap_or_default()))?;
    if value.is_finite() { Ok(value) } else { Err(wrong("it is not finite")) }
}

/// How the members of a sweep differ. Everything multiplies: each row of the list comes with each point of the grid, and each of
/// these with so many samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    /// Values for each member of a list.
    pub list: Option<List>,
    /// The axes of a grid; the last varies fastest.
    pub grid: Vec<Axis>,
    /// What is drawn at random.
    pub random: Vec<RandomAxis>,
    /// How often it is drawn.
    pub samples: u64,
    /// What the random numbers depend on, besides the member and the name.
    pub seed: u64,
}

impl Default for Variation {
    fn default() -> Variation {
        Variation { list: None, grid: Vec::new(), random: Vec::new(), samples: 1, seed: 0 }
    }
}

impl Variation {
    /// What varies, in the order of the values: columns of the list, axes of the grid, what is random.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let list = self.list.iter().flat_map(|list| list.names()).map(String::as_str);
        list.chain(self.grid.iter().map(|axis| axis.name.as_str()))
            .chain(self.random.iter().map(|axis| axis.name.as_str()))
    }

    /// How many members there are, if they can be counted.
    pub fn members(&self) -> Option<u64> {
        let rows = self.list.as_ref().map_or(1, List::len);
        self.grid.iter().map(Axis::len).chain([self.samples]).try_fold(rows, u64::checked_mul)
    }

    /// What tells it from other variations, by names.
    pub(crate) fn identity(&self) -> [(&'static str, String); 5] {
        let Variation { list, grid, random, samples, seed } = self;
        let drawn = |number: &u64| if random.is_empty() { String::new() } else { number.to_string() };
        [
            ("list", list.as_ref().map(List::identity).unwrap_or_default()),
            ("grid", grid.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")),
            ("random", random.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")),
            ("samples", drawn(samples)),
            ("seed", drawn(seed)),
        ]
    }

    /// Appends the values of a member.
    pub(crate) fn push_values(&self, member: u64, values: &mut Vec<f64>) {
        let mut rest = member / self.samples.max(1);
        let begin = values.len();
        values.extend(self.grid.iter().rev().map(|axis| {
            let at = rest % axis.len().max(1);
            rest /= axis.len().max(1);
            axis.value(at)
        }));
        values[begin..].reverse();
        if let Some(list) = &self.list {
            values.splice(begin..begin, list.row(rest).iter().copied());
        }
        values.extend(self.random.iter().map(|axis| axis.value(self.seed, member)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_read_back_as_they_are_written() {
        for text in ["l=1.0:2.0:11", "m[2]=0.1,0.2", "x'=-1.0:1e-9:1"] {
            assert_eq!(text.parse::<Axis>().unwrap().to_string(), text);
        }
        for text in ["x=-1.0:1.0", "x=normal(0.0, 0.5)"] {
            assert_eq!(text.parse::<RandomAxis>().unwrap().to_string(), text);
        }
        assert_eq!("a = atan2(1, 1), -pi".parse::<Axis>().unwrap().value(0), std::f64::consts::FRAC_PI_4);
    }

    #[test]
    fn what_is_no_axis_says_why() {
        let axis = |text: &str| text.parse::<Axis>().unwrap_err().to_string();
        assert!(axis("l").starts_with("write it as NAME=FROM:TO:COUNT"));
        assert!(axis("l=1:2").starts_with("write it as"));
        assert_eq!(axis("l=1:2:0"), "`0` is not the number of values, an integer from 1");
        assert!(axis("l=1:b:3").starts_with("`b` is no number: "), "{}", axis("l=1:b:3"));
        assert!(axis("l=1:inf:3").contains("not finite"));
        assert!(axis("l=").contains("no number"));
        let random = |text: &str| text.parse::<RandomAxis>().unwrap_err().to_string();
        assert!(random("l=1:2:3").starts_with("write it as NAME=FROM:TO or"));
        assert_eq!(random("l=normal(0, -1)"), "the standard deviation must be positive, not -1.0");
    }

    #[test]
    fn everything_multiplies_and_the_last_varies_fastest() {
        let list = List::read("a,b\n1,2\n3,4\n").unwrap();
        let grid = vec!["c=0:1:3".parse().unwrap(), "d=5,6".parse().unwrap()];
        let random = vec!["r=2:3".parse().unwrap()];
        let variation = Variation { list: Some(list), grid, random, samples: 2, seed: 1 };
        assert_eq!(variation.names().collect::<Vec<_>>(), ["a", "b", "c", "d", "r"]);
        assert_eq!(variation.members(), Some(24));
        let mut all = Vec::new();
        (0..24).for_each(|member| variation.push_values(member, &mut all));
        let row = |member: usize| &all[5 * member..5 * member + 4];
        assert_eq!(row(0), [1.0, 2.0, 0.0, 5.0]);
        assert_eq!(row(1), [1.0, 2.0, 0.0, 5.0]);
        assert_eq!(row(2), [1.0, 2.0, 0.0, 6.0]);
        assert_eq!(row(4), [1.0, 2.0, 0.5, 5.0]);
        assert_eq!(row(23), [3.0, 4.0, 1.0, 6.0]);
        let drawn: Vec<f64> = all.chunks(5).map(|row| row[4]).collect();
        assert!(drawn.iter().all(|r| (2.0..3.0).contains(r)));
        assert!(drawn.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn random_numbers_differ_by_seed_name_and_member() {
        let random = vec!["a=0:1".parse().unwrap(), "b=0:1".parse().unwrap()];
        let drawn = |seed: u64, member: u64| {
            let variation = Variation { random: random.clone(), samples: 2, seed, ..Variation::default() };
            let mut values = Vec::new();
            variation.push_values(member, &mut values);
            values
        };
        assert_eq!(drawn(1, 0), drawn(1, 0));
        let mut all = [drawn(1, 0), drawn(1, 1), drawn(2, 0), drawn(2, 1)].concat();
        all.sort_by(f64::total_cmp);
        all.dedup();
        assert_eq!(all.len(), 8, "{all:?}");
    }

    #[test]
    fn a_range_has_exact_ends() {
        let axis: Axis = "x=0.1:0.7:7".parse().unwrap();
        assert_eq!((axis.value(0), axis.value(6)), (0.1, 0.7));
        // 0.2 + (0.9 - 0.2) is not 0.9.
        assert_eq!("x=0.2:0.9:8".parse::<Axis>().unwrap().value(7), 0.9);
        assert_eq!("x=3:9:1".parse::<Axis>().unwrap().value(0), 3.0);
    }
}
