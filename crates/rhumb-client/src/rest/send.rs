//! Sending of requests: credentials, retries, redirects.

use std::error::Error as StdError;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, AUTHORIZATION, LOCATION};
use http::response::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use http_body_util::Full;
use rhumb_meta::Object;

use super::arriving::{self, Arrived};
use super::body::{ByteStream, Pieces, Piped, collect};
use super::client::Client;
use super::refusal::{self, is_refusal};
use super::request::Request;
use super::response::Response;
use super::warning::{self, Warning};
use super::watch::WatchStream;
use crate::config::{Authorization, SentRequest};
use crate::{Error, List};

/// Maximum number of redirects.
const MAX_REDIRECTS: u32 = 10;
/// Pause before a request is retried after a lost connection.
const LOST_WAIT: Duration = Duration::from_secs(1);
/// Maximum number of retries, with growing pauses, of requests that the server has not processed.
const MAX_UNSEEN: u32 = 10;
const UNSEEN_WAIT: Duration = Duration::from_millis(10);
/// Default time to wait for the start of a response, longer than servers' own limits, so that a dead connection
/// doesn't block a request for ever.
const ANSWER_WAIT: Duration = Duration::from_secs(180);
/// Maximum size of an error response.
const MAX_REFUSAL: usize = 4 << 20;

const IMPERSONATE_USER: HeaderName = HeaderName::from_static("impersonate-user");

/// A response whose body is not read yet.
pub(super) struct Answer {
    pub(super) parts: Parts,
    pub(super) body: Piped,
}

/// Use of a response.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The whole body is read.
    Whole,
    /// The body is handed on in pieces.
    Pieces,
    /// Events are read.
    Watch,
}

/// Error of one attempt.
pub(super) struct Failure {
    pub(super) error: Error,
    /// The request was sent, and the connection was lost before the answer came.
    is_lost: bool,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure { error, is_lost: false }
    }
}

impl Request {
    /// Sends the request and reads the whole response.
    ///
    /// # Errors
    /// If the request was mistaken, there was no answer, or the server refused it.
    pub async fn send(self) -> Result<Response, Error> {
        let _timed = Timed::begin(&self);
        self.preflight()?;
        let uri = self.uri()?;
        self.wait_for_limit().await;
        within(self.timeout, async {
            let (answer, warnings) = self.accepted(&uri).await?;
            let Parts { status, headers, .. } = answer.parts;
            let body = collect(&headers, answer.body, self.max_body).await?;
            self.observe_body(&body);
            self.count_received(body.len());
            Ok(Response { status, headers, body, warnings })
        })
        .await
    }

    /// Sends it, and reads the list in the answer. Of a long one objects are read while others still come.
    ///
    /// # Errors
    /// If the request was mistaken, there was no answer, the server refused it, or it is no list.
    pub(crate) async fn send_list<K: Object + Default>(self) -> Result<List<K>, Error> {
        // Who observes answers wants to see them whole.
        if self.client.config().observer.is_some() {
            return self.send().await?.decode_list();
        }
        let _timed = Timed::begin(&self);
        self.preflight()?;
        let uri = self.uri()?;
        self.wait_for_limit().await;
        within(self.timeout, async {
            let (answer, warnings) = self.accepted(&uri).await?;
            let Parts { status, headers, .. } = answer.parts;
            let mut pieces = Pieces::new(&headers, answer.body, self.max_body)?;
            let arrived = arriving::read(&headers, &mut pieces).await?;
            self.count_received(pieces.taken());
            match arrived {
                Arrived::List(list) => Ok(list),
                Arrived::Other(body) => Response { status, headers, body, warnings }.decode_list(),
            }
        })
        .await
    }

    /// Sends the request and streams the response's body.
    ///
    /// # Errors
    /// If the request was mistaken, there was no answer, or the server refused it.
    pub async fn stream(self) -> Result<ByteStream, Error> {
        let uri = self.uri()?;
        self.wait_for_limit().await;
        let began = tokio::time::Instant::now();
        within(self.timeout, async {
            let answer = self.exchange(&uri, Purpose::Pieces).await?;
            self.hand_warnings(&answer.parts.headers);
            match answer.parts.status.is_success() {
                true => Ok(ByteStream::new(answer.body.within(self.timeout, began))),
                false => Err(self.refused(answer).await),
            }
        })
        .await
    }

