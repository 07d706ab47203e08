//! The definitions that are served at a moment, in the order of their groups and names.

use std::cmp::Ordering;
use std::sync::Arc;

use rhumb_meta::GroupVersion;
use rhumb_meta::version::sort_preferred_first;
use rhumb_store::cache::Rope;

use super::Published;
use super::definition::Definition;
use super::told::{Made, SetHash, ToldGroup, ToldVersion};

/// The definitions that are served. A copy is a step, and a change leaves alone what it does not concern, however
/// many there are.
#[derive(Clone, Default)]
pub(crate) struct ServedDefinitions {
    /// By group, plural name and name.
    all: Rope<Arc<Published>>,
    /// Their groups, by name. What one keeps is of the definitions that are here.
    groups: Rope<Arc<ToldGroup>>,
    /// What changes when anything does that clients are told of definitions.
    hash: SetHash,
    /// How much was made of them for clients.
    pub(crate) made: Made,
}

/// What a definition stands by. No two of them have the same name.
type Place<'a> = (&'a str, &'a str, &'a str);

fn place(published: &Arc<Published>) -> Place<'_> {
    let Definition { group, accepted, name, .. } = &*published.definition;
    (group, &accepted.plural, name)
}

impl ServedDefinitions {
    /// Takes a definition in, in the place of what was served of it before.
    pub(crate) fn put(&mut self, published: Arc<Published>, before: Option<&Arc<Published>>) {
        if let Some(before) = before.filter(|before| place(before) != place(&published)) {
            self.remove(before);
        }
        let (at, is_there) = self.find(place(&published));
        self.hash.put(&published);
        let now = Arc::clone(&published);
        match is_there {
            true => {
                let replaced = self.all.replace(at, published);
                replaced.iter().for_each(|replaced| self.hash.take(replaced));
            }
            false => self.all.insert(at, published),
        }
        self.forget(&now.definition.group);
    }

    /// Takes a definition out.
    pub(crate) fn remove(&mut self, published: &Arc<Published>) {
        if let (at, true) = self.find(place(published)) {
            let removed = self.all.remove(at);
            removed.iter().for_each(|removed| self.hash.take(removed));
            self.forget(&published.definition.group);
        }
    }

    /// Forgets what is kept of a group of which a definition has changed.
    fn forget(&mut self, name: &str) {
        let (at, is_there) = self.find_group(name);
        let has_any = self.of_group(name).next().is_some();
        match (is_there, has_any) {
            (true, true) => drop(self.groups.replace(at, Arc::new(ToldGroup::new(name)))),
            (false, true) => self.groups.insert(at, Arc::new(ToldGroup::new(name))),
            (true, false) => drop(self.groups.remove(at)),
            (false, false) => {}
        }
    }

    /// Where a group stands, or would, and whether it does.
    fn find_group(&self, name: &str) -> (usize, bool) {
        let at = self.groups.place(|group| group.name() < name);
        (at, self.groups.get(at).is_some_and(|group| group.name() == name))
    }

    /// Where something stands, or would, and whether it does.
    fn find(&self, wanted: Place<'_>) -> (usize, bool) {
        let at = self.all.place(|published| place(published) < wanted);
        (at, self.all.get(at).is_some_and(|found| place(found).cmp(&wanted) == Ordering::Equal))
    }

    /// What changes when anything does that clients are told of definitions.
    pub(crate) fn hash(&self) -> SetHash {
        self.hash
    }

    /// The groups that discovery tells of, with their versions, the preferred one first.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (&ToldGroup, &[ToldVersion])> {
        let all = (0..self.groups.len()).filter_map(|at| self.groups.get(at));
        all.map(|group| (&**group, self.versions(group))).filter(|(_, versions)| !versions.is_empty())
    }

    /// The versions of a group that discovery tells of, the preferred one first.
    pub(crate) fn versions_of(&self, name: &str) -> &[ToldVersion] {
        match self.find_group(name) {
            (at, true) => self.groups.get(at).map(|group| self.versions(group)).unwrap_or_default(),
            (_, false) => &[],
        }
    }

    fn versions<'a>(&self, group: &'a ToldGroup) -> &'a [ToldVersion] {
        group.versions.get_or_init(|| {
            let mut names: Vec<&str> = Vec::new();
            for published in self.told(group.name()) {
                for version in published.definition.served_versions() {
                    if !names.contains(&version) {
                        names.push(version);
                    }
                }
            }
            sort_preferred_first(&mut names);
            let told = |name: &str| {
                let place = GroupVersion::new(group.name().to_owned(), name.to_owned());
                let marks: Vec<&str> = self.in_place(&place).map(|published| published.mark()).collect();
                ToldVersion { name: name.to_owned(), hash: rhumb_openapi::hash(marks.join("\n").as_bytes()) }
            };
            names.into_iter().map(told).collect()
        })
    }

    /// The definitions of a group that discovery tells of.
    pub(crate) fn told<'a>(&'a self, group: &str) -> impl Iterator<Item = &'a Arc<Published>> {
        self.of_group(group).filter(|published| published.definition.established)
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
    pub(crate) fn named(&self, name: &str) -> Option<&Arc<Published>> {
        let (plural, group) = name.split_once('.')?;
        self.get(group, plural).filter(|published| published.definition.name == name)
    }

    /// The definitions that have something in a version that discovery tells of.
    pub(crate) fn in_place<'a>(&'a self, place: &GroupVersion) -> impl Iterator<Item = &'a Arc<Published>> {
        self.of_group(&place.group).filter(|published| published.is_in(place))
    }
}
