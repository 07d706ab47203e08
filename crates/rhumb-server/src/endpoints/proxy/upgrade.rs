//! Connections that go on in another protocol: commands, terminals and ports of pods, and whatever pods offer.
//!
//! The request goes to the other side with all that the client said. If the other side agrees, the two connections
//! are joined and nobody looks at what passes; if not, its answer is the client's.

use std::future::Future;
use std::time::Duration;

use http::{HeaderValue, Request, StatusCode, header};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncWriteExt, copy, split};
use tokio::time::timeout;

use super::exchange::{self, Passed, Working};
use super::network::{Connection, Stream, Target};
use crate::base::failure::{Failure, Outcome};
use crate::base::response::{Response, whole};
use crate::endpoints::context::RequestContext;
use crate::endpoints::proxy::{Network, Passing, errors};

/// How long a refusal may take from its first byte to its last.
const REFUSAL: Duration = Duration::from_secs(10);
/// How long the last bytes may take when one side is gone.
const FAREWELL: Duration = Duration::from_secs(5);

/// What a client wants of a container.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Channels {
    pub(super) stdin: bool,
    pub(super) stdout: bool,
    pub(super) stderr: bool,
    pub(super) tty: bool,
}

impl Channels {
    pub(super) fn parameters(self) -> Vec<(String, String)> {
        let all = [("error", self.stderr), ("input", self.stdin), ("output", self.stdout), ("tty", self.tty)];
        all.into_iter().filter(|(_, on)| *on).map(|(name, _)| (name.to_owned(), "1".to_owned())).collect()
    }
}

/// What the other side says to a request for another protocol.
pub(super) enum Said {
    /// It agrees.
    Yes(Box<Agreed>),
    /// It refuses, in these words.
    No(Response),
}

/// A protocol that both sides agreed on.
pub(super) struct Agreed {
    /// What the other side said.
    pub(super) head: http::response::Parts,
    /// Gives the connection.
    pub(super) upgrade: OnUpgrade,
    /// Keeps the connection until then.
    pub(super) working: Working,
}

/// Connects with somebody and asks for another protocol.
pub(super) async fn ask(
    network: &Network,
    mut passing: Passing,
    target: &Target,
    asked: &str,
) -> Outcome<Said> {
    let connection = network.connect(target).await;
    let connection: Connection =
        connection.map_err(|error| Failure::unexplained(format!("error dialing backend: {error}")))?;
    passing.add_forwarded_for();
    let mut request = Request::new(passing.body);
    *request.method_mut() = passing.method;
    *request.uri_mut() = asked.parse().map_err(Failure::internal)?;
    *request.headers_mut() = passing.headers;
    let host = passing.host.or_else(|| HeaderValue::try_from(target.authority()).ok());
    if let Some(host) = host {
        request.headers_mut().insert(header::HOST, host);
    }
    let sent = exchange::send(connection, request).await;
    let (mut answer, working) = sent.map_err(|error| Failure::unexplained(errors::exchange(&error)))?;
    if answer.status() == StatusCode::SWITCHING_PROTOCOLS {
        let upgrade = hyper::upgrade::on(&mut answer);
        let (head, _) = answer.into_parts();
        return Ok(Said::Yes(Box::new(Agreed { head, upgrade, working })));
    }
    if answer.status().as_u16() < 400 {
        let code = answer.status().as_u16();
        return Err(Failure::unexplained(format!("invalid upgrade response: status code {code}")));
    }
    let (mut head, body) = answer.into_parts();
    exchange::without_connection(&mut head.headers);
    // The client may have begun to speak its protocol already, so nothing else can follow.
    head.headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    let end = Box::pin(tokio::time::sleep(REFUSAL));
    let passed = Passed { body, _working: working, end: Some(end) };
    Ok(Said::No(Response::from_parts(head, passed.boxed())))
}

/// Passes a request for another protocol on, and joins the connections if the other side agrees.
pub(super) async fn pass(
    call: &RequestContext<'_>,
    mut passing: Passing,
    target: &Target,
    asked: &str,
) -> Outcome<Response> {
    let client = passing.upgrade.take();
    let agreed = match ask(&call.api.network, passing, target, asked).await? {
        Said::Yes(agreed) => agreed,
        Said::No(answer) => return Ok(answer),
    };
    let client = client.ok_or_else(|| Failure::unexplained("request connection cannot be hijacked"))?;
    let Agreed { head, upgrade, working } = *agreed;
    let closing = call.api.closing();
    call.api.tasks.spawn(async move {
        let both = async { (client.await, upgrade.await) };
        if let (Ok(client), Ok(other)) = both.await {
            join(TokioIo::new(client), TokioIo::new(other), closing).await;
        }
        drop(working);
    });
    Ok(Response::from_parts(head, whole(bytes::Bytes::new())))
}

/// Moves bytes both ways until one side has no more, or until the end of the server. Then both are closed, because
/// nobody could tell the one what the other left unsaid.
pub(super) async fn join(one: impl Stream, other: impl Stream, end: impl Future<Output = ()>) {
    let (mut from_one, mut to_one) = split(one);
    let (mut from_other, mut to_other) = split(other);
    tokio::select! {
        _ = copy(&mut from_one, &mut to_other) => {}
        _ = copy(&mut from_other, &mut to_one) => {}
        () = end => {}
    }
    let farewell = async {
        let _ = to_one.shutdown().await;
        let _ = to_other.shutdown().await;
    };
    // Whoever is gone already doesn't matter any more.
    let _ = timeout(FAREWELL, farewell).await;
}
