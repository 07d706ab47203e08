//! The discovery client.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use http::header::CONTENT_TYPE;
use rhumb_codec::{CodecError, Strictness, json};
use rhumb_meta::apidiscovery::{v2, v2beta1};
use rhumb_meta::v1::{
    APIGroup, APIGroupList, APIResourceList, APIVersions, GroupVersionForDiscovery, StatusReason,
};
use rhumb_meta::{GroupVersion, Object};
use rhumb_schema::Value;
use tokio::task::JoinSet;

use super::aggregated::{Split, split_v2, split_v2beta1};
use super::resources::{FailedVersion, VersionFailure};
use super::{HttpCache, ServerResources, VersionInfo};
use crate::{Client, Error, Request, Response};

/// `Accept` header: aggregated discovery in both versions, else the unaggregated form.
const ACCEPT: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
const ACCEPT_OLD: &str = "application/json";

/// Request timeout, the same as kubectl's, because it is part of the URLs that responses are cached by.
const TIMEOUT: Duration = Duration::from_secs(32);

/// Discovery client. It always asks the server, which may answer that nothing has changed
/// ([`with_http_cache`](DiscoveryClient::with_http_cache)).
#[derive(Clone, Debug)]
pub struct DiscoveryClient {
    client: Client,
    http_cache: Option<Arc<HttpCache>>,
    old_form: bool,
}

/// Response of one of the two discovery roots.
enum Root {
    Aggregated(Split),
    Groups(Vec<APIGroup>),
}

impl DiscoveryClient {
    /// Creates a discovery client.
    pub fn new(client: &Client) -> Self {
        DiscoveryClient { client: client.clone(), http_cache: None, old_form: false }
    }

    /// Caches responses in a directory and revalidates them.
    pub fn with_http_cache(mut self, dir: impl Into<PathBuf>) -> Self {
        self.http_cache = Some(Arc::new(HttpCache::new(dir)));
        self
    }

    /// Uses unaggregated discovery only, which has groups and versions that servers omit from the aggregated form.
    pub fn with_old_form(mut self) -> Self {
        self.old_form = true;
        self
    }

