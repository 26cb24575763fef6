//! Programs as source of other languages: one emitter, and for each language a table of how things are written there.
//!
//! A [`SourceFile`] takes formulas (straight lines of operations, cut out of a [`Program`](crate::Program)) and functions that call
//! them ([`SourceStatement`]s: copy, call, solve). What is used of elementary functions and of Newton's method is written before them.

mod c;
mod dialect;
mod file;
mod julia;
mod library;
mod names;
mod python;
mod rust;
mod statement;
mod straight;
pub(crate) mod table;

pub use file::{NumberTable, SourceFile};
pub use statement::{Argument, SourceFunction, SourceStatement};
pub use straight::{FormulaSource, InputPlace, ProgramInput};

use dialect::Dialect;

/// A language that programs are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// C of 2011 and later, for compilers that have 128-bit integers.
    C,
    /// Rust.
    Rust,
    /// Python of version 3.7 and later, without packages.
    Python,
    /// Julia.
    Julia,
}

impl Language {
    /// Every language.
    pub const ALL: [Language; 4] = [Language::C, Language::Rust, Language::Python, Language::Julia];

    /// Does the language compute what a program computes here, bit for bit? It has fused operations, and gets our elementary functions.
    pub fn keeps_bits(self) -> bool {
        matches!(self, Language::C | Language::Rust)
    }

    fn dialect(self) -> &'static dyn Dialect {
        match self {
            Language::C => &c::C,
            Language::Rust => &rust::Rust,
            Language::Python => &python::Python,
            Language::Julia => &julia::Julia,
        }
    }
}
