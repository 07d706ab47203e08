//! `Infos`: the objects of a command line, and operations on all of them.

use std::collections::BTreeSet;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use rhumb_scheme::Unstructured;
use serde_json::{Value, json};

use super::Info;
use super::info::is_list;
use super::visit::Visit;
use crate::Failure;

/// Returns several infos as one object: the only one if one was meant by its name, a list that is alone, else a `v1`
/// List of all. That has the revision which all of them have, if they have the same.
pub fn as_object(infos: &[Info], is_single_item: bool) -> Unstructured {
    let mut found = infos.iter().filter_map(|info| info.object.as_ref().map(|object| (info, object)));
    if let (Some((_, only)), None) = (found.next(), found.next())
        && (is_single_item || is_list(only))
    {
        return only.clone();
    }
    let found = infos.iter().filter(|info| info.object.is_some());
    let revisions: BTreeSet<&str> = found.map(|info| info.resource_version.as_str()).collect();
    let revision = match revisions.first() {
        Some(revision) if revisions.len() == 1 => revision,
        _ => "",
    };
    let items: Vec<&Value> = infos.iter().filter_map(|info| Some(info.object.as_ref()?.tree())).collect();
    let mut list = Unstructured::default();
    list.set(&["kind"], "List".into());
    list.set(&["apiVersion"], "v1".into());
    list.set(&["items"], json!(items));
    list.set(&["metadata", "resourceVersion"], revision.into());
    list
}

/// The objects of a command line.
pub struct Infos {
    pub(super) inner: Box<dyn Visit>,
    pub(super) sources: usize,
    pub(super) continues: bool,
    pub(super) is_single: bool,
    pub(super) targets_single: bool,
    pub(super) failed: bool,
}

impl Infos {
    /// Reports whether the words mean one object, and not a list that may have one.
    pub fn is_single_item(&self) -> bool {
        self.is_single
    }

    /// Reports whether each info is one object by its name or file, and not what a selector found.
    pub fn targets_single_items(&self) -> bool {
        self.targets_single
    }

    /// Returns the number of files, names or resources that they come from.
    pub fn sources(&self) -> usize {
        self.sources
    }

    /// Returns the next one. After a failure there is no more, unless the builder was told to go on.
    pub async fn next(&mut self) -> Option<Result<Info, Failure>> {
        if self.failed && !self.continues {
            return None;
        }
        let next = self.inner.next().await;
        self.failed |= matches!(next, Some(Err(_)));
        next
    }

    /// Combines errors. Unreadable input comes last and without the word error, as in kubectl.
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

    /// Collects all infos.
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

    /// Merges all infos into one object with [`as_object`].
    ///
    /// # Errors
    /// What went wrong, if the builder was not told to go on.
    pub async fn object(self) -> Result<Unstructured, Failure> {
        let is_single = self.is_single;
        Ok(as_object(&self.collect().await?, is_single))
    }

    /// Collects all infos that are available, and the errors of the others.
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

    /// Returns the next of them, at most so many, and what went wrong with others; no more come if they are fewer.
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

    /// Collects all infos that are available, and the errors of the others as one; some errors are ignored.
    pub async fn gather_ignoring(self, ignored: impl Fn(&Failure) -> bool) -> (Vec<Info>, Option<Failure>) {
        let (infos, mut failures) = self.gather().await;
        failures.retain(|failure| !ignored(failure));
        (infos, Infos::all(failures))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use rhumb_meta::Scope;
    use rhumb_scheme::mapper::RestMapping;
    use tokio::sync::Barrier;

    use super::*;
    use crate::resource::{Decorated, Next, Origin, Step};

    /// Infos without a server.
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
            sources: count,
            continues: false,
            is_single: false,
            targets_single: false,
            failed: false,
        }
    }

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
    }

    fn object(text: &str) -> Unstructured {
        Unstructured::new(serde_json::from_str(text).unwrap()).unwrap()
    }

    #[test]
    fn functions_leave_infos_out_and_change_them() {
        let steps = vec![
            Step::filter(|info| Ok(info.name != "1")),
            Step::decorate(async |info: &mut Info| {
                tokio::task::yield_now().await;
                info.namespace = format!("of-{}", info.name);
                Ok(())
            }),
            Step::filter(|info| match info.name.as_str() {
                "3" => Err(Failure::message("three is one too many")),
                _ => Ok(true),
            }),
        ];
        let mut decorated = infos(0);
        decorated.inner = Box::new(Decorated::new(Box::new(Named(5)), steps));
        decorated.continues = true;
        let (found, failures) = run(decorated.gather());
        let found: Vec<_> = found.into_iter().map(|info| info.namespace).collect();
        assert_eq!(found, ["of-4", "of-2", "of-0"]);
        assert_eq!(failures.iter().map(Failure::bare).collect::<Vec<_>>(), ["three is one too many"]);
    }

    #[test]
    fn several_infos_are_one_list_with_the_revision_that_all_have() {
        let mut found = run(infos(3).collect()).unwrap();
        for (info, revision) in found.iter_mut().zip(["7", "7", "8"]) {
            let text = format!(r#"{{"kind":"Thing","metadata":{{"name":"{}"}}}}"#, info.name);
            info.object = Some(object(&text));
            info.resource_version = revision.to_owned();
        }
        let list = as_object(&found[..2], false);
        assert_eq!(list.tree()["metadata"]["resourceVersion"], "7");
        assert_eq!((&list.tree()["kind"], &list.tree()["apiVersion"]), (&"List".into(), &"v1".into()));
        let names: Vec<_> =
            list.tree()["items"].as_array().unwrap().iter().map(|item| &item["metadata"]["name"]).collect();
        assert_eq!(names, ["2", "1"]);
        assert_eq!(as_object(&found, false).tree()["metadata"]["resourceVersion"], "");
        // What was only named is in no list.
        found[0].object = None;
        assert_eq!(as_object(&found, false).tree()["items"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn one_info_is_its_object_if_one_was_meant_or_it_is_a_list() {
        let mut found = run(infos(1).collect()).unwrap();
        assert_eq!(as_object(&found, true).tree()["items"], json!([]), "nothing was found");
        found[0].object = Some(object(r#"{"kind":"Thing"}"#));
        assert_eq!(as_object(&found, true).tree(), &json!({"kind": "Thing"}));
        assert_eq!(as_object(&found, false).tree()["items"], json!([{"kind": "Thing"}]));
        found[0].object = Some(object(r#"{"kind":"ThingList","items":[]}"#));
        assert_eq!(as_object(&found, false).tree()["kind"], "ThingList");
        assert_eq!(run(infos(0).object()).unwrap().tree()["kind"], "List");
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
