//! What the verbs send, and what they make of the answers.
//!
//! The expected requests are those of client-go (`gentype`, `dynamic`, `metadata`, `scale`) for the same
//! calls.

mod actions;
mod fake;
mod modifying;
mod paging;
mod requests;
mod scaling;
