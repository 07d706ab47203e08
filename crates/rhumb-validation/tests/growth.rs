//! No rule takes time that grows faster than the object: one that is four times as large takes little more than four
//! times as long. And what errors say of a large value is bounded, however often they say it.
#![allow(clippy::disallowed_methods, reason = "it measures time")]
#![allow(clippy::print_stdout, reason = "what was measured is worth reading")]

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rhumb_codec::Codecs;
use rhumb_meta::{GroupVersion, Object};
use rhumb_scheme::ToInternal;
use rhumb_scheme::validation::{Context, FieldErrors};
use serde_json::{Value as Json, json};

static V1: GroupVersion = GroupVersion::new_static("", "v1");

struct Rules(Codecs);

impl Rules {
    fn new() -> Self {
        Rules(Codecs::new(Arc::new(rhumb_validation::scheme().expect("the scheme"))))
    }

    fn decode(&self, tree: &Json) -> Box<dyn Object> {
        self.0.decode_to(tree.to_string().as_bytes(), None, &ToInternal).expect("an object").object
    }

    fn create(&self, object: &dyn Object) -> FieldErrors {
        rhumb_validation::validate_create(self.0.scheme(), object, &Context::new(&V1))
    }

    fn update(&self, new: &dyn Object, old: &dyn Object, subresource: Option<&str>) -> FieldErrors {
        rhumb_validation::validate_update(self.0.scheme(), new, old, subresource, &Context::new(&V1))
    }

    /// Compares the checks of an object with those of one four times as large.
    fn grow_slowly(&self, what: &str, size: usize, make: impl Fn(usize) -> Json) {
        let (small, large) = (self.decode(&make(size)), self.decode(&make(4 * size)));
        compare(what, size, || drop(self.create(&*small)), || drop(self.create(&*large)));
    }

    /// The same for changes.
    fn grow_slowly_on(
        &self,
        what: &str,
        subresource: Option<&str>,
        size: usize,
        make: impl Fn(usize) -> (Json, Json),
    ) {
        let pair = |size: usize| {
            let (new, old) = make(size);
            (self.decode(&new), self.decode(&old))
        };
        let (small, large) = (pair(size), pair(4 * size));
        compare(
            what,
            size,
            || drop(self.update(&*small.0, &*small.1, subresource)),
            || drop(self.update(&*large.0, &*large.1, subresource)),
        );
    }
}

/// One measurement at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// How long this thread has run, which a busy machine changes less than the time of day.
fn now(start: Instant) -> Duration {
    let ran = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = ran.and_then(|text| text.split(' ').next()?.parse().ok());
    ran.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// The least time of some rounds.
fn least(mut round: impl FnMut()) -> Duration {
    let _alone = ALONE.lock();
    let mut least = Duration::MAX;
    let clock = Instant::now();
    for _ in 0..3 {
        let start = now(clock);
        round();
        least = least.min(now(clock) - start);
    }
    least
}

fn compare(what: &str, size: usize, small: impl FnMut(), large: impl FnMut()) {
    let (one, four) = (least(small), least(large));
    println!("{what}: {one:?} for {size}, {four:?} for four times as much");
    // What is fast is measured badly.
    let is_slow = four > Duration::from_millis(150);
    assert!(!is_slow || four < one * 9, "{what}: {one:?} for {size}, {four:?} for four times as much");
}

fn list(size: usize, element: impl Fn(usize) -> Json) -> Json {
    (0..size).map(element).collect::<Vec<_>>().into()
}

fn metadata() -> Json {
    json!({"name": "p", "namespace": "default", "resourceVersion": "1"})
}

fn pod(spec: Json) -> Json {
    let mut pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata(),
        "spec": {"containers": [{"name": "c", "image": "nginx:1"}]},
    });
    for (key, value) in spec.as_object().expect("a map") {
        pod["spec"][key] = value.clone();
    }
    pod
}

