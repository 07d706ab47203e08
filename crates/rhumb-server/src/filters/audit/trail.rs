//! What is noted about one request on its way.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, header};
use parking_lot::Mutex;
use rhumb_api::authentication::v1::{ExtraValue, UserInfo};
use rhumb_codec::{Format, Strictness};
use rhumb_meta::v1::{Status, TypeMeta};
use rhumb_meta::{MicroTime, Object};
use rhumb_policy::audit::v1::{Event, ObjectReference};
use rhumb_policy::audit::{Decision, Level, Resource, Stage};
use rhumb_schema::RawJson;

use super::body::{self, Close, Ending};
use super::{Audit, object, source, uri};
use crate::authorization;
use crate::base::identity::User;
use crate::base::request::{Peer, header_text};
use crate::base::response::Body;
use crate::endpoints::audit::Recorder;
use crate::endpoints::context::RequestContext;
use crate::endpoints::request_info::ResourcePath;
use rhumb_api::resources::Verb;

/// The longest that a client's name for itself is shown.
const LONGEST_AGENT: usize = 1024;

/// What is noted about a request. All copies are of the same.
#[derive(Clone)]
pub(crate) struct Trail(Arc<Inner>);

struct Inner {
    audit: Arc<Audit>,
    decision: Decision,
    state: Mutex<State>,
}

struct State {
    event: Event,
    /// What came of the request's body, if it is looked at.
    body: Vec<u8>,
    /// Whether the server broke while it worked out the answer.
    broke: bool,
}

