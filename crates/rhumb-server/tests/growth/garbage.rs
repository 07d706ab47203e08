//! What becomes of an object whose owners are absent: all that the garbage collector does until it is gone.

use http::Method;
use serde_json::json;

use crate::inside::eventually;
use crate::meter::{Ask, Cost, Costs, Spent};
use crate::world::World;

const MAPS: &str = "/api/v1/namespaces/growth/configmaps";

/// Stores an object with so many owners that never were, and waits until it is collected.
pub(crate) async fn run(world: &World, count: usize) -> Costs {
    let owner = |number: usize| {
        let name = format!("o{number}");
        json!({"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": format!("{number:08}")})
    };
    let owners: Vec<_> = (0..count).map(owner).collect();
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "garbage", "ownerReferences": owners}});
    let spent = Spent::until_now();
    let made = world.cost(Ask::new(Method::POST, MAPS).sending("application/json", object.to_string())).await;
    if made.code != 201 {
        return vec![("store".to_owned(), made)];
    }
    let one = format!("{MAPS}/garbage");
    eventually(async || (world.server.get(&one).await.code == 404).then_some(())).await;
    let (time, memory) = spent.since();
    vec![("store".to_owned(), made), ("collect".to_owned(), Cost { time, memory, ..made })]
}
