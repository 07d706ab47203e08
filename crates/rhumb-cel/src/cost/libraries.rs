//! What calls of the extension libraries for lists and sets cost.

use super::{CallEstimate, CostEstimator, LIST, Node, Range, STRING_FACTOR};

/// Returns what a call costs, if it is one of these libraries'.
pub(super) fn call(
    estimator: &dyn CostEstimator,
    overload: &str,
    target: Option<&Node<'_>>,
    args: &[Node<'_>],
) -> Option<CallEstimate> {
    let size = |node: &Node<'_>| node.computed.or_else(|| estimator.size(node)).unwrap_or(Range::UNKNOWN);
    Some(match (overload, target, args) {
        ("list_slice", Some(target), [start, end]) => {
            let start = number(start).unwrap_or(0);
            let end = number(end).unwrap_or_else(|| size(target).max);
            new_list(1.0, Range::exactly(end.wrapping_sub(start)))
        }
        ("lists_range", None, [count]) => new_list(1.0, Range::exactly(number(count).unwrap_or(u64::MAX))),
        ("list_reverse", Some(target), []) => new_list(1.0, size(target)),
        ("list_flatten", Some(target), []) => new_list(1.0, size(target)),
        ("list_flatten_int", Some(target), [depth]) => {
            new_list(factor(number(depth).unwrap_or(u64::MAX)), size(target))
        }
        ("list_distinct", Some(target), []) => compared(target, &size, 2.0),
        ("list_sets_contains_list" | "list_sets_intersects_list", _, [left, right]) => {
            size(left).times(size(right)).plus(Range::exactly(1)).into()
        }
        ("list_sets_equivalent_list", _, [left, right]) => {
            size(left).times(size(right)).scaled(2.0).plus(Range::exactly(1)).into()
        }
        _ => {
            let element = overload.strip_prefix("list_")?;
            let (element, keys) = match (target, args) {
                (Some(target), []) => (element.strip_suffix("_sort")?, target),
                (Some(_), [keys]) => (element.strip_suffix("_sortByAssociatedKeys")?, keys),
                _ => return None,
            };
            let text = matches!(element, "string" | "bytes");
            compared(keys, &size, if text { 2.0 + STRING_FACTOR } else { 2.0 })
        }
    })
}

/// Returns the cost of comparing the elements of a list with each other.
fn compared(list: &Node<'_>, size: &dyn Fn(&Node<'_>) -> Range, factor: f64) -> CallEstimate {
    let size = size(list);
    new_list(factor, size.times(size))
}

/// Returns the cost of a call that makes a list of this size.
fn new_list(factor: f64, size: Range) -> CallEstimate {
    CallEstimate { cost: size.scaled(factor).plus(Range::exactly(1 + LIST)), result: Some(size) }
}

/// Returns the literal number that an argument is.
fn number(node: &Node<'_>) -> Option<u64> {
    node.literal_int().map(|number| u64::try_from(number).unwrap_or(0))
}

fn factor(number: u64) -> f64 {
    number as f64
}
