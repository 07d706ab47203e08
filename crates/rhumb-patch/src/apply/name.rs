//! Strings with inline storage, for field names and keys.

use std::fmt;
use std::ops::Deref;

/// Maximum length stored inline.
const SHORT: usize = 22;

/// String with inline storage. Field sets hold hundreds of mostly short names and are rebuilt with every write.
#[derive(Clone, PartialEq, Eq)]
pub struct Name(Repr);

#[derive(Clone, PartialEq, Eq)]
enum Repr {
    Short(u8, [u8; SHORT]),
    Long(Box<str>),
}

impl Name {
    pub(super) fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Short(length, bytes) => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Repr::Long(text) => text.as_bytes(),
        }
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        let mut bytes = [0; SHORT];
        match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(part), Ok(length)) => {
                part.copy_from_slice(text.as_bytes());
                Name(Repr::Short(length, bytes))
            }
            _ => Name(Repr::Long(text.into())),
        }
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            // What was a text once is one now.
            Repr::Short(..) => std::str::from_utf8(self.as_bytes()).unwrap_or_default(),
            Repr::Long(text) => text,
        }
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
