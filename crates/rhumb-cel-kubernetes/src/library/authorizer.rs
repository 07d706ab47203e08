//! Checks by the authorizer: who may do what, asked while an expression is evaluated.
//!
//! An expression puts a check together step by step, and the last step asks. Who is asked is the caller's: here is
//! only the trait.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use rhumb_cel::eval::Error;
use rhumb_cel::functions::Function;
use rhumb_cel::library::Library;
use rhumb_cel::types::Type;
use rhumb_cel::value::{Opaque, Value};
use rhumb_meta::validation::{is_dns1123_label, is_dns1123_subdomain};

use super::{opaque, text, wrap};

/// What decides who may do what.
pub trait Authorizer: Send + Sync {
    /// Decides.
    fn decide(&self, attributes: &Attributes) -> Decision;
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// Who wants to do something.
    pub user: User,
    /// What they want to do it with.
    pub check: Check,
    /// What they want to do.
    pub verb: String,
}

/// Who wants to do something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum User {
    /// Whoever sent the request.
    #[default]
    Requester,
    /// A service account, with the groups that it is in.
    ServiceAccount {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
    },
}

/// What someone wants to do something with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// A path that is no resource's.
    Path(String),
    /// A resource. What is empty is not asked for.
    Resource {
        /// The group.
        group: String,
        /// The resource.
        resource: String,
        /// The subresource.
        subresource: String,
        /// The namespace.
        namespace: String,
        /// The name.
        name: String,
        /// The field selector as it was written, which may be wrong.
        field_selector: String,
        /// The label selector as it was written, which may be wrong.
        label_selector: String,
    },
}

/// What was decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Whether they may.
    pub allowed: bool,
    /// Why.
    pub reason: String,
    /// What went wrong while it was decided.
    pub error: Option<String>,
}

/// The library of checks.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuthorizerLibrary;

/// The library of selectors in checks.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuthorizerSelectors;

/// Returns the value of the variable `authorizer`, which asks for whoever sent the request.
pub fn authorizer(authorizer: Arc<dyn Authorizer>) -> Value<'static> {
    wrap(Asker { authorizer, user: User::Requester })
}

/// Returns the value of `authorizer.requestResource`: a check of the resource that a request is about.
pub fn resource_authorizer(authorizer: Arc<dyn Authorizer>, resource: Check) -> Value<'static> {
    wrap(Question { asker: Asker { authorizer, user: User::Requester }, check: resource })
}

/// The variable `authorizer`: whom to ask, and for whom.
#[derive(Clone)]
struct Asker {
    authorizer: Arc<dyn Authorizer>,
    user: User,
}

/// A check of a group's resources.
#[derive(Clone, Debug)]
struct Group {
    asker: Asker,
    group: String,
}

/// A check of a path or resource, which lacks its verb.
#[derive(Clone, Debug)]
struct Question {
    asker: Asker,
    check: Check,
}

impl fmt::Debug for Asker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asker").field("user", &self.user).finish_non_exhaustive()
    }
}

fn type_(name: &str) -> Type {
    Type::object(&format!("kubernetes.authorization.{name}"))
}

/// Makes values of types whose values are never the same.
macro_rules! receivers {
    ($($receiver:ty, $type_:expr;)+) => {
        $(impl Opaque for $receiver {
            fn type_(&self) -> Type {
                let name: fn(&$receiver) -> &'static str = $type_;
                type_(name(self))
            }

            fn equal(&self, _: &dyn Opaque) -> bool {
                false
            }

            fn as_any(&self) -> &dyn Any {
                self
            }
        })+
    };
}

receivers! {
    Asker, |_| "Authorizer";
    Group, |_| "GroupCheck";
    Question, |question| match question.check {
        Check::Path(_) => "PathCheck",
        Check::Resource { .. } => "ResourceCheck",
    };
    Decision, |_| "Decision";
}

