//! Numbers as text: exact ones for files, short ones for people.

use std::fmt::Write as _;

/// The shortest decimal that reads back as the same `f64`, so all digits are
/// kept: `0.1`, `5.0`, `1e-9`. `NaN`, `inf` and `-inf` where there is no number.
///
/// ```
/// use extremal_trajectory::shortest;
///
/// assert_eq!(shortest(0.1 + 0.2), "0.30000000000000004");
/// assert_eq!(shortest(6.02214076e23), "6.02214076e23");
/// ```
pub fn shortest(x: f64) -> String {
    format!("{x:?}")
}

/// At most `digits` significant digits, trailing zeros dropped, in scientific
/// notation only where plain digits would be long.
///
/// ```
/// use extremal_trajectory::sig;
///
/// assert_eq!(sig(3.14159265, 4), "3.142");
/// assert_eq!(sig(0.01, 4), "0.01");
/// assert_eq!(sig(-1.25e-9, 3), "-1.25e-9");
/// ```
pub fn sig(x: f64, digits: usize) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    if !x.is_finite() {
        return shortest(x);
    }
    // 17 digits determine an f64.
    let digits = digits.clamp(1, 17);
    let scientific = format!("{x:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific.as_str(), "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        return trim_zeros(&format!("{x:.decimals$}")).to_owned();
    }
    format!("{}e{exponent}", trim_zeros(mantissa))
}

/// `text` without the zeros that end a decimal fraction.
pub(crate) fn trim_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// `10` to an integer power with Unicode superscripts: `10⁻⁹`.
#[cfg(feature = "plot")]
pub(crate) fn power_of_ten(exponent: i32) -> String {
    let mut text = String::from("10");
    for digit in exponent.to_string().chars() {
        let raised = match digit {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            digit => char::from_u32('⁰' as u32 + digit.to_digit(10).unwrap_or(0)).unwrap_or('⁰'),
        };
        text.push(raised);
    }
    text
}

/// Appends [`shortest`] without an allocation of its own.
pub(crate) fn push_shortest(text: &mut String, x: f64) {
    // Writing to a String cannot fail.
    let _ = write!(text, "{x:?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortest_reads_back_to_the_same_bits() {
        for x in [0.1, -0.0, 1.0 / 3.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, 123_456_789.123_456_78, 1e22] {
            let back: f64 = shortest(x).parse().unwrap();
            assert_eq!(back.to_bits(), x.to_bits(), "{x:?}");
        }
    }

    #[test]
    fn significant_digits() {
        let cases = [
            (0.0, 3, "0"),
            (1.0, 3, "1"),
            (9.9996, 4, "10"),
            (123_456.0, 3, "123456"),
            (1_234_567.0, 3, "1.23e6"),
            (999_999.6, 4, "1e6"),
            (0.000_123_456, 3, "0.000123"),
            (0.000_012_345_6, 3, "1.23e-5"),
            (-2.5, 1, "-2"),
            (1.5e300, 9, "1.5e300"),
            (100.0, 2, "100"),
        ];
        for (x, digits, expected) in cases {
            assert_eq!(sig(x, digits), expected);
        }
        assert_eq!(sig(f64::NAN, 3), "NaN");
        assert_eq!(sig(f64::NEG_INFINITY, 3), "-inf");
        assert_eq!(sig(0.1, 0), "0.1");
        assert_eq!(sig(0.1, 99), "0.10000000000000001");
    }

    #[cfg(feature = "plot")]
    #[test]
    fn superscripts() {
        assert_eq!(power_of_ten(-12), "10⁻¹²");
        assert_eq!(power_of_ten(304), "10³⁰⁴");
    }
}
