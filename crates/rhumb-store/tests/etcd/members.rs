//! Three members, of which one is killed.

use std::sync::Arc;
use std::time::Duration;

use rhumb_store::{Key, Revision, Store};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::faults::{Load, check};
use crate::server::{Server, connect};

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
