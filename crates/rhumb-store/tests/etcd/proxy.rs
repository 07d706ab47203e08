//! A wire to a server that can be cut.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// Passes connections on to a port, until it is cut.
pub(crate) struct Proxy {
    /// Where it listens.
    pub(crate) port: u16,
    state: Arc<State>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct State {
    cut: AtomicBool,
    cutting: Notify,
}

impl Proxy {
    /// To a port of this machine.
    pub(crate) async fn start(to: u16) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            loop {
                let Ok((mut client, _)) = listener.accept().await else { continue };
                let state = Arc::clone(&shared);
                tokio::spawn(async move {
                    let cutting = state.cutting.notified();
                    if state.cut.load(Ordering::SeqCst) {
                        return;
                    }
                    let Ok(mut server) = TcpStream::connect(("127.0.0.1", to)).await else { return };
                    tokio::select! {
                        _ = tokio::io::copy_bidirectional(&mut client, &mut server) => {}
                        () = cutting => {}
                    }
                });
            }
        });
        Proxy { port, state, task }
    }

    /// Breaks all connections and lets no new ones through.
    pub(crate) fn cut(&self) {
        self.state.cut.store(true, Ordering::SeqCst);
        self.state.cutting.notify_waiters();
    }

    /// Lets new connections through again.
    pub(crate) fn mend(&self) {
        self.state.cut.store(false, Ordering::SeqCst);
    }

    /// Its address.
    pub(crate) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}
