//! The API server as a library.
