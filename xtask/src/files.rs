//! A folder of files, served to this machine: to the browser of the tests, and to readers of the book.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::thread;

use crate::shell::TaskFailure;

/// Serves the folder for as long as this program runs; returns the address.
pub fn serve(folder: PathBuf) -> Result<String, TaskFailure> {
    let failed = |error| TaskFailure::of("files", &error);
    let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    thread::spawn(move || {
        for stream in listener.incoming().filter_map(Result::ok) {
            let folder = folder.clone();
            thread::spawn(move || answer(stream, &folder));
        }
    });
    Ok(format!("http://{address}/"))
}

fn answer(mut stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    let mut line = String::new();
    let mut reader = BufReader::new(stream.try_clone()?);
    reader.read_line(&mut line)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let path = line.split(' ').nth(1).unwrap_or_default().trim_start_matches('/').split('?').next().unwrap_or_default();
    let name = if path.is_empty() { "index.html" } else { path };
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("toml") => "text/plain; charset=utf-8",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    };
    // Names of folders and files: nothing outside the folder.
    let inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let content = if inside { fs::read(folder.join(name)).ok() } else { None };
    let (status, content) = content.map_or(("404 Not Found", Vec::new()), |content| ("200 OK", content));
    let length = content.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(&content)
}
