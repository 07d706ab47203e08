//! Activations: the values of variables in one evaluation.

use std::collections::HashMap;

use super::error::Error;
use crate::value::Value;

/// The values of variables. A variable is looked up when it is first needed, and once.
pub trait Activation: Sync {
    /// Returns the value of a variable, an error if it can't be computed, or nothing if there is no such variable.
    fn find(&self, name: &str) -> Option<Result<Value<'_>, Error>>;
}

/// No variables.
#[derive(Clone, Copy, Debug, Default)]
pub struct Empty;

impl Activation for Empty {
    fn find(&self, _: &str) -> Option<Result<Value<'_>, Error>> {
        None
    }
}

impl Activation for HashMap<&str, Value<'_>> {
    fn find(&self, name: &str) -> Option<Result<Value<'_>, Error>> {
        self.get(name).map(|value| Ok(value.clone()))
    }
}

impl<const N: usize> Activation for [(&str, Value<'_>); N] {
    fn find(&self, name: &str) -> Option<Result<Value<'_>, Error>> {
        self.iter().find(|(other, _)| *other == name).map(|(_, value)| Ok(value.clone()))
    }
}
