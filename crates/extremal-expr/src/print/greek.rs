//! Greek letters and their names, which are also their LaTeX commands.

/// Letter and spelled name. The variant forms share the name of their letter.
const LETTERS: [(char, &str); 40] = [
    ('α', "alpha"),
    ('β', "beta"),
    ('γ', "gamma"),
    ('δ', "delta"),
    ('ε', "epsilon"),
    ('ϵ', "epsilon"),
    ('ζ', "zeta"),
    ('η', "eta"),
    ('θ', "theta"),
    ('ϑ', "theta"),
    ('ι', "iota"),
    ('κ', "kappa"),
    ('λ', "lambda"),
    ('μ', "mu"),
    ('µ', "mu"),
    ('ν', "nu"),
    ('ξ', "xi"),
    ('π', "pi"),
    ('ρ', "rho"),
    ('σ', "sigma"),
    ('ς', "sigma"),
    ('τ', "tau"),
    ('υ', "upsilon"),
    ('φ', "phi"),
    ('ϕ', "phi"),
    ('χ', "chi"),
    ('ψ', "psi"),
    ('ω', "omega"),
    ('Γ', "Gamma"),
    ('Δ', "Delta"),
    ('Θ', "Theta"),
    ('Λ', "Lambda"),
    ('Ξ', "Xi"),
    ('Π', "Pi"),
    ('Σ', "Sigma"),
    ('Υ', "Upsilon"),
    ('Φ', "Phi"),
    ('Ψ', "Psi"),
    ('Ω', "Omega"),
    ('Ω', "Omega"),
];

/// The name of a Greek letter.
pub(crate) fn spelled(letter: char) -> Option<&'static str> {
    LETTERS.iter().find(|(c, _)| *c == letter).map(|(_, name)| *name)
}

/// Is this the name of a Greek letter?
pub(crate) fn is_name(name: &str) -> bool {
    LETTERS.iter().any(|(_, known)| *known == name)
}

/// The letter of this name.
pub(crate) fn letter(name: &str) -> Option<char> {
    LETTERS.iter().find(|(_, known)| *known == name).map(|(letter, _)| *letter)
}
