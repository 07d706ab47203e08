//! Lists pods with the dynamic client, as trees, and makes typed pods of them.
//!
//! ```console
//! $ cargo run -p client-examples --bin dynamic_pods
//! ```

use std::error::Error;
use std::io::Write;

use rhumb_api::core::v1::Pod;
use rhumb_client::{Client, from_unstructured};
use rhumb_meta::GroupVersionResource;
use rhumb_meta::v1::ListOptions;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    run(Client::infer().await?, &mut std::io::stdout()).await
}

/// Prints the pods of the client's namespace with their containers.
pub async fn run(client: Client, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // Any resource can be named here, also one that this program has no type for.
    let gvr = GroupVersionResource::new("", "v1", "pods");
    let options = ListOptions { limit: 500, ..Default::default() };
    let trees = client.dynamic(&gvr).default_namespace().list(&options).await?;

    // A tree in which something of another type stands where the type has a field is an error that says where.
    let pods = trees.items.iter().map(from_unstructured).collect::<Result<Vec<Pod>, _>>()?;
    for pod in pods {
        let containers: Vec<&str> = pod.spec.containers.iter().map(|container| &*container.name).collect();
        let (namespace, name) = (&pod.metadata.namespace, &pod.metadata.name);
        writeln!(out, "{namespace}/{name} is {} and has {}", pod.status.phase, containers.join(", "))?;
    }
    Ok(())
}
