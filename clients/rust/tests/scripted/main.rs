//! The SDK against a server whose every word the test decides.

mod connection;
mod questions;
mod server;
mod session;
mod threads;
