//! WebSockets, commands and forwarded ports, against servers that speak the protocols.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use rhumb_api::core::v1::PodExecOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

use super::server::{Server, Step, answer, head, json};
use super::{client, client_with};
use crate::Error;
use crate::config::{Auth, Config, Environment};
use crate::remote::{Exit, TerminalSize};
use crate::rest::Client;

type Socket = WebSocketStream<TcpStream>;

/// A server that makes a WebSocket of one connection, choosing a protocol if it is offered, and then does something.
async fn serve<F>(
    protocol: &'static str,
    work: impl FnOnce(Socket) -> F + Send + 'static,
) -> (Client, oneshot::Receiver<Request>)
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    let (tell, told) = oneshot::channel();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut tell = Some(tell);
        #[allow(clippy::result_large_err, reason = "the callback's type is the library's")]
        let choose = |request: &Request, mut response: Response| {
            let offered = request.headers().get("sec-websocket-protocol");
            let offered = offered.map(|value| value.to_str().unwrap()).unwrap_or_default();
            if offered.split(", ").any(|one| one == protocol) {
                response.headers_mut().insert("sec-websocket-protocol", protocol.parse().unwrap());
            }
            if let Some(tell) = tell.take() {
                let _ = tell.send(request.clone());
            }
            Ok(response)
        };
        let socket = tokio_tungstenite::accept_hdr_async(stream, choose).await.unwrap();
        work(socket).await;
    });
    let mut config = Config::new(format!("http://{address}").parse().unwrap());
    config.environment = Environment::empty();
    config.auth = Auth::Token("secret".into());
    config.timeout = Some(Duration::from_secs(30));
    (Client::new(config).unwrap(), told)
}

fn options() -> PodExecOptions {
    PodExecOptions {
        command: vec!["sh".into(), "-c".into(), "a b".into()],
        stdin: true,
        stdout: true,
        stderr: true,
        ..PodExecOptions::default()
    }
}

