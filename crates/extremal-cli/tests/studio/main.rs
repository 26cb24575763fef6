//! The server of the studio over real sockets: who is answered, who is refused, and that nobody can stop it.

mod client;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use client::{OpenStudio, answered_json};
use extremal_testkit::program::json;
use serde_json::json;

/// A motion that nobody sees the end of: 1e12 steps.
const ENDLESS: &str = r#"{"ask": "run", "step": "1e-3", "until": "1e9", "text": "[coordinates]\nx = 1\n[dynamics]\nlagrangian = \"x'^2/2 - x^2/2\""}"#;

#[test]
fn the_page_and_its_answers_are_for_those_who_know_the_token() {
    let studio = OpenStudio::open(&[]);
    let (host, token) = (studio.host.clone(), studio.token.clone());
    let page = studio.send(&format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    assert!(page.starts_with("HTTP/1.1 200 OK"), "{page}");
    assert!(page.contains("Content-Security-Policy: default-src 'none'"), "{page}");
    let refused = |status: u16, request: String| {
        let answer = studio.send(&request);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request}\n{answer}");
    };
    refused(403, format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    refused(403, format!("GET /0123456789abcdef0123456789abcdef/ HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    // A name of somebody else that points to this machine.
    refused(403, format!("GET /{token}/ HTTP/1.1\r\nHost: example.com\r\n\r\n"));
    refused(403, format!("GET /{token}/ HTTP/1.1\r\n\r\n"));
    refused(403, format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nOrigin: http://example.com\r\n\r\n"));
    refused(403, format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nOrigin: null\r\n\r\n"));
    refused(403, format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nSec-Fetch-Site: cross-site\r\n\r\n"));
    refused(404, format!("GET /{token}/../Cargo.toml HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    refused(405, format!("DELETE /{token}/ HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    refused(405, format!("GET /{token}/ask/x HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    // What a form of another page could send.
    refused(
        415,
        format!(
            "POST /{token}/ask/x HTTP/1.1\r\nHost: {host}\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{{}}"
        ),
    );
    refused(
        411,
        format!("POST /{token}/ask/x HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    );
    refused(400, "\r\n\r\n".to_owned());
    refused(400, format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n"));
    refused(431, format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nA: {}\r\n\r\n", "a".repeat(40_000)));
}

#[test]
fn a_motion_has_the_numbers_of_the_command_line() {
    let studio = OpenStudio::open(&["gallery:double-pendulum"]);
    let begins =
        studio.send(&format!("GET /{}/beginning.json HTTP/1.1\r\nHost: {}\r\n\r\n", studio.token, studio.host));
    let (_, begins) = begins.split_once("\r\n\r\n").unwrap();
    let begins: serde_json::Value = serde_json::from_str(begins).unwrap();
    assert_eq!(begins["name"], "gallery:double-pendulum");
    let question = json!({ "ask": "run", "text": begins["text"], "name": begins["name"], "values": [["g", 5.25], ["θ1", 1.5]], "until": "5" });
    // Twice: compiled for it, and compiled before.
    for _ in 0..2 {
        let answer = answered_json(&studio.ask(&question.to_string()));
        let printed =
            json(&["run", "gallery:double-pendulum", "--set", "g=5.25", "--set", "θ1=1.5", "--until", "5", "--json"]);
        assert_eq!(answer["summary"]["end"], printed["end"]);
        assert_eq!(answer["summary"]["invariants"], printed["invariants"]);
        assert_eq!(answer["command"], "extremal run gallery:double-pendulum --set g=5.25 --set θ1=1.5 --until 5");
    }
}

#[test]
fn too_much_is_refused_before_it_is_read() {
    let studio = OpenStudio::open(&[]);
    let (host, token) = (&studio.host, &studio.token);
    let began = Instant::now();
    let mut stream = studio.connect();
    write!(stream, "POST /{token}/ask/x HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n").unwrap();
    // The server may close before it has all of it.
    let _ = stream.write_all(&vec![b' '; 10_000_000]);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    // Where the rest of the body was thrown away with the connection, so may the answer be.
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 413"), "{}", String::from_utf8_lossy(&answer));
    assert!(began.elapsed() < Duration::from_secs(10));
    let refused =
        studio.send(&format!("POST /{token}/ask/x HTTP/1.1\r\nHost: {host}\r\nContent-Length: 10000000\r\n\r\n"));
    assert!(refused.starts_with("HTTP/1.1 413"), "{refused}");
    studio.answers();
}

#[test]
fn clients_that_hang_hinder_nobody() {
    let studio = OpenStudio::open(&[]);
    let hanging: Vec<TcpStream> = (0..20)
        .map(|k| {
            let mut stream = studio.connect();
            let said = ["", "GET /", "GET / HTTP/1.1\r\nHost:", "POST / HTTP/1.1\r\n"][k % 4];
            stream.write_all(said.as_bytes()).unwrap();
            stream
        })
        .collect();
    studio.answers();
    drop(hanging);
    studio.answers();
}

#[test]
fn a_thousand_requests_at_once_are_answered_or_turned_away() {
    let studio = OpenStudio::open(&[]);
    let request =
        format!("GET /{}/icon.svg HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", studio.token, studio.host);
    let answered: usize = thread::scope(|scope| {
        let one = || {
            let Ok(mut stream) = TcpStream::connect(&studio.host) else { return 0 };
            let _ = stream.set_read_timeout(Some(Duration::from_secs(30)));
            let _ = stream.write_all(request.as_bytes());
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            let said = String::from_utf8_lossy(&answer);
            // A refusal that crosses a request can be lost with its connection.
            assert!(said.is_empty() || said.starts_with("HTTP/1.1 200") || said.starts_with("HTTP/1.1 503"), "{said}");
            usize::from(said.starts_with("HTTP/1.1 200"))
        };
        let threads: Vec<_> = (0..1000).map(|_| scope.spawn(one)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!(answered > 0);
    studio.answers();
}

#[test]
fn what_takes_too_long_is_given_up() {
    let studio = OpenStudio::open(&["--limit", "1"]);
    let began = Instant::now();
    let answer = studio.ask(ENDLESS);
    let said = answered_json(&answer)["error"].as_str().unwrap().to_owned();
    assert!(said.contains("longer than 1 s"), "{said}");
    // Progress was said before.
    assert!(answer.progress > 0);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    studio.answers();
}

#[test]
fn what_nobody_waits_for_is_ended() {
    let studio = OpenStudio::open(&[]);
    // More than there are processes, each with enough to do for years.
    for _ in 0..6 {
        let mut stream = studio.connect();
        studio.write_question(&mut stream, ENDLESS);
        thread::sleep(Duration::from_millis(100));
    }
    studio.answers();
}

#[test]
fn what_needs_too_much_memory_ends_alone() {
    let studio = OpenStudio::open(&["--memory", "40M"]);
    let text = "[parameters]\nn = 20000\n[coordinates]\nx = { count = \"n\", start = 1 }\n[dynamics]\nlagrangian = \"sum(i, 1, n, x[i]'^2/2 - x[i]^2/2)\"";
    let question = json!({ "ask": "run", "step": "0.1", "until": "1", "text": text }).to_string();
    let answer = answered_json(&studio.ask(&question));
    assert!(answer["error"].as_str().is_some_and(|said| said.contains("more memory")), "{answer}");
    studio.answers();
}
