//! Small requests that grow when they are read.

use std::collections::HashSet;
use std::io::Write;
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::Method;
use http_body_util::Full;
use rhumb_server::Server;
use rhumb_server::environment::{Clock, SystemClock};
use serde_json::{Value, json};

use crate::client::{Answered, Client, in_time};
use crate::inside::definitions::{DEFINITIONS, GEARS, definition};
use crate::inside::{Inside, Said};
use crate::{MEASURING, options, resident, user};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// More than any of these takes without optimisation on a machine that has other things to do; a bomb takes hours.
const PATIENCE: Duration = Duration::from_secs(20);

/// Sends a body in a form of its own, and sees that it is refused before long.
async fn refused(server: &Inside, method: Method, path: &str, form: &str, body: impl Into<Bytes>) -> Said {
    let clock = SystemClock::default();
    let body = body.into();
    let size = body.len();
    let said = server.ask(method.clone(), path, &[("content-type", form)], body).await;
    let taken = clock.elapsed();
    assert!(matches!(said.code, 400..=499), "{method} {form} of {size} bytes: {said:?}");
    assert!(taken < PATIENCE, "{method} {form} of {size} bytes took {taken:?}");
    assert!(said.body.len() < 64 << 10, "{} bytes are the answer to {size}", said.body.len());
    said
}

async fn with_map() -> Inside {
    let server = Inside::start().await;
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"a": "b"}});
    assert_eq!(server.post(MAPS, map).await.code, 201);
    server
}

async fn is_unharmed(server: &Inside) {
    let found = server.get(&format!("{MAPS}/m")).await;
    assert_eq!((found.code, &found.json["data"]), (200, &json!({"a": "b"})));
}

/// CVE-2019-11253: nine lines of aliases stood for a document of a billion nodes.
#[tokio::test]
async fn a_billion_laughs_are_none() {
    let server = with_map().await;
    let mut laughs = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n".to_owned();
    laughs.push_str("  a: &a [\"lol\",\"lol\",\"lol\",\"lol\",\"lol\",\"lol\",\"lol\",\"lol\",\"lol\"]\n");
    for (before, now) in ('a'..='h').zip('b'..='i') {
        let many = vec![format!("*{before}"); 9].join(",");
        laughs.push_str(&format!("  {now}: &{now} [{many}]\n"));
    }
    refused(&server, Method::POST, MAPS, "application/yaml", laughs.clone()).await;
    let one = format!("{MAPS}/m");
    refused(&server, Method::PUT, &one, "application/yaml", laughs.clone()).await;
    let apply = format!("{one}?fieldManager=me");
    refused(&server, Method::PATCH, &apply, "application/apply-patch+yaml", laughs).await;
    is_unharmed(&server).await;
}

/// CVE-2019-11254: YAML that takes a time which grows with the square of its length.
#[tokio::test]
async fn no_yaml_is_slow_to_read() {
    const SIZE: usize = 300 << 10;
    let server = with_map().await;
    let lines = |line: &str| line.repeat(SIZE / line.len());
    let documents = [
        "[".repeat(SIZE),
        "{x: ".repeat(SIZE / 4),
        "? ".repeat(SIZE / 2),
        "- ".repeat(SIZE / 2),
        lines(&format!("{}1\n", "- ".repeat(10))),
        lines(&format!("{}1\n", "- ".repeat(1000))),
        lines(&format!("{}a: b\n", " ".repeat(1000))),
        format!("{}1{}{}", "[".repeat(9000), ",1".repeat(SIZE / 2 - 9000), "]".repeat(9000)),
        format!("{}1{}{}", "{a: ".repeat(9000), ", b: 1".repeat(SIZE / 8), "}".repeat(9000)),
        lines("&a b: *a\n"),
        lines("!a "),
        lines("\"\\\n"),
        lines("a: |\n b\n"),
        lines("%TAG ! a\n"),
        lines("---\n"),
    ];
    for document in documents {
        refused(&server, Method::POST, MAPS, "application/yaml", document.clone()).await;
        let apply = format!("{MAPS}/m?fieldManager=me");
        refused(&server, Method::PATCH, &apply, "application/apply-patch+yaml", document).await;
    }
    is_unharmed(&server).await;
}

