//! A small server for the programs of the cases. It has one response for each path, and records all requests.
//!
//! The server closes the connection after each response, so that it needs to implement only a small part of HTTP. The
//! server does not depend on a catalogue.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

/// A server that runs until the test ends.
pub(crate) struct Server {
    pub address: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server that responds to each of these paths with its body, regardless of the query, and to all other
    /// paths with 404.
    pub(crate) fn start(replies: &'static [(&'static str, &'static str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let heads = Arc::new(Mutex::new(Vec::new()));
        let remembered = Arc::clone(&heads);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let (mut head, mut buffer) = (Vec::new(), [0; 1024]);
                while !head.windows(4).any(|end| end == b"\r\n\r\n") {
                    match stream.read(&mut buffer) {
                        Ok(0) | Err(_) => break,
                        Ok(length) => head.extend_from_slice(&buffer[..length]),
                    }
                }
                let head = String::from_utf8(head).unwrap();
                let target = head.split(' ').nth(1).unwrap_or_default();
                let path = target.split('?').next().unwrap_or_default();
                let reply = replies.iter().find(|(known, _)| *known == path).map(|(_, body)| *body);
                let (status, body) = reply.map_or(("404 Not Found", "{}"), |body| ("200 OK", body));
                remembered.lock().unwrap().push(head);
                let length = body.len();
                let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n");
                let _ = stream.write_all(format!("{head}connection: close\r\n\r\n{body}").as_bytes());
            }
        });
        Self { address, heads }
    }

    /// Returns the request line and the headers of the last request. The names of the headers are in lower case.
    pub(crate) fn asked(&self) -> String {
        let heads = self.heads.lock().unwrap();
        let last = heads.last().unwrap();
        let (line, headers) = last.split_once("\r\n").unwrap();
        let headers = headers.lines().filter_map(|line| line.split_once(": "));
        let headers: Vec<_> = headers.map(|(name, value)| format!("{}: {value}", name.to_lowercase())).collect();
        format!("{line}\n{}", headers.join("\n"))
    }
}
