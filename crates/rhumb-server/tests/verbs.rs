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