    /// Returns the client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn request(&self, path: &str) -> Request {
        self.client.get().absolute(path).timeout(self.client.config().timeout.unwrap_or(TIMEOUT))
    }

    pub(super) async fn fetch(&self, request: Request, accept: &str) -> Result<Response, Error> {
        let answer = match &self.http_cache {
            Some(cache) => cache.fetch(request, accept, self.client.config().environment.now()).await,
            None => request.accept(accept).send().await,
        };
        answer.map_err(ask_for_login)
    }

    pub(super) async fn fetch_into<T: Value + Default>(
        &self,
        request: Request,
        accept: &str,
    ) -> Result<T, Error> {
        let response = self.fetch(request, accept).await?;
        let mut value = T::default();
        json::decode_into(&response.body, &mut value, Strictness::Ignore).map_err(CodecError::Decode)?;
        Ok(value)
    }

    /// Returns everything that the server serves. Failed versions are listed separately.
    ///
    /// # Errors
    /// The groups could not be had.
    pub async fn server_resources(&self) -> Result<ServerResources, Error> {
        let (core, named) = tokio::try_join!(self.core(), self.named())?;
        match (core, named) {
            (Root::Aggregated(core), Root::Aggregated(named)) => Ok(ServerResources {
                groups: Arc::new(group_list(core.groups.into_iter().chain(named.groups))),
                resources: core.resources.into_iter().chain(named.resources).collect(),
                failed: core.failed.into_iter().chain(named.failed).collect(),
            }),
            (core, named) => {
                let groups = group_list(core.into_groups().into_iter().chain(named.into_groups()));
                Ok(self.resources_of(groups).await)
            }
        }
    }

    /// Returns the groups with their versions, the core group first.
    ///
    /// # Errors
    /// They could not be had.
    pub async fn groups(&self) -> Result<APIGroupList, Error> {
        let (core, named) = tokio::try_join!(self.core(), self.named())?;
        Ok(group_list(core.into_groups().into_iter().chain(named.into_groups())))
    }

    /// Returns the resources and subresources of a version.
    ///
    /// # Errors
    /// They could not be had.
    pub async fn resources(&self, version: &GroupVersion) -> Result<APIResourceList, Error> {
        let path = match &*version.group {
            "" => format!("/api/{}", version.version),
            group => format!("/apis/{group}/{}", version.version),
        };
        let is_core = version.group.is_empty() && version.version == "v1";
        match self.fetch_into(self.request(&path), ACCEPT_OLD).await {
            // A server may do without the core group.
            Err(error) if is_core && error.is_not_found() => {
                Ok(APIResourceList { group_version: version.to_string(), ..APIResourceList::default() })
            }
            other => other,
        }
    }

    /// Returns the server's version.
    ///
    /// # Errors
    /// It could not be had.
    pub async fn version(&self) -> Result<VersionInfo, Error> {
        let response =
            self.client.get().absolute("/version").accept(ACCEPT_OLD).send().await.map_err(ask_for_login)?;
        let mut info = VersionInfo::default();
        match json::decode_into(&response.body, &mut info, Strictness::Ignore) {
            Ok(_) => Ok(info),
            Err(error) => Err(Error::Unexpected(format!("unable to parse the server version: {error}"))),
        }
    }

    /// Fetches `/api`. A server without the core group has none.
    async fn core(&self) -> Result<Root, Error> {
        match self.root("/api").await {
            Ok(Ok(split)) => Ok(Root::Aggregated(split)),
            Ok(Err(response)) => {
                let versions: APIVersions = decode(&response)?;
                let name = |version: &String| GroupVersionForDiscovery {
                    group_version: version.clone(),
                    version: version.clone(),
                };
                let group = versions.versions.first().map(|first| APIGroup {
                    versions: versions.versions.iter().map(name).collect(),
                    preferred_version: name(first),
                    ..APIGroup::default()
                });
                Ok(Root::Groups(group.into_iter().collect()))
            }
            Err(error) if error.is_not_found() => Ok(Root::Aggregated(Split::default())),
            Err(error) => Err(error),
        }
    }

    /// Fetches `/apis`.
    async fn named(&self) -> Result<Root, Error> {
        match self.root("/apis").await? {
            Ok(split) => Ok(Root::Aggregated(split)),
            Err(response) => Ok(Root::Groups(decode::<APIGroupList>(&response)?.groups)),
        }
    }

    /// Returns the aggregated form, or an answer in the old one.
    async fn root(&self, path: &str) -> Result<Result<Split, Response>, Error> {
        let accept = if self.old_form { ACCEPT_OLD } else { ACCEPT };
        let response = self.fetch(self.request(path), accept).await?;
        let content_type = response.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        Ok(match content_type.and_then(aggregated_version) {
            Some("v2") => Ok(split_v2(&decode::<v2::APIGroupDiscoveryList>(&response)?)),
            Some("v2beta1") => Ok(split_v2beta1(&decode::<v2beta1::APIGroupDiscoveryList>(&response)?)),
            _ => Err(response),
        })
    }

    /// Returns the resources of all versions, one request each, all at once.
    async fn resources_of(&self, groups: APIGroupList) -> ServerResources {
        let versions: Vec<GroupVersion> = groups
            .groups
            .iter()
            .flat_map(|group| {
                group
                    .versions
                    .iter()
                    .map(|version| GroupVersion::new(group.name.clone(), version.version.clone()))
            })
            .collect();
        let mut tasks = JoinSet::new();
        for (position, version) in versions.iter().cloned().enumerate() {
            let this = self.clone();
            tasks.spawn(async move { (position, this.resources(&version).await) });
        }
        let mut found: Vec<Option<Result<APIResourceList, Error>>> = versions.iter().map(|_| None).collect();
        while let Some(joined) = tasks.join_next().await {
            if let Ok((position, outcome)) = joined
                && let Some(place) = found.get_mut(position)
            {
                *place = Some(outcome);
            }
        }
        let mut all = ServerResources { groups: Arc::new(groups), ..ServerResources::default() };
        for (version, outcome) in versions.into_iter().zip(found) {
            let lost = || Error::Unexpected("the request was given up".to_owned());
            match outcome.unwrap_or_else(|| Err(lost())) {
                Ok(list) => all.resources.push(Arc::new(list)),
                Err(error) => {
                    let failure = VersionFailure::Request(Arc::new(error));
                    all.failed.push(FailedVersion { version, failure });
                }
            }
        }
        all
    }
}

impl Client {
    /// Creates a discovery client.
    pub fn discovery(&self) -> DiscoveryClient {
        DiscoveryClient::new(self)
    }
}

impl Root {
    fn into_groups(self) -> Vec<APIGroup> {
        match self {
            Root::Aggregated(split) => split.groups,
            Root::Groups(groups) => groups,
        }
    }
}

/// Replaces the error of an unauthenticated request by kubectl's message.
fn ask_for_login(error: Error) -> Error {
    match error {
        Error::Status(mut status) if status.known_reason() == StatusReason::Unauthorized => {
            "the server has asked for the client to provide credentials".clone_into(&mut status.message);
            Error::Status(status)
        }
        other => other,
    }
}

fn decode<T: Object + Default>(response: &Response) -> Result<T, Error> {
    response.decode()
}

fn group_list(groups: impl Iterator<Item = APIGroup>) -> APIGroupList {
    APIGroupList { groups: groups.collect(), ..APIGroupList::default() }
}

/// Returns the version of the aggregated form that a content type names, if it names it.
fn aggregated_version(content_type: &str) -> Option<&str> {
    let mut parts = content_type.split(';').map(str::trim);
    if !parts.next()?.eq_ignore_ascii_case("application/json") {
        return None;
    }
    let (mut group, mut version, mut kind) = (None, None, None);
    for (name, value) in parts.filter_map(|part| part.split_once('=')) {
        let value = value.trim_matches('"');
        match name {
            "g" => group = Some(value),
            "v" => version = Some(value),
            "as" => kind = Some(value),
            _ => {}
        }
    }
    version.filter(|_| group == Some("apidiscovery.k8s.io") && kind == Some("APIGroupDiscoveryList"))
}
