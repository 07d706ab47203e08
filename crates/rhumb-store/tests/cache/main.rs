//! The cache above a store: what readers and watchers get, whatever the store does meanwhile.

mod agreement;
mod concurrency;
mod fake;
mod lists;
mod model;
mod restart;
mod sharing;
mod things;
mod watches;
