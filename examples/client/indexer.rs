//! Finds ConfigMaps by an annotation, in memory: an informer with an index.
//!
//! ```console
//! $ cargo run -p client-examples --bin indexer
//! ```

use std::error::Error;
use std::io::Write;

use rhumb_api::core::v1::ConfigMap;
use rhumb_client::Client;
use rhumb_client::informer::SharedInformer;
use rhumb_meta::labels::Selector;

/// The annotation that says whose an object is.
const OWNER: &str = "example.com/owner";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    run(Client::infer().await?, &mut std::io::stdout()).await
}

/// Prints which ConfigMaps each owner has in the client's namespace.
pub async fn run(client: Client, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let maps = client.core_v1().config_maps(client.default_namespace());
    let informer = SharedInformer::builder(maps).index("owner", owners_of)?.build();
    informer.start();
    // Before the copy is complete an index would say that there is nothing.
    informer.synced().await;

    let indexer = informer.indexer();
    for owner in indexer.list_index_func_values("owner")? {
        // The objects are shared with the informer; to change one is to clone it and to send it to the server.
        for map in indexer.by_index("owner", &owner)? {
            writeln!(out, "{owner} has {}", map.metadata.name)?;
        }
    }

    // A lister reads the same copy by namespace, name and labels.
    let lister = informer.lister().namespace(client.default_namespace());
    let red = lister.list(&Selector::parse("colour=red")?);
    writeln!(out, "{} are red", red.len())?;
    informer.shutdown().await;
    Ok(())
}

/// The values under which an object is found: any number, here one or none.
fn owners_of(map: &ConfigMap) -> Vec<String> {
    map.metadata.annotations.get(OWNER).cloned().into_iter().collect()
}
