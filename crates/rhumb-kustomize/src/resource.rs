//! Objects of a build with their history.

use std::collections::BTreeMap;

use regex::Regex;
use rhumb_meta::labels;
use serde_json::Value;

use crate::fault::{Fault, Outcome, fail};
use crate::id::{Gvk, ResId};
use crate::node::Node;
use crate::origin::Origin;

/// What a generated object does to an existing one of the same name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Behavior {
    #[default]
    Unspecified,
    Create,
    Replace,
    Merge,
}

impl Behavior {
    pub(crate) fn from_text(text: &str) -> Behavior {
        match text {
            "create" => Behavior::Create,
            "replace" => Behavior::Replace,
            "merge" => Behavior::Merge,
            _ => Behavior::Unspecified,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Behavior::Unspecified => "unspecified",
            Behavior::Create => "create",
            Behavior::Replace => "replace",
            Behavior::Merge => "merge",
        }
    }
}

/// Additional permissions of a patch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Allowed {
    pub(crate) name: bool,
    pub(crate) kind: bool,
}

/// An object with its history.
#[derive(Debug, Clone)]
pub(crate) struct Resource {
    /// The object; `None` once a patch has deleted it.
    pub(crate) node: Option<Node>,
    /// Name, namespace and kind before each change of them, the oldest first.
    previous: Vec<(String, String, String)>,
    pub(crate) prefixes: Vec<String>,
    pub(crate) suffixes: Vec<String>,
    pub(crate) behavior: Behavior,
    pub(crate) needs_hash: bool,
    pub(crate) allowed: Allowed,
    /// The variables that take their value from this object.
    pub(crate) variables: Vec<String>,
    pub(crate) origin: Option<Origin>,
    pub(crate) transformations: Vec<Origin>,
    /// The file it was read from, as the kustomization names it.
    pub(crate) file: Option<String>,
}

/// Contents of deleted objects.
static NOTHING: Node = Node::Mapping(Vec::new());

impl Resource {
    pub(crate) fn new(node: Node) -> Resource {
        Resource {
            node: Some(node),
            previous: Vec::new(),
            prefixes: Vec::new(),
            suffixes: Vec::new(),
            behavior: Behavior::Unspecified,
            needs_hash: false,
            allowed: Allowed::default(),
            variables: Vec::new(),
            origin: None,
            transformations: Vec::new(),
            file: None,
        }
    }

    pub(crate) fn node(&self) -> &Node {
        self.node.as_ref().unwrap_or(&NOTHING)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.node().is_null_or_empty()
    }

    /// Changes the object, if it is still there.
    pub(crate) fn edit(&mut self, change: impl FnOnce(&mut Node) -> Outcome<()>) -> Outcome<()> {
        self.node.as_mut().map_or(Ok(()), change)
    }

    pub(crate) fn gvk(&self) -> Gvk {
        Gvk::of(self.node())
    }

    pub(crate) fn current_id(&self) -> ResId {
        ResId::of(self.node())
    }

    /// Returns previous identities, oldest first.
    pub(crate) fn previous_ids(&self) -> Vec<ResId> {
        let (group, version) = crate::id::split_api_version(self.node().api_version());
        let id = |(name, namespace, kind): &(String, String, String)| ResId {
            gvk: Gvk::selector(group, version, kind),
            name: name.clone(),
            namespace: namespace.clone(),
        };
        self.previous.iter().map(id).collect()
    }

    pub(crate) fn original_id(&self) -> ResId {
        self.previous_ids().into_iter().next().unwrap_or_else(|| self.current_id())
    }

    /// Everything it was ever known by, the newest first and then from the oldest on.
    pub(crate) fn all_ids(&self) -> Vec<ResId> {
        let mut ids = vec![ResId {
            gvk: Gvk { cluster_scoped: false, ..self.gvk() },
            name: self.node().name().to_owned(),
            namespace: self.node().namespace().to_owned(),
        }];
        ids.extend(self.previous_ids());
        ids
    }

    pub(crate) fn has_history(&self) -> bool {
        !self.previous.is_empty()
    }

    /// Remembers what it is known by, before that changes.
    pub(crate) fn remember_id(&mut self) {
        let id = self.current_id();
        self.previous.push((id.name.clone(), id.effective_namespace().to_owned(), id.gvk.kind.clone()));
    }

