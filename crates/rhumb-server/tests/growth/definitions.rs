//! Definitions of custom resources, their objects, and what a schema makes the server do with those.

use http::Method;
use serde_json::{Map, Value as Json, json};

use crate::inside::definitions::{DEFINITIONS, definition, until};
use crate::meter::{Ask, Costs};
use crate::world::World;

const OBJECTS: &str = "/apis/machines.example.com/v1/namespaces/growth/growths";
const JSON: &str = "application/json";

/// A definition with much of something.
pub(crate) struct Long {
    pub(crate) name: &'static str,
    /// How many there may be, of the length for elements.
    pub(crate) part: usize,
    pub(crate) make: fn(usize) -> Json,
}

fn schema(properties: Json) -> Json {
    json!({"type": "object", "properties": properties})
}

fn many(count: usize, one: impl Fn(usize) -> Json) -> Json {
    (0..count).map(|number| (format!("p{number}"), one(number))).collect::<Map<_, _>>().into()
}

fn defined(schema: &Json) -> Json {
    definition("growths", "Growth", schema)
}

/// A definition whose spec has something more.
fn with(field: &str, value: impl Into<Json>) -> Json {
    let mut defined = defined(&json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}));
    defined["spec"][field] = value.into();
    defined
}

/// A definition whose version has something more.
fn version_with(field: &str, value: impl Into<Json>) -> Json {
    let mut defined = defined(&schema(json!({"spec": {"type": "object",
        "x-kubernetes-preserve-unknown-fields": true, "properties": {"a": {"type": "string"}}}})));
    defined["spec"]["versions"][0][field] = value.into();
    defined
}

fn nested(depth: usize, inner: Json, wrap: fn(Json) -> Json) -> Json {
    (0..depth).fold(inner, |inner, _| wrap(inner))
}

