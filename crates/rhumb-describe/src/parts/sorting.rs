//! Order of Go's unstable `sort.Sort`.

use rhumb_output::go_order;

/// Things in order, by what comes before what.
pub(crate) fn sorted_as_go<T>(items: impl IntoIterator<Item = T>, less: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    let order = go_order::sorted(items.len(), &mut |one, other| {
        let pair = items.get(one).zip(items.get(other));
        matches!(pair, Some((Some(one), Some(other))) if less(one, other))
    });
    order.into_iter().filter_map(|index| items.get_mut(index)?.take()).collect()
}
