//! HTTP/1.1 as far as one page needs it: heads and bodies within limits, in a bounded time.

use std::io::{self, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Bytes of a request line with all headers.
const MOST_HEAD: usize = 16 << 10;
/// Bytes of a body: a model file and what is asked of it.
pub(crate) const MOST_BODY: usize = 6 << 20;
/// A head must be there by then, and an idle connection ends.
const HEAD_TIME: Duration = Duration::from_secs(20);
/// A body must be there by then.
const BODY_TIME: Duration = Duration::from_secs(20);

/// A request with its body.
pub(crate) struct HttpRequest {
    pub method: String,
    pub target: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// Why a request is not answered.
#[derive(Debug)]
pub(crate) struct HttpRefusal {
    pub status: u16,
    pub message: &'static str,
}

impl HttpRefusal {
    pub fn new(status: u16, message: &'static str) -> HttpRefusal {
        HttpRefusal { status, message }
    }
}

/// Why there is no request.
pub(crate) enum NoRequest {
    /// The client is gone, or says nothing.
    Silence,
    /// What it says is refused.
    Refused(HttpRefusal),
}

impl From<io::Error> for NoRequest {
    fn from(_: io::Error) -> NoRequest {
        NoRequest::Silence
    }
}

impl From<HttpRefusal> for NoRequest {
    fn from(refusal: HttpRefusal) -> NoRequest {
        NoRequest::Refused(refusal)
    }
}

impl HttpRequest {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Does the client want no other answer on this connection?
    pub fn closes(&self) -> bool {
        self.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }

    /// Reads the head of a request: all of it but the body, of which the first bytes may be in `ahead` afterwards.
    pub fn read_head(stream: &mut TcpStream, ahead: &mut Vec<u8>) -> Result<HttpRequest, NoRequest> {
        let deadline = Instant::now() + HEAD_TIME;
        let end = loop {
            if let Some(at) = find(ahead, b"\r\n\r\n") {
                break at;
            }
            if ahead.len() > MOST_HEAD {
                return Err(HttpRefusal::new(431, "the head of the request is too long").into());
            }
            read_more(stream, ahead, deadline)?;
        };
        if end > MOST_HEAD {
            return Err(HttpRefusal::new(431, "the head of the request is too long").into());
        }
        let head: Vec<u8> = ahead.drain(..end + 4).collect();
        parse(&head[..end]).ok_or_else(|| HttpRefusal::new(400, "this is no request of HTTP/1.1").into())
    }

    /// How long the body is.
    pub fn body_length(&self) -> Result<usize, HttpRefusal> {
        if self.header("transfer-encoding").is_some() {
            return Err(HttpRefusal::new(411, "a body comes with its length"));
        }
        let Some(length) = self.header("content-length") else { return Ok(0) };
        let digits = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
        match length.parse::<usize>() {
            Ok(length) if digits && length <= MOST_BODY => Ok(length),
            Ok(_) if digits => Err(HttpRefusal::new(413, "the body of the request is too long")),
            _ if digits => Err(HttpRefusal::new(413, "the body of the request is too long")),
            _ => Err(HttpRefusal::new(400, "the length of the body is no number")),
        }
    }

    /// Reads so many bytes of a body.
    pub fn read_body(&mut self, stream: &mut TcpStream, ahead: &mut Vec<u8>, length: usize) -> Result<(), NoRequest> {
        let deadline = Instant::now() + BODY_TIME;
        while ahead.len() < length {
            read_more(stream, ahead, deadline)?;
        }
        self.body = ahead.drain(..length).collect();
        Ok(())
    }
}

/// Reads what there is, and waits no longer than to the deadline.
fn read_more(stream: &mut TcpStream, ahead: &mut Vec<u8>, deadline: Instant) -> io::Result<()> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(io::ErrorKind::TimedOut.into());
    }
    stream.set_read_timeout(Some(left))?;
    let mut bytes = [0; 16 << 10];
    match stream.read(&mut bytes)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        count => {
            ahead.extend_from_slice(&bytes[..count]);
            Ok(())
        }
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// Headers that a request has once: two of them would mean different things to different readers.
const SINGLE: [&str; 3] = ["host", "content-length", "origin"];

fn parse(head: &[u8]) -> Option<HttpRequest> {
    let text = std::str::from_utf8(head).ok()?;
    let mut lines = text.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    let is_word = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    if words.next().is_some() || version != "HTTP/1.1" || !is_word(method) || !is_word(target) {
        return None;
    }
    let mut headers: Vec<(String, String)> = Vec::new();
    for line in lines {
        let (name, value) = line.split_once(':')?;
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if name.is_empty()
            || !name.bytes().all(is_name)
            || value.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t')
        {
            return None;
        }
        let name = name.to_ascii_lowercase();
        if SINGLE.contains(&name.as_str()) && headers.iter().any(|(known, _)| *known == name) {
            return None;
        }
        headers.push((name, value.trim().to_owned()));
    }
    Some(HttpRequest { method: method.to_owned(), target: target.to_owned(), headers, body: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_taken_apart_or_refused() {
        let request = parse(b"GET /a/b?c HTTP/1.1\r\nHost: x\r\nContent-Length:  12 ").unwrap();
        assert_eq!((request.method.as_str(), request.target.as_str()), ("GET", "/a/b?c"));
        assert_eq!((request.header("host"), request.body_length().unwrap()), (Some("x"), 12));
        for wrong in [
            &b"GET / HTTP/1.0"[..],
            b"GET  / HTTP/1.1",
            b"GET / HTTP/1.1 x",
            b"GET /\t HTTP/1.1",
            b"GET / HTTP/1.1\r\nHost",
            b"GET / HTTP/1.1\r\nHost : x",
            b"GET / HTTP/1.1\r\nHost: x\r\nhost: y",
            b"GET / HTTP/1.1\r\nA: b\r\n folded: c",
            b"GET / HTTP/1.1\r\nA: b\x00",
            b"\xff\xfe / HTTP/1.1",
        ] {
            assert!(parse(wrong).is_none(), "{}", String::from_utf8_lossy(wrong));
        }
        let length = |value: &str| {
            let request = parse(format!("POST / HTTP/1.1\r\nContent-Length: {value}").as_bytes()).unwrap();
            request.body_length().map_err(|refusal| refusal.status)
        };
        assert_eq!(length("10"), Ok(10));
        assert_eq!(length("10000000"), Err(413));
        assert_eq!(length("99999999999999999999999"), Err(413));
        assert_eq!((length("-1"), length("+1"), length("0x10")), (Err(400), Err(400), Err(400)));
    }
}
