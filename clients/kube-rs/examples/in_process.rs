//! A server in this very process, and `kube` as its client: how to test a controller without a cluster.
//!
//! Objects are in memory, the port is a free one, and all is gone at the end. Run it with
//! `cargo run --example in_process`.

use std::error::Error;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ListParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config, ResourceExt};
use rhumb_server::Server;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder().in_memory().listen(([127, 0, 0, 1], 0).into()).start().await?;
    println!("a server at {}", server.url());

    let kubeconfig = Kubeconfig::from_yaml(server.kubeconfig())?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    let maps: Api<ConfigMap> = Api::namespaced(Client::try_from(config)?, "default");

    let mut map = ConfigMap::default();
    map.metadata.name = Some("log".to_owned());
    map.data = Some([("wind".to_owned(), "north".to_owned())].into());
    maps.create(&PostParams::default(), &map).await?;
    for map in maps.list(&ListParams::default()).await? {
        println!("{} was made at {:?}", map.name_any(), map.creation_timestamp());
    }

    server.shutdown().await?;
    Ok(())
}
