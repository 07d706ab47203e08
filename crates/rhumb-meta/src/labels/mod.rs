//! Label selectors: select objects of lists, watches and controllers by their labels.
//!
//! A selector comes from text (`env in (dev,test),tier!=cache`), from a set of labels to be equal to, or from
//! the structured form that many specs hold. It prints in a fixed order, so equal selectors print equally and
//! the text can serve as a key. What may be a key or a value is told by [`crate::validation`].

mod parse;
mod quote;
mod requirement;
mod selector;
mod set;
#[cfg(test)]
mod tests;

pub use parse::{Expected, MAX_REQUIREMENTS, MAX_SELECTOR_BYTES, ParseError};
pub use requirement::{Operator, Requirement, RequirementError, UnknownOperator, Violation};
pub use selector::{Expression, LabelSelectorError, Selector};
pub use set::{ParseSetError, format_labels, parse_set};
