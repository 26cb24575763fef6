//! A local web application: the page, and the server that answers it.
//!
//! The server is HTTP/1.1 on the loopback. Whoever asks must know the token in the address, must mean this host, and must come from this page. Questions are
//! answered by processes of their own: one that takes too long, or whose asker has gone, is ended with its process, whatever it is at; one that runs out of
//! memory ends itself and not the server.

mod assets;
mod connection;
mod gate;
mod http;
mod work;
mod workers;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;

pub use assets::{ASSETS, Asset};
pub use work::answer_questions;

use connection::Connection;
use gate::Gate;
use workers::Workers;

/// Connections at once; a browser has six.
const MOST_CONNECTIONS: usize = 64;

/// What a studio is opened with.
pub struct StudioOptions {
    /// The port; 0 for one that is free.
    pub port: u16,
    /// The model that the page begins with: what its file is called, and its text.
    pub model: Option<(String, String)>,
    /// How to start a process that answers questions on its standard input, see [`answer_questions`].
    pub worker: Box<dyn Fn() -> Command + Send + Sync>,
    /// What takes longer is given up.
    pub limit: Duration,
}

/// A server that is bound and not yet serving.
pub struct Studio {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<StudioState>,
}

/// What all connections share.
struct StudioState {
    gate: Gate,
    workers: Workers,
    /// What the page begins with, as JSON.
    beginning: String,
    limit: Duration,
    connections: AtomicUsize,
}

impl Studio {
    /// Takes the port.
    ///
    /// # Errors
    /// It is taken already.
    pub fn open(options: StudioOptions) -> io::Result<Studio> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port))?;
        let address = listener.local_addr()?;
        let beginning = options.model.map(|(name, text)| json!({ "name": name, "text": text }));
        let shared = StudioState {
            gate: Gate::new(address.port(), token()),
            workers: Workers::new(options.worker),
            beginning: json!(beginning).to_string(),
            limit: options.limit,
            connections: AtomicUsize::new(0),
        };
        Ok(Studio { listener, address, shared: Arc::new(shared) })
    }

    /// The address of the page, which nobody else knows.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.address, self.shared.gate.token())
    }

    /// Serves until `stop` says so, which is asked ten times a second.
    pub fn serve(self, stop: impl Fn() -> bool) {
        let Studio { listener, shared, .. } = self;
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming() {
                match stream {
                    Ok(stream) => accept(stream, &serving),
                    // Out of descriptors, or a client that has gone already: others may be luckier.
                    Err(_) => thread::sleep(Duration::from_millis(10)),
                }
            }
        });
        while !stop() {
            thread::sleep(Duration::from_millis(100));
        }
        shared.workers.end();
    }
}

fn accept(stream: TcpStream, shared: &Arc<StudioState>) {
    if shared.connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
        connection::refuse(stream);
        shared.connections.fetch_sub(1, Ordering::Relaxed);
        return;
    }
    let of_thread = Arc::clone(shared);
    let started = thread::Builder::new().name("connection".to_owned()).spawn(move || {
        Connection::new(stream, &of_thread).serve();
        of_thread.connections.fetch_sub(1, Ordering::Relaxed);
    });
    if started.is_err() {
        shared.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// 128 random bits: the keys of these hashers are from the system, and never shown.
fn token() -> String {
    let word = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", word(), word())
}
