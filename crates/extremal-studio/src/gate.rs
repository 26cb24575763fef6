//! Who may ask: those who know the token, mean this host and come from this page.

use crate::http::{HttpRefusal, HttpRequest};

/// What a request must have.
pub(crate) struct Gate {
    hosts: [String; 2],
    origins: [String; 2],
    token: String,
}

impl Gate {
    pub fn new(port: u16, token: String) -> Gate {
        // A browser leaves out the port of HTTP.
        let port = if port == 80 { String::new() } else { format!(":{port}") };
        let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}{port}"));
        let origins = hosts.each_ref().map(|host| format!("http://{host}"));
        Gate { hosts, origins, token }
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    /// The path behind the token.
    ///
    /// # Errors
    /// It is not for this host, as after a name that was made to point here; from another page; or without the token.
    pub fn pass<'r>(&self, request: &'r HttpRequest) -> Result<&'r str, HttpRefusal> {
        let host = request.header("host").unwrap_or_default();
        if !self.hosts.iter().any(|known| known == host) {
            return Err(HttpRefusal::new(403, "this server answers to 127.0.0.1 alone"));
        }
        let foreign = |origin: &str| !self.origins.iter().any(|known| known == origin);
        if request.header("origin").is_some_and(foreign) {
            return Err(HttpRefusal::new(403, "another page may not ask here"));
        }
        let from = request.header("sec-fetch-site").unwrap_or("none");
        if !["none", "same-origin"].contains(&from) {
            return Err(HttpRefusal::new(403, "another page may not ask here"));
        }
        let path = request.target.split('?').next().unwrap_or_default();
        let behind = path.strip_prefix('/').and_then(|path| path.split_once('/'));
        match behind {
            Some((token, rest)) if equal(token.as_bytes(), self.token.as_bytes()) => Ok(rest),
            _ => Err(HttpRefusal::new(403, "open the address that `extremal studio` printed: it has a token in it")),
        }
    }
}

/// Compares in a time that does not tell where they differ.
fn equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}
