//! The verbs of a resource.

use std::time::Duration;

use http::Method;
use rhumb_meta::Object;
use rhumb_meta::v1::{
    ApplyOptions, CreateOptions, DeleteOptions, GetOptions, ListOptions, PatchOptions, Status, UpdateOptions,
};

use super::form::{self, Form};
use super::{Api, Patch, Readable, apply};
use crate::rest::{Request, Response, WatchStream};
use crate::{Error, List};

/// Response of operations that return the object or a Status: deletions and actions.
#[derive(Clone, Debug)]
pub enum Answer<K> {
    /// The object. If it was to be deleted, it is still there, on its way out, or this is its last state.
    Object(Box<K>),
    /// The operation is complete.
    Status(Box<Status>),
}

impl<K> Answer<K> {
    /// Returns the object, if the response is one.
    pub fn object(self) -> Option<K> {
        match self {
            Answer::Object(object) => Some(*object),
            Answer::Status(_) => None,
        }
    }

    /// Returns the Status, if the response is one.
    pub fn status(self) -> Option<Status> {
        match self {
            Answer::Status(status) => Some(*status),
            Answer::Object(_) => None,
        }
    }
}

impl<K: Readable> Answer<K> {
    pub(super) fn read(response: &Response) -> Result<Self, Error> {
        Ok(if is_status(response)? {
            Answer::Status(Box::new(response.decode()?))
        } else {
            Answer::Object(Box::new(response.decode()?))
        })
    }
}

/// Reports whether an answer is a Status, which some requests are answered with in place of an object.
fn is_status(response: &Response) -> Result<bool, Error> {
    let (api_version, kind) = response.type_meta()?;
    Ok(api_version == "v1" && kind == "Status")
}

/// Puts options into a request. As long as the server may take by them, the client waits.
fn waiting(request: Request, options: &ListOptions) -> Request {
    let seconds = options.timeout_seconds.and_then(|seconds| u64::try_from(seconds).ok());
    let request = request.options(options);
    match seconds {
        Some(seconds @ 1..) => request.timeout(Duration::from_secs(seconds)),
        _ => request,
    }
}

impl<K: Readable> Api<K> {
    /// Gets an object.
    ///
    /// # Errors
    /// If there is no such object, and whenever there is no answer.
    pub async fn get(&self, name: &str) -> Result<K, Error> {
        self.get_with(name, &GetOptions::default()).await
    }

    /// Gets an object with options.
    ///
    /// # Errors
    /// If there is no such object, and whenever there is no answer.
    pub async fn get_with(&self, name: &str, options: &GetOptions) -> Result<K, Error> {
        let request = self.request_one(Method::GET, None)?.name(name).options(options);
        self.form().ask_one(request).send().await?.decode()
    }

