//! OpenAPI documents of a set of resources, as bytes.
//!
//! [`Documents`] describes what a server serves: one document of version 3 per group version (and per fixed
//! place such as `/version`), and one of version 2 with everything, as JSON or as protobuf. Nothing is kept:
//! each call makes its document anew, one path or definition at a time, so that no tree of a whole document
//! is ever in memory. Whoever serves them keeps the bytes.
//!
//! Paths come from the table of resources, models from the field tables of the types. What belongs to custom
//! resources is made elsewhere and written here ([`entries`]), for the places that an [`Outline`] has for it.

mod amend;
mod document;
mod index;
mod operation;
mod outline;
mod parameters;
mod places;
mod protobuf;
mod render;
mod routes;
mod v2;
mod v3;
mod yaml;

pub use index::{etag, hash, index, relative_url};
pub use outline::{Form, Outline, Section, entries};
pub use protobuf::to_protobuf;
use rhumb_api::resources::ResourceTable;
use rhumb_meta::GroupVersion;
use rhumb_scheme::Scheme;
pub use rhumb_scheme::openapi::Enums;
use rhumb_scheme::openapi::Kinds;

/// Media type of version 2 in protobuf, as clients request it.
pub const V2_PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
/// Media type of responses in that form.
pub const V2_PROTOBUF_ANSWER: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// Properties of the server in documents.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The version of the server.
    pub version: String,
    /// Whether it reads and writes CBOR.
    pub cbor: bool,
    /// Whether it shows its log files under `/logs`.
    pub logs: bool,
    /// Whether the values that texts may have are listed.
    pub enums: Enums,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { version: "unversioned".to_owned(), cbor: true, logs: true, enums: Enums::Hidden }
    }
}

/// Builds the documents of a resource table.
pub struct Documents<'a> {
    scheme: &'a Scheme,
    table: &'a ResourceTable,
    settings: &'a Settings,
    kinds: Kinds<'a>,
}

impl<'a> Documents<'a> {
    /// The documents of the resources in `table`, whose types are in `scheme`.
    pub fn new(scheme: &'a Scheme, table: &'a ResourceTable, settings: &'a Settings) -> Self {
        Documents { scheme, table, settings, kinds: Kinds::new(scheme, |gv| !amend::is_gone(gv)) }
    }
}

/// Returns the root path of a version: `/api/v1`, `/apis/apps/v1`.
fn root(gv: &GroupVersion) -> String {
    if gv.group.is_empty() {
        format!("/api/{}", gv.version)
    } else {
        format!("/apis/{}/{}", gv.group, gv.version)
    }
}
