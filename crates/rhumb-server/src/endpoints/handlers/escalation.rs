//! Privilege escalation: nobody grants what they don't have. Whoever writes a role must have all that it allows,
//! and whoever binds one must have all that it allows there, unless they may `escalate` or `bind` it by name.

use std::borrow::Cow;

use rhumb_api::rbac::v1::{ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef};
use rhumb_meta::Object;
use rhumb_schema::text::quoted;

use crate::authorization::attributes::{AskedResource, Attributes};
use crate::authorization::comparison::TooMany;
use crate::authorization::{everything, rules};
use crate::base::failure::{Failure, Outcome};
use crate::base::identity::User;
use crate::endpoints::context::RequestContext;

const GROUP: &str = "rbac.authorization.k8s.io";

/// Refuses a new or changed role or binding that would give somebody more than its writer has.
pub(crate) async fn check(
    call: &RequestContext<'_>,
    new: &dyn Object,
    old: Option<&dyn Object>,
) -> Outcome<()> {
    if call.user.is_master() || call.endpoint.resource.group != GROUP {
        return Ok(());
    }
    if old.is_some_and(|old| only_loosens(new, old)) {
        return Ok(());
    }
    if let Some(role) = new.downcast_ref::<ClusterRole>() {
        let old = old.and_then(|old| old.downcast_ref::<ClusterRole>());
        check_role(call, &role.metadata.name, &role.rules, gathers(role) || old.is_some_and(gathers)).await
    } else if let Some(role) = new.downcast_ref::<Role>() {
        check_role(call, &role.metadata.name, &role.rules, false).await
    } else if let Some(binding) = new.downcast_ref::<ClusterRoleBinding>() {
        check_binding(call, &binding.metadata.name, &binding.role_ref).await
    } else if let Some(binding) = new.downcast_ref::<RoleBinding>() {
        check_binding(call, &binding.metadata.name, &binding.role_ref).await
    } else {
        Ok(())
    }
}

/// Whether only that differs which keeps an object or ties it to others, so that what is to go can go.
fn only_loosens(new: &dyn Object, old: &dyn Object) -> bool {
    let Some(before) = old.metadata() else { return false };
    let mut copy = new.clone_object();
    copy.edit_metadata(&mut |meta| {
        meta.owner_references.clone_from(&before.owner_references);
        meta.finalizers.clone_from(&before.finalizers);
        meta.self_link.clone_from(&before.self_link);
        meta.managed_fields.clone_from(&before.managed_fields);
    });
    fn same<T: Object + PartialEq>(one: &dyn Object, other: &dyn Object) -> bool {
        matches!((one.downcast_ref::<T>(), other.downcast_ref::<T>()), (Some(one), Some(other)) if one == other)
    }
    same::<ClusterRole>(&*copy, old)
        || same::<Role>(&*copy, old)
        || same::<ClusterRoleBinding>(&*copy, old)
        || same::<RoleBinding>(&*copy, old)
}

/// Whether a role takes its rules from others.
fn gathers(role: &ClusterRole) -> bool {
    role.aggregation_rule.as_ref().is_some_and(|rule| !rule.cluster_role_selectors.is_empty())
}

async fn check_role(
    call: &RequestContext<'_>,
    name: &str,
    granted: &[PolicyRule],
    gathers: bool,
) -> Outcome<()> {
    let asked = AskedResource {
        group: GROUP,
        resource: &call.path.resource,
        namespace: &call.path.namespace,
        name: Cow::Borrowed(&call.path.name),
        ..AskedResource::default()
    };
    if call.api.authorizer.authorized(&Attributes::resource(call.user, "escalate", asked)).await.is_allowed()
    {
        return Ok(());
    }
    covered(call, name, granted).await?;
    // What a role gathers may be anything.
    if gathers && covered(call, name, &everything()).await.is_err() {
        let why = "must have cluster-admin privileges to use the aggregationRule";
        return Err(Failure::forbidden(&call.endpoint.resource, name, why));
    }
    Ok(())
}

async fn check_binding(call: &RequestContext<'_>, name: &str, role: &RoleRef) -> Outcome<()> {
    let resource = match role.kind.as_str() {
        "ClusterRole" => "clusterroles",
        "Role" => "roles",
        other => {
            let why = format!("unsupported role reference kind: {}", quoted(other));
            return Err(Failure::unexplained(why));
        }
    };
    let namespace = if call.endpoint.namespaced { call.path.namespace.as_str() } else { "" };
    let asked = AskedResource {
        group: &role.api_group,
        resource,
        namespace,
        name: Cow::Borrowed(&role.name),
        ..AskedResource::default()
    };
    if call.api.authorizer.authorized(&Attributes::resource(call.user, "bind", asked)).await.is_allowed() {
        return Ok(());
    }
    let granted = referred(call, resource, namespace, &role.name).await?;
    covered(call, name, &granted).await
}

/// The rules of a role as the store has it now: the snapshot may not have seen what was written a moment ago.
async fn referred(
    call: &RequestContext<'_>,
    resource: &'static str,
    namespace: &str,
    name: &str,
) -> Outcome<Vec<PolicyRule>> {
    let resources = call.api.resources();
    // Clients know the resource that they asked for, and are told of that one.
    let missing = || Failure::not_found(&call.endpoint.resource, name);
    let endpoint = resources.find(GROUP, "v1", resource).ok_or_else(missing)?;
    let storage = endpoint.storage.as_ref().ok_or_else(missing)?;
    let namespace = if endpoint.namespaced { namespace } else { "" };
    let key = storage.key(namespace, name)?;
    let hub = storage.current_for(&key, &call.offload).await?.ok_or_else(missing)?.hub;
    let rules = hub.downcast_ref::<ClusterRole>().map(|role| &role.rules);
    let rules = rules.or_else(|| hub.downcast_ref::<Role>().map(|role| &role.rules));
    rules.cloned().ok_or_else(missing)
}

/// Refuses if a user lacks some of what is granted.
async fn covered(call: &RequestContext<'_>, name: &str, granted: &[PolicyRule]) -> Outcome<()> {
    let namespace = if call.endpoint.namespaced { call.path.namespace.as_str() } else { "" };
    let snapshot = call.api.authorizer.snapshot().await;
    let (owned, problems) = snapshot.rules_of(call.user, namespace);
    call.offload.of(granted.iter().map(rules::stands_for).fold(owned.len(), usize::saturating_add)).await;
    let lines = match rules::missing(&owned, granted) {
        Ok(None) => return Ok(()),
        Ok(Some(lines)) => lines,
        Err(TooMany) => {
            let why = format!(
                "{} is attempting to grant RBAC permissions for too many combinations of API groups, resources, verbs \
                 and names to compare them with those currently held: grant fewer at once, or in rules that are like \
                 those currently held",
                named(call.user)
            );
            return Err(Failure::forbidden(&call.endpoint.resource, name, &why));
        }
    };
    let mut why = format!(
        "{} is attempting to grant RBAC permissions not currently held:\n{}",
        named(call.user),
        lines.join("\n")
    );
    let problems = problems.in_one();
    if !problems.is_empty() {
        why = format!("{why}; resolution errors: [{problems}]");
    }
    Err(Failure::forbidden(&call.endpoint.resource, name, &why))
}

fn named(user: &User) -> String {
    let groups: Vec<String> = user.groups.iter().map(quoted).collect();
    format!("user {} (groups=[{}])", quoted(&user.name), groups.join(" "))
}