/// Returns a text that must say something.
fn filled(args: &[Value<'_>], name: &str) -> Result<String, Error> {
    let text = text(args, 1)?;
    if text.trim().is_empty() {
        return Err(Error::new(format!("{name} must not be empty")));
    }
    Ok(text.to_owned())
}

/// Declares a step that sets a part of a check of a resource.
fn step(name: &str, id: &str, set: fn(&mut Check, String)) -> Function {
    Function::member(name, id, vec![type_("ResourceCheck"), Type::String], type_("ResourceCheck")).with(
        move |_, args| {
            let mut question = opaque::<Question>(args, 0)?.clone();
            set(&mut question.check, text(args, 1)?.to_owned());
            Ok(wrap(question))
        },
    )
}

/// Declares the last step, which asks.
fn ask(id: &str, check: &str) -> Function {
    Function::member("check", id, vec![type_(check), Type::String], type_("Decision")).with(|_, args| {
        let Question { asker, check } = opaque::<Question>(args, 0)?;
        let verb = text(args, 1)?.to_owned();
        let attributes = Attributes { user: asker.user.clone(), check: check.clone(), verb };
        Ok(wrap(asker.authorizer.decide(&attributes)))
    })
}

/// Declares a part of a decision.
fn answer(name: &str, id: &str, result: Type, get: fn(&Decision) -> Value<'static>) -> Function {
    Function::member(name, id, vec![type_("Decision")], result)
        .with(move |_, args| Ok(get(opaque::<Decision>(args, 0)?)))
}

fn service_account<'a>(args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let asker = opaque::<Asker>(args, 0)?;
    let (namespace, name) = (text(args, 1)?, text(args, 2)?);
    if !is_dns1123_subdomain(name).is_empty() {
        return Err(Error::new("Invalid service account name"));
    }
    if !is_dns1123_label(namespace).is_empty() {
        return Err(Error::new("Invalid service account namespace"));
    }
    let user = User::ServiceAccount { namespace: namespace.to_owned(), name: name.to_owned() };
    Ok(wrap(Asker { authorizer: Arc::clone(&asker.authorizer), user }))
}

impl Library for AuthorizerLibrary {
    fn name(&self) -> &str {
        "kubernetes.authz"
    }

    fn functions(&self) -> Vec<Function> {
        let authorizer = || type_("Authorizer");
        vec![
            Function::member("path", "authorizer_path", vec![authorizer(), Type::String], type_("PathCheck"))
                .with(|_, args| {
                    let check = Check::Path(filled(args, "path")?);
                    Ok(wrap(Question { asker: opaque::<Asker>(args, 0)?.clone(), check }))
                }),
            Function::member(
                "group",
                "authorizer_group",
                vec![authorizer(), Type::String],
                type_("GroupCheck"),
            )
            .with(|_, args| {
                let group = text(args, 1)?.to_owned();
                Ok(wrap(Group { asker: opaque::<Asker>(args, 0)?.clone(), group }))
            }),
            Function::member(
                "serviceAccount",
                "authorizer_serviceaccount",
                vec![authorizer(), Type::String, Type::String],
                authorizer(),
            )
            .with(|_, args| service_account(args)),
            Function::member(
                "resource",
                "groupcheck_resource",
                vec![type_("GroupCheck"), Type::String],
                type_("ResourceCheck"),
            )
            .with(|_, args| {
                let Group { asker, group } = opaque::<Group>(args, 0)?.clone();
                let check = Check::Resource {
                    group,
                    resource: filled(args, "resource")?,
                    subresource: String::new(),
                    namespace: String::new(),
                    name: String::new(),
                    field_selector: String::new(),
                    label_selector: String::new(),
                };
                Ok(wrap(Question { asker, check }))
            }),
            step("subresource", "resourcecheck_subresource", |check, text| {
                if let Check::Resource { subresource, .. } = check {
                    *subresource = text;
                }
            }),
            step("namespace", "resourcecheck_namespace", |check, text| {
                if let Check::Resource { namespace, .. } = check {
                    *namespace = text;
                }
            }),
            step("name", "resourcecheck_name", |check, text| {
                if let Check::Resource { name, .. } = check {
                    *name = text;
                }
            }),
            ask("pathcheck_check", "PathCheck"),
            ask("resourcecheck_check", "ResourceCheck"),
            answer("errored", "decision_errored", Type::Bool, |decision| {
                Value::Bool(decision.error.is_some())
            }),
            answer("error", "decision_error", Type::String, |decision| {
                Value::from(decision.error.clone().unwrap_or_default())
            }),
            answer("allowed", "decision_allowed", Type::Bool, |decision| Value::Bool(decision.allowed)),
            answer("reason", "decision_reason", Type::String, |decision| {
                Value::from(decision.reason.clone())
            }),
        ]
    }
}

impl Library for AuthorizerSelectors {
    fn name(&self) -> &str {
        "kubernetes.authzSelectors"
    }

    fn functions(&self) -> Vec<Function> {
        vec![
            step("fieldSelector", "authorizer_fieldselector", |check, text| {
                if let Check::Resource { field_selector, .. } = check {
                    *field_selector = text;
                }
            }),
            step("labelSelector", "authorizer_labelselector", |check, text| {
                if let Check::Resource { label_selector, .. } = check {
                    *label_selector = text;
                }
            }),
        ]
    }
}
