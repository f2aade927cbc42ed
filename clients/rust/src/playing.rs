//! A match that this bot plays.

use std::any::Any;
use std::sync::Arc;
use std::{fmt, mem};

use serde_json::{Map, Value, json};

use crate::asking::Asking;
use crate::codec::Message;
use crate::connection::Connection;
use crate::error::{Error, printable};
use crate::events::{Clock, Player, read_clock, read_players};
use crate::fields::Fields;

/// What is known of a match; a bot may keep its own things under `memory`.
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
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
    /// The position when the match began (or was taken up again), as in the game's rules. With
    /// `is_view` it is no position, but what we may know of one.
    pub state: Value,
    /// Whether parts of the match are hidden from us.
    pub is_view: bool,
    /// Whether several seats can be asked at the same time.
    pub is_joint: bool,
    /// The seats that are asked now, ascending, in matches with joint turns or hidden parts; `None`
    /// elsewhere. The events of the match change it.
    pub acting: Option<Vec<usize>>,
    /// Whether it was taken up again after a lost connection or a new start.
    pub resumed: bool,
    /// For whatever a bot wants to remember until the match is over.
    pub memory: Option<Box<dyn Any + Send + Sync>>,
    /// The `match_start` or `match_resume` as it came, with keys that this version does not know.
    pub message: Message,
    pub(crate) asking: Arc<Asking>,
    is_lost: bool,
}

impl Match {
    pub(crate) fn read(message: Message, connection: Arc<Connection>) -> Result<Self, Error> {
        Ok(Self {
            id: message.string("match")?,
            game: message.string("game")?,
            seat: message.seat("seat")?,
            players: read_players(&message)?,
            options: message.map("options")?.clone(),
            clock: read_clock(&message)?,
            state: Value::Object(message.map("state")?.clone()),
            is_view: message.optional("view", Fields::boolean)?.unwrap_or_default(),
            is_joint: message.optional("joint", Fields::boolean)?.unwrap_or_default(),
            acting: message.optional("acting", Fields::seats)?,
            resumed: message.kind() == "match_resume",
            memory: None,
            message,
            asking: Arc::new(Asking::new(connection)),
            is_lost: false,
        })
    }

    /// Give this match up; a turn that is chosen afterwards is not sent.
    ///
    /// # Errors
    /// [`Error::ConnectionLost`].
    pub fn resign(&mut self) -> Result<(), Error> {
        self.is_lost = true;
        self.send(json!({"type": "resign", "match": self.id}))
    }

    /// Whether we have resigned or forfeited.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// We have forfeited; whether that was known.
    pub(crate) fn lose(&mut self) -> bool {
        mem::replace(&mut self.is_lost, true)
    }

    /// Take the seats that an event says are asked next, if it does.
    pub(crate) fn follow(&mut self, acting: Option<&Vec<usize>>) {
        if let Some(acting) = acting {
            self.acting = Some(acting.clone());
        }
    }

    pub(crate) fn send(&self, message: Value) -> Result<(), Error> {
        self.asking.send(message)
    }
}

impl fmt::Debug for Match {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Match {} of {}, seat {}", printable(&self.id), self.game, self.seat)
    }
}
