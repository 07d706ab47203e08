//! The health of components, which nobody keeps: it is found out when it is asked for.

use std::time::Duration;

use rhumb_api::core::v1::{ComponentCondition, ComponentStatus, ComponentStatusList};
use rhumb_codec::negotiate::Negotiated;
use rhumb_meta::v1::{ListOptions, PartialObjectMetadataList};
use rhumb_meta::{GroupResource, Object, ObjectMeta, fields, labels};
use tokio::time::timeout;

use crate::base::failure::{Failure, Outcome};
use crate::base::response::{self, Response};
use crate::endpoints::context::{RequestContext, bare, in_version};

/// How long the store may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// A component that Kubernetes names.
#[derive(Clone, Copy)]
enum Component {
    /// Nothing is known of one: it is no part of the server.
    Scheduler,
    /// The controllers that there are run within the server.
    Controllers,
    /// Where objects are kept, whatever that is.
    Store,
}

impl Component {
    const ALL: [Component; 3] = [Component::Scheduler, Component::Controllers, Component::Store];

    fn name(self) -> &'static str {
        match self {
            Component::Scheduler => "scheduler",
            Component::Controllers => "controller-manager",
            Component::Store => "etcd-0",
        }
    }

    /// Whether it is well, and what there is to say about that.
    async fn health(self, call: &RequestContext<'_>) -> (&'static str, String) {
        match self {
            Component::Scheduler => ("Unknown", "no scheduler is part of this server".to_owned()),
            Component::Controllers => ("True", "ok".to_owned()),
            Component::Store => match timeout(PATIENCE, call.api.store.revision()).await {
                Ok(Ok(_)) => ("True", "ok".to_owned()),
                Ok(Err(error)) => ("False", error.to_string()),
                Err(_) => ("False", "context deadline exceeded".to_owned()),
            },
        }
    }

    async fn status(self, call: &RequestContext<'_>) -> ComponentStatus {
        let (status, message) = self.health(call).await;
        ComponentStatus {
            metadata: ObjectMeta { name: self.name().to_owned(), ..ObjectMeta::default() },
            conditions: vec![ComponentCondition {
                type_: "Healthy".to_owned(),
                status: status.to_owned(),
                message,
                ..ComponentCondition::default()
            }],
            ..ComponentStatus::default()
        }
    }
}

/// Answers with one component or all of them.
pub(crate) async fn read(call: &RequestContext<'_>) -> Outcome<Response> {
    let agreed = call.output()?;
    let name = &call.path.name;
    if name.is_empty() {
        return list(call, &agreed).await;
    }
    match Component::ALL.into_iter().find(|component| component.name() == name) {
        Some(found) => call.present(200, Box::new(found.status(call).await), &agreed),
        None => Err(Failure::not_found(&GroupResource::new_static("", "componentstatus"), name)),
    }
}

/// The components that a list is asked for. None of them has labels.
fn selected(call: &RequestContext<'_>) -> Outcome<Vec<Component>> {
    let options: ListOptions = call.options()?;
    let labels = labels::Selector::parse(&options.label_selector)
        .map_err(|error| Failure::bad_request(error.to_string()))?;
    let fields = fields::Selector::parse(&options.field_selector)
        .map_err(|error| Failure::bad_request(error.to_string()))?;
    let kind = &call.endpoint.kind;
    let fields = fields.transform(|label, value| call.endpoint.model.field_label(kind, label, value))?;
    let is_wanted = |component: &Component| {
        labels.matches_with(|_| None)
            && fields.matches_with(|name| (name == "metadata.name").then(|| component.name()))
    };
    Ok(Component::ALL.into_iter().filter(is_wanted).collect())
}

async fn list(call: &RequestContext<'_>, agreed: &Negotiated) -> Outcome<Response> {
    let endpoint = &call.endpoint;
    let mut items: Vec<ComponentStatus> = Vec::new();
    for component in selected(call)? {
        items.push(component.status(call).await);
    }
    match &agreed.convert {
        Some(target) if target.kind == "Table" => {
            let hubs = items.into_iter().map(|item| Box::new(item) as Box<dyn Object>).collect();
            let options = call.table_options()?;
            let mut table =
                endpoint.model.table(&endpoint.kind, hubs, &options, call.api.environment.time())?;
            in_version(&mut table, target);
            response::object(200, &table, agreed.format, agreed.pretty)
        }
        Some(target) => {
            call.refuse_list_as_one()?;
            let items = items.iter().map(|item| bare(item, target)).collect();
            let mut list = PartialObjectMetadataList { items, ..PartialObjectMetadataList::default() };
            list.set_type_meta(&target.api_version(), &target.kind);
            response::object(200, &list, agreed.format, agreed.pretty)
        }
        None => {
            let mut list = ComponentStatusList { items, ..ComponentStatusList::default() };
            list.set_type_meta(&endpoint.kind.api_version(), &endpoint.list_kind);
            response::object(200, &list, agreed.format, agreed.pretty)
        }
    }
}
