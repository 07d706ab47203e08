//! Filters: what happens to every request before and after a handler answers it.
//!
//! A request comes from `http` with what its connection knows of the client. It is given its audit ID and its
//! [`RequestInfo`], is authenticated ([`crate::authentication`]), impersonates somebody else if it says so and may,
//! and is then either one of the few paths that are answered here (health, version, metrics), or goes through the
//! limits of [`flow_control`] and [`max_in_flight`] on to the [`Handler`] behind them, which authorizes it. Panics
//! and timeouts end here.

pub(crate) mod activity;
pub(crate) mod audit;
pub(crate) mod authorization;
pub(crate) mod flow_control;
pub(crate) mod impersonation;
pub(crate) mod log_limit;
pub(crate) mod max_in_flight;
pub mod not_found;
pub(crate) mod refusal;
pub(crate) mod websocket;

use crate::base::request::RequestBody;
use crate::base::response::{Body, held};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HOST, HeaderName, RETRY_AFTER,
};
use http::{HeaderValue, Method, Request, Response, StatusCode, Version};
use http_body::Body as _;
use tokio::sync::SetOnce;

use crate::authentication::{Chain, Presented};
use crate::authorization::{Authorize, Decision};
use crate::base::environment::{Clock, Entropy, uuid};
use crate::base::failure::Failure;
use crate::base::health::{Endpoint, Health};
use crate::base::identity::User;
use crate::base::metrics::{Metrics, RequestLabels};
use crate::base::plain::Plain;
use crate::base::request::Peer;
use crate::base::shutdown::{InFlight, Shutdown};
use crate::endpoints::audit::Audited;
use crate::endpoints::body::{BodyLimit, LARGEST_BODY};
use crate::endpoints::request_info::{Malformed, RequestInfo};
use crate::filters::audit::{Audit, Ending, Trail};
use crate::filters::flow_control::fair_queue::Turns;
use crate::filters::flow_control::unread::Unread;
use crate::filters::flow_control::watches::WatchLimit;
use crate::filters::flow_control::work_pool::{Ended, WorkPool};
use crate::filters::log_limit::Sparing;
use crate::filters::max_in_flight::Limits;
use crate::filters::refusal::Asked;
use activity::Busy;

/// A response that is being made.
pub type ResponseFuture = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

const AUDIT_ID: HeaderName = HeaderName::from_static("audit-id");
/// How long an audit ID may be that a client chooses: it is in the head of the answer, too.
const LONGEST_AUDIT_ID: usize = 1024;

/// Handles requests whose sender is known.
pub trait Handler: Send + Sync + 'static {
    /// Answers one request. Those without credentials come from [`User::anonymous`].
    fn handle(self: Arc<Self>, request: Request<RequestBody>, user: User) -> ResponseFuture;

    /// Ends what runs beside the requests. It is called when the last of them was answered, before the store
    /// closes.
    fn finish(self: Arc<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(std::future::ready(()))
    }
}

/// What stands behind the front, and whom it knows.
pub(crate) struct Backend {
    pub(crate) chain: Chain,
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) authorizer: Arc<dyn Authorize>,
}

/// The filters of a server, and what they share.
pub(crate) struct Filters {
    pub(crate) health: Health,
    pub(crate) metrics: Arc<Metrics>,
    /// What answers those who ask how the start goes on.
    pub(crate) starting: Arc<Backend>,
    /// What answers everybody, as soon as it stands.
    pub(crate) started: SetOnce<Arc<Backend>>,
    /// How senders spoke for others before.
    pub(crate) ways: impersonation::Ways,
    pub(crate) audit: Option<Arc<Audit>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) shutdown: Shutdown,
    pub(crate) in_flight: InFlight,
    pub(crate) limits: Limits,
    /// Turns of lists.
    pub(crate) turns: Turns,
    /// Where requests with much work go on.
    pub(crate) pool: WorkPool,
    pub(crate) watch_limit: WatchLimit,
    pub(crate) body_limit: BodyLimit,
    pub(crate) unread: Unread,
    pub(crate) sparing: Lines,
}

/// The lines of log that clients can cause.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub(crate) connections: Sparing,
    unauthorized: Sparing,
    overload: Sparing,
    panics: Sparing,
}