    /// Gets an object; none if it doesn't exist.
    ///
    /// # Errors
    /// Whenever there is no answer.
    pub async fn find(&self, name: &str) -> Result<Option<K>, Error> {
        match self.get(name).await {
            Ok(object) => Ok(Some(object)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Lists objects: all that match, or one page if there is a limit. See [`Api::pages`] and [`Api::list_all`] for
    /// all pages.
    ///
    /// # Errors
    /// Whenever there is no answer.
    pub async fn list(&self, options: &ListOptions) -> Result<List<K>, Error> {
        let request = waiting(self.request_many(Method::GET)?, options);
        self.form().ask_list(request).send_list().await
    }

    /// Watches objects. The stream ends when the server or the connection ends; it is not restarted.
    ///
    /// # Errors
    /// Whenever there is no stream to begin with.
    pub async fn watch(&self, options: &ListOptions) -> Result<WatchStream<K>, Error> {
        let options = ListOptions { watch: true, ..options.clone() };
        let request = waiting(self.request_many(Method::GET)?, &options);
        self.form().ask_one(request).watch().await
    }

    /// Creates an object and returns the server's version of it.
    ///
    /// # Errors
    /// If it breaks a rule or there is one of that name, and whenever there is no answer.
    pub async fn create(&self, object: &K, options: &CreateOptions) -> Result<K, Error> {
        let own = own_namespace(object);
        let request = self.request_one(Method::POST, own.as_deref())?.options(options);
        self.write(request, object).await
    }

    /// Updates an object. It fails on conflicts if the object has a resource version.
    ///
    /// # Errors
    /// If it breaks a rule or was changed in the meantime, and whenever there is no answer.
    pub async fn update(&self, object: &K, options: &UpdateOptions) -> Result<K, Error> {
        self.write(self.request_update(object)?.options(options), object).await
    }

    /// Updates an object's status only.
    ///
    /// # Errors
    /// If it breaks a rule or was changed in the meantime, and whenever there is no answer.
    pub async fn update_status(&self, object: &K, options: &UpdateOptions) -> Result<K, Error> {
        self.write(self.request_update(object)?.subresource("status").options(options), object).await
    }

    fn request_update(&self, object: &K) -> Result<Request, Error> {
        let name = object.metadata().map(|metadata| metadata.name.clone()).unwrap_or_default();
        Ok(self.request_one(Method::PUT, own_namespace(object).as_deref())?.name(&name))
    }

    async fn write(&self, request: Request, object: &K) -> Result<K, Error> {
        if self.form() == Form::Metadata {
            return Err(Error::Request(
                "an object can't be written by its metadata: patch it, or use another client".to_owned(),
            ));
        }
        let request = self.send_object(request, object)?;
        self.form().ask_one(request).send().await?.decode()
    }

    /// Puts an object into a request. A type knows its version only by where it is sent, so it gets the right
    /// one.
    fn send_object(&self, request: Request, object: &K) -> Result<Request, Error> {
        let api_version = self.target.gvr.group_version().to_string();
        let named = self.target.kind.as_deref().map(|kind| (api_version.as_str(), kind));
        // A tree says itself what it is; only the server knows whether that is right.
        let named = named.filter(|_| !form::is_tree::<K>() || object.type_meta() == ("", ""));
        self.form().send(&self.client, request, object, named)
    }

    /// Patches an object.
    ///
    /// # Errors
    /// If the patch doesn't fit or its result breaks a rule, and whenever there is no answer.
    pub async fn patch(&self, name: &str, patch: &Patch, options: &PatchOptions) -> Result<K, Error> {
        let request = self.request_one(Method::PATCH, None)?.name(name).options(options);
        let request = patch.put_into(request)?;
        self.form().ask_one(request).send().await?.decode()
    }

    /// Applies an object (server-side apply), creating it if needed.
    ///
    /// The object may be of the type or a tree ([`Unstructured`](rhumb_scheme::Unstructured)). Of a typed one
    /// the parts are sent that say something: a struct with nothing in it is taken for one that was not
    /// mentioned. The options must name the field manager.
    ///
    /// # Errors
    /// If another manager owns a field, unless forced; if it breaks a rule, and whenever there is no answer.
    pub async fn apply(&self, name: &str, object: &dyn Object, options: &ApplyOptions) -> Result<K, Error> {
        let request = self.request_one(Method::PATCH, own_namespace(object).as_deref())?.name(name);
        let request = apply::put_named_into(request, object, name, self.target_name().as_ref(), options)?;
        self.form().ask_one(request).send().await?.decode()
    }

    /// Applies an object's status (server-side apply).
    ///
    /// # Errors
    /// If another manager owns a field, unless forced; if it breaks a rule, and whenever there is no answer.
    pub async fn apply_status(
        &self,
        name: &str,
        object: &dyn Object,
        options: &ApplyOptions,
    ) -> Result<K, Error> {
        let request = self.request_one(Method::PATCH, own_namespace(object).as_deref())?.name(name);
        let request = request.subresource("status");
        let request = apply::put_named_into(request, object, name, self.target_name().as_ref(), options)?;
        self.form().ask_one(request).send().await?.decode()
    }

    /// Deletes an object. The response is its last state, its current one if finalizers still hold it, or a Status.
    ///
    /// # Errors
    /// If there is no such object or a condition doesn't hold, and whenever there is no answer.
    pub async fn delete(&self, name: &str, options: &DeleteOptions) -> Result<Answer<K>, Error> {
        let request = self.request_one(Method::DELETE, None)?.name(name);
        let request = self.send_delete_options(request, options)?;
        Answer::read(&self.form().ask_one(request).send().await?)
    }

    /// Deletes all objects that match. The response is a list of them, or a Status.
    ///
    /// # Errors
    /// Whenever there is no answer.
    pub async fn delete_collection(
        &self,
        options: &DeleteOptions,
        which: &ListOptions,
    ) -> Result<Answer<List<K>>, Error> {
        let request = waiting(self.request_many(Method::DELETE)?, which);
        let request = self.send_delete_options(request, options)?;
        let response = self.form().ask_list(request).send().await?;
        Ok(if is_status(&response)? {
            Answer::Status(Box::new(response.decode()?))
        } else {
            Answer::Object(Box::new(response.decode_list()?))
        })
    }

    fn send_delete_options(&self, request: Request, options: &DeleteOptions) -> Result<Request, Error> {
        // Every group version has these options as its own; where nothing is known of the group, `v1` does.
        let api_version = match self.form() {
            Form::Negotiated => self.target.gvr.group_version().to_string(),
            Form::Json | Form::Metadata => "v1".to_owned(),
        };
        self.form().send(&self.client, request, options, Some((&api_version, "DeleteOptions")))
    }

    pub(super) fn form(&self) -> Form {
        self.target.form
    }

    /// Returns the version and kind of the objects, where they are known.
    fn target_name(&self) -> Option<(String, String)> {
        let kind = self.target.kind.as_deref()?;
        Some((self.target.gvr.group_version().to_string(), kind.to_owned()))
    }
}

/// Returns the namespace that an object says it is in.
pub(super) fn own_namespace(object: &dyn Object) -> Option<String> {
    Some(object.metadata()?.namespace.clone()).filter(|namespace| !namespace.is_empty())
}
