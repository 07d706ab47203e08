//! Arithmetic on resource lists.

use std::cmp::Ordering;

use rhumb_meta::{Format, Quantity};

use crate::ResourceList;

pub(super) fn zero() -> Quantity {
    Quantity::from_i64(0, Format::DecimalSI)
}

pub(super) fn count(number: usize) -> Quantity {
    Quantity::from_i64(i64::try_from(number).unwrap_or(i64::MAX), Format::DecimalSI)
}

/// Reports whether both have the same names with the same amounts.
pub fn equals(a: &ResourceList, b: &ResourceList) -> bool {
    let same = |(name, amount): (&String, &Quantity)| {
        b.get(name).is_some_and(|other| amount.cmp(other) == Ordering::Equal)
    };
    a.len() == b.len() && a.iter().all(same)
}

/// Returns the sum by name.
pub fn add(a: &ResourceList, b: &ResourceList) -> ResourceList {
    let mut sum = a.clone();
    crate::resources::add(&mut sum, b);
    sum
}

/// Returns the difference by name; what only `b` has is negative.
pub fn subtract(a: &ResourceList, b: &ResourceList) -> ResourceList {
    let mut rest = a.clone();
    for (name, amount) in b {
        match rest.get_mut(name) {
            Some(value) => *value -= amount,
            None => drop(rest.insert(name.clone(), -amount.clone())),
        }
    }
    rest
}

/// Returns the difference by name, or nothing where it would be negative.
pub fn subtract_to_zero(a: &ResourceList, b: &ResourceList) -> ResourceList {
    let mut rest = subtract(a, b);
    for amount in rest.values_mut().filter(|amount| amount.sign() <= 0) {
        *amount = zero();
    }
    rest
}

/// Only what has one of the names.
pub fn mask<'a>(list: &ResourceList, names: impl IntoIterator<Item = &'a str>) -> ResourceList {
    let amount = |name: &str| list.get(name).map(|amount| (name.to_owned(), amount.clone()));
    names.into_iter().filter_map(amount).collect()
}

/// Returns the names of which there is more than allowed. What has no bound is allowed.
pub fn exceeding<'a>(amounts: &'a ResourceList, bounds: &ResourceList) -> Vec<&'a str> {
    let exceeds =
        |(name, amount): &(&String, &Quantity)| bounds.get(*name).is_some_and(|bound| *amount > bound);
    amounts.iter().filter(exceeds).map(|(name, _)| name.as_str()).collect()
}
