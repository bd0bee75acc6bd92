//! A port at which no server listens.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};

/// A port that refuses connections. A connection of this value occupies it, so that the server of another test does not
/// get it.
#[derive(Debug)]
pub struct ClosedPort {
    address: SocketAddr,
    /// Both ends of the connection. Without one of them, the port would be free.
    _ends: [TcpStream; 2],
}

impl ClosedPort {
    /// Occupies a port of this machine. Fails if no port is free.
    pub fn occupy() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let connected = TcpStream::connect(listener.local_addr()?)?;
        let (accepted, _) = listener.accept()?;
        Ok(Self { address: connected.local_addr()?, _ends: [connected, accepted] })
    }

    /// The address that refuses connections.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn port_is_occupied_and_refuses_connections() -> io::Result<()> {
        let closed = ClosedPort::occupy()?;
        let address = closed.address();
        assert!(TcpListener::bind(address).is_err());
        let error = TcpStream::connect(address).map(drop).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
        Ok(())
    }
}