/// Whether a connection is to be closed after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Afterwards {
    KeepOpen,
    Close,
}

impl Filters {
    /// Answers a request that came over a connection.
    pub(crate) async fn serve(
        self: Arc<Self>,
        mut request: Request<RequestBody>,
        presented: Option<Arc<Presented>>,
        busy: &Busy,
    ) -> (Response<Body>, Afterwards) {
        let told = tracing::enabled!(tracing::Level::DEBUG).then(|| Told::of(&request, self.clock.elapsed()));
        let audit_id = match request.headers().get(AUDIT_ID) {
            Some(given) if (1..=LONGEST_AUDIT_ID).contains(&given.len()) => given.clone(),
            _ => HeaderValue::try_from(uuid(self.entropy.as_ref()))
                .unwrap_or_else(|_| HeaderValue::from_static("")),
        };
        let info = match RequestInfo::of(request.method(), request.uri()) {
            Ok(info) => Arc::new(info),
            Err(Malformed) => {
                let mut refusal = crate::base::plain::malformed();
                if request.version() != Version::HTTP_2 {
                    refusal.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                }
                return (refusal, Afterwards::Close);
            }
        };
        // Handlers may need the ID, too.
        request.headers_mut().insert(AUDIT_ID, audit_id.clone());
        let is_http2 = request.version() == Version::HTTP_2;
        let is_head = request.method() == Method::HEAD;
        let asked = Asked::of(request.headers(), request.uri().query().unwrap_or_default());
        let (mut response, afterwards) = if request.method() == Method::OPTIONS && request.uri().path() == "*"
        {
            // It asks for nothing but whether there is a server.
            (Response::new(refusal::whole(Bytes::new())), Afterwards::KeepOpen)
        } else if let Some(refusal) = misdirected(&request) {
            (refusal.into(), Afterwards::Close)
        } else if expects_more(&request) {
            let mut refusal = Response::new(refusal::whole(Bytes::new()));
            *refusal.status_mut() = StatusCode::EXPECTATION_FAILED;
            (refusal, Afterwards::Close)
        } else if self.shutdown.is_requested() && !outlives(request.uri().path()) {
            (ending(), Afterwards::Close)
        } else {
            let pending = self.in_flight.begin();
            let (response, afterwards) =
                Arc::clone(&self).authenticated(request, &info, presented, &asked, is_http2, busy).await;
            (response.map(|body| held(body, pending)), afterwards)
        };
        let headers = response.headers_mut();
        headers.entry(AUDIT_ID).or_insert(audit_id);
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache, private"));
        if afterwards == Afterwards::Close && !is_http2 {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(told) = told {
            told.tell(&response, self.clock.elapsed());
        }
        (if is_head { without_body(response) } else { response }, afterwards)
    }

    async fn authenticated(
        self: Arc<Self>,
        mut request: Request<RequestBody>,
        info: &Arc<RequestInfo>,
        presented: Option<Arc<Presented>>,
        asked: &Asked,
        is_http2: bool,
        busy: &Busy,
    ) -> (Response<Body>, Afterwards) {
        let Some(backend) = self.backend(&request, info, presented.as_deref()).await else {
            return (ending(), Afterwards::Close);
        };
        // HTTP/2 makes it cheap to keep a server busy, so those whom nobody knows get one request a
        // connection.
        let for_strangers = if is_http2 { Afterwards::Close } else { Afterwards::KeepOpen };
        let allowed_time = match info.allowed_time() {
            Ok(time) => time,
            Err(failure) => return (asked.refusal(*failure.0), for_strangers),
        };
        if info.is_long_running() {
            busy.may_take_long();
        }
        let path = &info.path;
        let found = backend.chain.authenticate(request.headers_mut(), presented.as_deref(), path).await;
        let user = match found {
            Ok(user) => user,
            Err(refused) => {
                // The client learns nothing about the reason, so the log has to tell it.
                if self.sparing.unauthorized.allows(self.clock.elapsed()) {
                    let peer = peer_of(&request);
                    tracing::warn!(%peer, path, reason = %refused, "a request was not authenticated");
                }
                let refusal = asked.refusal(refusal::unauthorized());
                return (audit::refused(self.audit.as_ref(), &request, info, refusal), for_strangers);
            }
        };
        if busy.is_abused() {
            return (max_in_flight::too_many(), Afterwards::Close);
        }
        let is_known = user.name != crate::base::identity::ANONYMOUS;
        let afterwards = if is_known { Afterwards::KeepOpen } else { for_strangers };
        let trail = self.audit.as_ref().and_then(|audit| audit.begin(&request, Some(&user), info));
        if let Some(trail) = &trail {
            trail.received();
            request.extensions_mut().insert(trail.clone());
            request.extensions_mut().insert(Audited(Arc::new(trail.clone())));
        }
        let ending = if info.is_long_running() { Ending::Stream } else { Ending::Answered };
        let close = |response| match &trail {
            Some(trail) => trail.close(response, ending),
            None => response,
        };
        let sender = trail.as_ref().map(|_| user.clone());
        let user = match self.spoken_for(&backend, &mut request, user, info).await {
            Ok(user) => user,
            Err(failure) => {
                return (close(crate::base::plain::without_guessing(asked.refusal(*failure.0))), afterwards);
            }
        };
        if let (Some(trail), Some(sender)) = (&trail, &sender) {
            trail.speaks_for(sender, &user);
        }
        let answering = self.dispatch(&backend, request, user, asked, info);
        let response = match allowed_time {
            None => answering.await,
            Some(time) => match tokio::time::timeout(time, answering).await {
                Ok(response) => response,
                Err(_) => asked.refusal(refusal::took_too_long()),
            },
        };
        (close(response), afterwards)
    }

    /// What answers a request: what stands behind the front, as soon as it does. Those who ask how the server is wait
    /// only if they can't be known before. There is none if the server ends before it has started.
    async fn backend(
        &self,
        request: &Request<RequestBody>,
        info: &RequestInfo,
        presented: Option<&Presented>,
    ) -> Option<Arc<Backend>> {
        if let Some(backend) = self.started.get() {
            return Some(Arc::clone(backend));
        }
        if self.is_answered_early(request, info, presented).await {
            return Some(Arc::clone(&self.starting));
        }
        tokio::select! {
            backend = self.started.wait() => Some(Arc::clone(backend)),
            () = self.shutdown.requested() => None,
        }
    }

    /// Whether a request asks how the server is, and comes from somebody who is known already and may ask that.
    async fn is_answered_early(
        &self,
        request: &Request<RequestBody>,
        info: &RequestInfo,
        presented: Option<&Presented>,
    ) -> bool {
        if Endpoint::of(&info.path).is_none() || impersonation::is_wanted(request.headers()) {
            return false;
        }
        let mut headers = request.headers().clone();
        let Ok(user) = self.starting.chain.authenticate(&mut headers, presented, &info.path).await else {
            return false;
        };
        let wanted = info.attributes(&user);
        matches!(self.starting.authorizer.authorize(&wanted).await, Decision::Allowed(_))
    }

    /// Whom a request is answered for: its sender, or whom the sender may speak for.
    async fn spoken_for(
        &self,
        backend: &Backend,
        request: &mut Request<RequestBody>,
        sender: User,
        info: &RequestInfo,
    ) -> Result<User, Failure> {
        let Some(wanted) = impersonation::wanted(request.headers_mut())? else { return Ok(sender) };
        let asked = info.attributes(&sender);
        impersonation::resolve(wanted, &asked, &*backend.authorizer, &self.ways).await
    }

    async fn dispatch(
        &self,
        backend: &Backend,
        mut request: Request<RequestBody>,
        user: User,
        asked: &Asked,
        info: &Arc<RequestInfo>,
    ) -> Response<Body> {
        let path = info.path.as_str();
        let endpoint = Endpoint::of(path).map(|(endpoint, check)| (endpoint, check.to_owned()));
        let is_version = matches!(path, "/version" | "/version/");
        let waiting = self.unread.by(&user);
        if endpoint.is_none()
            && !is_version
            && let Some(refusal) = waiting.refusal(asked)
        {
            return refusal;
        }
        if endpoint.is_none() && !is_version && path != "/metrics" {
            if info.is_watch() {
                let watch = match self.watch_limit.admit(&user) {
                    Ok(watch) => watch,
                    Err(failure) => return flow_control::unread::refusal(&failure, asked),
                };
                let wish = websocket::wish(&mut request);
                let answer = self.guarded(backend, request, user, asked, info).await;
                let answer = waiting.count(answer, info, asked).map(|body| held(body, watch));
                return match wish {
                    Some(wish) => wish.grant(answer, self.in_flight.begin()),
                    None => answer,
                };
            }
            if !request.body().is_end_stream() {
                request.extensions_mut().insert(self.body_limit.of(&user));
            }
            let answer = self.in_turn(backend, request, user, asked, info).await;
            return waiting.count(answer, info, asked);
        }
        let wanted = info.attributes(&user);
        let decision = backend.authorizer.authorize(&wanted).await;
        if let Err(refusal) = authorization::settle(decision, &wanted, request.extensions().get::<Trail>()) {
            return crate::base::plain::without_guessing(asked.refusal(*refusal.0));
        }
        let start = self.clock.elapsed();
        let response = match endpoint {
            Some((endpoint, check)) => {
                let query = request.uri().query().unwrap_or_default();
                self.health.answer(endpoint, &check, query).await.into()
            }
            None if is_version => version_answer(request.method(), asked),
            None => metrics_answer(&self.metrics),
        };
        let labels = RequestLabels {
            verb: if request.method() == Method::GET { "GET" } else { "other" },
            // Only paths that exist become series, or clients could make as many as they like.
            subresource: match endpoint_path(path) {
                Some(known) => known,
                None => path.trim_end_matches('/'),
            },
            ..RequestLabels::default()
        };
        self.metrics.record(labels, response.status().as_u16(), self.clock.elapsed().saturating_sub(start));
        waiting.count(response, info, asked)
    }

    /// Lets a request be answered behind the front, if there is a place for it.
    async fn in_turn(
        &self,
        backend: &Backend,
        request: Request<RequestBody>,
        user: User,
        asked: &Asked,
        info: &Arc<RequestInfo>,
    ) -> Response<Body> {
        if info.is_long_running() {
            return self.guarded(backend, request, user, asked, info).await;
        }
        let kind = info.kind();
        let turn = if info.is_heavy() {
            let Some(turn) = self.turns.take(&user.name).await else { return self.overload(&user.name) };
            Some(turn.for_a_while())
        } else {
            None
        };
        let Some(admitted) = self.limits.admit(kind, &user) else { return self.overload(&user.name) };
        let gauge = self.metrics.begin(kind);
        let response = self.guarded(backend, request, user, asked, info).await;
        response.map(|body| held(body, (admitted, gauge, turn)))
    }

    fn overload(&self, user: &str) -> Response<Body> {
        if self.sparing.overload.allows(self.clock.elapsed()) {
            tracing::warn!(user, "a request was turned away, because too many are being answered");
        }
        max_in_flight::too_many()
    }

    /// Answers with an error if a handler breaks; other requests of the connection don't notice.
    async fn guarded(
        &self,
        backend: &Backend,
        mut request: Request<RequestBody>,
        user: User,
        asked: &Asked,
        info: &Arc<RequestInfo>,
    ) -> Response<Body> {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let (name, offload) = (user.name.clone(), WorkPool::offload());
        request.extensions_mut().insert(offload.clone());
        request.extensions_mut().insert(Arc::clone(info));
        let guard = Guard { answering: Some(Arc::clone(&backend.handler).handle(request, user)) };
        match self.pool.run(&name, &offload, guard).await {
            Ended::Answered(response) => response,
            Ended::Overload => self.overload(&name),
            Ended::ShuttingDown => ending(),
            Ended::TooLarge => asked.refusal(*Failure::too_large(LARGEST_BODY).0),
            Ended::Broken => {
                if self.sparing.panics.allows(self.clock.elapsed()) {
                    tracing::error!(%method, path, "a request broke its handler");
                }
                asked.refusal(refusal::broken())
            }
        }
    }
}

fn endpoint_path(path: &str) -> Option<&'static str> {
    Endpoint::of(path).map(|(endpoint, _)| match endpoint {
        Endpoint::Livez => "/livez",
        Endpoint::Readyz => "/readyz",
        Endpoint::Healthz => "/healthz",
    })
}

