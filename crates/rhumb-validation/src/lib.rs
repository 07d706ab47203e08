//! The rules that objects of the built-in Kubernetes API groups must keep.
