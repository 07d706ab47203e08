//! What a real API server said, compared with what we say. `record.py` got its answers, `answers` keeps them.

mod audit;
mod limits;
mod pod_security;
mod quota;
mod recorded;
