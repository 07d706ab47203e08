//! A client whose server goes away and comes back.

use rhumb_api::core::v1::ConfigMap;
use rhumb_meta::v1::{CreateOptions, ListOptions, UpdateOptions};

use crate::server::{Server, Storage};

#[tokio::test]
async fn a_client_outlives_its_server() {
    let mut server = Server::start(Storage::OnDisk);
    let port = server.port();
    let maps = server.client().core_v1().config_maps("default");
    let mut map = ConfigMap::default();
    map.metadata.name = "kept".to_owned();
    let mut map = maps.create(&map, &CreateOptions::default()).await.expect("it is made");
    for (round, killed) in [true, false, true].into_iter().enumerate() {
        let from = map.metadata.resource_version.clone();
        let options = ListOptions { resource_version: from, ..ListOptions::default() };
        let mut watch = maps.watch(&options).await.expect("a watch");
        if killed {
            server.kill();
        } else {
            server.stop();
        }
        // The watch ends, in order or not; it doesn't hang, and it has nothing to tell.
        while let Some(event) = watch.next().await {
            assert!(event.is_err(), "{event:?}");
        }
        let error = maps.get("kept").await.expect_err("nobody is there");
        assert!(error.is_connection_refused(), "{}", error.chain());
        server.restart();
        assert_eq!(server.port(), port);
        let read = maps.get("kept").await.expect("it is there again");
        assert_eq!(read.metadata.resource_version, map.metadata.resource_version);
        map.data.insert("round".to_owned(), round.to_string());
        map = maps.update(&map, &UpdateOptions::default()).await.expect("it is changed");
    }
    assert_eq!(map.data["round"], "2");
}

#[tokio::test]
async fn what_is_in_memory_is_gone_after_a_restart() {
    let mut server = Server::start(Storage::InMemory);
    let maps = server.client().core_v1().config_maps("default");
    let mut map = ConfigMap::default();
    map.metadata.name = "lost".to_owned();
    maps.create(&map, &CreateOptions::default()).await.expect("it is made");
    server.restart();
    assert!(maps.find("lost").await.expect("the same client is let in").is_none());
}
