//! The generators that come with the crate.

mod embed;
mod messages;

use crate::generator::Tool;
use crate::problem::{Outcome, Problem};

/// All tools, in the order in which `rhumb gen list` shows them.
pub const TOOLS: &[Tool] = &[embed::TOOL, messages::TOOL];

/// The tools behind names, in the order of the names.
///
/// # Errors
/// If there is no tool of a name.
pub fn named(names: &[&str]) -> Outcome<Vec<Tool>> {
    let find = |name: &&str| {
        TOOLS.iter().find(|tool| tool.name == *name).copied().ok_or_else(|| {
            let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            Problem::new(format!("there is no generator {name:?}; there are {}", known.join(", "))).into()
        })
    };
    names.iter().map(find).collect()
}
