//! What can go wrong between a bot and its server: each error is a sentence.

use std::error::Error as StdError;
use std::fmt;

/// Anything that ends a bot, or a turn.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The settings and the environment do not say where to connect, or as whom.
    BadSettings(String),
    /// Bytes that are no frame of the protocol, or a message that would be none.
    BadFrame {
        /// The protocol's word for it, `malformed` or `too_large`.
        code: &'static str,
        /// What is wrong.
        message: String,
    },
    /// The server sent a message that lacks a key or has another type there: not our protocol.
    BadMessage(String),
    /// The connection could not be made, broke, or was silent for three heartbeats.
    ConnectionLost(String),
    /// The server has said goodbye, and not that it is for good: a bot comes back later.
    ServerLeft(String),
    /// The server was not there, or had no room, for as long as the bot was to try.
    GaveUp(String),
    /// Another process plays as this bot now: one that came back would throw it out in turn.
    Replaced,
    /// The server refused something and closed the connection.
    Server {
        /// The protocol's word for it, such as `unauthorized`.
        code: String,
        /// The server's sentence.
        message: String,
    },
    /// [`Turn::legal_after`](crate::Turn::legal_after) has no answer: the turn is not asked for any
    /// more, or a step is illegal. A bot that lets it pass sends no move for this turn.
    TurnLost(String),
    /// The bot gave a turn without steps.
    BadTurn(String),
    /// The bot looks at something that it did not ask the server for.
    NotWanted(&'static str),
    /// An error of the bot's own.
    Bot(Box<dyn StdError + Send + Sync>),
}

impl Error {
    pub(crate) fn malformed(message: impl Into<String>) -> Self {
        Self::BadFrame { code: "malformed", message: message.into() }
    }

    /// The same where no welcome came before it: hardly a Polynya server, or one with TLS.
    pub(crate) fn before_welcome(self) -> Self {
        const REMEDY: &str = "is the port right, and does it ask for TLS (POLYNYA_TLS=1)?";
        match self {
            Self::BadFrame { code, message } => {
                let message =
                    format!("what answers there is no Polynya server; {REMEDY} {message}");
                Self::BadFrame { code, message }
            }
            Self::ConnectionLost(why) => {
                Self::ConnectionLost(format!("{why}, before any welcome; {REMEDY}"))
            }
            other => other,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadSettings(text)
            | Self::BadMessage(text)
            | Self::ConnectionLost(text)
            | Self::ServerLeft(text)
            | Self::GaveUp(text)
            | Self::TurnLost(text)
            | Self::BadTurn(text) => out.write_str(text),
            Self::Replaced => out.write_str(
                "the server says goodbye (replaced): this bot has connected a second time, and the \
                 other one plays on; this one stays away",
            ),
            Self::BadFrame { code, message } => write!(out, "{code}: {message}"),
            Self::Server { code, message } => write!(out, "{code}: {message}"),
            Self::NotWanted(text) => out.write_str(text),
            Self::Bot(error) => write!(out, "the bot failed: {error}"),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Bot(error) => Some(error.as_ref()),
            _ => None,
        }
    }
}

/// An error that left a bot's own code: one of ours passes through, others are the bot's.
impl From<Box<dyn StdError + Send + Sync>> for Error {
    fn from(error: Box<dyn StdError + Send + Sync>) -> Self {
        error.downcast::<Self>().map_or_else(Self::Bot, |ours| *ours)
    }
}

/// A peer's text for a terminal: what is not printable becomes `\u{1b}`-like notation.
pub(crate) fn printable(text: &str) -> String {
    const LIMIT: usize = 500;
    let mut clean = String::new();
    for character in text.chars().take(LIMIT) {
        match character {
            '"' | '\'' | '\\' => clean.push(character),
            _ => clean.extend(character.escape_debug()),
        }
    }
    clean
}

/// Tell the bot's author something that does not end the bot: through the program's logger, or on
/// standard error if it has none.
pub(crate) fn warn(text: &str) {
    if log::max_level() == log::LevelFilter::Off {
        eprintln!("polynya_client: {text}");
    } else {
        log::warn!(target: "polynya_client", "{text}");
    }
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn control_characters_and_reversed_writing_do_not_reach_a_terminal() {
        assert_eq!(printable("too \x1b[31mlate \u{202e}"), r"too \u{1b}[31mlate \u{202e}");
    }

    #[test]
    fn quotes_and_letters_of_any_language_stay() {
        assert_eq!(printable("\"Grüße\" \\ 'Þ'"), "\"Grüße\" \\ 'Þ'");
    }
}
