//! A controller and its test server in one process, as shown in the guide.

use std::error::Error;

use rhumb_api::core::v1::{Service, ServicePort};
use rhumb_client::config::Kubeconfig;
use rhumb_client::controller::Shutdown;
use rhumb_client::{Client, Config, WatchEvent};
use rhumb_meta::v1::{CreateOptions, DeleteOptions, ListOptions};
use rhumb_server::Server;

use super::controller;

/// Starts an empty server and returns it with an administrator's client.
async fn serve() -> Result<(Server, Client), Box<dyn Error>> {
    let server = Server::builder().in_memory().listen(([127, 0, 0, 1], 0).into()).start().await?;
    let kubeconfig = Kubeconfig::parse(server.kubeconfig().as_bytes())?;
    let client = Client::new(Config::from_kubeconfig(&kubeconfig, None)?)?;
    Ok((server, client))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_card_comes_and_goes_with_its_service() -> Result<(), Box<dyn Error>> {
    let (server, client) = serve().await?;
    let shutdown = Shutdown::new();
    let running = tokio::spawn({
        let (client, shutdown) = (client.clone(), shutdown.clone());
        async move { controller::run(client, None, &shutdown).await }
    });

    let mut service = Service::default();
    service.metadata.name = "web".to_owned();
    service.metadata.labels.insert("example.com/card".to_owned(), "yes".to_owned());
    service.spec.ports.push(ServicePort { port: 80, ..Default::default() });
    let services = client.core_v1().services("default");
    services.create(&service, &CreateOptions::default()).await?;

    // The test doesn't sleep: it waits for watch events.
    let ours = ListOptions { field_selector: "metadata.name=web-card".to_owned(), ..Default::default() };
    let mut cards = client.core_v1().config_maps("default").watch(&ours).await?;
    let Some(Ok(WatchEvent::Added(card))) = cards.next().await else { panic!("there is no card") };
    assert_eq!(card.data["host"], "web.default.svc");

    // The server's garbage collector follows the owner reference.
    services.delete("web", &DeleteOptions::default()).await?;
    let Some(Ok(WatchEvent::Deleted(_))) = cards.next().await else { panic!("the card stays") };

    shutdown.begin();
    running.await??;
    server.shutdown().await?;
    Ok(())
}
