//! A sign of life while the bot thinks: servers drop a peer that is silent for three heartbeats.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::connection::Connection;

/// Sends a `ping` whenever nothing else was sent for a heartbeat, in a thread of its own, until it
/// is dropped.
pub struct KeepAlive {
    _until_dropped: Sender<()>,
}

impl KeepAlive {
    pub fn start(connection: Arc<Connection>, heartbeat: Duration) -> Self {
        let (until_dropped, ended) = mpsc::channel();
        thread::spawn(move || {
            while ended.recv_timeout(heartbeat) == Err(RecvTimeoutError::Timeout) {
                let ping = json!({"type": "ping", "nonce": 0});
                if connection.silent() >= heartbeat && connection.send(ping).is_err() {
                    return; // whoever receives notices too
                }
            }
        });
        Self { _until_dropped: until_dropped }
    }
}
