//! Lists in pages.

use std::collections::BTreeSet;

use rhumb_api::core::v1::ConfigMap;
use rhumb_client::config::ContentType;
use rhumb_meta::v1::{CreateOptions, ListOptions};

use crate::server::Subject;

#[tokio::test]
async fn all_pages_come_as_a_stream() {
    let subject = Subject::new("pages").await;
    let maps = subject.client().resource::<ConfigMap>().namespace(&subject.namespace);
    let labels = [("part".to_owned(), "of-the-test".to_owned())];
    let expect: BTreeSet<String> = (0..25).map(|number| format!("map-{number:02}")).collect();
    for name in &expect {
        let mut map = ConfigMap::default();
        map.metadata.name.clone_from(name);
        map.metadata.labels = labels.clone().into();
        maps.create(&map, &CreateOptions::default()).await.expect("it is made");
    }
    let options =
        ListOptions { limit: 10, label_selector: "part=of-the-test".to_owned(), ..ListOptions::default() };
    for content_type in [ContentType::Usual, ContentType::Json, ContentType::Protobuf] {
        let maps = subject.client_of(content_type).resource::<ConfigMap>().namespace(&subject.namespace);
        let mut pages = maps.pages(&options);
        let mut sizes = Vec::new();
        let mut versions = BTreeSet::new();
        while let Some(page) = pages.next().await {
            let page = page.expect("a page");
            sizes.push(page.items.len());
            versions.insert(page.metadata.resource_version);
        }
        assert_eq!(sizes, [10, 10, 5]);
        assert_eq!(versions.len(), 1, "all pages are of one state");

        let mut items = maps.items(&options);
        let mut names = BTreeSet::new();
        while let Some(item) = items.next().await {
            assert!(names.insert(item.expect("an object").metadata.name));
        }
        assert_eq!(names, expect);

        let all = maps.list_all(&options).await.expect("a list");
        assert_eq!(all.items.len(), 25);
        assert_eq!(all.next_page(), None);
        let metadata = maps.as_metadata().list_all(&options).await.expect("a list");
        let names: BTreeSet<String> = metadata.items.into_iter().map(|item| item.metadata.name).collect();
        assert_eq!(names, expect);
        assert_eq!(maps.as_unstructured().list_all(&options).await.expect("a list").items.len(), 25);
    }
    subject.end().await;
}
