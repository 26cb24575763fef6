//! Text for people: styles, dropped where the output is not a terminal or colours are unwanted, and a standard output whose
//! reader may leave.

use std::io::{self, Write};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use extremal::trajectory::sig;

pub const ERROR: Style = AnsiColor::Red.on_default().bold();
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub const HEADING: Style = Style::new().bold();
pub const FAINT: Style = Style::new().dimmed();

/// Writes to standard output.
pub fn print(text: &str) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Writes to standard error, where nothing can be done about a failure.
pub fn print_error(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// The width of the terminal that standard output is, if it is one.
pub fn width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}

/// A number whose size matters more than its digits, always in scientific notation: it lines up in a column.
pub fn size(x: f64) -> String {
    if x == 0.0 || !x.is_finite() { sig(x, 3) } else { format!("{x:.2e}") }
}

/// Two digits are all that repeats.
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s if s >= 1e-6 => (s * 1e6, "µs"),
        s => (s * 1e9, "ns"),
    };
    format!("{} {unit}", sig(value, if value >= 100.0 { 3 } else { 2 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_line_up() {
        assert_eq!([0.0268, 1.0, -4.5e-16, 0.0, f64::NAN].map(size), ["2.68e-2", "1.00e0", "-4.50e-16", "0", "NaN"]);
    }
    #[test]
    fn durations_have_the_unit_that_fits() {
        assert_eq!(duration(Duration::from_nanos(87)), "87 ns");
        assert_eq!(duration(Duration::from_micros(1500)), "1.5 ms");
        assert_eq!(duration(Duration::from_millis(123_456)), "123 s");
        assert_eq!(duration(Duration::ZERO), "0 ns");
    }
}