/// What there is to say about a request before anything was done.
pub(super) fn first_event<B>(
    request: &Request<B>,
    user: Option<&User>,
    verb: &str,
    about: Option<(Resource<'_>, &ResourcePath)>,
) -> Event {
    let headers = request.headers();
    let asked = request.uri();
    let mut agent = header_text(headers, header::USER_AGENT).to_owned();
    if agent.len() > LONGEST_AGENT {
        let end = agent.floor_char_boundary(LONGEST_AGENT);
        agent.truncate(end);
        agent.push_str("...TRUNCATED");
    }
    let reference = about.map(|(asked, path)| ObjectReference {
        resource: asked.resource.to_owned(),
        namespace: asked.namespace.to_owned(),
        name: asked.name.to_owned(),
        api_group: asked.group.to_owned(),
        api_version: path.version.clone(),
        subresource: asked.subresource.to_owned(),
        ..ObjectReference::default()
    });
    Event {
        type_meta: TypeMeta { api_version: "audit.k8s.io/v1".to_owned(), kind: "Event".to_owned() },
        audit_id: header_text(headers, header::HeaderName::from_static("audit-id")).to_owned(),
        request_uri: uri::masked(asked.path_and_query().map_or(asked.path(), |path| path.as_str())),
        verb: verb.to_owned(),
        user: user.map(user_info).unwrap_or_default(),
        source_ips: source::addresses(headers, request.extensions().get::<Peer>().map(|peer| peer.0.ip())),
        user_agent: agent,
        object_ref: reference.map(Box::new),
        ..Event::default()
    }
}

fn user_info(user: &User) -> UserInfo {
    let extra = user.extra.iter().map(|(key, values)| (key.clone(), ExtraValue(values.clone())));
    UserInfo {
        username: user.name.clone(),
        uid: user.uid.clone(),
        groups: user.groups.clone(),
        extra: extra.collect(),
    }
}

impl Trail {
    pub(super) fn new(audit: Arc<Audit>, decision: Decision, mut event: Event) -> Self {
        event.level = decision.level.as_str().to_owned();
        event.request_received_timestamp = Some(now(&audit));
        let state = Mutex::new(State { event, body: Vec::new(), broke: false });
        Trail(Arc::new(Inner { audit, decision, state }))
    }

    /// Writes that the request came.
    pub(crate) fn received(&self) {
        self.emit(&mut self.0.state.lock(), Stage::RequestReceived);
    }

    /// Notes whom the sender speaks for, if that is somebody else.
    pub(crate) fn speaks_for(&self, sender: &User, user: &User) {
        if sender != user {
            self.0.state.lock().event.impersonated_user = Some(Box::new(user_info(user)));
        }
    }

    /// Notes whether the request may be answered, and why.
    pub(crate) fn decided(&self, decision: &authorization::Decision) {
        let word = if decision.is_allowed() { "allow" } else { "forbid" };
        self.annotate([
            ("authorization.k8s.io/decision", word.to_owned()),
            ("authorization.k8s.io/reason", decision.reason()),
        ]);
    }

    /// Notes something beside the request itself. What was noted first stays.
    pub(crate) fn annotate<K: Into<String>>(&self, notes: impl IntoIterator<Item = (K, String)>) {
        let annotations = &mut self.0.state.lock().event.annotations;
        for (key, value) in notes {
            annotations.entry(key.into()).or_insert(value);
        }
    }

    /// An object that is to be stored, as it was sent. Its name may be known from nowhere else.
    fn sent_object(&self, call: &RequestContext<'_>, sent: &[u8]) -> Option<Vec<u8>> {
        let format = object::format(call.headers).unwrap_or(Format::Json);
        let endpoint = &call.endpoint;
        let incoming = endpoint.model.read(&endpoint.kind, sent, format, Strictness::Ignore).ok()?;
        let version = incoming.gvk.clone();
        let object = endpoint.model.to_hub(incoming.object).ok()?;
        let object = endpoint.model.external(object, &version).ok()?;
        self.refer_to(&*object);
        if self.0.decision.level < Level::Request {
            return None;
        }
        let text = object::encode(&*object)?;
        Some(self.shown(text))
    }

    fn refer_to(&self, object: &dyn Object) {
        let Some(metadata) = object.metadata() else { return };
        let mut state = self.0.state.lock();
        let Some(reference) = &mut state.event.object_ref else { return };
        for (place, known) in [
            (&mut reference.namespace, &metadata.namespace),
            (&mut reference.name, &metadata.name),
            (&mut reference.uid, &metadata.uid),
            (&mut reference.resource_version, &metadata.resource_version),
        ] {
            if place.is_empty() {
                place.clone_from(known);
            }
        }
    }

    /// Anything else that was sent: patches, options, what subresources take.
    fn sent_other(&self, call: &RequestContext<'_>, verb: Verb, sent: &[u8]) -> Option<Vec<u8>> {
        let objects = &self.0.audit.objects;
        if matches!(verb, Verb::Delete | Verb::DeleteCollection) && call.path.subresource.is_empty() {
            let mut options = crate::endpoints::handlers::delete::delete_options(call, sent).ok()?;
            options.set_type_meta("meta.k8s.io/__internal", "DeleteOptions");
            return object::encode(&options);
        }
        let text = match object::format(call.headers) {
            Some(format) if verb != Verb::Patch => objects.convert(sent, format),
            _ => object::patch(sent),
        };
        text.map(|text| self.shown(text))
    }

    /// The text of an object as the policy wants it.
    fn shown(&self, text: Vec<u8>) -> Vec<u8> {
        if self.0.decision.omit_managed_fields {
            self.0.audit.objects.without_managed_fields(text)
        } else {
            text
        }
    }

    /// Goes along with an answer to its end, and writes how it went.
    pub(crate) fn close(&self, answer: Response<Body>, ending: Ending) -> Response<Body> {
        let code = answer.status();
        let is_stream = ending == Ending::Stream && !code.is_client_error() && !code.is_server_error();
        let looks = {
            let mut state = self.0.state.lock();
            state.event.response_status =
                Some(Box::new(Status { code: i32::from(code.as_u16()), ..Status::default() }));
            if ending == Ending::Stream && !state.broke {
                self.emit(&mut state, Stage::ResponseStarted);
            }
            let event = &state.event;
            let below = event.object_ref.as_ref().is_some_and(|about| !about.subresource.is_empty());
            let may_be_status = !code.is_success() || below || event.verb.starts_with("delete");
            match self.0.decision.level {
                _ if is_stream => body::Looks::Away,
                // What others answer to what is passed on to them has no bound.
                Level::RequestResponse
                    if ending != Ending::Stream && (event.object_ref.is_some() || !code.is_success()) =>
                {
                    body::Looks::AtAll
                }
                _ if may_be_status => body::Looks::AtBeginning,
                _ => body::Looks::Away,
            }
        };
        body::follow(answer, self.clone(), ending, looks)
    }

    fn emit(&self, state: &mut State, stage: Stage) {
        if self.0.decision.omit_stages.contains(stage) {
            return;
        }
        let event = &mut state.event;
        event.stage = stage.as_str().to_owned();
        event.stage_timestamp = match stage {
            Stage::RequestReceived => event.request_received_timestamp,
            _ => Some(now(&self.0.audit)),
        };
        let mut line = Vec::new();
        event.write_line(&mut line);
        self.0.audit.sink.send(line);
    }
}

fn now(audit: &Audit) -> MicroTime {
    let (seconds, nanos) = audit.clock.now();
    MicroTime::from_unix(seconds, i64::from(nanos))
}

/// A copy goes along with the request, so it is dropped while the stack unwinds if the server breaks on it.
impl Drop for Trail {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some(mut state) = self.0.state.try_lock()
        {
            state.broke = true;
        }
    }
}

