//! Connections: the listener, TLS, HTTP/1.1 and HTTP/2.

pub(crate) mod listen;
pub(crate) mod tls;
