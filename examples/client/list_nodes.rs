//! Lists nodes with REST requests, in pages of 100.
//!
//! ```console
//! $ cargo run -p client-examples --bin list_nodes
//! ```

use std::error::Error;
use std::io::Write;

use rhumb_api::core::v1::Node;
use rhumb_client::{Client, List};
use rhumb_meta::GroupVersion;
use rhumb_meta::v1::ListOptions;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    run(Client::infer().await?, &mut std::io::stdout()).await
}

/// Prints the names of all nodes.
pub async fn run(client: Client, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut options = ListOptions { limit: 100, ..Default::default() };
    loop {
        // GET /api/v1/nodes?limit=100. All other clients use such requests.
        let request = client.get().version(&GroupVersion::new("", "v1")).resource("nodes").options(&options);
        let page: List<Node> = request.accept_for::<Node>().send().await?.decode_list()?;
        for node in &page.items {
            writeln!(out, "{}", node.metadata.name)?;
        }
        // The continue token of the next page, if there is one.
        if page.metadata.continue_.is_empty() {
            return Ok(());
        }
        options.continue_ = page.metadata.continue_;
    }
}
