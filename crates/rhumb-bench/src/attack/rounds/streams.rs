//! Long and endless responses.

use std::time::{Duration, Instant};

use bytes::Bytes;
use h2::RecvStream;

use super::{Round, together, within};
use crate::attack::PROTOBUF;
use crate::attack::bodies::MERGE;
use crate::attack::tally::Ending;
use crate::attack::wire::{PATIENCE, Request};
use crate::server::https::JSON;

/// Number of watches, of watches per connection, and of watches that are read.
const WATCHES: usize = 3_000;
const FORMED: usize = 1_000;
const ON_A_CONNECTION: usize = 100;
const READ: usize = 200;
/// Number of changes of the watched object.
const WRITES: usize = 20;
/// Time that watches are held after the last change.
const HELD: Duration = Duration::from_secs(5);
const WEBSOCKETS: usize = 50;
/// `Accept` header of tables, as kubectl sends it.
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
/// Form of metadata alone, as those who collect garbage ask for them.
const METADATA: &str = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
/// Number of requests for documents.
const TURNS: usize = 12;

/// Changes the watched object some times.
async fn write(round: &Round, contents: &[Bytes; 2], times: usize) {
    let mut connection = None;
    for body in contents.iter().cycle().take(times) {
        let request = Request::new("PATCH", round.core("configmaps/watched"), MERGE, body.clone());
        round.exchange(&mut connection, &request, &round.by.who).await;
    }
}

pub(super) async fn watches(round: Round) {
    watch_all(&round, WATCHES, &[JSON], &round.by.bodies.watched).await;
}

/// Each of them has its events in a form that is made of the object.
pub(super) async fn formed_watches(round: Round) {
    watch_all(&round, FORMED, &[METADATA, TABLE], &round.by.bodies.noted).await;
}

/// Opens so many watches, each connection's in the next of some forms, reads few of them and changes what they watch.
async fn watch_all(round: &Round, count: usize, forms: &[&'static str], contents: &[Bytes; 2]) {
    let (count, read) = (round.count(count), round.count(READ));
    let connections = count.div_ceil(ON_A_CONNECTION);
    let mut open = Vec::new();
    for (connection, form) in forms.iter().copied().cycle().take(connections).enumerate() {
        let of_this = ON_A_CONNECTION.min(count - connection * ON_A_CONNECTION);
        open.extend(watch(round, form, of_this).await);
    }
    // Those that nobody reads stay as they are; dropping them ends them, as it does the tasks that read.
    let mut open = open.into_iter();
    let mut readers = tokio::task::JoinSet::new();
    for mut body in open.by_ref().take(read) {
        readers.spawn(async move {
            while let Some(Ok(data)) = body.data().await {
                if body.flow_control().release_capacity(data.len()).is_err() {
                    break;
                }
            }
        });
    }
    let unread: Vec<RecvStream> = open.collect();
    write(round, contents, WRITES).await;
    tokio::time::sleep(HELD).await;
    drop((unread, readers));
}

/// Opens so many watches in a form on a connection.
async fn watch(round: &Round, form: &'static str, count: usize) -> Vec<RecvStream> {
    let begun = Instant::now();
    let path = round.core("configmaps?watch=true&resourceVersion=0&timeoutSeconds=60");
    let request = Request::get(path).with("accept", form);
    let builder = h2::client::Builder::new();
    let sender = match within(PATIENCE, round.by.target.connect_http2(&builder)).await {
        Ok(sender) => sender,
        Err(ending) => {
            round.note(ending, begun);
            return Vec::new();
        }
    };
    let mut open = Vec::new();
    let mut asked = Vec::new();
    for _ in 0..count {
        let Ok(request) = request.for_http2(&round.by.who) else { break };
        let ready = tokio::time::timeout(PATIENCE, sender.clone().ready()).await;
        let Some(mut sender) = ready.ok().and_then(Result::ok) else { break };
        let Ok((response, _)) = sender.send_request(request, true) else { break };
        asked.push(response);
    }
    for response in asked {
        match tokio::time::timeout(PATIENCE, response).await {
            Ok(Ok(response)) => {
                round.note(Ending::Status(response.status().as_u16()), begun);
                open.push(response.into_body());
            }
            Ok(Err(_)) => round.note(Ending::Closed, begun),
            Err(_) => round.note(Ending::Late, begun),
        }
    }
    open
}

pub(super) async fn websockets(round: Round) {
    let request = Request::get(round.core("configmaps?watch=true&resourceVersion=0"))
        .with("connection", "Upgrade")
        .with("upgrade", "websocket")
        .with("sec-websocket-version", "13")
        .with("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
        .with("origin", "https://localhost");
    let (round, request) = (&round, &request);
    together(round.count(WEBSOCKETS) + 1, |number| async move {
        if number == 0 {
            tokio::time::sleep(Duration::from_secs(2)).await;
            return write(round, &round.by.bodies.watched, WRITES / 4).await;
        }
        let held = |mut connection: crate::attack::wire::Connection| async move {
            connection.send(request, &round.by.who).await?;
            let head = connection.head().await?;
            let (status, _) = crate::server::https::head_length(&head)?;
            if status == 101 {
                tokio::time::sleep(HELD * 2).await;
            }
            Ok(Ending::Status(status))
        };
        round.alone(held).await;
    })
    .await;
}

pub(super) async fn lists(round: Round) {
    let paths = [
        round.core("configmaps"),
        round.core("configmaps?resourceVersion=0"),
        round.core("pods"),
        round.core("services"),
        round.core("secrets"),
        round.core("events"),
        round.of_group("apps/v1", "deployments"),
        round.of_group("attack.example.com/v1", "bombs"),
        // What an attacker may not see is asked for, too.
        "/api/v1/configmaps".to_owned(),
    ];
    let (round, paths) = (&round, &paths);
    together(4, |lane| async move {
        let mut connection = None;
        for (number, path) in paths.iter().cycle().take(3 * paths.len()).enumerate() {
            let form = [JSON, PROTOBUF, TABLE].get((number + lane) % 3).copied().unwrap_or(JSON);
            let mut request = Request::get(path.as_str()).with("accept", form);
            if (number + lane).is_multiple_of(2) {
                request = request.with("accept-encoding", "gzip");
            }
            round.exchange(&mut connection, &request, &round.by.who).await;
        }
    })
    .await;
}

/// The administrator makes and deletes a definition meanwhile, so that documents are made anew.
pub(super) async fn documents(round: Round) {
    let round = &round;
    together(5, |lane| async move {
        let mut connection = None;
        for turn in 0..TURNS {
            if lane == 0 {
                let (plural, body) = crate::attack::prepare::passing(round.by.number, round.chance);
                let path = crate::attack::prepare::DEFINITIONS;
                let create = Request::create(path, body);
                let delete = Request::new("DELETE", format!("{path}/{plural}"), JSON, Bytes::new());
                let request = if turn.is_multiple_of(2) { create } else { delete };
                round.exchange(&mut connection, &request, &round.by.admin).await;
                tokio::time::sleep(Duration::from_millis(500)).await;
                continue;
            }
            let forms = [JSON, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"];
            let form = forms.get((turn + lane) % 2).copied().unwrap_or(JSON);
            let mut request = Request::get("/openapi/v2").with("accept", form);
            if lane.is_multiple_of(2) {
                request = request.with("accept-encoding", "gzip");
            }
            round.exchange(&mut connection, &request, &round.by.who).await;
        }
    })
    .await;
}
