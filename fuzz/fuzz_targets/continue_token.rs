//! Any text, read as the token with which a list goes on: an error or a token that stays within its prefix, never a
//! panic. What was read is written and read again and must stay as it was.

#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use rhumb_codec::continue_token::{ContinueAt, ContinueToken};

fn check(token: &str) {
    let prefix = Bytes::from_static(b"/registry/pods/");
    let Ok(read) = ContinueToken::decode(token, &prefix) else { return };
    assert!(read.start.starts_with(&prefix));
    if let ContinueAt::Exact(revision) = read.at {
        assert!(revision > 0);
    }
    if read.start == prefix {
        // Only `/` says that, as in Kubernetes; nothing is written that way.
        return;
    }
    let written = read.encode(&prefix).expect("what was read can be written");
    assert_eq!(ContinueToken::decode(&written, &prefix), Ok(read));
}

fuzz_target!(|input: &[u8]| {
    use base64::Engine;
    if let Ok(token) = std::str::from_utf8(input) {
        check(token);
    }
    // Base64 would keep the fuzzer from what is within.
    check(&base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(input));
});
