//! Tags: comments for generators, `// +name` or `// +name=value`.

use crate::problem::{Outcome, Place, Problem};

/// A tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The name, up to the first `=`.
    pub name: String,
    /// Value after the `=`, if any.
    pub value: Option<String>,
    /// The whole tag without its plus, for tags that are written in a way of their own.
    pub text: String,
    /// Position.
    pub place: Place,
}

impl Tag {
    /// Reads a line of a comment, without its slashes. A line that doesn't begin with a plus is no tag.
    pub fn parse(line: &str, place: &Place) -> Option<Tag> {
        let text = line.trim().strip_prefix('+')?.trim();
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value.trim().to_owned())),
            None => (text, None),
        };
        let begins = name.starts_with(|first: char| first.is_ascii_alphabetic());
        (begins && !name.contains(char::is_whitespace)).then(|| Tag {
            name: name.to_owned(),
            value,
            text: text.to_owned(),
            place: place.clone(),
        })
    }

    /// Returns the value, empty where there is none.
    pub fn value(&self) -> &str {
        self.value.as_deref().unwrap_or_default()
    }
}

/// Tags of a package, type or member, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(pub Vec<Tag>);

impl Tags {
    /// Reports whether a tag is there, with whatever value.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Returns the last tag of a name, which is the one that counts.
    pub fn get(&self, name: &str) -> Option<&Tag> {
        self.0.iter().rev().find(|tag| tag.name == name)
    }

    /// Returns all tags of a name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Tag> {
        self.0.iter().filter(move |tag| tag.name == name)
    }

    /// Returns all tags whose names have a prefix, with the rest of their names.
    pub fn under<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a Tag)> {
        self.0.iter().filter_map(move |tag| Some((tag.name.strip_prefix(prefix)?, tag)))
    }

    /// Returns the value of the last tag of a name, empty if it has none.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.get(name).map(Tag::value)
    }

    /// Returns a tag that is `true` (also without a value) or `false`; `None` if it isn't there.
    ///
    /// # Errors
    /// If it is something else.
    pub fn truth(&self, name: &str) -> Outcome<Option<bool>> {
        match self.get(name) {
            None => Ok(None),
            Some(tag) => match tag.value.as_deref() {
                None | Some("" | "true") => Ok(Some(true)),
                Some("false") => Ok(Some(false)),
                Some(other) => Err(Problem::at(
                    &tag.place,
                    format!("the tag +{name} is `true` or `false`, not {other:?}"),
                )
                .into()),
            },
        }
    }
}
