//! Admission plugins: mutate or reject writes after authorization and before validation.
//!
//! Every write takes the same way. First all plugins may change the new object ([`Admission::mutate`]), then the
//! kind's own rules are looked at, and last all plugins see what will be stored ([`Admission::validate`]). What a
//! plugin did not see can't be stored: `create::make`, `update::change` and `delete::delete_named` are the only ways
//! to the store, and each of them asks the [`Chain`]. The object that is stored already is seen by shared reference
//! only, so that no plugin can change what the others compare with.
//!
//! The chain is built once, when the server starts, from the plugins of `plugins` that are wanted and those that
//! the user of this library brings along.
//!
//! What is asked and not stored is shown to them as well: reviews, and connections that are led through the server to
//! pods, nodes and Services ([`Operation::Connect`]), which only policies and plugins of the library's user look at.

mod certificates;
mod cluster;
mod default_class;
mod lifecycle;
mod limits;
mod node;
mod options;
mod owners;
pub(crate) mod plugins;
mod pod_security;
mod policy;
mod priority;
mod quota;
mod references;
mod runtime_class;
mod service_account;
pub(crate) mod storage;
mod taint;
mod tolerations;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rhumb_meta::v1::{CreateOptions, DeleteOptions, PatchOptions, UpdateOptions};
use rhumb_meta::{GroupResource, GroupVersionKind, Object};

use cluster::Memory;
pub use cluster::{Cluster, Question};
pub use options::AdmissionPlugins;
pub(crate) use quota::{Charged, Gates};

use crate::authorization::Authorizer;
use crate::base::failure::{Failure, Outcome};
use crate::base::identity::User;
use crate::base::offload::Offload;
use crate::registry::{Endpoint, Registry};

/// What is done to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// It is made, or something is posted to it.
    Create,
    /// It is changed: replaced, patched or applied.
    Update,
    /// It is deleted.
    Delete,
    /// Somebody connects with it: a command, a terminal, ports, or a proxy. The new object is what they ask for, such
    /// as a `PodExecOptions`, and nothing is stored.
    Connect,
}

impl Operation {
    /// Whether something new will be stored.
    pub fn stores(self) -> bool {
        matches!(self, Operation::Create | Operation::Update)
    }

    /// The operation as messages name it.
    pub fn as_str(self) -> &'static str {
        match self {
            Operation::Create => "CREATE",
            Operation::Update => "UPDATE",
            Operation::Delete => "DELETE",
            Operation::Connect => "CONNECT",
        }
    }
}

/// What plugins want to be known beside their decision.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) warnings: Vec<String>,
    pub(crate) annotations: BTreeMap<String, String>,
    pub(crate) held: Vec<Charged>,
}

/// A request as plugins see it.
#[derive(Debug)]
pub struct Attributes<'a> {
    /// What is done.
    pub operation: Operation,
    /// The kind of the resource's objects, in the version of the request.
    pub kind: &'a GroupVersionKind,
    /// The resource.
    pub resource: &'a GroupResource,
    /// What below the object is written, as in `status`; empty for the object itself.
    pub subresource: &'a str,
    /// The namespace; empty for what lives in none.
    pub namespace: &'a str,
    /// The name of the object; empty if the server will make one up.
    pub name: &'a str,
    /// Who asks.
    pub user: &'a User,
    /// Whether nothing will be stored.
    pub dry_run: bool,
    /// What else there is in the cluster.
    pub cluster: Cluster<'a>,
    pub(crate) query: &'a str,
    pub(crate) delete_options: Option<&'a DeleteOptions>,
    pub(crate) charged: bool,
    /// Where the resource is served.
    pub(crate) endpoint: &'a Arc<Endpoint>,
    /// The way to the pool for long work.
    pub(crate) offload: &'a Offload,
    pub(crate) notes: Mutex<Notes>,
}

