//! The extension library of local variables: `cel.bind`.

use super::Library;
use crate::macros::{self, Macro};

/// The extension library of local variables.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bindings;

impl Library for Bindings {
    fn name(&self) -> &str {
        "cel.lib.ext.cel.bindings"
    }

    fn macros(&self) -> Vec<Macro> {
        macros::bindings()
    }
}
