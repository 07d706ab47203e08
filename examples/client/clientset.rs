//! Lists pods and deployments with the typed client.
//!
//! ```console
//! $ cargo run -p client-examples --bin clientset
//! ```

use std::error::Error;
use std::io::Write;

use rhumb_client::Client;
use rhumb_meta::v1::ListOptions;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // The configuration is that of kubectl or, in a pod, that of its service account.
    let client = Client::infer().await?;
    run(client, &mut std::io::stdout()).await
}

/// Lists pods and deployments of the default namespace, and counts the pods of the whole cluster.
pub async fn run(client: Client, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // There is a method for every built-in group version, and for every resource in it.
    let pods = client.core_v1().pods(client.default_namespace());
    for pod in pods.list(&ListOptions::default()).await? {
        let image = pod.spec.containers.first().map_or("", |container| container.image.as_str());
        writeln!(out, "{} is {} and runs {image}", pod.metadata.name, pod.status.phase)?;
    }

    for deployment in
        client.apps_v1().deployments(client.default_namespace()).list(&ListOptions::default()).await?
    {
        let (ready, wanted) = (deployment.status.ready_replicas, deployment.spec.replicas.unwrap_or(1));
        writeln!(out, "{} has {ready} of {wanted}", deployment.metadata.name)?;
    }

    // An empty namespace is the whole cluster, which is read in pages of 100 pods.
    let mut everywhere = client.core_v1().pods("").items(&ListOptions { limit: 100, ..Default::default() });
    let mut count = 0;
    while let Some(pod) = everywhere.next().await {
        pod?;
        count += 1;
    }
    writeln!(out, "There are {count} pods in the cluster.")?;

    // Errors of the server have a method for each reason.
    match pods.get("no-such-pod").await {
        Ok(pod) => writeln!(out, "There is a pod {}.", pod.metadata.name)?,
        Err(error) if error.is_not_found() => writeln!(out, "There is no such pod: {error}")?,
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
