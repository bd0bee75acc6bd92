//! A server on loopback that sends the same response to every request.
//!
//! The server runs in this process and not in the measured program, so that the instructions of the server are not
//! counted.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

/// Serves 50 records of six numbers until this process ends, and returns the base URL.
pub(crate) fn start() -> Result<String, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| format!("cannot listen on a port: {error}"))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let reply = reply();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let reply = reply.clone();
            thread::spawn(move || serve(stream, &reply));
        }
    });
    Ok(format!("http://{address}/v2"))
}

fn serve(mut stream: TcpStream, reply: &[u8]) {
    let (mut request, mut chunk) = (Vec::new(), [0; 4096]);
    while let Ok(length @ 1..) = stream.read(&mut chunk) {
        request.extend_from_slice(&chunk[..length]);
        if request.ends_with(b"\r\n\r\n") {
            request.clear();
            if stream.write_all(reply).is_err() {
                return;
            }
        }
    }
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
