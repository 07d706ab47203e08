//! Three members, of which one is killed.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rhumb_store::etcd::wording;
use rhumb_store::{Key, Outcome, Revision, Store, StoreError, Transaction};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::faults::{Load, check};
use crate::server::{Server, commit, connect, key};

/// Whether a member leads, as its metrics tell.
async fn leads(member: &Server) -> bool {
    let ask = async {
        let mut stream = TcpStream::connect(("127.0.0.1", member.port)).await?;
        stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        std::io::Result::Ok(answer)
    };
    ask.await.is_ok_and(|answer| answer.lines().any(|line| line == "etcd_server_is_leader 1"))
}

async fn leader(members: &[Server]) -> usize {
    let found = async {
        loop {
            for (index, member) in members.iter().enumerate() {
                if leads(member).await {
                    return index;
                }
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_secs(60), found).await.expect("no member leads")
}

#[tokio::test(flavor = "multi_thread")]
async fn when_the_leader_is_killed_the_others_go_on() {
    let mut members = Server::start_three();
    let store = Arc::new(connect(members.iter().map(Server::endpoint)).await);
    let mut watch = store.watch(Key::new(), Revision::ZERO).await.unwrap();
    let load = Load::start(&store, 4);
    for _ in 0..2 {
        load.proceed(40).await;
        let leader = leader(&members).await;
        members[leader].kill();
        load.proceed(40).await;
        members[leader].run();
    }
    load.proceed(40).await;
    let acknowledged = load.finish().await;
    check(&store, &acknowledged, &mut watch).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_three_alone_answers_that_it_takes_too_long() {
    let mut members = Server::start_three();
    let store = connect(members.iter().map(Server::endpoint)).await;
    commit(&store, Transaction::create(key("/a"), Bytes::new())).await;
    members[0].kill();
    members[1].kill();
    let create = || store.commit(Transaction::create(key("/b"), Bytes::new()));
    let patience = Duration::from_secs(60);
    let refused = async {
        loop {
            // A connection to one of the dead may break only now.
            match create().await {
                Err(StoreError::Unavailable(_)) => {}
                other => break other,
            }
        }
    };
    let error = timeout(patience, refused).await.expect("an answer").expect_err("two are dead");
    assert_eq!(error, StoreError::Timeout);
    assert_eq!(wording(&error), "etcdserver: request timed out");
    members[0].run();
    // Whether the write happened was not known; now it can be found out.
    let answered = async {
        loop {
            if let Ok(outcome) = create().await {
                break outcome;
            }
        }
    };
    let outcome = timeout(patience, answered).await.expect("two of three can go on");
    let (found, _) = store.get(key("/b"), None).await.unwrap();
    match outcome {
        Outcome::Committed(committed) => assert_eq!(committed.entries, [found]),
        Outcome::Refused { found: there, .. } => assert_eq!(there, [found]),
    }
}
