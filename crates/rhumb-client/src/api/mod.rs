//! The API of one resource: all verbs on its objects.
//!
//! An [`Api`] is a [`Client`], the place of a resource and, mostly, a namespace. What its objects are read as
//! is its type parameter: a Rust type (`client.resource::<Pod>()`), any object as a tree
//! (`client.dynamic(&gvr)`), or no more than the metadata (`client.metadata(&gvr)`). All three have the same
//! verbs; they differ in which forms they ask the server for, which is `form`'s business.
//!
//! Nothing here keeps anything, and a call is one request, save for lists in pages and [`Api::modify`].
//!
//! ```no_run
//! # async fn example(client: rhumb_client::Client) -> Result<(), rhumb_client::Error> {
//! use rhumb_api::apps::v1::Deployment;
//! use rhumb_client::Patch;
//! use rhumb_meta::v1::{DeleteOptions, PatchOptions};
//! use serde_json::json;
//!
//! let deployments = client.resource::<Deployment>().namespace("shop");
//! let web = deployments.get("web").await?;
//! let patch = Patch::Merge(json!({"spec": {"replicas": web.spec.replicas.unwrap_or(1) + 1}}));
//! deployments.patch("web", &patch, &PatchOptions::default()).await?;
//! // The same resource in the other two ways.
//! let tree = deployments.as_unstructured().get("web").await?;
//! assert_eq!(tree.get(&["metadata", "name"]), Some(&"web".into()));
//! let metadata = deployments.as_metadata().get("web").await?.metadata;
//! assert_eq!(metadata.uid, web.metadata.uid);
//! deployments.delete("web", &DeleteOptions::default()).await?;
//! # Ok(())
//! # }
//! ```

mod actions;
mod apply;
mod convert;
mod form;
mod modify;
mod pages;
mod patch;
mod scale;
mod subresource;
#[cfg(test)]
mod tests;
mod verbs;

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use http::Method;
use rhumb_meta::v1::PartialObjectMetadata;
use rhumb_meta::{GroupVersionResource, Object, Resource, Scope};
use rhumb_scheme::Unstructured;

use crate::Error;
use crate::rest::{Client, Request};

pub use convert::{from_unstructured, to_unstructured};
pub use pages::{ItemStream, PAGE_SIZE, PageStream};
pub use patch::Patch;
pub use scale::ScaleApi;
pub use subresource::Subresource;
pub use verbs::Answer;

use form::Form;

/// Types that objects can be decoded as.
pub trait Readable: Object + Default + Clone {}

impl<K: Object + Default + Clone> Readable for K {}

/// API of one resource, in one namespace or all, with objects of type `K`.
///
/// It is cheap to clone and to make: it holds names and a handle of the client.
///
/// ```no_run
/// # async fn example(client: rhumb_client::Client) -> Result<(), rhumb_client::Error> {
/// use rhumb_api::core::v1::Pod;
/// use rhumb_meta::v1::ListOptions;
///
/// let pods = client.resource::<Pod>().namespace("default");
/// for pod in pods.list(&ListOptions::default()).await?.items {
///     println!("{} is {}", pod.metadata.name, pod.status.phase);
/// }
/// # Ok(())
/// # }
/// ```
pub struct Api<K> {
    client: Client,
    target: Target,
    namespace: Option<String>,
    read_as: PhantomData<fn() -> K>,
}

/// Path of a resource and the form of its objects.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    gvr: GroupVersionResource,
    /// The kind of the objects, where it is known without asking.
    kind: Option<Cow<'static, str>>,
    /// The scope of the objects, where it is known without asking.
    scope: Option<Scope>,
    form: Form,
}

impl Target {
    /// Returns the target of a type in a given version.
    pub(crate) fn of<K: Resource>(gvr: GroupVersionResource) -> Self {
        let form = if K::HAS_PROTOBUF { Form::Negotiated } else { Form::Json };
        Target { gvr, kind: Some(Cow::Borrowed(K::KIND)), scope: Some(K::SCOPE), form }
    }
}

/// The clients of resources.
impl Client {
    /// Returns the API of a type's resource, in all namespaces.
    pub fn resource<K: Resource + Readable>(&self) -> Api<K> {
        Api::new(self.clone(), Target::of::<K>(K::gvr()))
    }

    /// Returns the API of a type's objects at another resource, such as another version of the group with the same
    /// type.
    pub fn resource_at<K: Resource + Readable>(&self, gvr: GroupVersionResource) -> Api<K> {
        Api::new(self.clone(), Target::of::<K>(gvr))
    }

