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

/// Annotation with an object's owner.
const OWNER: &str = "example.com/owner";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    run(Client::infer().await?, &mut std::io::stdout()).await
}

/// Prints the ConfigMaps of each owner in the default namespace.
pub async fn run(client: Client, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let maps = client.core_v1().config_maps(client.default_namespace());
    let informer = SharedInformer::builder(maps).index("owner", owners_of)?.build();
    informer.start();
    // Before the cache is filled, indexes are empty.
    informer.synced().await;

    let indexer = informer.indexer();
    for owner in indexer.list_index_func_values("owner")? {
        // Objects are shared with the informer; clone them to change and update them.
        for map in indexer.by_index("owner", &owner)? {
            writeln!(out, "{owner} has {}", map.metadata.name)?;
        }
    }

    // A lister reads the same cache by namespace, name and labels.
    let lister = informer.lister().namespace(client.default_namespace());
    let red = lister.list(&Selector::parse("colour=red")?);
    writeln!(out, "{} are red", red.len())?;
    informer.shutdown().await;
    Ok(())
}

/// Index values of an object: any number, here one or none.
fn owners_of(map: &ConfigMap) -> Vec<String> {
    map.metadata.annotations.get(OWNER).cloned().into_iter().collect()
}
