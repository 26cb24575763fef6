//! The order in which things that use each other can be resolved.

use std::collections::{BTreeSet, HashMap};

/// An order in which every item comes after those it uses, and the cycles that keep the rest out of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DependencyOrder {
    pub order: Vec<usize>,
    /// Each cycle once, as the items along it.
    pub cycles: Vec<Vec<usize>>,
    /// All items in no order: those on a cycle and those that use one.
    pub stuck: Vec<usize>,
}

/// Orders items by name; `uses[k]` are the names item `k` uses, whether or not they are among the items.
pub(crate) fn order(names: &[&str], uses: &[BTreeSet<String>]) -> DependencyOrder {
    let place: HashMap<&str, usize> = names.iter().enumerate().map(|(place, name)| (*name, place)).collect();
    let uses: Vec<Vec<usize>> =
        uses.iter().map(|used| used.iter().filter_map(|name| place.get(name.as_str()).copied()).collect()).collect();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); names.len()];
    for (item, used) in uses.iter().enumerate() {
        used.iter().for_each(|of| users[*of].push(item));
    }
    let mut waiting: Vec<usize> = uses.iter().map(Vec::len).collect();
    let mut order: Vec<usize> = (0..names.len()).filter(|item| waiting[*item] == 0).collect();
    let mut done = 0;
    while let Some(&item) = order.get(done) {
        done += 1;
        for user in &users[item] {
            waiting[*user] -= 1;
            if waiting[*user] == 0 {
                order.push(*user);
            }
        }
    }
    let stuck: Vec<usize> = (0..names.len()).filter(|item| waiting[*item] > 0).collect();
    let cycles = cycles(&stuck, &uses, &waiting);
    DependencyOrder { order, cycles, stuck }
}

/// Every stuck item uses another stuck item, so that walking along the uses ends on a cycle.
fn cycles(stuck: &[usize], uses: &[Vec<usize>], waiting: &[usize]) -> Vec<Vec<usize>> {
    let mut cycles = Vec::new();
    let mut seen = vec![false; uses.len()];
    for &start in stuck {
        let mut path = Vec::new();
        let mut item = start;
        while !seen[item] {
            seen[item] = true;
            path.push(item);
            match uses[item].iter().find(|used| waiting[**used] > 0) {
                Some(next) => item = *next,
                None => break,
            }
        }
        // A walk that ran into an earlier one has found no new cycle.
        if let Some(from) = path.iter().position(|on_path| *on_path == item)
            && uses[path[path.len() - 1]].contains(&item)
        {
            cycles.push(path.split_off(from));
        }
    }
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(items: &[(&str, &[&str])]) -> DependencyOrder {
        let names: Vec<&str> = items.iter().map(|(name, _)| *name).collect();
        let uses: Vec<_> = items.iter().map(|(_, used)| used.iter().map(|u| u.to_string()).collect()).collect();
        order(&names, &uses)
    }

    #[test]
    fn what_is_used_comes_first() {
        let found = sorted(&[("a", &["b", "x"]), ("b", &["c"]), ("c", &[])]);
        assert_eq!(found.order, [2, 1, 0]);
        assert!(found.cycles.is_empty() && found.stuck.is_empty());
    }

    #[test]
    fn cycles_are_found_once_and_their_users_are_stuck() {
        let found = sorted(&[("u", &["a"]), ("a", &["b"]), ("b", &["c"]), ("c", &["a"]), ("s", &["s"]), ("k", &[])]);
        assert_eq!(found.order, [5]);
        assert_eq!(found.cycles, [vec![1, 2, 3], vec![4]]);
        assert_eq!(found.stuck, [0, 1, 2, 3, 4]);
    }
}
