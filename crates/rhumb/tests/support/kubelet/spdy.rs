//! The server's side of SPDY/3.1, as far as commands and ports need it.
//!
//! Headers are read with SPDY's dictionary, which Kubernetes' own clients use, or without it as Rhumb's are.

use std::collections::HashMap;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use flate2::{Decompress, FlushDecompress};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::sync::mpsc;

use super::run::{Said, Task, run};

/// What compressed headers may refer to, by the specification.
static DICTIONARY: &[u8] = include_bytes!("spdy_dictionary.bin");

const LAST: u32 = 1 << 24;

/// Something that a client does.
#[derive(Debug)]
enum Event {
    Open(u32, HashMap<String, String>),
    Data(u32, Bytes),
    End(u32),
    Ping(u32),
}

fn frame(first: u32, flags: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = Vec::new();
    frame.put_u32(first);
    frame.put_u32(flags | u32::try_from(payload.len()).unwrap());
    frame.put_slice(payload);
    frame
}

/// Reads what a client does and hands it over.
async fn read(mut from: impl AsyncRead + Unpin, events: mpsc::Sender<Event>) {
    let mut headers = None;
    let mut buffer = BytesMut::new();
    loop {
        while let Some(event) = next(&mut buffer, &mut headers) {
            for event in event {
                if events.send(event).await.is_err() {
                    return;
                }
            }
        }
        if !matches!(from.read_buf(&mut buffer).await, Ok(1..)) {
            return;
        }
    }
}

fn next(buffer: &mut BytesMut, headers: &mut Option<Decompress>) -> Option<Vec<Event>> {
    let mut head = buffer.get(..8)?;
    let (first, second) = (head.get_u32(), head.get_u32());
    let length = usize::try_from(second & 0x00ff_ffff).unwrap();
    buffer.get(8..8 + length)?;
    buffer.advance(8);
    let mut payload = buffer.split_to(length).freeze();
    let is_last = second & LAST != 0;
    Some(match first {
        0x8003_0001 => {
            let stream = payload.get_u32();
            payload.advance(6);
            let mut events = vec![Event::Open(stream, unpacked(&payload, headers))];
            events.extend(is_last.then_some(Event::End(stream)));
            events
        }
        0x8003_0003 => vec![Event::End(payload.get_u32())],
        0x8003_0006 => vec![Event::Ping(payload.get_u32())],
        stream if stream < 1 << 31 => {
            let mut events = vec![Event::Data(stream, payload)];
            events.extend(is_last.then_some(Event::End(stream)));
            events
        }
        _ => Vec::new(),
    })
}

/// Begins to read a stream of compressed headers; what is left is the first block without the stream's head.
fn begun(packed: &mut &[u8]) -> Decompress {
    let uses_dictionary = packed.get(1).is_some_and(|flags| flags & 0x20 != 0);
    packed.advance(if uses_dictionary { 6 } else { 2 });
    let mut headers = Decompress::new(false);
    if uses_dictionary {
        // A block that is stored as it is has the same effect as a dictionary that was agreed on.
        let length = u16::try_from(DICTIONARY.len()).unwrap();
        let head = [&[0][..], &length.to_le_bytes(), &(!length).to_le_bytes()].concat();
        let mut plain = Vec::with_capacity(DICTIONARY.len() + 64);
        headers.decompress_vec(&[&head, DICTIONARY].concat(), &mut plain, FlushDecompress::Sync).unwrap();
    }
    headers
}

fn unpacked(mut packed: &[u8], headers: &mut Option<Decompress>) -> HashMap<String, String> {
    let headers = headers.get_or_insert_with(|| begun(&mut packed));
    let mut plain = Vec::with_capacity(packed.len() + 1024);
    headers.decompress_vec(packed, &mut plain, FlushDecompress::Sync).unwrap();
    let mut plain = plain.as_slice();
    let count = plain.get_u32();
    let mut text = || {
        let length = usize::try_from(plain.get_u32()).unwrap();
        let (text, rest) = plain.split_at(length);
        plain = rest;
        String::from_utf8(text.to_vec()).unwrap()
    };
    (0..count).map(|_| (text().to_ascii_lowercase(), text())).collect()
}

/// Agrees to streams, with headers that say nothing and are stored as they are.
#[derive(Default)]
struct Replies {
    have_begun: bool,
}

