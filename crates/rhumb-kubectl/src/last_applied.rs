//! The annotation in which `apply` finds what was last applied, on objects that a command makes itself.

use rhumb_codec::json;
use rhumb_meta::Object;

/// Its name.
pub(crate) const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Notes the object in its own annotation.
pub(crate) fn note(object: &mut dyn Object) {
    object.edit_metadata(&mut |metadata| {
        metadata.annotations.remove(ANNOTATION);
    });
    let mut text = Vec::new();
    json::encode(object, &mut text);
    let mut text = String::from_utf8_lossy(&text).into_owned();
    text.push('\n');
    object.edit_metadata(&mut |metadata| {
        metadata.annotations.insert(ANNOTATION.to_owned(), text.clone());
    });
}

/// Notes the object in its own annotation, if `wanted` or if it has the annotation already.
pub(crate) fn note_if(wanted: bool, object: &mut dyn Object) {
    let has = object.metadata().is_some_and(|metadata| metadata.annotations.contains_key(ANNOTATION));
    if wanted || has {
        note(object);
    }
}
