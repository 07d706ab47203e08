//! `create role` and `create clusterrole`.

use std::collections::BTreeMap;

use rhumb_api::rbac::v1::{ClusterRole, Role};
use rhumb_cli::command::{Action, Command, Flag, Flags, Words};
use rhumb_cli::{Call, Factory, Failure, Outcome, options};
use rhumb_meta::GroupVersionResource;
use serde_json::{Value, json};

use super::generator::{Generator, MANAGER};

const VERBS: &[&str] = &[
    "*",
    "get",
    "delete",
    "list",
    "create",
    "update",
    "patch",
    "watch",
    "proxy",
    "deletecollection",
    "use",
    "bind",
    "escalate",
    "impersonate",
];

const URL_VERBS: &[&str] = &["*", "get", "post", "put", "delete", "patch", "head", "options"];

/// Verbs that only some resources support.
const SPECIAL_VERBS: &[(&str, &[(&str, &str)])] = &[
    ("use", &[("policy", "podsecuritypolicies"), ("extensions", "podsecuritypolicies")]),
    ("bind", &[("rbac.authorization.k8s.io", "roles"), ("rbac.authorization.k8s.io", "clusterroles")]),
    ("escalate", &[("rbac.authorization.k8s.io", "roles"), ("rbac.authorization.k8s.io", "clusterroles")]),
    (
        "impersonate",
        &[("", "users"), ("", "serviceaccounts"), ("", "groups"), ("authentication.k8s.io", "userextras")],
    ),
];

static ROLE_FLAGS: &[Flag] = &[
    Flag::list("verb", "What may be done with the resources.").choices(VERBS),
    Flag::list("resource", "The resources: RESOURCE.GROUP/SUBRESOURCE.").words(Words::Types),
    Flag::array("resource-name", "Only objects of this name. May be given several times."),
];

static CLUSTER_ROLE_FLAGS: &[Flag] = &[
    Flag::list("non-resource-url", "A path of the server that is no object; * may end it."),
    Flag::pairs("aggregation-rule", "Labels of the cluster roles that this one gathers."),
];

/// `create role`.
pub(super) static ROLE: Command = Command {
    name: "role",
    about: "Create a role with one rule",
    usage: "NAME --verb=verb --resource=resource.group/subresource [--resource-name=resourcename] \
            [--dry-run=server|client|none]",
    examples: &[
        ("Reading pods", "create role reader --verb=get,list,watch --resource=pods"),
        ("One certain pod", "create role reader --verb=get --resource=pods --resource-name=web-0"),
        ("A subresource", "create role scaler --verb=update --resource=deployments.apps/scale"),
    ],
    flags: &[options::PRINT, options::SAVE_CONFIG, options::VALIDATE, options::DRY_RUN, ROLE_FLAGS, MANAGER],
    action: Action::Run(|call| Box::pin(role(call))),
    ..Command::EMPTY
};

/// `create clusterrole`.
pub(super) static CLUSTER_ROLE: Command = Command {
    name: "clusterrole",
    about: "Create a cluster role",
    usage: "NAME --verb=verb --resource=resource.group [--resource-name=resourcename] \
            [--dry-run=server|client|none]",
    examples: &[
        ("Reading nodes", "create clusterrole node-reader --verb=get,list --resource=nodes"),
        ("Paths of the server", "create clusterrole logs --verb=get --non-resource-url='/logs/*'"),
        ("What others with a label allow", "create clusterrole all --aggregation-rule=team=a"),
    ],
    flags: &[
        options::PRINT,
        options::SAVE_CONFIG,
        options::VALIDATE,
        options::DRY_RUN,
        ROLE_FLAGS,
        CLUSTER_ROLE_FLAGS,
        MANAGER,
    ],
    action: Action::Run(|call| Box::pin(cluster_role(call))),
    ..Command::EMPTY
};

/// Subject of a rule.
struct Asked {
    group: String,
    resource: String,
    subresource: String,
}

struct Rule {
    verbs: Vec<String>,
    resources: Vec<Asked>,
    names: Vec<String>,
}

impl Rule {
    fn of(flags: &Flags) -> Self {
        let verbs = flags.list("verb");
        let verbs = if verbs.iter().any(|verb| verb == "*") { vec!["*".to_owned()] } else { distinct(verbs) };
        let mut resources = Vec::new();
        for word in flags.list("resource") {
            let (kind, subresource) = word.split_once('/').unwrap_or((&word, ""));
            let (resource, group) = kind.split_once('.').unwrap_or((kind, ""));
            let asked = Asked {
                group: group.to_owned(),
                resource: resource.to_owned(),
                subresource: subresource.to_owned(),
            };
            if word == "*" {
                resources = vec![asked];
                break;
            }
            resources.push(asked);
        }
        Rule { verbs, resources, names: distinct(flags.list("resource-name")) }
    }

    fn warn_of_unusual_verbs(&self, call: &mut Call) {
        for verb in &self.verbs {
            if !VERBS.contains(&verb.as_str()) {
                call.warn(format!("Warning: '{verb}' is not a standard resource verb"));
            }
        }
    }

