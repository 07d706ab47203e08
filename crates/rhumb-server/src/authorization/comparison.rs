//! Whether rules cover all that other rules grant, without writing down all that they grant.
//!
//! A rule stands for each combination of its groups, resources, verbs and names, or of its paths and verbs: sixty
//! kilobytes of it for billions. They are never listed. What owned rules have of each list of a granted rule is found
//! once; then the lists are walked from the outside to the inside with those owned rules that are still good, and
//! where one of them has all that is further inside, nothing of that is walked. What is left is what is missing. The
//! walk counts its steps and gives up after so many, and looks whether anybody still waits for it.

use std::collections::HashSet;

use rhumb_api::rbac::v1::PolicyRule;
use rhumb_schema::budget;

use super::atom::{Atom, EVERYTHING, is_path};

/// Said of rules that stand for too many things to compare them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

/// From how many texts on a list is searched by their hashes.
const MANY: usize = 8;
/// How many lists a rule for resources has.
const LISTS: usize = 4;

/// Texts that an owned rule has in one of its lists.
enum Texts<'a> {
    All,
    Few(&'a [String]),
    Many(HashSet<&'a str>),
}

impl<'a> Texts<'a> {
    /// A list in which a star stands for everything.
    fn with_star(list: &'a [String]) -> Self {
        if list.iter().any(|one| one == EVERYTHING) { Texts::All } else { Texts::plain(list) }
    }

    fn plain(list: &'a [String]) -> Self {
        if list.len() < MANY {
            Texts::Few(list)
        } else {
            Texts::Many(list.iter().map(String::as_str).collect())
        }
    }

    fn has(&self, wanted: &str) -> bool {
        match self {
            Texts::All => true,
            Texts::Few(list) => list.iter().any(|one| one == wanted),
            Texts::Many(list) => list.contains(wanted),
        }
    }

    /// The same for resources, of which one may be a part of any.
    fn has_resource(&self, wanted: &str) -> bool {
        let is_any = || wanted.split_once('/').is_some_and(|(_, part)| self.has(&format!("*/{part}")));
        self.has(wanted) || is_any()
    }
}

/// A rule that somebody has.
struct Owned<'a> {
    verbs: Texts<'a>,
    groups: Texts<'a>,
    resources: Texts<'a>,
    names: Texts<'a>,
    paths: &'a [String],
}

impl<'a> Owned<'a> {
    fn of(rule: &'a PolicyRule) -> Self {
        Owned {
            verbs: Texts::with_star(&rule.verbs),
            groups: Texts::with_star(&rule.api_groups),
            resources: Texts::with_star(&rule.resources),
            names: if rule.resource_names.is_empty() {
                Texts::All
            } else {
                Texts::plain(&rule.resource_names)
            },
            // A rule for paths is one without names, even if it has names for its resources.
            paths: if rule.resource_names.is_empty() { &rule.non_resource_urls } else { &[] },
        }
    }
}

/// Which of the texts of a granted rule's list an owned rule has.
enum Mask {
    All,
    Some(Vec<bool>),
}

impl Mask {
    /// None if it has none of them.
    fn of(has: impl Iterator<Item = bool>) -> Option<Self> {
        let mask: Vec<bool> = has.collect();
        if mask.iter().all(|has| *has) {
            return Some(Mask::All);
        }
        mask.contains(&true).then_some(Mask::Some(mask))
    }

    fn is_all(&self) -> bool {
        matches!(self, Mask::All)
    }

    fn has(&self, index: usize) -> bool {
        match self {
            Mask::All => true,
            Mask::Some(mask) => mask.get(index).copied().unwrap_or(false),
        }
    }
}

/// What an owned rule has of each list of a granted rule.
type Cover = Vec<Mask>;

/// The lists of a granted rule for resources or for paths.
struct Lists<'l, 'a> {
    lengths: Vec<usize>,
    /// In which order they are walked, from the outside to the inside: what most owned rules have whole comes last.
    order: Vec<usize>,
    atom: &'l dyn Fn(&[usize]) -> Option<Atom<'a>>,
}

impl<'l, 'a> Lists<'l, 'a> {
    fn new(lengths: Vec<usize>, covers: &[Cover], atom: &'l dyn Fn(&[usize]) -> Option<Atom<'a>>) -> Self {
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        order.sort_by_cached_key(|list| {
            covers.iter().filter(|cover| cover.get(*list).is_some_and(Mask::is_all)).count()
        });
        Lists { lengths, order, atom }
    }
}

/// A comparison under way.
pub(super) struct Comparison<'a> {
    steps: usize,
    most: usize,
    /// What is granted and not owned.
    pub(super) lacking: Vec<Atom<'a>>,
    /// Whether there is more of it.
    pub(super) is_cut: bool,
}

impl<'a> Comparison<'a> {
    /// One that takes so many steps and finds so many missing things at most.
    pub(super) fn new(steps: usize, most: usize) -> Self {
        Comparison { steps, most, lacking: Vec::new(), is_cut: false }
    }

