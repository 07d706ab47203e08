//! Any text, read as a URL's query into every options type: an error or options, never a panic. Options that were
//! read are written as a query and come back as they were.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhumb_codec::query::{encode, from_query, parse, to_query};
use rhumb_meta::v1::{
    ApplyOptions, CreateOptions, DeleteOptions, GetOptions, ListOptions, PatchOptions, TableOptions,
    UpdateOptions,
};
use rhumb_schema::Struct;

fn check<T: Struct + Default>(query: &str) {
    let mut options = T::default();
    if from_query(query, &mut options).is_err() {
        return;
    }
    let pairs = to_query(&options);
    let mut again = T::default();
    from_query(&encode(&pairs), &mut again).expect("what was written can be read");
    assert_eq!(to_query(&again), pairs);
}

fuzz_target!(|input: &[u8]| {
    let Ok(query) = std::str::from_utf8(input) else { return };
    let parsed = parse(query);
    assert_eq!(parse(&encode(&parsed.pairs)).pairs.len(), parsed.pairs.len());
    check::<ApplyOptions>(query);
    check::<CreateOptions>(query);
    check::<DeleteOptions>(query);
    check::<GetOptions>(query);
    check::<ListOptions>(query);
    check::<PatchOptions>(query);
    check::<TableOptions>(query);
    check::<UpdateOptions>(query);
});
