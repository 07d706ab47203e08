//! Requests for the data of a description.

use rhumb_api::core::v1::{Event, Pod};
use rhumb_client::{Api, Client, Error, Readable};
use rhumb_meta::fields::Selector as FieldSelector;
use rhumb_meta::labels::Selector;
use rhumb_meta::v1::{ListOptions, ObjectMeta};
use rhumb_schema::text::quoted;

use crate::kinds::PodCounts;
use crate::{Lines, Settings};

/// Requests data as the settings say.
pub(crate) struct Asker<'a> {
    pub(crate) client: &'a Client,
    pub(crate) settings: &'a Settings,
}

/// Involved object of events. Empty parts don't filter, except the namespace.
pub(crate) struct Subject<'a> {
    pub(crate) kind: &'a str,
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    pub(crate) uid: &'a str,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(kind: &'a str, metadata: &'a ObjectMeta) -> Self {
        let ObjectMeta { namespace, name, uid, .. } = metadata;
        Subject { kind, namespace, name, uid }
    }
}

impl<'a> Asker<'a> {
    pub(crate) fn new(client: &'a Client, settings: &'a Settings) -> Self {
        Asker { client, settings }
    }

    /// Returns a description that begins.
    pub(crate) fn lines(&self) -> Lines {
        Lines::new(self.settings.now, self.settings.zone.clone())
    }

    /// Returns the events about an object, if they are to be shown. What can't be read isn't shown.
    pub(crate) async fn events(&self, subject: Subject<'_>) -> Option<Vec<Event>> {
        self.settings.show_events.then_some(())?;
        let mut events = Vec::new();
        let _ = self.search_events(subject, &mut events).await;
        Some(events)
    }

    /// Gathers the events about an object.
    pub(crate) async fn search_events(
        &self,
        subject: Subject<'_>,
        events: &mut Vec<Event>,
    ) -> Result<(), Error> {
        let mut selector = FieldSelector::default();
        for (field, value, is_asked) in [
            ("involvedObject.kind", subject.kind, !subject.kind.is_empty()),
            ("involvedObject.name", subject.name, true),
            ("involvedObject.namespace", subject.namespace, true),
            ("involvedObject.uid", subject.uid, !subject.uid.is_empty()),
        ] {
            if is_asked {
                selector = selector.and(FieldSelector::equal(field, value));
            }
        }
        let options = ListOptions { field_selector: selector.to_string(), ..ListOptions::default() };
        self.list_into(self.client.core_v1().events(subject.namespace), options, "events", events).await
    }

    /// Gathers the objects of a list, in pages of the size that is set. What was read before an error stays.
    pub(crate) async fn list_into<K: Readable>(
        &self,
        api: Api<K>,
        options: ListOptions,
        subject: &str,
        items: &mut Vec<K>,
    ) -> Result<(), Error> {
        let mut options = ListOptions { limit: self.settings.chunk_size, ..options };
        loop {
            let page = api.list(&options).await.map_err(|error| explained(error, &options, subject))?;
            let next = page.metadata.continue_;
            items.extend(page.items);
            if next.is_empty() {
                return Ok(());
            }
            options.continue_ = next;
        }
    }

    /// Lists all objects.
    pub(crate) async fn list<K: Readable>(
        &self,
        api: Api<K>,
        options: ListOptions,
        subject: &str,
    ) -> Result<Vec<K>, Error> {
        let mut items = Vec::new();
        self.list_into(api, options, subject, &mut items).await?;
        Ok(items)
    }

    /// Counts the pods of a controller by phase.
    pub(crate) async fn pod_counts(
        &self,
        controller: &ObjectMeta,
        selector: &Selector,
    ) -> Result<PodCounts, Error> {
        let options = ListOptions { label_selector: selector.to_string(), ..ListOptions::default() };
        let pods = self.client.core_v1().pods(&controller.namespace);
        let pods = self.list(pods, options, "pods").await?;
        let is_own = |pod: &&Pod| is_controlled_by(&pod.metadata, controller);
        let mut counts = PodCounts::default();
        for pod in pods.iter().filter(is_own) {
            match pod.status.phase.as_str() {
                "Running" => counts.running += 1,
                "Pending" => counts.waiting += 1,
                "Succeeded" => counts.succeeded += 1,
                "Failed" => counts.failed += 1,
                _ => {}
            }
        }
        Ok(counts)
    }
}

/// Reports whether an object belongs to a controller.
pub(crate) fn is_controlled_by(object: &ObjectMeta, controller: &ObjectMeta) -> bool {
    let owner = object.owner_references.iter().find(|owner| owner.controller == Some(true));
    owner.is_some_and(|owner| owner.uid == controller.uid)
}

/// Adds the request to an error whose message lacks it.
fn explained(error: Error, options: &ListOptions, subject: &str) -> Error {
    if error.is_resource_expired() || !(error.is_bad_request() || error.is_not_found()) {
        return error;
    }
    let Error::Status(mut status) = error else { return error };
    let subject = quoted(subject);
    status.message = if options.label_selector.is_empty() && options.field_selector.is_empty() {
        format!("Unable to list {subject}: {}", status.message)
    } else {
        let (labels, fields) = (quoted(&options.label_selector), quoted(&options.field_selector));
        format!(
            "Unable to find {subject} that match label selector {labels}, field selector {fields}: {}",
            status.message
        )
    };
    Error::Status(status)
}
