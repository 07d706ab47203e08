//! What `k8s.io/api` has published since v0.17: every kind, and every golden object of its test data. The data is
//! that of Kubernetes (Apache-2.0), collected by `tools/record-golden.py`.

mod archive;
mod conversions;
mod kinds;
mod objects;
