//! `Failure`: why a request failed, and the one way from any error to the Status that the client gets.

use rhumb_meta::v1::{Status, StatusCause, StatusDetails, StatusReason};
use rhumb_meta::{GroupResource, GroupVersionKind};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::FieldErrors;
use rhumb_store::StoreError;
use rhumb_store::cache::CacheError;

/// The answer to a request that failed. Boxed, because it travels through every result.
#[derive(Clone, Debug)]
pub struct Failure(pub Box<Status>);

/// What a step of a request gives.
pub(crate) type Outcome<T> = Result<T, Failure>;

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Failure(Box::new(status))
    }
}

impl Failure {
    /// A failure without details.
    pub fn new(reason: StatusReason, message: impl Into<String>) -> Self {
        Status::failure(reason, message).into()
    }

    /// The request makes no sense.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Failure::new(StatusReason::BadRequest, message)
    }

    /// Something that must not happen did.
    pub fn internal(message: impl std::fmt::Display) -> Self {
        let message = message.to_string();
        let cause = StatusCause { message: message.clone(), ..StatusCause::default() };
        let details = StatusDetails { causes: vec![cause], ..StatusDetails::default() };
        Failure::new(StatusReason::InternalError, format!("Internal error occurred: {message}")).with(details)
    }

    /// Something went wrong that has no reason which clients know.
    pub fn unexplained(message: impl Into<String>) -> Self {
        let mut status = Status::failure(StatusReason::InternalError, message);
        status.reason.clear();
        status.into()
    }

    fn with(mut self, details: StatusDetails) -> Self {
        self.0.details = Some(Box::new(details));
        self
    }

    /// Details that name an object.
    fn about(self, resource: &GroupResource, name: &str) -> Self {
        self.with(StatusDetails {
            name: name.to_owned(),
            group: resource.group.to_string(),
            kind: resource.resource.to_string(),
            ..StatusDetails::default()
        })
    }

    /// There is no such object.
    pub fn not_found(resource: &GroupResource, name: &str) -> Self {
        let message = format!("{resource} {} not found", quoted(name));
        Failure::new(StatusReason::NotFound, message).about(resource, name)
    }

    /// There is such an object already.
    pub fn already_exists(resource: &GroupResource, name: &str) -> Self {
        let message = format!("{resource} {} already exists", quoted(name));
        Failure::new(StatusReason::AlreadyExists, message).about(resource, name)
    }

    /// A name could not be made up that nobody has.
    pub fn name_not_found_in_time(resource: &GroupResource, name: &str) -> Self {
        let message = format!(
            "{resource} {} already exists, the server was not able to generate a unique name for the object",
            quoted(name)
        );
        let mut failure = Failure::new(StatusReason::AlreadyExists, message).about(resource, name);
        if let Some(details) = &mut failure.0.details {
            details.retry_after_seconds = 1;
        }
        failure
    }

    /// The object has changed, or is not the one that was meant.
    pub fn conflict(resource: &GroupResource, name: &str, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {resource} {}: {why}", quoted(name));
        Failure::new(StatusReason::Conflict, message).about(resource, name)
    }

    /// The object was changed by somebody else since it was read.
    pub fn modified(resource: &GroupResource, name: &str) -> Self {
        let why =
            "the object has been modified; please apply your changes to the latest version and try again";
        Failure::conflict(resource, name, why)
    }

    /// It must not be done, whoever asks.
    pub fn forbidden(resource: &GroupResource, name: &str, why: &str) -> Self {
        let message = if name.is_empty() {
            format!("{resource} is forbidden: {why}")
        } else {
            format!("{resource} {} is forbidden: {why}", quoted(name))
        };
        Failure::new(StatusReason::Forbidden, message).about(resource, name)
    }

    /// The method can't be used on the resource.
    pub fn method_not_supported(resource: &GroupResource, action: &str) -> Self {
        let message =
            format!("{action} is not supported on resources of kind {}", quoted(resource.to_string()));
        Failure::new(StatusReason::MethodNotAllowed, message).with(StatusDetails {
            group: resource.group.to_string(),
            kind: resource.resource.to_string(),
            ..StatusDetails::default()
        })
    }

    /// The object breaks rules.
    pub fn invalid(kind: &GroupVersionKind, name: &str, errors: &FieldErrors) -> Self {
        let mut kind = kind.group_kind();
        // Events are one kind in two groups, and errors know it by the older one.
        if kind.group == "events.k8s.io" {
            kind.group = "".into();
        }
        errors.status(&kind, name).into()
    }

    /// The body is larger than is read.
    pub fn too_large(limit: usize) -> Self {
        let message = format!("Request entity too large: limit is {limit}");
        Failure::new(StatusReason::RequestEntityTooLarge, message)
    }

    /// The work on the request was stopped before its end. Nobody waits for this answer.
    pub fn stopped() -> Self {
        Failure::new(StatusReason::ServiceUnavailable, "the work on the request was stopped")
    }

    /// What was asked for is no longer known.
    pub fn expired(message: impl Into<String>) -> Self {
        Failure::new(StatusReason::Expired, message)
    }

    /// Not now.
    pub fn too_many_requests(message: impl Into<String>, retry_after_seconds: i32) -> Self {
        Failure::new(StatusReason::TooManyRequests, message)
            .with(StatusDetails { retry_after_seconds, ..StatusDetails::default() })
    }

    /// The HTTP status.
    pub fn code(&self) -> u16 {
        u16::try_from(self.0.code).unwrap_or(500)
    }

    /// Whether it says that there is no such object.
    pub fn is_not_found(&self) -> bool {
        self.0.known_reason() == StatusReason::NotFound
    }

    /// Whether it says that the object has changed in the meantime.
    pub fn is_conflict(&self) -> bool {
        self.0.known_reason() == StatusReason::Conflict
    }

    /// Whether it says that there is such an object already.
    pub fn is_already_exists(&self) -> bool {
        self.0.known_reason() == StatusReason::AlreadyExists
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Failure {}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::TooLarge { .. } => Failure::new(
                StatusReason::RequestEntityTooLarge,
                rhumb_store::etcd::wording(&error).to_string(),
            ),
            StoreError::Timeout => Failure::new(StatusReason::Timeout, "etcdserver: request timed out"),
            StoreError::Closed => {
                Failure::new(StatusReason::ServiceUnavailable, "the server is shutting down")
            }
            StoreError::Compacted { .. } => Failure::expired(
                "The provided continue parameter is too old to display a consistent list result.",
            ),
            _ => Failure::internal(&error),
        }
    }
}

impl From<CacheError> for Failure {
    fn from(error: CacheError) -> Self {
        match error {
            CacheError::TooLarge { requested, current } => {
                let cause = StatusCause {
                    reason: "ResourceVersionTooLarge".to_owned(),
                    message: "Too large resource version".to_owned(),
                    ..StatusCause::default()
                };
                let message = format!("Too large resource version: {requested}, current: {current}");
                Failure::new(StatusReason::Timeout, format!("Timeout: {message}")).with(StatusDetails {
                    causes: vec![cause],
                    retry_after_seconds: 1,
                    ..StatusDetails::default()
                })
            }
            CacheError::Expired { .. } => Failure::expired(error.to_string()),
            CacheError::NotReady => Failure::too_many_requests("storage is (re)initializing", 1),
            CacheError::Closed => {
                Failure::new(StatusReason::ServiceUnavailable, "the server is shutting down")
            }
            CacheError::Store(error) => error.into(),
            other => Failure::internal(other),
        }
    }
}
