//! Initial list in pages.

use std::sync::Arc;

use rhumb_meta::Object;

use super::verdict::{Verdict, verdict};
use super::{Reflector, ReflectorStore};
use crate::informer::key::ObjectKey;
use crate::{Error, List};

/// All objects at a revision.
pub(super) struct Listed<K> {
    pub(super) revision: String,
    pub(super) objects: Vec<(ObjectKey, Arc<K>)>,
    /// Whether the server gave more than one page.
    pub(super) paged: bool,
}

impl<K: Object, S: ReflectorStore<K>> Reflector<K, S> {
    /// Lists everything at the revision the rules ask for. If the server can't give that one, its newest is
    /// taken.
    pub(super) async fn list_all(&mut self) -> Result<Listed<K>, Error> {
        let revision = self.relist_revision();
        let first = revision == "0";
        // A server answers a list of at least some revision from its cache only if it is asked for all of it.
        let limit = match revision.as_str() {
            "" | "0" => self.options.page_size,
            _ if self.paged => self.options.page_size,
            _ => 0,
        };
        let mut listed = self.list_pages(&revision, limit).await;
        if let Err(error) = &listed
            && verdict(error) == Verdict::RevisionUnavailable
        {
            self.unavailable = true;
            listed = self.list_pages("", limit).await;
        }
        if let Ok(listed) = &listed {
            self.unavailable = false;
            // Whoever pages although any revision would do has no cache to answer from.
            self.paged |= first && listed.paged;
        }
        listed
    }

    /// Returns the revision to list at: at least the last one seen, or any the server has cached at first.
    fn relist_revision(&self) -> String {
        if self.unavailable {
            return String::new();
        }
        let revision = self.position.get();
        if revision.is_empty() { "0".to_owned() } else { revision }
    }

    async fn list_pages(&mut self, revision: &str, limit: i64) -> Result<Listed<K>, Error> {
        let mut options = self.options.request.clone();
        options.resource_version = revision.to_owned();
        options.limit = limit;
        let mut listed = Listed { revision: String::new(), objects: Vec::new(), paged: false };
        let mut in_one = false;
        loop {
            let list = match self.list_page(options.clone()).await {
                Ok(list) => list,
                // The pages' revision went while they were read: all in one can't be cut off like that.
                Err(error)
                    if verdict(&error) == Verdict::RevisionUnavailable
                        && !options.continue_.is_empty()
                        && !in_one =>
                {
                    in_one = true;
                    listed.objects = Vec::new();
                    listed.revision.clear();
                    options.limit = 0;
                    options.continue_.clear();
                    options.resource_version = revision.to_owned();
                    continue;
                }
                Err(error) => return Err(error),
            };
            let List { metadata, items } = list;
            if listed.revision.is_empty() {
                listed.revision = metadata.resource_version;
            }
            listed.objects.reserve(items.len());
            for mut item in items {
                let key = self.take_in(&mut item)?;
                let object = self.same(&key, &item).unwrap_or_else(|| Arc::new(item));
                listed.objects.push((key, object));
            }
            if metadata.continue_.is_empty() {
                break;
            }
            listed.paged = true;
            options.continue_ = metadata.continue_;
            options.resource_version.clear();
        }
        if listed.revision.is_empty() {
            return Err(Error::Stream("the list has no resourceVersion to watch from".to_owned()));
        }
        Ok(listed)
    }

    async fn list_page(&self, options: rhumb_meta::v1::ListOptions) -> Result<List<K>, Error> {
        let limit = self.options.list_timeout;
        match tokio::time::timeout(limit, self.source.list(options)).await {
            Ok(answer) => answer,
            Err(_) => Err(Error::Timeout(limit)),
        }
    }
}
