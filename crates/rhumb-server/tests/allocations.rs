//! Ports of nodes that nobody has: they are found, freed and told of while the server runs.

use std::sync::Arc;
use std::time::Duration;

use rhumb_server::{ApiOptions, Environment};
use rhumb_store::{Change, Embedded, Key, Options, Store, Transaction};
use serde_json::{Value, json};

use crate::inside::{Inside, eventually};

const SERVICES: &str = "/api/v1/namespaces/default/services";

fn service(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
        "spec": {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30077}]}})
}

/// Lets some time pass in a moment, and everyone who waited for it begin.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
    tokio::time::sleep(Duration::from_millis(50)).await;
}

#[tokio::test]
async fn a_port_that_no_service_has_is_freed_and_told_of() {
    let store: Arc<dyn Store> = Arc::new(Embedded::in_memory(Options::default()).unwrap());
    let server = Inside::above(Arc::clone(&store), ApiOptions::default(), Environment::default()).await;
    let made = server.post(SERVICES, service("lost")).await;
    assert_eq!(made.code, 201, "{made:?}");
    // As a server leaves it that ended between giving the port and storing the Service.
    let mut transaction = Transaction::default();
    transaction
        .changes
        .push(Change::Delete { key: Key::from("/registry/services/specs/default/lost".to_owned()) });
    store.commit(transaction).await.unwrap();
    eventually(async || (server.get(&format!("{SERVICES}/lost")).await.code == 404).then_some(())).await;
    let dry = format!("{SERVICES}?dryRun=All");
    let asked = async || server.post(&dry, service("next")).await.code;
    // Its Service may be on its way, so it is looked at some times before it is freed.
    pass(Duration::from_secs(3 * 60)).await;
    assert_eq!(asked().await, 422);
    let mut looks = 1;
    while asked().await == 422 {
        assert!(looks < 20, "the port is never free again");
        pass(Duration::from_secs(70)).await;
        looks += 1;
    }
    assert!(looks >= 3, "it was freed after {looks} looks");
    let told = eventually(async || {
        let events = server.get("/api/v1/namespaces/default/events").await.json;
        let mut events = events["items"].as_array().into_iter().flatten();
        events.find(|event| event["reason"] == "PortLeaked").cloned()
    })
    .await;
    assert_eq!(told["message"], "Port 30077 is allocated and no service has it; repairing");
    assert_eq!(told["involvedObject"]["name"], "kubernetes");
    assert_eq!(told["source"]["component"], "service-allocation-repair-controller");
    assert_eq!(server.post(SERVICES, service("next")).await.code, 201);
}
