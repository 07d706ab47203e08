//! Name conflicts between definitions of a group.

use std::collections::BTreeMap;

use rhumb_schema::text::quoted;

/// Names of a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Plural name, as in URLs: `crontabs`.
    pub plural: String,
    /// Singular name, for command lines: `crontab`.
    pub singular: String,
    /// Abbreviations: `ct`.
    pub short_names: Vec<String>,
    /// Kind, as in manifests: `CronTab`.
    pub kind: String,
    /// The kind of lists: `CronTabList`.
    pub list_kind: String,
    /// Groups of resources that it belongs to: `all`.
    pub categories: Vec<String>,
}

/// Names used by all definitions of a group, including this one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Plural, singular and short names.
    resources: Counted,
    /// Kinds, and those of lists.
    kinds: Counted,
}

impl Taken {
    /// Adds the accepted names of a definition.
    pub fn add(&mut self, names: &Names) {
        resources(names).for_each(|name| self.resources.add(name));
        kinds(names).for_each(|name| self.kinds.add(name));
    }

    /// Takes away the names of a definition that were added.
    pub fn remove(&mut self, names: &Names) {
        resources(names).for_each(|name| self.resources.remove(name));
        kinds(names).for_each(|name| self.kinds.remove(name));
    }
}

fn resources(names: &Names) -> impl Iterator<Item = &str> {
    [&names.plural, &names.singular].into_iter().chain(&names.short_names).map(String::as_str)
}

fn kinds(names: &Names) -> impl Iterator<Item = &str> {
    [&names.kind, &names.list_kind].into_iter().map(String::as_str)
}

/// Names with reference counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Counted(BTreeMap<String, usize>);

impl Counted {
    fn add(&mut self, name: &str) {
        match self.0.get_mut(name) {
            Some(times) => *times += 1,
            None => drop(self.0.insert(name.to_owned(), 1)),
        }
    }

    fn remove(&mut self, name: &str) {
        if let Some(times) = self.0.get_mut(name) {
            *times -= 1;
            if *times == 0 {
                self.0.remove(name);
            }
        }
    }

    fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

/// A condition of a definition, without timestamps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// `NamesAccepted` or `Established`.
    pub type_: &'static str,
    /// `True` or `False`.
    pub status: &'static str,
    /// Reason in one word.
    pub reason: String,
    /// Message.
    pub message: String,
}

/// Result for the requested names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// The names that it has from now on.
    pub names: Names,
    /// Whether it got all that it wants.
    pub names_accepted: Condition,
    /// Whether it is served; none if that condition stays as it is.
    pub established: Option<Condition>,
}

/// Progress of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// No condition `Established`.
    New,
    /// `Established` is not true.
    Waiting,
    /// Established: it is served and stays so.
    Established,
}

