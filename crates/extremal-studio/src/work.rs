//! What a process does that answers questions: one after the other, from its standard input to its standard output.

use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use extremal_desk::{Desk, DeskProgress};
use serde_json::json;

/// Frames of an answer, and of progress before it.
pub(crate) const ANSWER: u8 = b'a';
const PROGRESS: u8 = b'p';
/// Progress is not said more often.
const PAUSE: Duration = Duration::from_millis(80);
/// Longer questions are not asked.
const MOST_BYTES: u64 = 64 << 20;

/// Answers questions until there are no more. A question is its length in four bytes, the lowest first, and its text; an answer is a frame: a letter, its length
/// likewise, and its content. Files that a model names are looked for in the folder.
///
/// # Errors
/// Nobody listens any more.
pub fn answer_questions(mut input: impl Read, mut output: impl Write, folder: Option<PathBuf>) -> io::Result<()> {
    let mut desk = Desk::in_folder(folder);
    let mut length = [0; 4];
    while read_fully(&mut input, &mut length)? {
        let mut question = String::new();
        (&mut input).take(u64::from(u32::from_le_bytes(length)).min(MOST_BYTES)).read_to_string(&mut question)?;
        let mut last = Instant::now();
        let mut lost = None;
        let reply = desk.answer(&question, &mut |DeskProgress { done, total }| {
            if last.elapsed() < PAUSE {
                return ControlFlow::Continue(());
            }
            last = Instant::now();
            let said = json!({ "done": done, "total": total }).to_string();
            match write_frame(&mut output, PROGRESS, said.as_bytes()) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    lost = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        if let Some(error) = lost {
            return Err(error);
        }
        write_frame(&mut output, ANSWER, &reply.to_bytes())?;
    }
    Ok(())
}

fn write_frame(output: &mut impl Write, letter: u8, content: &[u8]) -> io::Result<()> {
    output.write_all(&[letter])?;
    output.write_all(&u32::try_from(content.len()).unwrap_or(u32::MAX).to_le_bytes())?;
    output.write_all(content)?;
    output.flush()
}

/// Reads a frame; none if there are no more.
pub(crate) fn read_frame(input: &mut impl Read) -> io::Result<Option<(u8, Vec<u8>)>> {
    let mut head = [0; 5];
    if !read_fully(input, &mut head)? {
        return Ok(None);
    }
    let [letter, length @ ..] = head;
    let mut content = Vec::new();
    let length = u64::from(u32::from_le_bytes(length));
    let count = input.take(length).read_to_end(&mut content)?;
    if count as u64 == length { Ok(Some((letter, content))) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Fills the buffer; false if the input has ended before its first byte.
fn read_fully(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) if filled == 0 => return Ok(false),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_answered_in_order_until_there_are_no_more() {
        let mut input = Vec::new();
        for question in [r#"{"ask":"gallery-model","name":"kepler"}"#, "nonsense"] {
            input.extend_from_slice(&(question.len() as u32).to_le_bytes());
            input.extend_from_slice(question.as_bytes());
        }
        let mut output = Vec::new();
        answer_questions(&input[..], &mut output, None).unwrap();
        let mut rest = &output[..];
        let mut answer = || {
            let (letter, content) = read_frame(&mut rest).unwrap().unwrap();
            assert_eq!(letter, ANSWER);
            let length = u32::from_le_bytes(content[..4].try_into().unwrap()) as usize;
            serde_json::from_slice::<serde_json::Value>(&content[4..4 + length]).unwrap()
        };
        assert!(answer()["text"].as_str().unwrap().contains("Kepler"));
        assert!(answer()["error"].as_str().unwrap().starts_with("this is no request"));
        assert!(read_frame(&mut rest).unwrap().is_none());
    }
}
