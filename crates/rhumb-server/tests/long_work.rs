//! The pool for long work: what is stopped is not stored, and nobody else waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::Full;
use rhumb_api::core::v1::ConfigMap;
use rhumb_meta::Object;
use rhumb_schema::budget;
use rhumb_server::admission::{Admission, Attributes, Chain, Deciding};
use rhumb_server::config::{Options, Storage};
use rhumb_server::identity::{MASTERS, User};
use rhumb_server::{Builder, Server};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::client::{Answered, Client, in_time};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// A plugin that takes all the time it gets for objects that ask for it, and then says that all is well, as a rule
/// does that is cut short.
#[derive(Clone, Default)]
struct Thorough(Arc<Progress>);

struct Progress {
    /// Has a permit for each that has begun.
    begun: Semaphore,
    ended: Semaphore,
    running: AtomicUsize,
    most: AtomicUsize,
}

impl Default for Progress {
    fn default() -> Self {
        Progress {
            begun: Semaphore::new(0),
            ended: Semaphore::new(0),
            running: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
        }
    }
}

impl Thorough {
    async fn begun(&self) {
        in_time(self.0.begun.acquire()).await.unwrap().forget();
    }

    async fn ended(&self) {
        in_time(self.0.ended.acquire()).await.unwrap().forget();
    }
}

impl Admission for Thorough {
    fn name(&self) -> &str {
        "Thorough"
    }

    fn validate<'a>(
        &'a self,
        _request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        let map = new.and_then(|new| new.downcast_ref::<ConfigMap>());
        let is_slow = |object: &dyn Object, name: &str| {
            object.metadata().is_some_and(|meta| meta.annotations.contains_key(name))
        };
        if map.is_some_and(|map| map.data.contains_key("large"))
            || new.is_some_and(|new| is_slow(new, "slow-to-make"))
            || new.is_none() && old.is_some_and(|old| is_slow(old, "slow-to-delete"))
        {
            let running = self.0.running.fetch_add(1, Ordering::SeqCst) + 1;
            self.0.most.fetch_max(running, Ordering::SeqCst);
            self.0.begun.add_permits(1);
            while !budget::is_stopped() {
                std::thread::yield_now();
            }
            self.0.running.fetch_sub(1, Ordering::SeqCst);
            self.0.ended.add_permits(1);
        }
        Box::pin(std::future::ready(Ok(())))
    }
}

fn builder(plugin: &Thorough) -> Builder {
    let mut options = Options { storage: Storage::InMemory, ..Options::default() };
    options.listen = ([127, 0, 0, 1], 0).into();
    options.admission = Chain::default().with(plugin.clone());
    let user =
        |name: &str| User { name: name.to_owned(), groups: vec![MASTERS.to_owned()], ..User::default() };
    Server::builder().options(options).token("one", user("one")).token("two", user("two"))
}

/// A ConfigMap whose work is moved.
fn large(client: &Client, token: &str, name: &str, query: &str) -> Request<Full<Bytes>> {
    let map = json!({"metadata": {"name": name}, "data": {"large": "x".repeat(100_000)}});
    let token = format!("Bearer {token}");
    let headers = [("content-type", "application/json"), ("authorization", token.as_str())];
    let mut request = client.request(Method::POST, &format!("{MAPS}{query}"), &headers);
    *request.body_mut() = Full::new(Bytes::from(map.to_string()));
    request
}

async fn get(client: &mut Client, path: &str) -> Answered {
    in_time(client.get_with(path, &[("authorization", "Bearer two")])).await
}

#[tokio::test]
async fn a_request_whose_time_is_over_ends_and_what_it_was_about_is_not_stored() {
    let plugin = Thorough::default();
    let server = builder(&plugin).start().await.unwrap();
    let mut client = Client::http2(&server, None).await;
    let request = large(&client, "one", "late", "?timeout=300ms");
    let answer = in_time(client.send(request)).await.unwrap();
    assert_eq!(answer.code, 504, "{}", answer.body);
    plugin.ended().await;
    assert_eq!(get(&mut client, &format!("{MAPS}/late")).await.code, 404);
    in_time(server.shutdown()).await.unwrap();
}

#[tokio::test]
async fn the_work_for_a_client_that_hangs_up_ends_and_nothing_is_stored() {
    for version in [1, 2] {
        let plugin = Thorough::default();
        let server = builder(&plugin).start().await.unwrap();
        let mut client = match version {
            1 => Client::http1(&server, None).await,
            _ => Client::http2(&server, None).await,
        };
        let request = large(&client, "one", "gone", "");
        let sending = tokio::spawn(async move { client.send(request).await.map(|answer| answer.code) });
        plugin.begun().await;
        sending.abort();
        assert!(sending.await.unwrap_err().is_cancelled());
        plugin.ended().await;
        let mut other = Client::http2(&server, None).await;
        assert_eq!(get(&mut other, &format!("{MAPS}/gone")).await.code, 404, "HTTP/{version}");
        in_time(server.shutdown()).await.unwrap();
    }
}

