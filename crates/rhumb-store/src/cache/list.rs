//! Lists: from a snapshot, or from the store for a revision of which there is no snapshot any more.

use std::sync::Arc;

use bytes::Bytes;

use crate::cache::cached::{Cached, Decode, Indexed};
use crate::cache::driver::behind;
use crate::cache::error::CacheError;
use crate::cache::forms::{FormId, Forms};
use crate::cache::rope::Run;
use crate::cache::snapshot::{FoundWalk, Predicate, Selection, Snapshot};
use crate::cache::state::{Shared, State};
use crate::entry::Key;
use crate::error::StoreError;
use crate::revision::Revision;
use crate::store::Range;

/// As of when to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum At {
    /// At this revision.
    Exact(Revision),
    /// At this revision or a later one.
    NotOlderThan(Revision),
    /// With everything that was written before the read began.
    #[default]
    Newest,
    /// Whatever the cache has.
    Any,
}

/// What to list.
pub struct ListOptions<T> {
    /// As of when.
    pub at: At,
    /// Which objects.
    pub selection: Selection<T>,
    /// The first key that may be in the answer; empty for the beginning.
    pub start: Key,
    /// How many objects at most; 0 for all.
    pub limit: usize,
}

impl<T> Default for ListOptions<T> {
    fn default() -> Self {
        ListOptions { at: At::default(), selection: Selection::default(), start: Key::new(), limit: 0 }
    }
}

impl<T> Clone for ListOptions<T> {
    fn clone(&self) -> Self {
        ListOptions { selection: self.selection.clone(), start: self.start.clone(), ..*self }
    }
}

impl<T> std::fmt::Debug for ListOptions<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ListOptions")
            .field("at", &self.at)
            .field("selection", &self.selection)
            .field("start", &self.start)
            .field("limit", &self.limit)
            .finish()
    }
}

/// A list, or a part of one.
#[derive(Debug)]
pub struct Listing<T> {
    /// The revision that it is of. Further parts are read exactly at it.
    pub revision: Revision,
    /// The objects in the order of their keys. Each is taken when it is asked for: nothing is copied in advance.
    pub items: Items<T>,
    /// How many there are behind the last one, where that is known without looking at them: not with a predicate,
    /// and not from the store.
    pub remaining: Option<usize>,
    /// Where the next part begins, if there may be one.
    pub next: Option<Key>,
}

/// The objects of a list.
pub struct Items<T> {
    source: ItemSource<T>,
}

/// Objects of a list that stand beside each other in the cache. What they are encoded together is kept with them, so
/// that a long list is made of few long pieces.
#[derive(Debug)]
pub struct Together<T> {
    run: Run<Arc<Cached<T>>>,
}

impl<T> Together<T> {
    /// The objects.
    pub fn objects(&self) -> &[Arc<Cached<T>>] {
        self.run.items()
    }

    /// One of their encoded forms, made if it is not kept from an earlier time, as [`Cached::encoded`] is.
    pub fn encoded(&self, form: FormId, make: impl FnOnce() -> Bytes) -> Bytes {
        let forms = self
            .run
            .leaf()
            .zip(self.objects().first())
            .map(|(leaf, first)| leaf.forms().get_or_init(|| Forms::new(first.budget())));
        match forms {
            Some(forms) => forms.get(form, make),
            None => make(),
        }
    }

    /// One of their encoded forms, if it is kept.
    pub fn kept(&self, form: FormId) -> Option<Bytes> {
        self.run.leaf()?.forms().get()?.kept(form)
    }
}

/// How few objects are not worth a form together.
const FEWEST: usize = 8;

enum ItemSource<T> {
    Walk(FoundWalk<T>, Option<Predicate<T>>),
    Taken(std::vec::IntoIter<Arc<Cached<T>>>),
}

impl<T> std::fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Items").field("left", &self.size_hint()).finish()
    }
}

impl<T> Items<T> {
    /// The objects that come next, if they stand beside each other in the cache and all of them are wanted.
    pub fn together(&mut self) -> Option<Together<T>> {
        match &mut self.source {
            ItemSource::Walk(walk, None) => walk.run(FEWEST).map(|run| Together { run }),
            _ => None,
        }
    }
}

impl<T> Iterator for Items<T> {
    type Item = Arc<Cached<T>>;

