//! Discovery documents, written from the short form and read from files.

#[path = "../../../../../testdata/kubernetes/read.rs"]
mod kubernetes;

use rhumb_meta::apidiscovery::{v2, v2beta1};
use rhumb_meta::v1::{
    APIGroup, APIGroupList, APIResource, APIResourceList, APIVersions, GroupVersionForDiscovery,
    GroupVersionKind,
};
use rhumb_meta::{GroupVersion, ObjectMeta};
use rhumb_schema::{Described, from_tree};

use super::*;

/// A server in the short form.
#[derive(Default)]
pub(super) struct Server {
    legacy: APIVersions,
    groups: APIGroupList,
    resources: Vec<APIResourceList>,
}

impl Server {
    pub(super) fn parse(text: &str) -> Self {
        let (mut server, mut group) = (Self::default(), String::new());
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["group", "-"] => group.clear(),
                ["group", name] => {
                    group = name.to_owned();
                    server.groups.groups.push(APIGroup { name: group.clone(), ..Default::default() });
                }
                ["version", version, ref star @ ..] => server.add_version(&group, version, !star.is_empty()),
                [plural, singular, kind, scope, short_names, categories] => {
                    let list = server.resources.last_mut().expect("a version comes before its resources");
                    list.resources.push(APIResource {
                        name: plural.to_owned(),
                        singular_name: singular.replace('-', ""),
                        kind: kind.to_owned(),
                        namespaced: scope == "N",
                        short_names: words_of(short_names),
                        categories: words_of(categories),
                        ..Default::default()
                    });
                }
                _ => panic!("not part of a server: {line:?}"),
            }
        }
        server
    }

    fn add_version(&mut self, group: &str, version: &str, preferred: bool) {
        let group_version = GroupVersion::new(group.to_owned(), version.to_owned()).to_string();
        self.resources.push(APIResourceList { group_version: group_version.clone(), ..Default::default() });
        if group.is_empty() {
            self.legacy.versions.push(version.to_owned());
            return;
        }
        let group = self.groups.groups.last_mut().expect("a group comes before its versions");
        let version = GroupVersionForDiscovery { group_version, version: version.to_owned() };
        if preferred {
            group.preferred_version = version.clone();
        }
        group.versions.push(version);
    }

    pub(super) fn classic(&self) -> Discovery {
        Discovery::from_documents(&self.legacy, &self.groups, &self.resources)
    }

    fn resources_of(&self, group_version: &str) -> impl Iterator<Item = &APIResource> {
        let lists = self.resources.iter().filter(move |list| list.group_version == group_version);
        lists.flat_map(|list| &list.resources)
    }
}

fn words_of(text: &str) -> Vec<String> {
    if text == "-" { Vec::new() } else { text.split(',').map(str::to_owned).collect() }
}

macro_rules! aggregated {
    ($function:ident, $module:ident, $from:ident) => {
        impl Server {
            pub(super) fn $function(&self) -> Discovery {
                let document = |groups: &[(&str, Vec<(&str, &str)>)]| $module::APIGroupDiscoveryList {
                    items: groups.iter().map(|(name, versions)| self.$module(name, versions)).collect(),
                    ..Default::default()
                };
                let legacy = self.legacy.versions.iter().map(|version| (version.as_str(), version.as_str()));
                let groups: Vec<_> = self
                    .groups
                    .groups
                    .iter()
                    .map(|group| {
                        let versions = group.versions.iter();
                        let pairs = versions.map(|one| (one.version.as_str(), one.group_version.as_str()));
                        (group.name.as_str(), pairs.collect())
                    })
                    .collect();
                Discovery::$from(&[document(&[("", legacy.collect())]), document(&groups)])
            }

            fn $module(&self, name: &str, versions: &[(&str, &str)]) -> $module::APIGroupDiscovery {
                let resource = |resource: &APIResource| $module::APIResourceDiscovery {
                    resource: resource.name.clone(),
                    singular_resource: resource.singular_name.clone(),
                    response_kind: Some(Box::new(GroupVersionKind {
                        kind: resource.kind.clone(),
                        ..Default::default()
                    })),
                    scope: if resource.namespaced { "Namespaced" } else { "Cluster" }.to_owned(),
                    short_names: resource.short_names.clone(),
                    categories: resource.categories.clone(),
                    ..Default::default()
                };
                let version = |(version, group_version): &(&str, &str)| $module::APIVersionDiscovery {
                    version: (*version).to_owned(),
                    resources: self.resources_of(group_version).map(resource).collect(),
                    freshness: "Current".to_owned(),
                };
                $module::APIGroupDiscovery {
                    metadata: ObjectMeta { name: name.to_owned(), ..Default::default() },
                    versions: versions.iter().map(version).collect(),
                    ..Default::default()
                }
            }
        }
    };
}

