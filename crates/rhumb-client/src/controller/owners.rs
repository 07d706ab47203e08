//! Owner references: an object is deleted with its owners, and its controller is reconciled when it changes
//! ([`Controller::owns`](super::Controller::owns)).

use std::error::Error;
use std::fmt;

use rhumb_meta::v1::OwnerReference;
use rhumb_meta::{Object, Resource};

/// Error of setting an owner.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum OwnerError {
    /// Another controls it.
    Controlled {
        /// The present controller.
        by: Box<OwnerReference>,
    },
    /// The owner is in a namespace where the object is not: the server would take it for gone.
    OtherNamespace {
        /// Namespace of the owner.
        owner: String,
        /// Namespace of the object; empty if it is cluster-scoped.
        object: String,
    },
    /// The object has no metadata.
    NoMetadata,
}

impl fmt::Display for OwnerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OwnerError::Controlled { by } => {
                write!(f, "the object is already controlled by the {} {}", by.kind, by.name)
            }
            OwnerError::OtherNamespace { owner, object } if object.is_empty() => {
                write!(f, "an object without a namespace can't have an owner in the namespace {owner}")
            }
            OwnerError::OtherNamespace { owner, object } => {
                write!(f, "an object in the namespace {object} can't have an owner in the namespace {owner}")
            }
            OwnerError::NoMetadata => f.write_str("the object has no metadata"),
        }
    }
}

impl Error for OwnerError {}

/// Returns the owner reference of a controlled object. The owner must have a UID.
pub fn controller_reference<K: Resource>(owner: &K) -> OwnerReference {
    let metadata = owner.metadata().unwrap_or_default();
    OwnerReference {
        api_version: K::gvk().api_version(),
        kind: K::KIND.to_owned(),
        name: metadata.name.clone(),
        uid: metadata.uid.clone(),
        controller: Some(true),
        block_owner_deletion: Some(true),
    }
}

/// Sets the controller of an object, as controllers do with all objects they create.
///
/// ```
/// use rhumb_api::apps::v1::Deployment;
/// use rhumb_api::core::v1::ConfigMap;
/// use rhumb_client::controller::{is_controlled_by, set_controller_reference};
///
/// let mut owner = Deployment::default();
/// owner.metadata.name = "web".to_owned();
/// owner.metadata.namespace = "shop".to_owned();
/// owner.metadata.uid = "d9607e19".to_owned();
/// let mut settings = ConfigMap::default();
/// settings.metadata.namespace = "shop".to_owned();
/// set_controller_reference(&owner, &mut settings)?;
/// assert!(is_controlled_by(&settings, &owner));
/// # Ok::<(), rhumb_client::controller::OwnerError>(())
/// ```
///
/// # Errors
/// If another controls it, or the two can't belong together.
pub fn set_controller_reference<K: Resource>(owner: &K, object: &mut dyn Object) -> Result<(), OwnerError> {
    let reference = controller_reference(owner);
    let known = object.metadata().ok_or(OwnerError::NoMetadata)?;
    let namespace = owner.identity().namespace.into_owned();
    if !namespace.is_empty() && namespace != known.namespace {
        return Err(OwnerError::OtherNamespace { owner: namespace, object: known.namespace.clone() });
    }
    let controller = known.owner_references.iter().find(|owner| owner.controller == Some(true));
    if let Some(by) = controller.filter(|owner| !is_same(owner, &reference)) {
        return Err(OwnerError::Controlled { by: Box::new(by.clone()) });
    }
    drop(known);
    object.edit_metadata(&mut |metadata| {
        let owners = &mut metadata.owner_references;
        match owners.iter_mut().find(|owner| is_same(owner, &reference)) {
            Some(owner) => owner.clone_from(&reference),
            None => owners.push(reference.clone()),
        }
    });
    Ok(())
}

