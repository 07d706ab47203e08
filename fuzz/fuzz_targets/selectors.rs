//! Any text, read as a label selector, a field selector and a set of labels: an error or a selector, never a panic.
//! What a selector prints reads back as an equal one, which matches the same.

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use rhumb_meta::{fields, labels};

fn check_labels(text: &str, set: &BTreeMap<String, String>) {
    let Ok(selector) = labels::Selector::parse(text) else { return };
    let printed = selector.to_string();
    let again = labels::Selector::parse(&printed).expect("what was printed can be read");
    assert_eq!(again, selector, "{printed}");
    assert_eq!(again.matches(set), selector.matches(set));
    for requirement in selector.requirements().unwrap_or_default() {
        selector.requires_exact_match(requirement.key());
        for value in requirement.values() {
            requirement.matches(Some(value));
        }
        requirement.matches(None);
    }
}

fn check_fields(text: &str, set: &BTreeMap<String, String>) {
    let Ok(selector) = fields::Selector::parse(text) else { return };
    let printed = selector.to_string();
    let again = fields::Selector::parse(&printed).expect("what was printed can be read");
    // Terms are sorted by how they were written, so that `a==z,a=b` comes back in another order.
    let sorted = |selector: &fields::Selector| {
        let mut requirements = selector.requirements().to_vec();
        requirements.sort();
        requirements
    };
    assert_eq!(sorted(&again), sorted(&selector), "{printed}");
    assert_eq!(again.matches(set), selector.matches(set));
    for requirement in selector.requirements() {
        selector.requires_exact_match(&requirement.field);
        let value = fields::unescape_value(&fields::escape_value(&requirement.value));
        assert_eq!(value.as_ref(), Ok(&requirement.value));
    }
}

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    // A first line may be the labels that the selectors are tried on.
    let (first, rest) = text.split_once('\n').unwrap_or(("", text));
    let set = labels::parse_set(first).unwrap_or_default();
    let printed = labels::format_labels(&set);
    let from_set = labels::Selector::from_set(&set);
    assert!(from_set.matches(&set), "labels match themselves: {printed}");
    assert!(fields::Selector::from_set(&set).matches(&set));
    check_labels(rest, &set);
    check_fields(rest, &set);
    check_fields(&fields::Selector::from_set(&set).to_string(), &set);
});
