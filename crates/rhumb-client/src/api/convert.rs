//! Conversion between `Unstructured` and typed objects.

use rhumb_codec::CodecError;
use rhumb_meta::Resource;
use rhumb_scheme::Unstructured;

use super::Readable;
use crate::Error;

/// Converts an `Unstructured` to a type. Unknown fields are dropped.
///
/// ```
/// use rhumb_api::core::v1::ConfigMap;
/// use rhumb_client::{from_unstructured, to_unstructured};
///
/// let mut map = ConfigMap::default();
/// map.metadata.name = "settings".to_owned();
/// let tree = to_unstructured(&map);
/// assert_eq!(tree.get(&["kind"]), Some(&"ConfigMap".into()));
/// assert_eq!(from_unstructured::<ConfigMap>(&tree)?.metadata, map.metadata);
/// # Ok::<(), rhumb_client::Error>(())
/// ```
///
/// # Errors
/// If something of another type stands where the type has a field.
pub fn from_unstructured<K: Readable>(tree: &Unstructured) -> Result<K, Error> {
    let mut object = K::default();
    tree.fill(&mut object).map_err(|error| Error::Decode(CodecError::Decode(error)))?;
    Ok(object)
}

/// Converts a typed object to an `Unstructured`, which always has its version and kind, even if the object has not, as
/// most items of lists and objects made in programs.
pub fn to_unstructured<K: Resource>(object: &K) -> Unstructured {
    let mut tree = Unstructured::from_object(object);
    if object.type_meta() == ("", "") {
        let object: &mut dyn rhumb_meta::Object = &mut tree;
        object.set_gvk(&K::gvk());
    }
    tree
}
