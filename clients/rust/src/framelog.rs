//! A log of what was sent and received: one JSON object a line, the token left out.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::error::Error;

/// Writes every message as it passes.
pub struct FrameLog {
    out: Box<dyn Write + Send>,
    bot: Option<String>,
}

impl FrameLog {
    /// The log for a file (which several bots may append to), or `-` for standard error.
    pub fn open(target: &str, bot: Option<&str>) -> Result<Self, Error> {
        let out: Box<dyn Write + Send> = if target == "-" {
            Box::new(io::stderr())
        } else {
            let file = OpenOptions::new().append(true).create(true).open(target);
            Box::new(file.map_err(|error| {
                Error::BadSettings(format!("cannot write the log {target}: {error}"))
            })?)
        };
        Ok(Self { out, bot: bot.map(str::to_owned) })
    }

    /// One line: wall-clock time in seconds, the bot, `sent` or `received`, the message. A log that
    /// cannot be written does not stop the bot.
    pub fn write(&mut self, direction: &str, mut message: Value) {
        if let Some(token) = message.get_mut("token") {
            *token = json!("(left out)");
        }
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let entry = json!({
            "time": (time.as_secs_f64() * 1e6).round() / 1e6,
            "bot": self.bot,
            "direction": direction,
            "message": message,
        });
        let _ = self.out.write_all(format!("{entry}\n").as_bytes());
    }
}
