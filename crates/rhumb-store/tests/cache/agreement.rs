//! The cache compared with a model, above the store that meddles and above the embedded one.

use std::sync::Arc;

use rhumb_store::cache::At;
use rhumb_store::{Embedded, Key, Options};

use crate::concurrency::agree;
use crate::fake::Fake;
use crate::model::{Dice, Model, Tally, contents, run};
use crate::things::*;

#[tokio::test]
async fn watchers_and_lists_agree_with_a_model() {
    let mut all = Tally::default();
    for seed in 0..40 {
        let store = Arc::new(Fake::new());
        let tally = run(store.clone(), seed, |dice| match dice.roll(4) {
            0 | 1 => store.hold_watches(true),
            2 => store.hold_watches(false),
            _ => store.break_watches(),
        })
        .await;
        all.bookmarks += tally.bookmarks;
        all.cut += tally.cut;
    }
    assert!(all.bookmarks > 1000 && all.cut > 50, "the run saw too little: {all:?}");
}

#[tokio::test]
async fn watchers_and_lists_agree_with_a_model_on_the_embedded_store() {
    let mut all = Tally::default();
    for seed in 100..130 {
        let store = Embedded::in_memory(Options::default()).expect("it needs nothing");
        let tally = run(Arc::new(store), seed, |_| {}).await;
        all.bookmarks += tally.bookmarks;
        all.cut += tally.cut;
    }
    assert!(all.bookmarks > 500, "the run saw too little: {all:?}");
}

#[tokio::test]
async fn a_consistent_list_after_every_write_agrees_with_a_model() {
    let store = Arc::new(Fake::new());
    let mut dice = Dice(1);
    let mut model = Model::new();
    let cache = filled(store.clone(), config()).await;
    for _ in 0..300 {
        model.write(&*store, &mut dice).await;
        let listing = list(&cache, At::Newest, &Key::new(), 0).await.unwrap();
        assert_eq!(&contents(listing.items), model.at(model.newest()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn everyone_agrees_in_the_end_and_every_writer_reads_what_it_wrote() {
    agree(Arc::new(Embedded::in_memory(Options::default()).unwrap())).await;
}