#[tokio::test]
async fn a_server_that_ends_waits_for_no_long_work() {
    let plugin = Thorough::default();
    let server = builder(&plugin).start().await.unwrap();
    let mut client = Client::http2(&server, None).await;
    let request = large(&client, "one", "unlucky", "");
    let sending = tokio::spawn(async move { client.send(request).await.map(|answer| answer.code) });
    plugin.begun().await;
    in_time(server.shutdown()).await.unwrap();
    assert_eq!(sending.await.unwrap().unwrap(), 429);
}

#[test]
fn a_user_whose_work_takes_long_keeps_half_of_the_pool_free_for_others() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    runtime.block_on(async {
        let plugin = Thorough::default();
        let server = builder(&plugin).start().await.unwrap();
        let mut waiting = Vec::new();
        let mut send = async |token: &str, name: String| {
            let mut client = Client::http2(&server, None).await;
            let request = large(&client, token, &name, "");
            waiting.push(tokio::spawn(async move { client.send(request).await.map(|answer| answer.code) }));
        };
        for number in 0..10 {
            send("one", format!("one-{number}")).await;
        }
        for _ in 0..2 {
            plugin.begun().await;
        }
        send("two", "two-0".to_owned()).await;
        plugin.begun().await;
        assert_eq!(plugin.0.most.load(Ordering::SeqCst), 3, "two of the first user, and one of the second");
        // What is small waits for none of them.
        let mut client = Client::http2(&server, None).await;
        let answer = tokio::time::timeout(Duration::from_secs(5), get(&mut client, MAPS)).await.unwrap();
        assert_eq!(answer.code, 200);
        for task in &waiting {
            task.abort();
        }
        for _ in 0..3 {
            plugin.ended().await;
        }
        in_time(server.shutdown()).await.unwrap();
    });
}

/// Sends an object or none.
async fn send(client: &mut Client, method: Method, path: &str, object: &Value) -> Answered {
    let headers = [("content-type", "application/json"), ("authorization", "Bearer two")];
    let mut request = client.request(method, path, &headers);
    if !object.is_null() {
        *request.body_mut() = Full::new(Bytes::from(object.to_string()));
    }
    in_time(client.send(request)).await.unwrap()
}

#[tokio::test]
async fn a_collection_that_is_deleted_can_be_stopped_between_its_objects() {
    let plugin = Thorough::default();
    let server = builder(&plugin).start().await.unwrap();
    let mut client = Client::http2(&server, None).await;
    let text = "x".repeat(100_000);
    for (name, annotations) in
        [("a", json!({})), ("b", json!({"slow-to-delete": ""})), ("c", json!({"slow-to-delete": ""}))]
    {
        let map = json!({"metadata": {"name": name, "labels": {"of": "us"}, "annotations": annotations},
            "data": {"text": text}});
        assert_eq!(send(&mut client, Method::POST, MAPS, &map).await.code, 201);
    }
    let path = format!("{MAPS}?labelSelector=of%3Dus&timeout=500ms");
    let answer = send(&mut client, Method::DELETE, &path, &Value::Null).await;
    assert_eq!(answer.code, 504, "{}", answer.body);
    plugin.ended().await;
    for (name, code) in [("a", 404), ("b", 200), ("c", 200)] {
        assert_eq!(get(&mut client, &format!("{MAPS}/{name}")).await.code, code, "{name}");
    }
    in_time(server.shutdown()).await.unwrap();
}

#[tokio::test]
async fn a_service_that_has_its_address_can_be_stopped_and_gives_it_back() {
    let plugin = Thorough::default();
    let server = builder(&plugin).start().await.unwrap();
    let mut client = Client::http2(&server, None).await;
    let service = json!({
        "metadata": {"name": "s", "annotations": {"slow-to-make": "x".repeat(100_000)}},
        "spec": {"ports": [{"port": 80}], "type": "NodePort"},
    });
    let services = "/api/v1/namespaces/default/services";
    let answer = send(&mut client, Method::POST, &format!("{services}?timeout=500ms"), &service).await;
    assert_eq!(answer.code, 504, "{}", answer.body);
    plugin.ended().await;
    assert_eq!(get(&mut client, &format!("{services}/s")).await.code, 404);
    let addresses = "/apis/networking.k8s.io/v1/ipaddresses";
    in_time(async {
        while get(&mut client, addresses).await.body.contains(r#""name":"s""#) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    in_time(server.shutdown()).await.unwrap();
}