/// All of them.
pub(crate) const DEFINITIONS_OF_LENGTH: &[Long] = &[
    Long {
        name: "properties",
        part: 1,
        make: |count| defined(&schema(many(count, |_| json!({"type": "string"})))),
    },
    Long {
        name: "properties with defaults",
        part: 1,
        make: |count| defined(&schema(many(count, |number| json!({"type": "integer", "default": number})))),
    },
    Long {
        name: "properties that are unknown types",
        part: 1,
        make: |count| defined(&schema(many(count, |_| json!({"type": "x", "format": "y"})))),
    },
    Long {
        name: "properties that are required",
        part: 1,
        make: |count| {
            let mut schema = schema(many(count, |_| json!({"type": "string"})));
            schema["required"] = (0..count).map(|number| json!(format!("p{number}"))).collect();
            defined(&schema)
        },
    },
    Long {
        name: "values of an enum",
        part: 1,
        make: |count| {
            let values: Json = (0..count).map(|number| json!(format!("v{number}"))).collect();
            defined(&schema(json!({"a": {"type": "string", "enum": values}})))
        },
    },
    Long {
        name: "equal values of an enum",
        part: 1,
        make: |count| defined(&schema(json!({"a": {"type": "string", "enum": vec!["v"; count]}}))),
    },
    Long {
        name: "objects in an enum",
        part: 1,
        make: |count| {
            let values: Json = (0..count).map(|number| json!({"a": [number]})).collect();
            defined(&schema(json!({"a": {"type": "object", "enum": values}})))
        },
    },
    Long {
        name: "nested properties",
        part: 40,
        make: |count| defined(&nested(count, json!({"type": "string"}), |inner| schema(json!({"a": inner})))),
    },
    Long {
        name: "nested items",
        part: 40,
        make: |count| {
            defined(&schema(json!({"a": nested(count, json!({"type": "string"}),
            |inner| json!({"type": "array", "items": inner}))})))
        },
    },
    Long {
        name: "nested alternatives",
        part: 40,
        make: |count| {
            defined(&schema(json!({"a": nested(count, json!({"minLength": 1}),
            |inner| json!({"type": "string", "anyOf": [inner]}))})))
        },
    },
    Long {
        name: "alternatives",
        part: 1,
        make: |count| {
            let values: Json = (0..count).map(|number| json!({"minLength": number})).collect();
            defined(&schema(
                json!({"a": {"type": "string", "anyOf": values, "allOf": values, "oneOf": values}}),
            ))
        },
    },
    Long {
        name: "a long pattern",
        part: 0,
        make: |count| {
            defined(&schema(
                json!({"a": {"type": "string", "pattern": format!("^{}$", "a?".repeat(count / 2))}}),
            ))
        },
    },
    Long {
        name: "patterns",
        part: 4,
        make: |count| {
            defined(&schema(many(
                count,
                |number| json!({"type": "string", "pattern": format!("^a{number}[a-z]*$")}),
            )))
        },
    },
    Long {
        name: "a long default",
        part: 0,
        make: |count| defined(&schema(json!({"a": {"type": "string", "default": "a".repeat(count)}}))),
    },
    Long {
        name: "a default with many elements",
        part: 1,
        make: |count| {
            defined(&schema(json!({"a": {"type": "array", "items": {"type": "integer"},
            "default": (0..count).collect::<Vec<_>>()}})))
        },
    },
    Long {
        name: "a default of a set",
        part: 1,
        make: |count| {
            defined(&schema(json!({"a": {"type": "array", "x-kubernetes-list-type": "set",
            "items": {"type": "integer"}, "default": (0..count).collect::<Vec<_>>()}})))
        },
    },
    Long {
        name: "keys of a list",
        part: 1,
        make: |count| {
            let keys: Vec<_> = (0..count).map(|number| format!("p{number}")).collect();
            let item = json!({"type": "object", "required": keys.clone(),
            "properties": many(count, |_| json!({"type": "string"}))});
            defined(&schema(json!({"a": {"type": "array", "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": keys, "items": item}})))
        },
    },
    Long {
        name: "rules",
        part: 8,
        make: |count| {
            let rules: Json = (0..count)
                .map(|number| json!({"rule": format!("self.a != 'v{number}'"), "message": "m"}))
                .collect();
            let mut schema = schema(json!({"a": {"type": "string", "maxLength": 9}}));
            schema["x-kubernetes-validations"] = rules;
            defined(&schema)
        },
    },
    Long {
        name: "a long rule",
        part: 0,
        make: |count| {
            let mut schema = schema(json!({"a": {"type": "string", "maxLength": 9}}));
            let rule = format!("self.a != 'v'{}", " && self.a != 'v'".repeat(count / 17));
            schema["x-kubernetes-validations"] = json!([{"rule": rule, "message": "m"}]);
            defined(&schema)
        },
    },
    Long {
        name: "a long description",
        part: 0,
        make: |count| defined(&json!({"type": "object", "description": "a\n".repeat(count / 2)})),
    },
    Long {
        name: "versions",
        part: 2,
        make: |count| {
            let version = |number: usize| {
                json!({"name": format!("v{}", number + 1), "served": number == 0,
            "storage": number == 0, "schema": {"openAPIV3Schema": {"type": "object"}}})
            };
            with("versions", (0..count).map(version).collect::<Vec<_>>())
        },
    },
    Long {
        name: "versions that are served",
        part: 8,
        make: |count| {
            let version = |number: usize| {
                json!({"name": format!("v{}", number + 1), "served": true,
            "storage": number == 0, "schema": {"openAPIV3Schema": schema(json!({"a": {"type": "string"}}))}})
            };
            with("versions", (0..count).map(version).collect::<Vec<_>>())
        },
    },
    Long {
        name: "versions of one name",
        part: 2,
        make: |count| {
            let version = json!({"name": "v1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object"}}});
            with("versions", vec![version; count])
        },
    },
    Long {
        name: "short names",
        part: 1,
        make: |count| {
            let names: Vec<_> = (0..count).map(|number| format!("s{number}")).collect();
            with(
                "names",
                json!({"plural": "growths", "kind": "Growth", "shortNames": names, "categories": names}),
            )
        },
    },
    Long {
        name: "columns",
        part: 1,
        make: |count| {
            let column = |number: usize| {
                let name = format!("c{number}");
                json!({"name": name, "type": "string", "jsonPath": ".spec.a"})
            };
            version_with("additionalPrinterColumns", (0..count).map(column).collect::<Vec<_>>())
        },
    },
    Long {
        name: "a column with a long path",
        part: 0,
        make: |count| {
            let column = json!({"name": "c", "type": "string", "jsonPath": ".a".repeat(count / 2)});
            version_with("additionalPrinterColumns", json!([column]))
        },
    },
    Long {
        name: "selectable fields",
        part: 1,
        make: |count| {
            let field = |number: usize| json!({"jsonPath": format!(".spec.p{number}")});
            let mut defined = version_with("selectableFields", (0..count).map(field).collect::<Vec<_>>());
            defined["spec"]["versions"][0]["schema"]["openAPIV3Schema"] =
                schema(json!({"spec": schema(many(count, |_| json!({"type": "string"})))}));
            defined
        },
    },
];