    /// Finds what is granted and not owned.
    ///
    /// # Errors
    /// If that takes too many steps, or nobody waits for it any more.
    pub(super) fn run<'o>(
        &mut self,
        owned: impl Iterator<Item = &'o PolicyRule>,
        granted: &'a [PolicyRule],
    ) -> Result<(), TooMany> {
        let owned: Vec<Owned<'o>> = owned.map(Owned::of).collect();
        for rule in granted {
            self.resources(&owned, rule)?;
            self.paths(&owned, rule)?;
            if self.is_cut {
                return Ok(());
            }
        }
        Ok(())
    }

    fn step(&mut self, count: usize) -> Result<(), TooMany> {
        const SOME: usize = 1 << 12;
        let before = self.steps;
        self.steps = before.checked_sub(count).ok_or(TooMany)?;
        if before / SOME != self.steps / SOME && budget::is_stopped() {
            return Err(TooMany);
        }
        Ok(())
    }

    fn resources(&mut self, owned: &[Owned<'_>], rule: &'a PolicyRule) -> Result<(), TooMany> {
        let (groups, resources) = (&rule.api_groups, &rule.resources);
        let (verbs, names) = (&rule.verbs, &rule.resource_names);
        let lengths = vec![groups.len(), resources.len(), verbs.len(), names.len().max(1)];
        if lengths.contains(&0) {
            return Ok(());
        }
        let mut covers: Vec<Cover> = Vec::new();
        for own in owned {
            self.step(1)?;
            let Some(verbs) = self.mask(verbs, |verb| own.verbs.has(verb))? else { continue };
            let Some(groups) = self.mask(groups, |group| own.groups.has(group))? else { continue };
            let Some(resources) = self.mask(resources, |one| own.resources.has_resource(one))? else {
                continue;
            };
            let names = match &own.names {
                Texts::All => Some(Mask::All),
                // Whoever has some by name doesn't have all.
                _ if names.is_empty() => None,
                some => self.mask(names, |name| some.has(name))?,
            };
            let Some(names) = names else { continue };
            let cover = vec![groups, resources, verbs, names];
            if cover.iter().all(Mask::is_all) {
                return Ok(());
            }
            covers.push(cover);
        }
        let atom = |at: &[usize]| {
            let [group, resource, verb, name] = <[usize; LISTS]>::try_from(at).ok()?;
            Some(Atom::Resource {
                group: groups.get(group)?,
                resource: resources.get(resource)?,
                verb: verbs.get(verb)?,
                name: names.get(name).map(String::as_str),
            })
        };
        self.walk_all(lengths, &covers, &atom)
    }

    fn paths(&mut self, owned: &[Owned<'_>], rule: &'a PolicyRule) -> Result<(), TooMany> {
        let (paths, verbs) = (&rule.non_resource_urls, &rule.verbs);
        let lengths = vec![paths.len(), verbs.len()];
        if lengths.contains(&0) {
            return Ok(());
        }
        let mut covers: Vec<Cover> = Vec::new();
        for own in owned.iter().filter(|own| !own.paths.is_empty()) {
            self.step(own.paths.len().saturating_mul(paths.len()))?;
            let Some(verbs) = self.mask(verbs, |verb| own.verbs.has(verb))? else { continue };
            let has = |path: &String| own.paths.iter().any(|told| is_path(told, path));
            let Some(paths) = self.mask(paths, has)? else { continue };
            covers.push(vec![paths, verbs]);
        }
        let atom =
            |at: &[usize]| Some(Atom::Path { path: paths.get(*at.first()?)?, verb: verbs.get(*at.get(1)?)? });
        self.walk_all(lengths, &covers, &atom)
    }

    fn mask(&mut self, list: &[String], has: impl Fn(&String) -> bool) -> Result<Option<Mask>, TooMany> {
        self.step(list.len())?;
        Ok(Mask::of(list.iter().map(has)))
    }

    fn walk_all(
        &mut self,
        lengths: Vec<usize>,
        covers: &[Cover],
        atom: &dyn Fn(&[usize]) -> Option<Atom<'a>>,
    ) -> Result<(), TooMany> {
        let mut at = vec![0; lengths.len()];
        let lists = Lists::new(lengths, covers, atom);
        self.walk(&lists, 0, &mut at, &covers.iter().collect::<Vec<_>>())
    }

    /// Walks what is inside of a place that some rules cover so far.
    fn walk(
        &mut self,
        lists: &Lists<'_, 'a>,
        depth: usize,
        at: &mut [usize],
        covers: &[&Cover],
    ) -> Result<(), TooMany> {
        self.step(covers.len() + 1)?;
        let inside = lists.order.get(depth..).unwrap_or_default();
        let has_all = |cover: &Cover| inside.iter().all(|list| cover.get(*list).is_some_and(Mask::is_all));
        if covers.iter().any(|cover| has_all(cover)) {
            return Ok(());
        }
        let Some(list) = inside.first().copied() else {
            if self.lacking.len() < self.most {
                self.lacking.extend((lists.atom)(at));
            } else {
                self.is_cut = true;
            }
            return Ok(());
        };
        for index in 0..lists.lengths.get(list).copied().unwrap_or_default() {
            if self.is_cut {
                break;
            }
            let good = |cover: &&&Cover| cover.get(list).is_some_and(|mask| mask.has(index));
            let left: Vec<&Cover> = covers.iter().filter(good).copied().collect();
            if let Some(place) = at.get_mut(list) {
                *place = index;
            }
            self.walk(lists, depth + 1, at, &left)?;
        }
        Ok(())
    }
}
