//! A server without a listener, asked in the same process.
#![allow(dead_code, reason = "every test uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

pub(crate) mod definitions;

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use rhumb_server::config::AdmissionPlugins;
use rhumb_server::identity::{MASTERS, User};
use rhumb_server::{Api, ApiOptions, Environment};
use rhumb_store::{Embedded, Options, Store};
use serde_json::Value;

/// A server, and who asks it.
pub(crate) struct Inside {
    pub(crate) api: Arc<Api>,
    pub(crate) user: User,
}

/// What it answered.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: u16,
    pub(crate) headers: http::HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) json: Value,
}

impl Inside {
    pub(crate) async fn start() -> Self {
        Self::with(ApiOptions::default()).await
    }

    pub(crate) async fn with(options: ApiOptions) -> Self {
        let store = Arc::new(Embedded::in_memory(Options::default()).unwrap());
        Self::above(store, options, Environment::default()).await
    }

    /// A server with no plugin but the one for namespaces, because the answers that tests expect are recorded so.
    pub(crate) async fn above(
        store: Arc<dyn Store>,
        mut options: ApiOptions,
        environment: Environment,
    ) -> Self {
        options.plugins = AdmissionPlugins::only(&["NamespaceLifecycle"]);
        Self::started(store, options, environment).await
    }

    /// A server with all plugins, as one is by default.
    pub(crate) async fn admitting(options: ApiOptions) -> Self {
        let store = Arc::new(Embedded::in_memory(Options::default()).unwrap());
        Self::started(store, options, Environment::default()).await
    }

    async fn started(store: Arc<dyn Store>, options: ApiOptions, environment: Environment) -> Self {
        let api = Api::start(store, options, environment).await.unwrap();
        let user = User { name: "admin".into(), groups: vec![MASTERS.into()], ..User::default() };
        Inside { api, user }
    }

    pub(crate) async fn ask(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Bytes,
    ) -> Said {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = self.api.answer(request.body(Full::new(body)).unwrap(), &self.user).await;
        let (parts, body) = answer.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let json = serde_json::from_slice(&body).unwrap_or_default();
        Said { code: parts.status.as_u16(), headers: parts.headers, body, json }
    }

    pub(crate) async fn get(&self, path: &str) -> Said {
        self.ask(Method::GET, path, &[], Bytes::new()).await
    }

    pub(crate) async fn get_as(&self, path: &str, accept: &str) -> Said {
        self.ask(Method::GET, path, &[("accept", accept)], Bytes::new()).await
    }

    pub(crate) async fn post(&self, path: &str, object: Value) -> Said {
        self.ask(Method::POST, path, &[("content-type", "application/json")], object.to_string().into()).await
    }

    pub(crate) async fn put(&self, path: &str, object: Value) -> Said {
        self.ask(Method::PUT, path, &[("content-type", "application/json")], object.to_string().into()).await
    }

    pub(crate) async fn patch(&self, path: &str, content_type: &str, patch: Value) -> Said {
        self.ask(Method::PATCH, path, &[("content-type", content_type)], patch.to_string().into()).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Said {
        self.ask(Method::DELETE, path, &[], Bytes::new()).await
    }

    /// The answer as lines of JSON, such as a watch gives.
    pub(crate) async fn lines(&self, path: &str) -> Vec<Value> {
        let said = self.get(path).await;
        let text = String::from_utf8(said.body.to_vec()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// What a question gives as soon as it gives anything. The tries are bounded, so that a test ends.
pub(crate) async fn eventually<T>(mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    for _ in 0..1000 {
        if let Some(found) = ask().await {
            return found;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("what was waited for did not happen");
}
