//! Asks a server what it is and what it serves.
//!
//! ```console
//! $ cargo run -p rhumb-client --example discovery
//! ```

use std::error::Error;
use std::io::Write;

use rhumb_client::Client;
use rhumb_client::discovery::{CachedDiscovery, DeferredMapper, DiscoveryClient};
use rhumb_meta::GroupKind;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    run(Client::infer().await?, &mut std::io::stdout()).await
}

/// Prints the server's version, its resources, and where Deployments are found.
pub async fn run(client: Client, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let discovery = DiscoveryClient::new(&client);
    writeln!(out, "The server is {}.", discovery.version().await?.git_version)?;

    // Two requests, or one per group and version if the server is old. A group whose server is down is told beside the
    // others, and hides none of them.
    let everything = discovery.server_resources().await?;
    for failed in &everything.failed {
        writeln!(out, "{} can't be had now.", failed.version)?;
    }
    // Each resource once, in the version that the server prefers.
    for list in everything.preferred() {
        for resource in &list.resources {
            let scope = if resource.namespaced { "in namespaces" } else { "of the cluster" };
            let verbs = resource.verbs.0.join(" ");
            writeln!(out, "{} {} ({scope}): {verbs}", list.group_version, resource.name)?;
        }
    }

    // A mapper finds the resource of a kind. What was found out stays in memory; `CachedDiscovery::on_disk` shares
    // kubectl's files under ~/.kube/cache.
    let mapper = DeferredMapper::new(CachedDiscovery::in_memory(&client));
    let mapping = mapper.rest_mapping(&GroupKind::new("apps", "Deployment"), &[]).await?;
    writeln!(out, "A Deployment is found at {}.", mapping.resource)?;
    Ok(())
}
