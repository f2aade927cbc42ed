//! A turn that the server asks this bot for.

use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use crate::connection::Arrived;
use crate::error::Error;
use crate::events::{Legal, Step};
use crate::fields::Fields;
use crate::inbox::{About, Inbox};
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
    state: Option<Value>,
    legal: Option<Vec<Step>>,
    arrived: Instant,
    inbox: &'a mut Inbox,
}

impl<'a> Turn<'a> {
    pub(crate) fn read(
        playing: &'a mut Match,
        mut arrived: Arrived,
        inbox: &'a mut Inbox,
    ) -> Result<Self, Error> {
        let message = &mut arrived.message;
        let remaining_ms = message.count("remaining_ms")?.min(FOREVER_MS);
        message.optional("state", Fields::map)?;
        message.optional("legal", Fields::array)?;
        Ok(Self {
            playing,
            number: message.count("turn")?,
            remaining_ms,
            deadline: arrived.at + Duration::from_millis(remaining_ms),
            info: Map::new(),
            state: message.remove("state").filter(Value::is_object),
            legal: match message.remove("legal") {
                Some(Value::Array(steps)) => Some(steps),
                _ => None,
            },
            arrived: arrived.at,
            inbox,
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

    /// The position, as in the game's rules.
    ///
    /// # Errors
    /// [`Error::NotWanted`] if the bot runs without `wants(["state"])`.
    pub fn state(&self) -> Result<&Value, Error> {
        let missing = Error::NotWanted(r#"no state: ask for it with Settings::wants(["state"])"#);
        self.state.as_ref().ok_or(missing)
    }

    /// The legal first steps of the turn, sorted.
    ///
    /// # Errors
    /// [`Error::NotWanted`] if the bot runs without `wants(["legal"])`.
    pub fn legal(&self) -> Result<&[Step], Error> {
        let missing = Error::NotWanted(r#"no legal steps: ask with Settings::wants(["legal"])"#);
        self.legal.as_deref().ok_or(missing)
    }

    /// The steps that may follow `steps`, asked of the server while our clock runs.
    ///
    /// # Errors
    /// [`Error::TurnLost`] if a step is illegal, or the turn is not asked for any more.
    pub fn legal_after(&mut self, steps: &[Step]) -> Result<Legal, Error> {
        let about = About { id: &self.playing.id, number: self.number, seat: self.playing.seat };
        self.inbox.ask(&about, steps)
    }

    /// Give the match up; what is chosen for this turn is not sent.
    ///
    /// # Errors
    /// [`Error::ConnectionLost`].
    pub fn resign(&mut self) -> Result<(), Error> {
        self.playing.resign()
    }

    /// The time that is left now.
    pub fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
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
