//! Requests a certificate from the cluster, stores it in files and rotates it, until it is stopped.
//!
//! ```console
//! $ cargo run -p client-examples --bin certificate -- example.com/my-signer /tmp/certificates
//! $ kubectl certificate approve NAME   # and the signer signs it
//! ```

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use rhumb_client::Client;
use rhumb_client::certificate::{FileStore, Manager, SERVER_USAGES, Template};
use rhumb_client::controller::{Shutdown, WallClock};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let shutdown = Shutdown::new();
    tokio::spawn({
        let shutdown = shutdown.clone();
        async move {
            let _ = tokio::signal::ctrl_c().await;
            shutdown.begin();
        }
    });
    let mut words = std::env::args().skip(1);
    let (Some(signer), Some(dir)) = (words.next(), words.next()) else {
        return Err("the name of a signer and a directory are needed".into());
    };
    run(Client::infer().await?, &signer, dir.into(), &shutdown, &mut std::io::stdout()).await
}

/// Prints each new certificate until shutdown.
pub async fn run(
    client: Client,
    signer: &str,
    dir: PathBuf,
    shutdown: &Shutdown,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    // A certificate of an earlier run is used until it is due.
    let store = FileStore::new("web", dir, WallClock::of(&client))?;
    let template = Template {
        common_name: "web".to_owned(),
        dns_names: vec!["web.example.com".to_owned()],
        ..Template::default()
    };
    let (manager, rotation) = Manager::builder(client, signer, SERVER_USAGES, store)
        .template(template)
        .lifetime(Duration::from_secs(24 * 60 * 60))
        .build()?;
    // A rustls server uses the current certificate for each connection:
    // `ServerConfig::builder().with_no_client_auth().with_cert_resolver(manager.resolver())`.
    let mut certificates = manager.certificates();
    let rotation = tokio::spawn(rotation.run(shutdown.clone()));
    loop {
        tokio::select! {
            () = shutdown.begun() => break,
            _ = certificates.changed() => {}
        }
        if let Some(pair) = manager.current() {
            let (from, until) = (pair.not_before().unix_seconds(), pair.not_after().unix_seconds());
            writeln!(out, "{} has a certificate for {} hours", pair.common_name(), (until - from) / 3600)?;
        }
    }
    rotation.await?;
    Ok(())
}
