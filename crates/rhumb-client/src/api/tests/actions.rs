//! What stands below objects.

use rhumb_api::authentication::v1::TokenRequest;
use rhumb_api::certificates::v1::CertificateSigningRequest;
use rhumb_api::core::v1::{Binding, Namespace, Pod, PodLogOptions};
use rhumb_meta::v1::{ApplyOptions, CreateOptions, DeleteOptions, PatchOptions, UpdateOptions};
use rhumb_scheme::Unstructured;
use serde_json::json;

use super::fake::{self, Fake, Reply, Seen};
use crate::config::ContentType;
use crate::{Answer, Patch};

const POD: &str = "/api/v1/namespaces/x/pods/a";

/// Returns what was sent, or that it is done.
fn echo(seen: &Seen) -> Reply {
    let done = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"});
    match seen.target.split('?').next().unwrap_or_default() {
        path if path.ends_with("/eviction") || path.ends_with("/binding") => fake::json(201, &done),
        path if path.ends_with("/log") => (200, "text/plain", b"one\ntwo\n".to_vec()),
        _ if seen.body.is_empty() => {
            fake::json(200, &json!({"kind": "Pod", "apiVersion": "v1", "metadata": {}}))
        }
        _ => fake::json(200, &seen.json()),
    }
}

#[tokio::test]
async fn pods_are_evicted_and_bound() {
    let fake = Fake::start(echo).await;
    let pods = fake.client(ContentType::Json).core_v1().pods("x");
    pods.evict("a", &DeleteOptions::default()).await.unwrap();
    let seen = fake.one();
    assert_eq!(seen.line(), format!("POST {POD}/eviction"));
    let expect =
        json!({"kind": "Eviction", "apiVersion": "policy/v1", "metadata": {"name": "a", "namespace": "x"}});
    assert_eq!(seen.json(), expect);
    let at_once = DeleteOptions { grace_period_seconds: Some(0), ..DeleteOptions::default() };
    pods.evict("a", &at_once).await.unwrap();
    assert_eq!(fake.one().json()["deleteOptions"], json!({"gracePeriodSeconds": 0}));

    let mut binding = Binding::default();
    binding.metadata.name = "a".to_owned();
    binding.target.name = "node".to_owned();
    let options = CreateOptions { dry_run: vec!["All".to_owned()], ..CreateOptions::default() };
    pods.bind(&binding, &options).await.unwrap();
    let seen = fake.one();
    assert_eq!(seen.line(), format!("POST {POD}/binding?dryRun=All"));
    assert_eq!((&seen.json()["kind"], &seen.json()["target"]["name"]), (&json!("Binding"), &json!("node")));
}

#[tokio::test]
async fn a_log_is_a_stream_of_bytes() {
    let fake = Fake::start(echo).await;
    let pods = fake.client(ContentType::Protobuf).core_v1().pods("x");
    let options = PodLogOptions {
        container: "c".to_owned(),
        follow: true,
        tail_lines: Some(5),
        ..PodLogOptions::default()
    };
    let log = pods.log("a", &options).await.unwrap();
    assert_eq!(&*log.collect(100).await.unwrap(), b"one\ntwo\n");
    assert_eq!(fake.one().line(), format!("GET {POD}/log?container=c&follow=true&tailLines=5"));
}

#[tokio::test]
async fn parts_are_read_and_written_apart() {
    let fake = Fake::start(echo).await;
    let client = fake.client(ContentType::Json);
    let pods = client.core_v1().pods("x");
    let mut pod = Pod::default();
    pod.metadata.name = "a".to_owned();
    pod.metadata.namespace = "x".to_owned();
    let expect = |line: &str, kind: &str| {
        let seen = fake.one();
        assert_eq!(seen.line(), line);
        assert_eq!(seen.json()["kind"], kind, "{line}");
    };
    let options = UpdateOptions::default();
    pods.update_ephemeral_containers(&pod, &options).await.unwrap();
    expect(&format!("PUT {POD}/ephemeralcontainers"), "Pod");
    pods.clone().all_namespaces().resize(&pod, &options).await.unwrap();
    expect(&format!("PUT {POD}/resize"), "Pod");
    pods.subresource::<Pod>("status").update("a", &pod, &options).await.unwrap();
    expect(&format!("PUT {POD}/status"), "Pod");

    let accounts = client.core_v1().service_accounts("x");
    let create = CreateOptions::default();
    accounts.create_token("builder", &TokenRequest::default(), &create).await.unwrap();
    expect("POST /api/v1/namespaces/x/serviceaccounts/builder/token", "TokenRequest");
    let mut namespace = Namespace::default();
    namespace.metadata.name = "x".to_owned();
    client.core_v1().namespaces().finalize(&namespace, &options).await.unwrap();
    expect("PUT /api/v1/namespaces/x/finalize", "Namespace");
    let mut request = CertificateSigningRequest::default();
    request.metadata.name = "r".to_owned();
    client
        .certificates_v1()
        .certificate_signing_requests()
        .update_approval(&request, &options)
        .await
        .unwrap();
    expect(
        "PUT /apis/certificates.k8s.io/v1/certificatesigningrequests/r/approval",
        "CertificateSigningRequest",
    );
}

#[tokio::test]
async fn any_subresource_can_be_asked() {
    let fake = Fake::start(echo).await;
    let pods = fake.client(ContentType::Protobuf).core_v1().pods("x");
    let status = pods.subresource::<Unstructured>("status");
    status.get("a").await.unwrap();
    let seen = fake.one();
    assert_eq!((seen.line(), seen.header("accept")), (format!("GET {POD}/status"), "application/json"));
    let patch = Patch::Strategic(json!({"status": {"phase": "Failed"}}));
    status.patch("a", &patch, &PatchOptions::default()).await.unwrap();
    assert_eq!(fake.one().line(), format!("PATCH {POD}/status"));
    let options = ApplyOptions { field_manager: "me".to_owned(), ..ApplyOptions::default() };
    let wanted = Unstructured::new(json!({"status": {"phase": "Failed"}})).unwrap();
    status.apply("a", &wanted, &options).await.unwrap();
    let seen = fake.one();
    assert_eq!(seen.line(), format!("PATCH {POD}/status?fieldManager=me&force=false"));
    let expect = json!({"apiVersion": "v1", "kind": "Pod", "status": {"phase": "Failed"}});
    assert_eq!(seen.json(), expect);
    let eviction = Unstructured::new(json!({"kind": "Eviction", "apiVersion": "policy/v1beta1"})).unwrap();
    let evictions = pods.subresource::<Unstructured>("eviction");
    let answer = evictions.create("a", &eviction, &CreateOptions::default()).await.unwrap();
    assert!(matches!(answer, Answer::Status(_)));
    assert_eq!(fake.one().json()["apiVersion"], "policy/v1beta1", "what it says of itself stays");
}