/// An answer to HEAD: all but the body. On HTTP/2 nobody else takes that away, and clients take it for an
/// error.
fn without_body(response: Response<Body>) -> Response<Body> {
    let (mut head, body) = response.into_parts();
    if let Some(length) = body.size_hint().exact() {
        head.headers.entry(CONTENT_LENGTH).or_insert(HeaderValue::from(length));
    }
    Response::from_parts(head, refusal::whole(Bytes::new()))
}

/// The answer to a request that doesn't say whom it is for, or is for another than this server: HTTP/1.1 wants one
/// host, and nothing is passed on as proxies do.
fn misdirected(request: &Request<RequestBody>) -> Option<Plain> {
    if request.method() == Method::CONNECT {
        return Some(Plain::not_found());
    }
    let is_nobody =
        request.version() == Version::HTTP_11 && request.headers().get_all(HOST).iter().count() != 1;
    is_nobody.then(|| Plain::error(StatusCode::BAD_REQUEST, "400 Bad Request"))
}

/// Whether a request of HTTP/1.1 expects something else than to be told when its body may come.
fn expects_more(request: &Request<RequestBody>) -> bool {
    request.version() == Version::HTTP_11
        && request.headers().get(EXPECT).is_some_and(|told| {
            let told = told.to_str().unwrap_or_default();
            !told.split(',').any(|word| word.trim().eq_ignore_ascii_case("100-continue"))
        })
}

