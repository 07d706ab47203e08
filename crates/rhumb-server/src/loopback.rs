//! Loopback client: the control plane and the controllers reach the API through it, by the way that requests take,
//! with the same rules and the same field managers, but as objects and without bytes in between.

use std::sync::{Arc, Weak};

use bytes::Bytes;
use http::HeaderMap;
use rhumb_meta::v1::{DeleteOptions, PatchOptions};
use rhumb_meta::{GroupVersionKind, Object, Time};
use rhumb_store::{Entry, Key, Page, Range, Store};
use serde_json::Value as Json;
use tokio::sync::mpsc;

use crate::admission::Gates;
use crate::base::environment::Environment;
use crate::base::failure::{Failure, Outcome};
use crate::base::health::PostStartHooks;
use crate::base::identity::User;
use crate::base::tasks::Tasks;
use crate::endpoints::Handlers;
use crate::endpoints::context::RequestContext;
use crate::endpoints::handlers::create::{make, take_namespace};
use crate::endpoints::handlers::delete::{Deleted, delete_named};
use crate::endpoints::handlers::update::{self, Changed, Permit, Seen, change};
use crate::endpoints::handlers::{more_to_do, patch};
use crate::registry::allocation::Allocator;
use crate::registry::custom::ServedDefinitions;
use crate::registry::feed::{From, News};
use crate::registry::{Endpoint, Registry, Resources, managed_fields};

/// The server from inside: its registry, its tasks, and clients of its API.
#[derive(Clone)]
pub(crate) struct Loopback {
    handlers: Arc<Handlers>,
    hooks: Arc<PostStartHooks>,
}

/// The same for tasks that do not keep the server.
#[derive(Clone)]
pub(crate) struct WeakLoopback {
    handlers: Weak<Handlers>,
    hooks: Arc<PostStartHooks>,
}

impl WeakLoopback {
    /// The server, unless it has ended.
    pub(crate) fn upgrade(&self) -> Option<Loopback> {
        Some(Loopback { handlers: self.handlers.upgrade()?, hooks: Arc::clone(&self.hooks) })
    }
}

impl Loopback {
    /// The inside of a server, and the steps of its start.
    pub(crate) fn new(handlers: &Arc<Handlers>, hooks: &Arc<PostStartHooks>) -> Self {
        Loopback { handlers: Arc::clone(handlers), hooks: Arc::clone(hooks) }
    }

    /// The same for tasks that do not keep the server.
    pub(crate) fn downgrade(&self) -> WeakLoopback {
        WeakLoopback { handlers: Arc::downgrade(&self.handlers), hooks: Arc::clone(&self.hooks) }
    }

    /// Where it is noted which steps of the start are done.
    pub(crate) fn hooks(&self) -> &Arc<PostStartHooks> {
        &self.hooks
    }

    /// The registry.
    pub(crate) fn registry(&self) -> &Arc<Registry> {
        &self.handlers.registry
    }

    /// What is served at this moment.
    pub(crate) fn resources(&self) -> Arc<Resources> {
        self.handlers.resources()
    }

    /// Serves other custom resources from now on.
    pub(crate) fn serve(&self, definitions: ServedDefinitions) {
        self.handlers.registry.serve(definitions);
    }

    /// Follows a prefix of the store.
    pub(crate) fn follow(&self, prefix: Key, from: From) -> mpsc::Receiver<News> {
        self.handlers.registry.follow(prefix, from)
    }

    /// The tasks that end with the server.
    pub(crate) fn tasks(&self) -> &Tasks {
        &self.handlers.tasks
    }

    /// Time and randomness.
    pub(crate) fn environment(&self) -> &Environment {
        &self.handlers.environment
    }

    /// The store.
    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.handlers.store
    }

    /// What all keys in the store begin with.
    pub(crate) fn prefix(&self) -> &str {
        &self.handlers.registry.prefix
    }

    /// Addresses and ports of Services.
    pub(crate) fn allocator(&self) -> &Arc<Allocator> {
        &self.handlers.allocator
    }

    /// What keeps charges and counts of quotas apart.
    pub(crate) fn quota_gates(&self) -> &Gates {
        &self.handlers.admission.gates
    }
}

