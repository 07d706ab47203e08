//! Kinds of a package that get clients, with their tags.
//!
//! A kind is one if it has `// +genclient` or says its resource by `#[resource(…)]`. The group and version are those
//! of the package. What can be done with its objects is everything, unless tags say less: `+genclient:readonly`,
//! `:noVerbs`, `:noStatus`, `:onlyVerbs=…`, `:skipVerbs=…`.

use std::collections::BTreeSet;

use super::api_version::{self, ApiVersion};
use super::client::Method;
use super::per_package;
use crate::expand::guess_plural;
use crate::generator::{Generator, Options, Target};
use crate::namer::{Namers, Plural, capital, snake_case};
use crate::problem::{Outcome, Problem, Problems};
use crate::universe::{Kind, Package, Tag, Type, Universe};

/// All verbs, as tags name them.
pub(super) const VERBS: [&str; 11] = [
    "apply",
    "applyStatus",
    "create",
    "delete",
    "deleteCollection",
    "get",
    "list",
    "patch",
    "update",
    "updateStatus",
    "watch",
];

/// Group and version of a package's clients.
pub(super) struct Home {
    /// The group and version.
    pub(super) api: ApiVersion,
    /// The method that leads to its kinds: `stable_v1`.
    pub(super) method: String,
    /// Type name: `StableV1`.
    pub(super) name: String,
}

impl Home {
    /// Returns the group and version as `apiVersion` has them.
    pub(super) fn api_version(&self) -> String {
        let ApiVersion { group, version } = &self.api;
        if group.is_empty() { version.clone() } else { format!("{group}/{version}") }
    }
}

/// A kind that gets a client.
pub(super) struct ClientKind<'a> {
    /// Type.
    pub(super) ty: &'a Type,
    /// Kind.
    pub(super) kind: String,
    /// Plural name.
    pub(super) plural: String,
    /// The method that leads to its objects: `cron_tabs`.
    pub(super) method: String,
    /// Whether its objects live in namespaces.
    pub(super) is_namespaced: bool,
    /// Verbs.
    pub(super) verbs: BTreeSet<&'static str>,
    /// Whether tags say that not everything can be done.
    pub(super) is_narrow: bool,
    /// More that can be done.
    pub(super) methods: Vec<Method>,
    /// Whether nothing else makes the type a `Resource`.
    pub(super) needs_resource: bool,
    /// Whether the type stands for one that is declared elsewhere, perhaps in another version.
    pub(super) is_alias: bool,
}

impl ClientKind<'_> {
    pub(super) fn can(&self, verb: &str) -> bool {
        self.verbs.contains(verb)
    }
}

/// Returns the naming systems of kinds, with the plurals of the command line.
pub(super) fn namers(options: &Options) -> Namers {
    let plural = Plural::with(options.all("plural-exceptions"));
    Namers { plural, ..Namers::default() }
}

/// Returns a target for every package that has kinds to write clients for.
pub(super) fn targets<G: Generator + 'static>(
    universe: &Universe,
    generator: impl Fn() -> G,
) -> Outcome<Vec<Target>> {
    per_package(universe, |package| universe.types_of(package).any(is_client_kind), generator)
}

/// Reports whether clients are written for a type.
pub(super) fn is_client_kind(ty: &Type) -> bool {
    let says_resource = ty
        .item
        .as_ref()
        .is_some_and(|item| item.attrs.iter().any(|attribute| attribute.path().is_ident("resource")));
    match ty.tags.value("genclient") {
        Some("false") => false,
        Some(_) => true,
        None => says_resource,
    }
}