impl Replies {
    fn next(&mut self, stream: u32) -> Vec<u8> {
        let head: &[u8] = if std::mem::replace(&mut self.have_begun, true) { &[] } else { &[0x78, 0x01] };
        // After an empty block a reader hands over what came before.
        let headers = [0, 4, 0, 0xfb, 0xff, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
        frame(0x8003_0002, 0, &[&stream.to_be_bytes(), head, &headers[..]].concat())
    }
}

/// Runs a command when all its streams are there.
pub(super) async fn command(io: impl AsyncRead + AsyncWrite + Unpin, task: Task, expected: usize) {
    let (from, mut to) = split(io);
    let (tell, mut events) = mpsc::channel(8);
    let (input, sent) = mpsc::channel(1024);
    let (out, mut said) = mpsc::channel::<Said>(8);
    let mut input = Some(input);
    let work = async {
        let mut streams: HashMap<u32, u8> = HashMap::new();
        let mut running = std::pin::pin!(run(task, sent, out));
        let mut has_ended = false;
        let mut waiting = Vec::new();
        let mut replies = Replies::default();
        loop {
            tokio::select! {
                event = events.recv() => match event {
                    None => return,
                    Some(Event::Open(stream, headers)) => {
                        let channels = ["stdin", "stdout", "stderr", "error", "resize"];
                        let channel = channels.iter().position(|name| headers["streamtype"] == **name).unwrap();
                        streams.insert(stream, u8::try_from(channel).unwrap());
                        if to.write_all(&replies.next(stream)).await.is_err() {
                            // Whoever asked has gone again.
                            return;
                        }
                    }
                    Some(Event::Data(stream, bytes)) => waiting.push((streams[&stream], Some(bytes))),
                    Some(Event::End(stream)) => {
                        if streams.get(&stream) == Some(&0) {
                            waiting.push((0, None));
                        }
                    }
                    Some(Event::Ping(id)) => {
                        if to.write_all(&frame(0x8003_0006, 0, &id.to_be_bytes())).await.is_err() {
                            return;
                        }
                    }
                },
                () = &mut running, if streams.len() == expected && !has_ended => has_ended = true,
                next = said.recv() => {
                    let Some((channel, bytes)) = next else { break };
                    let found = streams.iter().find(|(_, known)| **known == channel).map(|(stream, _)| *stream);
                    if let Some(stream) = found
                        && to.write_all(&frame(stream, 0, &bytes)).await.is_err()
                    {
                        return;
                    }
                }
            }
            for (channel, bytes) in waiting.drain(..) {
                match (bytes, &input) {
                    (None, _) => input = None,
                    (Some(bytes), Some(input)) => drop(input.try_send((channel, bytes))),
                    _ => {}
                }
            }
        }
        for stream in streams.keys() {
            let reset = [stream.to_be_bytes(), 5u32.to_be_bytes()].concat();
            to.write_all(&frame(0x8003_0003, 0, &reset)).await.unwrap();
        }
        to.shutdown().await.unwrap();
        // The other side closes when it has read all this.
        while events.recv().await.is_some() {}
    };
    tokio::join!(read(from, tell), work);
}

/// Echoes what comes for ports.
pub(super) async fn forward(io: impl AsyncRead + AsyncWrite + Unpin) {
    let (from, mut to) = split(io);
    let (tell, mut events) = mpsc::channel(8);
    let work = async {
        let mut errors: HashMap<String, u32> = HashMap::new();
        let mut requests: HashMap<u32, String> = HashMap::new();
        let mut replies = Replies::default();
        while let Some(event) = events.recv().await {
            let frames = match event {
                Event::Open(stream, headers) => {
                    let request = headers["requestid"].clone();
                    let mut frames = replies.next(stream);
                    if headers["streamtype"] == "error" {
                        errors.insert(request, stream);
                    } else if headers["port"] == "9" {
                        let told = frame(errors[&request], LAST, b"connection refused");
                        frames = [frames, told, frame(stream, LAST, b"")].concat();
                    } else {
                        requests.insert(stream, request);
                    }
                    frames
                }
                Event::Data(stream, bytes) if requests.contains_key(&stream) => frame(stream, 0, &bytes),
                Event::End(stream) => match requests.remove(&stream) {
                    Some(request) => [frame(stream, LAST, b""), frame(errors[&request], LAST, b"")].concat(),
                    None => Vec::new(),
                },
                Event::Ping(id) => frame(0x8003_0006, 0, &id.to_be_bytes()),
                Event::Data(..) => Vec::new(),
            };
            if to.write_all(&frames).await.is_err() || to.flush().await.is_err() {
                return;
            }
        }
    };
    tokio::join!(read(from, tell), work);
}
