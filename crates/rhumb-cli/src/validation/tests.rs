//! Validation against a server whose document is an excerpt of Kubernetes'. The words about objects are those of kubectl
//! 1.36 and a kube-apiserver whose document was stripped of `fieldValidation`.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rhumb_client::config::{Environment, NoWarnings};
use serde_json::json;

use super::*;
use crate::command::{Action, Command, parse};
use crate::{Factory, global};

static ROOT: Command = Command { name: "kubectl", action: Action::Plain(|_| Ok(())), ..Command::EMPTY };

/// A server that answers everything with one document; how often it was asked.
fn serve(document: Value) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (asked, body) = (Arc::new(AtomicUsize::new(0)), document.to_string());
    let count = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let head = BufReader::new(stream.try_clone().unwrap()).lines();
            let first = head.map(Result::unwrap).take_while(|line| !line.is_empty()).next();
            count.fetch_add(
                usize::from(first.is_some_and(|line| line.contains("/openapi/v2"))),
                Ordering::SeqCst,
            );
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\
                 \r\n\r\n{body}"
            );
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    (format!("http://{address}"), asked)
}

fn factory(server: &str) -> Factory {
    let args: Vec<String> = ["-s", server].iter().map(|word| (*word).to_owned()).collect();
    let parsed = parse(&ROOT, global::FLAGS, "kubectl", &args).unwrap();
    Factory::new(&parsed.flags, Environment::empty(), Arc::new(NoWarnings))
}

/// What is wrong with an object; nothing if it may be sent.
fn checked(validator: &Validator, object: &str) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let done = runtime.block_on(validator.check(object.as_bytes()));
    done.err().map(|failure| failure.bare()).unwrap_or_default()
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/definitions/{name}")})
}

/// An excerpt of Kubernetes' document, whose patches take some parameters.
fn document(parameters: Value) -> Value {
    let kind = |group: &str, kind: &str| json!({"group": group, "version": "v1", "kind": kind});
    let text = json!({"type": "string"});
    let list_of = |items: Value| json!({"type": "array", "items": items});
    let map_of = |of: Value| json!({"type": "object", "additionalProperties": of});
    let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required});
    let of_kind = |mut definition: Value, of: Value| {
        definition[document::KINDS] = json!([of]);
        definition
    };
    let meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    let quantity = "io.k8s.apimachinery.pkg.api.resource.Quantity";
    let int_or_string = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
    let core = |name: &str| format!("io.k8s.api.core.v1.{name}");
    let spec = "io.k8s.api.apps.v1.DeploymentSpec";
    json!({
        "swagger": "2.0",
        "parameters": {"validation-x": {"name": "fieldValidation", "in": "query"}},
        "paths": {
            "/api/v1/namespaces/{namespace}/configmaps/{name}": {
                "parameters": parameters.clone(),
                "patch": {document::KINDS: kind("", "ConfigMap"), "parameters": [{"name": "dryRun"}]},
            },
            "/apis/apps/v1/namespaces/{namespace}/deployments/{name}": {
                "patch": {document::KINDS: kind("apps", "Deployment"), "parameters": parameters},
            },
        },
        "definitions": {
            "io.k8s.api.core.v1.ConfigMap": of_kind(
                object(
                    json!({
                        "apiVersion": text, "kind": text, "metadata": reference(meta), "immutable": {"type": "boolean"},
                        "data": map_of(text.clone()),
                    }),
                    json!([]),
                ),
                kind("", "ConfigMap"),
            ),
            "io.k8s.api.apps.v1.Deployment": of_kind(
                object(
                    json!({
                        "apiVersion": text, "kind": text, "metadata": reference(meta), "spec": reference(spec),
                    }),
                    json!([]),
                ),
                kind("apps", "Deployment"),
            ),
            spec: object(
                json!({
                    "replicas": {"type": "integer"}, "selector": {"type": "object"},
                    "strategy": {"properties": {"maxSurge": reference(int_or_string)}},
                    "template": object(json!({"spec": reference(&core("PodSpec"))}), json!([])),
                }),
                json!(["selector", "template"]),
            ),
            core("PodSpec"): object(json!({"containers": list_of(reference(&core("Container")))}), json!([])),
            core("Container"): object(
                json!({
                    "image": text, "name": text, "ports": list_of(reference(&core("ContainerPort"))),
                    "resources": object(json!({"limits": map_of(reference(quantity))}), json!([])),
                }),
                json!(["name"]),
            ),
            core("ContainerPort"): object(json!({"containerPort": {"type": "integer"}}), json!(["containerPort"])),
            meta: object(
                json!({
                    "name": text, "labels": map_of(text.clone()), "annotations": map_of(text.clone()),
                    "managedFields": list_of(json!({"type": "object"})),
                }),
                json!([]),
            ),
            quantity: {"type": "string"},
            int_or_string: {"type": "string", "format": "int-or-string"},
        },
    })
}

