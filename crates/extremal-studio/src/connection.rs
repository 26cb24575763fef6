//! One connection: requests one after the other, each checked before anything is done for it.

use std::io::{self, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use crate::StudioState;
use crate::assets;
use crate::http::{HttpRefusal, HttpRequest, NoRequest};
use crate::workers::WorkerFrame;

/// A client that reads nothing for so long is gone.
const WRITE_TIME: Duration = Duration::from_secs(10);
/// How often a client is looked for while its question is worked on.
const LOOK: Duration = Duration::from_millis(30);

/// What every answer says to a browser: nothing from elsewhere, nothing kept, nobody else may look.
const HEADERS: &str = "Cache-Control: no-store\r\n\
    Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; \
    media-src blob:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    Referrer-Policy: no-referrer\r\n\
    X-Content-Type-Options: nosniff\r\n";

/// A connection and what it may use.
pub(crate) struct Connection<'s> {
    stream: TcpStream,
    shared: &'s StudioState,
}

/// Turns away a client for whom there is no room.
pub(crate) fn refuse(mut stream: TcpStream) {
    let _ = stream.set_write_timeout(Some(Duration::from_millis(100)));
    let _ = write_refusal(&mut stream, &HttpRefusal::new(503, "too many connections at once"));
    let _ = stream.shutdown(Shutdown::Both);
}

