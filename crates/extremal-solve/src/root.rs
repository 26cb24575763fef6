//! Where a function of one variable changes sign, for locating events within a step.

/// Why no root was found; `E` is what the function reports.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RootError<E> {
    /// The values at the ends have the same sign or are not numbers.
    #[error("no sign change between {a} and {b}, where the values are {fa} and {fb}")]
    NoSignChange {
        /// One end.
        a: f64,
        /// The other end.
        b: f64,
        /// Value at `a`.
        fa: f64,
        /// Value at `b`.
        fb: f64,
    },
    /// The function is not a number between the ends.
    #[error("the function is not a number at {x}")]
    NotANumber {
        /// Where.
        x: f64,
    },
    /// The function failed.
    #[error("the function failed at {x}: {cause}")]
    Function {
        /// Where.
        x: f64,
        /// What it reported.
        cause: E,
    },
}

/// Finds a sign change of `f` between `a` and `b`, where it has the values `fa` and `fb`, to within `tolerance` (or
/// what doubles can tell apart, if that is more).
///
/// By the method of Chandrupatla (Advances in Engineering Software 28, 1997): inverse quadratic interpolation where it
/// is safe, bisection elsewhere, and nothing but bisection if that has not helped for long.
///
/// # Errors
/// See [`RootError`].
///
/// ```
/// use extremal_solve::find_root;
///
/// let mut f = |x: f64| Ok::<f64, String>(x * x - 2.0);
/// let root = find_root(&mut f, 0.0, 2.0, -2.0, 2.0, 1e-12)?;
/// assert!((root - 2.0_f64.sqrt()).abs() <= 1e-12);
/// # Ok::<(), extremal_solve::RootError<String>>(())
/// ```
pub fn find_root<E>(
    f: &mut impl FnMut(f64) -> Result<f64, E>,
    a: f64,
    b: f64,
    fa: f64,
    fb: f64,
    tolerance: f64,
) -> Result<f64, RootError<E>> {
    if fa == 0.0 {
        return Ok(a);
    }
    if fb == 0.0 {
        return Ok(b);
    }
    let opposite = (fa < 0.0 && fb > 0.0) || (fa > 0.0 && fb < 0.0);
    if !(opposite && (b - a).is_finite()) {
        return Err(RootError::NoSignChange { a, b, fa, fb });
    }
    Bracket { newest: (a, fa), opposite: (b, fb), previous: (b, fb) }.shrink(f, tolerance)
}

/// After this many steps only bisection is used: smooth functions take about ten.
const INTERPOLATIONS: usize = 40;

/// Two points with values of opposite sign and the one before; points come with their values.
struct Bracket {
    newest: (f64, f64),
    opposite: (f64, f64),
    previous: (f64, f64),
}

impl Bracket {
    fn shrink<E>(mut self, f: &mut impl FnMut(f64) -> Result<f64, E>, tolerance: f64) -> Result<f64, RootError<E>> {
        let mut steps = 0;
        loop {
            let width = self.opposite.0 - self.newest.0;
            let best = if self.newest.1.abs() < self.opposite.1.abs() { self.newest } else { self.opposite };
            let resolution = 2.0 * f64::EPSILON * best.0.abs() + f64::MIN_POSITIVE;
            // Written so that a tolerance that is not a number has no effect.
            let allowed = if tolerance > resolution { tolerance } else { resolution };
            if best.1 == 0.0 || width.abs() <= allowed {
                return Ok(best.0);
            }
            // No closer to an end than the next step could tell apart from it.
            let margin = 0.5 * allowed / width.abs();
            let part = if steps < INTERPOLATIONS { self.interpolate().clamp(margin, 1.0 - margin) } else { 0.5 };
            steps += 1;
            let x = self.newest.0 + part * width;
            let value = f(x).map_err(|cause| RootError::Function { x, cause })?;
            if value.is_nan() {
                return Err(RootError::NotANumber { x });
            }
            if (value > 0.0) == (self.newest.1 > 0.0) {
                self.previous = self.newest;
            } else {
                self.previous = self.opposite;
                self.opposite = self.newest;
            }
            self.newest = (x, value);
        }
    }

