//! Version 3 documents by key, and operations of paths that are not resources.

use rhumb_api::resources::ResourceTable;
use rhumb_meta::{GroupVersion, v1};

use crate::amend::{VERSION_INFO, content_of};
use crate::operation::{Content, Method, Operation, Route};
use crate::parameters::Parameter;
use crate::routes::{Names, Routes, formats};
use crate::{Documents, Settings, root};

/// A version 3 document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// OpenID configuration of the service account issuer.
    OpenIdConfiguration,
    /// The keys that those tokens are signed with.
    OpenIdKeys,
    /// `/api`.
    Core,
    /// `/apis`.
    Groups,
    /// `/apis/GROUP`.
    Group(String),
    /// The resources of a version.
    Version(GroupVersion),
    /// The log files of the server.
    Logs,
    /// The version of the server.
    Server,
}

impl Place {
    /// Returns the documents of a server in the order of their keys.
    pub(crate) fn all(table: &ResourceTable, settings: &Settings) -> Vec<Place> {
        let versions = table.group_versions();
        let mut places =
            vec![Place::OpenIdConfiguration, Place::OpenIdKeys, Place::Core, Place::Groups, Place::Server];
        if settings.logs {
            places.push(Place::Logs);
        }
        let mut groups: Vec<&str> =
            versions.iter().map(|gv| &*gv.group).filter(|group| !group.is_empty()).collect();
        groups.sort_unstable();
        groups.dedup();
        places.extend(groups.into_iter().map(|group| Place::Group(group.to_owned())));
        places.extend(versions.into_iter().map(Place::Version));
        places.sort_by_cached_key(Place::key);
        places
    }

    /// Returns the key: the path without slashes at its ends.
    pub(crate) fn key(&self) -> String {
        self.path().trim_matches('/').to_owned()
    }

    fn path(&self) -> String {
        match self {
            Place::OpenIdConfiguration => "/.well-known/openid-configuration/".to_owned(),
            Place::OpenIdKeys => "/openid/v1/jwks/".to_owned(),
            Place::Core => "/api/".to_owned(),
            Place::Groups => "/apis/".to_owned(),
            Place::Group(group) => format!("/apis/{group}/"),
            Place::Version(gv) => root(gv) + "/",
            Place::Logs => "/logs/".to_owned(),
            Place::Server => "/version/".to_owned(),
        }
    }

    /// Returns the version whose models the document holds; places without one have only what all versions share.
    pub(crate) fn version(&self) -> GroupVersion {
        match self {
            Place::Version(gv) => gv.clone(),
            _ => GroupVersion::new_static("", "v1"),
        }
    }

    /// Returns the operations that are found here.
    pub(crate) fn routes(&self, documents: &Documents<'_>) -> Vec<Route> {
        let route = |path: String, operation| Route { path, method: Method::Get, operation };
        let own = self.own_operation(documents.settings);
        match self {
            Place::Logs => {
                let file = Operation {
                    id: "logFileHandler".to_owned(),
                    description: "Read a log file.".to_owned(),
                    tag: own.tag.clone(),
                    parameters: vec![Parameter::LOG_PATH],
                    ..Operation::default()
                };
                vec![route(self.path(), own), route("/logs/{logpath}".to_owned(), file)]
            }
            Place::Version(gv) => {
                let mut routes = Routes::new(documents.scheme, documents.settings, gv);
                documents.table.in_version(gv).for_each(|served| routes.resource(served));
                let mut routes = routes.finish();
                routes.push(route(self.path(), own));
                routes
            }
            _ => vec![route(self.path(), own)],
        }
    }

    fn own_operation(&self, settings: &Settings) -> Operation {
        // Discovery of groups is older than CBOR, and never spoke it.
        let discovery =
            || vec!["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
        let json = || vec!["application/json"];
        let (id, tag, description, consumes, produces, answer) = match self {
            Place::OpenIdConfiguration => (
                "getServiceAccountIssuerOpenIDConfiguration".to_owned(),
                "WellKnown".to_owned(),
                "Read the OpenID configuration of the issuer of service account tokens.",
                Vec::new(),
                json(),
                Some(Content::Text),
            ),
            Place::OpenIdKeys => (
                "getServiceAccountIssuerOpenIDKeyset".to_owned(),
                "openid".to_owned(),
                "Read the keys that service account tokens can be checked with.",
                Vec::new(),
                vec!["application/jwk-set+json"],
                Some(Content::Text),
            ),
            Place::Core => (
                "getCoreAPIVersions".to_owned(),
                "core".to_owned(),
                "Read the versions of the core group.",
                discovery(),
                discovery(),
                Some(content_of::<v1::APIVersions>()),
            ),
            Place::Groups => (
                "getAPIVersions".to_owned(),
                "apis".to_owned(),
                "Read the groups.",
                discovery(),
                discovery(),
                Some(content_of::<v1::APIGroupList>()),
            ),
            Place::Group(group) => {
                let names = Names::of(&GroupVersion::new(group.clone(), String::new()));
                (
                    format!("get{}APIGroup", names.group),
                    names.group_tag,
                    "Read the versions of the group.",
                    discovery(),
                    discovery(),
                    Some(content_of::<v1::APIGroup>()),
                )
            }
            Place::Version(gv) => {
                let names = Names::of(gv);
                (
                    format!("get{}APIResources", names.infix),
                    names.tag,
                    "Read the resources of the version.",
                    formats(settings),
                    formats(settings),
                    Some(content_of::<v1::APIResourceList>()),
                )
            }
            Place::Logs => (
                "logFileListHandler".to_owned(),
                "logs".to_owned(),
                "List the log files.",
                Vec::new(),
                Vec::new(),
                None,
            ),
            Place::Server => (
                "getCodeVersion".to_owned(),
                "version".to_owned(),
                "Read the version of the server.",
                json(),
                json(),
                Some(Content::Fixed(VERSION_INFO)),
            ),
        };
        Operation {
            id,
            tag,
            description: description.to_owned(),
            consumes,
            produces,
            answers: answer.map(|content| (200, content)).into_iter().collect(),
            ..Operation::default()
        }
    }
}