/// Returns the group and version of a package's clients.
///
/// # Errors
/// If the group or version of the package is not said, or can't be made a name.
pub(super) fn home(universe: &Universe, package: &Package) -> Outcome<Home> {
    let api = api_version::of_package(universe, package).ok_or_else(|| {
        Problem::at(
            &package.place,
            "the group of the package is not said: write `// +groupName=stable.example.com` at its top, or \
             `#[resource(…)]` on its kinds",
        )
    })?;
    let said = std::iter::once(package)
        .chain(universe.above(package))
        .find_map(|package| package.tags.value("groupGoName"))
        .map(snake_case);
    let group = said.unwrap_or_else(|| match api.group.split('.').next() {
        None | Some("") => "core".to_owned(),
        Some(label) => label.replace('-', "_"),
    });
    let (method, name) =
        (format!("{group}_{}", api.version), format!("{}{}", camel(&group), capital(&api.version)));
    if syn::parse_str::<syn::Ident>(&method).is_err() || syn::parse_str::<syn::Ident>(&name).is_err() {
        let what = format!(
            "the group {:?} gives no name for Rust: write `// +groupGoName=Name` at the top of the package",
            api.group
        );
        return Err(Problem::at(&package.place, what).into());
    }
    Ok(Home { api, method, name })
}

fn camel(snake: &str) -> String {
    snake.split('_').map(capital).collect()
}

/// Returns the kinds of a package to write clients for, by name.
///
/// # Errors
/// Tags that say what can't be.
pub(super) fn of_package<'a>(
    universe: &'a Universe,
    package: &'a Package,
    namers: &Namers,
) -> Outcome<Vec<ClientKind<'a>>> {
    let mut problems = Problems::default();
    let mut kinds = Vec::new();
    for ty in universe.types_of(package).filter(|ty| is_client_kind(ty)) {
        kinds.extend(problems.take(read(universe, ty, &namers.plural)));
    }
    problems.or(kinds)
}

fn read<'a>(universe: &'a Universe, ty: &'a Type, plurals: &Plural) -> Outcome<ClientKind<'a>> {
    let mut problems = Problems::default();
    let name = &ty.name.name;
    let is_alias = matches!(ty.kind, Kind::Alias(_));
    let declared = match &ty.kind {
        Kind::Alias(target) => universe.underlying(target).name().and_then(|name| universe.get(name)),
        _ => Some(ty),
    };
    if declared.is_some_and(|ty| !ty.has_metadata()) {
        let what = format!(
            "`{name}` is no kind with clients: it needs `type_meta: TypeMeta` and `metadata: ObjectMeta`"
        );
        problems.push(Problem::at(&ty.place, what));
    }
    let words = api_version::words(ty);
    let is_namespaced = problems.take(is_namespaced(ty, words.as_ref().and_then(|words| words.namespaced)));
    let kind = api_version::kind(ty);
    let said = words.as_ref().and_then(|words| words.plural.as_ref()).map(syn::LitStr::value);
    let said =
        said.or_else(|| ty.tags.value("resourceName").map(str::to_owned)).or_else(|| marker(ty, "path"));
    let plural = said.unwrap_or_else(|| plurals.lower(&kind));
    let (verbs, is_narrow) = problems.take(verbs(ty)).unwrap_or_default();
    let mut methods = Vec::new();
    for tag in ty.tags.all("genclient:method") {
        methods.extend(problems.take(Method::read(universe, ty, tag)));
    }
    let by_hand = ty.tags.value("rhumb:resource-gen") == Some("false") || ty.derives("Resource");
    let needs_resource = !is_alias && words.is_none() && !by_hand;
    let method = method(&kind, &plural, plurals);
    if syn::parse_str::<syn::Ident>(&method).is_err() {
        problems.push(Problem::at(&ty.place, format!("the plural {plural:?} gives no name for Rust")));
    }
    problems.or(ClientKind {
        ty,
        kind,
        plural,
        method,
        is_namespaced: is_namespaced.unwrap_or(true),
        verbs,
        is_narrow,
        methods,
        needs_resource,
        is_alias,
    })
}

/// Reports whether the objects of a kind live in namespaces: what its attribute says counts, then tags.
fn is_namespaced(ty: &Type, said: Option<bool>) -> Outcome<bool> {
    match (ty.tags.get("genclient:nonNamespaced"), said) {
        (Some(tag), Some(true)) => {
            let name = &ty.name.name;
            let what = format!("`{name}` is `namespaced` in `#[resource(…)]`: only one of the two can be");
            Err(Problem::at(&tag.place, what).into())
        }
        (Some(_), _) => Ok(false),
        (None, Some(said)) => Ok(said),
        (None, None) => Ok(marker(ty, "scope").as_deref() != Some("Cluster")),
    }
}

