//! The audit log: who asked for what, and how it went.
//!
//! A request that the policy wants to be written down has a [`Trail`], which goes along with it among the
//! request's extensions. Those who work on the request note on it what they know; at each stage the trail
//! becomes a line, and a thread of its own ([`Sink`]) writes the lines. The queue between them is bounded: if
//! the disk can't keep up, requests wait, because a log with holes proves nothing.
//!
//! Without a policy nothing is written, and a request pays nothing. Bodies are looked at only if the policy
//! wants them, or to find out how the request went.

mod body;
mod file;
mod object;
mod options;
mod sink;
mod source;
mod trail;
mod uri;

pub(crate) use body::Ending;
pub use options::{AuditOptions, Rotation};
pub(crate) use trail::Trail;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use http::{Request, Response};
use rhumb_policy::audit::{Facts, Level, Policy, PolicyError, Resource};

use crate::base::environment::Clock;
use crate::base::identity::User;
use crate::base::response::Body;
use crate::endpoints::request_info::RequestInfo;
use object::Objects;
use sink::Sink;

/// Who writes requests down, and which.
pub(crate) struct Audit {
    policy: Policy,
    sink: Sink,
    clock: Arc<dyn Clock>,
    objects: Objects,
}

/// Why there can't be a log.
#[derive(Debug)]
pub(crate) enum AuditError {
    /// The file of the policy can't be read.
    Read(PathBuf, std::io::Error),
    /// The policy can't be used.
    Policy(PathBuf, PolicyError),
    /// The log can't be written.
    Open(PathBuf, std::io::Error),
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AuditError::Read(path, error) => {
                write!(f, "loading audit policy file: failed to read file path {path:?}: {error}")
            }
            AuditError::Policy(path, error) => {
                write!(f, "loading audit policy file: {error}: from file {}", path.display())
            }
            AuditError::Open(path, error) => write!(f, "ensureLogFile: open {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for AuditError {}

/// Whether objects of a resource are secret, or have tokens. Whatever a policy wants, nothing of them is written but
/// that they were asked for.
fn has_secrets(asked: &Resource<'_>) -> bool {
    matches!(
        (asked.group, asked.resource, asked.subresource),
        ("", "secrets", _) | ("", "serviceaccounts", "token") | ("authentication.k8s.io", "tokenreviews", _)
    )
}

/// Has a request written down that is refused because nobody knows who sent it.
pub(crate) fn refused<B>(
    audit: Option<&Arc<Audit>>,
    request: &Request<B>,
    info: &RequestInfo,
    refusal: Response<Body>,
) -> Response<Body> {
    match audit.and_then(|audit| audit.begin(request, None, info)) {
        Some(trail) => trail.close(refusal, Ending::Refused),
        None => refusal,
    }
}

impl Audit {
    /// Opens the log, if there is a policy and a place for it.
    pub(crate) fn open(
        options: &AuditOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<Option<Arc<Self>>, AuditError> {
        let Some(path) = &options.policy_file else { return Ok(None) };
        let text = std::fs::read(path).map_err(|error| AuditError::Read(path.clone(), error))?;
        // What the policy says that nobody understands is passed over, as Kubernetes does.
        let (policy, _) = Policy::parse(&text).map_err(|error| AuditError::Policy(path.clone(), error))?;
        let Some(log) = &options.log_path else { return Ok(None) };
        if policy.most() == Level::None {
            return Ok(None);
        }
        let sink = Sink::start(log, &options.rotation, Arc::clone(&clock))
            .map_err(|error| AuditError::Open(log.clone(), error))?;
        Ok(Some(Arc::new(Audit { policy, sink, clock, objects: Objects::default() })))
    }

    /// The trail of a request, if it is to leave one. Without a user it is one whose sender could not be found
    /// out.
    pub(crate) fn begin<B>(
        self: &Arc<Self>,
        request: &Request<B>,
        user: Option<&User>,
        info: &RequestInfo,
    ) -> Option<Trail> {
        let nobody = User::default();
        let wanted = info.attributes(user.unwrap_or(&nobody));
        let resource = match &wanted.asked {
            crate::authorization::Asked::Resource(asked) => Some(Resource {
                group: asked.group,
                resource: asked.resource,
                subresource: asked.subresource,
                namespace: asked.namespace,
                name: &asked.name,
            }),
            crate::authorization::Asked::Path(_) => None,
        };
        let mut decision = self.policy.decide(&Facts {
            user: user.map(|user| user.name.as_str()),
            groups: user.map_or(&[], |user| &user.groups),
            verb: &wanted.verb,
            path: request.uri().path(),
            resource,
        });
        if decision.level == Level::None {
            return None;
        }
        if resource.is_some_and(|resource| has_secrets(&resource)) {
            decision.level = decision.level.min(Level::Metadata);
        }
        let reference = resource.zip(info.resource());
        Some(Trail::new(
            Arc::clone(self),
            decision,
            trail::first_event(request, user, &wanted.verb, reference),
        ))
    }
}
