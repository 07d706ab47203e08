//! Reads at revisions, pages, counts and compaction.

use rhumb_store::{Page, Range, Revision, Store, StoreError};

use super::{bytes, get, own, put, remove, text};

fn names(page: &Page, prefix: &str) -> Vec<String> {
    let name = |entry: &rhumb_store::Entry| {
        format!("{}={}", text(&entry.key).strip_prefix(prefix).expect("the prefix"), text(&entry.value))
    };
    page.entries.iter().map(name).collect()
}

async fn range(store: &dyn Store, prefix: &str, at: Option<Revision>) -> Vec<String> {
    let page = store.range(Range { prefix: bytes(prefix), at, ..Range::default() }).await.expect("a page");
    assert!(!page.more);
    names(&page, prefix)
}

pub async fn reads_see_the_past(store: &dyn Store) {
    let prefix = own("past");
    let key = format!("{prefix}a");
    let first = put(store, &key, "1").await;
    let second = put(store, &key, "2").await;
    let third = remove(store, &key).await;
    let fourth = put(store, &key, "4").await;
    let mut told = Vec::new();
    for at in [first, second, third, fourth] {
        let (entry, newest) = store.get(bytes(&key), Some(at)).await.expect("a read");
        assert!(newest >= fourth);
        told.push(entry.map(|entry| text(&entry.value).to_owned()));
        assert_eq!(range(store, &prefix, Some(at)).await.len(), usize::from(at != third));
    }
    assert_eq!(told, [Some("1".to_owned()), Some("2".to_owned()), None, Some("4".to_owned())]);
}

pub async fn pages_stay_at_their_revision(store: &dyn Store) {
    let prefix = own("pages");
    for name in ["a", "b", "c", "d", "e"] {
        put(store, &format!("{prefix}{name}"), "1").await;
    }
    let mut wanted = Range { prefix: bytes(&prefix), limit: 2, ..Range::default() };
    let mut all = Vec::new();
    loop {
        let page = store.range(wanted.clone()).await.expect("a page");
        assert!(page.entries.len() <= 2);
        all.extend(names(&page, &prefix));
        if !page.more {
            break;
        }
        let mut next = page.entries.last().expect("an entry").key.to_vec();
        next.push(0);
        wanted.start = next.into();
        assert!(wanted.at.is_none_or(|at| at == page.revision));
        wanted.at = Some(page.revision);
        // What happens between two pages is not seen by the second.
        remove(store, &format!("{prefix}d")).await;
        put(store, &format!("{prefix}c"), "2").await;
        put(store, &format!("{prefix}f"), "2").await;
    }
    assert_eq!(all, ["a=1", "b=1", "c=1", "d=1", "e=1"]);
    assert_eq!(range(store, &prefix, None).await, ["a=1", "b=1", "c=2", "e=1", "f=2"]);
}

pub async fn pages_begin_where_they_are_told(store: &dyn Store) {
    let prefix = own("start");
    for name in ["a", "b", "c"] {
        put(store, &format!("{prefix}{name}"), "1").await;
    }
    put(store, &format!("{}0", prefix.trim_end_matches('/')), "another prefix").await;
    let from = |start: &str| Range { prefix: bytes(&prefix), start: bytes(start), ..Range::default() };
    let page = store.range(from(&format!("{prefix}b"))).await.expect("a page");
    assert_eq!(names(&page, &prefix), ["b=1", "c=1"]);
    let page = store.range(from(&format!("{prefix}bb"))).await.expect("a page");
    assert_eq!(names(&page, &prefix), ["c=1"]);
    let page = store.range(Range { limit: 3, ..from("") }).await.expect("a page");
    assert_eq!((page.entries.len(), page.more), (3, false));
    let page = store.range(Range { limit: 2, ..from("") }).await.expect("a page");
    assert_eq!((page.entries.len(), page.more), (2, true));
}

pub async fn counts_follow(store: &dyn Store) {
    let prefix = own("count");
    assert_eq!(store.count(bytes(&prefix)).await, Ok(0));
    for number in 0..20 {
        put(store, &format!("{prefix}{number}"), "1").await;
        put(store, &format!("{prefix}{number}"), "2").await;
    }
    assert_eq!(store.count(bytes(&prefix)).await, Ok(20));
    assert_eq!(store.count(bytes(format!("{prefix}1"))).await, Ok(11));
    remove(store, &format!("{prefix}7")).await;
    assert_eq!(store.count(bytes(&prefix)).await, Ok(19));
}

pub async fn the_future_is_refused(store: &dyn Store) {
    let key = own("future") + "a";
    let newest = put(store, &key, "1").await;
    let future = Some(Revision(newest.0 + 1_000_000));
    assert!(matches!(store.get(bytes(&key), future).await, Err(StoreError::Future { .. })));
    let wanted = Range { prefix: bytes(&key), at: future, ..Range::default() };
    assert!(matches!(store.range(wanted).await, Err(StoreError::Future { .. })));
    assert!(matches!(store.compact(Revision(newest.0 + 1_000_000)).await, Err(StoreError::Future { .. })));
}

pub async fn compaction_refuses_the_past(store: &dyn Store) {
    let key = own("compacted") + "a";
    let first = put(store, &key, "1").await;
    let second = put(store, &key, "2").await;
    let third = put(store, &key, "3").await;
    store.compact(second).await.expect("compaction");
    let refused = Err(StoreError::Compacted { oldest: second });
    assert_eq!(store.get(bytes(&key), Some(first)).await, refused);
    let wanted = Range { prefix: bytes(&key), at: Some(first), ..Range::default() };
    assert!(matches!(store.range(wanted).await, Err(StoreError::Compacted { .. })));
    let read =
        |at| async move { store.get(bytes(&key), Some(at)).await.expect("a read").0.expect("there").value };
    let (second, third) = (read.clone()(second).await, read(third).await);
    assert_eq!((text(&second), text(&third)), ("2", "3"));
}

pub async fn compaction_goes_forward_only(store: &dyn Store) {
    let key = own("forward") + "a";
    let first = put(store, &key, "1").await;
    let second = put(store, &key, "2").await;
    store.compact(second).await.expect("compaction");
    assert!(matches!(store.compact(first).await, Err(StoreError::Compacted { .. })));
}

pub async fn the_present_survives_compaction(store: &dyn Store) {
    let prefix = own("present");
    put(store, &format!("{prefix}a"), "1").await;
    put(store, &format!("{prefix}b"), "1").await;
    put(store, &format!("{prefix}b"), "2").await;
    put(store, &format!("{prefix}c"), "1").await;
    let newest = remove(store, &format!("{prefix}c")).await;
    store.compact(newest).await.expect("compaction");
    // The rest is dropped in steps while others write.
    for _ in 0..5 {
        put(store, &format!("{prefix}d"), "1").await;
    }
    assert_eq!(range(store, &prefix, Some(newest)).await, ["a=1", "b=2"]);
    assert_eq!(range(store, &prefix, None).await, ["a=1", "b=2", "d=1"]);
    assert_eq!(get(store, &format!("{prefix}b")).await.expect("there").version, 2);
    assert_eq!(store.count(bytes(&prefix)).await, Ok(3));
}
