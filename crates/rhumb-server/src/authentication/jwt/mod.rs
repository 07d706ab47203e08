//! JSON Web Tokens: taking them apart, keys to sign and to check them with, and sets of such keys.
//!
//! Nothing here decides whether a token is good for anything: who it is from, who it is for and when it ends is
//! looked at by those who know what to expect.
//!
//! All cryptography is ring's, which TLS brings. The crate `jsonwebtoken` is not used because it comes with aws-lc-rs
//! or the crates of RustCrypto: either would be a second implementation of the same signatures in one binary, the
//! latter of 950 KiB. What is written here it would leave to us, too: keys in all the forms of PEM that Kubernetes
//! reads, with the names that it gives them; sets of keys as they are published; and claims that are looked at before
//! it is known whose key counts.

mod algorithm;
mod pem;
mod public;
mod signing;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use serde_json::Value as Json;

pub(crate) use algorithm::Algorithm;
pub(crate) use public::PublicKey;
pub(crate) use signing::SigningKey;

/// The largest token that is looked at; headers are bounded by the listener, bodies of reviews are not.
const LARGEST: usize = 64 * 1024;

/// A token in its parts. Whether they are true shows only by its signature.
pub(crate) struct Token<'a> {
    /// What is signed.
    signed: &'a str,
    signature: Vec<u8>,
    head: Json,
    /// What it says.
    pub(crate) claims: Json,
}

impl<'a> Token<'a> {
    /// Takes a token apart; none if it is no token of this kind.
    pub(crate) fn parse(token: &'a str) -> Option<Self> {
        if token.len() > LARGEST {
            return None;
        }
        let (signed, signature) = token.rsplit_once('.')?;
        let (head, claims) = signed.split_once('.')?;
        let read = |part: &str| serde_json::from_slice::<Json>(&BASE64.decode(part).ok()?).ok();
        let (head, claims) = (read(head)?, read(claims)?);
        if !head.is_object() || !claims.is_object() {
            return None;
        }
        Some(Token { signed, signature: BASE64.decode(signature).ok()?, head, claims })
    }

    /// The name of the key that it says it is signed with; empty if it doesn't say.
    pub(crate) fn key_id(&self) -> &str {
        text(&self.head, "/kid")
    }

    /// How it says it is signed; none if we don't know that way.
    pub(crate) fn algorithm(&self) -> Option<Algorithm> {
        Algorithm::of(text(&self.head, "/alg"))
    }

    /// Whether it was signed with the other half of this key.
    pub(crate) fn is_signed_with(&self, key: &PublicKey) -> bool {
        // What a token asks to be understood and we don't understand makes it mean something else.
        self.head.get("crit").is_none()
            && self
                .algorithm()
                .is_some_and(|algorithm| key.verify(algorithm, self.signed.as_bytes(), &self.signature))
    }
}

/// A text among claims; empty if it is not there or no text.
pub(crate) fn text<'a>(claims: &'a Json, pointer: &str) -> &'a str {
    claims.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
}

/// One text or several.
pub(crate) fn strings(value: Option<&Json>) -> Vec<String> {
    match value {
        Some(Json::String(one)) => vec![one.clone()],
        Some(Json::Array(all)) => all.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// A time among claims, in whole seconds.
#[allow(clippy::cast_possible_truncation, reason = "a number that is too large becomes the largest one")]
pub(crate) fn seconds(claims: &Json, name: &str) -> Option<i64> {
    let value = claims.get(name)?;
    value.as_i64().or_else(|| value.as_f64().map(|seconds| seconds as i64))
}

/// An element of DER.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    let length = content.len();
    if length < 0x80 {
        out.push(u8::try_from(length).unwrap_or_default());
    } else {
        let bytes: Vec<u8> = length.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect();
        out.push(0x80 | u8::try_from(bytes.len()).unwrap_or_default());
        out.extend(bytes);
    }
    out.extend_from_slice(content);
    out
}

#[cfg(test)]
mod tests;