/// Returns the plural with the words of the kind apart, if it is made of the kind, and as it is otherwise.
fn method(kind: &str, plural: &str, plurals: &Plural) -> String {
    if let Some(said) = plurals.exceptions.get(kind) {
        return snake_case(said);
    }
    // The end is changed when the words are apart already: the plural of `CIDR` would otherwise be `cid_rs`.
    let guess = guess_plural(&snake_case(kind));
    if guess.replace('_', "") == plural { guess } else { plural.replace('-', "_") }
}

/// Returns a word of the marker `+kubebuilder:resource:path=…,scope=…`.
fn marker(ty: &Type, word: &str) -> Option<String> {
    let texts = ty.tags.0.iter().filter_map(|tag| tag.text.strip_prefix("kubebuilder:resource:"));
    let mut pairs = texts.flat_map(|text| text.split(',')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| name.trim() == word).map(|(_, value)| value.trim_matches('"').to_owned())
}

/// Returns the verbs of a kind, and whether some are missing.
fn verbs(ty: &Type) -> Outcome<(BTreeSet<&'static str>, bool)> {
    let mut problems = Problems::default();
    let mut verbs: BTreeSet<&'static str> = VERBS.into();
    let mut is_narrow = false;
    for (word, tag) in ty.tags.under("genclient:") {
        is_narrow |= word != "nonNamespaced" && word != "method";
        match word {
            "nonNamespaced" | "method" => {}
            "noVerbs" => verbs.clear(),
            "noStatus" => verbs.retain(|verb| !verb.ends_with("Status")),
            "readonly" => verbs.retain(|verb| ["get", "list", "watch"].contains(verb)),
            "onlyVerbs" => {
                let only = problems.take(named(tag)).unwrap_or_default();
                verbs.retain(|verb| only.contains(verb));
            }
            "skipVerbs" => {
                let skip = problems.take(named(tag)).unwrap_or_default();
                verbs.retain(|verb| !skip.contains(verb));
            }
            _ => problems.push(Problem::at(
                &tag.place,
                format!(
                    "+{} is not known: there are nonNamespaced, readonly, noStatus, noVerbs, onlyVerbs, skipVerbs \
                     and method",
                    tag.name
                ),
            )),
        }
    }
    if is_narrow && ty.item.is_some() && ty.member("status").is_none() {
        verbs.retain(|verb| !verb.ends_with("Status"));
    }
    problems.or((verbs, is_narrow))
}

/// Returns the verbs that a tag names.
fn named(tag: &Tag) -> Outcome<Vec<&'static str>> {
    let find = |word: &str| {
        VERBS.into_iter().find(|verb| *verb == word.trim()).ok_or_else(|| {
            let what = format!("{:?} is no verb: there are {}", word.trim(), VERBS.join(", "));
            Problem::at(&tag.place, what).into()
        })
    };
    tag.value().split(',').map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_keep_the_words_of_the_kind_apart() {
        let mut plurals = Plural::default();
        for (kind, plural, expected) in [
            ("CronTab", "crontabs", "cron_tabs"),
            ("ServiceCIDR", "servicecidrs", "service_cidrs"),
            ("IPAddress", "ipaddresses", "ip_addresses"),
            ("Endpoints", "endpoints", "endpoints"),
            ("NetworkPolicy", "networkpolicies", "network_policies"),
            ("APIService", "apiservices", "api_services"),
            ("Fish", "fish", "fish"),
            ("Gateway", "gate-ways", "gate_ways"),
        ] {
            assert_eq!(method(kind, plural, &plurals), expected);
        }
        plurals.exceptions.insert("SeaFish".to_owned(), "SeaFish".to_owned());
        assert_eq!(method("SeaFish", "seafish", &plurals), "sea_fish");
    }
}