/// CVE-2019-1002100: a patch of a few lines that copies what it has copied, and one of very many lines.
#[tokio::test]
async fn patches_do_not_grow_what_they_change() {
    const FORM: &str = "application/json-patch+json";
    let server = with_map().await;
    let one = format!("{MAPS}/m");
    let doubling: Vec<Value> = (0..60)
        .map(|number| json!({"op": "copy", "from": "/data", "path": format!("/data/x{number}")}))
        .collect();
    refused(&server, Method::PATCH, &one, FORM, Value::from(doubling).to_string()).await;
    let annotations: Vec<Value> = std::iter::once(
        json!({"op": "add", "path": "/metadata/annotations", "value": {"a": "x".repeat(100_000)}}),
    )
    .chain((0..2000).map(|number| {
        let path = format!("/metadata/annotations/x{number}");
        json!({"op": "copy", "from": "/metadata/annotations/a", "path": path})
    }))
    .collect();
    refused(&server, Method::PATCH, &one, FORM, Value::from(annotations).to_string()).await;
    let many = vec![json!({"op": "test", "path": "/data/a", "value": "b"}); 10_001];
    let said = refused(&server, Method::PATCH, &one, FORM, Value::from(many).to_string()).await;
    assert_eq!(said.code, 413, "{said:?}");
    let deep = format!("[{{\"op\":\"add\",\"path\":\"/{}\",\"value\":1}}]", "a/".repeat(100_000));
    refused(&server, Method::PATCH, &one, FORM, deep).await;
    is_unharmed(&server).await;
}

#[tokio::test]
async fn what_is_deep_or_large_is_refused() {
    let server = with_map().await;
    let forms = ["application/json", "application/yaml"];
    let patches = [
        "application/merge-patch+json",
        "application/strategic-merge-patch+json",
        "application/json-patch+json",
        "application/apply-patch+yaml",
    ];
    let one = format!("{MAPS}/m?fieldManager=me");
    for deep in
        ["[".repeat(1 << 20), "{\"a\":".repeat(200_000), format!("{{\"data\":{}", "[{\"a\":".repeat(100_000))]
    {
        for form in forms {
            refused(&server, Method::POST, MAPS, form, deep.clone()).await;
        }
        for form in patches {
            refused(&server, Method::PATCH, &one, form, deep.clone()).await;
        }
    }
    let closed = format!("{{\"data\":{}1{}}}", "{\"a\":".repeat(50_000), "}".repeat(50_000));
    for form in patches {
        refused(&server, Method::PATCH, &one, form, closed.clone()).await;
    }
    // A message in protobuf that holds itself, as deep as its length allows.
    let mut message = Vec::new();
    for _ in 0..2000 {
        let mut outer = vec![0x0a];
        let mut length = message.len();
        while length >= 0x80 {
            outer.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
            length >>= 7;
        }
        outer.push(u8::try_from(length).unwrap());
        outer.append(&mut message);
        message = outer;
    }
    let framed = [b"k8s\0".as_slice(), &message].concat();
    refused(&server, Method::POST, MAPS, "application/vnd.kubernetes.protobuf", framed).await;
    let large = format!("{{\"data\":{{\"a\":\"{}\"}}}}", "x".repeat(4 << 20));
    for form in forms {
        let said = refused(&server, Method::POST, MAPS, form, large.clone()).await;
        assert_eq!(said.code, 413, "{form}");
    }
    for form in patches {
        refused(&server, Method::PATCH, &one, form, large.clone()).await;
    }
    is_unharmed(&server).await;
}

/// A server with its listener, and connections of its master and of the user who is the admin of a namespace.
async fn served() -> (Server, Client, Client) {
    let server =
        Server::builder().options(options(&[])).token("tenant", user("tenant")).start().await.unwrap();
    let mut master = Client::http2(&server, Some(server.admin_certificate())).await;
    let binding = json!({
        "metadata": {"name": "tenant"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "admin"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "tenant"}],
    });
    let bindings = format!("{RBAC}/namespaces/default/rolebindings");
    let json = "application/json";
    assert_eq!(send(&mut master, Method::POST, &bindings, json, binding.to_string()).await.code, 201);
    let mut tenant = Client::http2(&server, None).await;
    in_time(async { while tenant.get_with(MAPS, &[TENANT]).await.code != 200 {} }).await;
    (server, master, tenant)
}

const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
const TENANT: (&str, &str) = ("authorization", "Bearer tenant");

/// Sends a body; a connection without a certificate is the tenant's.
async fn send(
    client: &mut Client,
    method: Method,
    path: &str,
    form: &str,
    body: impl Into<Bytes>,
) -> Answered {
    let mut request = client.request(method, path, &[("content-type", form), TENANT]);
    *request.body_mut() = Full::new(body.into());
    tokio::time::timeout(PATIENCE * 3, client.send(request)).await.unwrap().unwrap()
}

