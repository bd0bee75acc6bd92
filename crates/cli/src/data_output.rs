//! Standard output for data that is written as a stream.

use std::io::{self, IsTerminal, Stdout, Write};

use runtime::text::ForeignText;

/// Standard output. A terminal gets no characters of the data that steer it; programs and files get all of them.
pub(crate) struct DataOutput<W = Stdout> {
    out: W,
    is_terminal: bool,
    /// The bytes since the last complete character. A buffer can be written in the middle of a character.
    unfinished: Vec<u8>,
}

impl DataOutput {
    pub(crate) fn stdout() -> Self {
        let out = io::stdout();
        let is_terminal = out.is_terminal();
        Self { out, is_terminal, unfinished: Vec::new() }
    }
}

impl<W: Write> Write for DataOutput<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_terminal {
            return self.out.write(bytes);
        }
        self.unfinished.extend_from_slice(bytes);
        let complete = complete_len(&self.unfinished);
        let rest = self.unfinished.split_off(complete);
        let data = std::mem::replace(&mut self.unfinished, rest);
        let text = String::from_utf8_lossy(&data);
        self.out.write_all(ForeignText(&text).to_string().as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The number of bytes before a character that continues after the end.
fn complete_len(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(is_terminal: bool, bytes: &[u8], chunk: usize) -> io::Result<Vec<u8>> {
        let mut output = DataOutput { out: Vec::new(), is_terminal, unfinished: Vec::new() };
        for part in bytes.chunks(chunk) {
            output.write_all(part)?;
        }
        output.flush()?;
        Ok(output.out)
    }

    #[test]
    fn only_a_terminal_gets_escaped_data() -> io::Result<()> {
        let data = "time,name\n1,\"\u{1b}]0;é\u{7}\u{9b}\u{202e}\r€\"\n";
        for chunk in 1..=data.len() {
            let shown = String::from_utf8_lossy(&written(true, data.as_bytes(), chunk)?).into_owned();
            assert_eq!(shown, "time,name\n1,\"\\u001b]0;é\\u0007\\u009b\\u202e\\u000d€\"\n", "{chunk}");
            assert_eq!(written(false, data.as_bytes(), chunk)?, data.as_bytes(), "{chunk}");
        }
        Ok(())
    }

    #[test]
    fn invalid_text_cannot_steer_a_terminal() -> io::Result<()> {
        let shown = written(true, b"a\x9b31m\x1b[2J", 64)?;
        assert_eq!(String::from_utf8_lossy(&shown), "a\u{fffd}31m\\u001b[2J");
        Ok(())
    }
}
