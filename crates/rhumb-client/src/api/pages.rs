//! Paged lists: the server keeps the state of the first page for the following ones for some minutes.
//!
//! When it no longer has that state it answers "expired", and there are two ways on. [`Api::list_all`] asks
//! once more for all objects in one piece, as client-go does, so what it gives is always of one state. A
//! stream has given its first pages away already; it goes on with the token that the server offers for that,
//! which leads on from the same place in a newer state: objects that exist all the time are given once, those
//! that came and went meanwhile may be missing or outdated.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use rhumb_meta::v1::ListOptions;

use super::{Api, Readable};
use crate::{Error, List};

/// Page size if the options have no limit.
pub const PAGE_SIZE: i64 = 500;

type Fetch<K> = Pin<Box<dyn Future<Output = Result<List<K>, Error>> + Send>>;

/// Stream of the pages of a list, requested one by one.
pub struct PageStream<K> {
    api: Api<K>,
    /// Options of the next page; none after the last.
    next: Option<ListOptions>,
    fetch: Option<Fetch<K>>,
}

/// Stream of the objects of a list, read in pages.
pub struct ItemStream<K> {
    pages: PageStream<K>,
    items: VecDeque<K>,
}

impl<K: Readable> Api<K> {
    /// Returns a stream of all pages of a list. The limit in the options is the page size.
    pub fn pages(&self, options: &ListOptions) -> PageStream<K> {
        PageStream { api: self.clone(), next: Some(first_page(options)), fetch: None }
    }

    /// Returns a stream of all objects of a list, read in pages.
    pub fn items(&self, options: &ListOptions) -> ItemStream<K> {
        ItemStream { pages: self.pages(options), items: VecDeque::new() }
    }

    /// Lists all objects, read in pages. The limit in the options is the page size.
    ///
    /// # Errors
    /// Whenever a page has no answer. If the server can't go on, all is asked for in one piece.
    pub async fn list_all(&self, options: &ListOptions) -> Result<List<K>, Error> {
        let mut asked = first_page(options);
        let mut all: Option<List<K>> = None;
        loop {
            let page = match self.list(&asked).await {
                // Only a later page can be too late; the first one was asked for in a state of the caller's
                // choice.
                Err(error) if error.is_resource_expired() && !asked.continue_.is_empty() => {
                    let whole = ListOptions { limit: 0, continue_: String::new(), ..options.clone() };
                    return self.list(&whole).await;
                }
                page => page?,
            };
            let next = page.metadata.continue_.clone();
            match &mut all {
                Some(all) => all.items.extend(page.items),
                None => all = Some(page),
            }
            if next.is_empty() {
                break;
            }
            go_on(&mut asked, next);
        }
        let mut all = all.unwrap_or_default();
        all.metadata.continue_.clear();
        all.metadata.remaining_item_count = None;
        Ok(all)
    }
}

fn first_page(options: &ListOptions) -> ListOptions {
    let limit = if options.limit == 0 { PAGE_SIZE } else { options.limit };
    ListOptions { limit, ..options.clone() }
}

/// Sets the continue token. It implies the revision, so the options for that are cleared.
fn go_on(options: &mut ListOptions, token: String) {
    options.continue_ = token;
    options.resource_version.clear();
    options.resource_version_match.clear();
}

/// Returns the token to go on with in a newer state, if the server offers one.
fn offered_token(error: &Error) -> Option<String> {
    let status = error.status().filter(|_| error.is_resource_expired())?;
    Some(status.metadata.continue_.clone()).filter(|token| !token.is_empty())
}

impl<K: Readable> PageStream<K> {
    /// Returns the next page; none after the last.
    pub async fn next(&mut self) -> Option<Result<List<K>, Error>> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }
}

impl<K: Readable> ItemStream<K> {
    /// Returns the next object; none after the last.
    pub async fn next(&mut self) -> Option<Result<K, Error>> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }
}

impl<K: Readable> Stream for PageStream<K> {
    type Item = Result<List<K>, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if this.fetch.is_none() {
                let Some(options) = this.next.clone() else { return Poll::Ready(None) };
                let api = this.api.clone();
                this.fetch = Some(Box::pin(async move { api.list(&options).await }));
            }
            let Some(fetch) = &mut this.fetch else { return Poll::Ready(None) };
            let Poll::Ready(page) = fetch.as_mut().poll(cx) else { return Poll::Pending };
            this.fetch = None;
            let next = match &page {
                Ok(page) => page.next_page().map(str::to_owned),
                Err(error) => offered_token(error),
            };
            // The same token again would go round for ever.
            this.next = match (this.next.take(), next) {
                (Some(mut options), Some(token)) if options.continue_ != token => {
                    go_on(&mut options, token);
                    Some(options)
                }
                _ => None,
            };
            if page.is_ok() || this.next.is_none() {
                return Poll::Ready(Some(page));
            }
        }
    }
}

impl<K: Readable> Stream for ItemStream<K> {
    type Item = Result<K, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(item) = this.items.pop_front() {
                return Poll::Ready(Some(Ok(item)));
            }
            match Pin::new(&mut this.pages).poll_next(cx) {
                Poll::Ready(Some(Ok(page))) => this.items = page.items.into(),
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error))),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

// Nothing in them is pinned in place: the request under way is in a box of its own.
impl<K> Unpin for PageStream<K> {}
impl<K> Unpin for ItemStream<K> {}

impl<K> std::fmt::Debug for PageStream<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PageStream({:?})", self.api)
    }
}

impl<K> std::fmt::Debug for ItemStream<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ItemStream({:?})", self.pages.api)
    }
}
