//! The verbs, asked of a server without a listener.

use crate::inside::Inside;
use serde_json::json;

#[tokio::test]
async fn an_object_is_made_read_listed_changed_and_deleted() {
    let server = Inside::start().await;
    let made = server
        .post(
            "/api/v1/namespaces/default/configmaps",
            json!({
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v"}
            }),
        )
        .await;
    assert_eq!(made.code, 201, "{made:?}");
    assert_eq!(made.json["metadata"]["namespace"], "default");
    assert!(made.json["metadata"]["uid"].as_str().is_some_and(|uid| uid.len() == 36));

    let got = server.get("/api/v1/namespaces/default/configmaps/a").await;
    assert_eq!((got.code, &got.json), (200, &made.json));

    let list = server.get("/api/v1/configmaps").await;
    assert_eq!(list.json["kind"], "ConfigMapList");
    let items = list.json["items"].as_array().unwrap();
    let item = items.iter().find(|item| item["metadata"]["name"] == "a").unwrap();
    assert_eq!(item["data"]["k"], "v");
    assert!(item.get("kind").is_none());

    let mut next = made.json.clone();
    next["data"]["k"] = json!("w");
    let put = server.put("/api/v1/namespaces/default/configmaps/a", next.clone()).await;
    assert_eq!(put.code, 200, "{put:?}");
    assert_ne!(put.json["metadata"]["resourceVersion"], made.json["metadata"]["resourceVersion"]);
    let stale = server.put("/api/v1/namespaces/default/configmaps/a", next).await;
    assert_eq!((stale.code, stale.json["reason"].as_str()), (409, Some("Conflict")));

    let deleted = server.delete("/api/v1/namespaces/default/configmaps/a").await;
    assert_eq!((deleted.code, deleted.json["status"].as_str()), (200, Some("Success")));
    let gone = server.get("/api/v1/namespaces/default/configmaps/a").await;
    assert_eq!(gone.json["message"], "configmaps \"a\" not found");
}

#[tokio::test]
async fn a_watch_sees_what_happens_from_a_revision_on() {
    let server = Inside::start().await;
    let before = server.get("/api/v1/namespaces/default/configmaps").await;
    let revision = before.json["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    for name in ["a", "b"] {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
        assert_eq!(server.post("/api/v1/namespaces/default/configmaps", object).await.code, 201);
    }
    server.delete("/api/v1/namespaces/default/configmaps/a").await;
    let path =
        format!("/api/v1/namespaces/default/configmaps?watch=1&resourceVersion={revision}&timeoutSeconds=1");
    let events = server.lines(&path).await;
    let seen: Vec<_> = events
        .iter()
        .map(|event| (event["type"].as_str().unwrap(), event["object"]["metadata"]["name"].as_str().unwrap()))
        .collect();
    assert_eq!(seen, [("ADDED", "a"), ("ADDED", "b"), ("DELETED", "a")]);
    assert_eq!(events[0]["object"]["kind"], "ConfigMap");
}

/// What was listed is kept in one piece with its neighbours, until one of them changes. Whatever part of them a list
/// has and whatever happened in between, it says what each object says for itself.
#[tokio::test]
async fn lists_of_what_was_listed_before_say_what_the_objects_say() {
    let server = Inside::start().await;
    let maps = "/api/v1/namespaces/default/configmaps";
    let map = |name: &str, text: &str| {
        let (metadata, data) = (json!({"name": name}), json!({"text": text.repeat(700)}));
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
    };
    for number in 0..150 {
        assert_eq!(server.post(maps, map(&format!("m-{number:03}"), "<a>")).await.code, 201);
    }
    let check = async |name: &str| {
        for query in ["", "?limit=70", "?limit=33", "?fieldSelector=metadata.name!=m-001"] {
            for time in 0..3 {
                let (mut seen, mut next) = (Vec::new(), format!("{maps}{query}"));
                loop {
                    let part = server.get(&next).await;
                    assert_eq!(part.code, 200, "{next}: {part:?}");
                    seen.extend(part.json["items"].as_array().unwrap().iter().cloned());
                    match part.json["metadata"]["continue"].as_str() {
                        Some(token) if !token.is_empty() => next = format!("{maps}{query}&continue={token}"),
                        _ => break,
                    }
                }
                let names: Vec<&str> =
                    seen.iter().map(|item| item["metadata"]["name"].as_str().unwrap()).collect();
                assert!(names.is_sorted() && names.len() >= 149, "{query} {time}: {names:?}");
                let found = seen.iter().find(|item| item["metadata"]["name"] == name);
                let alone = server.get(&format!("{maps}/{name}")).await;
                match found {
                    None => assert_eq!(alone.code, 404, "{query} {time}"),
                    Some(item) => {
                        let mut item = item.clone();
                        item["kind"] = json!("ConfigMap");
                        item["apiVersion"] = json!("v1");
                        assert_eq!(item, alone.json, "{query} {time}");
                    }
                }
            }
        }
    };
    check("m-040").await;
    assert_eq!(server.put(&format!("{maps}/m-040"), map("m-040", "b")).await.code, 200);
    check("m-040").await;
    assert_eq!(server.post(maps, map("m-040-new", "c")).await.code, 201);
    check("m-040-new").await;
    assert_eq!(server.delete(&format!("{maps}/m-041")).await.code, 200);
    check("m-041").await;
    check("m-149").await;
}

