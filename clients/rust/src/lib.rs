//! Connect a bot to a Polynya server: write one function, `choose(turn)`, and call [`run`].
//!
//! ```no_run
//! use polynya_client::{BotResult, Settings, Steps, Turn, run};
//!
//! fn choose(turn: &mut Turn) -> BotResult<Steps> {
//!     Ok(vec![turn.legal()?[0].clone()])
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     run(choose, &Settings::named("first").games(["packeis"]).wants(["legal"]))
//! }
//! ```

mod addresses;
mod asking;
mod bot;
mod cancellation;
mod client;
pub mod codec;
mod connection;
mod error;
mod events;
mod fields;
mod framelog;
mod playing;
pub mod positions;
mod remarks;
mod retries;
mod session;
mod settings;
mod strict;
mod tokens;
mod transport;
mod turn;
mod worker;

pub use bot::{Bot, BotResult};
pub use cancellation::Cancellation;
pub use client::{play, play_each, run, run_each};
pub use error::Error;
pub use events::{Clock, Forfeited, Legal, MatchOver, Moved, Player, RatingChange, Step, Steps};
pub use playing::Match;
pub use serde_json::{Value, json};
pub use settings::Settings;
pub use turn::Turn;