    /// Sends the request as a watch, which the rate limit doesn't count.
    ///
    /// # Errors
    /// If the request was mistaken, there was no answer, or the server refused it.
    pub async fn watch<K: Object + Default>(mut self) -> Result<WatchStream<K>, Error> {
        if !self.has_param("watch") {
            self = self.param("watch", "true");
        }
        let request = self.accept_for::<K>();
        let uri = request.uri()?;
        let began = tokio::time::Instant::now();
        // A server that was told how long it lasts ends it by itself.
        let lasts = request.timeout.filter(|_| !request.has_param("timeoutSeconds"));
        within(request.timeout, async {
            let answer = request.exchange(&uri, Purpose::Watch).await?;
            request.hand_warnings(&answer.parts.headers);
            match answer.parts.status {
                StatusCode::OK => {
                    let body = answer.body.within(lasts, began);
                    WatchStream::new(&answer.parts.headers, body, request.client.config().observer.clone())
                }
                _ => Err(request.refused(answer).await),
            }
        })
        .await
    }

    async fn wait_for_limit(&self) {
        if let Some(limiter) = &self.client.0.limiter {
            let began = tokio::time::Instant::now();
            limiter.take().await;
            if let Some(metrics) = &self.client.config().metrics {
                metrics.waited(self.method.as_str(), self.host(), began.elapsed());
            }
        }
    }

    /// Returns the server, for metrics.
    fn host(&self) -> &str {
        self.client.0.authority.as_str()
    }

    fn count_received(&self, bytes: usize) {
        if let Some(metrics) = &self.client.config().metrics {
            metrics.received(self.method.as_str(), self.host(), bytes);
        }
    }

    /// Counts a try, the first being 1.
    fn count_try(&self, purpose: Purpose, number: u32, outcome: &Result<Answer, Failure>) {
        let Some(metrics) = &self.client.config().metrics else { return };
        let (verb, host) = (self.method.as_str(), self.host());
        let code = outcome.as_ref().ok().map(|answer| answer.parts.status.as_u16());
        metrics.tried(verb, host, code, number > 1);
        if purpose == Purpose::Whole {
            metrics.sent(verb, host, self.body.len());
        }
    }

    pub(super) fn hand_warnings(&self, headers: &HeaderMap) -> Vec<Warning> {
        let warnings = warning::parse(headers);
        for Warning { code, agent, text } in &warnings {
            self.client.config().warnings.warning(*code, agent, text);
        }
        warnings
    }

    /// Sends it for an answer that is read whole, and hands warnings on. A refusal is an error.
    async fn accepted(&self, uri: &Uri) -> Result<(Answer, Vec<Warning>), Error> {
        let answer = self.exchange(uri, Purpose::Whole).await?;
        let warnings = self.hand_warnings(&answer.parts.headers);
        if is_refusal(answer.parts.status) {
            return Err(self.refused(answer).await);
        }
        Ok((answer, warnings))
    }

    async fn refused(&self, answer: Answer) -> Error {
        let Parts { status, headers, .. } = answer.parts;
        match collect(&headers, answer.body, MAX_REFUSAL).await {
            Ok(body) => {
                self.observe_body(&body);
                self.count_received(body.len());
                refusal::status(status, &headers, &body, self.about()).into()
            }
            // That it was refused is worth more than why it can't be read in full.
            Err(_) => refusal::status(status, &headers, b"", self.about()).into(),
        }
    }

    /// Sends it until there is an answer that doesn't ask to try again.
    async fn exchange(&self, uri: &Uri, purpose: Purpose) -> Result<Answer, Error> {
        let mut tries = 0;
        loop {
            let outcome = self.attempt(uri, purpose).await;
            tries += 1;
            self.count_try(purpose, tries, &outcome);
            let may_retry = tries <= self.max_retries;
            let wait = match outcome {
                Ok(answer) => match retry_wait(&answer.parts).filter(|_| may_retry) {
                    Some(wait) => {
                        answer.body.drain().await;
                        wait
                    }
                    None => return Ok(answer),
                },
                Err(failure) if may_retry && failure.is_lost && self.method == Method::GET => LOST_WAIT,
                Err(failure) => return Err(failure.error),
            };
            tokio::time::sleep(wait).await;
            self.wait_for_limit().await;
        }
    }

