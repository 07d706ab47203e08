//! The handler of a server that has no API yet: every path is unknown, and only masters are told so.

use std::sync::Arc;

use http::{Request, Response};

use super::{Handler, ResponseFuture};
use crate::base::identity::User;
use crate::base::plain::Plain;
use crate::base::request::RequestBody;
use crate::filters::refusal::{self, Asked};

/// Serves nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Handler for Nothing {
    fn handle(self: Arc<Self>, request: Request<RequestBody>, user: User) -> ResponseFuture {
        let response = if user.is_master() {
            Response::from(Plain::not_found())
        } else {
            let asked = Asked::of(request.headers(), request.uri().query().unwrap_or_default());
            let (method, path) = (request.method().as_str(), request.uri().path());
            crate::base::plain::without_guessing(
                asked.refusal(refusal::forbidden_path(&user.name, method, path)),
            )
        };
        Box::pin(std::future::ready(response))
    }
}