impl Recorder for Trail {
    /// Takes a piece of what the client sends, if that is to be shown or tells what the request is about.
    fn body(&self, piece: &Bytes) {
        let mut state = self.0.state.lock();
        if self.0.decision.level >= Level::Request || state.event.verb == "create" {
            state.body.extend_from_slice(piece);
        }
    }

    /// Notes what the client sent, and what those noted who worked on it.
    fn handled(&self, call: &RequestContext<'_>, verb: Verb) {
        self.annotate(call.annotations.iter().map(|(key, value)| (key.clone(), value.clone())));
        let sent = std::mem::take(&mut self.0.state.lock().body);
        if sent.is_empty() {
            return;
        }
        let whole = call.path.subresource.is_empty() && matches!(verb, Verb::Create | Verb::Update);
        let text = if whole { self.sent_object(call, &sent) } else { self.sent_other(call, verb, &sent) };
        if self.0.decision.level >= Level::Request {
            self.0.state.lock().event.request_object = text.map(RawJson);
        }
    }
}

impl Close for Trail {
    /// Writes how a request went whose answer was sent.
    fn closed(&self, sent: Option<&[u8]>, headers: &http::HeaderMap, ending: Ending) {
        let most = match ending {
            Ending::Stream => u64::try_from(body::BEGINNING).unwrap_or(u64::MAX),
            _ => u64::MAX,
        };
        let text = sent.and_then(|sent| self.0.audit.objects.to_json(sent, headers, most));
        let status = text.as_deref().and_then(object::status);
        let mut state = self.0.state.lock();
        if state.broke {
            state.event.response_status = Some(Box::new(Status {
                status: "Failure".to_owned(),
                message: "APIServer panic'd".to_owned(),
                reason: "InternalError".to_owned(),
                code: 500,
                ..Status::default()
            }));
            self.emit(&mut state, Stage::Panic);
            return;
        }
        if let Some(status) = status {
            let code = state.event.response_status.as_ref().map_or(0, |status| status.code);
            let shown =
                Status { type_meta: TypeMeta::default(), metadata: Default::default(), code, ..status };
            state.event.response_status = Some(Box::new(shown));
        }
        if self.0.decision.level == Level::RequestResponse && ending != Ending::Stream {
            state.event.response_object = text.map(|text| RawJson(self.shown(text)));
        }
        let stage = if ending == Ending::Refused { Stage::ResponseStarted } else { Stage::ResponseComplete };
        self.emit(&mut state, stage);
    }
}
