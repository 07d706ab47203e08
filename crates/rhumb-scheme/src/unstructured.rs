//! `Unstructured`: objects without a Rust type, such as custom resources.

use std::borrow::Cow;

use rhumb_meta::labels::Selector;
use rhumb_meta::{Identity, ListMeta, Object, ObjectMeta, downcast};
use rhumb_schema::text::JsonWriter;
use rhumb_schema::wire::{BackWriter, Reader, Tag};
use rhumb_schema::{
    Described, Received, Schema, Shape, Slot, Source, Struct, Value, View, ViewMut, from_tree, to_tree,
};
use serde_json::{Map, Value as Json};

/// An API object as a JSON tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unstructured {
    tree: Json,
}

impl Unstructured {
    /// Creates an object from a tree; `None` if the tree is not a JSON object.
    pub fn new(tree: Json) -> Option<Self> {
        tree.is_object().then_some(Unstructured { tree })
    }

    /// Converts any object to an `Unstructured`.
    pub fn from_object(object: &dyn Object) -> Self {
        Unstructured { tree: to_tree(object) }
    }

    /// Decodes this object into a typed object with default values.
    ///
    /// # Errors
    /// If something of another type stands where the typed object has a field.
    pub fn fill(&self, object: &mut dyn Object) -> Result<(), rhumb_schema::DecodeError> {
        from_tree(&self.tree, object)
    }

    /// Returns the tree.
    pub fn tree(&self) -> &Json {
        &self.tree
    }

    /// Returns the top-level fields mutably.
    pub fn fields_mut(&mut self) -> &mut serde_json::Map<String, Json> {
        if !self.tree.is_object() {
            self.tree = Json::Object(serde_json::Map::new());
        }
        match &mut self.tree {
            Json::Object(fields) => fields,
            _ => unreachable!("it was made an object above"),
        }
    }

    /// Returns the tree by value.
    pub fn into_tree(self) -> Json {
        self.tree
    }

    /// Returns the value at a path of keys.
    pub fn get(&self, path: &[&str]) -> Option<&Json> {
        path.iter().try_fold(&self.tree, |tree, key| tree.get(key))
    }

    /// Sets the value at a path of keys, creating objects on the way. False, without changes, if something else is in
    /// the way.
    pub fn set(&mut self, path: &[&str], value: Json) -> bool {
        let blocked = path.iter().enumerate().any(|(depth, _)| {
            path.get(..depth)
                .and_then(|way| self.get(way))
                .is_some_and(|tree| !tree.is_object() && !tree.is_null())
        });
        let Some((last, way)) = path.split_last().filter(|_| !blocked) else { return false };
        let mut tree = &mut self.tree;
        for key in way {
            tree = object_mut(tree).entry(*key).or_insert(Json::Null);
        }
        object_mut(tree).insert((*last).to_owned(), value);
        true
    }

    fn text(&self, key: &str) -> &str {
        self.text_at(&[key])
    }

    fn text_at(&self, path: &[&str]) -> &str {
        self.get(path).and_then(Json::as_str).unwrap_or_default()
    }
}

fn object_mut(tree: &mut Json) -> &mut Map<String, Json> {
    if !tree.is_object() {
        *tree = Json::Object(Map::new());
    }
    match tree {
        Json::Object(map) => map,
        // Made an object just above.
        _ => unreachable!("not an object"),
    }
}

/// Edits the `metadata` of a tree through its typed form. What the typed form doesn't know stays as it was.
fn edit_tree<M: Described + Struct>(tree: &mut Json, edit: &mut dyn FnMut(&mut M)) {
    let mut typed: M = typed_metadata(tree);
    let before = to_tree(&typed);
    edit(&mut typed);
    let mut after = to_tree(&typed);
    let metadata = object_mut(tree).entry("metadata").or_insert(Json::Null);
    let map = object_mut(metadata);
    for field in typed.desc().fields {
        // What was not edited stays to the letter, with what the typed form doesn't know inside of it.
        let new = after.get_mut(field.json).map(Json::take);
        if before.get(field.json) == new.as_ref() {
            continue;
        }
        match new {
            Some(new) => map.insert(field.json.to_owned(), new),
            None => map.remove(field.json),
        };
    }
}

/// Returns the metadata of a tree in its typed form. Fields of the wrong type are left to the decoder to complain
/// about; here they count as absent.
fn typed_metadata<M: Described + Struct>(tree: &Json) -> M {
    let mut typed = M::default();
    let Some(metadata) = tree.get("metadata") else { return typed };
    for (position, field) in typed.desc().fields.iter().enumerate() {
        if let Some(tree) = metadata.get(field.json)
            && from_tree(tree, typed.field_mut(position)).is_err()
        {
            typed.field_mut(position).reset();
        }
    }
    typed
}

