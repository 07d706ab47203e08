//! Index of version 3 documents, and the hashes that clients cache them by.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha512};

/// Returns the hash of a document's JSON text: SHA-512 in upper-case hexadecimal digits. The protobuf form of a
/// document has the hash of its JSON form.
pub fn hash(document: &[u8]) -> String {
    let digest = Sha512::digest(document);
    digest.iter().fold(String::with_capacity(128), |mut text, byte| {
        let _ = write!(text, "{byte:02X}");
        text
    })
}

/// Returns the entity tag that goes with a hash: the hash in quotes.
pub fn etag(hash: &str) -> String {
    format!("\"{hash}\"")
}

/// Returns the URL of a document with its hash. Requests with another hash are redirected to it by 301.
pub fn relative_url(key: &str, hash: &str) -> String {
    format!("/openapi/v3/{key}?hash={hash}")
}

/// Returns the index, `/openapi/v3`: for every key the address of its document. Takes keys with the hashes of their
/// documents.
pub fn index<K: AsRef<str>, H: AsRef<str>>(documents: impl IntoIterator<Item = (K, H)>) -> Vec<u8> {
    let paths: Map<String, Value> = documents
        .into_iter()
        .map(|(key, hash)| {
            let url = relative_url(key.as_ref(), hash.as_ref());
            (key.as_ref().to_owned(), json!({ "serverRelativeURL": url }))
        })
        .collect();
    json!({ "paths": paths }).to_string().into_bytes()
}
