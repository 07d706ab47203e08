//! What runs in a pod, from outside: commands in its containers ([`RemoteCommand`]) and its ports ([`PortForward`]).
//!
//! Both go through a WebSocket to the API server, which passes on to the node. Commands have a few numbered channels in
//! it, ports a small SPDY session.

mod command;
mod exit;
mod forward;
mod spdy;

pub use command::{RemoteCommand, TerminalSize};
pub use exit::Exit;
pub use forward::{ForwardedStream, PortForward};
