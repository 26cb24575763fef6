//! Places in a text.

use std::fmt;

/// A range of bytes in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextSpan {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl TextSpan {
    /// From `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> TextSpan {
        TextSpan { start, end }
    }

    /// How many bytes.
    pub fn len(&self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Is there nothing in it?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The smallest span that covers both.
    pub fn to(self, other: TextSpan) -> TextSpan {
        TextSpan { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl fmt::Display for TextSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}
