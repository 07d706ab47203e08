//! Our answers to reviews and requests for tokens, compared with those of a real API server.
//!
//! These are answered and never stored, so that the rules which hold for the metadata of stored objects don't hold for
//! them; `tests/reviews` has their cases apart from the others, in the same form.

use std::sync::Arc;

use rhumb_codec::Codecs;
use rhumb_meta::GroupKind;
use rhumb_scheme::ToInternal;
use rhumb_scheme::validation::Context;

use crate::corpus::{self, Case, report};
use crate::tree::sides;

/// The groups that have nothing but reviews and tokens.
pub(crate) const GROUPS: [&str; 2] = ["authentication", "authorization"];

#[test]
fn every_review_is_answered_as_by_the_real_server() {
    let codecs = Codecs::new(Arc::new(rhumb_validation::scheme().expect("the scheme")));
    let (cases, mut failures) = corpus::read("reviews");
    for case in &cases {
        if let Err(found) = check(case, &codecs) {
            failures.push(format!("{}\n    {found}", case.name));
        }
    }
    report(cases.len(), &failures);
    assert!(!corpus::filter().is_empty() || cases.len() >= 21, "only {} cases are left", cases.len());
}

fn check(case: &Case, codecs: &Codecs) -> Result<(), String> {
    let sent = if case.text["post"].is_null() { &case.text["create"] } else { &case.text["post"] };
    let decoded = codecs.decode_to(sent.to_string().as_bytes(), None, &ToInternal);
    let decoded = decoded.map_err(|error| format!("can't be read: {error}"))?;
    let version = decoded.gvk.group_version();
    let errors = codecs.scheme().validate_create(&*decoded.object, &Context::new(&version));
    // The endpoints of reviews of access name no kind when they refuse.
    let kind = if case.name.starts_with("access#") { "".into() } else { decoded.gvk.kind.clone() };
    let status = errors.status(&GroupKind { group: decoded.gvk.group.clone(), kind }, "");
    let ours = if errors.is_empty() { "" } else { &status.message };
    let served = case.answer["message"].as_str().unwrap_or_default();
    if ours == served && errors.is_empty() == (case.code() == 201) {
        return Ok(());
    }
    Err(sides("message", ours, served))
}