impl<'s> Connection<'s> {
    pub fn new(stream: TcpStream, shared: &'s StudioState) -> Connection<'s> {
        Connection { stream, shared }
    }

    /// Answers until the client is gone, or has said something that cannot be followed by anything.
    pub fn serve(mut self) {
        // Answers are whole when they are written: nothing is gained by waiting for more.
        let ready = self.stream.set_nodelay(true).and_then(|()| self.stream.set_write_timeout(Some(WRITE_TIME)));
        if ready.is_err() {
            return;
        }
        let mut ahead = Vec::new();
        loop {
            match self.answer_next(&mut ahead) {
                Ok(true) => {}
                Ok(false) | Err(NoRequest::Silence) => break,
                Err(NoRequest::Refused(refusal)) => {
                    let _ = write_refusal(&mut self.stream, &refusal);
                    break;
                }
            }
        }
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Answers a request; can there be another one?
    fn answer_next(&mut self, ahead: &mut Vec<u8>) -> Result<bool, NoRequest> {
        let mut request = HttpRequest::read_head(&mut self.stream, ahead)?;
        // Nothing is read for those who may not ask.
        let path = self.shared.gate.pass(&request)?.to_owned();
        let length = request.body_length()?;
        if length > 0 && request.header("expect").is_some() {
            self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        request.read_body(&mut self.stream, ahead, length)?;
        let closes = request.closes();
        match (request.method.as_str(), path.strip_prefix("ask/")) {
            ("POST", Some(lane)) => {
                if request.header("content-type") != Some("application/json") {
                    return Err(HttpRefusal::new(415, "questions are application/json").into());
                }
                self.ask(lane, &request.body)?;
            }
            (_, Some(_)) => return Err(HttpRefusal::new(405, "questions are posted").into()),
            ("GET" | "HEAD", None) => self.give(&path, request.method == "HEAD")?,
            (_, None) => return Err(HttpRefusal::new(405, "files are got").into()),
        }
        Ok(!closes)
    }

    /// Gives a file of the page.
    fn give(&mut self, path: &str, head_alone: bool) -> Result<(), NoRequest> {
        let (kind, content) = match path {
            "beginning.json" => ("application/json", self.shared.beginning.as_bytes()),
            _ => match assets::find(path) {
                Some(asset) => (asset.kind, asset.content),
                None => return Err(HttpRefusal::new(404, "there is no such file").into()),
            },
        };
        let mut answer =
            format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{HEADERS}\r\n", content.len())
                .into_bytes();
        if !head_alone {
            answer.extend_from_slice(content);
        }
        Ok(self.stream.write_all(&answer)?)
    }

    /// Has a question answered, and looks at the client meanwhile.
    fn ask(&mut self, lane: &str, question: &[u8]) -> Result<(), NoRequest> {
        let deadline = Instant::now() + self.shared.limit;
        let mut lease = loop {
            match self.shared.workers.lease(lane, LOOK) {
                Ok(Some(lease)) => break lease,
                Ok(None) if self.is_gone() => return Err(NoRequest::Silence),
                Ok(None) if Instant::now() < deadline => {}
                Ok(None) => return Err(HttpRefusal::new(503, "others are being answered: ask again").into()),
                Err(_) => return Err(HttpRefusal::new(500, "no process for answers can be started").into()),
            }
        };
        let mut answer = ChunkedAnswer::default();
        lease.send(question);
        loop {
            match lease.next(LOOK) {
                Ok(WorkerFrame::Progress(progress)) => answer.write(&mut self.stream, b'p', &progress)?,
                Ok(WorkerFrame::Answer(content)) => {
                    answer.write_last(&mut self.stream, b'a', &content)?;
                    lease.give_back();
                    return Ok(());
                }
                // Dropping the lease ends the process.
                Err(RecvTimeoutError::Timeout) if self.is_gone() => return Err(NoRequest::Silence),
                Err(RecvTimeoutError::Timeout) if Instant::now() < deadline => {}
                Err(ended) => {
                    let reason = match ended {
                        RecvTimeoutError::Timeout => {
                            let seconds = self.shared.limit.as_secs();
                            format!("this takes longer than {seconds} s and was given up; `--limit` allows more")
                        }
                        RecvTimeoutError::Disconnected => lease.ending(),
                    };
                    let content = serde_json::json!({ "error": reason });
                    answer.write_last(&mut self.stream, b'e', content.to_string().as_bytes())?;
                    return Ok(());
                }
            }
        }
    }

    /// Has the client gone?
    fn is_gone(&self) -> bool {
        if self.stream.set_nonblocking(true).is_err() {
            return true;
        }
        let seen = self.stream.peek(&mut [0]);
        let back = self.stream.set_nonblocking(false);
        match seen {
            Ok(0) => true,
            Ok(_) => back.is_err(),
            Err(error) => error.kind() != io::ErrorKind::WouldBlock || back.is_err(),
        }
    }
}

/// An answer of frames, each a letter, its length in four bytes, the lowest first, and its content.
#[derive(Default)]
struct ChunkedAnswer {
    begun: bool,
}

impl ChunkedAnswer {
    fn frame(&mut self, letter: u8, content: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(content.len() + 2048);
        if !self.begun {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n";
            bytes.extend_from_slice(head.as_bytes());
            bytes.extend_from_slice(HEADERS.as_bytes());
            bytes.extend_from_slice(b"\r\n");
            self.begun = true;
        }
        bytes.extend_from_slice(format!("{:x}\r\n", content.len() + 5).as_bytes());
        bytes.push(letter);
        bytes.extend_from_slice(&u32::try_from(content.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend_from_slice(content);
        bytes.extend_from_slice(b"\r\n");
        bytes
    }

    fn write(&mut self, stream: &mut TcpStream, letter: u8, content: &[u8]) -> io::Result<()> {
        let bytes = self.frame(letter, content);
        stream.write_all(&bytes)
    }

    fn write_last(&mut self, stream: &mut TcpStream, letter: u8, content: &[u8]) -> io::Result<()> {
        let mut bytes = self.frame(letter, content);
        bytes.extend_from_slice(b"0\r\n\r\n");
        stream.write_all(&bytes)
    }
}

fn write_refusal(stream: &mut TcpStream, refusal: &HttpRefusal) -> io::Result<()> {
    let HttpRefusal { status, message } = refusal;
    let reason = match status {
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    };
    let length = message.len();
    let head = format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n"
    );
    stream.write_all(format!("{head}Connection: close\r\n{HEADERS}\r\n{message}").as_bytes())
}
