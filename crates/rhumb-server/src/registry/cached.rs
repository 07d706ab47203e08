//! What the watch cache keeps of an object beside its bytes: labels and fields that it is selected by.

use std::sync::atomic::{AtomicU8, Ordering};

use rhumb_meta::Object;
use rhumb_store::cache::Indexed;

use super::model::Model;

/// What the cache keeps of an object beside its bytes: what it is selected by.
#[derive(Debug, Default)]
pub(crate) struct CachedObject {
    selected_by: Pairs,
    /// Why the bytes are no object, if they are none.
    broken: Option<Box<str>>,
    /// What is known of the stored bytes, one of [`Stored`].
    stored: AtomicU8,
}

/// Whether the stored bytes of an object are what clients get of it in protobuf, but for the revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Stored {
    /// Nobody has looked.
    Unknown,
    /// They are.
    IsForm,
    /// They are not: by being read, the object changes.
    Differs,
}

impl CachedObject {
    /// What is kept of bytes that are no object, and why.
    pub(crate) fn broken_by(why: &str) -> Self {
        CachedObject { broken: Some(why.into()), ..CachedObject::default() }
    }

    pub(crate) fn of(model: &dyn Model, hub: &dyn Object) -> Self {
        let fields = model.fields(hub);
        let fields = fields.iter().map(|(name, value)| (name, value));
        let selected_by = match hub.metadata() {
            Some(meta) => Pairs::of(meta.labels.iter(), fields),
            None => Pairs::of(std::iter::empty(), fields),
        };
        CachedObject { selected_by, ..CachedObject::default() }
    }

    /// The labels.
    pub(crate) fn label(&self, key: &str) -> Option<&str> {
        self.selected_by.label(key)
    }

    /// A field of the kind's own that objects are selected by.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.selected_by.field(name)
    }

    /// What is known of the stored bytes.
    pub(crate) fn stored(&self) -> Stored {
        let is = |known: Stored| self.stored.load(Ordering::Relaxed) == known as u8;
        [Stored::IsForm, Stored::Differs].into_iter().find(|known| is(*known)).unwrap_or(Stored::Unknown)
    }

    /// Notes what was found out about the stored bytes.
    pub(crate) fn found(&self, stored: Stored) {
        self.stored.store(stored as u8, Ordering::Relaxed);
    }

    /// Why the stored bytes are no object, if they are none.
    pub(crate) fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }
}

impl Indexed for CachedObject {
    fn index_keys(&self, index: &str, add: &mut dyn FnMut(&str)) {
        if let Some(value) = self.field(index).filter(|value| !value.is_empty()) {
            add(value);
        }
    }
}

/// Labels and fields with their values, in as little room as there is: every object of the cache has them.
#[derive(Debug, Default)]
struct Pairs {
    /// All names and values, one behind the other, the labels first.
    text: Box<str>,
    /// Where each of them ends.
    ends: Box<[u32]>,
    /// How many of the ends belong to labels.
    labels: usize,
}

impl Pairs {
    fn of<'a>(
        labels: impl Iterator<Item = (&'a String, &'a String)>,
        fields: impl Iterator<Item = (&'a String, &'a String)>,
    ) -> Self {
        let (mut text, mut ends) = (String::new(), Vec::new());
        let mut add = |part: &str| {
            text.push_str(part);
            // Objects are far smaller; what is not told apart is not found.
            ends.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
        };
        let mut count = 0;
        for (name, value) in labels {
            add(name);
            add(value);
            count += 2;
        }
        // A field that is not there is an empty one to all who ask.
        for (name, value) in fields.filter(|(_, value)| !value.is_empty()) {
            add(name);
            add(value);
        }
        Pairs { text: text.into(), ends: ends.into(), labels: count }
    }

    fn label(&self, name: &str) -> Option<&str> {
        let labels = self.ends.get(..self.labels)?;
        self.find(0, labels, name)
    }

    fn field(&self, name: &str) -> Option<&str> {
        let (labels, fields) = self.ends.split_at_checked(self.labels)?;
        self.find(labels.last().copied().unwrap_or_default(), fields, name)
    }

    /// The value of a name in a part that begins somewhere in the text.
    fn find(&self, begin: u32, ends: &[u32], name: &str) -> Option<&str> {
        let mut begin = usize::try_from(begin).ok()?;
        for pair in ends.chunks_exact(2) {
            let &[middle, end] = pair else { return None };
            let (middle, end) = (usize::try_from(middle).ok()?, usize::try_from(end).ok()?);
            if self.text.get(begin..middle)? == name {
                return self.text.get(middle..end);
            }
            begin = end;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_with_their_values_and_not_inside_of_others() {
        let labels = [("app", "web"), ("empty", ""), ("é", "ü"), ("we", "b")];
        let fields = [("app", "field"), ("none", ""), ("status", "Running")];
        let owned = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let (own_labels, own_fields) = (owned(&labels), owned(&fields));
        let held = Pairs::of(
            own_labels.iter().map(|(name, value)| (name, value)),
            own_fields.iter().map(|(name, value)| (name, value)),
        );
        for (name, value) in labels {
            assert_eq!(held.label(name), Some(value));
        }
        assert_eq!((held.label("web"), held.label(""), held.label("appweb")), (None, None, None));
        assert_eq!((held.label("status"), held.field("we")), (None, None));
        assert_eq!((held.field("app"), held.field("status")), (Some("field"), Some("Running")));
        assert_eq!(held.field("none"), None, "what is empty is not kept");
        assert_eq!((Pairs::default().label("app"), Pairs::default().field("app")), (None, None));
    }
}