    /// How far from the newest point towards the opposite one to go next: the middle, until there are three points on a
    /// parabola that is monotonic as a function of the value.
    fn interpolate(&self) -> f64 {
        let ((x1, f1), (x2, f2), (x3, f3)) = (self.newest, self.opposite, self.previous);
        let place = (x1 - x2) / (x3 - x2);
        let height = (f1 - f2) / (f3 - f2);
        let monotonic = height * height < place && (1.0 - height) * (1.0 - height) < 1.0 - place;
        let part = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2);
        if monotonic && part.is_finite() { part } else { 0.5 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The root and the number of evaluations.
    fn root(f: impl Fn(f64) -> f64, a: f64, b: f64, tolerance: f64) -> (f64, usize) {
        let mut evaluations = 0;
        let mut counted = |x: f64| {
            evaluations += 1;
            Ok::<f64, String>(f(x))
        };
        let root = find_root(&mut counted, a, b, f(a), f(b), tolerance).unwrap();
        (root, evaluations)
    }

    type RootCase = (fn(f64) -> f64, f64, f64, f64);

    const CASES: [RootCase; 8] = [
        (|x| x.cos() - x, 0.0, 2.0, 0.739_085_133_215_160_6),
        (|x| x * x * x - 2.0, 0.0, 5.0, 1.259_921_049_894_873_2),
        (|x| x.exp() - 1e6, 0.0, 100.0, 13.815_510_557_964_274),
        (|x| (x - 1.0).powi(9), 0.0, 3.7, 1.0),
        (|x| x.atan() - 1.0, -1e6, 1e6, 1.557_407_724_654_902_3),
        (|x| if x < 0.3 { -1.0 } else { 1e300 }, 0.0, 1.0, 0.3),
        (|x| 1e-300 * (x - 0.7), 0.0, 1.0, 0.7),
        (|x| (x - 1e-20) * (1.0 + x), -0.5, 1.0, 0.0),
    ];

    #[test]
    fn roots_are_found_from_both_sides_in_not_many_more_steps_than_bisection() {
        for (k, (f, a, b, exact)) in CASES.into_iter().enumerate() {
            for tolerance in [1e-3, 1e-9] {
                for (a, b) in [(a, b), (b, a)] {
                    let (found, evaluations) = root(f, a, b, tolerance);
                    // The ninth power underflows to zero near its root, which is then as good.
                    assert!((found - exact).abs() <= tolerance, "case {k}: {found}");
                    let bisections = ((b - a).abs() / tolerance).log2().ceil() as usize;
                    assert!(evaluations <= bisections + 5, "case {k}: {evaluations} against {bisections}");
                }
            }
        }
    }

    #[test]
    fn smooth_functions_take_few_evaluations() {
        for (f, a, b, exact) in &CASES[..2] {
            let (found, evaluations) = root(f, *a, *b, 0.0);
            assert!((found - exact).abs() <= 4.0 * f64::EPSILON * exact, "{found}");
            // Bisection would take over fifty.
            assert!(evaluations <= 14, "{evaluations}");
        }
    }

    #[test]
    fn a_root_at_an_end_needs_no_search() {
        let mut never = |_: f64| Err::<f64, &str>("not to be called");
        assert_eq!(find_root(&mut never, 1.0, 2.0, 0.0, 5.0, 1e-9), Ok(1.0));
        assert_eq!(find_root(&mut never, 1.0, 2.0, 5.0, 0.0, 1e-9), Ok(2.0));
    }

    #[test]
    fn what_cannot_be_searched_is_refused() {
        let mut never = |_: f64| Err::<f64, &str>("not to be called");
        for (a, b, fa, fb) in [(0.0, 1.0, 1.0, 2.0), (0.0, 1.0, f64::NAN, 1.0), (0.0, f64::INFINITY, -1.0, 1.0)] {
            let refused = find_root(&mut never, a, b, fa, fb, 1e-9);
            assert!(matches!(refused, Err(RootError::NoSignChange { .. })), "{refused:?}");
        }
        let failed = find_root(&mut never, 0.0, 1.0, -1.0, 1.0, 1e-9);
        assert_eq!(failed, Err(RootError::Function { x: 0.5, cause: "not to be called" }));
        let nowhere = find_root(&mut |_| Ok::<f64, String>(f64::NAN), 0.0, 1.0, -1.0, 1.0, 1e-9);
        assert_eq!(nowhere, Err(RootError::NotANumber { x: 0.5 }));
    }

    #[test]
    fn extreme_ends_and_tolerances_come_to_an_end() {
        for (a, b) in [(-f64::MAX / 2.0, f64::MAX / 2.0), (-5e-324, 5e-324), (1.0, 1.0 + f64::EPSILON)] {
            for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
                let found = find_root(&mut |x| Ok::<f64, String>(x - 0.5), a, b, -1.0, 1.0, tolerance).unwrap();
                assert!(found >= a && found <= b, "{found}");
            }
        }
    }
}
