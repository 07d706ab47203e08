//! The health of components, which nobody keeps: what can be said about it is made up when it is asked for.

use rhumb_api::core::v1::{ComponentCondition, ComponentStatus, ComponentStatusList};
use rhumb_codec::negotiate::Negotiated;
use rhumb_meta::{GroupResource, Object, ObjectMeta};

use crate::call::Call;
use crate::failure::{Failure, Outcome};
use crate::respond::{self, Answer};

/// The components that Kubernetes names, and whether they are known to be well: the store answers, and the
/// controllers that there are run within the server. Nothing is known of a scheduler.
const COMPONENTS: &[(&str, &str, &str)] =
    &[("controller-manager", "True", "ok"), ("scheduler", "Unknown", ""), ("etcd-0", "True", "ok")];

fn component(&(name, status, message): &(&str, &str, &str)) -> ComponentStatus {
    ComponentStatus {
        metadata: ObjectMeta { name: name.to_owned(), ..ObjectMeta::default() },
        conditions: vec![ComponentCondition {
            type_: "Healthy".to_owned(),
            status: status.to_owned(),
            message: message.to_owned(),
            ..ComponentCondition::default()
        }],
        ..ComponentStatus::default()
    }
}

/// Answers with one component or all of them.
pub(crate) fn read(call: &Call<'_>) -> Outcome<Answer> {
    let agreed = call.output()?;
    let name = &call.path.name;
    if name.is_empty() {
        return list(call, &agreed);
    }
    match COMPONENTS.iter().find(|(known, _, _)| known == name) {
        Some(found) => call.present(200, Box::new(component(found)), &agreed),
        None => Err(Failure::not_found(&GroupResource::new_static("", "componentstatus"), name)),
    }
}

fn list(call: &Call<'_>, agreed: &Negotiated) -> Outcome<Answer> {
    let endpoint = &call.endpoint;
    let items: Vec<ComponentStatus> = COMPONENTS.iter().map(component).collect();
    if agreed.convert.as_ref().is_some_and(|target| target.kind == "Table") {
        let hubs = items.into_iter().map(|item| Box::new(item) as Box<dyn Object>).collect();
        let options = call.table_options()?;
        let table = endpoint.model.table(&endpoint.kind, hubs, &options, call.api.environment.time())?;
        return respond::object(200, &table, agreed.format, agreed.pretty);
    }
    let mut list = ComponentStatusList { items, ..ComponentStatusList::default() };
    list.set_type_meta(&endpoint.kind.api_version(), &endpoint.list_kind);
    respond::object(200, &list, agreed.format, agreed.pretty)
}