impl Attributes<'_> {
    /// Whether it is about a resource of a group, and not about something below it.
    pub fn is(&self, group: &str, resource: &str) -> bool {
        self.is_below(group, resource, "")
    }

    /// Whether it is about something below the objects of a resource.
    pub fn is_below(&self, group: &str, resource: &str, subresource: &str) -> bool {
        self.is_resource(group, resource) && self.subresource == subresource
    }

    /// Whether it is about a resource or anything below it.
    pub fn is_resource(&self, group: &str, resource: &str) -> bool {
        self.resource.resource == resource && self.resource.group == group
    }

    /// The options of a request that makes something.
    pub fn create_options(&self) -> Option<CreateOptions> {
        (self.operation == Operation::Create).then(|| self.options())?
    }

    /// The options of a request that replaces something.
    pub fn update_options(&self) -> Option<UpdateOptions> {
        (self.operation == Operation::Update).then(|| self.options())?
    }

    /// The options of a request that patches or applies something.
    pub fn patch_options(&self) -> Option<PatchOptions> {
        (self.operation == Operation::Update).then(|| self.options())?
    }

    /// The options of a deletion.
    pub fn delete_options(&self) -> Option<&DeleteOptions> {
        self.delete_options
    }

    fn options<T: rhumb_schema::Struct + Default>(&self) -> Option<T> {
        let mut options = T::default();
        rhumb_codec::query::from_query(self.query, &mut options).ok().map(|_| options)
    }

    /// Tells the client something beside the answer.
    pub fn warn(&self, text: impl Into<String>) {
        self.notes.lock().warnings.push(text.into());
    }

    /// Adds something to what the audit log says about the request. Keys begin with a domain.
    pub fn annotate(&self, key: impl Into<String>, value: impl Into<String>) {
        self.notes.lock().annotations.insert(key.into(), value.into());
    }

    /// A refusal that names the object.
    pub fn forbidden(&self, object: Option<&dyn Object>, why: impl AsRef<str>) -> Failure {
        Failure::forbidden(self.resource, &self.called(object), why.as_ref())
    }

    /// What the object is called while it may have no name yet.
    fn called(&self, object: Option<&dyn Object>) -> String {
        if !self.name.is_empty() {
            return self.name.to_owned();
        }
        let meta = object.and_then(Object::metadata).map(Cow::into_owned).unwrap_or_default();
        [meta.name, meta.generate_name]
            .into_iter()
            .find(|name| !name.is_empty())
            .unwrap_or_else(|| "Unknown".to_owned())
    }
}

/// A decision that is being made.
pub type Deciding<'a> = Pin<Box<dyn Future<Output = Result<(), Failure>> + Send + 'a>>;

/// A plugin that completes or refuses what is to be written.
///
/// Objects come in the form that the server works with: kinds with a Rust type as that type in their hub version
/// (`new.downcast_mut::<Pod>()`), custom resources as `Unstructured`.
///
/// ```
/// use rhumb_api::core::v1::Pod;
/// use rhumb_meta::Object;
/// use rhumb_server::admission::{Admission, Attributes, Deciding};
///
/// /// Gives every new pod a label.
/// struct Labels;
///
/// impl Admission for Labels {
///     fn name(&self) -> &str {
///         "Labels"
///     }
///
///     fn concerns(&self, request: &Attributes<'_>) -> bool {
///         request.is("", "pods")
///     }
///
///     fn mutate<'a>(
///         &'a self,
///         _: &'a Attributes<'_>,
///         old: Option<&'a dyn Object>,
///         new: &'a mut dyn Object,
///     ) -> Deciding<'a> {
///         Box::pin(async move {
///             if let (None, Some(pod)) = (old, new.downcast_mut::<Pod>()) {
///                 pod.metadata.labels.insert("seen".to_owned(), "true".to_owned());
///             }
///             Ok(())
///         })
///     }
/// }
/// ```
///
/// The stored object can't be changed:
///
/// ```compile_fail
/// use rhumb_meta::Object;
/// use rhumb_server::admission::{Admission, Attributes, Deciding};
///
/// struct Wrong;
///
/// impl Admission for Wrong {
///     fn name(&self) -> &str {
///         "Wrong"
///     }
///
///     fn mutate<'a>(
///         &'a self,
///         _: &'a Attributes<'_>,
///         old: Option<&'a dyn Object>,
///         _: &'a mut dyn Object,
///     ) -> Deciding<'a> {
///         Box::pin(async move {
///             if let Some(old) = old {
///                 old.edit_metadata(&mut |meta| meta.labels.clear());
///             }
///             Ok(())
///         })
///     }
/// }
/// ```
pub trait Admission: Send + Sync + 'static {
    /// Its name.
    fn name(&self) -> &str;

    /// Whether it has anything to say about a request. What it says no to, it is not asked about.
    fn concerns(&self, _request: &Attributes<'_>) -> bool {
        true
    }

    /// Completes or refuses an object that is to be made or changed. `old` is the stored one, if there is one.
    fn mutate<'a>(
        &'a self,
        _request: &'a Attributes<'_>,
        _old: Option<&'a dyn Object>,
        _new: &'a mut dyn Object,
    ) -> Deciding<'a> {
        Box::pin(ready(Ok(())))
    }

    /// Refuses what is to be stored, or the deletion of what is stored: then there is no new object.
    fn validate<'a>(
        &'a self,
        _request: &'a Attributes<'_>,
        _old: Option<&'a dyn Object>,
        _new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        Box::pin(ready(Ok(())))
    }
}

