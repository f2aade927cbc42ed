//! A match that this bot plays.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::codec::Message;
use crate::connection::Connection;
use crate::error::{Error, printable};
use crate::events::{Clock, Player, read_clock, read_players};
use crate::fields::Fields;

/// What is known of a match; a bot may keep its own things under `memory`.
pub struct Match {
    /// The server's name for it.
    pub id: String,
    /// `packeis`, `arktia`, `icecult` or another game.
    pub game: String,
    /// Our seat.
    pub seat: usize,
    /// All players, by seat.
    pub players: Vec<Player>,
    /// The game's set-up options.
    pub options: Map<String, Value>,
    /// The time limits.
    pub clock: Clock,
    /// The position when the match began (or was taken up again), as in the game's rules.
    pub state: Value,
    /// Whether it was taken up again after a lost connection or a new start.
    pub resumed: bool,
    /// For whatever a bot wants to remember until the match is over.
    pub memory: Option<Box<dyn Any>>,
    pub(crate) resigned: bool,
    next_seq: u64,
    connection: Arc<Connection>,
}

impl Match {
    pub(crate) fn read(message: &Message, connection: Arc<Connection>) -> Result<Self, Error> {
        Ok(Self {
            id: message.string("match")?,
            game: message.string("game")?,
            seat: message.seat("seat")?,
            players: read_players(message)?,
            options: message.map("options")?.clone(),
            clock: read_clock(message)?,
            state: Value::Object(message.map("state")?.clone()),
            resumed: message.kind() == "match_resume",
            memory: None,
            resigned: false,
            next_seq: message.count("seq")?.saturating_add(1),
            connection,
        })
    }

    /// Give this match up; a turn that is chosen afterwards is not sent.
    ///
    /// # Errors
    /// [`Error::ConnectionLost`].
    pub fn resign(&mut self) -> Result<(), Error> {
        self.resigned = true;
        self.connection.send(json!({"type": "resign", "match": self.id}))
    }

    /// Count an event of this match.
    ///
    /// # Errors
    /// [`Error::ConnectionLost`] if one is missing: only connecting again can bring the match back.
    pub(crate) fn follow(&mut self, message: &Message) -> Result<(), Error> {
        let (seq, next) = (message.count("seq")?, self.next_seq);
        if seq != next {
            let id = printable(&self.id);
            return Err(Error::ConnectionLost(format!(
                "match {id}: event {next} is missing, {seq} came instead"
            )));
        }
        self.next_seq = next.saturating_add(1);
        Ok(())
    }
}

impl fmt::Debug for Match {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Match {} of {}, seat {}", printable(&self.id), self.game, self.seat)
    }
}
