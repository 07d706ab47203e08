//! OpenAPI documents of a server.

use std::collections::BTreeMap;

use bytes::Bytes;
use rhumb_schema::Schema;

use super::DiscoveryClient;
use crate::Error;

const V2_PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
const V3_PROTOBUF: &str = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf";
const JSON: &str = "application/json";

/// Format of an OpenAPI document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpenApiForm {
    /// JSON.
    #[default]
    Json,
    /// The protobuf form of the `gnostic` project.
    Protobuf,
}

/// What `/openapi/v3` answers: a document for each group version and some more, by path: `api/v1`, `apis/apps/v1`.
#[derive(Clone, Default, Schema)]
pub struct OpenApiV3 {
    /// The documents.
    #[field(0, required)]
    pub paths: BTreeMap<String, OpenApiV3Path>,
}

/// Where a document is.
#[derive(Clone, Default, Schema)]
pub struct OpenApiV3Path {
    /// The path on the server, with the hash of the document: a document under the same URL never changes.
    #[field(0, required, json = "serverRelativeURL")]
    pub server_relative_url: String,
}

impl OpenApiV3Path {
    /// Returns the hash of the document, if the server sends it.
    pub fn hash(&self) -> Option<&str> {
        let (_, query) = self.server_relative_url.split_once('?')?;
        query.split('&').find_map(|pair| pair.strip_prefix("hash="))
    }
}

impl DiscoveryClient {
    /// Returns the OpenAPI v2 document, which describes everything.
    ///
    /// # Errors
    /// There is no answer, or a refusal.
    pub async fn openapi_v2(&self, form: OpenApiForm) -> Result<Bytes, Error> {
        let accept = match form {
            OpenApiForm::Json => JSON,
            OpenApiForm::Protobuf => V2_PROTOBUF,
        };
        Ok(self.fetch(self.request("/openapi/v2"), accept).await?.body)
    }

    /// Returns the list of OpenAPI v3 documents.
    ///
    /// # Errors
    /// There is no answer, a refusal, or something else.
    pub async fn openapi_v3(&self) -> Result<OpenApiV3, Error> {
        self.fetch_into(self.request("/openapi/v3"), JSON).await
    }

    /// Returns an OpenAPI v3 document. With an HTTP cache, one whose hash is known is not fetched again.
    ///
    /// # Errors
    /// There is no answer, or a refusal.
    pub async fn openapi_v3_document(&self, path: &OpenApiV3Path, form: OpenApiForm) -> Result<Bytes, Error> {
        let accept = match form {
            OpenApiForm::Json => JSON,
            OpenApiForm::Protobuf => V3_PROTOBUF,
        };
        let request = self.request("/").request_uri(&path.server_relative_url);
        Ok(self.fetch(request, accept).await?.body)
    }
}
