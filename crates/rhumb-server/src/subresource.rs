//! What stands below objects, and resources that are questions.

use bytes::Bytes;

use crate::api::not_allowed;
use crate::call::Call;
use crate::failure::Outcome;
use crate::request::Verb;
use crate::respond::Answer;
use crate::verbs;

/// Answers a request for something below an object.
pub(crate) async fn answer(call: &mut Call<'_>, verb: Verb, name: &str, body: Bytes) -> Outcome<Answer> {
    let known = call
        .endpoint
        .part(name)
        .is_some_and(|part| part.verbs.iter().any(|known| known.as_str() == verb.as_str()));
    if !known {
        return Err(not_allowed());
    }
    match (name, verb) {
        ("status", Verb::Get) => verbs::get::get(call).await,
        ("status", Verb::Update) => verbs::update::update(call, body, Some("status")).await,
        ("status", Verb::Patch) => verbs::patch::patch(call, body, Some("status")).await,
        _ => Err(not_allowed()),
    }
}

/// Answers a question: what is posted comes back with an answer in it, and nothing is kept.
pub(crate) async fn question(_call: &mut Call<'_>, _body: Bytes) -> Outcome<Answer> {
    Err(not_allowed())
}