/// All objects of a resource, in their hub form. What can't be read is passed over.
pub(crate) async fn all(
    client: &Client,
    endpoint: &Endpoint,
    namespace: &str,
) -> Outcome<Vec<Box<dyn Object>>> {
    let entries = client.entries(endpoint, namespace).await?;
    Ok(entries.iter().filter_map(|entry| endpoint.model.load(&entry.value, entry.modified).ok()).collect())
}

/// A change of an object that is gone needs not be made.
pub(crate) fn unless_gone<T>(outcome: Outcome<T>) -> Outcome<()> {
    match outcome {
        Err(failure) if !failure.is_not_found() && !failure.is_conflict() => Err(failure),
        _ => Ok(()),
    }
}

/// An object that is there already needs not be made.
pub(crate) fn unless_there(outcome: Outcome<Box<dyn Object>>) -> Result<(), Failure> {
    match outcome {
        Err(failure) if !failure.is_already_exists() => Err(failure),
        _ => Ok(()),
    }
}

/// Where an object is.
#[derive(Clone)]
pub(crate) struct ObjectRef {
    /// Its resource in some version.
    pub(crate) endpoint: Arc<Endpoint>,
    /// Its namespace; empty if it lives in none.
    pub(crate) namespace: String,
    /// Its name.
    pub(crate) name: String,
}

impl ObjectRef {
    /// An object of a resource.
    pub(crate) fn new(endpoint: &Arc<Endpoint>, namespace: &str, name: &str) -> Self {
        let namespace = if endpoint.namespaced { namespace.to_owned() } else { String::new() };
        ObjectRef { endpoint: Arc::clone(endpoint), namespace, name: name.to_owned() }
    }

    /// Where an object of a kind is; `None` if the kind is not served. Any version of the kind will do.
    pub(crate) fn of_kind(
        api: &Loopback,
        kind: &GroupVersionKind,
        namespace: &str,
        name: &str,
    ) -> Option<Self> {
        let resources = api.resources();
        let endpoint = resources.by_kind(kind).or_else(|| resources.by_group_kind(&kind.group_kind()))?;
        endpoint.storage.is_some().then(|| ObjectRef::new(endpoint, namespace, name))
    }
}

/// What is looked at of an object, to find whose fields are whose.
pub(crate) type Told = dyn Fn(&dyn Object) -> Option<Box<dyn Object>> + Sync;

/// A part of the server that asks the rest of it.
#[derive(Clone)]
pub(crate) struct Client {
    api: Loopback,
    user: User,
    manager: &'static str,
    headers: HeaderMap,
}

impl Client {
    /// The client of a controller, which asks as the service account that Kubernetes has for it.
    pub(crate) fn controller(api: &Loopback, account: &str) -> Self {
        let user = User {
            name: format!("system:serviceaccount:kube-system:{account}"),
            groups: ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"]
                .map(str::to_owned)
                .to_vec(),
            ..User::default()
        };
        Client { api: api.clone(), user, manager: "kube-controller-manager", headers: HeaderMap::new() }
    }

    /// The client of the server itself.
    pub(crate) fn server(api: &Loopback) -> Self {
        let user = User::apiserver();
        Client { api: api.clone(), user, manager: "kube-apiserver", headers: HeaderMap::new() }
    }

    /// The same client under another name as the owner of fields.
    pub(crate) fn managing_as(mut self, manager: &'static str) -> Self {
        self.manager = manager;
        self
    }

    /// The server.
    pub(crate) fn api(&self) -> &Loopback {
        &self.api
    }

    /// What is served at this moment.
    pub(crate) fn resources(&self) -> Arc<Resources> {
        self.api.resources()
    }

