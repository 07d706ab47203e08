//! Slow clients: slow headers, slow bodies, slow readers.

use std::time::{Duration, Instant};

use super::{Round, together, within};
use crate::attack::tally::Ending;
use crate::attack::wire::{Connection, Request};

const CONNECTIONS: usize = 40;
/// Number of parts sent, and the pause between them.
const PARTS: usize = 30;
const PAUSE: Duration = Duration::from_millis(500);
/// Number of clients that don't read, how much they request, and how long they stay.
const READERS: usize = 20;
const ASKED: usize = 20;
const UNREAD: Duration = Duration::from_secs(20);

/// Sends parts with pauses, until the server has something to say or has had enough.
async fn drip(mut connection: Connection, part: impl Fn(usize) -> Vec<u8>) -> std::io::Result<Ending> {
    for number in 0..PARTS {
        connection.send_bytes(&part(number)).await?;
        if let Ok(answer) = tokio::time::timeout(PAUSE, connection.answer(0)).await {
            return Ok(Ending::Status(answer?.status));
        }
    }
    Ok(Ending::HungUp)
}

pub(super) async fn heads(round: Round) {
    let round = &round;
    together(round.count(CONNECTIONS), |_| async move {
        let begin = format!("GET {} HTTP/1.1\r\nHost: localhost\r\n", round.core("configmaps"));
        let line = |number| match number {
            0 => begin.clone().into_bytes(),
            _ => format!("X-Line-{number}: x\r\n").into_bytes(),
        };
        round.alone(|connection| drip(connection, line)).await;
    })
    .await;
}

pub(super) async fn bodies(round: Round) {
    let request = Request::create(round.core("configmaps"), round.by.bodies.slow.clone());
    let (round, request) = (&round, &request);
    together(round.count(CONNECTIONS), |_| async move {
        let part = |number: usize| match number {
            0 => request.head(&round.by.who, request.body.len()),
            _ => request.body.get((number - 1) << 10..number << 10).unwrap_or_default().to_vec(),
        };
        round.alone(|connection| drip(connection, part)).await;
    })
    .await;
}

pub(super) async fn readers(round: Round) {
    let request = Request::get(round.core("configmaps"));
    let all = request.head(&round.by.who, 0).repeat(ASKED);
    let (round, all) = (&round, &all);
    together(round.count(READERS), |_| async move {
        let begun = Instant::now();
        let asked = async {
            let mut connection = round.by.target.connect_narrow().await?;
            connection.send_bytes(all).await?;
            tokio::time::sleep(UNREAD).await;
            Ok(Ending::Unread)
        };
        round.note(within(UNREAD * 3, asked).await.unwrap_or_else(|ending| ending), begun);
    })
    .await;
}
