//! A writer with a checksum of what it has written.

use std::io::{self, Write};

use crc32fast::Hasher;

/// A writer that computes a checksum of the bytes that are written.
pub(crate) struct Checked<W> {
    out: W,
    length: u64,
    hash: Hasher,
    /// The bytes that are kept instead of written, if there are any.
    pub(crate) held: Option<Vec<u8>>,
}

impl<W> Checked<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, length: 0, hash: Hasher::new(), held: None }
    }

    /// The length and the checksum of the bytes since the last call, as `LENGTH:CRC32`.
    pub(crate) fn entry(&mut self) -> String {
        let sum = std::mem::take(&mut self.hash).finalize();
        format!("{:x}:{sum:08x}", std::mem::take(&mut self.length))
    }
}

impl<W: Write> Write for Checked<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(held) = &mut self.held {
            held.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        let written = self.out.write(bytes)?;
        self.hash.update(bytes.get(..written).unwrap_or_default());
        self.length += u64::try_from(written).unwrap_or_default();
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
