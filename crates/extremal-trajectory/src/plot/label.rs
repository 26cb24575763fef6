//! Names as a physicist writes them: `theta1'` becomes θ₁′, single letters
//! are italic, words are upright.

use super::font::{self, Style};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct LabelSpan {
    pub text: String,
    pub style: Style,
    pub lowered: bool,
}

/// How much smaller a subscript is.
pub(super) const LOWERED_SIZE: f64 = 0.72;
/// How far a subscript sinks, as a part of the font size.
pub(super) const LOWERED_BY: f64 = 0.18;

/// A line of styled text.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct PlotLabel {
    pub spans: Vec<LabelSpan>,
}

const GREEK: [(&str, &str); 36] = [
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("epsilon", "ε"),
    ("zeta", "ζ"),
    ("eta", "η"),
    ("theta", "θ"),
    ("iota", "ι"),
    ("kappa", "κ"),
    ("lambda", "λ"),
    ("mu", "μ"),
    ("nu", "ν"),
    ("xi", "ξ"),
    ("pi", "π"),
    ("rho", "ρ"),
    ("sigma", "σ"),
    ("tau", "τ"),
    ("upsilon", "υ"),
    ("phi", "φ"),
    ("varphi", "φ"),
    ("chi", "χ"),
    ("psi", "ψ"),
    ("omega", "ω"),
    ("vartheta", "ϑ"),
    ("Gamma", "Γ"),
    ("Delta", "Δ"),
    ("Theta", "Θ"),
    ("Lambda", "Λ"),
    ("Xi", "Ξ"),
    ("Pi", "Π"),
    ("Sigma", "Σ"),
    ("Upsilon", "Υ"),
    ("Phi", "Φ"),
    ("Psi", "Ψ"),
    ("Omega", "Ω"),
];

impl PlotLabel {
    /// Text as it is.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::default().then(text, Style::Regular)
    }

    /// Bold text.
    pub fn bold(text: impl Into<String>) -> Self {
        Self::default().then(text, Style::Bold)
    }

    /// The name of a column: primes, subscripts and Greek set as in print.
    /// What is not a symbol with primes and indices is left as it is.
    pub fn name(name: &str) -> Self {
        let stem = name.trim_end_matches(['\'', '′']);
        let primes = name[stem.len()..].chars().count();
        let (stem, index) = match stem.strip_suffix(']').and_then(|s| s.split_once('[')) {
            Some((stem, index)) => (stem, index),
            None => (stem, ""),
        };
        let letter = stem.split('_').next().unwrap_or(stem);
        let letter = letter.trim_end_matches(|c: char| c.is_ascii_digit());
        let below = stem[letter.len()..].trim_start_matches('_');
        let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
        let Some(symbol) = symbol(letter).filter(|_| is_word(below) && is_word(index)) else {
            return Self::plain(name);
        };
        let mut label = Self::default().then(symbol, Style::Italic);
        for (i, part) in [below, index].into_iter().filter(|p| !p.is_empty()).enumerate() {
            if i > 0 {
                label = label.then_lowered(",", Style::Regular);
            }
            label = match self::symbol(part) {
                Some(symbol) => label.then_lowered(symbol, Style::Italic),
                None => label.then_lowered(part, Style::Regular),
            };
        }
        if primes > 0 {
            label = label.then("′".repeat(primes), Style::Regular);
        }
        label
    }

    /// Continues with text on the baseline.
    pub fn then(mut self, text: impl Into<String>, style: Style) -> Self {
        self.spans.push(LabelSpan { text: text.into(), style, lowered: false });
        self
    }

    /// Continues with a subscript.
    pub fn then_lowered(mut self, text: impl Into<String>, style: Style) -> Self {
        self.spans.push(LabelSpan { text: text.into(), style, lowered: true });
        self
    }

    /// Continues with another label.
    pub fn then_label(mut self, other: PlotLabel) -> Self {
        self.spans.extend(other.spans);
        self
    }

    /// The width at a font size.
    pub fn width(&self, size: f64) -> f64 {
        let spans = self.spans.iter().map(|span| {
            let scale = if span.lowered { LOWERED_SIZE } else { 1.0 };
            scale * font::width(&span.text, span.style)
        });
        size * spans.sum::<f64>()
    }

    /// The label cut to fit, with an ellipsis where something is missing.
    pub fn fitted(mut self, size: f64, room: f64) -> Self {
        if self.width(size) <= room {
            return self;
        }
        while let Some(mut span) = self.spans.pop() {
            while span.text.pop().is_some() {
                let mut short = self.clone();
                let text = format!("{}…", span.text.trim_end());
                short.spans.push(LabelSpan { text, ..span.clone() });
                if short.width(size) <= room {
                    return short;
                }
            }
        }
        self
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.spans.iter().all(|span| span.text.is_empty())
    }
}

/// The letter that `word` is or spells.
fn symbol(word: &str) -> Option<&str> {
    if let Some((_, letter)) = GREEK.iter().find(|(spelled, _)| *spelled == word) {
        return Some(letter);
    }
    let mut chars = word.chars();
    let is_letter = chars.next().is_some_and(char::is_alphabetic) && chars.next().is_none();
    is_letter.then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str) -> String {
        let mark = |span: &LabelSpan| {
            let slant = if span.style == Style::Italic { "/" } else { "" };
            let low = if span.lowered { "_" } else { "" };
            format!("{low}{slant}{}", span.text)
        };
        PlotLabel::name(name).spans.iter().map(mark).collect()
    }

    #[test]
    fn names_become_symbols() {
        assert_eq!(shown("x"), "/x");
        assert_eq!(shown("theta1'"), "/θ_1′");
        assert_eq!(shown("p_theta"), "/p_/θ");
        assert_eq!(shown("x[12]''"), "/x_12′′");
        assert_eq!(shown("p_x[3]"), "/p_/x_,_3");
        assert_eq!(shown("lambda_rod"), "/λ_rod");
        assert_eq!(shown("θ"), "/θ");
        assert_eq!(shown("q_1"), "/q_1");
        assert_eq!(shown("energy"), "energy");
        assert_eq!(shown("rk4"), "rk4");
        assert_eq!(shown("t = 10"), "t = 10");
        assert_eq!(shown("kinetic energy"), "kinetic energy");
    }

    #[test]
    fn odd_names_survive() {
        for name in ["", "'", "_", "a_", "_a", "12", "[", "]", "x[", "x]", "x[]", "é̃", "日本"] {
            let text: String = PlotLabel::name(name).spans.into_iter().map(|s| s.text).collect();
            assert!(text.len() <= name.len() + 2, "{name}");
        }
    }

    #[test]
    fn long_titles_are_cut() {
        let label = PlotLabel::plain("A very long title indeed".repeat(10)).fitted(12.0, 200.0);
        assert!(label.width(12.0) <= 200.0 && label.width(12.0) > 180.0);
        assert!(label.spans[0].text.ends_with('…'));
        assert!(PlotLabel::plain("abc").fitted(12.0, 1.0).is_empty());
    }
}
