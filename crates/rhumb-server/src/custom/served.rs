//! The definitions that are served at a moment, in the order of their groups and names.

use std::cmp::Ordering;
use std::sync::Arc;

use rhumb_meta::GroupVersion;
use rhumb_store::cache::Rope;

use super::Published;
use super::definition::Definition;

/// The definitions that are served. A copy is a step, and a change leaves alone what it does not concern, however
/// many there are.
#[derive(Clone, Default)]
pub(crate) struct ServedDefinitions {
    /// By group, plural name and name.
    all: Rope<Arc<Published>>,
}

/// What a definition stands by. No two of them have the same name.
type Place<'a> = (&'a str, &'a str, &'a str);

fn place(published: &Arc<Published>) -> Place<'_> {
    let Definition { group, accepted, name, .. } = &*published.definition;
    (group, &accepted.plural, name)
}

impl ServedDefinitions {
    /// Takes a definition in, in the place of what was served of it before.
    pub(super) fn put(&mut self, published: Arc<Published>, before: Option<&Arc<Published>>) {
        if let Some(before) = before.filter(|before| place(before) != place(&published)) {
            self.remove(before);
        }
        let (at, is_there) = self.find(place(&published));
        match is_there {
            true => drop(self.all.replace(at, published)),
            false => self.all.insert(at, published),
        }
    }

    /// Takes a definition out.
    pub(super) fn remove(&mut self, published: &Arc<Published>) {
        if let (at, true) = self.find(place(published)) {
            self.all.remove(at);
        }
    }

    /// Where something stands, or would, and whether it does.
    fn find(&self, wanted: Place<'_>) -> (usize, bool) {
        let at = self.all.place(|published| place(published) < wanted);
        (at, self.all.get(at).is_some_and(|found| place(found).cmp(&wanted) == Ordering::Equal))
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Published>> {
        (0..self.all.len()).filter_map(|at| self.all.get(at))
    }

    /// Those of a group.
    pub(crate) fn of_group<'a>(&'a self, group: &str) -> impl Iterator<Item = &'a Arc<Published>> {
        let first = self.all.place(|published| published.definition.group.as_str() < group);
        let rest = (first..self.all.len()).filter_map(|at| self.all.get(at));
        rest.take_while(move |published| published.definition.group == group)
    }

    /// The definition of a resource.
    pub(crate) fn get(&self, group: &str, plural: &str) -> Option<&Arc<Published>> {
        let at = self.all.place(|published| {
            let (its_group, its_plural, _) = place(published);
            (its_group, its_plural) < (group, plural)
        });
        let found = self.all.get(at)?;
        let (its_group, its_plural, _) = place(found);
        (its_group == group && its_plural == plural).then_some(found)
    }

    /// The definition of a name.
    pub(super) fn named(&self, name: &str) -> Option<&Arc<Published>> {
        let (plural, group) = name.split_once('.')?;
        self.get(group, plural).filter(|published| published.definition.name == name)
    }

    /// The definitions that have something in a version that discovery tells of.
    pub(crate) fn in_place<'a>(&'a self, place: &GroupVersion) -> impl Iterator<Item = &'a Arc<Published>> {
        self.of_group(&place.group).filter(|published| published.is_in(place))
    }
}
