//! Shutdown signal.

use std::sync::Arc;

use tokio::sync::watch;

/// Shutdown signal shared by all clones: any of them can send it, and all receive it, also later.
///
/// ```
/// use rhumb_client::controller::Shutdown;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let shutdown = Shutdown::new();
/// let worker = tokio::spawn({
///     let shutdown = shutdown.clone();
///     async move { shutdown.begun().await }
/// });
/// shutdown.begin();
/// worker.await.unwrap();
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Shutdown {
    begun: Arc<watch::Sender<bool>>,
}

impl Shutdown {
    /// Creates a signal that has not been sent.
    pub fn new() -> Self {
        Shutdown { begun: Arc::new(watch::Sender::new(false)) }
    }

    /// Sends the signal.
    pub fn begin(&self) {
        self.begun.send_replace(true);
    }

    /// Reports whether the signal was sent.
    pub fn is_begun(&self) -> bool {
        *self.begun.borrow()
    }

    /// Waits for the signal.
    pub async fn begun(&self) {
        // It can't fail: the other end is in our hands.
        let _ = self.begun.subscribe().wait_for(|begun| *begun).await;
    }
}

impl Default for Shutdown {
    fn default() -> Self {
        Shutdown::new()
    }
}
