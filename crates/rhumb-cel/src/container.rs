//! Containers: the namespace that names in an expression are looked up in, and abbreviations of long names.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// A namespace with abbreviations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Container {
    name: Arc<str>,
    abbreviations: HashMap<Arc<str>, Arc<str>>,
}

/// Why a container can't have a name or an abbreviation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContainerError {
    /// The name begins with a dot.
    LeadingDot(String),
    /// What is abbreviated is not a name with a dot inside.
    NotQualified(String),
    /// The abbreviation stands for another name already.
    Taken {
        /// The name to abbreviate.
        name: String,
        /// Its last part.
        abbreviation: String,
        /// What that stands for.
        existing: String,
    },
    /// The abbreviation is the first part of the container's own name.
    OwnName {
        /// The name to abbreviate.
        name: String,
        /// Its last part.
        abbreviation: String,
        /// The container's name.
        container: String,
    },
}

impl fmt::Display for ContainerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeadingDot(name) => write!(f, "container name must not contain a leading '.': {name}"),
            Self::NotQualified(name) => {
                write!(f, "invalid qualified name: {name}, wanted name of the form 'qualified.name'")
            }
            Self::Taken { name, abbreviation, existing } => write!(
                f,
                "abbreviation collides with existing reference: name={name}, abbreviation={abbreviation}, \
                 existing={existing}"
            ),
            Self::OwnName { name, abbreviation, container } => write!(
                f,
                "abbreviation collides with container name: name={name}, abbreviation={abbreviation}, \
                 container={container}"
            ),
        }
    }
}

impl std::error::Error for ContainerError {}

impl Container {
    /// Returns a container of this name, which may be empty or have dots.
    pub fn new(name: &str) -> Result<Self, ContainerError> {
        if name.starts_with('.') {
            return Err(ContainerError::LeadingDot(name.to_owned()));
        }
        Ok(Self { name: name.into(), abbreviations: HashMap::new() })
    }

    /// Adds the last part of `name` as its abbreviation.
    pub fn abbreviate(mut self, name: &str) -> Result<Self, ContainerError> {
        let name = name.trim();
        let allowed = |c: char| c == '.' || c == '_' || c.is_ascii_alphanumeric();
        let (_, short) = name
            .rsplit_once('.')
            .filter(|(qualifier, short)| {
                !qualifier.is_empty() && !short.is_empty() && name.chars().all(allowed)
            })
            .ok_or_else(|| ContainerError::NotQualified(name.to_owned()))?;
        if let Some(existing) = self.abbreviations.get(short) {
            return Err(ContainerError::Taken {
                name: name.to_owned(),
                abbreviation: short.to_owned(),
                existing: existing.to_string(),
            });
        }
        if self.name.split('.').next() == Some(short) {
            return Err(ContainerError::OwnName {
                name: name.to_owned(),
                abbreviation: short.to_owned(),
                container: self.name.to_string(),
            });
        }
        self.abbreviations.insert(short.into(), name.into());
        Ok(self)
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Calls `find` with what `name` may stand for, from the innermost namespace to the outermost, until it finds
    /// something. A leading dot means the outermost; an abbreviation goes before everything.
    pub fn resolve<T>(&self, name: &str, mut find: impl FnMut(&str) -> Option<T>) -> Option<T> {
        let absolute = name.strip_prefix('.');
        let wanted = absolute.unwrap_or(name);
        if !self.abbreviations.is_empty() {
            let (first, rest) = wanted.find('.').map_or((wanted, ""), |dot| wanted.split_at(dot));
            if let Some(full) = self.abbreviations.get(first) {
                return if rest.is_empty() { find(full) } else { find(&format!("{full}{rest}")) };
            }
        }
        if absolute.is_none() && !self.name.is_empty() {
            let mut namespace = &*self.name;
            loop {
                if let Some(found) = find(&format!("{namespace}.{name}")) {
                    return Some(found);
                }
                let Some((outer, _)) = namespace.rsplit_once('.') else { break };
                namespace = outer;
            }
        }
        find(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(container: &Container, name: &str) -> Vec<String> {
        let mut seen = Vec::new();
        container.resolve(name, |candidate| {
            seen.push(candidate.to_owned());
            None::<()>
        });
        seen
    }

    #[test]
    fn names_are_looked_up_from_the_inside_out() {
        let container = Container::new("a.b.c").unwrap();
        assert_eq!(candidates(&container, "R.s"), ["a.b.c.R.s", "a.b.R.s", "a.R.s", "R.s"]);
        assert_eq!(candidates(&container, ".R.s"), ["R.s"]);
        assert_eq!(candidates(&Container::default(), "x"), ["x"]);
    }

    #[test]
    fn an_abbreviation_goes_before_every_namespace() {
        let container = Container::new("a.b").unwrap().abbreviate("my.long.R").unwrap();
        assert_eq!(candidates(&container, "R"), ["my.long.R"]);
        assert_eq!(candidates(&container, "R.s.t"), ["my.long.R.s.t"]);
        assert_eq!(candidates(&container, ".R"), ["my.long.R"]);
    }

    #[test]
    fn names_that_would_mean_two_things_are_refused() {
        let container = || Container::new("a.b").unwrap();
        assert!(Container::new(".a").is_err());
        for name in ["R", "x.", ".x", "a b.c", "x.a"] {
            assert!(container().abbreviate(name).is_err(), "{name}");
        }
        assert!(container().abbreviate("x.R").unwrap().abbreviate("y.R").is_err());
    }
}