    fn call(&self, place: &ObjectRef) -> RequestContext<'_> {
        let handlers = &self.api.handlers;
        RequestContext::internal(
            handlers,
            &place.endpoint,
            &place.namespace,
            &place.name,
            &self.user,
            &self.headers,
        )
    }

    /// An object in its hub form as the store has it now.
    pub(crate) async fn get(&self, place: &ObjectRef) -> Outcome<Option<Box<dyn Object>>> {
        let storage = place.endpoint.storage.as_ref().ok_or_else(|| Failure::internal("no storage"))?;
        let key = storage.key(&place.namespace, &place.name)?;
        Ok(storage.current(&key).await?.map(|current| current.hub))
    }

    /// What the store has of a resource in a namespace, or in all of them. Caches stay as they are.
    pub(crate) async fn entries(&self, endpoint: &Endpoint, namespace: &str) -> Outcome<Vec<Entry>> {
        let Some(storage) = &endpoint.storage else { return Ok(Vec::new()) };
        let page = self.api.store().range(Range::all(storage.namespace_prefix(namespace))).await?;
        Ok(page.entries)
    }

    /// A part of what the store has of a resource in all namespaces, from a key on; `None` if it keeps nothing.
    pub(crate) async fn page(&self, endpoint: &Endpoint, start: Key, limit: usize) -> Outcome<Option<Page>> {
        let Some(storage) = &endpoint.storage else { return Ok(None) };
        let range = Range { start, limit, ..Range::all(storage.prefix().clone()) };
        Ok(Some(self.api.store().range(range).await?))
    }

    /// Makes an object, given in the version of the endpoint.
    pub(crate) async fn create(
        &self,
        endpoint: &Arc<Endpoint>,
        namespace: &str,
        mut object: Box<dyn Object>,
    ) -> Outcome<Box<dyn Object>> {
        let mut call = self.call(&ObjectRef::new(endpoint, namespace, ""));
        object.set_gvk(&endpoint.kind);
        take_namespace(&mut call, &mut *object)?;
        let hub = endpoint.model.to_hub(object)?;
        let hub = managed_fields::created(call.fields(), hub, self.manager)?;
        more_to_do(make(&mut call, hub, false).await)
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
        let mut call = self.call(&ObjectRef::new(endpoint, namespace, ""));
        object.set_gvk(&endpoint.kind);
        take_namespace(&mut call, &mut *object)?;
        let storage = call.storage()?;
        let mut hub = managed_fields::created(call.fields(), endpoint.model.to_hub(object)?, self.manager)?;
        let environment = self.api.environment();
        let (now, uid) = (environment.time(), environment.uid());
        hub.edit_metadata(&mut |meta| {
            meta.uid.clone_from(&uid);
            meta.creation_timestamp = now;
        });
        let (place, user) = (endpoint.place(), self.api.handlers.strategy_user(&self.user));
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
        place: &ObjectRef,
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
        place: &ObjectRef,
        subresource: Option<&str>,
        uid: Option<&str>,
        remade: &mut (dyn FnMut(Box<dyn Object>) -> Outcome<Box<dyn Object>> + Send),
    ) -> Outcome<Box<dyn Object>> {
        let mut call = self.call(place);
        more_to_do(update::remake(&mut call, subresource, uid, self.manager, remade).await)
    }

    /// Changes the status of an object if an edit says that it has. Whose fields are whose is found from what `told`
    /// leaves of the object.
    pub(crate) async fn change_status(
        &self,
        place: &ObjectRef,
        edit: &mut (dyn FnMut(&mut dyn Object) -> bool + Send),
        told: &Told,
    ) -> Outcome<Box<dyn Object>> {
        let mut call = self.call(place);
        let permit = Permit {
            subresource: Some("status"),
            dry_run: false,
            preconditions: None,
            creates: false,
            seen: Seen::Object,
        };
        let done = change(&mut call, &permit, &mut |call, current| {
            let Some(current) = current else {
                return Err(Failure::not_found(&call.endpoint.resource, &call.path.name));
            };
            let mut hub = current.hub.clone_object();
            if edit(&mut *hub)
                && let (Some(old), Some(new)) = (told(&*current.hub), told(&*hub))
            {
                let followed =
                    managed_fields::updated(call.fields(), new, &*old, self.manager, Some("status"), false)?;
                let mut entries = followed.metadata().map(|meta| meta.managed_fields.clone());
                hub.edit_metadata(&mut |meta| meta.managed_fields = entries.take().unwrap_or_default());
            }
            Ok(Changed { hub, based_on_current: true })
        })
        .await;
        more_to_do(done).map(|done| done.hub)
    }

    /// Applies a configuration to an object that is there, whoever owns its fields.
    pub(crate) async fn apply(&self, place: &ObjectRef, config: &Json) -> Outcome<Box<dyn Object>> {
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
            patch::apply(call, current, config, &options, None)
        })
        .await;
        more_to_do(done).map(|done| done.hub)
    }

    /// Deletes an object.
    pub(crate) async fn delete(&self, place: &ObjectRef, mut options: DeleteOptions) -> Outcome<Deleted> {
        let mut call = self.call(place);
        more_to_do(delete_named(&mut call, &place.name, &mut options).await)
    }
}