    /// Sends it once; again if the server asks for other credentials and there are some, or sends it elsewhere within
    /// itself.
    pub(super) async fn attempt(&self, uri: &Uri, purpose: Purpose) -> Result<Answer, Failure> {
        let shared = &self.client.0;
        let mut uri = uri.clone();
        let mut authorization = self.authorize().await?;
        let mut may_renew = !self.headers.contains_key(AUTHORIZATION);
        let mut redirects = 0;
        let mut unseen = 0;
        loop {
            let ticket = shared.pool.ticket(authorization.identity.as_ref()).await?;
            let request = self.assemble(&uri, &authorization, purpose)?;
            let observed = self.observe(&request);
            let patience = self.timeout.map_or(ANSWER_WAIT, |timeout| timeout.max(ANSWER_WAIT));
            let outcome = match tokio::time::timeout(patience, ticket.send(request)).await {
                Ok(Some(outcome)) => outcome,
                Ok(None) => {
                    let error = Error::Connection("the connection was closed before the answer came".into());
                    return Err(Failure { error, is_lost: true });
                }
                Err(_) => return Err(Failure { error: Error::Timeout(patience), is_lost: true }),
            };
            if let Some(observed) = observed {
                observed.answered(self, outcome.as_ref().ok());
            }
            let (parts, body) = match outcome {
                Ok(response) => response.into_parts(),
                // A server that sheds connections does so at any time, and says how far it has come.
                Err(error) if unseen < MAX_UNSEEN && was_not_seen(&error) => {
                    unseen += 1;
                    tokio::time::sleep(UNSEEN_WAIT * (unseen - 1)).await;
                    continue;
                }
                Err(error) => {
                    let is_lost = !error.is_connect() && !is_nonsense(&error);
                    return Err(Failure { error: Error::Connection(error.into()), is_lost });
                }
            };
            let answer = Answer { parts, body: Piped::new(body, ticket) };
            if answer.parts.status == StatusCode::UNAUTHORIZED && std::mem::take(&mut may_renew) {
                shared.credentials.refused(&authorization);
                if let Ok(fresh) = shared.credentials.authorize().await
                    && (fresh.header != authorization.header || fresh.identity != authorization.identity)
                {
                    authorization = fresh;
                    answer.body.drain().await;
                    continue;
                }
            }
            match self.redirection(&uri, &answer.parts)? {
                Some(next) if redirects < MAX_REDIRECTS => {
                    redirects += 1;
                    uri = next;
                    answer.body.drain().await;
                }
                Some(_) => {
                    let text = format!("the server redirected more than {MAX_REDIRECTS} times");
                    return Err(Error::Unexpected(text).into());
                }
                None => return Ok(answer),
            }
        }
    }

    /// Shows a request to the observer, and keeps what is needed to show the answer beside it.
    fn observe(&self, request: &http::Request<Full<Bytes>>) -> Option<Observed> {
        let observer = self.client.config().observer.as_ref()?;
        let observed = Observed {
            uri: request.uri().clone(),
            headers: request.headers().clone(),
            since: tokio::time::Instant::now(),
        };
        observer.sending(&observed.request(self));
        Some(observed)
    }

    fn observe_body(&self, body: &[u8]) {
        if let Some(observer) = &self.client.config().observer {
            observer.received(body);
        }
    }

    pub(super) async fn authorize(&self) -> Result<Authorization, Error> {
        self.client.0.credentials.authorize().await.map_err(|error| Error::Credentials(error.into()))
    }

    /// Returns all headers: the request's own, and the client's for the rest.
    pub(super) fn all_headers(&self, authorization: &Authorization) -> HeaderMap {
        let mut headers = self.headers.clone();
        let impersonates = headers.contains_key(IMPERSONATE_USER);
        for name in self.client.0.headers.keys() {
            if headers.contains_key(name) || (impersonates && name.as_str().starts_with("impersonate-")) {
                continue;
            }
            for value in self.client.0.headers.get_all(name) {
                headers.append(name.clone(), value.clone());
            }
        }
        if let (Some(value), false) = (&authorization.header, headers.contains_key(AUTHORIZATION)) {
            headers.insert(AUTHORIZATION, value.clone());
        }
        headers
    }

