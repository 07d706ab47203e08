//! Lists objects of any resource, built in or custom, without a Rust type for it.
//!
//! ```console
//! $ cargo run -p client-examples --bin dynamic_list -- deploy
//! ```

use std::error::Error;
use std::io::Write;

use rhumb_client::Client;
use rhumb_client::discovery::{CachedDiscovery, DeferredMapper};
use rhumb_meta::{Object, Scope, v1::ListOptions};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let what = std::env::args().nth(1).unwrap_or_else(|| "deployments".to_owned());
    run(Client::infer().await?, &what, &mut std::io::stdout()).await
}

/// Lists the resource that a user names as `deploy`, `deployments.apps` or `Deployment.v1.apps`.
pub async fn run(client: Client, what: &str, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // The mapper uses discovery. If group, version and resource are known, use
    // `GroupVersionResource::new("apps", "v1", "deployments")` instead.
    let mapper = DeferredMapper::new(CachedDiscovery::in_memory(&client));
    let mapping = mapper.mapping_for_arg(what).await?;

    let mut objects = client.dynamic(&mapping.resource);
    if mapping.scope == Scope::Namespaced {
        objects = objects.default_namespace();
    }
    writeln!(out, "{}:", mapping.kind)?;
    for object in objects.list(&ListOptions::default()).await? {
        // Metadata is typed; other fields are read by path.
        let name = object.identity().name.into_owned();
        match object.get(&["spec", "replicas"]) {
            Some(replicas) => writeln!(out, "  {name} wants {replicas} replicas")?,
            None => writeln!(out, "  {name}")?,
        }
    }
    Ok(())
}
