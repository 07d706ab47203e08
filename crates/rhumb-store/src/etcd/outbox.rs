//! What is still to be said on a stream.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use tokio::sync::mpsc;

/// The messages that were put into a channel, as the stream that the transport wants. It ends with the channel.
pub(super) struct Outbox<T>(mpsc::Receiver<T>);

impl<T> Outbox<T> {
    /// A channel for so many messages.
    pub(super) fn new(size: usize) -> (mpsc::Sender<T>, Self) {
        let (sender, receiver) = mpsc::channel(size);
        (sender, Outbox(receiver))
    }
}

impl<T> Stream for Outbox<T> {
    type Item = T;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        self.0.poll_recv(context)
    }
}
