//! Commands that list and delete kubeconfig clusters and users.

use rhumb_cli::command::{Action, Command, Words};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::config::PathForm;

/// `config get-clusters`
pub(super) static GET_CLUSTERS: Command = Command {
    name: "get-clusters",
    about: "List the clusters of the kubeconfig",
    examples: &[
        ("The names of all clusters", "config get-clusters"),
        ("Those of one file", "config get-clusters --kubeconfig=./kubeconfig"),
    ],
    action: Action::Plain(|call| {
        let names = super::starting(call)?.clusters.into_keys().collect();
        list(call, names)
    }),
    ..Command::EMPTY
};

/// `config get-users`
pub(super) static GET_USERS: Command = Command {
    name: "get-users",
    about: "List the users of the kubeconfig",
    examples: &[
        ("The names of all users", "config get-users"),
        ("Those of one file", "config get-users --kubeconfig=./kubeconfig"),
    ],
    action: Action::Plain(|call| {
        let names = super::starting(call)?.users.into_keys().collect();
        list(call, names)
    }),
    ..Command::EMPTY
};

/// `config delete-cluster`
pub(super) static DELETE_CLUSTER: Command = Command {
    name: "delete-cluster",
    about: "Delete a cluster from the kubeconfig",
    usage: "NAME",
    examples: &[
        ("Forget a cluster", "config delete-cluster minikube"),
        ("From one file", "config delete-cluster minikube --kubeconfig=./kubeconfig"),
    ],
    words: Words::Clusters,
    action: Action::Plain(delete_cluster),
    ..Command::EMPTY
};

/// `config delete-user`
pub(super) static DELETE_USER: Command = Command {
    name: "delete-user",
    about: "Delete a user from the kubeconfig",
    usage: "NAME",
    examples: &[
        ("Forget a user", "config delete-user minikube"),
        ("From one file", "config delete-user minikube --kubeconfig=./kubeconfig"),
    ],
    words: Words::Users,
    action: Action::Plain(delete_user),
    ..Command::EMPTY
};

fn list(call: &mut Call, names: Vec<String>) -> Outcome {
    call.line("NAME")?;
    names.iter().try_for_each(|name| call.line(name))
}

fn delete_cluster(call: &mut Call) -> Outcome {
    let config = super::starting(call)?;
    let [name] = call.args.as_slice() else { return call.show_help() };
    let (name, file) = (name.clone(), super::file_name(call));
    if !config.clusters.contains_key(&name) {
        return Err(Failure::message(format!("cannot delete cluster {name}, not in {file}")));
    }
    super::edit(call, PathForm::Relative, |config| {
        config.clusters.remove(&name);
        Ok(())
    })?;
    call.line(format!("deleted cluster {name} from {file}"))
}

fn delete_user(call: &mut Call) -> Outcome {
    let config = super::starting(call)?;
    let [name] = call.args.as_slice() else { return Err(call.usage("user to delete is required")) };
    let (name, file) = (name.clone(), super::file_name(call));
    if !config.users.contains_key(&name) {
        return Err(Failure::message(format!("cannot delete user {name}, not in {file}")));
    }
    super::edit(call, PathForm::Relative, |config| {
        config.users.remove(&name);
        Ok(())
    })?;
    call.line(format!("deleted user {name} from {file}"))
}
