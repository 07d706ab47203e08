//! `create rolebinding` and `create clusterrolebinding`.

use rhumb_api::rbac::v1::{ClusterRoleBinding, RoleBinding};
use rhumb_cli::command::{Action, Command, Flag, Flags, Words};
use rhumb_cli::{Call, Failure, Outcome, options};
use serde_json::{Value, json};

use super::generator::{Generator, MANAGER};

const GROUP: &str = "rbac.authorization.k8s.io";

static SUBJECT_FLAGS: &[Flag] = &[
    Flag::array("user", "A user who gets the role. May be given several times."),
    Flag::array("group", "A group that gets the role. May be given several times."),
    Flag::array("serviceaccount", "A service account that gets the role: NAMESPACE:NAME."),
];

static ROLE_FLAGS: &[Flag] = &[
    Flag::text("clusterrole", "The cluster role that is given.").words(Words::NamesOf("clusterroles")),
    Flag::text("role", "The role that is given.").words(Words::NamesOf("roles")),
];

static CLUSTER_ROLE_FLAGS: &[Flag] = &[Flag::text("clusterrole", "The cluster role that is given.")
    .required()
    .words(Words::NamesOf("clusterroles"))];

/// `create rolebinding`.
pub(super) static ROLE_BINDING: Command = Command {
    name: "rolebinding",
    about: "Create a binding that gives a role in a namespace",
    usage: "NAME --clusterrole=NAME|--role=NAME [--user=username] [--group=groupname] \
            [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
    examples: &[
        (
            "A cluster role for two users",
            "create rolebinding admins --clusterrole=admin --user=ann --user=bob",
        ),
        ("A role for an account", "create rolebinding robot --role=reader --serviceaccount=default:robot"),
    ],
    flags: &[
        options::PRINT,
        options::SAVE_CONFIG,
        options::VALIDATE,
        options::DRY_RUN,
        ROLE_FLAGS,
        SUBJECT_FLAGS,
        MANAGER,
    ],
    action: Action::Run(|call| Box::pin(role_binding(call))),
    ..Command::EMPTY
};

/// `create clusterrolebinding`.
pub(super) static CLUSTER_ROLE_BINDING: Command = Command {
    name: "clusterrolebinding",
    about: "Create a binding that gives a cluster role everywhere",
    usage: "NAME --clusterrole=NAME [--user=username] [--group=groupname] \
            [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
    examples: &[
        ("For a group", "create clusterrolebinding ops --clusterrole=cluster-admin --group=ops"),
        ("For a user", "create clusterrolebinding viewer --clusterrole=view --user=ann"),
    ],
    flags: &[
        options::PRINT,
        options::SAVE_CONFIG,
        options::VALIDATE,
        options::DRY_RUN,
        CLUSTER_ROLE_FLAGS,
        SUBJECT_FLAGS,
        MANAGER,
    ],
    action: Action::Run(|call| Box::pin(cluster_role_binding(call))),
    ..Command::EMPTY
};

async fn role_binding(call: &mut Call) -> Outcome {
    let generator = Generator::of(call)?;
    if generator.name.is_empty() {
        return Err("name must be specified".into());
    }
    let (kind, name) = match (call.flags.text("role"), call.flags.text("clusterrole")) {
        ("", "") => return Err("exactly one of clusterrole or role must be specified".into()),
        (role, "") => ("Role", role),
        ("", role) => ("ClusterRole", role),
        _ => return Err("exactly one of clusterrole or role must be specified".into()),
    };
    let tree = json!({
        "metadata": generator.metadata(),
        "roleRef": {"apiGroup": GROUP, "kind": kind, "name": name},
        "subjects": subjects(&call.flags)?,
    });
    generator.create::<RoleBinding>(call, tree, "failed to create rolebinding: ").await
}

async fn cluster_role_binding(call: &mut Call) -> Outcome {
    let generator = Generator::of(call)?;
    let tree = json!({
        "metadata": {"name": generator.name},
        "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": call.flags.text("clusterrole")},
        "subjects": subjects(&call.flags)?,
    });
    generator.create::<ClusterRoleBinding>(call, tree, "failed to create clusterrolebinding: ").await
}

fn subjects(flags: &Flags) -> Result<Vec<Value>, Failure> {
    let mut subjects = Vec::new();
    for (flag, kind) in [("user", "User"), ("group", "Group")] {
        for name in flags.list(flag) {
            subjects.push(json!({"kind": kind, "apiGroup": GROUP, "name": name}));
        }
    }
    for account in flags.list("serviceaccount") {
        match account.split(':').collect::<Vec<_>>().as_slice() {
            [namespace, name] if !namespace.is_empty() && !name.is_empty() => {
                subjects.push(json!({"kind": "ServiceAccount", "namespace": namespace, "name": name}));
            }
            _ => return Err("serviceaccount must be <namespace>:<name>".into()),
        }
    }
    Ok(subjects)
}