    /// Returns the API of a resource with objects as `Unstructured`.
    pub fn dynamic(&self, gvr: &GroupVersionResource) -> Api<Unstructured> {
        Api::new(self.clone(), Target { gvr: gvr.clone(), kind: None, scope: None, form: Form::Json })
    }

    /// Returns the API of a resource with the objects' metadata only.
    pub fn metadata(&self, gvr: &GroupVersionResource) -> Api<PartialObjectMetadata> {
        Api::new(self.clone(), Target { gvr: gvr.clone(), kind: None, scope: None, form: Form::Metadata })
    }
}

impl<K> Api<K> {
    pub(crate) fn new(client: Client, target: Target) -> Self {
        Api { client, target, namespace: None, read_as: PhantomData }
    }

    fn retarget<T>(&self, form: Form) -> Api<T> {
        let target = Target { form, ..self.target.clone() };
        Api { namespace: self.namespace.clone(), ..Api::new(self.client.clone(), target) }
    }

    /// Restricts the API to one namespace; an empty name means all.
    #[must_use]
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.to_owned()).filter(|namespace| !namespace.is_empty());
        self
    }

    /// Restricts the API to the default namespace of the client's configuration.
    #[must_use]
    pub fn default_namespace(self) -> Self {
        let namespace = self.client.default_namespace().to_owned();
        self.namespace(&namespace)
    }

    /// Extends the API to all namespaces.
    #[must_use]
    pub fn all_namespaces(self) -> Self {
        self.namespace("")
    }

    /// Returns the same API with objects as `Unstructured`.
    pub fn as_unstructured(&self) -> Api<Unstructured> {
        self.retarget(Form::Json)
    }

    /// Returns the same API with the objects' metadata only.
    pub fn as_metadata(&self) -> Api<PartialObjectMetadata> {
        self.retarget(Form::Metadata)
    }

    /// Returns the same API with objects decoded as another type, in JSON.
    pub fn read_as<T: Readable>(&self) -> Api<T> {
        self.retarget(Form::Json)
    }

    /// Returns the client that requests go through.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the full name of the resource.
    pub fn gvr(&self) -> &GroupVersionResource {
        &self.target.gvr
    }

    /// Returns the scope of the resource, if it is known without asking the server.
    pub fn scope(&self) -> Option<Scope> {
        self.target.scope
    }

    /// Returns the kind of the objects, if it is known without asking the server.
    pub fn kind(&self) -> Option<&str> {
        self.target.kind.as_deref()
    }

    /// Returns the namespace; none for all namespaces and for cluster-scoped resources.
    pub fn current_namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// Creates a request for the resource, for what no method here does, such as a proxy request or a table.
    ///
    /// # Errors
    /// If a namespace was named and the resource has none.
    pub fn request(&self, method: Method) -> Result<Request, Error> {
        self.request_many(method)
    }

    /// Returns a request for many objects.
    fn request_many(&self, method: Method) -> Result<Request, Error> {
        self.request_in(method, self.namespace.as_deref())
    }

    /// Creates a request for one object. The object's own namespace counts if the API has none.
    fn request_one(&self, method: Method, own: Option<&str>) -> Result<Request, Error> {
        let own =
            own.filter(|namespace| !namespace.is_empty() && self.target.scope == Some(Scope::Namespaced));
        let namespace = self.namespace.as_deref().or(own);
        if namespace.is_none() && self.target.scope == Some(Scope::Namespaced) {
            return Err(Error::Request(format!(
                "{} live in namespaces: name one with `namespace`",
                self.target.gvr.resource
            )));
        }
        self.request_in(method, namespace)
    }

    fn request_in(&self, method: Method, namespace: Option<&str>) -> Result<Request, Error> {
        let gvr = &self.target.gvr;
        let mut request = self.client.request(method).version(&gvr.group_version());
        if let Some(namespace) = namespace {
            if self.target.scope == Some(Scope::Cluster) {
                return Err(Error::Request(format!("{} don't live in namespaces", gvr.resource)));
            }
            request = request.namespace(namespace);
        }
        Ok(request.resource(&gvr.resource))
    }
}

impl<K> Clone for Api<K> {
    fn clone(&self) -> Self {
        Api {
            client: self.client.clone(),
            target: self.target.clone(),
            namespace: self.namespace.clone(),
            read_as: PhantomData,
        }
    }
}

impl<K> fmt::Debug for Api<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let namespace = self.namespace.as_deref().unwrap_or("all namespaces");
        write!(f, "Api({}, {namespace})", self.target.gvr)
    }
}
