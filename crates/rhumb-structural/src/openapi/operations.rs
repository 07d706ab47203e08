//! Paths and operations of a custom resource.

use serde_json::{Map, Value as Json, json};

use super::parameters::{self, Parameter};
use super::{Dialect, Resource, Scope, meta, prefix};

const MEDIA: [&str; 2] = ["application/json", "application/yaml"];
const PATCHES: [&str; 3] =
    ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];

pub(super) fn paths(resource: &Resource<'_>, dialect: Dialect) -> Map<String, Json> {
    let Resource { group, version, plural, kind, .. } = resource;
    let maker = Maker { resource, dialect };
    let all = format!("/apis/{group}/{version}/{plural}");
    let mut paths = Map::new();
    let root = match resource.scope {
        Scope::Cluster => all,
        Scope::Namespaced => {
            let list = Operation { name: format!("{kind}ForAllNamespaces"), ..maker.list() };
            // With a single operation, its parameters are those of the path.
            let mut shared: Vec<Json> =
                parameters::LIST.iter().map(|parameter| parameters::query(parameter, dialect)).collect();
            shared.insert(5, parameters::query(&parameters::PRETTY, dialect));
            let operation = maker.make(&Operation { parameters: &[], ..list });
            paths.insert(all, json!({ "get": operation, "parameters": shared }));
            format!("/apis/{group}/{version}/namespaces/{{namespace}}/{plural}")
        }
    };
    paths.insert(root.clone(), maker.collection());
    paths.insert(format!("{root}/{{name}}"), maker.object());
    if resource.has_status {
        paths.insert(format!("{root}/{{name}}/status"), maker.subresource("Status"));
    }
    if resource.has_scale {
        paths.insert(format!("{root}/{{name}}/scale"), maker.subresource("Scale"));
    }
    paths
}

/// An operation on a path.
struct Operation<'a> {
    /// Start of its operation ID.
    verb: &'static str,
    /// End of its operation ID.
    name: String,
    /// Kubernetes' action.
    action: &'static str,
    words: String,
    parameters: &'a [Parameter],
    body: Body,
    answer: Json,
    /// The codes of answers, in order.
    codes: &'static [u16],
}

/// Request body.
enum Body {
    None,
    /// An object, which must be there.
    Object(Json),
    Patch,
    DeleteOptions,
}

struct Maker<'a> {
    resource: &'a Resource<'a>,
    dialect: Dialect,
}

