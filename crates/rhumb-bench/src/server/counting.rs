//! Long answers that are thrown away as they come, so that reading them costs little.

use std::io::{self, BufRead};

use super::https::{Connection, Length};

impl Connection {
    /// Asks for something large and throws it away as it comes. Answers with its status and how long it was.
    pub(crate) fn count(&mut self, path: &str, accept: &str) -> io::Result<(u16, usize)> {
        self.send("GET", path, accept, b"")?;
        let (status, length) = self.head()?;
        if let Length::Known(length) = length {
            self.skip(length)?;
            return Ok((status, length));
        }
        let mut length = 0;
        loop {
            let size = self.chunk_size()?;
            self.skip(size)?;
            self.line()?;
            length += size;
            if size == 0 {
                return Ok((status, length));
            }
        }
    }

    /// Throws bytes of an answer away where they are decrypted.
    fn skip(&mut self, mut left: usize) -> io::Result<()> {
        let there = self.stream.buffer().len().min(left);
        self.stream.consume(there);
        left -= there;
        let stream = self.stream.get_mut();
        while left > 0 {
            let there = stream.fill_buf()?.len().min(left);
            if there == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            stream.consume(there);
            left -= there;
        }
        Ok(())
    }
}
