//! What a bot is: a function that chooses steps, or a type with hooks.

use std::error::Error as StdError;

use crate::cancellation::Cancellation;
use crate::events::{Forfeited, MatchOver, Moved, Steps};
use crate::playing::Match;
use crate::turn::Turn;

/// What a bot's own code gives: any error ends the bot.
pub type BotResult<T> = Result<T, Box<dyn StdError + Send + Sync>>;

/// A bot that follows its matches: write `turn` and whichever hooks are of use.
///
/// A function from [`Turn`] to [`Steps`] is a bot too. An error or panic in a hook ends the bot: it
/// says goodbye, which forfeits its matches, and the error leaves [`run`](crate::run).
pub trait Bot {
    /// The whole turn, as a list of steps.
    fn turn(&mut self, turn: &mut Turn) -> BotResult<Steps>;

    /// A match begins (or is taken up again, see [`Match::resumed`]); clocks wait for us.
    fn match_start(&mut self, _playing: &mut Match) -> BotResult<()> {
        Ok(())
    }

    /// Think while the others do: called when this bot has nothing else to do in its match.
    ///
    /// It runs in the bot's thread. `until` tells when to return: something has happened, perhaps it
    /// is our turn, and its clock runs. After each event in which that is so it is called again.
    fn ponder(&mut self, _playing: &mut Match, _until: &Cancellation) -> BotResult<()> {
        Ok(())
    }

    /// Another player has moved; in matches with joint turns or hidden parts, and with
    /// `wants(["moved"])`, also we ourselves.
    fn moved(&mut self, _playing: &mut Match, _moved: &Moved) -> BotResult<()> {
        Ok(())
    }

    /// A player has forfeited, perhaps we ourselves.
    fn forfeited(&mut self, _playing: &mut Match, _forfeited: &Forfeited) -> BotResult<()> {
        Ok(())
    }

    /// The match has ended.
    fn match_over(&mut self, _playing: &mut Match, _over: &MatchOver) -> BotResult<()> {
        Ok(())
    }

    /// A server has welcomed the bot, by this name: each time that it comes.
    ///
    /// It runs before all other hooks of this session. [`run_each`](crate::run_each) does not call it.
    fn connected(&mut self, _name: Option<&str>) -> BotResult<()> {
        Ok(())
    }

    /// The session has ended, unless by an error of the bot's own; the bot comes back unless the contest is over.
    ///
    /// `reason` is that of the server's goodbye, such as `finished`, or a sentence about the lost connection.
    /// [`run_each`](crate::run_each) does not call it.
    fn disconnected(&mut self, _reason: &str) -> BotResult<()> {
        Ok(())
    }
}

impl<Choose: FnMut(&mut Turn) -> BotResult<Steps>> Bot for Choose {
    fn turn(&mut self, turn: &mut Turn) -> BotResult<Steps> {
        self(turn)
    }
}
