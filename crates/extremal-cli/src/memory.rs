//! A budget of memory. Whatever asks for more ends the command with an error that says so, instead of an abort, or of a machine that
//! swaps until somebody ends it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The share of the machine's memory that a command may use if nothing else is said.
const SHARE: (u64, u64) = (3, 4);

/// The allocator of the system, with what is in use counted.
struct Counted;

#[global_allocator]
static ALLOCATOR: Counted = Counted;

static USED: AtomicUsize = AtomicUsize::new(0);
static BUDGET: AtomicUsize = AtomicUsize::new(usize::MAX);
static EXHAUSTED: AtomicBool = AtomicBool::new(false);

/// Sets the budget in bytes; without one, a share of the machine where its size is known.
pub fn limit(bytes: Option<u64>) {
    let budget = bytes.or_else(|| machine().map(|bytes| bytes / SHARE.1 * SHARE.0));
    let budget = budget.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX);
    BUDGET.store(budget, Ordering::Relaxed);
}

/// Reads a size such as 500M or 4G.
pub fn size(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no size of memory; write it as 500M or 4G");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err(wrong()),
    };
    let value: f64 = digits.parse().map_err(|_| wrong())?;
    let bytes = value * f64::from(unit).exp2();
    if bytes.is_finite() && bytes >= 1.0 { Ok(bytes as u64) } else { Err(wrong()) }
}

/// The memory of this machine in bytes, or of the part of it that this process may use.
fn machine() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let total = read("/proc/meminfo").and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    });
    let groups = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let groups = groups.into_iter().filter_map(|path| read(path)?.trim().parse::<u64>().ok());
    groups.chain(total).min()
}

/// Counts what is about to be taken.
fn take(bytes: usize) {
    let used = USED.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
    if used > BUDGET.load(Ordering::Relaxed) {
        end(used);
    }
}

fn give_back(bytes: usize) {
    USED.fetch_sub(bytes, Ordering::Relaxed);
}

/// What the system has given, or the end where it has nothing.
fn given(address: *mut u8) -> *mut u8 {
    if address.is_null() {
        end(USED.load(Ordering::Relaxed));
    }
    address
}

/// Says that memory is exhausted and ends the process. Nothing here may need memory of its own before the budget is lifted.
fn end(needed: usize) -> ! {
    let budget = BUDGET.swap(usize::MAX, Ordering::Relaxed);
    if EXHAUSTED.swap(true, Ordering::Relaxed) {
        // Another thread is saying it, or this one is on its way out.
        std::process::exit(1);
    }
    let gigabytes = |bytes: usize| bytes as f64 / (1u64 << 30) as f64;
    let mut message = [0u8; 256];
    let room = message.len();
    let mut rest = &mut message[..];
    let _ = match budget {
        usize::MAX => writeln!(rest, "error: the system has no more memory; {:.3} GiB are in use", gigabytes(needed)),
        _ => writeln!(
            rest,
            "error: this needs {:.3} GiB of memory or more, beyond the budget of {:.3} GiB; raise it with --memory, or make \
             the model smaller",
            gigabytes(needed),
            gigabytes(budget),
        ),
    };
    let length = room - rest.len();
    let _ = std::io::stderr().write_all(&message[..length]);
    std::process::exit(1)
}

// SAFETY: every request goes unchanged to the allocator of the system, whose contract this keeps; the counting has no effect on what
// it returns, and the end of the process does not unwind.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller's promise.
        given(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller's promise.
        given(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(address, layout) };
        give_back(layout.size());
    }

    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        take(size.saturating_sub(layout.size()));
        // SAFETY: the caller's promise.
        let moved = given(unsafe { System.realloc(address, layout, size) });
        give_back(layout.size().saturating_sub(size));
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_their_units() {
        for (text, bytes) in [("4G", 4 << 30), ("1.5GiB", 3 << 29), ("500m", 500 << 20), ("2048", 2048), ("1kb", 1024)]
        {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "G", "-1G", "nan", "inf", "4X", "0", "1e400"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
