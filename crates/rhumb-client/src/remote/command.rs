//! Exec and attach: commands in containers with their input and output.
//!
//! Every message has the number of its channel in front. In version 5 of the protocol, which is asked for first, a
//! message can also say that a channel ends; before, input could not be ended without ending everything.

use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, StreamExt};
use rhumb_api::core::v1::{PodAttachOptions, PodExecOptions};
use rhumb_meta::GroupVersion;
use rhumb_schema::Struct;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use super::exit::{self, Exit};
use crate::Error;
use crate::rest::{Client, Outgoing, Request, WebSocket};

const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const ERROR: u8 = 3;
const RESIZE: u8 = 4;
/// Closes a channel; followed by the channel's number.
const CLOSE: u8 = 255;

const V5: &str = "v5.channel.k8s.io";
const V4: &str = "v4.channel.k8s.io";

const PING_PERIOD: Duration = Duration::from_secs(5);
/// Time without an answer to pings after which the connection is given up: twelve pings.
const SILENCE: Duration = Duration::from_secs(61);
/// Size of the output buffer; the server waits when it is full.
const BUFFER: usize = 64 << 10;
const INPUT_PIECE: usize = 32 << 10;
/// Maximum size of the error channel, which carries a Status.
const MAX_STATUS: usize = 1 << 20;

/// Terminal size in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalSize {
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

/// A command running in a container. Dropping it closes the connection; the node decides what happens to the command.
///
/// Output must be read or its end dropped ([`stdout`](RemoteCommand::stdout)), else the command waits when it has
/// written much.
#[derive(Debug)]
pub struct RemoteCommand {
    stdin: Option<DuplexStream>,
    stdout: Option<DuplexStream>,
    stderr: Option<DuplexStream>,
    resize: Option<mpsc::Sender<TerminalSize>>,
    running: Running,
}

