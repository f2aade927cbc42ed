//! What happens in a match, as values read from the server's messages.
//!
//! Keys that this version does not know are ignored, keys whose value is absent may be left out.

use serde_json::Value;

use crate::codec::Message;
use crate::error::Error;
use crate::fields::Fields;

/// A verb and its arguments: `["move", 12, 40]`.
pub type Step = Value;
/// The steps of a turn.
pub type Steps = Vec<Step>;

/// Who sits at a seat; `rating` is `None` for a bot without one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs)]
pub struct Player {
    pub seat: usize,
    pub name: String,
    pub rating: Option<f64>,
}

/// The time limits of a match in ms, `None` where there is no such limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Clock {
    /// A player's budget for the whole match.
    pub initial_ms: Option<u64>,
    /// What is added to it after each of his turns.
    pub increment_ms: Option<u64>,
    /// The cap of every single turn.
    pub move_ms: Option<u64>,
}

/// What may follow the first steps of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Legal {
    /// The legal steps, sorted.
    pub steps: Steps,
    /// Whether the steps asked about are a whole turn.
    pub turn_over: bool,
}

/// A turn that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Moved {
    /// Its number in the match, from 1.
    pub turn: u64,
    /// Who played it.
    pub seat: usize,
    /// The whole turn; empty if it is concealed from us.
    pub steps: Steps,
    /// Whether the steps are kept from us, in a match with hidden parts.
    pub concealed: bool,
    /// The time it was charged, in ms.
    pub elapsed_ms: u64,
    /// Each seat's budget after it in ms, `None` without one.
    pub remaining_ms: Vec<Option<i64>>,
    /// The seats that are asked next, in matches with joint turns or hidden parts: none at the end.
    /// `None` elsewhere, and before the last event of a turn.
    pub acting: Option<Vec<usize>>,
    /// What we learnt by the turn beyond the steps that we were told.
    pub seen: Vec<Message>,
    /// The message as it came, with keys that this version does not know.
    pub message: Message,
}

/// A seat has forfeited.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forfeited {
    /// Whose seat, perhaps ours.
    pub seat: usize,
    /// The protocol's word, such as `timeout`.
    pub reason: String,
    /// A sentence.
    pub detail: String,
    /// The number of the turn, in matches with joint turns or hidden parts; `None` elsewhere.
    pub turn: Option<u64>,
    /// As in [`Moved`].
    pub acting: Option<Vec<usize>>,
    /// As in [`Moved`].
    pub seen: Vec<Message>,
    /// The message as it came, with keys that this version does not know.
    pub message: Message,
}

/// A rating that a match has changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs)]
pub struct RatingChange {
    pub name: String,
    pub before: f64,
    pub after: f64,
}

/// The result of a match.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MatchOver {
    /// `finished`, `forfeit`, `aborted` or `annulled`.
    pub reason: String,
    /// The rank of each seat, 1 the best; `None` without a result.
    pub ranking: Option<Vec<i64>>,
    /// The score of each seat; `None` without a result.
    pub scores: Option<Vec<i64>>,
    /// A sentence where more is to be said.
    pub detail: Option<String>,
    /// The id under which the server keeps the replay.
    pub replay: Option<String>,
    /// The ratings that changed.
    pub ratings: Vec<RatingChange>,
    /// What the match's chance followed from, in hexadecimal; `None` without hidden chance.
    pub deal: Option<String>,
    /// The message as it came, with keys that this version does not know.
    pub message: Message,
}

pub(crate) fn read_players(message: &Message) -> Result<Vec<Player>, Error> {
    let read = |player: &Message| {
        Ok(Player {
            seat: player.seat("seat")?,
            name: player.string("name")?,
            rating: player.optional("rating", Fields::number)?,
        })
    };
    message.maps("players")?.into_iter().map(read).collect()
}

pub(crate) fn read_clock(message: &Message) -> Result<Clock, Error> {
    let clock = message.map("clock")?;
    Ok(Clock {
        initial_ms: clock.optional("initial_ms", Fields::count)?,
        increment_ms: clock.optional("increment_ms", Fields::count)?,
        move_ms: clock.optional("move_ms", Fields::count)?,
    })
}

pub(crate) fn read_moved(message: Message) -> Result<Moved, Error> {
    let steps = message.optional("steps", Fields::array)?.cloned();
    Ok(Moved {
        turn: message.count("turn")?,
        seat: message.seat("seat")?,
        concealed: steps.is_none(),
        steps: steps.unwrap_or_default(),
        elapsed_ms: message.count("elapsed_ms")?,
        remaining_ms: message.array("remaining_ms")?.iter().map(Value::as_i64).collect(),
        acting: message.optional("acting", Fields::seats)?,
        seen: read_seen(&message)?,
        message,
    })
}

pub(crate) fn read_forfeited(message: Message) -> Result<Forfeited, Error> {
    Ok(Forfeited {
        seat: message.seat("seat")?,
        reason: message.string("reason")?,
        detail: message.string("detail")?,
        turn: message.optional("turn", Fields::count)?,
        acting: message.optional("acting", Fields::seats)?,
        seen: read_seen(&message)?,
        message,
    })
}

fn read_seen(message: &Message) -> Result<Vec<Message>, Error> {
    let seen = message.optional("seen", Fields::maps)?;
    Ok(seen.unwrap_or_default().into_iter().cloned().collect())
}

pub(crate) fn read_match_over(message: Message) -> Result<MatchOver, Error> {
    let read = |change: &Message| {
        Ok(RatingChange {
            name: change.string("name")?,
            before: change.number("before")?,
            after: change.number("after")?,
        })
    };
    let changes = message.optional("ratings", |message, key| {
        message.maps(key)?.into_iter().map(read).collect::<Result<Vec<_>, _>>()
    })?;
    Ok(MatchOver {
        reason: message.string("reason")?,
        ranking: message.optional("ranking", Fields::integers)?,
        scores: message.optional("scores", Fields::integers)?,
        detail: message.optional("detail", Fields::string)?,
        replay: message.optional("replay", Fields::string)?,
        ratings: changes.unwrap_or_default(),
        deal: message.optional("deal", Fields::string)?,
        message,
    })
}

pub(crate) fn read_legal(message: &Message) -> Result<Legal, Error> {
    Ok(Legal { steps: message.array("legal")?.clone(), turn_over: message.boolean("turn_over")? })
}