fn container(more: Json) -> Json {
    let mut container = json!({"name": "c", "image": "nginx:1"});
    for (key, value) in more.as_object().expect("a map") {
        container[key] = value.clone();
    }
    container
}

#[test]
fn parts_of_pods() {
    let rules = Rules::new();
    // 8 pods with 38,000 of them stalled a server for 17 s.
    rules.grow_slowly("spread constraints", 3_000, |size| {
        let constraint = |number: usize| {
            json!({
                "maxSkew": 1, "topologyKey": format!("zone-{number}"), "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": {"a": "b"}},
            })
        };
        pod(json!({"topologySpreadConstraints": list(size, constraint)}))
    });
    rules.grow_slowly("files of variables", 3_000, |size| {
        let variable = |number: usize| {
            json!({"name": format!("V{number}"), "valueFrom": {"fileKeyRef": {
                "volumeName": format!("v{}", size - number - 1), "path": "a", "key": "k",
            }}})
        };
        let volume = |number: usize| json!({"name": format!("v{number}"), "emptyDir": {}});
        let containers = [container(json!({"env": list(size, variable)}))];
        pod(json!({"containers": containers, "volumes": list(size, volume)}))
    });
    rules.grow_slowly("mounts and devices", 3_000, |size| {
        let mount =
            |number: usize| json!({"name": format!("m{number}"), "mountPath": format!("/mnt/{number}")});
        let device =
            |number: usize| json!({"name": format!("d{number}"), "devicePath": format!("/dev/{number}")});
        let more = json!({"volumeMounts": list(size, mount), "volumeDevices": list(size, device)});
        pod(json!({"containers": [container(more)]}))
    });
    rules.grow_slowly("claims", 3_000, |size| {
        let own = |number: usize| json!({"name": format!("x{number}")});
        let more = json!({"resources": {"claims": list(size, own)}});
        let wanted = |number: usize| json!({"name": format!("c{number}"), "resourceClaimName": "r"});
        pod(json!({"containers": [container(more)], "resourceClaims": list(size, wanted)}))
    });
    rules.grow_slowly("label keys of affinities", 3_000, |size| {
        let keys = list(size, |number| json!(format!("key-{number}")));
        let others = list(size, |number| json!(format!("other-{number}")));
        let expression = |number: usize| json!({"key": format!("label-{number}"), "operator": "Exists"});
        let term = json!({
            "topologyKey": "zone", "matchLabelKeys": keys, "mismatchLabelKeys": others,
            "labelSelector": {"matchExpressions": list(size, expression)},
        });
        let required = json!({"requiredDuringSchedulingIgnoredDuringExecution": [term]});
        pod(json!({"affinity": {"podAffinity": required}}))
    });
    rules.grow_slowly("profiles in annotations", 1_500, |size| {
        let mut pod = pod(json!({
            "containers": list(size, |number| json!({"name": format!("c{number}"), "image": "i"})),
        }));
        for number in 0..size {
            let key = format!("container.apparmor.security.beta.kubernetes.io/x{number}");
            pod["metadata"]["annotations"][key] = json!("runtime/default");
        }
        pod
    });
}

