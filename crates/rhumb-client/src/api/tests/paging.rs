//! Lists in pages, and what happens when the server no longer has the state of the first one.

use rhumb_api::core::v1::Pod;
use rhumb_meta::v1::ListOptions;
use serde_json::{Value as Json, json};

use super::fake::{self, Fake, Reply, Seen};
use crate::Error;
use crate::config::ContentType;

/// What a server does with the third page.
#[derive(Clone, Copy)]
enum Third {
    Given,
    Expired,
    ExpiredWithOffer,
}

fn page(names: &[&str], next: &str, version: &str) -> Json {
    let items: Vec<Json> = names.iter().map(|name| json!({"metadata": {"name": name}})).collect();
    let left = (!next.is_empty()).then_some(2);
    json!({
        "kind": "PodList", "apiVersion": "v1", "items": items,
        "metadata": {"resourceVersion": version, "continue": next, "remainingItemCount": left},
    })
}

fn expired(token: &str) -> Reply {
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {"continue": token}, "status": "Failure",
        "reason": "Expired", "code": 410, "message": "The provided continue parameter is too old",
    });
    fake::json(410, &status)
}

fn server(third: Third) -> impl Fn(&Seen) -> Reply + Send + Sync {
    move |seen: &Seen| {
        let query = seen.target.split_once('?').map(|(_, query)| query).unwrap_or_default();
        let token = query.split('&').find_map(|pair| pair.strip_prefix("continue=")).unwrap_or_default();
        match (token, third) {
            ("", _) if !query.contains("limit=") => {
                fake::json(200, &page(&["a", "b", "c", "d", "e"], "", "9"))
            }
            ("", _) => fake::json(200, &page(&["a", "b"], "two", "7")),
            ("two", _) => fake::json(200, &page(&["c", "d"], "three", "7")),
            ("three", Third::Given) => fake::json(200, &page(&["e"], "", "7")),
            ("three", Third::Expired) => expired(""),
            ("three", Third::ExpiredWithOffer) => expired("newer"),
            ("newer", _) => fake::json(200, &page(&["e"], "", "9")),
            _ => (500, "text/plain", Vec::new()),
        }
    }
}

fn options() -> ListOptions {
    ListOptions {
        limit: 2,
        label_selector: "x".to_owned(),
        resource_version: "5".to_owned(),
        resource_version_match: "NotOlderThan".to_owned(),
        ..ListOptions::default()
    }
}

fn names(pods: &[Pod]) -> String {
    pods.iter().map(|pod| pod.metadata.name.as_str()).collect()
}

async fn streamed(third: Third) -> (Vec<Result<String, Error>>, Vec<String>) {
    let fake = Fake::start(server(third)).await;
    let mut pages = fake.client(ContentType::Json).resource::<Pod>().pages(&options());
    let mut seen = Vec::new();
    while let Some(page) = pages.next().await {
        seen.push(page.map(|page| names(&page.items)));
    }
    assert!(pages.next().await.is_none(), "it stays at its end");
    (seen, fake.take().iter().map(Seen::line).collect())
}

const FIRST: &str =
    "GET /api/v1/pods?labelSelector=x&limit=2&resourceVersion=5&resourceVersionMatch=NotOlderThan";
const SECOND: &str = "GET /api/v1/pods?continue=two&labelSelector=x&limit=2";
const THIRD: &str = "GET /api/v1/pods?continue=three&labelSelector=x&limit=2";
const NEWER: &str = "GET /api/v1/pods?continue=newer&labelSelector=x&limit=2";
const WHOLE: &str = "GET /api/v1/pods?labelSelector=x&resourceVersion=5&resourceVersionMatch=NotOlderThan";

#[tokio::test]
async fn pages_come_one_after_the_other() {
    let (pages, asked) = streamed(Third::Given).await;
    let pages: Vec<String> = pages.into_iter().map(Result::unwrap).collect();
    assert_eq!(pages, ["ab", "cd", "e"]);
    assert_eq!(asked, [FIRST, SECOND, THIRD]);
}

#[tokio::test]
async fn a_stream_goes_on_where_the_server_offers_it() {
    let (pages, asked) = streamed(Third::ExpiredWithOffer).await;
    let pages: Vec<String> = pages.into_iter().map(Result::unwrap).collect();
    assert_eq!(pages, ["ab", "cd", "e"]);
    assert_eq!(asked, [FIRST, SECOND, THIRD, NEWER]);
}

#[tokio::test]
async fn a_stream_ends_with_an_error_where_the_server_offers_nothing() {
    let (mut pages, asked) = streamed(Third::Expired).await;
    let last = pages.pop().unwrap();
    assert!(last.unwrap_err().is_resource_expired());
    assert_eq!(pages.len(), 2);
    assert_eq!(asked, [FIRST, SECOND, THIRD]);
}

#[tokio::test]
async fn all_pages_become_one_list() {
    let fake = Fake::start(server(Third::Given)).await;
    let list = fake.client(ContentType::Json).resource::<Pod>().list_all(&options()).await.unwrap();
    assert_eq!(names(&list.items), "abcde");
    assert_eq!(list.metadata.resource_version, "7");
    assert_eq!((list.next_page(), list.metadata.remaining_item_count), (None, None));
}

#[tokio::test]
async fn a_list_that_expires_on_the_way_is_read_as_a_whole() {
    for third in [Third::Expired, Third::ExpiredWithOffer] {
        let fake = Fake::start(server(third)).await;
        let list = fake.client(ContentType::Json).resource::<Pod>().list_all(&options()).await.unwrap();
        assert_eq!(names(&list.items), "abcde");
        assert_eq!(list.metadata.resource_version, "9");
        let asked: Vec<String> = fake.take().iter().map(Seen::line).collect();
        assert_eq!(asked, [FIRST, SECOND, THIRD, WHOLE]);
    }
}

#[tokio::test]
async fn a_first_page_that_is_expired_is_an_error() {
    let fake = Fake::start(|_: &Seen| expired("newer")).await;
    let pods = fake.client(ContentType::Json).resource::<Pod>();
    assert!(pods.list_all(&options()).await.unwrap_err().is_resource_expired());
    assert_eq!(fake.take().len(), 1);
}

#[tokio::test]
async fn a_page_has_five_hundred_objects_unless_told_otherwise() {
    let fake = Fake::start(|_: &Seen| fake::json(200, &page(&["a"], "", "1"))).await;
    let pods = fake.client(ContentType::Json).resource::<Pod>();
    let mut items = pods.items(&ListOptions::default());
    assert_eq!(items.next().await.unwrap().unwrap().metadata.name, "a");
    assert!(items.next().await.is_none());
    pods.list_all(&ListOptions::default()).await.unwrap();
    for seen in fake.take() {
        assert_eq!(seen.line(), "GET /api/v1/pods?limit=500");
    }
}

#[tokio::test]
async fn a_server_that_goes_round_is_left() {
    let fake = Fake::start(|_: &Seen| fake::json(200, &page(&["a"], "same", "1"))).await;
    let mut pages = fake.client(ContentType::Json).resource::<Pod>().pages(&options());
    let mut count = 0;
    while let Some(page) = pages.next().await {
        page.unwrap();
        count += 1;
    }
    assert_eq!(count, 2);
}