/// The plugins of a server, in the order in which they are asked.
#[derive(Clone, Default)]
pub struct Chain(Arc<[Arc<dyn Admission>]>);

impl std::fmt::Debug for Chain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|plugin| plugin.name())).finish()
    }
}

impl FromIterator<Arc<dyn Admission>> for Chain {
    fn from_iter<I: IntoIterator<Item = Arc<dyn Admission>>>(plugins: I) -> Self {
        Chain(plugins.into_iter().collect())
    }
}

impl Chain {
    /// The chain with one more plugin at its end.
    #[must_use]
    pub fn with(&self, plugin: impl Admission) -> Self {
        self.0.iter().cloned().chain([Arc::new(plugin) as Arc<dyn Admission>]).collect()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<dyn Admission>> {
        self.0.iter()
    }
}

/// One write, as the verbs describe it to the chain.
#[derive(Clone, Copy)]
pub(crate) struct Write<'a> {
    pub(crate) operation: Operation,
    pub(crate) subresource: &'a str,
    pub(crate) name: &'a str,
    pub(crate) dry_run: bool,
    pub(crate) delete_options: Option<&'a DeleteOptions>,
}

impl<'a> Write<'a> {
    /// An object is made.
    pub(crate) fn create(name: &'a str, dry_run: bool) -> Self {
        Write { operation: Operation::Create, subresource: "", name, dry_run, delete_options: None }
    }

    /// An object is changed.
    pub(crate) fn update(name: &'a str, subresource: &'a str, dry_run: bool) -> Self {
        Write { operation: Operation::Update, subresource, name, dry_run, delete_options: None }
    }
}

/// A write of a plugin that is being made.
pub(crate) type Writing<'a> = Pin<Box<dyn Future<Output = Outcome<()>> + Send + 'a>>;

/// What plugins write themselves, by the way that requests take.
pub(crate) trait StatusWriter: Send + Sync {
    /// Makes another object of one, again and again until nobody else came between, and stores its status.
    fn remake_status<'a>(
        &'a self,
        endpoint: &'a Arc<Endpoint>,
        namespace: &'a str,
        name: &'a str,
        remade: &'a mut (dyn FnMut(Box<dyn Object>) -> Outcome<Box<dyn Object>> + Send),
    ) -> Writing<'a>;
}

/// Asks the plugins, and has what they see of the server.
pub(crate) struct Admitter {
    chain: Chain,
    registry: Arc<Registry>,
    authorizer: Arc<Authorizer>,
    memory: Memory,
    /// The policies that there are, once a request has asked; `None` if the server has none.
    policies: OnceLock<Option<policy::follow::Followed>>,
    /// Keeps charges and counts of quotas apart.
    pub(crate) gates: Gates,
}

impl Admitter {
    /// Asks the plugins of a chain.
    pub(crate) fn new(chain: Chain, registry: &Arc<Registry>, authorizer: &Arc<Authorizer>) -> Self {
        Admitter {
            chain,
            registry: Arc::clone(registry),
            authorizer: Arc::clone(authorizer),
            memory: Memory::default(),
            policies: OnceLock::new(),
            gates: Gates::default(),
        }
    }

    /// Lets all plugins change a new object.
    pub(crate) async fn mutate(
        &self,
        request: &Attributes<'_>,
        old: Option<&dyn Object>,
        new: &mut dyn Object,
    ) -> Outcome<()> {
        for plugin in self.chain.iter().filter(|plugin| plugin.concerns(request)) {
            plugin.mutate(request, old, new).await?;
        }
        Ok(())
    }

    /// Lets all plugins look at what is to be stored or deleted.
    pub(crate) async fn validate(
        &self,
        request: &Attributes<'_>,
        old: Option<&dyn Object>,
        new: Option<&dyn Object>,
    ) -> Outcome<()> {
        for plugin in self.chain.iter().filter(|plugin| plugin.concerns(request)) {
            plugin.validate(request, old, new).await?;
        }
        Ok(())
    }
}