aggregated!(aggregated, v2, from_aggregated);
aggregated!(aggregated_v2beta1, v2beta1, from_aggregated_v2beta1);

#[test]
fn stale_versions_are_left_out_and_reported() {
    let resource = |name: &str, kind: &str| v2::APIResourceDiscovery {
        resource: name.to_owned(),
        response_kind: Some(Box::new(GroupVersionKind { kind: kind.to_owned(), ..Default::default() })),
        ..Default::default()
    };
    let version = |version: &str, freshness: &str, resources| v2::APIVersionDiscovery {
        version: version.to_owned(),
        freshness: freshness.to_owned(),
        resources,
    };
    let group = v2::APIGroupDiscovery {
        metadata: ObjectMeta { name: "example.com".to_owned(), ..Default::default() },
        versions: vec![
            version("v3", "Stale", vec![resource("geese", "Goose")]),
            version("v2", "Current", vec![resource("geese", "Goose")]),
            // Without a kind of its own it is only there for its subresources.
            version("v1", "", vec![resource("geese", "Goose"), resource("swans", "")]),
        ],
        ..Default::default()
    };
    let document = v2::APIGroupDiscoveryList { items: vec![group], ..Default::default() };
    let discovery = Discovery::from_aggregated([&document]);
    assert_eq!(discovery.stale(), [GroupVersion::new_static("example.com", "v3")]);
    let mapper = discovery.rest_mapper();
    assert_eq!(ask(&mapper, "resource_for", "||geese"), "example.com/v2, Resource=geese");
    assert_eq!(
        ask(&mapper, "resources_for", "||goose"),
        "[example.com/v2, Resource=geese example.com/v1, Resource=geese]"
    );
    assert_eq!(ask(&mapper, "resource_for", "||swans"), "error: no matches for /, Resource=swans");
}

#[test]
fn versions_without_resources_and_resources_without_a_version_are_left_out() {
    let mut server = Server::parse(CROWDED);
    server.resources.retain(|list| list.group_version != "autoscaling/v2");
    let stray = APIResource { name: "strays".to_owned(), kind: "Stray".to_owned(), ..Default::default() };
    server.resources.push(APIResourceList {
        group_version: "stray.example.com/v1".to_owned(),
        resources: vec![stray],
        ..Default::default()
    });
    let client = Client::new(&server.classic());
    assert_eq!(client.ask("resource_for", "||hpa"), "autoscaling/v1, Resource=horizontalpodautoscalers");
    assert_eq!(client.ask("arg", "strays"), r#"error: the server doesn't have a resource type "strays""#);
}

/// The documents of a real server.
#[test]
fn real_documents_give_the_same_answers() {
    let published = kubernetes::document("discovery");
    let legacy: APIVersions = read(&published["api"]);
    let groups: APIGroupList = read(&published["apis"]);
    let mut resources: Vec<APIResourceList> = Vec::new();
    for version in &legacy.versions {
        resources.push(read(&published[format!("api__{version}")]));
    }
    for version in groups.groups.iter().flat_map(|group| &group.versions) {
        let name = format!("apis__{}", version.group_version.replace('/', "__"));
        resources.push(read(&published[name]));
    }
    let classic = Discovery::from_documents(&legacy, &groups, &resources);
    Client::new(&classic).check(KUBERNETES_ANSWERS);

    // The aggregated document is that of `/apis` alone.
    let document: v2::APIGroupDiscoveryList = read(&published["aggregated_v2"]);
    let named = Client::new(&Discovery::from_aggregated([&document]));
    assert_eq!(named.ask("arg", "pods"), r#"error: the server doesn't have a resource type "pods""#);
    let expected = Client::new(&Discovery::from_documents(&APIVersions::default(), &groups, &resources));
    for line in KUBERNETES_ANSWERS.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        assert_eq!(named.ask(parts[0], parts[1]), expected.ask(parts[0], parts[1]), "{line}");
    }
}

fn read<T: Described>(tree: &serde_json::Value) -> T {
    let mut document = T::default();
    from_tree(tree, &mut document).expect("the documents are what their names say");
    document
}
