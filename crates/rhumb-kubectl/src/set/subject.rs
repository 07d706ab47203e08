//! `set subject`: adds subjects to role bindings.

use std::collections::BTreeSet;

use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_cli::options;
use rhumb_cli::{Call, Failure, Outcome};
use serde_json::{Value, json};

use super::change::{Changer, MANAGER, SCOPE, with_name};
use crate::typed;

static FLAGS: &[Flag] = &[
    Flag::array("user", "A user who gets the role. May be given several times."),
    Flag::array("group", "A group that gets the role. May be given several times."),
    Flag::array("serviceaccount", "A service account that gets the role: NAMESPACE:NAME."),
];

/// `set subject`.
pub(super) static COMMAND: Command = Command {
    name: "subject",
    about: "Add users, groups and service accounts to role bindings",
    usage: "(-f FILENAME | TYPE NAME) [--user=username] [--group=groupname] \
            [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
    examples: &[
        ("An account", "set subject clusterrolebinding admins --serviceaccount=default:robot"),
        ("Users and a group", "set subject rolebinding readers --user=ann --user=bob --group=team"),
    ],
    flags: &[options::PRINT, options::FILES, SCOPE, options::SELECTOR, FLAGS, options::DRY_RUN, MANAGER],
    words: Words::Of(&["rolebindings", "clusterrolebindings"]),
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let mut changer = Changer::of(call, "subjects updated", "failed to patch subjects to rolebinding: ")?;
    let words = call.args.clone();
    changer.refuse_words(&words)?;
    let infos = changer.find(call, &words).await?;
    changer.check_flags(call)?;
    let set = |flag: &str| call.flags.list(flag).into_iter().collect::<BTreeSet<_>>();
    let (users, groups, accounts) = (set("user"), set("group"), set("serviceaccount"));
    if users.is_empty() && groups.is_empty() && accounts.is_empty() {
        return Err("you must specify at least one value of user, group or serviceaccount".into());
    }
    let clusterwide = infos.iter().any(|info| info.mapping.kind.kind == "ClusterRoleBinding");
    let (default_namespace, _) = call.factory.namespace().unwrap_or_default();
    let group = "rbac.authorization.k8s.io";
    let mut subjects: Vec<Value> = Vec::new();
    subjects.extend(users.iter().map(|name| json!({"kind": "User", "apiGroup": group, "name": name})));
    subjects.extend(groups.iter().map(|name| json!({"kind": "Group", "apiGroup": group, "name": name})));
    for account in &accounts {
        let parts: Vec<&str> = account.split(':').collect();
        let (namespace, name) = match parts.as_slice() {
            ["", _] if clusterwide => {
                return Err("serviceaccount must be <namespace>:<name>, namespace must be specified".into());
            }
            [_, ""] => return Err("serviceaccount must be <namespace>:<name>".into()),
            ["", name] => (default_namespace.as_str(), *name),
            [namespace, name] => (*namespace, *name),
            _ => return Err("serviceaccount must be <namespace>:<name>".into()),
        };
        subjects.push(json!({"kind": "ServiceAccount", "namespace": namespace, "name": name}));
    }
    let mut failures = Vec::new();
    for info in &infos {
        let before = changer.before(info)?;
        let kind = typed::kind_of(&before);
        if kind.group != group || !matches!(&*kind.kind, "RoleBinding" | "ClusterRoleBinding") {
            let failure = "setting subjects is only supported for RoleBinding/ClusterRoleBinding".into();
            failures.push(with_name(info, &failure));
            continue;
        }
        let mut after = before.clone();
        let list = after.fields_mut().entry("subjects").or_insert_with(|| json!([]));
        if !list.is_array() {
            *list = json!([]);
        }
        if let Some(list) = list.as_array_mut() {
            for subject in &subjects {
                if !list.contains(subject) {
                    list.push(subject.clone());
                }
            }
        }
        if let Err(failure) = changer.apply(call, info, &before, after).await {
            failures.push(failure);
        }
    }
    Failure::all(failures)
}