    fn assemble(
        &self,
        uri: &Uri,
        authorization: &Authorization,
        purpose: Purpose,
    ) -> Result<http::Request<Full<Bytes>>, Error> {
        let mut request = http::Request::new(Full::new(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = uri.clone();
        let mut headers = self.all_headers(authorization);
        // A watch is read event by event, and logs as they come; neither must wait in a compressor.
        if purpose == Purpose::Whole && !self.client.config().disable_compression {
            headers.entry(ACCEPT_ENCODING).or_insert(HeaderValue::from_static("gzip"));
        }
        *request.headers_mut() = headers;
        Ok(request)
    }

    /// Returns the target of a redirect for a request that reads. Credentials belong to one server, so redirects to
    /// others are not followed.
    fn redirection(&self, from: &Uri, parts: &Parts) -> Result<Option<Uri>, Error> {
        let is_redirection = matches!(parts.status.as_u16(), 301 | 302 | 303 | 307 | 308);
        if !is_redirection || ![Method::GET, Method::HEAD].contains(&self.method) {
            return Ok(None);
        }
        let Some(location) = parts.headers.get(LOCATION).and_then(|value| value.to_str().ok()) else {
            return Ok(None);
        };
        let elsewhere =
            || Error::Unexpected(format!("the server redirected to {location}, which is not followed"));
        let next = resolve(from, location).ok_or_else(elsewhere)?;
        match next.scheme() == from.scheme() && next.authority() == from.authority() {
            true => Ok(Some(next)),
            false => Err(elsewhere()),
        }
    }
}

/// Guard that records the duration of a request on drop, even if it is cancelled.
struct Timed {
    client: Client,
    method: Method,
    began: tokio::time::Instant,
}

impl Timed {
    /// Begins to count, if anybody wants to know.
    fn begin(request: &Request) -> Option<Self> {
        request.client.config().metrics.as_ref()?;
        let (client, method) = (request.client.clone(), request.method.clone());
        Some(Timed { client, method, began: tokio::time::Instant::now() })
    }
}

impl Drop for Timed {
    fn drop(&mut self) {
        if let Some(metrics) = &self.client.config().metrics {
            let host = self.client.0.authority.as_str();
            metrics.took(self.method.as_str(), host, self.began.elapsed());
        }
    }
}

/// Guard of a request that an observer has seen.
struct Observed {
    uri: Uri,
    headers: HeaderMap,
    since: tokio::time::Instant,
}

impl Observed {
    fn request<'a>(&'a self, request: &'a Request) -> SentRequest<'a> {
        let Request { method, body, .. } = request;
        SentRequest { method, uri: &self.uri, headers: &self.headers, body }
    }

    fn answered<B>(&self, request: &Request, response: Option<&http::Response<B>>) {
        if let Some(observer) = &request.client.config().observer {
            let answer = response.map(|response| (response.status(), response.headers()));
            observer.answered(&self.request(request), answer, self.since.elapsed());
        }
    }
}

/// Returns the address that a redirection from an address leads to.
fn resolve(from: &Uri, location: &str) -> Option<Uri> {
    let location = location.split('#').next().unwrap_or_default();
    let (scheme, authority) = (from.scheme_str()?, from.authority()?);
    let whole = if location.contains("://") {
        location.to_owned()
    } else if let Some(rest) = location.strip_prefix("//") {
        format!("{scheme}://{rest}")
    } else if location.starts_with('/') {
        format!("{scheme}://{authority}{location}")
    } else {
        let folder = from.path().rsplit_once('/').map_or("", |(folder, _)| folder);
        format!("{scheme}://{authority}{folder}/{location}")
    };
    whole.parse().ok()
}

/// Returns the pause before a retry, if the server asks for one.
fn retry_wait(parts: &Parts) -> Option<Duration> {
    let is_busy = parts.status == StatusCode::TOO_MANY_REQUESTS || parts.status.as_u16() >= 500;
    let seconds = refusal::retry_after(&parts.headers).filter(|_| is_busy)?;
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or_default()))
}

/// Returns the error of a type that stands behind another one.
fn behind<E: StdError + 'static>(error: &hyper_util::client::legacy::Error) -> Option<&E> {
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        source = error.source();
    }
    None
}

/// Reports whether what came back is no HTTP, or what was sent could not be: trying again would not help.
fn is_nonsense(error: &hyper_util::client::legacy::Error) -> bool {
    behind::<hyper::Error>(error).is_some_and(|error| error.is_parse() || error.is_user())
}

/// Reports whether the server has said that it did nothing about the request, so that it may be sent again whatever it
/// is.
fn was_not_seen(error: &hyper_util::client::legacy::Error) -> bool {
    let Some(error) = behind::<h2::Error>(error).filter(|error| error.is_remote()) else { return false };
    match error.reason() {
        Some(h2::Reason::NO_ERROR) => error.is_go_away(),
        Some(h2::Reason::REFUSED_STREAM) => error.is_reset(),
        _ => false,
    }
}

/// Does something, but no longer than it may take.
pub(super) async fn within<T>(
    timeout: Option<Duration>,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    match timeout {
        None => work.await,
        Some(limit) => tokio::time::timeout(limit, work).await.unwrap_or(Err(Error::Timeout(limit))),
    }
}
