//! Requests and responses.
//!
//! It reads as a request goes: a [`Client`] holds what all requests share, a [`Request`] is put together (`request`),
//! sent over pooled connections (`pool`, `connect`, `tls`, `proxy`), tried again where the server asks for it
//! (`send`), and becomes a [`Response`], a [`WatchStream`], a [`ByteStream`], a [`WebSocket`] or an error
//! (`refusal`).
//!
//! Nothing here knows a kind: what is sent and read is any [`Object`](rhumb_meta::Object).
//!
//! ```no_run
//! # async fn example(client: rhumb_client::Client) -> Result<(), rhumb_client::Error> {
//! use rhumb_api::core::v1::Pod;
//! use rhumb_meta::GroupVersion;
//!
//! let v1 = GroupVersion::new("", "v1");
//! let request = client.get().version(&v1).namespace("shop").resource("pods").name("web-0");
//! assert!(request.uri()?.path().ends_with("/api/v1/namespaces/shop/pods/web-0"));
//! let pod: Pod = request.send().await?.decode()?;
//! // Paths that are no resources go as they are.
//! let ready = client.get().absolute("/readyz").send().await?.body;
//! # Ok(())
//! # }
//! ```

mod arriving;
mod body;
mod client;
mod connect;
mod encoded_word;
mod frames;
mod limit;
mod list;
mod path;
mod pool;
mod problem;
mod proxy;
mod refusal;
mod relay;
mod request;
mod response;
mod room;
mod send;
#[cfg(test)]
mod tests;
mod tls;
mod warning;
mod watch;
mod websocket;

pub use body::ByteStream;
pub(crate) use client::PROTOBUF_OR_JSON;
pub use client::{Client, PatchKind};
pub(crate) use problem::{connection_problem, is_unexpected_end};
pub use relay::{Duplex, Relayed, Switched};
pub use request::Request;
pub use response::Response;
pub use warning::{Warning, WarningCollector};
pub use watch::WatchStream;
pub(crate) use websocket::Outgoing;
pub use websocket::WebSocket;
