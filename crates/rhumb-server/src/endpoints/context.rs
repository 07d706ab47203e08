//! `RequestContext`: one request for a resource, as handlers see it.

use crate::base::request::{header_text, wishes};
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, header};
use rhumb_codec::negotiate::{self, Negotiated, ResourceEndpoint};
use rhumb_codec::{Format, Strictness, query};
use rhumb_meta::v1::{PartialObjectMetadata, StatusReason, Table, TableOptions, TypeMeta};
use rhumb_meta::{GroupKind, GroupVersionKind, Object};
use rhumb_schema::Struct;
use rhumb_scheme::validation::FieldErrors;

use crate::base::failure::{Failure, Outcome};
use crate::base::go_names::package;
use crate::base::identity::User;
use crate::base::offload::Offload;
use crate::base::response::{self, Response};
use crate::endpoints::Handlers;
use crate::endpoints::body::{LARGEST_BODY, read_body};
use crate::endpoints::request_info::ResourcePath;
use crate::registry::{Endpoint, Storage, managed_fields};

/// A request for a resource.
pub(crate) struct RequestContext<'a> {
    /// The server.
    pub(crate) api: &'a Arc<Handlers>,
    /// What it is for.
    pub(crate) endpoint: Arc<Endpoint>,
    /// Where exactly.
    pub(crate) path: ResourcePath,
    /// Who sent it.
    pub(crate) user: &'a User,
    /// Its headers.
    pub(crate) headers: &'a HeaderMap,
    /// Its query as it was sent.
    pub(crate) query: &'a str,
    /// What the client should be told beside the answer.
    pub(crate) warnings: Vec<String>,
    /// What the audit log should say beside the request itself.
    pub(crate) annotations: std::collections::BTreeMap<String, String>,
    /// What quotas were charged for the request: while it is under way, nobody counts them anew.
    pub(crate) held: Vec<crate::admission::Charged>,
    /// The way to the pool for long work.
    pub(crate) offload: Offload,
}

impl<'a> RequestContext<'a> {
    /// A request that the server makes itself, of an object of a resource.
    pub(crate) fn internal(
        api: &'a Arc<Handlers>,
        endpoint: &Arc<Endpoint>,
        namespace: &str,
        name: &str,
        user: &'a User,
        headers: &'a HeaderMap,
    ) -> Self {
        let kind = &endpoint.kind;
        let path = ResourcePath {
            group: kind.group.to_string(),
            version: kind.version.to_string(),
            namespace: if endpoint.namespaced { namespace.to_owned() } else { String::new() },
            resource: endpoint.resource.resource.to_string(),
            name: name.to_owned(),
            ..ResourcePath::default()
        };
        RequestContext {
            api,
            endpoint: Arc::clone(endpoint),
            path,
            user,
            headers,
            query: "",
            warnings: Vec::new(),
            annotations: Default::default(),
            held: Default::default(),
            offload: Default::default(),
        }
    }
}

