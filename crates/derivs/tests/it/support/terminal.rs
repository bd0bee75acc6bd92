//! Runs the program in a pseudo-terminal, in which tests send keys and read the screen.
//!
//! No test asserts a duration. Every wait for a text has a generous limit, so that a failing test ends.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{self, Command, Pty};

use super::{PROGRAM, Service, is_foreign, nowhere};

/// The maximum wait for a text, which is longer than any wait on the slowest machine.
const LIMIT: Duration = Duration::from_secs(120);

const ROWS: u16 = 40;
const COLUMNS: u16 = 80;

/// The program in a terminal.
pub(crate) struct Terminal {
    child: Child,
    keys: Arc<Pty>,
    shown: Arc<Mutex<Shown>>,
    reader: Option<JoinHandle<()>>,
}

struct Shown {
    screen: vt100::Parser,
    bytes: Vec<u8>,
}

impl Terminal {
    /// Starts the program in a terminal of 80 columns.
    pub(crate) fn start(args: &[&str]) -> Self {
        Self::with(args, &[])
    }

    /// Starts the program without colours.
    pub(crate) fn without_colours(args: &[&str]) -> Self {
        Self::with(args, &[("NO_COLOR", "1")])
    }

    /// Starts the program with the settings of a service.
    pub(crate) fn derivs_with(service: &Service, args: &[&str]) -> Self {
        let url = service.base_url();
        Self::with(args, &[("MARKET_ANALYTICS_BASE_URL", url), ("MARKET_ANALYTICS_API_KEY", "right-key")])
    }

    fn with(args: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(PROGRAM).args(args);
        for (name, _) in std::env::vars().filter(|(name, _)| is_foreign(name)) {
            command = command.env_remove(name);
        }
        command = command.env("TERM", "xterm-256color").env("HOME", nowhere()).env("XDG_CONFIG_HOME", nowhere());
        command = command.env("MARKET_ANALYTICS_SHARED_RATE_LIMIT", "off");
        command = variables.iter().fold(command, |command, (name, value)| command.env(name, value));
        let (pty, pts) = blocking::open().unwrap();
        pty.resize(Size::new(ROWS, COLUMNS)).unwrap();
        let child = command.spawn(pts).unwrap();
        let pty = Arc::new(pty);
        let shown = Arc::new(Mutex::new(Shown { screen: screen(), bytes: Vec::new() }));
        let reader = thread::spawn({
            let (pty, shown) = (Arc::clone(&pty), Arc::clone(&shown));
            move || read(&pty, &shown)
        });
        Self { child, keys: pty, shown, reader: Some(reader) }
    }

    /// Returns the text on the screen.
    pub(crate) fn screen(&self) -> String {
        let shown = self.shown.lock().unwrap();
        // The rows are joined, so the text does not depend on the line endings of the output.
        let lines: Vec<_> = shown.screen.screen().rows(0, COLUMNS).map(|line| line.trim_end().to_owned()).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// Returns the raw output, with all control sequences.
    pub(crate) fn written(&self) -> String {
        String::from_utf8_lossy(&self.shown.lock().unwrap().bytes).into_owned()
    }

    /// Waits until the screen shows a text.
    pub(crate) fn wait_for(&self, text: &str) {
        let begun = Instant::now();
        while !self.screen().contains(text) {
            assert!(begun.elapsed() < LIMIT, "timeout waiting for `{text}`; the screen:\n{}", self.screen());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Presses Ctrl-C.
    pub(crate) fn interrupt(&self) {
        (&*self.keys).write_all(b"\x03").unwrap();
    }

    /// Waits for the end of the program, and returns its exit code.
    pub(crate) fn end(&mut self) -> Option<i32> {
        let code = self.child.wait().unwrap().code();
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        code
    }
}

fn screen() -> vt100::Parser {
    let [rows, columns] = [ROWS, COLUMNS].map(|count| NonZeroU16::new(count).unwrap());
    vt100::Parser::new(rows, columns, 0)
}

fn read(pty: &Pty, shown: &Mutex<Shown>) {
    let mut pty = pty;
    let mut bytes = [0; 4096];
    // Reading fails when the program has ended, because the other side of the terminal is then closed.
    while let Ok(count @ 1..) = pty.read(&mut bytes) {
        let mut shown = shown.lock().unwrap();
        shown.screen.process(&bytes[..count]);
        shown.bytes.extend_from_slice(&bytes[..count]);
    }
}
