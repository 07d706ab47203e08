//! Columns of webhook configurations, admission policies and API services.

use rhumb_api::admissionregistration::v1::{
    MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, MutatingWebhookConfiguration, ParamKind,
    ParamRef, ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, ValidatingWebhookConfiguration,
};
use rhumb_api::apiregistration::v1::APIService;
use rhumb_meta::v1::LabelSelector;
use serde_json::Value as Json;

use crate::column::{Column, Printed, cells};
use crate::now::Now;
use crate::texts::UNSET;

const WEBHOOKS: &[Column] =
    &[Column::NAME, Column::integer("Webhooks", "How many webhooks it has."), Column::AGE];
const PARAM_KIND: Column = Column::text("ParamKind", "The kind of the objects that hold its parameters.");
const BINDING: &[Column] = &[
    Column::NAME,
    Column::text("PolicyName", "The policy that is put to use."),
    Column::text("ParamRef", "The objects that hold its parameters."),
    Column::AGE,
];

impl Printed for MutatingWebhookConfiguration {
    const COLUMNS: &'static [Column] = WEBHOOKS;

    fn cells(&self, now: &Now) -> Vec<Json> {
        let age = now.since(&self.metadata.creation_timestamp);
        cells![self.metadata.name.as_str(), self.webhooks.len(), age]
    }
}

impl Printed for ValidatingWebhookConfiguration {
    const COLUMNS: &'static [Column] = WEBHOOKS;

    fn cells(&self, now: &Now) -> Vec<Json> {
        let age = now.since(&self.metadata.creation_timestamp);
        cells![self.metadata.name.as_str(), self.webhooks.len(), age]
    }
}

impl Printed for MutatingAdmissionPolicy {
    const COLUMNS: &'static [Column] =
        &[Column::NAME, Column::integer("Mutations", "How many changes it makes."), PARAM_KIND, Column::AGE];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![
            self.metadata.name.as_str(),
            self.spec.mutations.len(),
            param_kind(self.spec.param_kind.as_deref()),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for ValidatingAdmissionPolicy {
    const COLUMNS: &'static [Column] =
        &[Column::NAME, Column::integer("Validations", "How many rules it has."), PARAM_KIND, Column::AGE];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![
            self.metadata.name.as_str(),
            self.spec.validations.len(),
            param_kind(self.spec.param_kind.as_deref()),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for MutatingAdmissionPolicyBinding {
    const COLUMNS: &'static [Column] = BINDING;

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![
            self.metadata.name.as_str(),
            self.spec.policy_name.as_str(),
            param_ref(self.spec.param_ref.as_deref()),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for ValidatingAdmissionPolicyBinding {
    const COLUMNS: &'static [Column] = BINDING;

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![
            self.metadata.name.as_str(),
            self.spec.policy_name.as_str(),
            param_ref(self.spec.param_ref.as_deref()),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

fn param_kind(kind: Option<&ParamKind>) -> String {
    kind.map_or_else(|| UNSET.to_owned(), |kind| format!("{}/{}", kind.api_version, kind.kind))
}

fn param_ref(reference: Option<&ParamRef>) -> String {
    let Some(reference) = reference else { return UNSET.to_owned() };
    match (reference.name.as_str(), reference.namespace.as_str(), reference.selector.as_deref()) {
        ("", _, Some(selector)) => go_text(selector),
        ("", _, None) => UNSET.to_owned(),
        // Whether the objects live in namespaces can't be told from here.
        (name, "", _) => format!("*/{name}"),
        (name, namespace, _) => format!("{namespace}/{name}"),
    }
}

/// A selector the way Go prints the struct, which is what people get to see here.
fn go_text(selector: &LabelSelector) -> String {
    let labels: String =
        selector.match_labels.iter().map(|(key, value)| format!("{key}: {value},")).collect();
    let expressions: String = selector
        .match_expressions
        .iter()
        .map(|each| {
            format!(
                "LabelSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},",
                each.key,
                each.operator,
                each.values.join(" ")
            )
        })
        .collect();
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{labels}}},\
         MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )
}

impl Printed for APIService {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Service", "Who serves this version: a service, or this server itself."),
        Column::text("Available", "Whether it can be reached."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let service = self.spec.service.as_ref();
        let condition = self.status.conditions.iter().find(|condition| condition.type_ == "Available");
        let available = match condition {
            None => "Unknown".to_owned(),
            Some(found) if found.status == "True" || found.reason.is_empty() => found.status.clone(),
            Some(found) => format!("{} ({})", found.status, found.reason),
        };
        cells![
            self.metadata.name.as_str(),
            service.map_or_else(
                || "Local".to_owned(),
                |service| format!("{}/{}", service.namespace, service.name)
            ),
            available,
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}
