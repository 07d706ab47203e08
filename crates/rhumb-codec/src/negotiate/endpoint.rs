//! Representations that an endpoint offers beside its own kind.

use std::borrow::Cow;

use rhumb_meta::GroupVersionKind;

use crate::Format;

/// Representations that an endpoint allows.
pub trait Endpoint {
    /// Reports whether it answers in this format with this kind; no kind means its own.
    fn allows_transform(&self, format: Format, target: Option<&GroupVersionKind>) -> bool;

    /// Reports whether it speaks this version of the server's group.
    fn allows_server_version(&self, _version: &str) -> bool {
        false
    }

    /// Reports whether it speaks this protocol of streams.
    fn allows_stream(&self, protocol: &str) -> bool {
        protocol == "watch"
    }
}

/// Endpoint with its own kind only: unaggregated discovery, versions, errors.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainEndpoint;

impl Endpoint for PlainEndpoint {
    fn allows_transform(&self, _format: Format, target: Option<&GroupVersionKind>) -> bool {
        target.is_none()
    }
}

/// Aggregated discovery at `/api` and `/apis`.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiscoveryEndpoint;

impl DiscoveryEndpoint {
    /// Reports whether a kind is aggregated discovery in a served version.
    pub fn is_aggregated(target: Option<&GroupVersionKind>) -> bool {
        target.is_some_and(|target| {
            target.group == "apidiscovery.k8s.io"
                && SERVED_DISCOVERY.contains(&target.version.as_ref())
                && target.kind == "APIGroupDiscoveryList"
        })
    }
}

/// Served versions of aggregated discovery.
const SERVED_DISCOVERY: &[&str] = &["v2"];

impl Endpoint for DiscoveryEndpoint {
    fn allows_transform(&self, _format: Format, target: Option<&GroupVersionKind>) -> bool {
        Self::is_aggregated(target)
    }
}

/// Endpoint of a resource, which offers tables and metadata-only objects.
#[derive(Clone, Debug)]
pub struct ResourceEndpoint {
    /// Whether its objects can be shown as a table.
    pub tables: bool,
    /// The formats its own kind can be written in: custom resources have no protobuf form, yet their metadata
    /// has one.
    pub own_formats: &'static [Format],
    /// The version of `meta.k8s.io` it speaks.
    pub meta_version: Cow<'static, str>,
}

impl Default for ResourceEndpoint {
    fn default() -> Self {
        ResourceEndpoint { tables: true, own_formats: &Format::ALL, meta_version: "v1".into() }
    }
}

impl Endpoint for ResourceEndpoint {
    fn allows_transform(&self, format: Format, target: Option<&GroupVersionKind>) -> bool {
        let Some(target) = target else { return self.own_formats.contains(&format) };
        if target.group != "meta.k8s.io" || !matches!(target.version.as_ref(), "v1" | "v1beta1") {
            return false;
        }
        match target.kind.as_ref() {
            // Cells of a table hold any JSON, which protobuf can't.
            "Table" => self.tables && format.is_text(),
            "PartialObjectMetadata" | "PartialObjectMetadataList" => true,
            _ => false,
        }
    }

    fn allows_server_version(&self, version: &str) -> bool {
        version == self.meta_version
    }
}
