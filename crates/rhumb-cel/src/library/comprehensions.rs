//! The extension library of loops with two variables.

use super::Library;
use crate::functions::Function;
use crate::macros::{self, Macro};
use crate::types::Type;

/// The extension library of loops with two variables.
#[derive(Clone, Copy, Debug, Default)]
pub struct Comprehensions;

impl Library for Comprehensions {
    fn name(&self) -> &str {
        "cel.lib.ext.comprev2"
    }

    fn functions(&self) -> Vec<Function> {
        let map = || Type::map(Type::param("K"), Type::param("V"));
        // The evaluator computes these itself, since a loop's map grows in place.
        vec![
            Function::global(
                "cel.@mapInsert",
                "@mapInsert_map_key_value",
                vec![map(), Type::param("K"), Type::param("V")],
                map(),
            ),
            Function::global("cel.@mapInsert", "@mapInsert_map_map", vec![map(), map()], map()),
        ]
    }

    fn macros(&self) -> Vec<Macro> {
        macros::two_variables()
    }
}
