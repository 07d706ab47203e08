//! The tasks that a server runs beside its requests. They end with it.

use std::future::Future;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::task::JoinSet;

/// The running tasks of one server. When the last handle to it goes, they are ended.
#[derive(Clone, Debug)]
pub(crate) struct Tasks {
    runtime: Handle,
    running: Arc<Mutex<JoinSet<()>>>,
}

impl Tasks {
    /// No tasks yet; they will run on the runtime that this is called on.
    pub(crate) fn new() -> Self {
        Tasks { runtime: Handle::current(), running: Arc::default() }
    }

    /// Starts one.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut running = self.running.lock();
        while running.try_join_next().is_some() {}
        running.spawn_on(task, &self.runtime);
    }

    /// Ends all of them.
    pub(crate) fn end(&self) {
        self.running.lock().abort_all();
    }
}