impl Maker<'_> {
    fn own(&self) -> Json {
        self.resource.reference(self.resource.kind, self.dialect)
    }

    /// Returns the kind as ids have it.
    fn name(&self) -> String {
        let namespaced = if self.resource.scope == Scope::Namespaced { "Namespaced" } else { "" };
        format!("{namespaced}{}", self.resource.kind)
    }

    fn list(&self) -> Operation<'static> {
        Operation {
            verb: "list",
            name: self.name(),
            action: "list",
            words: format!("list objects of kind {}", self.resource.kind),
            parameters: &parameters::LIST,
            body: Body::None,
            answer: self.resource.reference(self.resource.list_kind, self.dialect),
            codes: &[200],
        }
    }

    fn collection(&self) -> Json {
        let kind = self.resource.kind;
        let create = Operation {
            verb: "create",
            name: self.name(),
            action: "post",
            words: format!("create{}{kind}", article(kind)),
            parameters: &parameters::WRITE,
            body: Body::Object(self.own()),
            answer: self.own(),
            codes: &[200, 201, 202],
        };
        let delete = Operation {
            verb: "delete",
            name: format!("Collection{}", self.name()),
            action: "deletecollection",
            words: format!("delete collection of {kind}"),
            parameters: &parameters::LIST,
            body: Body::None,
            answer: meta("Status", self.dialect),
            codes: &[200],
        };
        json!({
            "get": self.make(&self.list()),
            "post": self.make(&create),
            "delete": self.make(&delete),
            "parameters": self.shared(false),
        })
    }

    fn object(&self) -> Json {
        let kind = self.resource.kind;
        let mut path = self.read_and_write("", &self.own());
        let delete = Operation {
            verb: "delete",
            name: self.name(),
            action: "delete",
            words: format!("delete{}{kind}", article(kind)),
            parameters: &parameters::DELETE,
            body: Body::DeleteOptions,
            answer: meta("Status", self.dialect),
            codes: &[200, 202],
        };
        path.insert("delete".to_owned(), self.make(&delete));
        Json::Object(path)
    }

    fn subresource(&self, name: &str) -> Json {
        let answer = match name {
            "Scale" => json!({ "$ref": format!("{}io.k8s.api.autoscaling.v1.Scale", prefix(self.dialect)) }),
            _ => self.own(),
        };
        Json::Object(self.read_and_write(name, &answer))
    }

    fn read_and_write(&self, subresource: &str, object: &Json) -> Map<String, Json> {
        let of = match subresource {
            "" => String::new(),
            name => format!(" {} of", name.to_lowercase()),
        };
        let operation = |verb, action, words: &str, parameters, body, codes| {
            self.make(&Operation {
                verb,
                name: format!("{}{subresource}", self.name()),
                action,
                words: format!("{words}{of} the specified {}", self.resource.kind),
                parameters,
                body,
                answer: object.clone(),
                codes,
            })
        };
        let replaced = Body::Object(object.clone());
        Map::from_iter([
            ("get".to_owned(), operation("read", "get", "read", &parameters::GET, Body::None, &[200])),
            (
                "put".to_owned(),
                operation("replace", "put", "replace", &parameters::WRITE, replaced, &[200, 201]),
            ),
            (
                "patch".to_owned(),
                operation("patch", "patch", "partially update", &parameters::PATCH, Body::Patch, &[200]),
            ),
            ("parameters".to_owned(), self.shared(true)),
        ])
    }

    /// Returns the parameters that all operations of a path have.
    fn shared(&self, has_name: bool) -> Json {
        let name = has_name.then(|| parameters::name(self.resource.kind, self.dialect));
        let namespace =
            (self.resource.scope == Scope::Namespaced).then(|| parameters::namespace(self.dialect));
        let pretty = parameters::query(&parameters::PRETTY, self.dialect);
        Json::Array(name.into_iter().chain(namespace).chain([pretty]).collect())
    }

    fn make(&self, operation: &Operation<'_>) -> Json {
        let Resource { group, version, kind, .. } = self.resource;
        let group_name = group.strip_suffix(".k8s.io").unwrap_or(group);
        let id = format!(
            "{}{}{}{}",
            operation.verb,
            joined(group_name, true),
            joined(version, true),
            joined(&operation.name, true)
        );
        let mut out = Map::from_iter([
            ("description".to_owned(), json!(operation.words)),
            ("operationId".to_owned(), json!(id)),
            ("tags".to_owned(), json!([format!("{}_{}", joined(group_name, false), joined(version, false))])),
            ("x-kubernetes-action".to_owned(), json!(operation.action)),
            (
                "x-kubernetes-group-version-kind".to_owned(),
                json!({ "group": group, "version": version, "kind": kind }),
            ),
            ("responses".to_owned(), self.responses(operation)),
        ]);
        let queries = operation.parameters.iter().map(|parameter| parameters::query(parameter, self.dialect));
        let mut queries: Vec<Json> = queries.collect();
        match self.dialect {
            Dialect::V3 => {
                if let Some(body) = self.request_body(&operation.body) {
                    out.insert("requestBody".to_owned(), body);
                }
            }
            Dialect::V2 => {
                let consumed: &[&str] = if matches!(operation.body, Body::Patch) { &PATCHES } else { &MEDIA };
                out.insert("consumes".to_owned(), json!(consumed));
                out.insert("produces".to_owned(), json!(MEDIA));
                out.insert("schemes".to_owned(), json!(["https"]));
                let body = match &operation.body {
                    Body::None => None,
                    Body::Object(schema) => {
                        Some(json!({ "name": "body", "in": "body", "required": true, "schema": schema }))
                    }
                    Body::Patch => Some(json!({ "$ref": "#/parameters/body-78PwaGsr" })),
                    Body::DeleteOptions => Some(json!({ "$ref": "#/parameters/body-2Y1dVQaQ" })),
                };
                queries.splice(0..0, body);
            }
        }
        if !queries.is_empty() {
            out.insert("parameters".to_owned(), Json::Array(queries));
        }
        Json::Object(out)
    }

    fn request_body(&self, body: &Body) -> Option<Json> {
        let content = |media: &[&str], schema: &Json| -> Json {
            let entries = media.iter().map(|media| ((*media).to_owned(), json!({ "schema": schema })));
            Json::Object(entries.collect())
        };
        match body {
            Body::None => None,
            Body::Object(schema) => Some(json!({ "required": true, "content": content(&MEDIA, schema) })),
            Body::Patch => {
                Some(json!({ "required": true, "content": content(&PATCHES, &meta("Patch", self.dialect)) }))
            }
            Body::DeleteOptions => {
                Some(json!({ "content": content(&MEDIA, &meta("DeleteOptions", self.dialect)) }))
            }
        }
    }

    fn responses(&self, operation: &Operation<'_>) -> Json {
        let schema = &operation.answer;
        let mut responses = Map::new();
        for code in operation.codes {
            let words = match code {
                201 => "Created",
                202 => "Accepted",
                _ => "OK",
            };
            let response = match self.dialect {
                Dialect::V2 => json!({ "description": words, "schema": schema }),
                Dialect::V3 => {
                    let content =
                        MEDIA.iter().map(|media| ((*media).to_owned(), json!({ "schema": schema })));
                    json!({ "description": words, "content": content.collect::<Map<_, _>>() })
                }
            };
            responses.insert(code.to_string(), response);
        }
        responses.insert("401".to_owned(), json!({ "description": "Unauthorized" }));
        Json::Object(responses)
    }
}

/// Returns a name as ids have it: without what is neither letter nor digit, behind which a capital follows.
fn joined(name: &str, capital: bool) -> String {
    let mut out = String::new();
    let mut capital = capital;
    for (at, letter) in name.char_indices() {
        if letter.is_alphabetic() || letter == '_' || (at > 0 && letter.is_numeric()) {
            if capital {
                out.extend(letter.to_uppercase());
            } else {
                out.push(letter);
            }
            capital = false;
        } else {
            capital = true;
        }
    }
    out
}

/// Returns the article of a kind, between spaces; a plural has none.
fn article(kind: &str) -> &'static str {
    if kind.ends_with('s') && !kind.ends_with("ss") {
        " "
    } else if kind.to_lowercase().starts_with(['a', 'e', 'i', 'o', 'u']) {
        " an "
    } else {
        " a "
    }
}
