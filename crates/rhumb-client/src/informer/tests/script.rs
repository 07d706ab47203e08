//! A source that answers what a test wrote down, and remembers what it was asked.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_core::future::BoxFuture;
use futures_util::{StreamExt, stream};
use parking_lot::Mutex;
use rhumb_meta::ListMeta;
use rhumb_meta::v1::ListOptions;
use tokio::time::Instant;

use super::{EventStream, ListerWatcher, Thing, boxed};
use crate::{Error, List, WatchEvent};

/// One answer. When there are none left, requests wait for ever.
pub(super) enum Answer {
    List(Result<List<Thing>, Error>),
    /// What the stream sends, and whether it ends then or stays open.
    Watch(Vec<Result<WatchEvent<Thing>, Error>>, Then),
    Refuse(Error),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    End,
    Stay,
}

/// A request, with the moment it came in.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) at: Instant,
    pub(super) verb: &'static str,
    pub(super) options: ListOptions,
}

impl Asked {
    /// The parts that tests look at: `list rv=0 limit=500`.
    pub(super) fn summary(&self) -> String {
        let mut text = format!("{} rv={}", self.verb, self.options.resource_version);
        if self.options.limit != 0 {
            text += &format!(" limit={}", self.options.limit);
        }
        if !self.options.continue_.is_empty() {
            text += &format!(" continue={}", self.options.continue_);
        }
        if self.options.send_initial_events == Some(true) {
            text += &format!(" initial match={}", self.options.resource_version_match);
        }
        text
    }
}

#[derive(Clone, Default)]
pub(super) struct Script {
    answers: Arc<Mutex<VecDeque<Answer>>>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Script {
    pub(super) fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        Script { answers: Arc::new(Mutex::new(answers.into_iter().collect())), asked: Arc::default() }
    }

    pub(super) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().clone()
    }

    pub(super) fn summaries(&self) -> Vec<String> {
        self.asked().iter().map(Asked::summary).collect()
    }

    fn next(&self, verb: &'static str, options: ListOptions) -> Option<Answer> {
        self.asked.lock().push(Asked { at: Instant::now(), verb, options });
        self.answers.lock().pop_front()
    }
}

impl ListerWatcher<Thing> for Script {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<List<Thing>, Error>> {
        Box::pin(async move {
            match self.next("list", options) {
                Some(Answer::List(answer)) => answer,
                Some(Answer::Refuse(error)) => Err(error),
                Some(Answer::Watch(..)) => panic!("the script has a watch where a list was asked for"),
                None => std::future::pending().await,
            }
        })
    }

    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<EventStream<Thing>, Error>> {
        Box::pin(async move {
            match self.next("watch", options) {
                Some(Answer::Watch(events, Then::End)) => Ok(stream::iter(events).map(boxed).boxed()),
                Some(Answer::Watch(events, Then::Stay)) => {
                    Ok(stream::iter(events).map(boxed).chain(stream::pending()).boxed())
                }
                Some(Answer::Refuse(error)) => Err(error),
                Some(Answer::List(_)) => panic!("the script has a list where a watch was asked for"),
                None => std::future::pending().await,
            }
        })
    }
}

/// A page of a list.
pub(super) fn page(revision: u64, things: Vec<Thing>, more: &str) -> Answer {
    let metadata = ListMeta {
        resource_version: revision.to_string(),
        continue_: more.to_owned(),
        ..ListMeta::default()
    };
    Answer::List(Ok(List { metadata, items: things }))
}

pub(super) fn bookmark(revision: u64, end: bool) -> Result<WatchEvent<Thing>, Error> {
    Ok(WatchEvent::Bookmark { resource_version: revision.to_string(), initial_events_end: end })
}

pub(super) fn cut() -> Error {
    Error::Connection(Box::new(std::io::Error::from(std::io::ErrorKind::ConnectionReset)))
}
