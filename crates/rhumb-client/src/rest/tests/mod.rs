//! The client against servers that do as they are told: they answer, cut connections, send garbage, or are slow.

mod answers;
mod faults;
mod identity;
mod lists;
mod metrics;
mod proxies;
mod remotes;
mod server;
mod streams;

use std::sync::Arc;

use server::Server;

use crate::config::Config;
use crate::rest::Client;

/// A configuration for a server, in an empty environment.
fn config(server: &Server) -> Config {
    let mut config = Config::new(server.uri().parse().expect("an address"));
    config.environment = crate::config::Environment::empty();
    config
}

fn client(server: &Server) -> Client {
    Client::new(config(server)).expect("a client")
}

/// A client whose configuration was changed first.
fn client_with(server: &Server, change: impl FnOnce(&mut Config)) -> Client {
    let mut config = config(server);
    change(&mut config);
    Client::new(config).expect("a client")
}

/// What a kube-apiserver calls the version of its core group.
fn core() -> rhumb_meta::GroupVersion {
    rhumb_meta::GroupVersion::new("", "v1")
}

fn shared<T>(value: T) -> Arc<T> {
    Arc::new(value)
}