    async fn check_resources(&self, factory: &Factory) -> Outcome {
        for asked in &self.resources {
            if asked.resource.is_empty() {
                return Err("resource must be specified if apiGroup/subresource specified".into());
            }
            if asked.resource == "*" {
                return Ok(());
            }
            let (group, resource, mut unknown) = asked.found(factory).await?;
            for verb in &self.verbs {
                let Some((_, places)) = SPECIAL_VERBS.iter().find(|(special, _)| special == verb) else {
                    continue;
                };
                if !places.contains(&(group.as_str(), resource.as_str())) {
                    let text = format!("can not perform '{verb}' on '{resource}' in group '{group}'");
                    return Err(text.into());
                }
                unknown = None;
            }
            if let Some(unknown) = unknown {
                return Err(unknown);
            }
        }
        Ok(())
    }

    /// Returns one rule per group, and one for paths.
    async fn rules(&self, factory: &Factory, urls: &[String]) -> Result<Vec<Value>, Failure> {
        let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for asked in &self.resources {
            let (group, mut resource, _) = asked.found(factory).await?;
            if !asked.subresource.is_empty() {
                resource = format!("{resource}/{}", asked.subresource);
            }
            let resources = groups.entry(group).or_default();
            if !resources.contains(&resource) {
                resources.push(resource);
            }
        }
        let mut rules: Vec<Value> = groups
            .into_iter()
            .map(|(group, resources)| {
                json!({
                    "verbs": self.verbs,
                    "resources": resources,
                    "apiGroups": [group],
                    "resourceNames": self.names,
                })
            })
            .collect();
        if !urls.is_empty() {
            rules.push(json!({"verbs": self.verbs, "nonResourceURLs": urls}));
        }
        Ok(rules)
    }
}

impl Asked {
    /// Resolves group and resource by the server. Unknown ones stay as given, with a message.
    async fn found(&self, factory: &Factory) -> Result<(String, String, Option<Failure>), Failure> {
        let partial = GroupVersionResource::new(self.group.clone(), "", self.resource.clone());
        Ok(match factory.mapper()?.resource_for(&partial).await {
            Ok(found) => (found.group.into_owned(), found.resource.into_owned(), None),
            Err(error) => (self.group.clone(), self.resource.clone(), Some(Failure::from(error))),
        })
    }
}

fn distinct(words: Vec<String>) -> Vec<String> {
    let mut once = Vec::new();
    for word in words {
        if !once.contains(&word) {
            once.push(word);
        }
    }
    once
}

async fn role(call: &mut Call) -> Outcome {
    let generator = Generator::of(call)?;
    let rule = Rule::of(&call.flags);
    if generator.name.is_empty() {
        return Err("name must be specified".into());
    }
    if rule.verbs.is_empty() {
        return Err("at least one verb must be specified".into());
    }
    rule.warn_of_unusual_verbs(call);
    if rule.resources.is_empty() {
        return Err("at least one resource must be specified".into());
    }
    rule.check_resources(&call.factory).await?;
    let rules = rule.rules(&call.factory, &[]).await?;
    let tree = json!({"metadata": generator.metadata(), "rules": rules});
    generator.create::<Role>(call, tree, "").await
}

async fn cluster_role(call: &mut Call) -> Outcome {
    let generator = Generator::of(call)?;
    let rule = Rule::of(&call.flags);
    let urls = distinct(call.flags.list("non-resource-url"));
    let labels = call.flags.pairs("aggregation-rule");
    if generator.name.is_empty() {
        return Err("name must be specified".into());
    }
    let metadata = json!({"name": generator.name});
    if !labels.is_empty() {
        if !(urls.is_empty() && rule.verbs.is_empty() && rule.resources.is_empty() && rule.names.is_empty()) {
            return Err("aggregation rule must be specified without nonResourceURLs, verbs, resources or \
                        resourceNames"
                .into());
        }
        let selectors = json!({"clusterRoleSelectors": [{"matchLabels": labels}]});
        let tree = json!({"metadata": metadata, "aggregationRule": selectors});
        return generator.create::<ClusterRole>(call, tree, "").await;
    }
    if rule.verbs.is_empty() {
        return Err("at least one verb must be specified".into());
    }
    if rule.resources.is_empty() && urls.is_empty() {
        return Err("one of resource or nonResourceURL must be specified".into());
    }
    if !rule.resources.is_empty() {
        rule.warn_of_unusual_verbs(call);
        rule.check_resources(&call.factory).await?;
    }
    check_urls(&rule.verbs, &urls)?;
    let rules = rule.rules(&call.factory, &urls).await?;
    let tree = json!({"metadata": metadata, "rules": rules});
    generator.create::<ClusterRole>(call, tree, "").await
}

fn check_urls(verbs: &[String], urls: &[String]) -> Outcome {
    if urls.is_empty() {
        return Ok(());
    }
    if let Some(verb) = verbs.iter().find(|verb| !URL_VERBS.contains(&verb.as_str())) {
        return Err(format!("invalid verb: '{verb}' for nonResourceURL").into());
    }
    for url in urls.iter().filter(|url| *url != "*") {
        if !url.starts_with('/') {
            return Err("nonResourceURL should start with /".into());
        }
        if url.strip_suffix('*').unwrap_or(url).contains('*') {
            return Err("nonResourceURL only supports wildcard matches when '*' is at the end".into());
        }
    }
    Ok(())
}
