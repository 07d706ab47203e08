//! JSONPath templates of kubectl and custom resource definitions.
//!
//! A template is text with actions in braces: `{.metadata.name}{"\n"}`. An action is a path: fields, names in
//! quotes, positions and slices, all elements, unions, filters, descent; or a literal; or the begin and the
//! end of a loop. [`Template::parse`] reads it, and [`Template::find`] follows it in an object. What is
//! accepted, what is found and how errors read is equal to Kubernetes' `client-go/util/jsonpath`, whose
//! oddities are kept where a user can see them; only the order of keys is settled, where Go's maps have none.
//!
//! [`go_text`] shows values as Go's `fmt` does, which is how found values get into columns and errors.

mod compare;
mod evaluate;
pub mod go_text;
mod parse;
mod relaxed;
mod unquote;
mod value;

pub use evaluate::{EvalError, MissingKeys, Progress};
pub use parse::ParseError;
pub use relaxed::{RelaxError, relaxed};
pub use unquote::unquoted;
pub use value::Value;

use parse::Node;

/// A parsed template.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    nodes: Vec<Node>,
}
