//! Counts requests for resources, under the labels that dashboards for Kubernetes look for.
//!
//! Only requests for resources that exist are counted here, because clients could make as many series as they
//! like otherwise.

use std::sync::Arc;
use std::time::Duration;

use http::header::CONTENT_TYPE;
use rhumb_codec::query;

use crate::base::environment::Environment;
use crate::base::metrics::{Gauge, Metrics, RequestLabels};
use crate::base::request::header_text;
use crate::base::response::{Response, held};
use crate::endpoints::context::RequestContext;
use crate::registry::Endpoint;
use rhumb_api::resources::Verb;

/// Counts a request that has its answer. A watch is counted when it ends.
pub(crate) fn count(call: &RequestContext<'_>, verb: Verb, begun: Duration, answer: Response) -> Response {
    let metrics = &call.api.metrics;
    let scope = if !call.path.name.is_empty() || verb == Verb::Create {
        "resource"
    } else if !call.path.namespace.is_empty() {
        "namespace"
    } else {
        "cluster"
    };
    let labels = labels(call, verb, scope);
    if verb == Verb::Watch && answer.status().is_success() {
        let under_way = UnderWay {
            _gauge: metrics.begin_long_running(labels),
            metrics: Arc::clone(metrics),
            environment: call.api.environment.clone(),
            endpoint: Arc::clone(&call.endpoint),
            scope,
            begun,
        };
        return answer.map(|body| held(body, under_way));
    }
    let took = call.api.environment.elapsed().saturating_sub(begun);
    metrics.record(labels, answer.status().as_u16(), took);
    answer
}

fn labels<'a>(call: &'a RequestContext<'_>, verb: Verb, scope: &'static str) -> RequestLabels<'a> {
    let subresource = call.path.subresource.as_str();
    let is_connection = call.path.is_connect();
    let is_apply = header_text(call.headers, CONTENT_TYPE) == "application/apply-patch+yaml";
    let told = match verb {
        _ if is_connection => "CONNECT",
        Verb::Watch => "WATCH",
        Verb::Get => "GET",
        Verb::List => "LIST",
        Verb::Create => "POST",
        Verb::Update => "PUT",
        Verb::Patch if is_apply => "APPLY",
        Verb::Patch => "PATCH",
        Verb::Delete | Verb::DeleteCollection => "DELETE",
    };
    RequestLabels {
        verb: told,
        subresource,
        scope,
        dry_run: dry_run(call.query),
        ..of_resource(&call.endpoint)
    }
}

fn of_resource(endpoint: &Endpoint) -> RequestLabels<'_> {
    RequestLabels {
        group: &endpoint.kind.group,
        version: &endpoint.kind.version,
        resource: &endpoint.resource.resource,
        component: "apiserver",
        ..RequestLabels::default()
    }
}

fn dry_run(raw_query: &str) -> &'static str {
    if !raw_query.contains("dryRun") {
        return "";
    }
    match query::parse(raw_query).first("dryRun") {
        None => "",
        Some("All") => "All",
        Some(_) => "invalid",
    }
}

/// A watch that has begun.
struct UnderWay {
    _gauge: Gauge,
    metrics: Arc<Metrics>,
    environment: Environment,
    endpoint: Arc<Endpoint>,
    scope: &'static str,
    begun: Duration,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let labels = RequestLabels { verb: "WATCH", scope: self.scope, ..of_resource(&self.endpoint) };
        let took = self.environment.elapsed().saturating_sub(self.begun);
        self.metrics.record(labels, 200, took);
    }
}
