//! The OpenAPI documents of a set of resources.
