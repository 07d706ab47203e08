//! Visitors: composable streams of infos.

use std::collections::VecDeque;
use std::pin::Pin;

use rhumb_meta::{GroupVersion, GroupVersionKind};
use rhumb_scheme::Unstructured;
use serde_json::Value;

use super::info::is_list;
use super::sources::Locator;
use super::{Info, Step};
use crate::Failure;

/// Future of the next info.
pub type Next<'a> = Pin<Box<dyn Future<Output = Option<Result<Info, Failure>>> + 'a>>;

/// Stream of infos. It may continue after an error.
pub trait Visit {
    /// Returns the next info.
    fn next(&mut self) -> Next<'_>;
}

/// Replaces lists by their items.
pub struct Flattened {
    inner: Box<dyn Visit>,
    locator: Locator,
    ready: VecDeque<Result<Info, Failure>>,
}

impl Flattened {
    /// Takes the lists of a stream apart.
    pub(super) fn new(inner: Box<dyn Visit>, locator: Locator) -> Self {
        Flattened { inner, locator, ready: VecDeque::new() }
    }

    async fn advance(&mut self) -> Option<Result<Info, Failure>> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Some(ready);
            }
            let info = match self.inner.next().await? {
                Ok(info) => info,
                Err(error) => return Some(Err(error)),
            };
            if !info.object.as_ref().is_some_and(is_list) {
                return Some(Ok(info));
            }
            for object in items(&info) {
                let item = self.locator.locate(object, &info.origin).await;
                let item = item.map_err(|failure| failure.at(&info.origin));
                self.ready.push_back(item.map(|mut item| {
                    if !info.resource_version.is_empty() {
                        item.resource_version.clone_from(&info.resource_version);
                    }
                    item.accept.clone_from(&info.accept);
                    item.params.clone_from(&info.params);
                    item
                }));
            }
        }
    }
}

impl Visit for Flattened {
    fn next(&mut self) -> Next<'_> {
        Box::pin(self.advance())
    }
}

/// Returns the objects in a list and in the lists in it. Each says its kind: the list's says it for those that don't.
fn items(info: &Info) -> Vec<Unstructured> {
    let mut objects = Vec::new();
    let mut lists: VecDeque<Unstructured> = info.object.iter().cloned().collect();
    while let Some(list) = lists.pop_front() {
        let text = |field: &str| list.get(&[field]).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (version, kind) = (text("apiVersion"), text("kind"));
        let mut tree = list.into_tree();
        let items =
            tree.get_mut("items").and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default();
        for item in items {
            let Some(mut item) = Unstructured::new(item) else { continue };
            let names_kind = item.get(&["kind"]).and_then(Value::as_str).is_some_and(|kind| !kind.is_empty());
            if !names_kind && let Some(kind) = kind.strip_suffix("List").filter(|kind| !kind.is_empty()) {
                item.set(&["apiVersion"], Value::from(version.as_str()));
                item.set(&["kind"], Value::from(kind));
            }
            if is_list(&item) {
                lists.push_back(item);
            } else {
                objects.push(item);
            }
        }
    }
    objects
}

/// Applies steps to each info.
pub struct Decorated {
    inner: Box<dyn Visit>,
    steps: Vec<Step>,
}

impl Decorated {
    /// Does steps to the infos of a stream, in order.
    pub fn new(inner: Box<dyn Visit>, steps: Vec<Step>) -> Self {
        Decorated { inner, steps }
    }

    async fn advance(&mut self) -> Option<Result<Info, Failure>> {
        'infos: loop {
            let mut info = match self.inner.next().await? {
                Ok(info) => info,
                Err(error) => return Some(Err(error)),
            };
            for step in &self.steps {
                match step.apply(&mut info).await {
                    Ok(true) => {}
                    Ok(false) => continue 'infos,
                    Err(error) => return Some(Err(error.at(&info.origin))),
                }
            }
            return Some(Ok(info));
        }
    }
}

impl Visit for Decorated {
    fn next(&mut self) -> Next<'_> {
        Box::pin(self.advance())
    }
}

/// Returns the kind that an object says it has.
pub(super) fn kind_of(object: &Unstructured) -> GroupVersionKind {
    let text = |field: &str| object.get(&[field]).and_then(Value::as_str).unwrap_or_default();
    let version = GroupVersion::parse(text("apiVersion")).unwrap_or_default();
    version.with_kind(text("kind").to_owned())
}
