//! Which part of a sweep a call does: said, or taken from the batch system that started it.

use std::env;
use std::ops::Range;

/// Where batch systems say which task of an array this is.
const TASKS: [&str; 2] = ["SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX"];

/// The `part`-th of so many `parts`, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    part: u64,
    parts: u64,
}

impl Shard {
    /// Reads `3/20`, or `auto/20` for the number of the task.
    pub fn read(text: &str) -> Result<Shard, String> {
        Shard::with_tasks(text, |name| env::var(name).ok())
    }

    fn with_tasks(text: &str, value_of: impl Fn(&str) -> Option<String>) -> Result<Shard, String> {
        let help = || {
            "write the number of the part, from 1, and how many there are, as `3/20`; `auto/20` in an array of jobs"
                .to_owned()
        };
        let (part, parts) = text.split_once('/').ok_or_else(help)?;
        let parts: u64 = parts.trim().parse().map_err(|_| help())?;
        if part.trim() != "auto" {
            let part = part.trim().parse().ok().filter(|part| (1..=parts).contains(part));
            return Ok(Shard { part: part.ok_or_else(help)?, parts });
        }
        let task = TASKS.iter().find_map(|name| Some((name, value_of(name)?)));
        let Some((name, number)) = task else {
            return Err(format!("neither {} is set: this is no task of an array of jobs", TASKS.join(" nor ")));
        };
        let part = number.trim().parse().ok().filter(|part| (1..=parts).contains(part));
        let numbered = || format!("{name} is {number}: number the tasks of the array from 1 to {parts}");
        Ok(Shard { part: part.ok_or_else(numbered)?, parts })
    }

    /// Its members, of so many.
    pub fn members(self, all: u64) -> Range<u64> {
        let end = |part: u64| (u128::from(all) * u128::from(part) / u128::from(self.parts)) as u64;
        end(self.part - 1)..end(self.part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_said_or_taken_from_the_batch_system() {
        let none = |_: &str| None;
        let slurm = |name: &str| (name == "SLURM_ARRAY_TASK_ID").then(|| "3".to_owned());
        let pbs = |name: &str| (name == "PBS_ARRAY_INDEX").then(|| "0".to_owned());
        assert_eq!(Shard::with_tasks("3/20", none), Shard::with_tasks("auto/20", slurm));
        assert!(Shard::with_tasks("auto/20", none).unwrap_err().contains("PBS_ARRAY_INDEX"));
        assert!(Shard::with_tasks("auto/20", pbs).unwrap_err().contains("from 1 to 20"));
        assert!(Shard::with_tasks("auto/2", slurm).unwrap_err().contains("from 1 to 2"));
        for wrong in ["4/3", "0/3", "3", "auto", "x/3", "1/0", "auto/"] {
            assert!(Shard::with_tasks(wrong, slurm).unwrap_err().contains("3/20"), "{wrong}");
        }
    }

    #[test]
    fn parts_leave_nothing_out() {
        for (all, parts) in [(100, 3), (7, 7), (u64::MAX, 20)] {
            let ranges: Vec<Range<u64>> = (1..=parts).map(|part| Shard { part, parts }.members(all)).collect();
            assert_eq!((ranges[0].start, ranges[parts as usize - 1].end), (0, all));
            assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
    }
}
