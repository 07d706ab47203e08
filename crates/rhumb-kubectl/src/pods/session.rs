//! Sessions in containers: connects local input and output to a remote command.

use std::io::Write;

use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::Error;
use rhumb_client::remote::{Exit, RemoteCommand};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};

use super::terminal::{self, RawMode};

/// Local side of a session.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Local {
    /// Whether standard input goes to the container.
    pub(crate) stdin: bool,
    /// Whether the container gets a terminal; only if the input is one here.
    pub(crate) tty: bool,
}

impl Local {
    /// Creates a session as the flags ask for it, as far as the local side can have it.
    pub(crate) fn new(call: &mut Call, stdin: bool, tty: bool, quiet: bool) -> Self {
        if !stdin || !tty {
            return Local { stdin, tty: false };
        }
        if !call.streams.input_is_terminal {
            if !quiet {
                call.warn("Unable to use a TTY - input is not a terminal or the right kind of file");
            }
            return Local { stdin, tty: false };
        }
        Local { stdin, tty: true }
    }
}

/// How a session ended.
pub(crate) enum End {
    /// The command ended.
    Exit(Exit),
    /// The keys that leave a session were pressed; the command goes on.
    Detached,
}

/// Joins the local side to a command until it ends. With keys to leave by, they are looked for in the input.
pub(crate) async fn join(
    call: &mut Call,
    local: Local,
    mut command: RemoteCommand,
    leave: Option<&[u8]>,
) -> Result<End, Failure> {
    let raw = match local.tty {
        true => Some(
            RawMode::enter().map_err(|error| Failure::message(format!("there is no terminal: {error}")))?,
        ),
        false => None,
    };
    let resizer = command.resizer();
    let sizes = async {
        let Some(sizes) = resizer else { return std::future::pending().await };
        let Ok(mut changed) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::window_change())
        else {
            return std::future::pending().await;
        };
        loop {
            if let Some(size) = terminal::size()
                && sizes.send(size).await.is_err()
            {
                return std::future::pending::<()>().await;
            }
            if changed.recv().await.is_none() {
                return std::future::pending().await;
            }
        }
    };
    let stdin = command.stdin();
    let input = async {
        let Some(mut remote) = stdin.filter(|_| local.stdin) else { return std::future::pending().await };
        let mut keys = Leaving::new(leave.unwrap_or_default());
        let mut here = tokio::io::stdin();
        let mut piece = vec![0; 16 << 10];
        loop {
            let read = here.read(&mut piece).await.unwrap_or_default();
            let bytes = piece.get(..read).unwrap_or_default();
            if keys.left(bytes) {
                return;
            }
            if bytes.is_empty() || remote.write_all(bytes).await.is_err() {
                let _ = remote.shutdown().await;
                return std::future::pending().await;
            }
        }
    };
    let (stdout, stderr) = (command.stdout(), command.stderr());
    let (out, err) = (&mut call.streams.out, &mut call.streams.err);
    let output = async {
        let (first, second) = tokio::join!(copy(stdout, out), copy(stderr, err));
        first.and(second)?;
        Ok::<_, Failure>(command.wait().await?)
    };
    let end = tokio::select! {
        exit = output => End::Exit(exit?),
        () = input => End::Detached,
        () = sizes => End::Detached,
    };
    drop(raw);
    Ok(end)
}

/// Writes what comes as it comes.
async fn copy(from: Option<impl AsyncRead + Unpin>, to: &mut (dyn Write + Send)) -> Outcome {
    let Some(mut from) = from else { return Ok(()) };
    let mut piece = vec![0; 32 << 10];
    loop {
        let read = from.read(&mut piece).await.unwrap_or_default();
        if read == 0 {
            return Ok(());
        }
        to.write_all(piece.get(..read).unwrap_or_default())?;
        to.flush()?;
    }
}

/// Detects the keys that detach a session.
struct Leaving<'a> {
    keys: &'a [u8],
    seen: usize,
}

impl<'a> Leaving<'a> {
    fn new(keys: &'a [u8]) -> Self {
        Leaving { keys, seen: 0 }
    }

    /// Reports whether all keys were pressed one after the other, with these as the last ones.
    fn left(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            if self.keys.get(self.seen) == Some(byte) {
                self.seen += 1;
            } else {
                self.seen = usize::from(self.keys.first() == Some(byte));
            }
            if self.seen > 0 && self.seen == self.keys.len() {
                return true;
            }
        }
        false
    }
}

/// Converts the exit of a remote command to the result of a command.
pub(crate) fn outcome(exit: Exit) -> Outcome {
    match exit {
        Exit::Success => Ok(()),
        Exit::Code(code) => {
            Err(Failure::Exit { code, message: Some(format!("command terminated with exit code {code}")) })
        }
        Exit::Failure(status) => Err(Failure::message(status.message.clone())),
    }
}

/// Converts a session's error: the node's message, or the server's.
pub(crate) fn refused(error: Error) -> Failure {
    let Some(status) = error.status() else { return error.into() };
    let causes = status.details.as_ref().map(|details| details.causes.as_slice()).unwrap_or_default();
    let own = causes.iter().find(|cause| cause.reason == "UnexpectedServerResponse");
    let text = own.map_or(&status.message, |cause| &cause.message);
    Failure::message(format!("unable to upgrade connection: {text}"))
}

/// Returns the bytes of a sequence of keys: `ctrl-p,ctrl-q`.
pub(crate) fn keys(text: &str) -> Result<Vec<u8>, Failure> {
    let unknown =
        |key: &str| Failure::message(format!("could not bind detach keys: Unknown character: '{key}'"));
    text.split(',')
        .map(|key| match (key.strip_prefix("ctrl-"), key.as_bytes()) {
            (Some(letter), _) => match letter.as_bytes() {
                [letter @ b'a'..=b'z'] => Ok(letter - b'a' + 1),
                b"@" => Ok(0),
                b"[" => Ok(27),
                b"\\" => Ok(28),
                b"]" => Ok(29),
                b"^" => Ok(30),
                b"_" => Ok(31),
                _ => Err(unknown(key)),
            },
            (None, [byte]) => Ok(*byte),
            _ => Err(unknown(key)),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_to_leave_are_found_across_pieces() {
        let keys = keys("ctrl-p,ctrl-q").unwrap_or_default();
        assert_eq!(keys, [16, 17]);
        let mut leaving = Leaving::new(&keys);
        assert!(!leaving.left(b"ls\x10"));
        assert!(!leaving.left(b"\x10"));
        assert!(leaving.left(b"\x11"));
        assert!(super::keys("ctrl-?").is_err());
    }
}
