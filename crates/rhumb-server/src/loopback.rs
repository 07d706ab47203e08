//! The server as its own client: what the server does by itself takes the way that requests take, with the
//! same rules and the same owners of fields, but as objects and without bytes in between.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use rhumb_meta::v1::{DeleteOptions, PatchOptions, Preconditions};
use rhumb_meta::{GroupVersionKind, Object, Time};
use rhumb_store::{Entry, Key, Range};
use serde_json::Value as Json;

use crate::base::failure::{Failure, Outcome};
use crate::base::identity::User;
use crate::endpoints::context::Call;
use crate::endpoints::handlers::create::make;
use crate::endpoints::handlers::delete::{Deleted, delete_named};
use crate::endpoints::handlers::update::{Changed, Permit, Seen, change};
use crate::endpoints::request_info::ResourcePath;
use crate::endpoints::{Api, handlers};
use crate::registry::{Endpoint, managed_fields};

/// Where an object is.
#[derive(Clone)]
pub(crate) struct Place {
    /// Its resource in some version.
    pub(crate) endpoint: Arc<Endpoint>,
    /// Its namespace; empty if it lives in none.
    pub(crate) namespace: String,
    /// Its name.
    pub(crate) name: String,
}

impl Place {
    /// An object of a resource.
    pub(crate) fn new(endpoint: &Arc<Endpoint>, namespace: &str, name: &str) -> Self {
        let namespace = if endpoint.namespaced { namespace.to_owned() } else { String::new() };
        Place { endpoint: Arc::clone(endpoint), namespace, name: name.to_owned() }
    }

    /// Where an object of a kind is; `None` if the kind is not served. Any version of the kind will do.
    pub(crate) fn of_kind(api: &Api, kind: &GroupVersionKind, namespace: &str, name: &str) -> Option<Self> {
        let resources = api.resources();
        let endpoint = resources.by_kind(kind).or_else(|| resources.by_group_kind(&kind.group_kind()))?;
        endpoint.storage.is_some().then(|| Place::new(endpoint, namespace, name))
    }
}

/// A part of the server that asks the rest of it.
#[derive(Clone)]
pub(crate) struct Inner {
    api: Arc<Api>,
    user: User,
    manager: &'static str,
    headers: HeaderMap,
}

impl Inner {
    /// The client of a controller, which asks as the service account that Kubernetes has for it.
    pub(crate) fn controller(api: &Arc<Api>, account: &str) -> Self {
        let user = User {
            name: format!("system:serviceaccount:kube-system:{account}"),
            groups: ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"]
                .map(str::to_owned)
                .to_vec(),
            ..User::default()
        };
        Inner { api: Arc::clone(api), user, manager: "kube-controller-manager", headers: HeaderMap::new() }
    }

    /// The client of the server itself.
    pub(crate) fn server(api: &Arc<Api>) -> Self {
        let user = crate::controlplane::bootstrap::server();
        Inner { api: Arc::clone(api), user, manager: "kube-apiserver", headers: HeaderMap::new() }
    }

    /// The same client under another name as the owner of fields.
    pub(crate) fn managing_as(mut self, manager: &'static str) -> Self {
        self.manager = manager;
        self
    }

    /// The server.
    pub(crate) fn api(&self) -> &Arc<Api> {
        &self.api
    }

