//! What following the fields of a Deployment costs on a write. Every write pays it, so it must stay small
//! beside decoding and storing; the bound is wide, because tests run unoptimised and on busy machines.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rhumb_meta::v1::ManagedFieldsEntry;
use rhumb_meta::{GroupVersion, Time};
use rhumb_patch::apply::{Endpoint, FieldSet, Filter, OneVersion, RequestedFields, Type};
use rhumb_schema::to_tree;
use serde_json::{Value, json};

fn deployment(containers: usize) -> Value {
    let container = |index: usize| {
        let env: Vec<Value> = (0..8)
            .map(|env| json!({"name": format!("NAME_{env}"), "value": format!("value of {env}")}))
            .collect();
        json!({
            "name": format!("container-{index}"), "image": "registry.example/some/image:v1.2.3", "env": env,
            "imagePullPolicy": "IfNotPresent", "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File", "args": ["--flag=1", "--other=2"],
            "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
            "resources": {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1", "memory": "1Gi"}},
            "volumeMounts": [{"name": "data", "mountPath": "/data"}],
            "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 10},
        })
    };
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {
            "name": "web", "namespace": "default", "uid": "uid", "labels": {"app": "web", "tier": "front"},
        },
        "spec": {
            "replicas": 3, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600,
            "selector": {"matchLabels": {"app": "web"}},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {
                    "containers": (0..containers).map(container).collect::<Vec<_>>(),
                    "volumes": [{"name": "data", "emptyDir": {}}],
                    "restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "schedulerName": "default",
                    "securityContext": {}, "terminationGracePeriodSeconds": 30,
                },
            },
        },
        "status": {"replicas": 3, "readyReplicas": 3, "observedGeneration": 4},
    })
}

/// The least time that some work took: the others were disturbed.
#[allow(clippy::disallowed_methods, reason = "a measurement reads the clock")]
fn measured(rounds: u32, mut work: impl FnMut()) -> Duration {
    let mut least = Duration::MAX;
    for _ in 0..rounds {
        let start = Instant::now();
        work();
        least = least.min(Instant::now() - start);
    }
    least
}

#[test]
fn following_the_fields_of_a_write_is_cheap() {
    let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
    let gv: GroupVersion = "apps/v1".parse().expect("a version");
    let known = scheme.known_type(&gv.with_kind("Deployment")).expect("a known kind");
    let empty = to_tree(scheme.new_object(&gv.with_kind("Deployment")).expect("a known kind").as_ref());
    let filters =
        BTreeMap::from([("apps/v1".to_owned(), Filter::Exclude(FieldSet::of_fields(&[&["status"]])))]);
    let endpoint = Endpoint {
        schema: Type::of(known.desc),
        api_version: "apps/v1",
        kind: "Deployment",
        subresource: "",
        empty: &empty,
        filters: &filters,
        versions: &OneVersion,
    };
    let now = Time::from_unix(1_700_000_000, 0);
    for containers in [1, 3, 8] {
        let live = deployment(containers);
        let created: Vec<ManagedFieldsEntry> =
            endpoint.update(&empty, &live, &[], RequestedFields::Absent, "creator", now);
        let applied = endpoint.apply(&live, &live_config(&live), &created, "applier", true, now);
        let fields = applied.expect("an apply by force").managed_fields;
        assert_eq!(fields.len(), 2);
        let mut new = live.clone();
        new["spec"]["replicas"] = 4.into();
        new["spec"]["template"]["spec"]["containers"][0]["image"] = "registry.example/some/image:v2".into();
        let mut owners = 0;
        let update = measured(200, || {
            owners = endpoint.update(&live, &new, &fields, RequestedFields::Absent, "updater", now).len();
        });
        assert_eq!(owners, 3);
        let create = measured(200, || {
            endpoint.update(&empty, &live, &[], RequestedFields::Absent, "creator", now);
        });
        let apply = measured(50, || {
            let config = live_config(&new);
            endpoint.apply(&live, &config, &fields, "applier", true, now).expect("an apply by force");
        });
        let size = live.to_string().len();
        println!("{size} bytes: update {update:?}, create {create:?}, apply {apply:?}");
        assert!(update < Duration::from_millis(20), "an update of {size} bytes took {update:?}");
    }
}

/// What a client that cares for all of the spec would apply.
fn live_config(object: &Value) -> Value {
    let metadata = json!({"name": "web"});
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": object["spec"]})
}
