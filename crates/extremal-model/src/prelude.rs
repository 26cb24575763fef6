//! Functions that every model knows, written in the language itself.

use std::sync::LazyLock;

use extremal_expr::syntax::DeclaredFunction;

/// Of the unit quaternion q = (q[1]; q[2], q[3], q[4]), the number first, which turns the axes of a body into those of space.
const ROTATIONS: [(&str, &str); 2] = [
    // 2 q̄ q', whose real part is zero: the angular velocity along the axes of the body.
    (
        "angular_velocity",
        "2*(q[1]*[q[2], q[3], q[4]]' - q[1]'*[q[2], q[3], q[4]] - cross([q[2], q[3], q[4]], [q[2], q[3], q[4]]'))",
    ),
    // x ↦ q x q̄ as a matrix: what is `x` along the axes of the body is `rotation(q)*x` along those of space.
    (
        "rotation",
        "[[q[1]^2 + q[2]^2 - q[3]^2 - q[4]^2, 2*(q[2]*q[3] - q[1]*q[4]), 2*(q[2]*q[4] + q[1]*q[3])], \
          [2*(q[2]*q[3] + q[1]*q[4]), q[1]^2 - q[2]^2 + q[3]^2 - q[4]^2, 2*(q[3]*q[4] - q[1]*q[2])], \
          [2*(q[2]*q[4] - q[1]*q[3]), 2*(q[3]*q[4] + q[1]*q[2]), q[1]^2 - q[2]^2 - q[3]^2 + q[4]^2]]",
    ),
];

static FUNCTIONS: LazyLock<Vec<DeclaredFunction>> = LazyLock::new(|| {
    let function = |(name, value): &(&str, &str)| DeclaredFunction::new(name, vec!["q".to_owned()], value).ok();
    ROTATIONS.iter().filter_map(function).collect()
});

/// The function of this name that every model knows.
pub(crate) fn function(name: &str) -> Option<&'static DeclaredFunction> {
    FUNCTIONS.iter().find(|function| function.name() == name)
}

/// The names of all of them.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(DeclaredFunction::name)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_function_can_be_read() {
        assert_eq!(super::names().collect::<Vec<_>>(), ["angular_velocity", "rotation"]);
    }
}
