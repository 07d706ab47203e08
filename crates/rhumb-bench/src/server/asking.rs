//! Clients that ask one thing after the other, many of them on a thread.
//!
//! A thread for each would be woken for every answer, and waking it is the server's time, because the kernel does it
//! while the answer is handed over. Clients of a real server are on other machines.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Instant;

use rustls::ClientConnection;
use tokio::net::TcpStream;

use super::Outcome;
use super::following::Room;
use super::https::{Connection, JSON, Length, Target, head_length, write_request};

/// What the clients of a thread share.
pub(crate) struct Round {
    /// When all were connected.
    pub(crate) begin: Instant,
    /// What they read into, one after the other.
    pub(crate) room: Mutex<Room>,
}

/// A connection to ask on.
pub(crate) struct Asking {
    session: ClientConnection,
    stream: TcpStream,
    target: Target,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Asking {
    /// Goes on with a connection that has nothing under way.
    pub(crate) fn of(mut connection: Connection, target: &Target) -> Outcome<Self> {
        // The handshake is done with the first request.
        connection.exchange("GET", "/readyz", JSON, b"", &mut Vec::new())?;
        let (session, stream) = connection.into_parts()?;
        let (request, answer) = (Vec::new(), Vec::new());
        Ok(Asking { session, stream, target: target.clone(), request, answer })
    }

    /// Sends a request that must succeed, and reads the answer.
    pub(crate) async fn expect(
        &mut self,
        round: &Round,
        method: &str,
        path: &str,
        body: &[u8],
        expected: u16,
    ) -> Outcome<()> {
        let status = self.exchange(round, method, path, body).await?;
        if status != expected {
            let told = String::from_utf8_lossy(&self.answer);
            return Err(format!("{method} {path}: {status} {told}").into());
        }
        Ok(())
    }

    async fn exchange(&mut self, round: &Round, method: &str, path: &str, body: &[u8]) -> io::Result<u16> {
        self.request.clear();
        write_request(&mut self.request, &self.target, method, path, JSON, body)?;
        io::Write::write_all(&mut self.session.writer(), &self.request)?;
        while self.session.wants_write() {
            match self.session.write_tls(&mut Sending(&self.stream)) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.stream.writable().await?,
                sent => {
                    sent?;
                }
            }
        }
        self.answer.clear();
        loop {
            self.stream.readable().await?;
            if let ControlFlow::Break(status) = self.take(&round.room)? {
                return Ok(status);
            }
        }
    }

    /// Takes what has arrived. Answers with the status at the end of the answer.
    fn take(&mut self, room: &Mutex<Room>) -> io::Result<ControlFlow<u16>> {
        let mut room = room.lock().map_err(|_| io::Error::other("another reader broke"))?;
        let mut arrived = match self.stream.try_read(&mut room.0) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(length) => room.0.get(..length).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(ControlFlow::Continue(())),
            Err(error) => return Err(error),
        };
        while !arrived.is_empty() {
            self.session.read_tls(&mut arrived)?;
            let state = self.session.process_new_packets().map_err(io::Error::other)?;
            let (had, more) = (self.answer.len(), state.plaintext_bytes_to_read());
            self.answer.resize(had + more, 0);
            self.session.reader().read_exact(self.answer.get_mut(had..).unwrap_or_default())?;
        }
        ended(&self.answer)
    }
}

impl Connection {
    /// What is below it. There must be nothing left of any answer.
    pub(super) fn into_parts(self) -> io::Result<(ClientConnection, TcpStream)> {
        let is_read = !self.stream.buffer().is_empty();
        let (session, wire) = self.stream.into_inner().into_parts();
        if is_read || !wire.0.buffer().is_empty() {
            return Err(io::Error::other("a part of the answer was read already"));
        }
        let stream = wire.0.into_inner();
        stream.set_nonblocking(true)?;
        Ok((session, TcpStream::from_std(stream)?))
    }
}

/// The status of an answer, if all of it is there.
fn ended(answer: &[u8]) -> io::Result<ControlFlow<u16>> {
    let Some(end) = memchr::memmem::find(answer, b"\r\n\r\n") else { return Ok(ControlFlow::Continue(())) };
    let (head, body) = answer.split_at(end + 4);
    let (status, length) = head_length(head)?;
    let is_whole = match length {
        Length::Known(length) => body.len() >= length,
        // None of the answers that are read like this has these bytes within.
        Length::Chunks => body == b"0\r\n\r\n" || body.ends_with(b"\r\n0\r\n\r\n"),
    };
    Ok(if is_whole { ControlFlow::Break(status) } else { ControlFlow::Continue(()) })
}

/// A socket that takes what it can.
struct Sending<'a>(&'a TcpStream);

impl io::Write for Sending<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }

    fn write_vectored(&mut self, bytes: &[io::IoSlice<'_>]) -> io::Result<usize> {
        self.0.try_write_vectored(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
