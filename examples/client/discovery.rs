//! Asks a server what it is and what it serves, and keeps the answer.
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
    Ok(())
}

/// Prints how many versions there are, and where Deployments are found. The server is asked if nobody has asked it in the
/// last six hours: what it serves is kept in kubectl's files, below a directory or `~/.kube/cache`.
/// `CachedDiscovery::in_memory` keeps it for this process alone.
pub async fn find(
    client: &Client,
    cache: Option<PathBuf>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let cached = CachedDiscovery::on_disk(client, cache);
    writeln!(out, "There are {} versions.", cached.server_resources().await?.resources.len())?;

    // A mapper finds the resource of a kind. If there is none in the cache it has the server asked once more.
    let mapper = DeferredMapper::new(cached);
    let mapping = mapper.rest_mapping(&GroupKind::new("apps", "Deployment"), &[]).await?;
    writeln!(out, "A Deployment is found at {}.", mapping.resource)?;
    Ok(())
}
