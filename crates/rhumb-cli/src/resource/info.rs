//! `Info`: an object on its way through a command.

use std::fmt;

use http::Method;
use rhumb_client::{Api, Client, Request};
use rhumb_meta::Scope;
use rhumb_scheme::Unstructured;
use rhumb_scheme::mapper::RestMapping;
use serde_json::Value;

use crate::Failure;

/// Source of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The file, URL or `STDIN`; empty for the server.
    pub source: String,
    /// Which of several documents in it, counted from one; `None` for the only one.
    pub document: Option<usize>,
    /// The line that the document begins on, counted from one.
    pub line: usize,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.source),
            line => write!(f, "{}:{line}", self.source),
        }
    }
}

/// An object, or the name of one.
#[derive(Clone)]
pub struct Info {
    /// Mapping of its kind; guessed from the kind without a server (`--local`).
    pub mapping: RestMapping,
    /// Namespace; empty for cluster-scoped objects.
    pub namespace: String,
    /// Name; empty for a list.
    pub name: String,
    /// Source.
    pub origin: Origin,
    /// The object, or a list of them, or a table; `None` if it was only named.
    pub object: Option<Unstructured>,
    /// The revision it was read at.
    pub resource_version: String,
    /// The subresource that is meant instead of the object.
    pub subresource: String,
    /// Client of the object's server; `None` without a server.
    pub client: Option<Client>,
    /// `Accept` header if the object itself is not wanted: `application/json;as=Table;…`.
    pub accept: Option<String>,
    /// Further query parameters: `includeObject=Object`.
    pub params: Vec<(&'static str, String)>,
}

impl Info {
    /// Reports whether objects of its kind have a namespace.
    pub fn is_namespaced(&self) -> bool {
        self.mapping.scope == Scope::Namespaced
    }

    /// Formats resource, group and name for messages such as `deployments.apps "web"`.
    pub fn object_name(&self) -> String {
        // Without a server nobody knows what the resource is called; the kind stands for it.
        match self.client {
            Some(_) => format!("{}/{}", self.mapping.resource.resource, self.name),
            None => format!("{}/{}", self.mapping.kind.kind.to_lowercase(), self.name),
        }
    }

    /// Returns the client.
    ///
    /// # Errors
    /// There is no server.
    pub fn client(&self) -> Result<&Client, Failure> {
        self.client.as_ref().ok_or_else(|| Failure::message("local operation only"))
    }

    /// Returns the client of its resource, in its namespace.
    ///
    /// # Errors
    /// There is no server.
    pub fn api(&self) -> Result<Api<Unstructured>, Failure> {
        let api = self.client()?.dynamic(&self.mapping.resource);
        Ok(match self.is_namespaced() {
            true if !self.namespace.is_empty() => api.namespace(&self.namespace),
            _ => api,
        })
    }

    /// Returns a request about its resource, in its namespace.
    ///
    /// # Errors
    /// There is no server.
    pub fn request(&self, method: Method) -> Result<Request, Failure> {
        let request = self.client()?.request(method).version(&self.mapping.resource.group_version());
        let request = match self.is_namespaced() && !self.namespace.is_empty() {
            true => request.namespace(&self.namespace),
            false => request,
        };
        let mut request = request.resource(&self.mapping.resource.resource);
        for (key, value) in &self.params {
            request = request.param(key, value);
        }
        Ok(match &self.accept {
            Some(accept) => request.accept(accept),
            None => request.accept("application/json"),
        })
    }

    /// Fetches the object. If it is not there because its namespace isn't, that is said instead.
    ///
    /// # Errors
    /// The server can't be asked, or refuses.
    pub async fn get(&mut self) -> Result<(), Failure> {
        let mut request = self.request(Method::GET)?.name(&self.name);
        if !self.subresource.is_empty() {
            request = request.subresource(&self.subresource);
        }
        match request.send().await {
            Ok(response) => {
                self.refresh_object(response.decode::<Unstructured>()?);
                Ok(())
            }
            Err(error) => {
                let elsewhere = !matches!(self.namespace.as_str(), "" | "default");
                if error.is_not_found() && elsewhere {
                    let namespace =
                        self.client()?.get().absolute("/api/v1/namespaces").suffix(&self.namespace);
                    if let Err(missing) = namespace.send().await
                        && missing.is_not_found()
                    {
                        return Err(missing.into());
                    }
                }
                Err(error.into())
            }
        }
    }

    /// Takes an object for this one: its name, namespace and revision with it.
    pub fn refresh(&mut self, object: Unstructured) {
        let text = |field: &str| {
            object.get(&["metadata", field]).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        self.name = text("name");
        self.namespace = text("namespace");
        self.resource_version = text("resourceVersion");
        self.object = Some(object);
    }

    fn refresh_object(&mut self, object: Unstructured) {
        let version =
            object.get(&["metadata", "resourceVersion"]).and_then(Value::as_str).unwrap_or_default();
        version.clone_into(&mut self.resource_version);
        self.object = Some(object);
    }

    /// Returns the object.
    ///
    /// # Errors
    /// It was not fetched.
    pub fn object(&self) -> Result<&Unstructured, Failure> {
        self.object
            .as_ref()
            .ok_or_else(|| Failure::message(format!("{} was not fetched", self.object_name())))
    }

    /// Returns the object, to change it.
    ///
    /// # Errors
    /// It was not fetched.
    pub fn object_mut(&mut self) -> Result<&mut Unstructured, Failure> {
        match &mut self.object {
            Some(object) => Ok(object),
            None => Err(Failure::message("the object was not fetched")),
        }
    }

    /// Sets the namespace, in the object as well.
    pub fn set_namespace(&mut self, namespace: &str) {
        namespace.clone_into(&mut self.namespace);
        if let Some(object) = &mut self.object
            && !is_list(object)
        {
            if namespace.is_empty() {
                if let Some(metadata) = object.fields_mut().get_mut("metadata").and_then(Value::as_object_mut)
                {
                    metadata.remove("namespace");
                }
            } else {
                object.set(&["metadata", "namespace"], Value::from(namespace));
            }
        }
    }
}

impl fmt::Debug for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Info")
            .field("kind", &self.mapping.kind)
            .field("namespace", &self.namespace)
            .field("name", &self.name)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

/// Reports whether an object is a list of others: it has `items`.
pub(crate) fn is_list(object: &Unstructured) -> bool {
    object.get(&["items"]).is_some_and(Value::is_array)
}
