//! Versions that share no more than the names of their kinds with those after them.

use rhumb_scheme::{ConvertError, Object, SchemeBuilder, Scope};

/// Says that no release of Kubernetes converts between a type and the hub of its kind: whoever tries is told so.
pub(crate) fn unconverted<T: Object, Hub: Object>(builder: &mut SchemeBuilder) {
    builder.conversion::<T, Hub>(refuse).conversion::<Hub, T>(refuse);
}

fn refuse<A: Object, B: Object>(object: A, scope: &Scope) -> Result<B, ConvertError> {
    let (_, kind) = object.type_meta();
    let kind = if kind.is_empty() { "such an object" } else { kind };
    let (source, target) = (&scope.source, &scope.target);
    Err(ConvertError::value(format!("no release of Kubernetes converts {kind} of {source} to {target}")))
}
