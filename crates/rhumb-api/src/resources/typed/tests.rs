//! The table of types beside the table of resources and the Scheme.

use std::any::TypeId;
use std::collections::{HashMap, HashSet};

use rhumb_meta::{GroupVersionKind, Object, Resource, Scope};

use crate::resources::{ResourceTable, Served};

/// A line of the table of types.
struct Line {
    gvk: GroupVersionKind,
    plural: &'static str,
    method: &'static str,
    scope: Scope,
    /// Whether the line begins with `type`.
    is_own: bool,
    type_id: TypeId,
    is_type_of: fn(&dyn Object) -> bool,
    /// What the type itself says it is.
    says: (GroupVersionKind, &'static str, Scope),
}

macro_rules! lines {
    ($($group:literal {
        $($version:literal $place:ident $client:ident $module:ident::$file:ident {
            $($how:tt $kind:ident $method:ident $plural:literal $scope:ident,)*
        })*
    })*) => {
        vec![$($($(line::<crate::$module::$file::$kind>(
            GroupVersionKind::new_static($group, $version, stringify!($kind)),
            $plural,
            stringify!($method),
            Scope::$scope,
            stringify!($how),
        ),)*)*)*]
    };
}

fn line<T: Resource>(
    gvk: GroupVersionKind,
    plural: &'static str,
    method: &'static str,
    scope: Scope,
    how: &str,
) -> Line {
    Line {
        gvk,
        plural,
        method,
        scope,
        is_own: how == "type",
        type_id: TypeId::of::<T>(),
        is_type_of: |object| object.is::<T>(),
        says: (T::gvk(), T::PLURAL, T::SCOPE),
    }
}

fn table() -> Vec<Line> {
    crate::built_in_resources!(lines)
}

/// The resources that something can be done with; one stands in the table only for what is below it.
fn is_usable(served: &&Served) -> bool {
    !served.resource.verbs.is_empty()
}

#[test]
fn every_resource_has_its_type_and_every_type_its_resource() {
    let resources = ResourceTable::everything();
    let mut left: HashSet<GroupVersionKind> = resources.iter().filter(is_usable).map(Served::gvk).collect();
    for line in table() {
        let served = resources.by_kind(&line.gvk).unwrap_or_else(|| panic!("{} is no resource", line.gvk));
        assert_eq!(line.plural, served.resource.plural, "{}", line.gvk);
        assert_eq!(line.scope, served.resource.scope, "{}", line.gvk);
        assert_eq!(line.method.replace('_', ""), line.plural, "{}", line.gvk);
        assert!(left.remove(&line.gvk), "{} is there twice", line.gvk);
    }
    assert!(left.is_empty(), "without a type: {left:?}");
}

#[test]
fn the_scheme_has_the_same_types() {
    let scheme = crate::scheme().expect("the scheme");
    for line in table() {
        let object = scheme.new_object(&line.gvk).unwrap_or_else(|error| panic!("{error}"));
        assert!((line.is_type_of)(&*object), "{} has another type", line.gvk);
    }
}

#[test]
fn types_name_the_version_that_clients_should_use() {
    let resources = ResourceTable::everything();
    let mut places: HashMap<TypeId, Vec<Line>> = HashMap::new();
    for line in table() {
        places.entry(line.type_id).or_default().push(line);
    }
    for lines in places.values() {
        // Served before given up, stable before beta, and in the group where the objects are stored.
        let best = lines.iter().min_by_key(|line| {
            let served = resources.by_kind(&line.gvk).expect("a resource");
            let at_home = served.storage_version().is_none_or(|place| place.group == line.gvk.group);
            (served.is_former, !served.is_stable(), !at_home)
        });
        let best = best.expect("a line");
        let own: Vec<String> =
            lines.iter().filter(|line| line.is_own).map(|line| line.gvk.to_string()).collect();
        assert_eq!(own, [best.gvk.to_string()]);
        assert_eq!(best.says, (best.gvk.clone(), best.plural, best.scope));
    }
}
