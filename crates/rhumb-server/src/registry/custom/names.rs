//! The names that the definitions of each group have, and which of them wait for one.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_structural::names::Taken;

use super::definition::Definition;

/// The names of all groups.
#[derive(Default)]
pub(crate) struct Groups(BTreeMap<String, Group>);

/// The names of a group.
#[derive(Default)]
struct Group {
    taken: Taken,
    /// The definitions that want names they don't have.
    wanting: BTreeSet<String>,
    /// How many definitions there are.
    count: usize,
}

impl Groups {
    /// Counts a definition in.
    pub(crate) fn enter(&mut self, definition: &Definition) {
        let group = self.0.entry(definition.group.clone()).or_default();
        group.taken.add(&definition.accepted);
        group.count += 1;
        if definition.wanted != definition.accepted {
            group.wanting.insert(definition.name.clone());
        }
    }

    /// Counts a definition out, as it was counted in.
    pub(crate) fn leave(&mut self, definition: &Definition) {
        let Some(group) = self.0.get_mut(&definition.group) else { return };
        group.taken.remove(&definition.accepted);
        group.wanting.remove(&definition.name);
        group.count -= 1;
        if group.count == 0 {
            self.0.remove(&definition.group);
        }
    }

    /// The names that a group has.
    pub(crate) fn taken(&self, group: &str) -> Option<&Taken> {
        self.0.get(group).map(|group| &group.taken)
    }

    /// The definitions of a group that want names they don't have, but for one.
    pub(crate) fn wanting<'a>(&'a self, group: &str, except: &'a str) -> impl Iterator<Item = &'a String> {
        let wanting = self.0.get(group).into_iter().flat_map(|group| &group.wanting);
        wanting.filter(move |name| *name != except)
    }
}

#[cfg(test)]
mod tests {
    use rhumb_api::apiextensions::v1beta1::CustomResourceDefinition;

    use super::*;

    fn definition(plural: &str, wanted: &str, accepted: &str) -> Definition {
        let mut definition = CustomResourceDefinition::default();
        definition.metadata.name = format!("{plural}.example.com");
        definition.spec.group = "example.com".to_owned();
        definition.spec.names.kind = wanted.to_owned();
        definition.status.accepted_names.kind = accepted.to_owned();
        Definition::of(&definition)
    }

    #[test]
    fn a_definition_that_changes_waits_for_the_names_that_it_has_not_got() {
        let mut groups = Groups::default();
        let (new, settled) = (definition("gears", "Gear", ""), definition("gears", "Gear", "Gear"));
        let waiting = definition("cogs", "Gear", "");
        let wanting = |groups: &Groups| groups.wanting("example.com", "").cloned().collect::<Vec<_>>();
        groups.enter(&new);
        groups.enter(&waiting);
        assert_eq!(wanting(&groups), ["cogs.example.com", "gears.example.com"]);
        groups.leave(&new);
        groups.enter(&settled);
        assert_eq!(wanting(&groups), ["cogs.example.com"]);
        assert!(groups.wanting("example.com", "cogs.example.com").next().is_none());
        groups.leave(&settled);
        groups.leave(&waiting);
        assert!(groups.taken("example.com").is_none(), "nothing stays of a group without definitions");
    }
}
