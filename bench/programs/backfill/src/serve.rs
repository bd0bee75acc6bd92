//! A server on loopback with a record for each minute, for ours and for the programs of others.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use crate::responses::{Shape, requested_minutes};

/// Prints the address of a server, and serves until the process is ended. The first segment of a path is the number of
/// fields of the records.
pub(crate) fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    println!("http://{}", listener.local_addr().expect("an address"));
    for stream in listener.incoming().flatten() {
        thread::spawn(move || answer_all(stream));
    }
}

fn answer_all(stream: TcpStream) {
    stream.set_nodelay(true).expect("a connection");
    let mut writer = stream.try_clone().expect("a connection");
    let mut reader = BufReader::new(stream);
    while let Some(target) = read_target(&mut reader) {
        let fields = target.split('/').nth(1).and_then(|fields| fields.parse().ok()).unwrap_or(1);
        let body = Shape { fields, percent: 100 }.body(requested_minutes(&target));
        let length = body.len();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
        if writer.write_all((head + &body).as_bytes()).is_err() {
            return;
        }
    }
}

/// Reads the head of a request, and returns its target.
fn read_target(reader: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    if reader.read_line(&mut line).ok()? == 0 {
        return None;
    }
    let target = line.split(' ').nth(1)?.to_owned();
    while line != "\r\n" {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
    }
    Some(target)
}
