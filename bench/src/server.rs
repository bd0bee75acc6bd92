//! A server on loopback that sends the same response to every request.
//!
//! The server runs in this process and not in the measured program, so that the instructions of the server are not
//! counted.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The times at which the last byte of each response was written, in nanoseconds since 1970.
pub(crate) type LastBytes = Arc<Mutex<Vec<u128>>>;

/// Serves 50 records of six numbers until this process ends, and returns the base URL.
pub(crate) fn start() -> Result<String, String> {
    serve_all(None)
}

/// Serves the same, and writes the last byte of each response two milliseconds after the others, so that a client has
/// read all other bytes before.
pub(crate) fn start_with_late_last_byte() -> Result<(String, LastBytes), String> {
    let last_bytes = LastBytes::default();
    Ok((serve_all(Some(last_bytes.clone()))?, last_bytes))
}

fn serve_all(last_bytes: Option<LastBytes>) -> Result<String, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| format!("cannot listen on a port: {error}"))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let reply = reply();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let reply = reply.clone();
            let last_bytes = last_bytes.clone();
            thread::spawn(move || serve(stream, &reply, last_bytes.as_ref()));
        }
    });
    Ok(format!("http://{address}/v2"))
}

fn serve(mut stream: TcpStream, reply: &[u8], last_bytes: Option<&LastBytes>) {
    let (mut request, mut chunk) = (Vec::new(), [0; 4096]);
    while let Ok(length @ 1..) = stream.read(&mut chunk) {
        request.extend_from_slice(&chunk[..length]);
        if request.ends_with(b"\r\n\r\n") {
            request.clear();
            let written = match last_bytes {
                Some(last_bytes) => write_last_byte_late(&mut stream, reply, last_bytes),
                None => stream.write_all(reply),
            };
            if written.is_err() {
                return;
            }
        }
    }
}

fn write_last_byte_late(stream: &mut TcpStream, reply: &[u8], last_bytes: &LastBytes) -> io::Result<()> {
    let (first, last) = reply.split_at(reply.len() - 1);
    stream.set_nodelay(true)?;
    stream.write_all(first)?;
    thread::sleep(Duration::from_millis(2));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(io::Error::other)?;
    last_bytes.lock().map_err(|error| io::Error::other(error.to_string()))?.push(now.as_nanos());
    stream.write_all(last)
}

fn reply() -> Vec<u8> {
    let mut number = 0.123_456_789_012_345_67;
    let records: Vec<_> = (0..50)
        .map(|index| {
            let values = (0..6).map(|value| {
                number = (number * 997.0_f64).fract();
                format!("\"value4Of{value}\":{number}")
            });
            let values: Vec<_> = values.collect();
            format!("{{\"openDate\":{},{}}}", 1_700_000_000 + index * 3600, values.join(","))
        })
        .collect();
    let body = format!("{{\"data\":[{}],\"metadata\":{{\"exchanges\":[\"binance_spot\"]}}}}", records.join(","));
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
    format!("{head}{body}").into_bytes()
}
