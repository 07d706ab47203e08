//! The last-applied annotation of client-side apply.

use rhumb_codec::json;
use rhumb_meta::Object;
use rhumb_scheme::Unstructured;

use crate::metadata::{annotations, json_line, set_annotations};

/// Name of the annotation.
pub(crate) const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Returns the last-applied configuration, if there is one.
pub(crate) fn original(object: &Unstructured) -> Option<String> {
    annotations(object).remove(ANNOTATION)
}

/// Returns an object as it is to be applied, without the annotation.
pub(crate) fn without_annotation(object: &Unstructured) -> Unstructured {
    let mut object = object.clone();
    let mut found = annotations(&object);
    found.remove(ANNOTATION);
    set_annotations(&mut object, found);
    object
}

/// Returns an object as it is to be applied, with itself in the annotation.
pub(crate) fn annotated(object: &Unstructured) -> Unstructured {
    let mut object = without_annotation(object);
    let text = String::from_utf8_lossy(&json_line(&object)).into_owned();
    let mut found = annotations(&object);
    found.insert(ANNOTATION.to_owned(), text);
    set_annotations(&mut object, found);
    object
}

/// Keeps an object in its annotation if that is asked for, or if there is one already.
pub(crate) fn keep(object: &mut Unstructured, asked: bool) {
    if asked || original(object).is_some_and(|text| !text.is_empty()) {
        *object = annotated(object);
    }
}

/// Sets the annotation of a typed object, with fields in the order of the type.
pub(crate) fn keep_typed(object: &mut dyn Object, asked: bool) {
    let found = object.metadata().is_some_and(|metadata| metadata.annotations.contains_key(ANNOTATION));
    if !asked && !found {
        return;
    }
    object.edit_metadata(&mut |metadata| {
        metadata.annotations.remove(ANNOTATION);
    });
    let mut text = Vec::new();
    json::encode(object, &mut text);
    text.push(b'\n');
    let text = String::from_utf8_lossy(&text).into_owned();
    object.edit_metadata(&mut |metadata| {
        metadata.annotations.insert(ANNOTATION.to_owned(), text.clone());
    });
}
