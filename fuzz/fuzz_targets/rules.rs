//! Any bytes, read as a JSON object of any kind and held to the rules of its kind: errors or none, never a
//! panic. This is the way to the readers of URLs, certificates, schedules, patterns and the like that the rules
//! have.
//!
//! The first byte is the kind that a text has which doesn't say its own.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use rhumb_codec::{JsonSerializer, Serializer, Strictness};
use rhumb_fuzz::chosen_kind;
use rhumb_scheme::validation::Context;
use rhumb_scheme::{Scheme, ToInternal};
use rhumb_validation::{validate_create, validate_update};

fn scheme() -> &'static Scheme {
    static SCHEME: OnceLock<Scheme> = OnceLock::new();
    SCHEME.get_or_init(|| rhumb_validation::scheme().expect("the built-in scheme freezes"))
}

fuzz_target!(|input: &[u8]| {
    let Some((kind, text)) = chosen_kind(input) else { return };
    let serializer = JsonSerializer { pretty: false, strictness: Strictness::Ignore };
    let Ok(read) = serializer.decode(text, Some(kind), scheme()) else { return };
    let mut object = read.object;
    scheme().default(&mut *object);
    let Ok(internal) = scheme().move_to_version(object, &ToInternal) else { return };
    let version = kind.group_version();
    let context = Context::new(&version);
    validate_create(scheme(), &*internal, &context);
    validate_update(scheme(), &*internal, &*internal, None, &context);
});
