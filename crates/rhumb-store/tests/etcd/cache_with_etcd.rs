//! The cache above a real etcd: the same comparisons as above the embedded store.

use std::sync::Arc;

use crate::concurrency::agree;
use crate::model::{Tally, run};
use crate::server::Server;

#[tokio::test]
async fn watchers_and_lists_agree_with_a_model_above_etcd() {
    let mut all = Tally::default();
    for seed in 200..206 {
        let server = Server::start();
        let tally = run(Arc::new(server.connect().await), seed, |_| {}).await;
        all.bookmarks += tally.bookmarks;
        all.cut += tally.cut;
    }
    assert!(all.bookmarks > 50, "the run saw too little: {all:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn everyone_agrees_in_the_end_above_etcd() {
    let server = Server::start();
    agree(Arc::new(server.connect().await)).await;
}
