//! Streaming to pods: commands ([`RemoteCommand`]) and ports ([`PortForward`]).
//!
//! Both go through a WebSocket to the API server, which passes on to the node. Commands have a few numbered
//! channels in it, ports a small SPDY session.
//!
//! ```no_run
//! # async fn example(client: rhumb_client::Client) -> Result<(), rhumb_client::Error> {
//! use rhumb_api::core::v1::PodExecOptions;
//!
//! let options = PodExecOptions { command: vec!["date".to_owned()], stdout: true, ..Default::default() };
//! let (output, _, exit) = client.exec("shop", "web-0", &options).await?.output().await?;
//!
//! let ports = client.port_forward("shop", "web-0").await?;
//! let stream = ports.open(8080).await?; // It reads and writes as tokio's streams do.
//! # Ok(())
//! # }
//! ```

mod command;
mod exit;
mod forward;

pub use command::{RemoteCommand, TerminalSize};
pub use exit::Exit;
pub use forward::{ForwardedStream, PortForward};
