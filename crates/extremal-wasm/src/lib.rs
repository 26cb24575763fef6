//! The desk as WebAssembly, for a page without a server: three functions, and the memory between them.
//!
//! A page asks for room (`question`), writes the text of a question there, has it answered (`answer`), and reads the bytes of the answer where `answer_at` says.

// A function that a page calls by its name has to keep it.
#![allow(unsafe_code, reason = "an exported name is an unsafe attribute")]

use std::cell::RefCell;
use std::ops::ControlFlow;

use extremal_desk::Desk;

#[derive(Default)]
struct PageMemory {
    desk: Desk,
    question: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    static MEMORY: RefCell<PageMemory> = RefCell::default();
}

/// Room for a question of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn question(length: usize) -> *mut u8 {
    MEMORY.with_borrow_mut(|memory| {
        memory.question = vec![0; length];
        memory.question.as_mut_ptr()
    })
}

/// Answers the question that was written there; returns the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    MEMORY.with_borrow_mut(|memory| {
        let question = String::from_utf8_lossy(&memory.question);
        memory.answer = memory.desk.answer(&question, &mut |_| ControlFlow::Continue(())).to_bytes();
        memory.answer.len()
    })
}

/// Where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn answer_at() -> *const u8 {
    MEMORY.with_borrow(|memory| memory.answer.as_ptr())
}
