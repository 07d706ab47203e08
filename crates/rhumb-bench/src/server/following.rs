//! Many answers that go on, read beside each other.

use std::io::{self, BufRead};
use std::sync::Mutex;

use rustls::ClientConnection;
use tokio::net::TcpStream;

use super::https::{Connection, PART};

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
        let (session, stream) = connection.into_parts()?;
        Ok(Following { session, stream, last: 0 })
    }

    /// Waits for more of the answer. Answers with how many lines of it ended; the ends of chunks are none.
    pub(crate) async fn lines(&mut self, room: &Mutex<Room>) -> io::Result<u64> {
        loop {
            self.stream.readable().await?;
            let mut room = room.lock().map_err(|_| io::Error::other("another reader broke"))?;
            let mut arrived = match self.stream.try_read(&mut room.0) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(length) => room.0.get(..length).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                Err(error) => return Err(error),
            };
            let mut ends = 0;
            while !arrived.is_empty() {
                self.session.read_tls(&mut arrived)?;
                let state = self.session.process_new_packets().map_err(io::Error::other)?;
                let (mut left, mut text) = (state.plaintext_bytes_to_read(), self.session.reader());
                while left > 0 {
                    // It is looked at where it is.
                    let part = text.fill_buf()?;
                    let length = part.len();
                    ends += line_ends(&mut self.last, part);
                    text.consume(length);
                    left = left.saturating_sub(length);
                }
            }
            if ends > 0 {
                return Ok(ends);
            }
        }
    }
}

/// How many lines end in the next part of an answer, of which the last byte before it is known.
fn line_ends(last: &mut u8, text: &[u8]) -> u64 {
    let Some(now_last) = text.last() else { return 0 };
    let before = std::mem::replace(last, *now_last);
    let before = |place: usize| place.checked_sub(1).map_or(Some(&before), |place| text.get(place)).copied();
    memchr::memchr_iter(b'\n', text).filter(|place| before(*place) != Some(b'\r')).count() as u64
}

/// What the watches of a thread are read into, one after the other.
pub(crate) struct Room(pub(super) Box<[u8]>);

impl Room {
    pub(crate) fn new() -> Self {
        Room(vec![0; PART].into_boxed_slice())
    }
}