/// Decides which of the wanted names a definition gets, which has accepted ones already. Where a name is
/// taken, the accepted one stays.
pub fn accept(wanted: &Names, accepted: &Names, taken: &Taken, progress: Progress) -> Acceptance {
    let mut names = accepted.clone();
    let mut conflict: Option<(&str, String)> = None;
    let is_taken = |name: &str, own: &str, taken: &Counted| name != own && taken.contains(name);
    let in_use = |name: &str| format!("{} is already in use", quoted(name));

    let (resources, kinds) = (&taken.resources, &taken.kinds);
    if is_taken(&wanted.plural, &accepted.plural, resources) {
        conflict = Some(("PluralConflict", in_use(&wanted.plural)));
    } else {
        names.plural.clone_from(&wanted.plural);
    }
    if is_taken(&wanted.singular, &accepted.singular, resources) {
        conflict = Some(("SingularConflict", in_use(&wanted.singular)));
    } else {
        names.singular.clone_from(&wanted.singular);
    }
    if wanted.short_names != accepted.short_names {
        let news = wanted.short_names.iter().filter(|name| !accepted.short_names.contains(name));
        let mut problems: Vec<String> = Vec::new();
        for name in news.filter(|name| is_taken(name, "", resources)) {
            let problem = in_use(name);
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
        match problems.as_slice() {
            [] => names.short_names.clone_from(&wanted.short_names),
            [single] => conflict = Some(("ShortNamesConflict", single.clone())),
            many => conflict = Some(("ShortNamesConflict", format!("[{}]", many.join(", ")))),
        }
    }
    if is_taken(&wanted.kind, &accepted.kind, kinds) {
        conflict = Some(("KindConflict", in_use(&wanted.kind)));
    } else {
        names.kind.clone_from(&wanted.kind);
    }
    if is_taken(&wanted.list_kind, &accepted.list_kind, kinds) {
        conflict = Some(("ListKindConflict", in_use(&wanted.list_kind)));
    } else {
        names.list_kind.clone_from(&wanted.list_kind);
    }
    names.categories.clone_from(&wanted.categories);

    let condition = |type_, status, reason: &str, message: &str| Condition {
        type_,
        status,
        reason: reason.to_owned(),
        message: message.to_owned(),
    };
    let established = match (progress, &conflict) {
        (Progress::Established, _) | (Progress::Waiting, Some(_)) => None,
        (Progress::New, Some(_)) => {
            Some(condition("Established", "False", "NotAccepted", "not all names are accepted"))
        }
        (_, None) => {
            Some(condition("Established", "False", "Installing", "the initial names have been accepted"))
        }
    };
    let names_accepted = match conflict {
        None => condition("NamesAccepted", "True", "NoConflicts", "no conflicts found"),
        Some((reason, message)) => condition("NamesAccepted", "False", reason, &message),
    };
    Acceptance { names, names_accepted, established }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(plural: &str, kind: &str, short: &[&str]) -> Names {
        Names {
            plural: plural.into(),
            singular: kind.to_lowercase(),
            short_names: short.iter().map(|name| (*name).into()).collect(),
            kind: kind.into(),
            list_kind: format!("{kind}List"),
            categories: Vec::new(),
        }
    }

    #[test]
    fn free_names_are_accepted_and_taken_ones_are_not() {
        let wanted = names("crontabs", "CronTab", &["ct"]);
        let free = accept(&wanted, &Names::default(), &Taken::default(), Progress::New);
        assert_eq!(free.names, wanted);
        assert_eq!(free.names_accepted.message, "no conflicts found");
        assert_eq!(free.established.map(|condition| condition.reason).as_deref(), Some("Installing"));

        let mut taken = Taken::default();
        taken.add(&names("others", "CronTab", &["ct", "x"]));
        let found = accept(&wanted, &Names::default(), &taken, Progress::New);
        assert_eq!(found.names_accepted.reason, "ListKindConflict");
        assert_eq!(found.names_accepted.message, "\"CronTabList\" is already in use");
        assert_eq!(found.names.plural, "crontabs");
        assert!(found.names.kind.is_empty() && found.names.short_names.is_empty());
        assert_eq!(found.established.map(|condition| condition.reason).as_deref(), Some("NotAccepted"));
    }

    #[test]
    fn a_name_that_two_have_stays_taken_until_both_are_gone() {
        let (wanted, mut taken) = (names("crontabs", "CronTab", &["ct"]), Taken::default());
        let (one, other) = (names("ones", "One", &["ct", "ct"]), names("others", "Other", &["ct"]));
        let is_free = |taken: &Taken| {
            accept(&wanted, &Names::default(), taken, Progress::New).names_accepted.status == "True"
        };
        taken.add(&one);
        taken.add(&other);
        taken.remove(&other);
        assert!(!is_free(&taken));
        taken.remove(&one);
        assert!(is_free(&taken));
        assert_eq!(taken, Taken::default(), "nothing stays of who is gone");
        taken.remove(&one);
        assert_eq!(taken, Taken::default());
    }

    #[test]
    fn what_a_definition_has_it_keeps() {
        let (wanted, mut taken) = (names("crontabs", "CronTab", &["ct", "cron"]), Taken::default());
        taken.add(&names("crontabs", "CronTab", &["ct"]));
        let found = accept(&wanted, &names("crontabs", "CronTab", &["ct"]), &taken, Progress::Established);
        assert_eq!((found.names, found.established), (wanted, None));
        assert_eq!(found.names_accepted.status, "True");
    }
}