/// A rule is short and stands for each combination of what is in its lists: this one for 2.5 · 10¹².
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rule_for_very_many_things_is_compared_without_writing_them_down() {
    let _alone = MEASURING.lock().await;
    let (_server, mut master, mut tenant) = served().await;
    let list = |letter: &str, count: usize| -> Vec<String> {
        (0..count).map(|number| format!("{letter}{number}")).collect()
    };
    let vast = json!({"apiGroups": list("g", 1500), "resources": list("r", 1500), "verbs": list("v", 1500),
        "resourceNames": list("n", 1500)});
    let role = |name: &str| {
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": name},
            "rules": [vast.clone()]})
        .to_string()
    };
    assert!(role("vast").len() < 64 << 10, "{} bytes", role("vast").len());
    let roles = format!("{RBAC}/namespaces/default/roles");
    let (json, apply) = ("application/json", "application/apply-patch+yaml");
    // One that is there already, which only a master can make.
    let cluster = role("vast").replace(r#""Role""#, r#""ClusterRole""#);
    let made = send(&mut master, Method::POST, &format!("{RBAC}/clusterroles"), json, cluster).await;
    assert_eq!(made.code, 201, "{}", made.body);
    let empty = json!({"metadata": {"name": "small"}, "rules": []}).to_string();
    assert_eq!(send(&mut tenant, Method::POST, &roles, json, empty).await.code, 201);
    let binding = json!({
        "metadata": {"name": "mine"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "vast"},
    })
    .to_string();
    let small = format!("{roles}/small");
    let bindings = format!("{RBAC}/namespaces/default/rolebindings");
    let clock = SystemClock::default();
    let before = resident();
    for (method, path, form, body) in [
        (Method::POST, roles.clone(), json, role("vast")),
        (Method::PUT, small.clone(), json, role("small")),
        (Method::PUT, format!("{roles}/new"), json, role("new")),
        (Method::PATCH, small.clone(), "application/merge-patch+json", role("small")),
        (Method::PATCH, format!("{small}?fieldManager=me&force=true"), apply, role("small")),
        (Method::PATCH, format!("{roles}/applied?fieldManager=me"), apply, role("applied")),
        (Method::POST, bindings, json, binding),
    ] {
        let answer = send(&mut tenant, method.clone(), &path, form, body).await;
        assert_eq!(answer.code, 403, "{method} {path}: {}", answer.body);
        assert!(answer.body.contains("is attempting to grant RBAC permissions not currently held"));
        assert!(answer.body.contains("and more that is not listed here"));
        assert!(answer.body.len() < 1 << 20, "{method} {path}: {} bytes", answer.body.len());
    }
    let (taken, grown) = (clock.elapsed(), resident().saturating_sub(before) >> 10);
    assert!(taken < PATIENCE && grown < 150, "it took {taken:?} and {grown} MiB");
}

/// A review lists a role as often as it is bound: here that would be some 400 MB.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_review_of_more_rules_than_fit_into_a_request_is_refused() {
    let _alone = MEASURING.lock().await;
    let (_server, mut master, mut tenant) = served().await;
    let json = "application/json";
    let rules: Vec<Value> = (0..5000)
        .map(|number| json!({"apiGroups": [""], "resources": [format!("thing{number}")], "verbs": ["get"]}))
        .collect();
    let role = json!({"metadata": {"name": "large"}, "rules": rules}).to_string();
    assert_eq!(send(&mut master, Method::POST, &format!("{RBAC}/clusterroles"), json, role).await.code, 201);
    for number in 0..300 {
        let binding = json!({
            "metadata": {"name": format!("large-{number}")},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "large"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "tenant"}],
        });
        let path = format!("{RBAC}/namespaces/default/rolebindings");
        assert_eq!(send(&mut master, Method::POST, &path, json, binding.to_string()).await.code, 201);
    }
    let review = json!({"spec": {"namespace": "default"}}).to_string();
    let path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    let before = resident();
    in_time(async {
        // The last of the bindings takes a moment to be known.
        while send(&mut tenant, Method::POST, path, json, review.clone()).await.code != 413 {}
    })
    .await;
    let grown = resident().saturating_sub(before) >> 10;
    assert!(grown < 250, "it took {grown} MiB");
    // Elsewhere there is not as much to tell.
    let review = json!({"spec": {"namespace": "kube-system"}}).to_string();
    assert_eq!(send(&mut tenant, Method::POST, path, json, review).await.code, 201);
    assert_eq!(tenant.get_with(MAPS, &[TENANT]).await.code, 200);
}