/// A schema, the value with much that an object of it has as `spec`, and what they are called.
pub(crate) struct Custom {
    pub(crate) name: &'static str,
    /// How many there may be, of the length for elements.
    pub(crate) part: usize,
    pub(crate) schema: fn() -> Json,
    pub(crate) make: fn(usize) -> Json,
}

fn items(list_type: &str, item: Json) -> Json {
    json!({"type": "array", "x-kubernetes-list-type": list_type, "items": item})
}

fn keyed() -> Json {
    let mut list = items(
        "map",
        json!({"type": "object", "required": ["k"], "properties": {
        "k": {"type": "string"}, "v": {"type": "string"}, "d": {"type": "integer", "default": 1}}}),
    );
    list["x-kubernetes-list-map-keys"] = json!(["k"]);
    list
}

/// All of them.
pub(crate) const OBJECTS_OF_LENGTH: &[Custom] = &[
    Custom {
        name: "a list",
        part: 1,
        schema: || {
            items(
                "atomic",
                json!({"type": "object", "properties": {
        "a": {"type": "string"}, "d": {"type": "integer", "default": 1}}}),
            )
        },
        make: |count| (0..count).map(|number| json!({"a": format!("n{number}")})).collect(),
    },
    Custom {
        name: "a list of unknown fields",
        part: 1,
        schema: || {
            items(
                "atomic",
                json!({"type": "object",
        "properties": {"a": {"type": "string"}}}),
            )
        },
        make: |count| (0..count).map(|number| json!({"a": "b", format!("f{number}"): 1})).collect(),
    },
    Custom {
        name: "a list of the wrong type",
        part: 1,
        schema: || items("atomic", json!({"type": "string"})),
        make: |count| (0..count).map(|number| json!(number)).collect(),
    },
    Custom {
        name: "a set",
        part: 1,
        schema: || items("set", json!({"type": "string"})),
        make: |count| (0..count).map(|number| json!(format!("n{number}"))).collect(),
    },
    Custom {
        name: "a set of equals",
        part: 1,
        schema: || items("set", json!({"type": "string"})),
        make: |count| vec!["n"; count].into(),
    },
    Custom {
        name: "a set of numbers",
        part: 1,
        schema: || items("set", json!({"type": "number"})),
        make: |count| (0..count).map(|number| json!(number as f64 + 0.5)).collect(),
    },
    Custom {
        name: "a set of lists",
        part: 1,
        schema: || items("set", items("atomic", json!({"type": "integer"}))),
        make: |count| (0..count).map(|number| json!([1, number])).collect(),
    },
    Custom {
        name: "a keyed list",
        part: 1,
        schema: keyed,
        make: |count| (0..count).map(|number| json!({"k": format!("n{number}"), "v": "a"})).collect(),
    },
    Custom {
        name: "a keyed list with a long default",
        part: 1,
        schema: || {
            let mut list = keyed();
            list["items"]["properties"]["d"] = json!({"type": "string", "default": "d".repeat(5_000)});
            list
        },
        make: |count| (0..count).map(|number| json!({"k": format!("n{number}")})).collect(),
    },
    Custom {
        name: "a keyed list with a long key by default",
        part: 1,
        schema: || {
            let mut list = keyed();
            list["items"]["properties"]["d"] = json!({"type": "string", "default": "d".repeat(5_000)});
            list["x-kubernetes-list-map-keys"] = json!(["k", "d"]);
            list
        },
        make: |count| (0..count).map(|number| json!({"k": format!("n{number}")})).collect(),
    },
    Custom {
        name: "a keyed list of equals",
        part: 1,
        schema: keyed,
        make: |count| vec![json!({"k": "n", "v": "a"}); count].into(),
    },
    Custom {
        name: "a map",
        part: 1,
        schema: || json!({"type": "object", "additionalProperties": {"type": "string"}}),
        make: |count| many(count, |_| json!("v")),
    },
    Custom {
        name: "unknown fields",
        part: 1,
        schema: || json!({"type": "object", "properties": {"a": {"type": "string"}}}),
        make: |count| many(count, |_| json!("v")),
    },
    Custom {
        name: "fields that are kept",
        part: 1,
        schema: || json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
        make: |count| many(count, |number| json!({"a": [number]})),
    },
    Custom {
        name: "a text",
        part: 0,
        schema: || json!({"type": "string", "maxLength": 9, "minLength": 3}),
        make: |count| "a".repeat(count).into(),
    },
    Custom {
        name: "a text with a pattern",
        part: 0,
        schema: || json!({"type": "string", "pattern": "^(a|b)*c?$"}),
        make: |count| "ab".repeat(count / 2).into(),
    },
    Custom {
        name: "a text with a pattern that counts",
        part: 0,
        schema: || json!({"type": "string", "pattern": "[^b]{50}"}),
        make: |count| format!("{}b", "a".repeat(40)).repeat(count / 41).into(),
    },
    Custom {
        name: "a text in a format",
        part: 0,
        schema: || json!({"type": "string", "format": "date-time"}),
        make: |count| "1".repeat(count).into(),
    },
    Custom {
        name: "a text in an enum",
        part: 0,
        schema: || json!({"type": "string", "enum": ["a", "b"]}),
        make: |count| "1".repeat(count).into(),
    },
    Custom {
        name: "a list in an enum",
        part: 1,
        schema: || json!({"type": "array", "items": {"type": "integer"}, "enum": [[1], [2]]}),
        make: |count| (0..count).collect::<Vec<_>>().into(),
    },
    Custom {
        name: "a list that is unique",
        part: 1,
        schema: || json!({"type": "array", "maxItems": 3, "items": {"type": "integer"}}),
        make: |count| (0..count).collect::<Vec<_>>().into(),
    },
    Custom {
        name: "alternatives",
        part: 1,
        schema: || {
            json!({"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}},
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}], "not": {"required": ["c"]}}})
        },
        make: |count| (0..count).map(|_| json!({"b": 1})).collect(),
    },
    Custom {
        name: "nesting",
        part: 40,
        schema: || json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
        make: |count| nested(count, json!({}), |inner| json!({"a": inner})),
    },
    Custom {
        name: "embedded objects",
        part: 1,
        schema: || {
            json!({"type": "array", "items": {"type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true}})
        },
        make: |count| {
            (0..count)
                .map(|number| {
                    json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": format!("n{number}")}})
                })
                .collect()
        },
    },
];

impl Long {
    /// Makes the definition, dry and real, looks at it and removes it.
    pub(crate) async fn run(&self, world: &World, count: usize) -> Costs {
        let defined = (self.make)(count);
        let body = defined.to_string();
        let mut costs = Costs::new();
        let mut note = async |label: &str, ask: Ask| {
            let mut cost = world.cost(ask).await;
            // What the definition has is a part of all that is asked about it.
            cost.sent = cost.sent.max(body.len());
            costs.push((label.to_owned(), cost));
            cost.code
        };
        let post =
            |query: &str| Ask::new(Method::POST, format!("{DEFINITIONS}{query}")).sending(JSON, body.clone());
        note("create", post("?dryRun=All")).await;
        if note("store", post("")).await == 201 {
            let one = format!("{DEFINITIONS}/growths.machines.example.com");
            // It may be too deep to be read by what a test reads it with.
            until(&world.server, &one, |said| says(&said.body, "\"NamesAccepted\"")).await;
            note("get", Ask::new(Method::GET, one.clone())).await;
            let apply = "application/apply-patch+yaml";
            let dry = format!("{one}?dryRun=All&fieldManager=growth&force=true");
            note("apply", Ask::new(Method::PATCH, dry).sending(apply, body.clone())).await;
            note("openapi", Ask::new(Method::GET, "/openapi/v3/apis/machines.example.com/v1")).await;
            note("discovery", Ask::new(Method::GET, "/apis/machines.example.com/v1")).await;
            let object = json!({"apiVersion": "machines.example.com/v1", "kind": "Growth",
                "metadata": {"name": "g"}, "spec": {"a": "b"}, "a": "b"});
            let object =
                Ask::new(Method::POST, format!("{OBJECTS}?dryRun=All")).sending(JSON, object.to_string());
            note("create an object", object).await;
            let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
            note("list objects", Ask::new(Method::GET, OBJECTS).with("accept", table)).await;
            undefine(world).await;
        }
        costs
    }
}

/// Whether an answer has a text in it.
fn says(body: &[u8], text: &str) -> bool {
    body.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Removes the definition and waits until it is gone.
pub(crate) async fn undefine(world: &World) {
    let one = format!("{DEFINITIONS}/growths.machines.example.com");
    world.server.delete(&one).await;
    until(&world.server, &one, |said| said.code == 404).await;
}

impl Custom {
    /// Defines the kind.
    pub(crate) async fn define(&self, world: &World) {
        let schema = schema(json!({"spec": (self.schema)()}));
        crate::inside::definitions::define(&world.server, defined(&schema)).await;
    }

    /// Makes an object, changes it in every way and deletes it.
    pub(crate) async fn run(&self, world: &World, count: usize) -> Costs {
        let object = |spec: Json| {
            json!({"apiVersion": "machines.example.com/v1", "kind": "Growth",
            "metadata": {"name": "g"}, "spec": spec})
        };
        let spec = (self.make)(count);
        let long = object(spec.clone()).to_string();
        let mut costs = Costs::new();
        let mut note = async |label: &str, ask: Ask| {
            let cost = world.cost(ask).await;
            costs.push((label.to_owned(), cost));
            cost.code
        };
        let post =
            |query: &str| Ask::new(Method::POST, format!("{OBJECTS}{query}")).sending(JSON, long.clone());
        note("create strictly", post("?dryRun=All&fieldValidation=Strict")).await;
        note("create", post("?dryRun=All")).await;
        let one = format!("{OBJECTS}/g");
        let dry = format!("{one}?dryRun=All&fieldManager=growth&force=true");
        note(
            "apply",
            Ask::new(Method::PATCH, dry.clone()).sending("application/apply-patch+yaml", long.clone()),
        )
        .await;
        if note("store", post("?fieldManager=growth")).await != 201 {
            return costs;
        }
        let backwards = match spec {
            Json::Array(list) => list.into_iter().rev().collect(),
            Json::Object(map) => {
                map.into_iter().map(|(key, value)| (key + "x", value)).collect::<Map<_, _>>().into()
            }
            other => other,
        };
        let mut put = world.server.get(&one).await.json;
        put["spec"] = backwards.clone();
        let backwards = object(backwards).to_string();
        let little = object((self.make)(1)).to_string();
        note("get", Ask::new(Method::GET, one.clone())).await;
        note("list", Ask::new(Method::GET, OBJECTS)).await;
        let dry_put = format!("{one}?dryRun=All&fieldManager=growth");
        note("replace", Ask::new(Method::PUT, dry_put.clone()).sending(JSON, put.to_string())).await;
        let merge = "application/merge-patch+json";
        note("merge", Ask::new(Method::PATCH, dry_put.clone()).sending(merge, backwards.clone())).await;
        let patch: Vec<_> = (0..count.min(9_900))
            .map(|_| json!({"op": "test", "path": "/kind", "value": "Growth"}))
            .collect();
        let json_patch = "application/json-patch+json";
        note("json patch", Ask::new(Method::PATCH, dry_put).sending(json_patch, json!(patch).to_string()))
            .await;
        for (label, body) in
            [("apply it", &long), ("apply it backwards", &backwards), ("apply little", &little)]
        {
            let apply = Ask::new(Method::PATCH, dry.clone());
            note(label, apply.sending("application/apply-patch+yaml", body.clone())).await;
        }
        note("delete", Ask::new(Method::DELETE, one)).await;
        costs
    }
}