async fn next(socket: &mut Socket) -> Vec<u8> {
    loop {
        match socket.next().await.unwrap().unwrap() {
            Message::Binary(bytes) => return bytes.to_vec(),
            Message::Ping(_) | Message::Pong(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

async fn say(socket: &mut Socket, channel: u8, bytes: &[u8]) {
    let message = [&[channel], bytes].concat();
    socket.send(Message::Binary(message.into())).await.unwrap();
}

const FAILED: &[u8] =
    br#"{"metadata":{},"status":"Failure","message":"command terminated with non-zero exit code",
    "reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"3"}]}}"#;

#[tokio::test]
async fn a_command_gets_input_and_gives_output_and_an_exit_code() {
    let (client, told) = serve("v5.channel.k8s.io", async |mut socket: Socket| {
        let mut input = Vec::new();
        loop {
            match next(&mut socket).await.split_first().unwrap() {
                (0, bytes) => input.extend_from_slice(bytes),
                (255, [0]) => break,
                other => panic!("{other:?}"),
            }
        }
        say(&mut socket, 1, b"you said ").await;
        say(&mut socket, 2, b"oops").await;
        say(&mut socket, 1, &input).await;
        // Nobody knows this channel.
        say(&mut socket, 77, b"?").await;
        say(&mut socket, 3, &FAILED[..20]).await;
        say(&mut socket, 3, &FAILED[20..]).await;
        socket.close(Some(CloseFrame { code: 1000.into(), reason: "".into() })).await.unwrap();
        while socket.next().await.is_some() {}
    })
    .await;
    let mut command = client.exec("x", "web", &options()).await.unwrap();
    let mut stdin = command.stdin().unwrap();
    assert!(command.resizer().is_none());
    let long = "z".repeat(200_000);
    let writing = tokio::spawn(async move {
        stdin.write_all(long.as_bytes()).await.unwrap();
    });
    let (stdout, stderr, exit) = command.output().await.unwrap();
    writing.await.unwrap();
    assert_eq!(stdout.len(), "you said ".len() + 200_000);
    assert_eq!(stderr, b"oops");
    assert_eq!(exit, Exit::Code(3));
    let request = told.await.unwrap();
    assert_eq!(
        request.uri().to_string(),
        "/api/v1/namespaces/x/pods/web/exec?command=sh&command=-c&command=a+b&stderr=true&stdin=true&stdout=true"
    );
    assert_eq!(request.headers()["sec-websocket-protocol"], "v5.channel.k8s.io, v4.channel.k8s.io");
    assert_eq!(request.headers()["authorization"], "Bearer secret");
}

#[tokio::test]
async fn a_terminal_is_told_its_size_and_old_servers_are_spoken_to() {
    let (client, _) = serve("v4.channel.k8s.io", async |mut socket: Socket| {
        assert_eq!(next(&mut socket).await, b"\x04{\"Width\":80,\"Height\":24}\n");
        say(&mut socket, 1, b"$ ").await;
        say(&mut socket, 3, br#"{"status":"Success"}"#).await;
        socket.close(None).await.unwrap();
        while socket.next().await.is_some() {}
    })
    .await;
    let mut command = client.exec("x", "web", &PodExecOptions { tty: true, ..options() }).await.unwrap();
    assert!(command.stderr().is_none());
    command.resizer().unwrap().send(TerminalSize { width: 80, height: 24 }).await.unwrap();
    drop(command.stdin());
    let (stdout, _, exit) = command.output().await.unwrap();
    assert_eq!((&*stdout, exit.is_success()), (&b"$ "[..], true));
}

#[tokio::test]
async fn a_connection_that_breaks_is_no_success() {
    for number in 0..3 {
        let (client, _) = serve("v5.channel.k8s.io", async move |mut socket: Socket| {
            say(&mut socket, 1, b"half").await;
            match number {
                0 => drop(socket),
                1 => {
                    let frame = CloseFrame { code: 1011.into(), reason: "broken".into() };
                    socket.close(Some(frame)).await.unwrap();
                    while socket.next().await.is_some() {}
                }
                _ => {
                    say(&mut socket, 3, b"garbage").await;
                    socket.close(None).await.unwrap();
                    while socket.next().await.is_some() {}
                }
            }
        })
        .await;
        let error = client.exec("x", "web", &options()).await.unwrap().wait().await.unwrap_err();
        match number {
            2 => assert!(error.to_string().starts_with("error stream protocol error: "), "{error}"),
            _ => assert!(matches!(error, Error::Connection(_)), "{error:?}"),
        }
    }
}

#[tokio::test]
async fn output_that_nobody_wants_does_not_hold_the_command_up() {
    let (client, _) = serve("v5.channel.k8s.io", async |mut socket: Socket| {
        let much = vec![b'x'; 30_000];
        for _ in 0..100 {
            say(&mut socket, 1, &much).await;
        }
        say(&mut socket, 3, br#"{"status":"Success"}"#).await;
        socket.close(None).await.unwrap();
        while socket.next().await.is_some() {}
    })
    .await;
    let exit = client.exec("x", "web", &options()).await.unwrap().wait();
    let exit = tokio::time::timeout(Duration::from_secs(20), exit).await.expect("it hangs");
    assert!(exit.unwrap().is_success());
}

#[tokio::test]
async fn a_refusal_to_upgrade_is_a_status() {
    let status = r#"{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,
        "message":"no exec for you"}"#;
    let server = Server::start(move |number, _| match number {
        0 => json(403, status),
        1 => answer(400, &[("content-type", "text/plain")], "bad"),
        2 => json(200, "{}"),
        3 => {
            let headers =
                [("upgrade", "websocket"), ("connection", "upgrade"), ("sec-websocket-accept", "wrong")];
            vec![Step::Send(head(101, &headers))]
        }
        _ => vec![Step::Close],
    })
    .await;
    let exec = async || client(&server).exec("x", "web", &options()).await.unwrap_err();
    assert_eq!(exec().await.to_string(), "no exec for you");
    assert_eq!(
        exec().await.to_string(),
        "the server rejected our request for an unknown reason (get pods web)"
    );
    assert_eq!(exec().await.to_string(), "unable to upgrade connection: {}");
    assert!(matches!(exec().await, Error::Unexpected(_)));
    assert!(matches!(exec().await, Error::Connection(_)));
    let silent = Server::start(|_, _| vec![Step::Hang]).await;
    let client = client_with(&silent, |config| config.timeout = Some(Duration::from_millis(100)));
    assert!(client.exec("x", "web", &options()).await.unwrap_err().is_timeout());
}

fn control(kind: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).unwrap();
    [&[0x80, 3, 0, kind, 0, 0, 0, length], payload].concat()
}

fn data(stream: u8, last: bool, bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap().to_be_bytes();
    [&[0, 0, 0, stream, u8::from(last), 0, length[0], length[1]], bytes].concat()
}

/// The next frame: its kind (0 for data), its stream or first number, and the rest.
async fn frame(socket: &mut Socket) -> (u8, u8, Vec<u8>) {
    let bytes = next(socket).await;
    match bytes[0] {
        0x80 => (bytes[3], bytes[11], bytes[12..].to_vec()),
        _ => (0, bytes[3], bytes[8..].to_vec()),
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[tokio::test]
async fn ports_are_forwarded_through_one_connection() {
    let (client, told) = serve("SPDY/3.1+portforward.k8s.io", async |mut socket: Socket| {
        for (errors, stream, request) in [(1, 3, "0"), (5, 7, "1")] {
            let (kind, id, headers) = frame(&mut socket).await;
            assert_eq!((kind, id), (1, errors));
            assert!(contains(&headers, "error") && contains(&headers, "8080") && contains(&headers, request));
            let (kind, id, rest) = frame(&mut socket).await;
            assert_eq!((kind, id, rest.len()), (0, errors, 0));
            let (kind, id, headers) = frame(&mut socket).await;
            assert_eq!((kind, id), (1, stream));
            assert!(contains(&headers, "data"));
            // Two answers in one message, and a question.
            let reply = |id: u8| control(2, &[0, 0, 0, id]);
            let both = [reply(errors), reply(stream), control(6, &[0, 0, 0, 2])].concat();
            socket.send(Message::Binary(both.into())).await.unwrap();
        }
        let (mut pings, mut received) = (0, Vec::new());
        while received.len() < 5 || pings < 2 {
            match frame(&mut socket).await {
                (6, 2, _) => pings += 1,
                (0, 3, bytes) => received.extend_from_slice(&bytes),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(received, b"hello");
        // Bytes of a frame may come in any pieces.
        let answer = [data(3, false, b"world"), data(3, true, b""), data(1, true, b"")].concat();
        for piece in answer.chunks(5) {
            socket.send(Message::Binary(Bytes::copy_from_slice(piece))).await.unwrap();
        }
        let refused = [data(5, true, b"connection refused"), data(7, true, b"")].concat();
        socket.send(Message::Binary(refused.into())).await.unwrap();
        while let Some(Ok(message)) = socket.next().await {
            if message.is_close() {
                break;
            }
        }
    })
    .await;
    let mut forward = client.port_forward("x", "web").await.unwrap();
    let mut first = forward.open(8080).await.unwrap();
    let mut second = forward.open(8080).await.unwrap();
    first.write_all(b"hello").await.unwrap();
    let mut answer = String::new();
    first.read_to_string(&mut answer).await.unwrap();
    assert_eq!(answer, "world");
    first.finish().await.unwrap();
    assert_eq!(second.read(&mut [0; 8]).await.unwrap(), 0);
    assert_eq!(second.finish().await.unwrap_err().to_string(), "connection refused");
    assert_eq!(told.await.unwrap().uri().to_string(), "/api/v1/namespaces/x/pods/web/portforward");
    let ended = tokio::time::timeout(Duration::from_millis(50), forward.ended()).await;
    assert!(ended.is_err(), "the connection goes on");
}

#[tokio::test]
async fn a_lost_way_to_the_ports_is_seen_by_all() {
    let (client, _) = serve("SPDY/3.1+portforward.k8s.io", async |mut socket: Socket| {
        next(&mut socket).await;
    })
    .await;
    let mut forward = client.port_forward("x", "web").await.unwrap();
    let mut stream = forward.open(80).await.unwrap();
    assert_eq!(stream.read(&mut [0; 8]).await.unwrap(), 0);
    forward.ended().await;
    assert_eq!(
        forward.open(80).await.unwrap_err().chain(),
        "the server can't be reached: lost connection to pod"
    );
    let (client, _) = serve("other", async |_: Socket| {}).await;
    let error = client.port_forward("x", "web").await.unwrap_err();
    assert!(error.to_string().starts_with("unable to negotiate protocol"), "{error}");
}
