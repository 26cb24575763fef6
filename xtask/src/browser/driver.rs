//! A browser, driven as the W3C's WebDriver says: JSON over HTTP to a program that comes with the browser.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, fs};

use serde_json::{Value, json};

use crate::shell::TaskFailure;

/// What the browser is called, on one system or another.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
const DRIVER: &str = "chromedriver";
/// What a page takes longer for does not come, even where many programs share two processors.
const PATIENCE: Duration = Duration::from_secs(240);
/// The name under which WebDriver hands out elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser with one window.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    folder: PathBuf,
}

/// Where a program is, if it is installed.
fn installed(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Are there a browser and what drives it?
pub fn is_installed() -> bool {
    installed(DRIVER).is_some() && BROWSERS.iter().any(|name| installed(name).is_some())
}

fn failed(reason: impl Into<String>) -> TaskFailure {
    TaskFailure { step: "browser".to_owned(), reason: reason.into() }
}

impl Browser {
    /// Starts it, in a window of this size, with this scheme of colours.
    pub fn start(width: u32, height: u32, dark: bool) -> Result<Browser, TaskFailure> {
        let program = BROWSERS.iter().find_map(|name| installed(name)).ok_or_else(|| failed("there is no browser"))?;
        let port = free_port()?;
        let driver = Command::new(DRIVER)
            .arg(format!("--port={port}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| TaskFailure::of(DRIVER, &error))?;
        let folder = env::temp_dir().join(format!("extremal-browser-{}-{port}", std::process::id()));
        let mut browser = Browser { driver, port, session: String::new(), folder };
        let begun = Instant::now();
        while browser.call("GET", "/status", None).is_err() {
            if begun.elapsed() > PATIENCE {
                return Err(failed("chromedriver does not answer"));
            }
            thread::sleep(Duration::from_millis(50));
        }
        let folder = browser.folder.to_string_lossy().into_owned();
        let mut arguments = vec![
            "--headless".to_owned(),
            "--no-sandbox".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-quic".to_owned(),
            "--no-first-run".to_owned(),
            "--disable-background-networking".to_owned(),
            "--disable-component-update".to_owned(),
            "--disable-sync".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            format!("--user-data-dir={folder}"),
            format!("--window-size={width},{height}"),
        ];
        if dark {
            arguments.push("--blink-settings=preferredColorScheme=0".to_owned());
        }
        let options = json!({ "args": arguments, "binary": program });
        let patience = PATIENCE.as_millis();
        let timeouts = json!({ "script": patience, "pageLoad": patience, "implicit": 0 });
        let always = json!({ "browserName": "chrome", "goog:chromeOptions": options, "timeouts": timeouts });
        let wanted = json!({ "capabilities": { "alwaysMatch": always } });
        let session = browser.call("POST", "/session", Some(wanted))?;
        browser.session = session["sessionId"].as_str().unwrap_or_default().to_owned();
        Ok(browser)
    }

    /// Makes the window as large as this.
    pub fn resize(&self, width: u32, height: u32) -> Result<(), TaskFailure> {
        self.command("POST", "/window/rect", Some(json!({ "width": width, "height": height }))).map(drop)
    }

    /// Goes to an address.
    pub fn open(&self, address: &str) -> Result<(), TaskFailure> {
        self.command("POST", "/url", Some(json!({ "url": address }))).map(drop)
    }

    /// What a script returns.
    pub fn script(&self, script: &str) -> Result<Value, TaskFailure> {
        self.command("POST", "/execute/sync", Some(json!({ "script": script, "args": [] })))
    }

    /// What a script resolves to that ends with `done(value)`.
    pub fn awaited(&self, script: &str) -> Result<Value, TaskFailure> {
        let script = format!("const done = arguments[arguments.length - 1]; {script}");
        self.command("POST", "/execute/async", Some(json!({ "script": script, "args": [] })))
    }

    /// Waits until an expression of the page is true.
    pub fn until(&self, what: &str, expression: &str) -> Result<(), TaskFailure> {
        let begun = Instant::now();
        loop {
            if self.script(&format!("return Boolean({expression})"))? == true {
                return Ok(());
            }
            if begun.elapsed() > PATIENCE {
                let seen = self.script("return document.body.innerText")?;
                return Err(failed(format!(
                    "{what} does not come; the page says\n{}",
                    seen.as_str().unwrap_or_default()
                )));
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn element(&self, selector: &str) -> Result<String, TaskFailure> {
        let found = self.command("POST", "/element", Some(json!({ "using": "css selector", "value": selector })))?;
        found[ELEMENT].as_str().map(str::to_owned).ok_or_else(|| failed(format!("there is no {selector}")))
    }

    /// Clicks on what a selector names, as a user would.
    pub fn click(&self, selector: &str) -> Result<(), TaskFailure> {
        let element = self.element(selector)?;
        self.command("POST", &format!("/element/{element}/click"), Some(json!({}))).map(drop)
    }

    /// Presses keys where a selector says.
    pub fn keys(&self, selector: &str, keys: &str) -> Result<(), TaskFailure> {
        let element = self.element(selector)?;
        self.command("POST", &format!("/element/{element}/value"), Some(json!({ "text": keys }))).map(drop)
    }

    /// A picture of the window, as PNG in base 64.
    pub fn picture(&self) -> Result<String, TaskFailure> {
        Ok(self.command("GET", "/screenshot", None)?.as_str().unwrap_or_default().to_owned())
    }

    fn command(&self, method: &str, path: &str, body: Option<Value>) -> Result<Value, TaskFailure> {
        self.call(method, &format!("/session/{}{path}", self.session), body)
    }

    fn call(&self, method: &str, path: &str, body: Option<Value>) -> Result<Value, TaskFailure> {
        let lost = |error: std::io::Error| TaskFailure::of(DRIVER, &error);
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(lost)?;
        stream.set_read_timeout(Some(2 * PATIENCE)).map_err(lost)?;
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let length = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {length}\r\n", self.port);
        let request = format!("{head}Content-Type: application/json\r\nConnection: close\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).map_err(lost)?;
        let content = answered(&mut stream).map_err(lost)?;
        let told: Value = serde_json::from_str(&content).map_err(|error| failed(format!("{error} in {content}")))?;
        match told["value"]["error"].as_str() {
            Some(error) => Err(failed(format!("{error}: {}", told["value"]["message"].as_str().unwrap_or_default()))),
            None => Ok(told["value"].clone()),
        }
    }
}

/// The body of an answer, as long as its head says: the connection may stay open.
fn answered(stream: &mut TcpStream) -> std::io::Result<String> {
    let (mut answer, mut bytes) = (Vec::new(), [0; 1 << 16]);
    loop {
        let text = String::from_utf8_lossy(&answer);
        if let Some((head, _)) = text.split_once("\r\n\r\n") {
            let lengths = head.lines().filter_map(|line| line.split_once(':'));
            let length = lengths.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
            let length: usize = length.filter_map(|(_, length)| length.trim().parse().ok()).next().unwrap_or(0);
            let body = &answer[head.len() + 4..];
            if body.len() >= length {
                return Ok(String::from_utf8_lossy(&body[..length]).into_owned());
            }
        }
        match stream.read(&mut bytes)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            count => answer.extend_from_slice(&bytes[..count]),
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.command("DELETE", "", None);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A port that nobody has at the moment.
pub fn free_port() -> Result<u16, TaskFailure> {
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    taken.map(|address| address.port()).map_err(|error| TaskFailure::of("a free port", &error))
}