    fn call(&self, place: &Place) -> Call<'_> {
        let kind = &place.endpoint.kind;
        Call {
            api: &self.api,
            endpoint: Arc::clone(&place.endpoint),
            path: ResourcePath {
                group: kind.group.to_string(),
                version: kind.version.to_string(),
                namespace: place.namespace.clone(),
                resource: place.endpoint.resource.resource.to_string(),
                name: place.name.clone(),
                ..ResourcePath::default()
            },
            user: &self.user,
            headers: &self.headers,
            query: "",
            warnings: Vec::new(),
            annotations: Default::default(),
            held: Default::default(),
            offload: Default::default(),
        }
    }

    /// An object in its hub form as the store has it now.
    pub(crate) async fn get(&self, place: &Place) -> Outcome<Option<Box<dyn Object>>> {
        let storage = place.endpoint.storage.as_ref().ok_or_else(|| Failure::internal("no storage"))?;
        let key = storage.key(&place.namespace, &place.name)?;
        Ok(storage.current(&key).await?.map(|current| current.hub))
    }

    /// What the store has of a resource in a namespace, or in all of them. Caches stay as they are.
    pub(crate) async fn entries(&self, endpoint: &Endpoint, namespace: &str) -> Outcome<Vec<Entry>> {
        let Some(storage) = &endpoint.storage else { return Ok(Vec::new()) };
        let page = self.api.store.range(Range::all(storage.namespace_prefix(namespace))).await?;
        Ok(page.entries)
    }

    /// Makes an object, given in the version of the endpoint.
    pub(crate) async fn create(
        &self,
        endpoint: &Arc<Endpoint>,
        namespace: &str,
        mut object: Box<dyn Object>,
    ) -> Outcome<Box<dyn Object>> {
        let mut call = self.call(&Place::new(endpoint, namespace, ""));
        object.set_gvk(&endpoint.kind);
        handlers::create::take_namespace(&mut call, &mut *object)?;
        let hub = endpoint.model.to_hub(object)?;
        let hub = managed_fields::created(&call, hub, self.manager)?;
        make(&mut call, hub, false).await
    }

    /// What making an object would write, and where. Whether there is one of its name is not looked at.
    /// `finish` is what somebody else would do to the object a moment after it was made.
    pub(crate) fn prepared(
        &self,
        endpoint: &Arc<Endpoint>,
        namespace: &str,
        mut object: Box<dyn Object>,
        finish: &dyn Fn(&mut dyn Object, Time),
    ) -> Outcome<(Key, Bytes)> {
        let mut call = self.call(&Place::new(endpoint, namespace, ""));
        object.set_gvk(&endpoint.kind);
        handlers::create::take_namespace(&mut call, &mut *object)?;
        let storage = call.storage()?;
        let mut hub = managed_fields::created(&call, endpoint.model.to_hub(object)?, self.manager)?;
        let environment = &self.api.environment;
        let (now, uid) = (environment.time(), environment.uid());
        hub.edit_metadata(&mut |meta| {
            meta.uid.clone_from(&uid);
            meta.creation_timestamp = now;
        });
        let (place, user) = (endpoint.place(), self.api.strategy_user(&self.user));
        let context = rhumb_strategy::Context { now, request_version: &place, user: &user };
        endpoint.model.begin_create(&mut *hub);
        endpoint.model.prepare_create(&mut *hub, &context);
        finish(&mut *hub, now);
        let meta = hub.metadata().map(std::borrow::Cow::into_owned).unwrap_or_default();
        let errors = endpoint.model.validate_create(&*hub, &place);
        if !errors.is_empty() {
            return Err(Failure::invalid(&endpoint.kind, &meta.name, &errors));
        }
        endpoint.model.canonicalize(&mut *hub);
        Ok((storage.key(&meta.namespace, &meta.name)?, endpoint.model.store(hub)?))
    }

    /// Changes an object in its hub form, again and again until nobody else came between.
    pub(crate) async fn change(
        &self,
        place: &Place,
        subresource: Option<&str>,
        uid: &str,
        edit: &mut (dyn FnMut(&mut dyn Object) + Send),
    ) -> Outcome<Box<dyn Object>> {
        let mut remade = |mut hub: Box<dyn Object>| {
            edit(&mut *hub);
            Ok(hub)
        };
        self.remake(place, subresource, Some(uid), &mut remade).await
    }

    /// Makes another object of one in its hub form, again and again until nobody else came between.
    pub(crate) async fn remake(
        &self,
        place: &Place,
        subresource: Option<&str>,
        uid: Option<&str>,
        remade: &mut (dyn FnMut(Box<dyn Object>) -> Outcome<Box<dyn Object>> + Send),
    ) -> Outcome<Box<dyn Object>> {
        let mut call = self.call(place);
        let preconditions = Preconditions { uid: uid.map(str::to_owned), resource_version: None };
        let permit = Permit {
            subresource,
            dry_run: false,
            preconditions: Some(&preconditions),
            creates: false,
            seen: Seen::Object,
        };
        let done = change(&mut call, &permit, &mut |call, current| {
            let current =
                current.ok_or_else(|| Failure::not_found(&call.endpoint.resource, &call.path.name))?;
            let hub = remade(current.hub.clone_object())?;
            let hub = managed_fields::updated(call, hub, &*current.hub, self.manager, subresource, false)?;
            Ok(Changed { hub, based_on_current: true })
        })
        .await?;
        Ok(done.hub)
    }

    /// Applies a configuration to an object that is there, whoever owns its fields.
    pub(crate) async fn apply(&self, place: &Place, config: &Json) -> Outcome<Box<dyn Object>> {
        let mut call = self.call(place);
        let options = PatchOptions {
            field_manager: self.manager.to_owned(),
            force: Some(true),
            ..PatchOptions::default()
        };
        let permit = Permit {
            subresource: None,
            dry_run: false,
            preconditions: None,
            creates: false,
            seen: Seen::Object,
        };
        let done = change(&mut call, &permit, &mut |call, current| {
            handlers::patch::apply(call, current, config, &options, None)
        })
        .await?;
        Ok(done.hub)
    }

    /// Deletes an object.
    pub(crate) async fn delete(&self, place: &Place, mut options: DeleteOptions) -> Outcome<Deleted> {
        let mut call = self.call(place);
        delete_named(&mut call, &place.name, &mut options).await
    }
}