/// Whether a path is answered while the server ends.
fn outlives(path: &str) -> bool {
    ["/readyz", "/livez", "/healthz", "/metrics"].iter().any(|prefix| path.starts_with(prefix))
}

/// The answer to requests that come while the server ends.
fn ending() -> Response<Body> {
    let text = "The apiserver is shutting down, please try again later.";
    let mut response = Response::from(Plain::error(StatusCode::TOO_MANY_REQUESTS, text));
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    response
}

fn version_answer(method: &Method, asked: &Asked) -> Response<Body> {
    if method != Method::GET {
        return asked.refusal(refusal::method_not_allowed());
    }
    if !asked.takes_json() {
        return asked.refusal(refusal::not_acceptable());
    }
    let mut response = Response::new(refusal::whole(crate::base::version::document()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn metrics_answer(metrics: &Metrics) -> Response<Body> {
    let mut response = Response::new(refusal::whole(metrics.render()));
    let text = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
    response.headers_mut().insert(CONTENT_TYPE, text);
    response
}

/// Where a request came from.
fn peer_of(request: &Request<RequestBody>) -> String {
    request.extensions().get::<Peer>().map(|peer| peer.0.to_string()).unwrap_or_default()
}

/// What the log tells of a request: never its headers or its body, which may have secrets.
struct Told {
    method: Method,
    path: String,
    peer: String,
    begun: std::time::Duration,
}

impl Told {
    fn of(request: &Request<RequestBody>, begun: std::time::Duration) -> Self {
        Told {
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            peer: peer_of(request),
            begun,
        }
    }

    fn tell(&self, response: &Response<Body>, now: std::time::Duration) {
        let Told { method, path, peer, begun } = self;
        let (took, code) = (now.saturating_sub(*begun), response.status().as_u16());
        let audit_id = response.headers().get(AUDIT_ID).and_then(|id| id.to_str().ok()).unwrap_or_default();
        tracing::debug!(%method, path, code, ?took, %peer, audit_id, "answered");
    }
}

pub(crate) struct Guard {
    answering: Option<ResponseFuture>,
}

impl Guard {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Response<Body>>> {
        let Some(answering) = &mut self.answering else { return Poll::Ready(None) };
        // A future that panicked is never polled again, so nobody sees what it left half done.
        let polled = std::panic::AssertUnwindSafe(|| answering.as_mut().poll(context));
        match std::panic::catch_unwind(polled) {
            Ok(polled) => polled.map(Some),
            Err(_) => {
                self.answering = None;
                Poll::Ready(None)
            }
        }
    }
}
