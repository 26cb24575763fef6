//! Characters to tokens, one at a time: nothing is stored, so a long text costs nothing before it is refused.

use super::TextSpan;
use super::error::{BadNumber, ErrorCollector, SyntaxErrorKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Number,
    Name,
    Plus,
    Minus,
    Star,
    Slash,
    Caret,
    Open,
    Close,
    OpenIndex,
    CloseIndex,
    Comma,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    EqualEqual,
    NotEqual,
    Equals,
    /// A run of primes; the count is in the token.
    Primes(u32),
    And,
    Or,
    Not,
    /// Characters already reported.
    Invalid,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub span: TextSpan,
}

pub(super) struct Lexer<'t> {
    text: &'t str,
    position: usize,
    number_digits: usize,
}

/// May a name start with this character?
pub(super) fn starts_name(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

/// May a name go on with this character? Superscripts are left out: `x²` means a power.
pub(super) fn continues_name(c: char) -> bool {
    starts_name(c) || (c.is_alphanumeric() && superscript(c).is_none())
}

fn superscript(c: char) -> Option<&'static str> {
    Some(match c {
        '⁰' => "^0",
        '¹' => "^1",
        '²' => "^2",
        '³' => "^3",
        '⁴' => "^4",
        '⁵' => "^5",
        '⁶' => "^6",
        '⁷' => "^7",
        '⁸' => "^8",
        '⁹' => "^9",
        _ => return None,
    })
}

/// What was probably meant by a character that is not part of the language.
fn instead_of(c: char) -> Option<&'static str> {
    superscript(c).or(match c {
        '−' | '–' | '—' => Some("-"),
        '×' | '·' | '⋅' | '∙' | '∗' => Some("*"),
        '÷' | '∕' | '⁄' => Some("/"),
        '≤' => Some("<="),
        '≥' => Some(">="),
        '≠' => Some("!="),
        '√' => Some("sqrt(...)"),
        '∞' => Some("a large number"),
        '!' => Some("not"),
        '&' | '∧' => Some("and"),
        '|' | '∨' => Some("or"),
        '{' | '⟨' => Some("("),
        '}' | '⟩' => Some(")"),
        ';' => Some(","),
        _ => None,
    })
}

fn primes_in(c: char) -> Option<u32> {
    match c {
        '\'' | '′' | '’' => Some(1),
        '″' => Some(2),
        '‴' => Some(3),
        _ => None,
    }
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str, number_digits: usize) -> Self {
        Lexer { text, position: 0, number_digits }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.position..].chars().next()
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) {
        let rest = &self.text[self.position..];
        self.position += rest.find(|c| !accept(c)).unwrap_or(rest.len());
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.text[self.position..].starts_with(text);
        if found {
            self.position += text.len();
        }
        found
    }

    pub(super) fn next(&mut self, errors: &mut ErrorCollector) -> Token {
        self.take_while(char::is_whitespace);
        let start = self.position;
        let kind = match self.peek() {
            None => TokenKind::End,
            Some(c) if c.is_ascii_digit() || (c == '.' && self.digit_follows(1)) => self.number(errors),
            Some(c) if starts_name(c) => {
                self.take_while(continues_name);
                match &self.text[start..self.position] {
                    "and" => TokenKind::And,
                    "or" => TokenKind::Or,
                    "not" => TokenKind::Not,
                    _ => TokenKind::Name,
                }
            }
            Some(c) if primes_in(c).is_some() => {
                let rest = &self.text[start..];
                let mut primes = 0u32;
                for count in rest.chars().map_while(primes_in) {
                    primes = primes.saturating_add(count);
                }
                self.take_while(|c| primes_in(c).is_some());
                TokenKind::Primes(primes)
            }
            Some(c) => self.operator(c, errors),
        };
        Token { kind, span: TextSpan::new(start, self.position) }
    }

    fn digit_follows(&self, offset: usize) -> bool {
        self.text.as_bytes().get(self.position + offset).is_some_and(u8::is_ascii_digit)
    }

    fn number(&mut self, errors: &mut ErrorCollector) -> TokenKind {
        let start = self.position;
        self.take_while(|c| c.is_ascii_digit() || c == '.');
        let mantissa = &self.text[start..self.position];
        // `2e` without digits is the number 2 and the name `e`.
        if matches!(self.peek(), Some('e' | 'E')) {
            let sign = usize::from(matches!(self.text.as_bytes().get(self.position + 1), Some(b'+' | b'-')));
            if self.digit_follows(1 + sign) {
                self.position += 1 + sign;
                self.take_while(|c| c.is_ascii_digit());
            }
        }
        let text = &self.text[start..self.position];
        let reason = if mantissa.matches('.').count() > 1 {
            BadNumber::SeveralPoints
        } else if mantissa.len() > self.number_digits {
            BadNumber::TooManyDigits
        } else if is_in_range(text, mantissa) {
            return TokenKind::Number;
        } else {
            BadNumber::OutOfRange
        };
        let text = match text.len() > 24 {
            true => format!("{}…", &text[..23]),
            false => text.to_owned(),
        };
        errors.report(SyntaxErrorKind::BadNumber { text, reason }, TextSpan::new(start, self.position));
        TokenKind::Invalid
    }

    fn operator(&mut self, c: char, errors: &mut ErrorCollector) -> TokenKind {
        const OPERATORS: [(&str, TokenKind); 18] = [
            ("**", TokenKind::Caret),
            ("<=", TokenKind::LessEqual),
            (">=", TokenKind::GreaterEqual),
            ("==", TokenKind::EqualEqual),
            ("!=", TokenKind::NotEqual),
            ("+", TokenKind::Plus),
            ("-", TokenKind::Minus),
            ("*", TokenKind::Star),
            ("/", TokenKind::Slash),
            ("^", TokenKind::Caret),
            ("(", TokenKind::Open),
            (")", TokenKind::Close),
            ("[", TokenKind::OpenIndex),
            ("]", TokenKind::CloseIndex),
            (",", TokenKind::Comma),
            ("<", TokenKind::Less),
            (">", TokenKind::Greater),
            ("=", TokenKind::Equals),
        ];
        if let Some((_, kind)) = OPERATORS.iter().find(|(text, _)| self.take(text)) {
            return *kind;
        }
        let start = self.position;
        self.position += c.len_utf8();
        if matches!(c, '&' | '|') {
            self.take_while(|next| next == c);
        }
        let kind = SyntaxErrorKind::UnexpectedCharacter { character: c, instead: instead_of(c) };
        errors.report(kind, TextSpan::new(start, self.position));
        TokenKind::Invalid
    }
}

/// Does double precision hold the number, neither infinite nor rounded to zero? Digits alone may go further: exact fractions
/// of large integers are ordinary numbers.
fn is_in_range(text: &str, mantissa: &str) -> bool {
    let digits_alone = text.bytes().all(|b| b.is_ascii_digit());
    let is_zero = mantissa.bytes().all(|b| matches!(b, b'0' | b'.'));
    digits_alone || text.parse::<f64>().is_ok_and(|value| value.is_finite() && (value != 0.0 || is_zero))
}