#[test]
fn changes_of_pods() {
    let rules = Rules::new();
    rules.grow_slowly_on("tolerations", None, 4_000, |size| {
        let toleration = |number: usize| json!({"key": format!("k{number}"), "operator": "Exists"});
        let all = pod(json!({"tolerations": list(size, toleration)}));
        (all.clone(), all)
    });
    rules.grow_slowly_on("gates", None, 4_000, |size| {
        let gates = |prefix: &str| list(size, |number| json!({"name": format!("{prefix}{number}")}));
        (pod(json!({"schedulingGates": gates("a")})), pod(json!({"schedulingGates": gates("b")})))
    });
    rules.grow_slowly_on("ephemeral containers", Some("ephemeralcontainers"), 1_500, |size| {
        let one = |number: usize| json!({"name": format!("e{number}"), "image": "i"});
        let all = pod(json!({"ephemeralContainers": list(size, one)}));
        (all.clone(), all)
    });
    rules.grow_slowly_on("statuses", Some("status"), 2_000, |size| {
        let status = |state: &str| {
            let state = match state {
                "terminated" => json!({"terminated": {"exitCode": 1}}),
                _ => json!({"running": {}}),
            };
            list(
                size,
                |number| json!({"name": format!("c{number}"), "state": state, "image": "", "imageID": ""}),
            )
        };
        let containers = list(size, |number| json!({"name": format!("c{number}"), "image": "i"}));
        let with = |state: &str| {
            let mut pod = pod(json!({"containers": containers}));
            pod["status"] =
                json!({"containerStatuses": status(state), "ephemeralContainerStatuses": status(state)});
            pod
        };
        (with("running"), with("terminated"))
    });
    rules.grow_slowly_on("differences", None, 600, |size| {
        let with = |factor: usize| {
            let variable = |number: usize| {
                json!({"name": format!("V{}", number * factor % 1009), "value": format!("{}", number % 61)})
            };
            pod(json!({"containers": [container(json!({"env": list(size, variable)}))]}))
        };
        (with(3), with(5))
    });
}

#[test]
fn metadata_of_all_objects() {
    let rules = Rules::new();
    let map = |metadata: Json| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
    let owner = |number: usize| {
        json!({"apiVersion": "v1", "kind": "Pod", "name": format!("p{number}"), "uid": format!("u{number}"),
               "controller": true})
    };
    rules.grow_slowly("controllers", 3_000, |size| {
        let mut metadata = metadata();
        metadata["ownerReferences"] = list(size, owner);
        map(metadata)
    });
    rules.grow_slowly_on("finalizers", None, 4_000, |size| {
        let with = |prefix: &str| {
            let mut metadata = metadata();
            metadata["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
            metadata["finalizers"] = list(size, |number| json!(format!("a.b/{prefix}{number}")));
            map(metadata)
        };
        (with("x"), with("y"))
    });
}

#[test]
fn addresses_of_services_and_policies() {
    let rules = Rules::new();
    let address = |number: usize| format!("10.{}.{}.{}", number >> 16, number >> 8 & 255, number & 255);
    rules.grow_slowly_on("external addresses", None, 5_000, |size| {
        let service = json!({
            "apiVersion": "v1", "kind": "Service", "metadata": metadata(),
            "spec": {"ports": [{"port": 80}], "externalIPs": list(size, |number| json!(address(number)))},
        });
        (service.clone(), service)
    });
    rules.grow_slowly_on("blocks of addresses", None, 5_000, |size| {
        let except = list(size, |number| json!(format!("{}/32", address(number))));
        let policy = json!({
            "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata(),
            "spec": {
                "podSelector": {},
                "ingress": [{"from": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": except}}]}],
            },
        });
        (policy.clone(), policy)
    });
}

#[test]
fn definitions() {
    let rules = Rules::new();
    let definition = |versions: Json, schema: Json| {
        let mut all = versions;
        for version in all.as_array_mut().expect("a list") {
            version["schema"] = json!({"openAPIV3Schema": schema});
        }
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "widgets.example.com"},
            "spec": {
                "group": "example.com", "scope": "Namespaced", "versions": all,
                "names": {"plural": "widgets", "kind": "Widget"},
            },
        })
    };
    let one = json!([{"name": "v1", "served": true, "storage": true}]);
    rules.grow_slowly("keys of a list", 2_000, |size| {
        let mut properties = json!({});
        for number in 0..size {
            properties[format!("k{number}")] = json!({"type": "string"});
        }
        let keys = list(size, |number| json!(format!("k{number}")));
        let items = json!({"type": "object", "properties": properties, "required": keys});
        let items = json!({
            "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": items,
        });
        definition(one.clone(), json!({"type": "object", "properties": {"a": items}}))
    });
    rules.grow_slowly("rules with paths", 700, |size| {
        let rule = |number: usize| json!({"rule": "true", "fieldPath": format!(".x{number}")});
        definition(one.clone(), json!({"type": "object", "x-kubernetes-validations": list(size, rule)}))
    });
    rules.grow_slowly("a long name of a property", 2_000, |size| {
        let mut below = json!({});
        for number in 0..size {
            below[format!("p{number}")] = json!({"type": "string"});
        }
        let mut properties = json!({});
        properties["k".repeat(100 * size)] = json!({"type": "object", "properties": below});
        definition(one.clone(), json!({"type": "object", "properties": properties}))
    });
    rules.grow_slowly("versions", 1_000, |size| {
        let version = |number: usize| json!({"name": format!("v{number}"), "served": true, "storage": true});
        definition(list(size, version), json!({"type": "object"}))
    });
}

