//! Small or allowed requests that cause much work.

use std::time::{Duration, Instant};

use super::{Round, together, within};
use crate::attack::bodies::{APPLY, JSON_PATCH, MERGE, STRATEGIC, YAML};
use crate::attack::tally::Ending;
use crate::attack::wire::Request;

/// Number of concurrent heavy requests.
const AT_ONCE: usize = 8;
/// Number of clients that don't read, and for how long.
const UNREAD: usize = 15;
const UNREAD_FOR: Duration = Duration::from_secs(10);
/// How long there is for the garbage of a round.
const COLLECTED: Duration = Duration::from_secs(3);
/// Time after which impatient clients disconnect.
const IMPATIENCE: Duration = Duration::from_millis(300);
/// Number of impatient clients.
const IMPATIENT: usize = 4;

pub(super) async fn strategic(round: Round) {
    let request =
        Request::new("PATCH", round.core("pods/target"), STRATEGIC, round.by.bodies.strategic.clone());
    round.ask_at_once(AT_ONCE, &request).await;
}

pub(super) async fn spread(round: Round) {
    let request = Request::create(round.core("pods"), round.by.bodies.spread.clone());
    round.ask_at_once(AT_ONCE, &request).await;
}

pub(super) async fn owners(round: Round) {
    let request = Request::create(round.core("configmaps"), round.by.bodies.owners.clone());
    let (round, request) = (&round, &request);
    together(2, |_| async move {
        for _ in 0..IMPATIENT {
            let sent = |mut connection: crate::attack::wire::Connection| async move {
                connection.send(request, &round.by.who).await?;
                Ok(match tokio::time::timeout(IMPATIENCE, connection.answer(0)).await {
                    Ok(answer) => Ending::Status(answer?.status),
                    Err(_) => Ending::HungUp,
                })
            };
            round.alone(sent).await;
        }
    })
    .await;
}

pub(super) async fn json_patches(round: Round) {
    let path = round.of_group("apps/v1", "deployments/long");
    let request = Request::new("PATCH", path, JSON_PATCH, round.by.bodies.inserts.clone());
    round.ask_at_once(AT_ONCE, &request).await;
}

/// Half of the time it is not to be stored, so that it is merged with nothing each time; else it may stay.
pub(super) async fn apply(round: Round) {
    let dry = if round.chance.is_multiple_of(2) { "&dryRun=All" } else { "" };
    let path = round.core(&format!("pods/applied?fieldManager=attack&force=true{dry}"));
    let request = Request::new("PATCH", path, APPLY, round.by.bodies.apply.clone());
    round.ask_at_once(AT_ONCE / 2, &request).await;
}

/// Merges large patches. One client reads its response, to check it; others don't.
pub(super) async fn merges(round: Round) {
    let request = Request::new("POST", round.core("pods"), YAML, round.by.bodies.merges.clone());
    let (round, request) = (&round, &request);
    together(UNREAD + 1, |number| async move {
        if number == 0 {
            drop(round.ask(request).await);
            return;
        }
        let begun = Instant::now();
        let sent = async {
            let mut connection = round.by.target.connect_narrow().await?;
            connection.send(request, &round.by.who).await?;
            tokio::time::sleep(UNREAD_FOR).await;
            Ok(Ending::Unread)
        };
        round.note(within(UNREAD_FOR * 3, sent).await.unwrap_or_else(|ending| ending), begun);
    })
    .await;
}

pub(super) async fn defaults(round: Round) {
    let request =
        Request::create(round.of_group("attack.example.com/v1", "bombs"), round.by.bodies.defaults.clone());
    round.ask_at_once(AT_ONCE / 4, &request).await;
}

/// Half of the time of so few items that the object may be stored, and is merged with what is there from then on.
pub(super) async fn keys(round: Round) {
    let [many, few] = &round.by.bodies.keys;
    let body = if round.chance.is_multiple_of(2) { many } else { few };
    let path = round.of_group("attack.example.com/v1", "keyeds/keyed?fieldManager=attack&force=true");
    let request = Request::new("PATCH", path, APPLY, body.clone());
    round.ask_at_once(AT_ONCE / 2, &request).await;
}

pub(super) async fn roles(round: Round) {
    let [own, others] = &round.by.bodies.roles;
    let body = if round.chance.is_multiple_of(2) { own } else { others };
    let request = Request::create(round.of_group("rbac.authorization.k8s.io/v1", "roles"), body.clone());
    round.ask_at_once(AT_ONCE / 2, &request).await;
}

/// They are stored this time, so that whoever collects garbage looks for their owners.
pub(super) async fn absent_owners(round: Round) {
    let request = Request::create(round.core("configmaps"), round.by.bodies.owners.clone());
    round.ask_at_once(2, &request).await;
    tokio::time::sleep(COLLECTED).await;
}

/// As they come from clients that pack what they send, in every way to write.
pub(super) async fn packed(round: Round) {
    let packed = &round.by.bodies.packed;
    let (round, requests) = (
        &round,
        &[
            Request::create(round.core("configmaps"), packed.clone()),
            Request::new("POST", round.core("configmaps"), YAML, packed.clone()),
            Request::new("PATCH", round.core("configmaps/watched"), MERGE, packed.clone()),
            Request::new("PATCH", round.core("configmaps/watched?fieldManager=a"), APPLY, packed.clone()),
        ],
    );
    together(requests.len() * 2, |number| async move {
        let Some(request) = requests.get(number / 2) else { return };
        round.ask(&request.clone().with("content-encoding", "gzip")).await;
    })
    .await;
}

pub(super) async fn patterns(round: Round) {
    let request =
        Request::create(round.of_group("attack.example.com/v1", "patterns"), round.by.bodies.pattern.clone());
    round.ask_at_once(AT_ONCE / 2, &request).await;
}

pub(super) async fn bodies(round: Round) {
    let round = &round;
    together(2, |lane| async move {
        let mut connection = None;
        for &(content_type, ref body) in round.by.bodies.odd.iter().skip(lane).step_by(2) {
            let request = Request::new("POST", round.core("configmaps"), content_type, body.clone());
            round.exchange(&mut connection, &request, &round.by.who).await;
        }
    })
    .await;
}

pub(super) async fn selectors(round: Round) {
    let round = &round;
    together(round.by.bodies.selectors.len(), |lane| async move {
        let Some(selector) = round.by.bodies.selectors.get(lane) else { return };
        let mut connection = None;
        for query in ["", "&limit=10", "&watch=true&timeoutSeconds=2", "&resourceVersion=0"] {
            let request = Request::get(round.core(&format!("configmaps?{selector}{query}")));
            round.exchange(&mut connection, &request, &round.by.who).await;
        }
    })
    .await;
}
