//! Lists pods with the dynamic client and converts them to typed pods.
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

/// Prints the pods of the default namespace with their containers.
pub async fn run(client: Client, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // This works for any resource, also without a Rust type.
    let gvr = GroupVersionResource::new("", "v1", "pods");
    let options = ListOptions { limit: 500, ..Default::default() };
    let trees = client.dynamic(&gvr).default_namespace().list(&options).await?;

    // A field of the wrong type is an error with its path.
    let pods = trees.items.iter().map(from_unstructured).collect::<Result<Vec<Pod>, _>>()?;
    for pod in pods {
        let containers: Vec<&str> = pod.spec.containers.iter().map(|container| &*container.name).collect();
        let (namespace, name) = (&pod.metadata.namespace, &pod.metadata.name);
        writeln!(out, "{namespace}/{name} is {} and has {}", pod.status.phase, containers.join(", "))?;
    }
    Ok(())
}