impl RequestContext<'_> {
    /// The write that this request is, for notes on whose fields are whose.
    pub(crate) fn fields(&self) -> managed_fields::Write<'_> {
        managed_fields::Write { endpoint: &self.endpoint, environment: &self.api.environment }
    }

    /// Reads the body, and goes on on the pool if it is large.
    pub(crate) async fn read<B>(&self, body: B) -> Outcome<Bytes>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let body = read_body(body, LARGEST_BODY).await?;
        self.offload.of(body.len()).await;
        Ok(body)
    }

    /// Where the objects are kept.
    pub(crate) fn storage(&self) -> Outcome<&Arc<Storage>> {
        self.endpoint.storage.as_ref().ok_or_else(|| Failure::internal("the resource keeps no objects"))
    }

    /// Reads the options of the request from its query.
    pub(crate) fn options<T: Struct + Default>(&self) -> Outcome<T> {
        let mut options = T::default();
        query::from_query(self.query, &mut options)
            .map_err(|error| Failure::bad_request(error.to_string()))?;
        Ok(options)
    }

    /// Refuses to read an object in the form that it could be made anew from, which old clients still ask for.
    pub(crate) fn refuse_export(&self) -> Outcome<()> {
        let is_asked = self.query.contains("export")
            && query::parse(self.query)
                .first("export")
                .is_some_and(|value| value != "0" && !value.eq_ignore_ascii_case("false"));
        if is_asked {
            let why = "the export parameter, deprecated since v1.14, is no longer supported";
            return Err(Failure::bad_request(why));
        }
        Ok(())
    }

    /// Agrees on the form of the answer.
    pub(crate) fn output(&self) -> Outcome<Negotiated> {
        self.output_of(self.endpoint.model.formats())
    }

    /// Agrees on the form of an answer that can be written in these formats.
    pub(crate) fn output_of(&self, formats: &'static [Format]) -> Outcome<Negotiated> {
        let endpoint = ResourceEndpoint { own_formats: formats, ..ResourceEndpoint::default() };
        negotiate::output(wishes(self.headers, self.query), &Format::ALL, &endpoint)
            .map_err(|error| error.status().into())
    }

    /// The format that the body is in.
    pub(crate) fn input(&self) -> Outcome<Format> {
        self.input_of(self.endpoint.model.formats())
    }

    /// The format of a body that may have one of these.
    pub(crate) fn input_of(&self, formats: &[Format]) -> Outcome<Format> {
        let content_type = header_text(self.headers, header::CONTENT_TYPE);
        negotiate::input(content_type, negotiate::Body::Single, formats)
            .map_err(|error| error.status().into())
    }

    /// Who the fields that this request changes will belong to.
    pub(crate) fn manager(&self, named: &str) -> String {
        const LONGEST: usize = 128;
        if !named.is_empty() {
            return named.to_owned();
        }
        let agent = header_text(self.headers, header::USER_AGENT);
        let first = agent.split('/').next().unwrap_or_default();
        first.chars().take(LONGEST).collect()
    }

    /// The answer that one object in its hub form is.
    pub(crate) fn present(&self, code: u16, hub: Box<dyn Object>, agreed: &Negotiated) -> Outcome<Response> {
        let endpoint = &self.endpoint;
        match &agreed.convert {
            None => {
                let object = endpoint.model.external(hub, &endpoint.kind)?;
                response::object(code, &*object, agreed.format, agreed.pretty)
            }
            Some(target) if target.kind == "Table" => {
                let revision = hub.metadata().map(|meta| meta.resource_version.clone()).unwrap_or_default();
                let options = self.table_options()?;
                let mut table =
                    endpoint.model.table(&endpoint.kind, vec![hub], &options, self.api.environment.time())?;
                table.metadata.resource_version = revision;
                in_version(&mut table, target);
                response::object(code, &table, agreed.format, agreed.pretty)
            }
            Some(target) if target.kind == "PartialObjectMetadataList" => {
                let told = format!("not a list ({})", self.go_type(""));
                Err(not_acceptable(target, &told))
            }
            Some(target) => {
                let object = endpoint.model.external(hub, &endpoint.kind)?;
                response::object(code, &bare(&*object, target), agreed.format, agreed.pretty)
            }
        }
    }

    /// Refuses a list to those who asked for one object.
    pub(crate) fn refuse_list_as_one(&self) -> Outcome<()> {
        match self.output()?.convert {
            Some(target) if target.kind == "PartialObjectMetadata" => {
                Err(not_acceptable(&target, &format!("a list ({})", self.go_type("List"))))
            }
            _ => Ok(()),
        }
    }

    /// The type of the resource's objects, or of lists of them, in Kubernetes' code, which errors name.
    fn go_type(&self, suffix: &str) -> String {
        if self.endpoint.model.is_custom() {
            return format!("*unstructured.Unstructured{suffix}");
        }
        let kind = &self.endpoint.kind;
        format!("*{}.{}{suffix}", package(&kind.group), kind.kind)
    }

    /// What is wanted of a table.
    pub(crate) fn table_options(&self) -> Outcome<rhumb_print::Options> {
        use rhumb_print::{Headers, IncludeObject};
        let options: TableOptions = self.options()?;
        let mut errors = FieldErrors::default();
        rhumb_validation::meta::table_options(&options, &mut errors);
        if !errors.is_empty() {
            let told = errors.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            return Err(Failure::bad_request(format!("Unable to convert to Table as requested: {told}")));
        }
        let include_object = match options.include_object.as_str() {
            "None" => IncludeObject::None,
            "Object" => IncludeObject::Object,
            _ => IncludeObject::Metadata,
        };
        Ok(rhumb_print::Options { headers: Headers::Shown, include_object })
    }
}

/// The answer to a client that asked for a form that this can't have.
fn not_acceptable(target: &GroupVersionKind, why: &str) -> Failure {
    let message = format!("you requested {}, but the requested object is {why}", target.kind);
    Failure::new(StatusReason::NotAcceptable, message)
}

/// Puts a table, and the metadata in its rows, into a version of that form.
pub(crate) fn in_version(table: &mut Table, target: &GroupVersionKind) {
    const NEWEST: &[u8] = br#""apiVersion":"meta.k8s.io/v1""#;
    table.type_meta.api_version = target.api_version();
    if target.version == "v1" {
        return;
    }
    for row in &mut table.rows {
        let object = &mut row.object.0;
        // It stands at the beginning, before anything that the object itself says.
        if let Some(at) = object.windows(NEWEST.len()).take(64).position(|window| window == NEWEST) {
            let end = at + NEWEST.len() - 1;
            object.splice(end..end, target.version.strip_prefix("v1").unwrap_or_default().bytes());
        }
    }
}

/// An object reduced to its metadata, in a version of that form.
pub(crate) fn bare(object: &dyn Object, target: &GroupVersionKind) -> PartialObjectMetadata {
    PartialObjectMetadata {
        type_meta: TypeMeta { api_version: target.api_version(), kind: "PartialObjectMetadata".to_owned() },
        metadata: object.metadata().map(std::borrow::Cow::into_owned).unwrap_or_default(),
    }
}

/// Fails if options have errors.
pub(crate) fn refuse(errors: &FieldErrors, kind: &'static str) -> Outcome<()> {
    if errors.is_empty() {
        return Ok(());
    }
    Err(errors.status(&GroupKind::new("meta.k8s.io", kind), "").into())
}

/// What becomes of unknown fields.
pub(crate) fn strictness(field_validation: &str) -> Strictness {
    match field_validation {
        "Ignore" => Strictness::Ignore,
        "Strict" => Strictness::Strict,
        _ => Strictness::Warn,
    }
}
