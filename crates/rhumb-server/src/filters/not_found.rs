//! What stands behind a front that has no API: every path is unknown, and only masters are told so.

use std::sync::Arc;

use http::{Request, Response};

use super::{Answer, Answering, RequestBody};
use crate::base::identity::User;
use crate::filters::refusal::{self, Asked, Plain};

/// Serves nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Answer for Nothing {
    fn answer(self: Arc<Self>, request: Request<RequestBody>, user: User) -> Answering {
        let response = if user.is_master() {
            Response::from(Plain::not_found())
        } else {
            let asked = Asked::of(request.headers(), request.uri().query().unwrap_or_default());
            let (method, path) = (request.method().as_str(), request.uri().path());
            refusal::without_guessing(asked.refusal(refusal::forbidden_path(&user.name, method, path)))
        };
        Box::pin(std::future::ready(response))
    }
}
