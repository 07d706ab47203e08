//! Models of the queue for tests.
//!
//! `orders` walks every order in which actors can act on the state machine and compares each step with `naive`;
//! `threads` lets `loom` run the whole queue under the interleavings of threads.

mod naive;
mod orders;
mod threads;
mod world;