#[test]
fn other_lists() {
    let rules = Rules::new();
    rules.grow_slowly("tolerations of a class", 3_000, |size| {
        let toleration = |number: usize| json!({"key": format!("k{number}"), "operator": "Exists"});
        json!({
            "apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "c"}, "handler": "h",
            "scheduling": {"tolerations": list(size, toleration)},
        })
    });
    rules.grow_slowly("topologies", 3_000, |size| {
        let term = |number: usize| {
            json!({"matchLabelExpressions": [{"key": format!("k{number}"), "values": ["a"]}]})
        };
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "c"},
            "provisioner": "a.b/c", "allowedTopologies": list(size, term),
        })
    });
    rules.grow_slowly("empty topologies", 3_000, |size| {
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "c"},
            "provisioner": "a.b/c", "allowedTopologies": list(size, |_| json!({})),
        })
    });
    rules.grow_slowly("claims of a stateful set", 1_000, |size| {
        let claim = |number: usize| json!({"metadata": {"name": format!("c{number}")}, "spec": {}});
        let volume = |number: usize| json!({"name": format!("v{number}"), "emptyDir": {}});
        let spec = json!({"containers": [container(json!({}))], "volumes": list(size, volume)});
        json!({
            "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata(),
            "spec": {
                "selector": {"matchLabels": {"a": "b"}}, "volumeClaimTemplates": list(size, claim),
                "template": {"metadata": {"labels": {"a": "b"}}, "spec": spec},
            },
        })
    });
}

#[test]
fn many_errors_that_each_show_a_large_value_are_bounded() {
    let rules = Rules::new();
    let owner = |number: usize| {
        let name = format!("p{number}");
        json!({"apiVersion": "v1", "kind": "Pod", "name": name, "uid": "u", "controller": true})
    };
    let mut metadata = metadata();
    metadata["ownerReferences"] = list(20_000, owner);
    let object = rules.decode(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}));
    let errors = rules.create(&*object);
    // Each shows all owners.
    assert!(errors.len() >= 19_999, "{}", errors.len());
    let text = errors.to_string();
    assert!(text.len() < 4 << 20, "{}", text.len());
    assert!(text.starts_with("metadata.ownerReferences: Invalid value: ") || text.starts_with('['));
    assert!(text.ends_with(" more]"), "{}", &text[text.len() - 40..]);
}

#[test]
fn checks_that_nobody_waits_for_end() {
    let rules = Rules::new();
    let constraint = |number: usize| json!({"maxSkew": 0, "topologyKey": format!("z{number}")});
    let object = rules.decode(&pod(json!({"topologySpreadConstraints": list(20_000, constraint)})));
    let budget = rhumb_schema::budget::Budget::new(0);
    budget.stop();
    // Each constraint breaks rules; none is looked at if nobody waits.
    assert!(rules.create(&*object).len() > 20_000);
    let stopped = budget.scope(|| rules.create(&*object));
    assert!(stopped.len() < 100 && stopped.0.is_empty(), "{}", stopped.len());
}
