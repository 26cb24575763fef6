//! A frame as lines of text.

use std::fmt::Write as _;

use super::{Fields, Frame};
use crate::number::push_shortest;
use crate::sink::quoted;

pub(super) fn header(fields: &Fields) -> Vec<u8> {
    let names: Vec<String> = fields.names().map(quoted).collect();
    format!("{}\n", names.join(",")).into_bytes()
}

/// Numbers as in a trajectory: the shortest that read back to the same bits. No word is an empty cell.
pub(super) fn encode(frame: &Frame) -> Vec<u8> {
    let mut text = String::new();
    for row in 0..frame.rows {
        let begin = text.len();
        let separate = |text: &mut String| {
            if text.len() > begin {
                text.push(',');
            }
        };
        for column in &frame.integers {
            separate(&mut text);
            // Writing to a String cannot fail.
            let _ = write!(text, "{}", column[row]);
        }
        for column in &frame.numbers {
            separate(&mut text);
            push_shortest(&mut text, column[row]);
        }
        for column in &frame.texts {
            separate(&mut text);
            text.push_str(&column[row].as_deref().map(quoted).unwrap_or_default());
        }
        text.push('\n');
    }
    text.into_bytes()
}
