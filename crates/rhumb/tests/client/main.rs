//! The client library against the binary: what only both together can show.

mod bad_line;
mod controllers;
mod faults;
mod informers;
mod serving;
mod told;
