//! The logs of containers.

use http::{Request, StatusCode, header};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use rhumb_api::core::v1::PodLogOptions;
use rhumb_codec::query;
use rhumb_meta::v1::{Status, StatusDetails, StatusReason};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::FieldErrors;

use super::exchange::{self, Passed};
use super::network::Trust;
use crate::base::failure::{Failure, Outcome};
use crate::base::response::{self, Response};
use crate::endpoints::context::RequestContext;
use crate::endpoints::proxy::{errors, location};

/// How much is read of what a kubelet says about an error.
const LARGEST_ERROR: usize = 50_000;

/// The log of a container, as its kubelet tells it.
pub(super) async fn answer(call: &RequestContext<'_>) -> Outcome<Response> {
    let options: PodLogOptions = call.options()?;
    let mut errors = FieldErrors::default();
    rhumb_validation::pod_log_options(&options, &mut errors);
    if !errors.is_empty() {
        let kind = call.endpoint.place().with_kind("PodLogOptions");
        return Err(Failure::invalid(&kind, &call.path.name, &errors));
    }
    let pod = location::pod(call, &call.path.name).await?;
    let container = location::container(&pod, &options.container)?;
    if pod.spec.node_name.is_empty() {
        let mut answer = response::bytes(204, "text/plain", Vec::new());
        answer.headers_mut().remove(header::CONTENT_TYPE);
        return Ok(answer);
    }
    let mut target = location::kubelet_of(call, &pod).await?.target;
    if options.insecure_skip_tls_verify_backend {
        target.trust = Trust::UnverifiedKubelet;
    }
    let meta = &pod.metadata;
    let path = format!("/containerLogs/{}/{}/{container}", meta.namespace, meta.name);
    let asked = with_query(&path, &parameters(&options));
    let url = format!("{}://{}{asked}", target.scheme.as_str(), target.authority());
    let failed = |why: String| Failure::unexplained(format!("Get {}: {why}", quoted(&url)));

    let connection = call.api.network.connect(&target).await.map_err(|error| failed(error.to_string()))?;
    let request = Request::get(&asked)
        .header(header::HOST, target.authority())
        .header(header::USER_AGENT, concat!("rhumb/", env!("CARGO_PKG_VERSION")))
        .body(exchange::nothing())
        .map_err(|error| failed(error.to_string()))?;
    let (told, working) =
        exchange::send(connection, request).await.map_err(|error| failed(errors::exchange(&error)))?;
    if told.status().is_redirection()
        && let Some(location) = told.headers().get(header::LOCATION)
    {
        let location = quoted(location.as_bytes());
        return Err(Failure::unexplained(format!("Get {location}: redirects forbidden")));
    }
    if !(StatusCode::OK..=StatusCode::PARTIAL_CONTENT).contains(&told.status()) {
        return Err(refusal(&call.path.name, told).await);
    }
    // One that goes on for ever ends with the server, as watches do; others are given the time to end.
    let end = options.follow.then(|| Box::pin(call.api.closing()));
    let mut answer = Response::new(Passed { body: told.into_body(), _working: working, end }.boxed());
    response::set(&mut answer, header::CONTENT_TYPE, "text/plain");
    Ok(answer)
}

/// What a kubelet is told about the log that is wanted, in the order in which Go writes a query.
fn parameters(options: &PodLogOptions) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut add = |name: &str, value: String| all.push((name.to_owned(), value));
    if options.follow {
        add("follow", "true".to_owned());
    }
    if let Some(limit) = options.limit_bytes {
        add("limitBytes", limit.to_string());
    }
    if options.previous {
        add("previous", "true".to_owned());
    }
    if let Some(seconds) = options.since_seconds {
        add("sinceSeconds", seconds.to_string());
    }
    if let Some(time) = &options.since_time {
        add("sinceTime", time.to_string());
    }
    if let Some(lines) = options.tail_lines {
        add("tailLines", lines.to_string());
    }
    if options.timestamps {
        add("timestamps", "true".to_owned());
    }
    all
}

/// A path with a query, if there is one.
pub(super) fn with_query(path: &str, parameters: &[(String, String)]) -> String {
    if parameters.is_empty() { path.to_owned() } else { format!("{path}?{}", query::encode(parameters)) }
}

/// As much of a body as is read of an error.
async fn beginning(mut body: Incoming) -> Result<Vec<u8>, hyper::Error> {
    let mut text = Vec::new();
    while text.len() < LARGEST_ERROR
        && let Some(frame) = body.frame().await
    {
        if let Ok(data) = frame?.into_data() {
            text.extend_from_slice(&data);
        }
    }
    text.truncate(LARGEST_ERROR);
    Ok(text)
}

/// What the client is told when a kubelet refuses.
async fn refusal(name: &str, told: Response<Incoming>) -> Failure {
    let code = told.status().as_u16();
    let text = match beginning(told.into_body()).await {
        Ok(text) => String::from_utf8_lossy(&text).into_owned(),
        Err(error) => return Failure::internal(errors::exchange(&error)),
    };
    let (reason, message) = match code {
        500 => return Failure::internal(text),
        400 => return Failure::bad_request(text),
        401 => {
            (StatusReason::Unauthorized, "the server has asked for the client to provide credentials".into())
        }
        403 => (StatusReason::Forbidden, text),
        404 => (StatusReason::NotFound, "the server could not find the requested resource".into()),
        405 => (
            StatusReason::MethodNotAllowed,
            "the server does not allow this method on the requested resource".into(),
        ),
        409 => (StatusReason::Conflict, "the server reported a conflict".into()),
        422 => (
            StatusReason::Invalid,
            "the server rejected our request due to an error in our request".into(),
        ),
        429 => (
            StatusReason::TooManyRequests,
            "the server has received too many requests and has asked us to try again later".into(),
        ),
        503 => (
            StatusReason::ServiceUnavailable,
            "the server is currently unable to handle the request".into(),
        ),
        504 => (
            StatusReason::Timeout,
            "the server was unable to return a response in the time allotted, but may still be processing the \
             request"
                .into(),
        ),
        501.. => (
            StatusReason::InternalError,
            format!("an error on the server ({}) has prevented the request from succeeding", quoted(text)),
        ),
        _ => (
            StatusReason::Unknown,
            format!("the server responded with the status code {code} but did not return more information"),
        ),
    };
    let mut status = Status::failure(reason, format!("{message} ( pods/log {name})"));
    status.code = code.into();
    status.details = Some(Box::new(StatusDetails {
        name: name.to_owned(),
        kind: "pods/log".to_owned(),
        ..StatusDetails::default()
    }));
    status.into()
}
