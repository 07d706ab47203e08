//! Discovers what a server serves, and caches the result.
//!
//! ```console
//! $ cargo run -p client-examples --bin discovery
//! ```

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

use rhumb_client::Client;
use rhumb_client::discovery::{CachedDiscovery, DeferredMapper, DiscoveryClient};
use rhumb_meta::GroupKind;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (client, out) = (Client::infer().await?, &mut std::io::stdout());
    run(client.clone(), out).await?;
    find(&client, None, out).await
}

/// Prints the server's version and its resources.
pub async fn run(client: Client, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let discovery = DiscoveryClient::new(&client);
    writeln!(out, "The server is {}.", discovery.version().await?.git_version)?;

    // Two requests, or one per group version with old servers. Unavailable groups are listed separately and don't hide
    // others.
    let everything = discovery.server_resources().await?;
    for failed in &everything.failed {
        writeln!(out, "{} can't be had now.", failed.version)?;
    }
    // Each resource in its preferred version.
    for list in everything.preferred() {
        for resource in &list.resources {
            let scope = if resource.namespaced { "in namespaces" } else { "of the cluster" };
            let verbs = resource.verbs.0.join(" ");
            writeln!(out, "{} {} ({scope}): {verbs}", list.group_version, resource.name)?;
        }
    }
    Ok(())
}

/// Prints the number of versions, and the resource of Deployments. Discovery is cached for six hours in kubectl's
/// files, below a directory or `~/.kube/cache`. `CachedDiscovery::in_memory` caches it in this process only.
pub async fn find(
    client: &Client,
    cache: Option<PathBuf>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let cached = CachedDiscovery::on_disk(client, cache);
    writeln!(out, "There are {} versions.", cached.server_resources().await?.resources.len())?;

    // The mapper finds the resource of a kind, and refreshes discovery if it is missing.
    let mapper = DeferredMapper::new(cached);
    let mapping = mapper.rest_mapping(&GroupKind::new("apps", "Deployment"), &[]).await?;
    writeln!(out, "A Deployment is found at {}.", mapping.resource)?;
    Ok(())
}
