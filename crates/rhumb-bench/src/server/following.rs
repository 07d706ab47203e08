//! Many answers that go on, read beside each other.

use std::io::{self, Read};

use rustls::ClientConnection;
use tokio::net::TcpStream;

use super::https::Connection;

/// An answer that goes on. It costs its reader little, so that many of them leave the machine to the server.
pub(crate) struct Following {
    session: ClientConnection,
    stream: TcpStream,
    /// The last byte that was read.
    last: u8,
}

impl Following {
    /// The rest of an answer whose beginning was read.
    pub(crate) fn of(connection: Connection) -> io::Result<Self> {
        if !connection.stream.buffer().is_empty() {
            return Err(io::Error::other("a part of the answer was read already"));
        }
        let (session, stream) = connection.stream.into_inner().into_parts();
        stream.set_nonblocking(true)?;
        Ok(Following { session, stream: TcpStream::from_std(stream)?, last: 0 })
    }

    /// Waits for more of the answer. Answers with how many lines of it ended; the ends of chunks are none.
    pub(crate) async fn lines(&mut self, buffer: &mut Vec<u8>) -> io::Result<u64> {
        loop {
            self.stream.readable().await?;
            match self.session.read_tls(&mut NowOrNever(&self.stream)) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                Err(error) => return Err(error),
            }
            let arrived = self.session.process_new_packets().map_err(io::Error::other)?;
            let length = arrived.plaintext_bytes_to_read();
            if length == 0 {
                continue;
            }
            buffer.resize(length, 0);
            self.session.reader().read_exact(buffer)?;
            let before = std::iter::once(&self.last).chain(buffer.iter());
            let ends =
                before.zip(buffer.iter()).filter(|pair| matches!(pair, (before, b'\n') if **before != b'\r'));
            let count = ends.count() as u64;
            self.last = buffer.last().copied().unwrap_or_default();
            return Ok(count);
        }
    }
}

/// Reads what is there.
struct NowOrNever<'a>(&'a TcpStream);

impl Read for NowOrNever<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.try_read(into)
    }
}
