//! The forms that lists can be asked for in, and what is read out of a list in each of them.

use rhumb_api::core::v1::PodList;
use rhumb_codec::Codecs;
use rhumb_meta::v1::PartialObjectMetadataList;
use serde_json::Value;

/// A format of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    Json,
    Pretty,
    Yaml,
    Protobuf,
}

/// What a list is turned into on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum As {
    /// The list that it is.
    Itself,
    Table,
    Metadata,
}

/// How an answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form(pub(crate) Media, pub(crate) As);

/// What was read out of a list.
#[derive(Debug)]
pub(crate) struct Read {
    /// The namespaces and numbers of its objects, in order.
    pub(crate) objects: Vec<(String, usize)>,
    pub(crate) revision: String,
    /// How it goes on; empty if it doesn't.
    pub(crate) next: String,
}

impl Form {
    /// All of them.
    pub(crate) fn all() -> impl Iterator<Item = Form> {
        let media = [Media::Json, Media::Pretty, Media::Yaml, Media::Protobuf];
        media
            .into_iter()
            .flat_map(|media| [As::Itself, As::Table, As::Metadata].map(|what| Form(media, what)))
    }

    /// Whether there is such an answer: protobuf has no tables, and no objects of custom resources.
    pub(crate) fn is_there(self, is_custom: bool) -> bool {
        match self {
            Form(Media::Protobuf, As::Table) => false,
            Form(Media::Protobuf, As::Itself) => !is_custom,
            _ => true,
        }
    }

    pub(crate) fn accept(self) -> String {
        let media = match self.0 {
            Media::Json | Media::Pretty => "application/json",
            Media::Yaml => "application/yaml",
            Media::Protobuf => "application/vnd.kubernetes.protobuf",
        };
        match self.1 {
            As::Itself => media.to_owned(),
            As::Table => format!("{media};as=Table;g=meta.k8s.io;v=v1"),
            As::Metadata => format!("{media};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"),
        }
    }

    /// Reads a list to its end. Each of its objects must be as it was made.
    pub(crate) fn read(self, codecs: &Codecs, body: &[u8]) -> Read {
        match self.0 {
            Media::Json | Media::Pretty => {
                let first = if self.0 == Media::Pretty { &b"{\n  \""[..] } else { b"{\"" };
                assert!(body.starts_with(first), "{:?}", body.get(..20));
                self.of_tree(&serde_json::from_slice(body).expect("JSON"))
            }
            Media::Yaml => {
                let mut text = Vec::new();
                let options = rhumb_codec::yaml::ReadOptions::default();
                rhumb_codec::yaml::to_json(body, &options, &mut text).expect("YAML");
                assert!(body.starts_with(b"apiVersion: "), "{:?}", body.get(..20));
                self.of_tree(&serde_json::from_slice(&text).unwrap())
            }
            Media::Protobuf => {
                let decoded = codecs.decode(body, None).expect("protobuf");
                let (meta, objects) = if self.1 == As::Metadata {
                    let list = decoded.object.downcast_ref::<PartialObjectMetadataList>().expect("metadata");
                    let of = |meta: &rhumb_meta::ObjectMeta| {
                        object(&meta.namespace, &meta.name, &meta.labels["number"])
                    };
                    (&list.metadata, list.items.iter().map(|item| of(&item.metadata)).collect())
                } else {
                    let list = decoded.object.downcast_ref::<PodList>().expect("pods");
                    let of = |pod: &rhumb_api::core::v1::Pod| {
                        let image = &pod.spec.containers[0].image;
                        object(&pod.metadata.namespace, &pod.metadata.name, image.rsplit('.').next().unwrap())
                    };
                    (&list.metadata, list.items.iter().map(of).collect())
                };
                Read { objects, revision: meta.resource_version.clone(), next: meta.continue_.clone() }
            }
        }
    }

    fn of_tree(self, list: &Value) -> Read {
        let (kind, name) = match self.1 {
            As::Itself => ("", "items"),
            As::Table => ("Table", "rows"),
            As::Metadata => ("PartialObjectMetadataList", "items"),
        };
        assert!(kind.is_empty() || list["kind"] == kind, "{}", list["kind"]);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let objects = list[name].as_array().expect("items").iter().map(|item| {
            let metadata = if self.1 == As::Table { &item["object"]["metadata"] } else { &item["metadata"] };
            let number = match self.1 {
                As::Itself if item["spec"]["teeth"].is_u64() => {
                    (item["spec"]["teeth"].as_u64().unwrap_or_default() - super::TEETH as u64).to_string()
                }
                As::Itself => {
                    text(&item["spec"]["containers"][0]["image"]).rsplit('.').next().unwrap().to_owned()
                }
                _ => text(&metadata["labels"]["number"]),
            };
            if self.1 == As::Table {
                assert_eq!(item["cells"][0], metadata["name"], "the first cell is the name");
            }
            object(&text(&metadata["namespace"]), &text(&metadata["name"]), &number)
        });
        Read {
            objects: objects.collect(),
            revision: text(&list["metadata"]["resourceVersion"]),
            next: text(&list["metadata"]["continue"]),
        }
    }
}

/// An object by its name, if what it has says the same number.
fn object(namespace: &str, name: &str, number: &str) -> (String, usize) {
    let number: usize = number.parse().expect("a number");
    assert_eq!(name, super::name(number));
    (namespace.to_owned(), number)
}
