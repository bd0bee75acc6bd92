//! The file with the state: a header, and two areas for texts.
//!
//! A writer writes the text to the free area and then the header, which is short enough to be written at once. So a writer
//! that is killed leaves the former text in place.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::private_file;
use crate::state_store::Stored;

/// The length of the header, with a line break at its end.
const HEADER: usize = 128;

/// The areas begin at multiples of this number.
const PAGE: u64 = 4096;

/// A longer text is damage.
const MAX_TEXT: u64 = 1 << 20;

pub(super) struct StateFile(File);

/// The locked file. Dropping it releases the lock.
pub(super) struct Locked<'a>(&'a File);

pub(super) enum Content {
    Missing,
    Damaged,
    State(Header),
}

pub(super) struct Header {
    pub(super) version: String,
    offset: u64,
    length: u64,
}

impl StateFile {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        private_file::open(path).map(Self)
    }

    pub(super) fn is_deleted(&self) -> io::Result<bool> {
        private_file::is_deleted(&self.0)
    }

    /// Locks the file; the error `WouldBlock` means that another process holds the lock.
    pub(super) fn lock(&self) -> io::Result<Locked<'_>> {
        private_file::lock(&self.0)?;
        Ok(Locked(&self.0))
    }
}

impl Locked<'_> {
    pub(super) fn read(&self) -> io::Result<Content> {
        let mut line = [0; HEADER];
        let read = self.0.read_at(&mut line, 0)?;
        if read == 0 {
            return Ok(Content::Missing);
        }
        Ok(Header::parse(&line[..read]).map_or(Content::Damaged, Content::State))
    }

    /// Reads the text; a damaged text is empty or has replacement characters, so it is no state.
    pub(super) fn text(&self, header: &Header) -> io::Result<String> {
        let mut text = vec![0; usize::try_from(header.length).unwrap_or_default()];
        match self.0.read_exact_at(&mut text, header.offset) {
            Ok(()) => Ok(String::from_utf8_lossy(&text).into_owned()),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(String::new()),
            Err(error) => Err(error),
        }
    }

    /// Replaces the content.
    pub(super) fn write(&self, former: &Content, next: &Stored) -> io::Result<()> {
        let length = next.text.len() as u64;
        let offset = match former {
            // The new text does not fit before the former one.
            Content::State(header) if header.offset < PAGE + length => {
                (header.offset + header.length).next_multiple_of(PAGE).max(PAGE)
            }
            _ => PAGE,
        };
        self.0.write_all_at(next.text.as_bytes(), offset)?;
        let line = format!("{} {offset} {length}", next.version);
        self.0.write_all_at(format!("{line:<width$}\n", width = HEADER - 1).as_bytes(), 0)
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        private_file::unlock(self.0);
    }
}

impl Header {
    /// Returns `None` if the header is damaged.
    fn parse(line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        let mut words = line.strip_suffix('\n')?.split_whitespace();
        let version = words.next()?.to_owned();
        let offset = words.next()?.parse().ok()?;
        let length = words.next()?.parse().ok()?;
        let is_plausible = words.next().is_none() && length <= MAX_TEXT && offset <= u64::MAX / 2;
        is_plausible.then_some(Self { version, offset, length })
    }
}
