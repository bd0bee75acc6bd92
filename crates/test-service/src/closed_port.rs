//! A port at which no server listens.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};

/// A port that refuses connections. A connection of this value occupies it, so that the server of another test does not
/// get it.
#[derive(Debug)]
pub struct ClosedPort {
    _connection: TcpStream,
    address: SocketAddr,
}

impl ClosedPort {
    /// Occupies a port of this machine. Fails if no port is free.
    pub fn occupy() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let connection = TcpStream::connect(listener.local_addr()?)?;
        let address = connection.local_addr()?;
        Ok(Self { _connection: connection, address })
    }

    /// The address that refuses connections.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}
