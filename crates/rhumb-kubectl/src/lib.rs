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

pub use run_command::{PHASES, main, run};

use rhumb_cli::command::Command;

/// All commands by group, in the order of help and suggestions.
pub static COMMANDS: &[&Command] = &[
    &create::COMMAND,
    &expose::COMMAND,
    &run::COMMAND,
    &set::COMMAND,
    &explain::COMMAND,
    &get::COMMAND,
    &edit::COMMAND,
    &delete::COMMAND,
    &rollout::COMMAND,
    &scale::COMMAND,
    &autoscale::COMMAND,
    &certificate::COMMAND,
    &cluster_info::COMMAND,
    &top::COMMAND,
    &drain::CORDON,
    &drain::UNCORDON,
    &drain::DRAIN,
    &taint::COMMAND,
    &describe::COMMAND,
    &pods::logs::COMMAND,
    &pods::attach::COMMAND,
    &pods::exec::COMMAND,
    &pods::port_forward::COMMAND,
    &proxy::COMMAND,
    &pods::cp::COMMAND,
    &auth::COMMAND,
    &pods::debug::COMMAND,
    &events::COMMAND,
    &diff::COMMAND,
    &apply::COMMAND,
    &patch::COMMAND,
    &replace::COMMAND,
    &wait::COMMAND,
    &kustomize::COMMAND,
    &label::COMMAND,
    &annotate::COMMAND,
    &completion::COMMAND,
    &alpha::COMMAND,
    &config::COMMAND,
    &plugin::COMMAND,
    &version::COMMAND,
    &api_versions::COMMAND,
    &api_resources::COMMAND,
    &show_options::COMMAND,
    &kuberc::COMMAND,
];

/// Root command of kubectl.
pub const KUBECTL: Command = Command {
    name: "kubectl",
    about: "Work with the objects of a Kubernetes API server.",
    usage: "[flags] [options]",
    commands: &[COMMANDS],
    phases: PHASES,
    ..Command::EMPTY
};