/// A default of a list's key goes into each of its elements that says nothing: 650 MB of it are asked for here.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn defaults_of_keys_are_bounded_for_small_requests_too() {
    let _alone = MEASURING.lock().await;
    let (_server, mut master, _) = served().await;
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"list": {
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["kind", "n"],
        "items": {"type": "object", "required": ["n"], "properties": {
            "kind": {"type": "string", "default": "k".repeat(100_000)}, "n": {"type": "integer"},
        }},
    }}}}});
    let (json, apply) = ("application/json", "application/apply-patch+yaml");
    let gears = definition("gears", "Gear", &schema).to_string();
    let made = send(&mut master, Method::POST, DEFINITIONS, json, gears).await;
    assert_eq!(made.code, 201, "{}", made.body);
    in_time(async { while master.get(GEARS).await.code != 200 {} }).await;
    let list: Vec<Value> = (0..5500).map(|number| json!({"n": number})).collect();
    let gear = json!({"apiVersion": "machines.example.com/v1", "kind": "Gear", "metadata": {"name": "a"},
        "spec": {"list": list}})
    .to_string();
    assert!(gear.len() < 64 << 10, "{} bytes", gear.len());
    let before = resident();
    for (method, path, form) in
        [(Method::PATCH, format!("{GEARS}/a?fieldManager=me"), apply), (Method::POST, GEARS.to_owned(), json)]
    {
        let answer = send(&mut master, method.clone(), &path, form, gear.clone()).await;
        assert_eq!(answer.code, 413, "{method}: {}", answer.body.get(..1000).unwrap_or(&answer.body));
        let grown = resident().saturating_sub(before) >> 10;
        assert!(grown < 300, "{method} took {grown} MiB");
    }
    assert_eq!(master.get(&format!("{GEARS}/a")).await.code, 404);
}

/// Three hundred merges of one alias were three hundred thousand warnings, and these 16 MB of head.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn merges_of_one_alias_are_warned_of_in_a_short_head() {
    let (_server, mut master, _) = served().await;
    let merges = vec!["*a"; 300].join(", ");
    // A document that is nothing but aliases is refused.
    let other = vec!["1"; 10_000].join(", ");
    for (fields, told, most) in [(1, 1, 512), (600, 100, 8 << 10)] {
        let aliased = (0..fields).map(|number| format!("k{number}: v")).collect::<Vec<_>>().join(", ");
        // What is merged is there already but for the first time, and so each key of each merge is there again.
        let map = format!(
            "metadata: {{name: m{fields}}}\nz: [{other}]\nx: &a {{{aliased}}}\nb: {{<<: [{merges}]}}\n"
        );
        let answer = send(&mut master, Method::POST, MAPS, "application/yaml", map).await;
        assert_eq!(answer.code, 201, "{fields}: {}", answer.body);
        let head = answer.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4);
        let (length, warnings) = (head.sum::<usize>(), answer.headers.get_all("warning"));
        let again: Vec<&str> = warnings.iter().map(|value| value.to_str().unwrap()).collect();
        let again: Vec<&str> = again.into_iter().filter(|told| told.contains("already set in map")).collect();
        let once: HashSet<&str> = again.iter().copied().collect();
        assert_eq!(again.len(), once.len(), "one is told twice");
        assert!((told..2 * told).contains(&again.len()), "{fields}: {} warnings", again.len());
        assert!(length < most, "{fields}: {length} bytes of head");
    }
}

/// What is packed is not unpacked: Kubernetes looks at no `Content-Encoding` of a request, and reads what comes as it
/// is. A hundred megabytes of nothing stay the hundred kilobytes that were sent.
#[tokio::test]
async fn what_is_packed_stays_packed() {
    let server = with_map().await;
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..100 {
        packed.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    let packed = Bytes::from(packed.finish().unwrap());
    assert!(packed.len() < 200 << 10, "{} bytes", packed.len());
    let one = format!("{MAPS}/m?fieldManager=me");
    let clock = SystemClock::default();
    for coding in ["gzip", "GZIP", "x-gzip", "gzip, gzip", "deflate", "br", "zstd"] {
        for (method, path, form) in [
            (Method::POST, MAPS, "application/json"),
            (Method::POST, MAPS, "application/yaml"),
            (Method::POST, MAPS, "application/vnd.kubernetes.protobuf"),
            (Method::PUT, one.as_str(), "application/json"),
            (Method::PATCH, one.as_str(), "application/merge-patch+json"),
            (Method::PATCH, one.as_str(), "application/json-patch+json"),
            (Method::PATCH, one.as_str(), "application/strategic-merge-patch+json"),
            (Method::PATCH, one.as_str(), "application/apply-patch+yaml"),
        ] {
            let headers = [("content-type", form), ("content-encoding", coding)];
            let said = server.ask(method.clone(), path, &headers, packed.clone()).await;
            assert_eq!(said.code, 400, "{method} {form} {coding}: {said:?}");
            assert!(said.body.len() < 64 << 10, "{} bytes are the answer", said.body.len());
        }
    }
    let taken = clock.elapsed();
    assert!(taken < PATIENCE, "it took {taken:?}");
    // What only says that it is packed is read as what it is.
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "plain"}}).to_string();
    let headers = [("content-type", "application/json"), ("content-encoding", "gzip")];
    assert_eq!(server.ask(Method::POST, MAPS, &headers, map.into()).await.code, 201);
    is_unharmed(&server).await;
}
