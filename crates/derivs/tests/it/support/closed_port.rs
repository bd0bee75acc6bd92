//! A port at which no server listens.

use std::net::{SocketAddr, TcpListener, TcpStream};

/// A port that refuses connections. A connection of this value occupies it, so that the server of another test does not
/// get it.
pub(crate) struct ClosedPort {
    connection: TcpStream,
}

impl ClosedPort {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        Self { connection: TcpStream::connect(listener.local_addr().unwrap()).unwrap() }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.connection.local_addr().unwrap()
    }
}
