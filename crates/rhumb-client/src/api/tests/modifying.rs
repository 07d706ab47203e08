//! Changes that meet those of others.

use std::sync::atomic::{AtomicUsize, Ordering};

use rhumb_api::core::v1::ConfigMap;
use rhumb_meta::v1::UpdateOptions;
use serde_json::json;

use super::fake::{self, Fake, Reply, Seen};
use crate::config::ContentType;

/// A server where others are faster so many times.
fn busy(conflicts: usize) -> impl Fn(&Seen) -> Reply + Send + Sync {
    let left = AtomicUsize::new(conflicts);
    move |seen: &Seen| {
        let now = left.load(Ordering::SeqCst);
        if seen.method == "GET" {
            let map = json!({
                "kind": "ConfigMap", "apiVersion": "v1",
                "metadata": {"name": "a", "resourceVersion": now.to_string()},
            });
            return fake::json(200, &map);
        }
        if now == 0 {
            return fake::json(200, &seen.json());
        }
        left.store(now - 1, Ordering::SeqCst);
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Conflict", "code": 409,
        });
        fake::json(409, &status)
    }
}

async fn modify(conflicts: usize) -> (Result<ConfigMap, crate::Error>, Vec<Seen>) {
    let fake = Fake::start(busy(conflicts)).await;
    let maps = fake.client(ContentType::Json).core_v1().config_maps("x");
    let modified = maps
        .modify("a", &UpdateOptions::default(), |map| {
            map.data.insert("key".to_owned(), "value".to_owned());
        })
        .await;
    (modified, fake.take())
}

#[tokio::test]
async fn the_change_is_made_to_what_is_there_now() {
    let (modified, seen) = modify(3).await;
    let modified = modified.unwrap();
    assert_eq!((modified.data["key"].as_str(), modified.metadata.resource_version.as_str()), ("value", "0"));
    let methods: Vec<&str> = seen.iter().map(|seen| seen.method.as_str()).collect();
    assert_eq!(methods, ["GET", "PUT"].repeat(4));
}

#[tokio::test]
async fn who_is_never_fast_enough_gives_up() {
    let (modified, seen) = modify(9).await;
    assert!(modified.unwrap_err().is_conflict());
    assert_eq!(seen.len(), 10);
}

#[tokio::test]
async fn what_stays_as_it_was_is_not_written() {
    let fake = Fake::start(busy(0)).await;
    let maps = fake.client(ContentType::Json).core_v1().config_maps("x");
    maps.modify("a", &UpdateOptions::default(), |_| {}).await.unwrap();
    assert_eq!(fake.one().method, "GET");
    maps.modify_status("a", &UpdateOptions::default(), |map| map.immutable = Some(true)).await.unwrap();
    let lines: Vec<String> = fake.take().iter().map(Seen::line).collect();
    let path = "/api/v1/namespaces/x/configmaps/a";
    assert_eq!(lines, [format!("GET {path}"), format!("PUT {path}/status")]);
}
