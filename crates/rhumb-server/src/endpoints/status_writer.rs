//! Writes that admission plugins make themselves, by the way that requests take.

use std::sync::Arc;

use http::HeaderMap;
use rhumb_meta::Object;

use crate::admission::{StatusWriter, Writing};
use crate::base::failure::Outcome;
use crate::base::identity::User;
use crate::endpoints::Handlers;
use crate::endpoints::context::RequestContext;
use crate::endpoints::handlers::more_to_do;
use crate::endpoints::handlers::update::remake;
use crate::registry::Endpoint;

impl StatusWriter for Arc<Handlers> {
    fn remake_status<'a>(
        &'a self,
        endpoint: &'a Arc<Endpoint>,
        namespace: &'a str,
        name: &'a str,
        remade: &'a mut (dyn FnMut(Box<dyn Object>) -> Outcome<Box<dyn Object>> + Send),
    ) -> Writing<'a> {
        Box::pin(async move {
            let (user, headers) = (User::apiserver(), HeaderMap::new());
            let mut call = RequestContext::internal(self, endpoint, namespace, name, &user, &headers);
            let done = remake(&mut call, Some("status"), None, "kube-apiserver", remade).await;
            more_to_do(done).map(|_| ())
        })
    }
}
