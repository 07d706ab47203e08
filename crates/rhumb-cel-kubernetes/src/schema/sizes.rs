//! Sizes of values of declared types, for estimates.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_cel::cost::{Node, Range};

use super::{Declared, Kind};

/// The declared types of variables.
#[derive(Clone, Debug, Default)]
pub struct Sizes {
    variables: BTreeMap<Arc<str>, Arc<Declared>>,
    /// The type of what is reached from every other variable, as rules of definitions have it.
    every: Option<Arc<Declared>>,
}

impl Sizes {
    /// Returns sizes for expressions whose variables all have one type: `self` and `oldSelf` of a rule.
    pub fn of_every_variable(type_: Arc<Declared>) -> Self {
        Self { variables: BTreeMap::new(), every: Some(type_) }
    }

    /// Sets the type of a variable.
    #[must_use]
    pub fn with_variable(mut self, name: &str, type_: Arc<Declared>) -> Self {
        self.variables.insert(name.into(), type_);
        self
    }

    /// Returns the size of a value, if it comes from a variable with a type.
    pub fn size(&self, node: &Node<'_>) -> Option<Range> {
        let steps = node.path.steps();
        let (variable, steps) = steps.split_first()?;
        let key = Declared::key();
        let mut at: &Declared = self.variables.get(*variable).or(self.every.as_ref())?;
        for step in steps {
            at = match (&at.kind, *step) {
                (Kind::List(inner) | Kind::Map(inner), "@items" | "@values") => inner.as_ref(),
                (Kind::Map(_), "@keys") => &key,
                (Kind::Object(object), field) => object.fields.get(field)?,
                _ => return None,
            };
        }
        Some(Range::up_to(at.most))
    }
}