    fn next(&mut self) -> Option<Arc<Cached<T>>> {
        match &mut self.source {
            ItemSource::Walk(walk, None) => walk.next(),
            ItemSource::Walk(walk, Some(predicate)) => walk.find(|object| predicate(object)),
            ItemSource::Taken(objects) => objects.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.source {
            ItemSource::Walk(walk, None) => walk.size_hint(),
            ItemSource::Walk(walk, Some(_)) => (0, walk.size_hint().1),
            ItemSource::Taken(objects) => objects.size_hint(),
        }
    }
}

impl<T: Indexed> Snapshot<T> {
    /// Lists objects of a snapshot that is of a revision.
    pub(super) fn list(
        &self,
        revision: Revision,
        options: &ListOptions<T>,
    ) -> Result<Listing<T>, CacheError> {
        let selection = &options.selection;
        let Some(found) = self.find(selection, &options.start) else {
            let name = selection.index.as_ref().map(|wanted| wanted.index.clone());
            return Err(CacheError::NoIndex(name.unwrap_or_default()));
        };
        let (source, end, last) = match &selection.predicate {
            Some(predicate) if options.limit > 0 => {
                let mut walk = found.walk(found.to);
                let taken: Vec<_> =
                    walk.by_ref().filter(|object| predicate(object)).take(options.limit).collect();
                let last = taken.last().map(|object| object.key().clone());
                let end = if taken.len() < options.limit { found.to } else { walk.position() };
                (ItemSource::Taken(taken.into_iter()), end, last)
            }
            predicate => {
                let all = found.to - found.from;
                let taken = if options.limit == 0 { all } else { all.min(options.limit) };
                let end = found.from + taken;
                let last = end.checked_sub(1).and_then(|last| found.get(last));
                let last = last.map(|object| object.key().clone());
                (ItemSource::Walk(found.walk(end), predicate.clone()), end, last)
            }
        };
        Ok(Listing {
            revision,
            items: Items { source },
            remaining: selection.predicate.is_none().then_some(found.to - end),
            next: if end < found.to { last.as_ref().map(behind) } else { None },
        })
    }
}

impl<D: Decode> Shared<D> {
    /// Lists objects of the newest state.
    pub(super) fn list_newest(
        &self,
        state: &State<D::Object>,
        options: &ListOptions<D::Object>,
    ) -> Result<Listing<D::Object>, CacheError> {
        let listing = state.snapshot.list(state.revision, options)?;
        if listing.next.is_some() {
            self.hold_rest(state);
        }
        Ok(listing)
    }

    /// Lists objects as they were at a revision that the cache has seen.
    pub(super) async fn list_exact(
        &self,
        at: Revision,
        options: &ListOptions<D::Object>,
    ) -> Result<Listing<D::Object>, CacheError> {
        let state = self.state().ok_or(CacheError::NotReady)?;
        if state.since <= at && at <= state.revision {
            return self.list_newest(&state, options).map(|listing| Listing { revision: at, ..listing });
        }
        if let Some(snapshot) = self.held(at) {
            return snapshot.list(at, options);
        }
        self.list_stored(at, options).await.map_err(|error| match error {
            StoreError::Compacted { .. } => {
                CacheError::Expired { requested: at, oldest: state.log.floor(), newest: state.revision }
            }
            StoreError::Future { newest } => CacheError::TooLarge { requested: at, current: newest },
            error => CacheError::Store(error),
        })
    }

    /// Lists objects from the store. As many are read at once as are wanted, or a page if all are.
    async fn list_stored(
        &self,
        at: Revision,
        options: &ListOptions<D::Object>,
    ) -> Result<Listing<D::Object>, StoreError> {
        let selection = &options.selection;
        let prefix = if selection.prefix.is_empty() { &self.prefix } else { &selection.prefix };
        let mut taken = Vec::new();
        let mut range = Range {
            prefix: prefix.clone(),
            start: options.start.clone().max(prefix.clone()),
            limit: if options.limit == 0 { self.page } else { options.limit },
            at: Some(at),
        };
        let next = 'pages: loop {
            let page = self.store.range(range.clone()).await?;
            let mut entries = page.entries.iter().peekable();
            while let Some(entry) = entries.next() {
                let object = self.cached(entry);
                if !selection.matches(&object) {
                    continue;
                }
                taken.push(object);
                if taken.len() == options.limit {
                    let more = page.more || entries.peek().is_some();
                    break 'pages more.then(|| behind(&entry.key));
                }
            }
            match page.entries.last() {
                Some(last) if page.more => range.start = behind(&last.key),
                _ => break None,
            }
        };
        let items = Items { source: ItemSource::Taken(taken.into_iter()) };
        let remaining = next.is_none().then_some(0);
        Ok(Listing { revision: at, items, remaining, next })
    }
}