impl Value for Unstructured {
    fn view(&self) -> View<'_> {
        View::Json(&self.tree)
    }
    fn view_mut(&mut self) -> ViewMut<'_> {
        ViewMut::Json(&mut self.tree)
    }
    fn reset(&mut self) {
        self.tree = Json::Null;
    }
    fn send(&self, slot: Slot, sink: &mut JsonWriter) {
        sink.json(slot, &self.tree);
    }
    fn receive(&mut self, source: &mut dyn Source) -> Received {
        source.json(&mut self.tree)
    }
    fn write_wire(&self, slot: Slot, out: &mut BackWriter) {
        self.tree.write_wire(slot, out);
    }
    fn read_wire(&mut self, slot: Slot, tag: Tag, reader: &mut Reader<'_>) -> Received {
        self.tree.read_wire(slot, tag, reader)
    }
}

impl Object for Unstructured {
    fn type_meta(&self) -> (&str, &str) {
        (self.text("apiVersion"), self.text("kind"))
    }
    fn set_type_meta(&mut self, api_version: &str, kind: &str) {
        let map = object_mut(&mut self.tree);
        for (key, value) in [("apiVersion", api_version), ("kind", kind)] {
            if value.is_empty() {
                map.remove(key);
            } else {
                map.insert(key.into(), value.into());
            }
        }
    }
    fn clone_object(&self) -> Box<dyn Object> {
        Box::new(self.clone())
    }
    fn equals(&self, other: &dyn Object) -> bool {
        other.downcast_ref::<Self>() == Some(self)
    }
    fn metadata(&self) -> Option<Cow<'_, ObjectMeta>> {
        Some(Cow::Owned(typed_metadata(&self.tree)))
    }
    fn identity(&self) -> Identity<'_> {
        Identity {
            namespace: Cow::Borrowed(self.text_at(&["metadata", "namespace"])),
            name: Cow::Borrowed(self.text_at(&["metadata", "name"])),
            resource_version: Cow::Borrowed(self.text_at(&["metadata", "resourceVersion"])),
        }
    }
    fn is_selected(&self, selector: &Selector) -> bool {
        let labels = self.get(&["metadata", "labels"]);
        selector.matches_with(|key| labels?.get(key)?.as_str())
    }
    fn edit_metadata(&mut self, edit: &mut dyn FnMut(&mut ObjectMeta)) -> bool {
        edit_tree(&mut self.tree, edit);
        true
    }
}

impl Described for Unstructured {
    const SHAPE: Shape = Shape::Json;
}

/// A list of objects without a Rust type. Its fields stand in the order of a sorted map, as Kubernetes prints it.
#[derive(Clone, Default, Schema)]
pub struct UnstructuredList {
    /// The list's own version.
    #[field(0)]
    pub api_version: String,
    /// The objects in the list.
    #[field(0, required, not_null)]
    pub items: Vec<Unstructured>,
    /// The list's own kind.
    #[field(0)]
    pub kind: String,
    /// The list's metadata.
    #[field(0)]
    pub metadata: ListMeta,
}

impl Object for UnstructuredList {
    fn type_meta(&self) -> (&str, &str) {
        (&self.api_version, &self.kind)
    }
    fn set_type_meta(&mut self, api_version: &str, kind: &str) {
        self.api_version = api_version.to_owned();
        self.kind = kind.to_owned();
    }
    fn clone_object(&self) -> Box<dyn Object> {
        Box::new(self.clone())
    }
    fn equals(&self, other: &dyn Object) -> bool {
        other.downcast_ref::<Self>() == Some(self)
    }
    fn list_metadata(&self) -> Option<Cow<'_, ListMeta>> {
        Some(Cow::Borrowed(&self.metadata))
    }
    fn edit_list_metadata(&mut self, edit: &mut dyn FnMut(&mut ListMeta)) -> bool {
        edit(&mut self.metadata);
        true
    }
    fn items(&self) -> Option<Vec<&dyn Object>> {
        Some(self.items.iter().map(|item| item as &dyn Object).collect())
    }
    fn take_items(&mut self) -> Option<Vec<Box<dyn Object>>> {
        Some(std::mem::take(&mut self.items).into_iter().map(|item| Box::new(item) as _).collect())
    }
    fn push_item(&mut self, item: Box<dyn Object>) -> Result<(), Box<dyn Object>> {
        // Any object fits: a typed one is turned into its tree.
        self.items.push(match downcast::<Unstructured>(item) {
            Ok(item) => item,
            Err(typed) => Unstructured::from_object(&*typed),
        });
        Ok(())
    }
}
