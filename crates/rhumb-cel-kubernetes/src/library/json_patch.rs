//! JSON patches: keys as they are written in pointers.

use rhumb_cel::functions::Function;
use rhumb_cel::library::Library;
use rhumb_cel::types::Type;
use rhumb_cel::value::Value;

use super::text;

/// The library of JSON patches.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonPatch;

impl Library for JsonPatch {
    fn name(&self) -> &str {
        "kubernetes.jsonpatch"
    }

    fn functions(&self) -> Vec<Function> {
        let id = "string_jsonpatch_escapeKey_string";
        vec![
            Function::global("jsonpatch.escapeKey", id, vec![Type::String], Type::String)
                .with(|_, args| Ok(Value::from(text(args, 0)?.replace('~', "~0").replace('/', "~1")))),
        ]
    }
}
