//! Which fields objects can be selected by, and how the labels are called inside.

use rhumb_meta::GroupVersionKind;

fn check(
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    known: &[(&str, &str)],
    error: &str,
) {
    let scheme = rhumb_api::scheme().expect("the scheme");
    let gvk = GroupVersionKind::new(group, version, kind);
    for (label, inside) in known {
        let converted = scheme.convert_field_label(&gvk, label, "x");
        assert_eq!(converted, Ok(((*inside).to_owned(), "x".to_owned())), "{gvk} {label}");
    }
    let refused = scheme.convert_field_label(&gvk, "spec.other", "x").expect_err("an unknown label");
    assert_eq!(refused.to_string(), error, "{gvk}");
}

#[test]
fn core() {
    check(
        "",
        "v1",
        "Pod",
        &[
            ("metadata.name", "metadata.name"),
            ("metadata.namespace", "metadata.namespace"),
            ("spec.nodeName", "spec.nodeName"),
            ("spec.host", "spec.nodeName"),
            ("spec.restartPolicy", "spec.restartPolicy"),
            ("spec.schedulerName", "spec.schedulerName"),
            ("spec.serviceAccountName", "spec.serviceAccountName"),
            ("spec.hostNetwork", "spec.hostNetwork"),
            ("status.phase", "status.phase"),
            ("status.podIP", "status.podIP"),
            ("status.podIPs", "status.podIPs"),
            ("status.nominatedNodeName", "status.nominatedNodeName"),
        ],
        "field label not supported: spec.other",
    );
    let namespace = [("metadata.name", "metadata.name"), ("status.phase", "status.phase")];
    check("", "v1", "Namespace", &namespace, "field label not supported: spec.other");
    check(
        "",
        "v1",
        "Service",
        &[
            ("metadata.name", "metadata.name"),
            ("metadata.namespace", "metadata.namespace"),
            ("spec.clusterIP", "spec.clusterIP"),
            ("spec.type", "spec.type"),
        ],
        "field label not supported: spec.other",
    );
}

#[test]
fn core_kinds_beside_pods() {
    let error = "field label not supported: spec.other";
    let same = |kind, labels: &[&'static str]| {
        let labels: Vec<_> = labels.iter().map(|label| (*label, *label)).collect();
        check("", "v1", kind, &labels, error);
    };
    same("Node", &["metadata.name", "spec.unschedulable"]);
    same("ReplicationController", &["metadata.name", "metadata.namespace", "status.replicas"]);
    same("Secret", &["type", "metadata.name", "metadata.namespace"]);
    let object = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
    let own = ["reason", "reportingComponent", "source", "type", "metadata.namespace", "metadata.name"];
    let inside = object.map(|field| format!("involvedObject.{field}"));
    let outside = object.map(|field| format!("regarding.{field}"));
    let core: Vec<_> = inside.iter().map(String::as_str).chain(own).map(|label| (label, label)).collect();
    check("", "v1", "Event", &core, error);
    let mut labels: Vec<_> =
        outside.iter().map(String::as_str).zip(inside.iter().map(String::as_str)).collect();
    labels.extend([("reportingController", "reportingComponent"), ("reason", "reason"), ("type", "type")]);
    for version in ["v1", "v1beta1"] {
        check("events.k8s.io", version, "Event", &labels, error);
    }
}

/// Namespaces have no namespace to select by.
#[test]
fn namespaces_are_not_selected_by_namespace() {
    let scheme = rhumb_api::scheme().expect("the scheme");
    let gvk = GroupVersionKind::new("", "v1", "Namespace");
    assert!(scheme.convert_field_label(&gvk, "metadata.namespace", "x").is_err());
}

#[test]
fn apps() {
    let known = [("metadata.name", "metadata.name"), ("status.successful", "status.successful")];
    let error =
        |version: &str| format!("field label not supported for apps{version}.StatefulSet: spec.other");
    check("apps", "v1beta1", "StatefulSet", &known, &error("v1beta1"));
    check("apps", "v1beta2", "StatefulSet", &known, &error("v1beta2"));
    let error =
        "\"spec.other\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"";
    check("apps", "v1", "StatefulSet", &known[..1], error);
}

#[test]
fn certificates() {
    let group = "certificates.k8s.io";
    let known =
        ["metadata.name", "spec.signerName", "spec.podName", "spec.nodeName"].map(|label| (label, label));
    let error = "field label not supported: spec.other";
    check(group, "v1", "CertificateSigningRequest", &known[..2], error);
    check(group, "v1beta1", "CertificateSigningRequest", &known[..2], error);
    check(group, "v1beta1", "ClusterTrustBundle", &known[..2], error);
    check(group, "v1alpha1", "ClusterTrustBundle", &known[..2], error);
    check(group, "v1beta1", "PodCertificateRequest", &known, error);
    check(group, "v1alpha1", "PodCertificateRequest", &known, error);
}

#[test]
fn resource() {
    for version in ["v1", "v1beta2", "v1beta1", "v1alpha3"] {
        check(
            "resource.k8s.io",
            version,
            "ResourceSlice",
            &[
                ("metadata.name", "metadata.name"),
                ("spec.nodeName", "spec.nodeName"),
                ("spec.driver", "spec.driver"),
            ],
            &format!(
                "field label not supported for resource.k8s.io/{version}, Kind=ResourceSlice: spec.other"
            ),
        );
    }
    check(
        "resource.k8s.io",
        "v1alpha2",
        "ResourceSlice",
        &[("nodeName", "nodeName"), ("driverName", "driverName")],
        "field label not supported for resource.k8s.io/v1alpha2, Kind=ResourceSlice: spec.other",
    );
}

#[test]
fn batch() {
    let known = [("metadata.name", "metadata.name"), ("status.successful", "status.successful")];
    check("batch", "v1", "Job", &known, "field label \"spec.other\" not supported for Job");
    for version in ["v1beta1", "v2alpha1"] {
        let error = "field label \"spec.other\" not supported for \"CronJob\"";
        check("batch", version, "CronJob", &known, error);
    }
}
