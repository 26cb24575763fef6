//! Which columns of a trajectory go to its files.

use std::io;

use crate::{Column, Columns, ColumnsError, RowBlock, Sink};

/// Does a column have the name that is asked for? `*` stands for any characters, and a family for all its members: `x` is also `x[2]`.
///
/// ```
/// use extremal_trajectory::is_named;
/// assert!(is_named("p_x", "p_*") && is_named("x[2]", "x") && is_named("x[2]'", "x'") && is_named("t", "*"));
/// assert!(!is_named("xy", "x") && !is_named("x'", "x") && !is_named("p_x", "*y"));
/// ```
pub fn is_named(name: &str, asked: &str) -> bool {
    if !asked.contains('*') {
        return name == asked || member_of(name).is_some_and(|family| family == asked);
    }
    let mut pieces = asked.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    true
}

/// The family of a member, with what stands after the brackets: `x'` of `x[2]'`.
fn member_of(name: &str) -> Option<String> {
    let (family, rest) = name.split_once('[')?;
    let (_, after) = rest.split_once(']')?;
    Some(format!("{family}{after}"))
}

impl Columns {
    /// The positions of the columns that are asked for, in the order of asking and each once; the text that names none.
    pub fn named<'a>(&self, asked: &'a [String]) -> Result<Vec<usize>, &'a str> {
        let mut chosen: Vec<usize> = Vec::new();
        for text in asked {
            let before = chosen.len();
            let found: Vec<usize> = (0..self.len()).filter(|at| is_named(self[*at].name(), text)).collect();
            chosen.extend(found.iter().filter(|at| !chosen[..before].contains(at)).copied().collect::<Vec<_>>());
            if found.is_empty() {
                return Err(text);
            }
        }
        Ok(chosen)
    }

    /// The columns at these positions.
    ///
    /// # Errors
    /// There are none, or one of them comes twice.
    pub fn at(&self, positions: &[usize]) -> Result<Columns, ColumnsError> {
        Columns::new(positions.iter().map(|at| Column::clone(&self[*at])))
    }
}

/// Hands some of the columns on.
pub(crate) struct ChosenSink {
    pub inner: Box<dyn Sink>,
    pub chosen: Vec<usize>,
    pub row: Vec<f64>,
}

struct ChosenBlock<'b> {
    block: &'b dyn RowBlock,
    chosen: &'b [usize],
}

impl RowBlock for ChosenBlock<'_> {
    fn rows(&self) -> usize {
        self.block.rows()
    }

    fn columns(&self) -> usize {
        self.chosen.len()
    }

    fn column(&self, column: usize) -> &[f64] {
        self.block.column(self.chosen[column])
    }
}

impl Sink for ChosenSink {
    fn write_row(&mut self, row: &[f64]) -> io::Result<()> {
        self.row.clear();
        self.row.extend(self.chosen.iter().map(|at| row[*at]));
        self.inner.write_row(&self.row)
    }

    fn write_block(&mut self, block: &dyn RowBlock, first: usize, stride: usize) -> io::Result<()> {
        self.inner.write_block(&ChosenBlock { block, chosen: &self.chosen }, first, stride)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.inner.finish()
    }
}