/// The connection's task, aborted with its handle.
#[derive(Debug)]
struct Running(JoinHandle<Result<Exit, Error>>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Channels of the connection.
#[derive(Clone, Copy, Debug)]
struct Channels {
    stdin: bool,
    stdout: bool,
    stderr: bool,
    tty: bool,
}

impl Client {
    /// Runs a command in a container of a pod (exec).
    ///
    /// # Errors
    /// If the server refuses it. Whether the command could be run is said at its end.
    pub async fn exec(
        &self,
        namespace: &str,
        pod: &str,
        options: &PodExecOptions,
    ) -> Result<RemoteCommand, Error> {
        let PodExecOptions { stdin, stdout, stderr, tty, .. } = *options;
        let channels = Channels { stdin, stdout, stderr, tty };
        start(self.pod(namespace, pod, "exec", options), channels).await
    }

    /// Attaches to the main process of a container.
    ///
    /// # Errors
    /// If the server refuses it.
    pub async fn attach(
        &self,
        namespace: &str,
        pod: &str,
        options: &PodAttachOptions,
    ) -> Result<RemoteCommand, Error> {
        let PodAttachOptions { stdin, stdout, stderr, tty, .. } = *options;
        let channels = Channels { stdin, stdout, stderr, tty };
        start(self.pod(namespace, pod, "attach", options), channels).await
    }

    pub(super) fn pod(&self, namespace: &str, pod: &str, what: &str, options: &dyn Struct) -> Request {
        let core = GroupVersion::new("", "v1");
        let request = self.get().version(&core).namespace(namespace).resource("pods").name(pod);
        request.subresource(what).options(options)
    }
}

async fn start(request: Request, channels: Channels) -> Result<RemoteCommand, Error> {
    let socket = request.upgrade(&[V5, V4]).await?;
    // A terminal shows both kinds of output as one.
    let has_stderr = channels.stderr && !channels.tty;
    let (stdin, input) = pipe(channels.stdin);
    let (stdout, output) = pipe(channels.stdout);
    let (stderr, errors) = pipe(has_stderr);
    let (resize, sizes) = mpsc::channel(8);
    let closes = socket.protocol() == V5;
    let running = Running(tokio::spawn(run(socket, closes, input, output, errors, sizes)));
    Ok(RemoteCommand { stdin, stdout, stderr, resize: channels.tty.then_some(resize), running })
}

fn pipe(wanted: bool) -> (Option<DuplexStream>, Option<DuplexStream>) {
    match wanted {
        true => {
            let (near, far) = duplex(BUFFER);
            (Some(near), Some(far))
        }
        false => (None, None),
    }
}

impl RemoteCommand {
    /// Returns the command's standard input, once. Dropping or shutting it down closes it.
    pub fn stdin(&mut self) -> Option<DuplexStream> {
        self.stdin.take()
    }

    /// Returns the command's standard output, once. With a terminal it includes the error output.
    pub fn stdout(&mut self) -> Option<DuplexStream> {
        self.stdout.take()
    }

    /// Returns the command's error output, once.
    pub fn stderr(&mut self) -> Option<DuplexStream> {
        self.stderr.take()
    }

    /// Returns a sender of terminal sizes, if there is a terminal.
    pub fn resizer(&self) -> Option<mpsc::Sender<TerminalSize>> {
        self.resize.clone()
    }

    /// Waits for the command's end. Output that was not taken is dropped, and standard input that was not taken is
    /// closed.
    ///
    /// # Errors
    /// If the connection broke before.
    pub async fn wait(mut self) -> Result<Exit, Error> {
        drop((self.stdin.take(), self.stdout.take(), self.stderr.take(), self.resize.take()));
        match (&mut self.running.0).await {
            Ok(outcome) => outcome,
            Err(error) => Err(Error::Connection(error.into())),
        }
    }

    /// Reads all output until the command ends: standard output, error output, and exit status.
    ///
    /// # Errors
    /// If the connection broke before.
    pub async fn output(mut self) -> Result<(Vec<u8>, Vec<u8>, Exit), Error> {
        let (stdout, stderr) = (self.stdout.take(), self.stderr.take());
        let (stdout, stderr, exit) = tokio::join!(read_all(stdout), read_all(stderr), self.wait());
        Ok((stdout, stderr, exit?))
    }
}

async fn read_all(from: Option<DuplexStream>) -> Vec<u8> {
    let mut whole = Vec::new();
    if let Some(mut from) = from {
        // Such a pipe ends; it doesn't fail.
        let _ = from.read_to_end(&mut whole).await;
    }
    whole
}

async fn run(
    socket: WebSocket,
    closes: bool,
    input: Option<DuplexStream>,
    mut output: Option<DuplexStream>,
    mut errors: Option<DuplexStream>,
    sizes: mpsc::Receiver<TerminalSize>,
) -> Result<Exit, Error> {
    let (sink, mut stream) = socket.split();
    let receiving = async {
        let mut status = BytesMut::new();
        loop {
            let message = match timeout(SILENCE, stream.next()).await {
                Ok(message) => message,
                Err(_) => return Err(Error::Timeout(SILENCE)),
            };
            let message = match message {
                Some(Ok(message)) => message,
                None => return exit::read(&status),
                // The status is the last thing that is said: the other side needn't wait for our farewell.
                Some(Err(_)) if !status.is_empty() => return exit::read(&status),
                Some(Err(error)) => return Err(error),
            };
            match message.split_first() {
                Some((&STDOUT, bytes)) => pass_on(&mut output, bytes).await,
                Some((&STDERR, bytes)) => pass_on(&mut errors, bytes).await,
                Some((&ERROR, bytes)) if status.len() + bytes.len() <= MAX_STATUS => {
                    status.extend_from_slice(bytes);
                }
                Some((&CLOSE, [STDOUT])) => output = None,
                Some((&CLOSE, [STDERR])) => errors = None,
                // What other channels there may be is not for us.
                _ => {}
            }
        }
    };
    tokio::select! {
        outcome = receiving => outcome,
        never = sending(sink, closes, input, sizes) => match never {},
    }
}

/// Writes output to whoever reads it. If nobody does, it is dropped from then on.
async fn pass_on(to: &mut Option<DuplexStream>, bytes: &[u8]) {
    if let Some(pipe) = to
        && pipe.write_all(bytes).await.is_err()
    {
        *to = None;
    }
}

enum Never {}

/// Sends input, sizes and questions. When sending fails it waits: what went wrong is seen by the one who receives.
async fn sending(
    mut sink: SplitSink<WebSocket, Outgoing>,
    closes: bool,
    mut input: Option<DuplexStream>,
    mut sizes: mpsc::Receiver<TerminalSize>,
) -> Never {
    let mut pings = interval_at(Instant::now() + PING_PERIOD, PING_PERIOD);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut has_sizes = true;
    let mut piece = vec![0; INPUT_PIECE];
    loop {
        let outgoing = tokio::select! {
            read = read_piece(&mut input, &mut piece) => match read {
                Some(bytes) => Outgoing::Data(on_channel(STDIN, bytes)),
                None => {
                    input = None;
                    if !closes {
                        continue;
                    }
                    Outgoing::Data(Bytes::from_static(&[CLOSE, STDIN]))
                }
            },
            size = sizes.recv(), if has_sizes => match size {
                Some(TerminalSize { width, height }) => {
                    let text = format!("{{\"Width\":{width},\"Height\":{height}}}\n");
                    Outgoing::Data(on_channel(RESIZE, text.as_bytes()))
                }
                None => {
                    has_sizes = false;
                    continue;
                }
            },
            _ = pings.tick() => Outgoing::Ping,
        };
        if sink.send(outgoing).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Returns the next input; none at its end. Without input it never comes.
async fn read_piece<'a>(input: &mut Option<DuplexStream>, piece: &'a mut [u8]) -> Option<&'a [u8]> {
    let Some(pipe) = input else { return std::future::pending().await };
    match pipe.read(piece).await {
        Ok(0) | Err(_) => None,
        Ok(length) => piece.get(..length),
    }
}

fn on_channel(channel: u8, bytes: &[u8]) -> Bytes {
    let mut message = BytesMut::with_capacity(bytes.len() + 1);
    message.put_u8(channel);
    message.put_slice(bytes);
    message.freeze()
}