    /// Returns the object with its history in annotations, which is how kustomize keeps it and shows it in messages.
    pub(crate) fn with_history(&self) -> Value {
        let mut node = self.node().clone();
        let mut annotations = node.annotations();
        let column = |pick: fn(&(String, String, String)) -> &String| {
            self.previous.iter().map(|id| pick(id).as_str()).collect::<Vec<_>>().join(",")
        };
        let history = [
            ("previousNames", column(|id| &id.0)),
            ("previousNamespaces", column(|id| &id.1)),
            ("previousKinds", column(|id| &id.2)),
            ("prefixes", self.prefixes.join(",")),
            ("suffixes", self.suffixes.join(",")),
        ];
        for (key, value) in history.into_iter().filter(|(_, value)| !value.is_empty()) {
            annotations.insert(format!("internal.config.kubernetes.io/{key}"), value);
        }
        let json = node.set_annotations(&annotations).and_then(|()| node.to_json());
        json.unwrap_or_default()
    }

    /// Takes labels, annotations, name and history over from an object that this one stands in for.
    pub(crate) fn take_metadata_from(&mut self, other: &Resource) -> Outcome<()> {
        let mut labels = other.node().labels();
        labels.extend(self.node().labels());
        let mut annotations = other.node().annotations();
        annotations.extend(self.node().annotations());
        let (name, namespace) = (other.node().name().to_owned(), other.node().namespace().to_owned());
        self.edit(|node| {
            node.set_labels(&labels)?;
            node.set_annotations(&annotations)?;
            node.set_name(&name)?;
            node.set_namespace(&namespace)
        })?;
        self.previous.clone_from(&other.previous);
        self.prefixes.clone_from(&other.prefixes);
        self.suffixes.clone_from(&other.suffixes);
        self.needs_hash = self.needs_hash && other.needs_hash;
        self.behavior = other.behavior;
        self.variables.clone_from(&other.variables);
        if self.origin.is_none() {
            self.origin.clone_from(&other.origin);
        }
        if self.transformations.is_empty() {
            self.transformations.clone_from(&other.transformations);
        }
        Ok(())
    }

    /// Puts the data of an object that is merged into below its own.
    pub(crate) fn take_data_from(&mut self, other: &Resource) -> Outcome<()> {
        for field in ["data", "binaryData"] {
            let entries = |node: &Node| -> BTreeMap<String, String> {
                let map = node.get(field).map_or(&[][..], Node::entries);
                map.iter().map(|(key, value)| (key.clone(), value.value_text().to_owned())).collect()
            };
            let mut data = entries(other.node());
            data.extend(entries(self.node()));
            self.edit(|node| {
                node.remove(field);
                if !data.is_empty() {
                    let entries = data.into_iter().map(|(key, value)| (key, Node::string(value))).collect();
                    node.set_field(field, Node::Mapping(entries))?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Reports whether the names of two objects were changed in the same places.
    pub(crate) fn same_context(&self, other: &Resource, empty_fits: bool) -> bool {
        let fits = |one: &[String], other: &[String]| {
            (empty_fits && (one.is_empty() || other.is_empty())) || same_ending(one, other)
        };
        fits(&self.prefixes, &other.prefixes) && fits(&self.suffixes, &other.suffixes)
    }
}

fn same_ending(one: &[String], other: &[String]) -> bool {
    let (short, long) = if one.len() > other.len() { (other, one) } else { (one, other) };
    if short.is_empty() {
        return long.is_empty();
    }
    long.ends_with(short)
}

/// Object selector.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selector {
    pub(crate) id: ResId,
    pub(crate) annotations: String,
    pub(crate) labels: String,
}

impl std::fmt::Display for Selector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:a={}:l={}", self.id, self.annotations, self.labels)
    }
}

/// A selector with compiled patterns.
pub(crate) struct Matcher {
    group: Option<Regex>,
    version: Option<Regex>,
    kind: Option<Regex>,
    name: Option<Regex>,
    namespace: Option<Regex>,
}

impl Matcher {
    pub(crate) fn new(selector: &Selector) -> Outcome<Matcher> {
        let id = &selector.id;
        Ok(Matcher {
            group: anchored(&id.gvk.group)?,
            version: anchored(&id.gvk.version)?,
            kind: anchored(&id.gvk.kind)?,
            name: anchored(&id.name)?,
            namespace: anchored(&id.namespace)?,
        })
    }

    pub(crate) fn fits_kind(&self, gvk: &Gvk) -> bool {
        fits(&self.group, &gvk.group) && fits(&self.version, &gvk.version) && fits(&self.kind, &gvk.kind)
    }

    pub(crate) fn fits_name(&self, name: &str) -> bool {
        fits(&self.name, name)
    }

    pub(crate) fn fits_namespace(&self, namespace: &str) -> bool {
        fits(&self.namespace, namespace)
    }
}

fn fits(pattern: &Option<Regex>, text: &str) -> bool {
    pattern.as_ref().is_none_or(|pattern| pattern.is_match(text))
}

fn anchored(pattern: &str) -> Outcome<Option<Regex>> {
    if pattern.is_empty() {
        return Ok(None);
    }
    Regex::new(&format!("^(?:{pattern})$"))
        .map(Some)
        .map_err(|error| Fault(format!("error parsing regexp: {error}")))
}

/// Reports whether labels or annotations fit a selector's text.
pub(crate) fn fits_selector(selector: &str, values: &BTreeMap<String, String>) -> Outcome<bool> {
    let selector = labels::Selector::parse(selector).map_err(|error| Fault(error.to_string()))?;
    Ok(selector.matches(values))
}

/// All objects in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Resources {
    pub(crate) list: Vec<Resource>,
}

impl Resources {
    /// Adds an object, unless there is one of the same identity.
    pub(crate) fn append(&mut self, resource: Resource) -> Outcome<()> {
        let id = resource.current_id();
        if self.with_name(&id.name).any(|other| id.equals(&other.current_id())) {
            return fail(format!("may not add resource with an already registered id: {id}"));
        }
        self.list.push(resource);
        Ok(())
    }

