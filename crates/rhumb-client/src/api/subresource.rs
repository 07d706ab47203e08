//! Subresources: parts of objects that are read and written separately, and actions.

use std::fmt;
use std::marker::PhantomData;

use http::Method;
use rhumb_api::resources::{GROUPS, Served};
use rhumb_meta::v1::{ApplyOptions, CreateOptions, GetOptions, PatchOptions, UpdateOptions};
use rhumb_meta::{GroupVersionKind, GroupVersionResource, Object};
use rhumb_schema::Struct;

use super::form::Form;
use super::{Answer, Api, Patch, Readable, apply};
use crate::Error;
use crate::rest::{ByteStream, Request, WebSocket};

/// API of one subresource of a resource, with objects of type `T`.
///
/// ```no_run
/// # async fn example(client: rhumb_client::Client) -> Result<(), rhumb_client::Error> {
/// use rhumb_api::authentication::v1::TokenRequest;
/// use rhumb_api::core::v1::ServiceAccount;
///
/// let accounts = client.resource::<ServiceAccount>().namespace("default");
/// let tokens = accounts.subresource::<TokenRequest>("token");
/// let answer = tokens.create("builder", &TokenRequest::default(), &Default::default()).await?;
/// println!("{}", answer.object().unwrap_or_default().status.token);
/// # Ok(())
/// # }
/// ```
pub struct Subresource<T> {
    api: Api<()>,
    name: String,
    read_as: PhantomData<fn() -> T>,
}

impl<K> Api<K> {
    /// Returns the API of a subresource, such as `status` or `eviction`.
    pub fn subresource<T: Readable>(&self, name: &str) -> Subresource<T> {
        Subresource {
            api: self.retarget(self.target.form.below::<T>()),
            name: name.to_owned(),
            read_as: PhantomData,
        }
    }
}

impl<T: Readable> Subresource<T> {
    fn request(&self, method: Method, name: &str) -> Result<Request, Error> {
        Ok(self.api.request_one(method, None)?.name(name).subresource(&self.name))
    }

    fn form(&self) -> Form {
        self.api.target.form
    }

    fn ask(&self, request: Request) -> Request {
        self.form().ask_one(request)
    }

    /// Puts a body into a request. Where it doesn't say its kind, the resource does.
    fn send(&self, request: Request, body: &T) -> Result<Request, Error> {
        let named = self.kind().filter(|_| body.type_meta() == ("", ""));
        let named = named.as_ref().map(|(api_version, kind)| (api_version.as_str(), kind.as_str()));
        self.form().send(&self.api.client, request, body, named)
    }

    /// Returns the version and kind of what is sent here, where they are known: what the table of built-in resources
    /// says, and for others the object's own.
    fn kind(&self) -> Option<(String, String)> {
        let target = &self.api.target;
        match built_in_kind(&target.gvr, &self.name) {
            Some(gvk) => Some(gvk.to_api_version_and_kind()),
            None if self.name == "status" => {
                Some((target.gvr.group_version().to_string(), target.kind.as_deref()?.to_owned()))
            }
            None => None,
        }
    }

    /// Gets the subresource.
    ///
    /// # Errors
    /// If there is no such object, and whenever there is no answer.
    pub async fn get(&self, name: &str) -> Result<T, Error> {
        self.get_with(name, &GetOptions::default()).await
    }

    /// Gets the subresource with its options.
    ///
    /// # Errors
    /// If there is no such object, and whenever there is no answer.
    pub async fn get_with(&self, name: &str, options: &dyn Struct) -> Result<T, Error> {
        let request = self.request(Method::GET, name)?.options(options);
        self.ask(request).send().await?.decode()
    }

    /// Streams the subresource as bytes, such as a log.
    ///
    /// # Errors
    /// If there is no such object, and whenever there is no answer.
    pub async fn stream(&self, name: &str, options: &dyn Struct) -> Result<ByteStream, Error> {
        self.request(Method::GET, name)?.options(options).accept("*/*").stream().await
    }

    /// Opens a WebSocket to the subresource, such as `exec` and `portforward`. The server chooses one of the
    /// protocols.
    ///
    /// # Errors
    /// If the server refuses, and whenever there is no answer.
    pub async fn open(
        &self,
        name: &str,
        options: &dyn Struct,
        protocols: &[&str],
    ) -> Result<WebSocket, Error> {
        self.request(Method::GET, name)?.options(options).upgrade(protocols).await
    }

    /// Creates the subresource. The response is the created object or a Status.
    ///
    /// # Errors
    /// If the server refuses, and whenever there is no answer.
    pub async fn create(&self, name: &str, body: &T, options: &CreateOptions) -> Result<Answer<T>, Error> {
        let request = self.request(Method::POST, name)?.options(options);
        let request = self.send(request, body)?;
        Answer::read(&self.ask(request).send().await?)
    }

    /// Updates the subresource.
    ///
    /// # Errors
    /// If it breaks a rule or was changed in the meantime, and whenever there is no answer.
    pub async fn update(&self, name: &str, body: &T, options: &UpdateOptions) -> Result<T, Error> {
        let request = self.request(Method::PUT, name)?.options(options);
        let request = self.send(request, body)?;
        self.ask(request).send().await?.decode()
    }

    /// Patches the subresource.
    ///
    /// # Errors
    /// If the patch doesn't fit or its result breaks a rule, and whenever there is no answer.
    pub async fn patch(&self, name: &str, patch: &Patch, options: &PatchOptions) -> Result<T, Error> {
        let request = self.request(Method::PATCH, name)?.options(options);
        self.ask(patch.put_into(request)?).send().await?.decode()
    }

    /// Applies the subresource (server-side apply).
    ///
    /// # Errors
    /// If another manager owns a field, unless forced; if it breaks a rule, and whenever there is no answer.
    pub async fn apply(&self, name: &str, body: &dyn Object, options: &ApplyOptions) -> Result<T, Error> {
        let request = self.request(Method::PATCH, name)?;
        self.ask(apply::put_into(request, body, self.kind().as_ref(), options)?).send().await?.decode()
    }
}

/// Returns the kind that a subresource of a built-in resource takes and gives.
pub(super) fn built_in_kind(gvr: &GroupVersionResource, below: &str) -> Option<GroupVersionKind> {
    let group = GROUPS.iter().find(|group| group.name == gvr.group)?;
    let version = group.versions.iter().find(|version| **version == gvr.version)?;
    let resource = group.resources.iter().find(|resource| resource.plural == gvr.resource)?;
    let served = Served::new(group.name, version, resource);
    Some(served.kind_of(served.subresource(below)?))
}

impl<T> Clone for Subresource<T> {
    fn clone(&self) -> Self {
        Subresource { api: self.api.clone(), name: self.name.clone(), read_as: PhantomData }
    }
}

impl<T> fmt::Debug for Subresource<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Subresource({:?}, {})", self.api, self.name)
    }
}
