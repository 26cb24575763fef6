//! Rows that depend on others, and rows that come close to it, in motions whose rows are typed in.

use super::*;

#[test]
fn combinations_are_named() {
    let rows = [vec![1.0, 0.0, 0.0], vec![1.0, 1.0, 0.0], vec![0.0, 0.0, 0.0], vec![3.0, -1.0, 0.0]];
    let found = dependence(&rows);
    assert_eq!(found.independent, [0, 1]);
    assert_eq!(found.dependent, [(2, vec![]), (3, vec![0, 1])]);
}

fn watch(pattern: &[Vec<usize>], rows: impl Fn(f64) -> Vec<f64>, times: &[f64]) -> Vec<Passage> {
    let mut watch = RowWatch::new(pattern);
    let mut last = times[0];
    let mut passages = Vec::new();
    for &time in times {
        let at = |time: f64| rows(time);
        if watch.look(ConstraintRows { time, entries: &at(time), positions: &[], velocities: &[], residual: 0.0 }) {
            passages.push(watch.follow(|part, read| {
                let time = last + part * (time - last);
                read(ConstraintRows { time, entries: &at(time), positions: &[], velocities: &[], residual: 0.0 });
                true
            }));
        }
        last = time;
    }
    passages
}

/// Looks at blocks of many rows are as good as looks at each: whatever turns past something else is noticed, of what stays away nothing,
/// and behind a block the watch is where it would be.
#[test]
fn blocks_are_looked_at_as_rows_are() {
    let pattern = [vec![0], vec![0, 1]];
    let rows = |t: f64| vec![2.0, 5.0 * t.cos(), 5.0 * t.sin(), 0.0, -5.0 * t.sin(), 5.0 * t.cos()];
    let look = |watch: &mut RowWatch, time: f64| {
        watch.look(ConstraintRows { time, entries: &rows(time), positions: &[1.0], velocities: &[], residual: 0.0 })
    };
    for (begin, step, count) in [(0.3, 0.01, 100), (0.3, 0.01, 13), (-0.5, 0.011, 100), (1.0, 0.3, 5), (1.0, 0.3, 9)] {
        let times: Vec<f64> = (1..=count).map(|k| begin + step * f64::from(k)).collect();
        let columns: Vec<f64> = (0..6).flat_map(|at| times.iter().map(move |t| rows(*t)[at])).collect();
        let (mut together, mut alone) = (RowWatch::new(&pattern), RowWatch::new(&pattern));
        look(&mut together, begin);
        look(&mut alone, begin);
        let suspicious = times.iter().fold(false, |any, time| any | look(&mut alone, *time));
        let (ones, zeros) = (vec![1.0; times.len()], vec![0.0; times.len()]);
        let block = ConstraintRowBlock {
            times: &times,
            entries: &columns,
            stride: times.len(),
            sizes: &ones,
            residuals: &zeros,
        };
        assert_eq!(together.are_far(&block), !suspicious, "{begin} {step} {count}");
        if !suspicious {
            let time = times[times.len() - 1];
            together.go_on(ConstraintRows {
                time,
                entries: &rows(time),
                positions: &[1.0],
                velocities: &[],
                residual: 0.0,
            });
            assert_eq!(together.longest, alone.longest);
            assert_eq!(together.now.distances, alone.now.distances);
            assert_eq!(look(&mut together, time + 4.0), look(&mut alone, time + 4.0));
        }
    }
    // Constraints that are off by much do not tell what is close from what is not.
    let mut watch = RowWatch::new(&pattern);
    look(&mut watch, 0.3);
    let columns = rows(0.31);
    for (residual, far) in [(0.0, true), (1.0, false)] {
        let (times, sizes, residuals) = ([0.31], [1.0], [residual]);
        let block =
            ConstraintRowBlock { times: &times, entries: &columns, stride: 1, sizes: &sizes, residuals: &residuals };
        assert_eq!(watch.are_far(&block), far);
    }
}

/// A row that turns past another, seen in steps of any length, on either side of the meeting and on it.
#[test]
fn a_row_that_passes_another_is_found_where_it_does() {
    let rows = |t: f64| vec![2.0, 5.0 * t.cos(), 5.0 * t.sin(), 0.0, -5.0 * t.sin(), 5.0 * t.cos()];
    for (step, offset) in [(0.3, 0.5), (0.3, 0.01), (0.01, 0.5), (1e-4, 0.9), (0.1, 1.0)] {
        let times: Vec<f64> = (0..12).map(|k| (f64::from(k) - 6.0 + offset) * step).collect();
        let passages = watch(&[vec![0], vec![0, 1]], rows, &times);
        let singular = |passage: &Passage| matches!(passage, Passage::Singular { .. });
        assert_eq!(
            passages.iter().filter(|p| singular(p)).count(),
            if offset == 1.0 { 2 } else { 1 },
            "{step} {offset}"
        );
    }
}

/// Rows that come within 1e-5 of dependence and do not reach it are no singular configuration, in steps much longer than that.
#[test]
fn a_row_that_only_comes_close_is_let_pass() {
    let near = 1e-5;
    let rows = |t: f64| {
        let (distance, rate) = ((near * near + t * t).sqrt(), t / (near * near + t * t).sqrt());
        vec![1.0, 1.0, distance, 0.0, 0.0, rate]
    };
    let times: Vec<f64> = (0..12).map(|k| 0.05 * (f64::from(k) - 5.3)).collect();
    let passages = watch(&[vec![0], vec![0, 1]], rows, &times);
    assert!(!passages.is_empty() && passages.iter().all(|p| *p == Passage::Regular), "{passages:?}");
}

/// A row that shrinks to nothing and comes out reversed never changes its direction until then.
#[test]
fn a_vanishing_row_is_seen() {
    let rows = |t: f64| vec![3.0 * t, -t, 3.0, -1.0];
    let passages = watch(&[vec![0, 1]], rows, &[-0.5, -0.2, 0.1, 0.4]);
    let [Passage::Singular { row: 0, part, .. }] = &passages[..] else { panic!("{passages:?}") };
    assert!((part - 2.0 / 3.0).abs() < 1e-5, "{part}");
}

/// A way that jumps over the place where rows are dependent is told from one that goes through it.
#[test]
fn a_leap_is_seen() {
    let place = |t: f64| if t < 0.5 { t - 0.9 } else { t - 0.1 };
    let rows = |t: f64| vec![1.0, 1.0, place(t), 0.0, 0.0, 1.0];
    let mut watch = RowWatch::new(&[vec![0], vec![0, 1]]);
    let at = |time: f64| (rows(time), [place(time)]);
    for time in [0.0, 1.0] {
        let (entries, positions) = at(time);
        let suspicious = watch.look(ConstraintRows {
            time,
            entries: &entries,
            positions: &positions,
            velocities: &[1.0],
            residual: 0.0,
        });
        assert_eq!(suspicious, time == 1.0);
    }
    let passage = watch.follow(|part, read| {
        let (entries, positions) = at(part);
        read(ConstraintRows {
            time: part,
            entries: &entries,
            positions: &positions,
            velocities: &[1.0],
            residual: 0.0,
        });
        true
    });
    assert!(matches!(passage, Passage::Broken { row: 1, .. }), "{passage:?}");
}