    /// Returns the objects of a name, whatever else they are.
    pub(crate) fn with_name<'r>(&'r self, name: &'r str) -> impl Iterator<Item = &'r Resource> {
        self.list.iter().filter(move |resource| resource.node().name() == name)
    }

    pub(crate) fn append_all(&mut self, resources: impl IntoIterator<Item = Resource>) -> Outcome<()> {
        resources.into_iter().try_for_each(|resource| self.append(resource))
    }

    /// Positions of the objects that are or were known by a fitting identity.
    pub(crate) fn known_by(&self, fits: impl Fn(&ResId) -> bool) -> Vec<usize> {
        let known = |resource: &Resource| {
            !resource.is_empty()
                && (resource.previous_ids().iter().any(&fits) || fits(&resource.current_id()))
        };
        let found = self.list.iter().enumerate().filter(|(_, resource)| known(resource));
        found.map(|(at, _)| at).collect()
    }

    /// Returns the one object that is or was known by an identity.
    pub(crate) fn by_id(&self, id: &ResId) -> Outcome<usize> {
        let found = self.known_by(|known| id.equals(known));
        let count = match found.as_slice() {
            [one] => return Ok(*one),
            [] => "no matches",
            _ => "multiple matches",
        };
        fail(format!("{count} for Id {id}; failed to find unique target for patch {id}"))
    }

    /// Positions of the objects that a selector chooses.
    pub(crate) fn select(&self, selector: &Selector) -> Outcome<Vec<usize>> {
        let matcher = Matcher::new(selector)?;
        let mut chosen = Vec::new();
        for (at, resource) in self.list.iter().enumerate() {
            let (current, original) = (resource.current_id(), resource.original_id());
            let fits = (matcher.fits_namespace(original.effective_namespace())
                || matcher.fits_namespace(current.effective_namespace()))
                && (matcher.fits_name(&original.name) || matcher.fits_name(&current.name))
                && matcher.fits_kind(&resource.gvk())
                && fits_selector(&selector.labels, &resource.node().labels())?
                && fits_selector(&selector.annotations, &resource.node().annotations())?;
            if fits {
                chosen.push(at);
            }
        }
        Ok(chosen)
    }

    /// Adds a generated object, or lets it replace or change the one of its name.
    pub(crate) fn absorb(&mut self, mut resource: Resource) -> Outcome<()> {
        let id = resource.current_id();
        let found = self.known_by(|known| id.equals(known));
        let at = match found.as_slice() {
            [] => {
                return match resource.behavior {
                    Behavior::Merge | Behavior::Replace => {
                        fail(format!("id {} does not exist; cannot merge or replace", id.go_syntax()))
                    }
                    _ => self.append(resource),
                };
            }
            [at] => *at,
            _ => return fail(format!("found multiple objects that could accept merge of {id}")),
        };
        let Some(old) = self.list.get(at) else { return Ok(()) };
        match resource.behavior {
            Behavior::Replace => resource.take_metadata_from(old)?,
            Behavior::Merge => {
                resource.take_metadata_from(old)?;
                resource.take_data_from(old)?;
                if old.origin.is_some() {
                    resource.origin.clone_from(&old.origin);
                }
            }
            behavior => {
                return fail(format!(
                    "id {} exists; can not use behavior: '{}', behavior must be merge or replace",
                    id.go_syntax(),
                    behavior.text()
                ));
            }
        }
        if let Some(slot) = self.list.get_mut(at) {
            *slot = resource;
        }
        Ok(())
    }

    pub(crate) fn drop_empty(&mut self) {
        self.list.retain(|resource| !resource.is_empty());
    }
}
