//! Schemas made at run time: what custom resources are read, completed and checked by.
