//! Package names and file paths in protobuf.

use crate::universe::{Leaf, Universe};

/// Returns the name of a package in protobuf, and the directory of its file as imports name it.
pub(crate) fn of(universe: &Universe, path: &str) -> (String, String) {
    let said = universe.package(path).and_then(|package| package.tags.value("protobuf.package"));
    if let Some(name) = said.filter(|name| !name.is_empty()) {
        return (name.to_owned(), name.replace('.', "/"));
    }
    let mut parts = path.split("::");
    let dir = match (parts.next(), parts.next()) {
        // Kubernetes' own packages have Kubernetes' names.
        (Some("rhumb_meta"), Some("apidiscovery")) => format!("k8s.io/api/apidiscovery/{}", rest(parts)),
        (Some("rhumb_meta"), Some(version)) => format!("k8s.io/apimachinery/pkg/apis/meta/{version}"),
        (Some("rhumb_api"), Some("apiextensions")) => {
            format!("k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/{}", rest(parts))
        }
        (Some("rhumb_api"), Some("apiregistration")) => {
            format!("k8s.io/kube-aggregator/pkg/apis/apiregistration/{}", rest(parts))
        }
        (Some("rhumb_api"), Some(group)) => format!("k8s.io/api/{group}/{}", rest(parts)),
        _ => path.replace("::", "/"),
    };
    (dir.replace('/', ".").replace('-', "_"), dir)
}

fn rest<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    parts.collect::<Vec<_>>().join("/")
}

/// Reports whether a package is one of Kubernetes'.
pub(crate) fn is_kubernetes(dir: &str) -> bool {
    dir.starts_with("k8s.io/")
}

/// Returns the message of a leaf: the package's name, its directory and the message. Texts and bytes have none.
pub(crate) fn leaf(leaf: Leaf) -> Option<(&'static str, &'static str, &'static str)> {
    const META: (&str, &str) =
        ("k8s.io.apimachinery.pkg.apis.meta.v1", "k8s.io/apimachinery/pkg/apis/meta/v1");
    Some(match leaf {
        Leaf::Quantity => {
            ("k8s.io.apimachinery.pkg.api.resource", "k8s.io/apimachinery/pkg/api/resource", "Quantity")
        }
        Leaf::IntOrString => {
            ("k8s.io.apimachinery.pkg.util.intstr", "k8s.io/apimachinery/pkg/util/intstr", "IntOrString")
        }
        Leaf::RawJson => {
            ("k8s.io.apimachinery.pkg.runtime", "k8s.io/apimachinery/pkg/runtime", "RawExtension")
        }
        Leaf::Time => (META.0, META.1, "Time"),
        Leaf::MicroTime => (META.0, META.1, "MicroTime"),
        Leaf::Duration => (META.0, META.1, "Duration"),
        Leaf::FieldsV1 => (META.0, META.1, "FieldsV1"),
        Leaf::Tree | Leaf::Bytes => return None,
    })
}
