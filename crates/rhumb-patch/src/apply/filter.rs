//! Filters of the fields that a resource or subresource may own.
//!
//! What a strategy resets before it stores an object must not become owned by who sent it.

use super::element::PathElement;
use super::set::{FieldSet, Node};

/// Filter of an endpoint's field sets.
#[derive(Clone, Debug)]
pub enum Filter {
    /// Removes these paths and everything below them.
    Exclude(FieldSet),
    /// Only what one of these patterns matches.
    Include(Vec<PathPattern>),
}

/// Prefix pattern of paths, in which elements may be wildcards.
#[derive(Clone, Debug, Default)]
pub struct PathPattern(Vec<Option<PathElement>>);

impl PathPattern {
    /// Creates a pattern from field names; `*` matches any element.
    pub fn new(steps: &[&str]) -> Self {
        PathPattern(steps.iter().map(|step| (*step != "*").then(|| PathElement::field(step))).collect())
    }
}

impl Filter {
    /// Drops what may not come through.
    pub fn apply(&self, set: &mut FieldSet) {
        match self {
            Filter::Exclude(excluded) => set.subtract_recursively(excluded),
            Filter::Include(patterns) => {
                let patterns: Vec<&[Option<PathElement>]> =
                    patterns.iter().map(|pattern| pattern.0.as_slice()).collect();
                *set = include(set, &patterns);
            }
        }
    }
}

/// A member on the way of a pattern stays, as in Kubernetes, although the pattern goes on below it.
fn include(set: &FieldSet, patterns: &[&[Option<PathElement>]]) -> FieldSet {
    if patterns.iter().any(|pattern| pattern.is_empty()) {
        return set.clone();
    }
    let mut out = FieldSet::new();
    for node in &set.nodes {
        let matching: Vec<&[Option<PathElement>]> = patterns
            .iter()
            .filter_map(|pattern| pattern.split_first())
            .filter(|(step, _)| step.as_ref().is_none_or(|step| *step == node.element))
            .map(|(_, rest)| rest)
            .collect();
        if !matching.is_empty() {
            let below = include(&node.below, &matching);
            out.put(Node { element: node.element.clone(), member: node.member, below });
        }
    }
    out
}
