//! A turn that the server asks this bot for.

use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::cancellation::Cancellation;
use crate::codec::Message;
use crate::connection::Arrived;
use crate::error::Error;
use crate::events::{Legal, Step};
use crate::fields::Fields;
use crate::playing::Match;

/// A clock that no match has, so that sums of times do not overflow, in ms (31 years).
const FOREVER_MS: u64 = 1_000_000_000_000;

/// What a bot has to decide on, and until when.
pub struct Turn<'a> {
    /// The match it belongs to.
    pub playing: &'a mut Match,
    /// The turn's number in the match, from 1.
    pub number: u64,
    /// The time it had when it arrived, in ms.
    pub remaining_ms: u64,
    /// When that time is over.
    pub deadline: Instant,
    /// Remarks to send with the move (`score`, `depth`, `text` and so on), kept in the replay; at
    /// most 1 KiB.
    pub info: Map<String, Value>,
    /// The `turn` as it came, with keys that this version does not know.
    pub message: Message,
    arrived: Instant,
    cancellation: Cancellation,
}

impl<'a> Turn<'a> {
    pub(crate) fn read(
        playing: &'a mut Match,
        arrived: Arrived,
        cancellation: Cancellation,
    ) -> Result<Self, Error> {
        let Arrived { message, at } = arrived;
        let remaining_ms = message.count("remaining_ms")?.min(FOREVER_MS);
        message.optional("state", Fields::map)?;
        message.optional("legal", Fields::array)?;
        Ok(Self {
            playing,
            number: message.count("turn")?,
            remaining_ms,
            deadline: at + Duration::from_millis(remaining_ms),
            info: Map::new(),
            message,
            arrived: at,
            cancellation,
        })
    }

    /// The game's name.
    pub fn game(&self) -> &str {
        &self.playing.game
    }

    /// Our seat.
    pub fn seat(&self) -> usize {
        self.playing.seat
    }

    /// The position, as in the game's rules; with [`Match::is_view`] what we may know of it.
    ///
    /// # Errors
    /// [`Error::NotWanted`] if the bot runs without `wants(["state"])`.
    pub fn state(&self) -> Result<&Value, Error> {
        let missing = Error::NotWanted(r#"no state: ask for it with Settings::wants(["state"])"#);
        self.message.get("state").filter(|state| state.is_object()).ok_or(missing)
    }

    /// The position as a type: one of [`positions`](crate::positions), or of yours.
    ///
    /// # Errors
    /// [`Error::NotWanted`] if the bot runs without `wants(["state"])`; [`Error::BadMessage`] if the
    /// position is not of this type.
    ///
    /// ```
    /// # use polynya_client::{BotResult, Turn};
    /// use polynya_client::positions::PackeisState;
    ///
    /// fn fish(turn: &Turn) -> BotResult<i64> {
    ///     Ok(turn.read_state::<PackeisState>()?.fish.iter().sum())
    /// }
    /// ```
    pub fn read_state<T: DeserializeOwned>(&self) -> Result<T, Error> {
        T::deserialize(self.state()?)
            .map_err(|error| Error::BadMessage(format!("the state is of another type: {error}")))
    }

    /// The legal first steps of the turn, sorted.
    ///
    /// # Errors
    /// [`Error::NotWanted`] if the bot runs without `wants(["legal"])`.
    pub fn legal(&self) -> Result<&[Step], Error> {
        let missing = Error::NotWanted(r#"no legal steps: ask with Settings::wants(["legal"])"#);
        self.message.get("legal").and_then(Value::as_array).map(Vec::as_slice).ok_or(missing)
    }

    /// The steps that may follow `steps`, asked of the server while our clock runs.
    ///
    /// # Errors
    /// [`Error::TurnLost`] if a step is illegal, or the turn is not asked for any more.
    pub fn legal_after(&self, steps: &[Step]) -> Result<Legal, Error> {
        self.playing.asking.ask(&self.playing.id, self.number, steps)
    }

    /// Tells a search when to stop: the time is over, the match has ended, or the connection is lost.
    pub fn cancellation(&self) -> Cancellation {
        self.cancellation.clone()
    }

    /// Whether a search is to stop now: [`Turn::cancellation`], for this thread.
    pub fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }

    /// Whether the server still waits for it.
    pub(crate) fn is_asked(&self) -> bool {
        self.playing.asking.is_asked(self.number)
    }

    /// Give the match up; what is chosen for this turn is not sent.
    ///
    /// # Errors
    /// [`Error::ConnectionLost`].
    pub fn resign(&mut self) -> Result<(), Error> {
        self.playing.resign()
    }

    /// The time that is left now; zero when it is over.
    pub fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// The same as [`Turn::time_left`].
    pub fn remaining(&self) -> Duration {
        self.time_left()
    }

    /// When to stop thinking: [`Turn::think_until_with`] for 20 more turns and a margin of 60 ms.
    pub fn think_until(&self) -> Instant {
        self.think_until_with(20, Duration::from_millis(60))
    }

    /// When to stop thinking, if the match may have `turns_left` more turns of ours, and `margin` is
    /// kept for the network and for other programs on the same processor.
    ///
    /// That is after four fifths of the turn's time, which with a budget for the match is a part of
    /// that budget and the increment; earlier where less than the margin would be left, but not
    /// before three tenths of the time.
    pub fn think_until_with(&self, turns_left: u32, margin: Duration) -> Instant {
        let whole = Duration::from_millis(self.remaining_ms);
        let clock = self.playing.clock;
        let increment = clock.increment_ms.unwrap_or(0).min(FOREVER_MS);
        let allotted = match clock.initial_ms {
            Some(_) => whole.min(whole / turns_left.max(1) + Duration::from_millis(increment)),
            None => whole,
        };
        let thinking = (allotted * 4 / 5).min(whole.saturating_sub(margin)).max(allotted * 3 / 10);
        self.arrived + thinking
    }
}

/// When the time of a `turn` is over.
///
/// # Errors
/// [`Error::BadMessage`] if it does not say.
pub(crate) fn deadline(turn: &Arrived) -> Result<Instant, Error> {
    let remaining_ms = turn.message.count("remaining_ms")?.min(FOREVER_MS);
    Ok(turn.at + Duration::from_millis(remaining_ms))
}