#[test]
fn an_object_must_say_what_it_is() {
    let validator = factory("http://127.0.0.1:1").validator(FieldValidation::Strict, FieldChecks::ByServer);
    for (object, problem) in [
        ("kind: Pod\napiVersion: v1\nfoo: 1", ""),
        ("{}", "[apiVersion not set, kind not set]"),
        (r#"{"kind":3,"apiVersion":"v1"}"#, "kind isn't string type"),
        ("kind: Pod\napiVersion: a/b/c", "unexpected GroupVersion string: a/b/c"),
        ("[]", "invalid object to validate"),
    ] {
        assert_eq!(checked(&validator, object), problem, "{object}");
    }
    // Whoever wants nothing checked gets nothing checked.
    let validator = factory("http://127.0.0.1:1").validator(FieldValidation::Ignore, FieldChecks::ByDocument);
    assert_eq!(checked(&validator, "{}"), "");
}

#[test]
fn a_server_that_looks_for_unknown_fields_does_it_alone() {
    for parameters in [
        json!([{"name": "fieldManager"}, {"name": "fieldValidation"}]),
        json!([{"$ref": "#/parameters/validation-x"}]),
    ] {
        let (server, asked) = serve(document(parameters));
        let validator = factory(&server).validator(FieldValidation::Strict, FieldChecks::ByDocument);
        for (kind, version) in [("ConfigMap", "v1"), ("Deployment", "apps/v1")] {
            let object = format!(r#"{{"kind":"{kind}","apiVersion":"{version}","foo":1}}"#);
            assert_eq!(checked(&validator, &object), "");
        }
        assert_eq!(asked.load(Ordering::SeqCst), 1, "the document is asked for once");
    }
}

#[test]
fn for_an_old_server_fields_are_looked_for_here() {
    let (server, _) = serve(document(json!([{"name": "fieldManager"}])));
    let strict = factory(&server).validator(FieldValidation::Strict, FieldChecks::ByDocument);
    for (object, problem) in [
        (r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"z"}}"#, ""),
        (
            r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"z"},"foo":1}"#,
            r#"ValidationError(ConfigMap): unknown field "foo" in io.k8s.api.core.v1.ConfigMap"#,
        ),
        (
            r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"z","foo":1},
                "data":{"e":{},"d":[],"c":null,"b":true,"a":1},"immutable":"x"}"#,
            "[unknown object type \"nil\" in ConfigMap.data.c, \
             ValidationError(ConfigMap.data.d): invalid type for io.k8s.api.core.v1.ConfigMap.data: got \"array\", \
             expected \"string\", \
             ValidationError(ConfigMap.data.e): invalid type for io.k8s.api.core.v1.ConfigMap.data: got \"map\", \
             expected \"string\", \
             ValidationError(ConfigMap.immutable): invalid type for io.k8s.api.core.v1.ConfigMap.immutable: got \
             \"string\", expected \"boolean\", \
             ValidationError(ConfigMap.metadata): unknown field \"foo\" in \
             io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta]",
        ),
        (
            r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":[],"data":"x","immutable":1.5}"#,
            "[ValidationError(ConfigMap.data): invalid type for io.k8s.api.core.v1.ConfigMap.data: got \"string\", \
             expected \"map\", \
             ValidationError(ConfigMap.immutable): invalid type for io.k8s.api.core.v1.ConfigMap.immutable: got \
             \"number\", expected \"boolean\", \
             ValidationError(ConfigMap.metadata): invalid type for io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta: \
             got \"array\", expected \"map\"]",
        ),
        (
            r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"labels":{"a":"b","a":"c"},
                "annotations":{"x":"1","y":"2","x":"3"}}}"#,
            "[duplicate key: a, duplicate key: x]",
        ),
        (
            r#"{"kind":"Deployment","apiVersion":"apps/v1","spec":{"replicas":"x","template":{"spec":{"containers":
                [{"image":"a","ports":[{}]},null,"x",{"name":3,"resources":{"limits":{"cpu":1,"x":{}}}}],"x":1}}}}"#,
            "[ValidationError(Deployment.spec.replicas): invalid type for \
             io.k8s.api.apps.v1.DeploymentSpec.replicas: got \"string\", expected \"integer\", \
             ValidationError(Deployment.spec.template.spec.containers[0].ports[0]): missing required field \
             \"containerPort\" in io.k8s.api.core.v1.ContainerPort, \
             ValidationError(Deployment.spec.template.spec.containers[0]): missing required field \"name\" in \
             io.k8s.api.core.v1.Container, \
             ValidationError(Deployment.spec.template.spec.containers): unknown object type \"nil\" in \
             Deployment.spec.template.spec.containers[1], \
             ValidationError(Deployment.spec.template.spec.containers[2]): invalid type for \
             io.k8s.api.core.v1.Container: got \"string\", expected \"map\", \
             ValidationError(Deployment.spec.template.spec.containers[3].resources.limits.x): invalid type for \
             io.k8s.apimachinery.pkg.api.resource.Quantity: got \"map\", expected \"string\", \
             ValidationError(Deployment.spec.template.spec): unknown field \"x\" in io.k8s.api.core.v1.PodSpec, \
             ValidationError(Deployment.spec): missing required field \"selector\" in \
             io.k8s.api.apps.v1.DeploymentSpec]",
        ),
        // A list is checked item by item, what is wrong is told once, and kinds that the server doesn't have are its
        // affair.
        (
            r#"{"kind":"List","apiVersion":"v1","items":[{"kind":"ConfigMap","apiVersion":"v1","foo":1},
                {"kind":"ConfigMap","apiVersion":"v1","foo":1},{"kind":"Foo","apiVersion":"v1"}]}"#,
            r#"ValidationError(ConfigMap): unknown field "foo" in io.k8s.api.core.v1.ConfigMap"#,
        ),
        (r#"{"kind":"Foo","apiVersion":"example.com/v1","foo":1}"#, ""),
    ] {
        assert_eq!(checked(&strict, object), problem, "{object}");
    }
    // A warning is all that is asked for, and nobody can give it.
    let warn = factory(&server).validator(FieldValidation::Warn, FieldChecks::ByDocument);
    assert_eq!(checked(&warn, r#"{"kind":"ConfigMap","apiVersion":"v1","foo":1}"#), "");
}

#[test]
fn a_server_that_can_not_be_asked_is_told_of() {
    let validator = factory("http://127.0.0.1:1").validator(FieldValidation::Strict, FieldChecks::ByDocument);
    let problem = checked(&validator, r#"{"kind":"ConfigMap","apiVersion":"v1"}"#);
    assert!(problem.starts_with("failed to download openapi: "), "{problem}");
}
