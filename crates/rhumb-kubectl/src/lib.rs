//! The commands of kubectl.
//!
//! Each command is a module with its table ([`rhumb_cli::command::Command`]) and what it does. [`COMMANDS`] lists them
//! all; [`main`] runs one.

mod alpha;
mod annotate;
mod api_resources;
mod api_versions;
mod apply;
mod auth;
mod autoscale;
mod built_in;
mod certificate;
mod change_cause;
mod cluster_info;
mod completion;
mod config;
mod create;
mod delete;
mod deletion;
mod describe;
mod diff;
mod drain;
mod edit;
mod editor;
mod events;
mod explain;
mod expose;
mod get;
mod image;
mod kuberc;
mod kustomize;
mod label;
mod last_applied;
mod marking;
mod metadata;
mod overrides;
mod pairs;
mod patch;
mod plugin;
mod pod_spec;
mod pods;
mod proxy;
mod random;
mod raw;
mod replace;
mod rollout;
mod run;
mod run_command;
mod scale;
mod set;
mod show_options;
mod taint;
mod top;
mod two_way;
mod typed;
mod version;
mod wait;
mod watching;
mod writing;

#[cfg(test)]
mod table_tests;

pub use run_command::{main, run};

use rhumb_cli::command::Command;

/// All commands, in the order in which mistyped ones are guessed at.
pub static COMMANDS: &[&Command] = &[
    &alpha::COMMAND,
    &annotate::COMMAND,
    &api_resources::COMMAND,
    &api_versions::COMMAND,
    &apply::COMMAND,
    &auth::COMMAND,
    &autoscale::COMMAND,
    &certificate::COMMAND,
    &cluster_info::COMMAND,
    &completion::COMMAND,
    &config::COMMAND,
    &create::COMMAND,
    &delete::COMMAND,
    &describe::COMMAND,
    &diff::COMMAND,
    &drain::CORDON,
    &drain::DRAIN,
    &drain::UNCORDON,
    &edit::COMMAND,
    &events::COMMAND,
    &explain::COMMAND,
    &expose::COMMAND,
    &get::COMMAND,
    &kuberc::COMMAND,
    &kustomize::COMMAND,
    &label::COMMAND,
    &patch::COMMAND,
    &plugin::COMMAND,
    &pods::attach::COMMAND,
    &pods::cp::COMMAND,
    &pods::debug::COMMAND,
    &pods::exec::COMMAND,
    &pods::logs::COMMAND,
    &pods::port_forward::COMMAND,
    &proxy::COMMAND,
    &replace::COMMAND,
    &rollout::COMMAND,
    &run::COMMAND,
    &scale::COMMAND,
    &set::COMMAND,
    &show_options::COMMAND,
    &taint::COMMAND,
    &top::COMMAND,
    &version::COMMAND,
    &wait::COMMAND,
];

/// kubectl: nothing but its commands.
pub const KUBECTL: Command = Command {
    name: "kubectl",
    about: "Work with the objects of a Kubernetes API server.",
    usage: "[flags] [options]",
    commands: &[COMMANDS],
    ..Command::EMPTY
};