/// Watchers in a crowd share what is made for one of them; each must see the same as if it were alone.
#[tokio::test]
async fn a_crowd_of_watchers_sees_what_each_would_see_alone() {
    const PROTOBUF: &str = "application/vnd.kubernetes.protobuf;stream=watch";
    const METADATA: &str = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    let server = Inside::start().await;
    let maps = "/api/v1/namespaces/default/configmaps";
    let before = server.get(maps).await;
    let revision = before.json["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    for number in 0..40 {
        let labels = json!({"odd": (number % 2 == 1).to_string()});
        let data = json!({"text": "x".repeat(3000)});
        let metadata = json!({"name": format!("m-{number}"), "labels": labels});
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data});
        assert_eq!(server.post(maps, object).await.code, 201);
    }
    // It goes out of sight for those who selected it.
    let patch = json!({"metadata": {"labels": {"odd": "no"}}});
    let path = format!("{maps}/m-3");
    assert_eq!(server.patch(&path, "application/merge-patch+json", patch).await.code, 200);
    server.delete(&format!("{maps}/m-5")).await;
    let ways = [("", "application/json"), ("", PROTOBUF), ("", METADATA)]
        .into_iter()
        .chain([("&labelSelector=odd%3Dtrue", "application/json"), ("&labelSelector=odd%3Dtrue", PROTOBUF)]);
    let ways: Vec<_> = ways.collect();
    let path =
        |selector: &str| format!("{maps}?watch=1&resourceVersion={revision}&timeoutSeconds=1{selector}");
    let mut alone = Vec::new();
    for (selector, accept) in &ways {
        alone.push(server.get_as(&path(selector), accept).await.body);
    }
    assert_eq!(alone[0].iter().filter(|byte| **byte == b'\n').count(), 42);
    assert_eq!(alone[3].iter().filter(|byte| **byte == b'\n').count(), 22);
    let mut crowd = Vec::new();
    let server = std::sync::Arc::new(server);
    for number in 0..30 {
        let (selector, accept) = ways[number % ways.len()];
        let (server, path) = (std::sync::Arc::clone(&server), path(selector));
        crowd.push(tokio::spawn(async move { server.get_as(&path, accept).await.body }));
    }
    for (number, watcher) in crowd.into_iter().enumerate() {
        assert!(watcher.await.unwrap() == alone[number % ways.len()], "watcher {number} saw something else");
    }
}

#[tokio::test]
async fn a_table_has_the_columns_of_the_kind() {
    let server = Inside::start().await;
    let accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    let table = server.get_as("/api/v1/namespaces", accept).await;
    assert_eq!(table.json["kind"], "Table", "{table:?}");
    let names: Vec<_> =
        table.json["rows"].as_array().unwrap().iter().map(|row| row["cells"][0].as_str().unwrap()).collect();
    assert_eq!(names, ["default", "kube-node-lease", "kube-public", "kube-system"]);
}

#[tokio::test]
async fn objects_are_made_only_where_there_is_a_namespace() {
    let server = Inside::start().await;
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
    let refused = server.post("/api/v1/namespaces/nowhere/configmaps", object).await;
    assert_eq!(
        (refused.code, refused.json["message"].as_str()),
        (404, Some("namespaces \"nowhere\" not found"))
    );
}
