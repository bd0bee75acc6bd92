//! The footer of a Parquet file, with a checksum in front of it, because a decoder may panic on a damaged footer.
//!
//! Readers look for the footer at the end of a file, so they do not see the checksum, which is between the last row group
//! and the footer.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};

use crate::error::Error;
use crate::footer_check;

/// First and last bytes of a Parquet file.
const MAGIC: &[u8] = b"PAR1";

/// Number of bytes after a footer: its length and the magic bytes.
const TAIL: usize = 8;

/// Maximum number of bytes after a footer that are searched.
const MAX_GARBAGE: u64 = 1 << 20;

/// The bytes before the checksum of a footer.
const TAG: &[u8] = b"sum1";

/// Number of bytes of the tag and the checksum.
const CHECKSUM: usize = 8;

/// A footer that was read.
pub(crate) struct Footer {
    pub(crate) metadata: ParquetMetaData,
    /// Whether the footer has matched a checksum. Files of format 5 have no checksum.
    pub(crate) is_checked: bool,
}

/// Reads the footer of a file; `name` is for errors. Only what the file contains is damage: a file that cannot be read
/// is an error of the disk.
pub(crate) fn read(source: &File, name: &str) -> Result<Footer, Error> {
    match read_checked(source) {
        Ok(footer) => Ok(footer),
        Err(Unreadable::Storage(error)) => Err(Error::storage(name, error)),
        Err(Unreadable::Damage(why)) => Err(Error::damaged(name, why)),
    }
}

/// The reason why a footer was not read.
enum Unreadable {
    Storage(io::Error),
    Damage(String),
}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        Self::Storage(error)
    }
}

impl Unreadable {
    fn truncated(length: u64) -> Self {
        Self::Damage(format!("it is truncated at {length} bytes"))
    }

    fn footer(why: &str) -> Self {
        Self::Damage(format!("its footer is not readable: {why}"))
    }
}

fn read_checked(source: &File) -> Result<Footer, Unreadable> {
    let length = source.metadata()?.len();
    if length < MAGIC.len() as u64 || bytes_at(source, 0, MAGIC.len())? != MAGIC {
        return Err(Unreadable::Damage("it is not a Parquet file".to_owned()));
    }
    let Some(end) = length.checked_sub(TAIL as u64) else { return Err(Unreadable::truncated(length)) };
    let tail = bytes_at(source, end, TAIL)?;
    if !tail.ends_with(MAGIC) {
        return Err(Unreadable::truncated(length));
    }
    let size = footer_size(&tail);
    let Some(start) = end.checked_sub(size as u64) else { return Err(Unreadable::footer("its length is wrong")) };
    let mut footer = bytes_at(source, start, size)?;
    footer.extend_from_slice(&tail);
    let stored = match start.checked_sub(CHECKSUM as u64) {
        Some(before) => bytes_at(source, before, CHECKSUM)?,
        None => Vec::new(),
    };
    let is_checked = stored.starts_with(TAG);
    if is_checked && stored != checksum(&footer) {
        return Err(Unreadable::Damage("its footer does not match its checksum".to_owned()));
    }
    footer.truncate(size);
    match decode(&footer) {
        Ok(metadata) => Ok(Footer { metadata, is_checked }),
        Err(why) => Err(Unreadable::footer(&why)),
    }
}

fn decode(footer: &[u8]) -> Result<ParquetMetaData, String> {
    footer_check::check(footer)?;
    match catch_unwind(AssertUnwindSafe(|| ParquetMetaDataReader::decode_metadata(footer))) {
        Ok(Ok(metadata)) if metadata.row_groups().iter().all(has_valid_numbers) => Ok(metadata),
        Ok(Err(error)) => Err(error.to_string()),
        Ok(Ok(_)) | Err(_) => Err("its values are invalid".to_owned()),
    }
}

/// `true` if a row group has no negative number, with which a reader would panic.
fn has_valid_numbers(group: &RowGroupMetaData) -> bool {
    let mut numbers = vec![group.num_rows(), group.total_byte_size()];
    for column in group.columns() {
        numbers.extend([column.num_values(), column.data_page_offset()]);
        numbers.extend([column.compressed_size(), column.uncompressed_size()]);
        numbers.extend(column.dictionary_page_offset());
    }
    numbers.iter().all(|number| *number >= 0)
}

/// The last footer of a damaged file that can be decoded, whether or not it matches its checksum. Other bytes may
/// follow it.
pub(crate) fn find(source: &File, name: &str) -> Result<Option<ParquetMetaData>, Error> {
    find_last(source).map_err(|error| Error::storage(name, error))
}

fn find_last(source: &File) -> io::Result<Option<ParquetMetaData>> {
    let length = source.metadata()?.len();
    let start = length.saturating_sub(MAX_GARBAGE);
    let count = usize::try_from(length - start).unwrap_or_default();
    let end = bytes_at(source, start, count)?;
    for position in (0..end.len()).rev() {
        let Some(tail) = end.get(position..position + TAIL) else { continue };
        if !tail.ends_with(MAGIC) {
            continue;
        }
        let size = footer_size(tail);
        let Some(footer_start) = (start + position as u64).checked_sub(size as u64) else { continue };
        let footer = bytes_at(source, footer_start, size)?;
        if let Ok(metadata) = decode(&footer) {
            return Ok(Some(metadata));
        }
    }
    Ok(None)
}

/// Writes the end of a file, which begins after its last row group, with the checksum of the footer.
pub(crate) fn write(end: &[u8], out: &mut impl Write) -> io::Result<()> {
    let Some((before, footer)) = split_footer(end) else {
        return Err(io::Error::new(ErrorKind::InvalidData, "the footer of the file has an invalid length"));
    };
    out.write_all(before)?;
    out.write_all(&checksum(footer))?;
    out.write_all(footer)
}

/// The bytes before a footer, and the footer with its tail.
fn split_footer(end: &[u8]) -> Option<(&[u8], &[u8])> {
    let tail = end.get(end.len().checked_sub(TAIL)?..)?;
    let size = footer_size(tail) + TAIL;
    Some(end.split_at(end.len().checked_sub(size)?))
}

/// The tag and the checksum of a footer with its tail.
fn checksum(footer: &[u8]) -> Vec<u8> {
    [TAG, &crc32fast::hash(footer).to_be_bytes()].concat()
}

/// The length of a footer from the bytes after it.
fn footer_size(tail: &[u8]) -> usize {
    let bytes = tail.first_chunk::<4>().copied().unwrap_or_default();
    usize::try_from(u32::from_le_bytes(bytes)).unwrap_or(usize::MAX)
}

fn bytes_at(mut source: &File, start: u64, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; count];
    source.seek(SeekFrom::Start(start))?;
    source.read_exact(&mut bytes)?;
    Ok(bytes)
}
