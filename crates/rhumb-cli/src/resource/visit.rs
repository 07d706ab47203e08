//! Visitors: streams of infos, composed.

use std::collections::VecDeque;
use std::pin::Pin;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use rhumb_meta::labels::Selector;
use rhumb_meta::{GroupVersion, GroupVersionKind};
use rhumb_scheme::Unstructured;
use serde_json::Value;

use super::Info;
use super::info::is_list;
use super::sources::Locator;
use crate::Failure;

/// The next info of a stream, some time.
pub type Next<'a> = Pin<Box<dyn Future<Output = Option<Result<Info, Failure>>> + 'a>>;

/// A stream of infos. After a failure it goes on with what comes next, if there is anything.
pub trait Visit {
    /// The next info.
    fn next(&mut self) -> Next<'_>;
}

/// Takes lists apart: each object in them is an info of its own.
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

/// The objects in a list and in the lists in it. Each says its kind: the list's says it for those that don't.
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

/// One thing that is done to each info.
#[derive(Clone)]
pub enum Step {
    /// Asks for another form than the object itself, with some parameters.
    Ask(Option<String>, Vec<(&'static str, String)>),
    /// Gives those without a namespace this one.
    SetNamespace(String),
    /// The same, and refuses those with another.
    RequireNamespace(String),
    /// Takes the namespace from what has none.
    FilterNamespace,
    /// Fetches the object, whether it is there or not.
    RetrieveLatest,
    /// Fetches the object if it is not there.
    RetrieveLazily,
    /// Leaves out objects that a selector doesn't choose.
    Select(Selector),
}

/// Does some steps to each info.
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

impl Step {
    /// Does the step; `false` leaves the info out.
    async fn apply(&self, info: &mut Info) -> Result<bool, Failure> {
        match self {
            Step::Ask(accept, params) => {
                info.accept.clone_from(accept);
                info.params.clone_from(params);
            }
            Step::SetNamespace(namespace) => {
                if info.is_namespaced() && info.namespace.is_empty() {
                    info.set_namespace(namespace);
                }
            }
            Step::RequireNamespace(namespace) => {
                if info.is_namespaced() && info.namespace.is_empty() {
                    info.set_namespace(namespace);
                } else if info.is_namespaced() && info.namespace != *namespace {
                    return Err(Failure::message(format!(
                        "the namespace from the provided object {:?} does not match the namespace {namespace:?}. You must \
                         pass '--namespace={}' to perform this operation.",
                        info.namespace, info.namespace
                    )));
                }
            }
            Step::FilterNamespace => {
                if !info.is_namespaced() {
                    info.set_namespace("");
                }
            }
            Step::RetrieveLatest => {
                if info.object.as_ref().is_some_and(is_list) {
                    return Err(Failure::message(
                        "watch is only supported on individual resources and resource collections, but a list of \
                         resources is found",
                    ));
                }
                if info.is_namespaced() && info.namespace.is_empty() && !info.name.is_empty() {
                    return Err(Failure::message(format!(
                        "no namespace set on resource {} {:?}",
                        info.mapping.resource, info.name
                    )));
                }
                if !info.name.is_empty() {
                    info.get().await?;
                }
            }
            Step::RetrieveLazily => {
                if info.object.is_none() {
                    info.get().await?;
                }
            }
            Step::Select(selector) => {
                let labels = info.object.as_ref().and_then(|object| object.get(&["metadata", "labels"]));
                let labels = labels
                    .and_then(Value::as_object)
                    .map(|labels| {
                        labels
                            .iter()
                            .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
                            .collect()
                    })
                    .unwrap_or_default();
                return Ok(selector.matches(&labels));
            }
        }
        Ok(true)
    }
}

/// The objects that a command line names.
pub struct Infos {
    pub(super) inner: Box<dyn Visit>,
    pub(super) continues: bool,
    pub(super) is_single: bool,
    pub(super) targets_single: bool,
    pub(super) failed: bool,
}

impl Infos {
    /// Whether the words mean one object, and not a list that may have one.
    pub fn is_single_item(&self) -> bool {
        self.is_single
    }

    /// Whether each info is one object by its name or file, and not what a selector found.
    pub fn targets_single_items(&self) -> bool {
        self.targets_single
    }

    /// The next one. After a failure there is no more, unless the builder was told to go on.
    pub async fn next(&mut self) -> Option<Result<Info, Failure>> {
        if self.failed && !self.continues {
            return None;
        }
        let next = self.inner.next().await;
        self.failed |= matches!(next, Some(Err(_)));
        next
    }

    /// What went wrong, all of it. What can't be read at all comes last and is told without being called an error,
    /// as kubectl does it.
    pub fn all(failures: Vec<Failure>) -> Option<Failure> {
        let (unread, mut failures): (Vec<_>, Vec<_>) =
            failures.into_iter().partition(|failure| matches!(failure, Failure::Many(_)));
        let unread: Vec<Failure> = unread
            .into_iter()
            .flat_map(|failure| match failure {
                Failure::Many(failures) => failures,
                other => vec![other],
            })
            .collect();
        if !unread.is_empty() {
            failures.push(Failure::Many(unread));
        }
        Failure::gather(failures)
    }

    /// Does something with each, and gathers what goes wrong: all of it if the builder was told to go on, else the
    /// first.
    ///
    /// # Errors
    /// What went wrong.
    pub async fn visit(
        mut self,
        mut visitor: impl AsyncFnMut(&mut Info) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut failures = Vec::new();
        while let Some(info) = self.next().await {
            let done = match info {
                Ok(mut info) => visitor(&mut info).await.map_err(|failure| failure.at(&info.origin)),
                Err(error) => Err(error),
            };
            match done {
                Ok(()) => {}
                // Nobody hears what is said about the others.
                Err(error @ Failure::Output(_)) => return Err(error),
                Err(error) if self.continues => failures.push(error),
                Err(error) => return Err(error),
            }
        }
        Infos::all(failures).map_or(Ok(()), |failure| Err(failure.unwrapped()))
    }

    /// Does something with each, with as many at once as is said, in whatever order they end.
    ///
    /// # Errors
    /// What went wrong first; nothing more is begun then.
    pub async fn visit_at_once(
        mut self,
        many: usize,
        visitor: impl AsyncFn(Info) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut running = FuturesUnordered::new();
        while let Some(info) = self.next().await {
            let info = info?;
            let (origin, visiting) = (info.origin.clone(), visitor(info));
            running.push(async move { visiting.await.map_err(|failure| failure.at(&origin)) });
            if running.len() >= many {
                running.next().await.transpose()?;
            }
        }
        while let Some(done) = running.next().await {
            done?;
        }
        Ok(())
    }

    /// All of them.
    ///
    /// # Errors
    /// What went wrong, if the builder was not told to go on.
    pub async fn collect(mut self) -> Result<Vec<Info>, Failure> {
        let mut infos = Vec::new();
        while let Some(info) = self.next().await {
            infos.push(info?);
        }
        Ok(infos)
    }

    /// All that could be had, and what went wrong with the others.
    pub async fn gather(mut self) -> (Vec<Info>, Vec<Failure>) {
        let (mut infos, mut failures) = (Vec::new(), Vec::new());
        while let Some(info) = self.next().await {
            match info {
                Ok(info) => infos.push(info),
                Err(error) => failures.push(error),
            }
        }
        (infos, failures)
    }

    /// The next of them, at most so many, and what went wrong with others; no more come if they are fewer.
    pub async fn gather_some(&mut self, most: usize) -> (Vec<Info>, Vec<Failure>) {
        let (mut infos, mut failures) = (Vec::new(), Vec::new());
        while infos.len() < most
            && let Some(info) = self.next().await
        {
            match info {
                Ok(info) => infos.push(info),
                Err(error) => failures.push(error),
            }
        }
        (infos, failures)
    }

    /// All that could be had, and what went wrong with the others as one failure; some of it is no failure.
    pub async fn gather_ignoring(self, ignored: impl Fn(&Failure) -> bool) -> (Vec<Info>, Option<Failure>) {
        let (infos, mut failures) = self.gather().await;
        failures.retain(|failure| !ignored(failure));
        (infos, Infos::all(failures))
    }
}

/// The kind that an object says it has.
pub(super) fn kind_of(object: &Unstructured) -> GroupVersionKind {
    let text = |field: &str| object.get(&[field]).and_then(Value::as_str).unwrap_or_default();
    let version = GroupVersion::parse(text("apiVersion")).unwrap_or_default();
    version.with_kind(text("kind").to_owned())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use rhumb_meta::Scope;
    use rhumb_scheme::mapper::RestMapping;
    use tokio::sync::Barrier;

    use super::*;
    use crate::resource::Origin;

    /// Infos without a server, one after the other.
    struct Named(usize);

    impl Visit for Named {
        fn next(&mut self) -> Next<'_> {
            let Some(left) = self.0.checked_sub(1) else { return Box::pin(async { None }) };
            self.0 = left;
            let info = Info {
                mapping: RestMapping {
                    resource: Default::default(),
                    kind: Default::default(),
                    scope: Scope::Cluster,
                },
                namespace: String::new(),
                name: left.to_string(),
                origin: Origin::default(),
                object: None,
                resource_version: String::new(),
                subresource: String::new(),
                client: None,
                accept: None,
                params: Vec::new(),
            };
            Box::pin(async { Some(Ok(info)) })
        }
    }

    fn infos(count: usize) -> Infos {
        Infos {
            inner: Box::new(Named(count)),
            continues: false,
            is_single: false,
            targets_single: false,
            failed: false,
        }
    }

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
    }

    /// Each waits for two others, so that it would never end if there were fewer at once.
    #[test]
    fn as_many_are_visited_at_once_as_is_said() {
        let (barrier, now, most) = (Barrier::new(3), Cell::new(0), Cell::new(0));
        let visited = infos(9).visit_at_once(3, async |_| {
            now.set(now.get() + 1);
            most.set(most.get().max(now.get()));
            barrier.wait().await;
            now.set(now.get() - 1);
            Ok(())
        });
        run(visited).unwrap();
        assert_eq!(most.get(), 3);
    }

    #[test]
    fn nothing_is_begun_after_a_failure() {
        let begun = Cell::new(0);
        let visited = infos(9).visit_at_once(1, async |info| {
            begun.set(begun.get() + 1);
            if info.name == "6" { Err("it is the third".into()) } else { Ok(()) }
        });
        assert_eq!(run(visited).unwrap_err().bare(), "it is the third");
        assert_eq!(begun.get(), 3);
    }
}
