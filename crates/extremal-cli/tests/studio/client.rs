//! A studio that is open, and what can be said to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use extremal_testkit::program::Folder;
use serde_json::{Value, json};

/// A studio, closed at the end.
pub struct OpenStudio {
    process: Child,
    /// Address and port.
    pub host: String,
    pub token: String,
    _folder: Folder,
}

/// The frames of an answer.
pub struct StudioAnswer {
    /// How often progress was said.
    pub progress: usize,
    /// The letter of the last frame, and its content.
    last: (u8, Vec<u8>),
}

impl OpenStudio {
    pub fn open(arguments: &[&str]) -> OpenStudio {
        let folder = Folder::new();
        let mut command = folder.command(&[&["studio", "--no-open"], arguments].concat());
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut said).unwrap();
        let address = said.split_whitespace().find_map(|word| word.strip_prefix("http://")).unwrap();
        let (host, token) = address.trim_end_matches('/').split_once('/').unwrap();
        assert!(host.starts_with("127.0.0.1:"), "{said}");
        assert_eq!(token.len(), 32, "128 bits: {said}");
        OpenStudio { process, host: host.to_owned(), token: token.to_owned(), _folder: folder }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Sends a request of which no other follows, and reads all that comes back.
    pub fn send(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        // A server that has answered and gone has nothing left to be shut.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    pub fn write_question(&self, stream: &mut TcpStream, question: &str) {
        let (host, token, length) = (&self.host, &self.token, question.len());
        let head = format!(
            "POST /{token}/ask/test HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Length: {length}\r\n"
        );
        write!(stream, "{head}Content-Type: application/json\r\nConnection: close\r\n\r\n{question}").unwrap();
    }

    pub fn ask(&self, question: &str) -> StudioAnswer {
        let mut stream = self.connect();
        self.write_question(&mut stream, question);
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let head = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        let said = String::from_utf8_lossy(&answer[..head]).into_owned();
        assert!(said.starts_with("HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
        frames(&unchunked(&answer[head + 4..]))
    }

    /// It still answers.
    pub fn answers(&self) {
        let question = json!({ "ask": "gallery-model", "name": "kepler" });
        let answer = answered_json(&self.ask(&question.to_string()));
        assert_eq!(answer["name"], "kepler");
    }
}

impl Drop for OpenStudio {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A body without the lengths of its chunks.
fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let end = body.windows(2).position(|window| window == b"\r\n").expect("a length");
        let length = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        whole.extend_from_slice(&body[end + 2..end + 2 + length]);
        body = &body[end + 2 + length + 2..];
        if length == 0 {
            return whole;
        }
    }
}

fn frames(mut body: &[u8]) -> StudioAnswer {
    let mut found = Vec::new();
    while let [letter, length @ ..] = body {
        let length = u32::from_le_bytes(length[..4].try_into().unwrap()) as usize;
        found.push((*letter, body[5..5 + length].to_vec()));
        body = &body[5 + length..];
    }
    let last = found.pop().expect("an answer has a frame");
    assert!(found.iter().all(|(letter, _)| *letter == b'p'));
    StudioAnswer { progress: found.len(), last }
}

/// What an answer says, without its numbers.
pub fn answered_json(answer: &StudioAnswer) -> Value {
    let (letter, content) = &answer.last;
    match letter {
        b'e' => serde_json::from_slice(content).unwrap(),
        _ => {
            let length = u32::from_le_bytes(content[..4].try_into().unwrap()) as usize;
            serde_json::from_slice(&content[4..4 + length]).unwrap()
        }
    }
}
