//! Looking names up.