/// Returns the controller of an object, if it has one.
pub fn controller_of(object: &dyn Object) -> Option<OwnerReference> {
    object.metadata()?.owner_references.iter().find(|owner| owner.controller == Some(true)).cloned()
}

/// Reports whether an object is controlled by this one, and not by an earlier one of its name.
pub fn is_controlled_by(object: &dyn Object, owner: &dyn Object) -> bool {
    let (Some(object), Some(owner)) = (object.metadata(), owner.metadata()) else { return false };
    object.owner_references.iter().any(|by| by.controller == Some(true) && by.uid == owner.uid)
}

/// Reports whether two references are of one object, be it in different versions.
fn is_same(left: &OwnerReference, right: &OwnerReference) -> bool {
    let group = |owner: &OwnerReference| owner.api_version.split_once('/').map(|(group, _)| group.to_owned());
    left.name == right.name && left.kind == right.kind && group(left) == group(right)
}

#[cfg(test)]
mod tests {
    use rhumb_api::apps::v1::Deployment;
    use rhumb_api::core::v1::{ConfigMap, Namespace};

    use super::*;

    fn owner(namespace: &str, uid: &str) -> Deployment {
        let mut owner = Deployment::default();
        owner.metadata.name = "web".to_owned();
        owner.metadata.namespace = namespace.to_owned();
        owner.metadata.uid = uid.to_owned();
        owner
    }

    fn map() -> ConfigMap {
        let mut map = ConfigMap::default();
        map.metadata.namespace = "shop".to_owned();
        map
    }

    #[test]
    fn an_object_has_one_controller() {
        let mut map = map();
        assert_eq!(controller_of(&map), None);
        set_controller_reference(&owner("shop", "1"), &mut map).unwrap();
        let expect = OwnerReference {
            api_version: "apps/v1".to_owned(),
            kind: "Deployment".to_owned(),
            name: "web".to_owned(),
            uid: "1".to_owned(),
            controller: Some(true),
            block_owner_deletion: Some(true),
        };
        assert_eq!(map.metadata.owner_references, [expect]);
        assert!(is_controlled_by(&map, &owner("shop", "1")));
        // The same name again is another object, and takes the place of the one before.
        assert!(!is_controlled_by(&map, &owner("shop", "2")));
        map.metadata.owner_references[0].api_version = "apps/v1beta1".to_owned();
        set_controller_reference(&owner("shop", "2"), &mut map).unwrap();
        assert_eq!(map.metadata.owner_references.len(), 1);
        assert_eq!(controller_of(&map).unwrap().api_version, "apps/v1");
        assert!(is_controlled_by(&map, &owner("shop", "2")));

        let mut other = owner("shop", "3");
        other.metadata.name = "db".to_owned();
        let error = set_controller_reference(&other, &mut map).unwrap_err();
        assert_eq!(error.to_string(), "the object is already controlled by the Deployment web");
        // One that owns without controlling is left, and is no obstacle.
        map.metadata.owner_references[0].controller = None;
        set_controller_reference(&other, &mut map).unwrap();
        assert_eq!(map.metadata.owner_references.len(), 2);
        assert!(is_controlled_by(&map, &other) && !is_controlled_by(&map, &owner("shop", "2")));
    }

    #[test]
    fn an_owner_is_in_the_same_namespace_or_in_none() {
        let error = set_controller_reference(&owner("bank", "1"), &mut map()).unwrap_err();
        let expect = "an object in the namespace shop can't have an owner in the namespace bank";
        assert_eq!(error.to_string(), expect);
        let error = set_controller_reference(&owner("bank", "1"), &mut Namespace::default()).unwrap_err();
        let expect = "an object without a namespace can't have an owner in the namespace bank";
        assert_eq!(error.to_string(), expect);
        let mut of_cluster = Namespace::default();
        of_cluster.metadata.name = "shop".to_owned();
        set_controller_reference(&of_cluster, &mut map()).unwrap();
    }
}
