//! Columns of numbers beside the JSON of an answer.

use serde::Serialize;
use serde_json::Value;

/// An answer: JSON, in which `{"at": 120, "rows": 40, "width": 3}` stands for a block of numbers, column after column, from that number on.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// What is said.
    pub content: Value,
    /// The numbers of its blocks.
    pub numbers: Vec<f64>,
}

/// Numbers begin where a machine likes them.
const ALIGNMENT: usize = 8;

impl Reply {
    /// As bytes: the length of the JSON as four bytes, the lowest first; the JSON; spaces up to a multiple of eight; the numbers, eight bytes
    /// each, the lowest first.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut text = self.content.to_string();
        while !(4 + text.len()).is_multiple_of(ALIGNMENT) {
            text.push(' ');
        }
        let mut bytes = Vec::with_capacity(4 + text.len() + 8 * self.numbers.len());
        // No answer has 4 GiB of words: they are bounded where they are made.
        bytes.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
        self.numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        bytes
    }
}

/// Where a block is, and how large.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct BlockPlace {
    at: usize,
    rows: usize,
    width: usize,
}

/// The blocks of an answer while it is made.
#[derive(Default)]
pub(crate) struct NumberBlocks(Vec<f64>);

impl NumberBlocks {
    /// Adds a block of rows, column after column.
    pub fn put(&mut self, rows: &[&[f64]], width: usize) -> BlockPlace {
        let place = BlockPlace { at: self.0.len(), rows: rows.len(), width };
        for column in 0..width {
            self.0.extend(rows.iter().map(|row| row.get(column).copied().unwrap_or(f64::NAN)));
        }
        place
    }

    /// Adds one column.
    pub fn put_column(&mut self, column: &[f64]) -> BlockPlace {
        let place = BlockPlace { at: self.0.len(), rows: column.len(), width: 1 };
        self.0.extend_from_slice(column);
        place
    }

    /// Adds columns of the same length.
    pub fn put_columns<'c>(&mut self, columns: impl Iterator<Item = &'c [f64]>) -> BlockPlace {
        let mut place = BlockPlace { at: self.0.len(), rows: 0, width: 0 };
        for column in columns {
            place = BlockPlace { rows: column.len(), width: place.width + 1, ..place };
            self.0.extend_from_slice(column);
        }
        place
    }

    pub fn into_numbers(self) -> Vec<f64> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_begin_at_a_multiple_of_eight() {
        let mut blocks = NumberBlocks::default();
        let place = blocks.put(&[&[1.0, 2.0], &[3.0, 4.0]], 2);
        let reply = Reply { content: json!({ "rows": place }), numbers: blocks.into_numbers() };
        let bytes = reply.to_bytes();
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        assert_eq!((4 + length) % 8, 0);
        let content: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
        assert_eq!(content["rows"]["width"], 2);
        let numbers: Vec<f64> =
            bytes[4 + length..].chunks(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect();
        assert_eq!(numbers, [1.0, 3.0, 2.0, 4.0], "column after column");
    }
}
