//! A session: what the bot does with each message of one connection.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::bot::Bot;
use crate::codec::Message;
use crate::connection::{Arrived, Connection, Receiver};
use crate::error::{Error, printable, warn};
use crate::events::{Steps, read_forfeited, read_match_over, read_moved};
use crate::fields::Fields;
use crate::inbox::Inbox;
use crate::keepalive::KeepAlive;
use crate::playing::Match;
use crate::remarks;
use crate::turn::Turn;

const SILENT_HEARTBEATS: u32 = 3;

/// A bot on a connection, from `hello` to `goodbye`.
pub struct Session {
    /// What the server knows us by.
    pub name: Option<String>,
    /// Set if this session registered the name.
    pub token: Option<String>,
    pub connection: Arc<Connection>,
    inbox: Inbox,
    heartbeat: Duration,
    matches: HashMap<String, Match>,
    /// Whether the author knows that remarks were left out.
    told: bool,
}

impl Session {
    /// Say hello and wait for the welcome.
    ///
    /// # Errors
    /// [`Error::Server`] if the server does not take this bot, and what [`Session::play`] gives.
    pub fn introduce(mut receiver: Receiver, hello: Value) -> Result<Self, Error> {
        let connection = Arc::clone(&receiver.connection);
        connection.send(hello)?;
        let welcome = loop {
            let message = receiver.receive().map_err(Error::before_welcome)?.message;
            match message.kind() {
                "welcome" => break message,
                "error" => report(&message)?,
                _ => {}
            }
        };
        let heartbeat = Duration::from_millis(welcome.count("heartbeat_ms")?);
        let max_frame = welcome.count("max_frame")?.try_into().unwrap_or(usize::MAX);
        connection.agree(max_frame, heartbeat.saturating_mul(SILENT_HEARTBEATS))?;
        Ok(Self {
            name: welcome.optional("bot", Fields::string)?,
            token: welcome.optional("token", Fields::string)?,
            connection,
            inbox: Inbox::new(receiver),
            heartbeat,
            matches: HashMap::new(),
            told: false,
        })
    }

    /// Play whatever the server asks for until it says goodbye; its reason.
    ///
    /// Matches that are going on when the bot itself fails are forfeited by our goodbye.
    ///
    /// # Errors
    /// [`Error::ConnectionLost`], [`Error::Server`]; [`Error::BadFrame`] and [`Error::BadMessage`]
    /// if the server does not speak this protocol; [`Error::Bot`] and others of the bot's.
    pub fn play(mut self, bot: &mut dyn Bot) -> Result<String, Error> {
        let _keep_alive = KeepAlive::start(Arc::clone(&self.connection), self.heartbeat);
        let _if_it_panics = Leaving(Arc::clone(&self.connection));
        loop {
            let arrived = self.inbox.next();
            let next = arrived.and_then(|arrived| self.handle(bot, arrived));
            match next {
                Ok(None) => {}
                Ok(Some(reason)) => return Ok(reason),
                Err(error) => {
                    if !matches!(error, Error::ConnectionLost(_) | Error::Server { .. }) {
                        self.connection.leave(&farewell(&error));
                    }
                    return Err(error);
                }
            }
        }
    }

    /// Act on a message; types and matches that we do not know are ignored. The reason of a goodbye.
    fn handle(&mut self, bot: &mut dyn Bot, arrived: Arrived) -> Result<Option<String>, Error> {
        let message = &arrived.message;
        match message.kind() {
            "match_start" | "match_resume" => self.begin(bot, message)?,
            "ping" => self.inbox.pong(message)?,
            "error" => report(message)?,
            "notice" => tell(message),
            "turn" => self.turn(bot, arrived)?,
            "moved" | "forfeited" | "match_over" => self.event(bot, message)?,
            "goodbye" => {
                let reason = message.optional("reason", Fields::string)?;
                return Ok(Some(printable(&reason.unwrap_or_default())));
            }
            _ => {}
        }
        Ok(None)
    }

    fn begin(&mut self, bot: &mut dyn Bot, message: &Message) -> Result<(), Error> {
        let mut playing = Match::read(message, Arc::clone(&self.connection))?;
        bot.match_start(&mut playing)?;
        if !playing.resumed {
            // a bot that has come back counts as ready
            self.connection.send(json!({"type": "ready", "match": playing.id}))?;
        }
        self.matches.insert(playing.id.clone(), playing);
        Ok(())
    }

    fn turn(&mut self, bot: &mut dyn Bot, arrived: Arrived) -> Result<(), Error> {
        let Some(playing) = self.matches.get_mut(&arrived.message.string("match")?) else {
            return Ok(());
        };
        playing.follow(&arrived.message)?;
        let mut turn = Turn::read(playing, arrived, &mut self.inbox)?;
        match bot.turn(&mut turn).map_err(Error::from) {
            Err(Error::TurnLost(lost)) => {
                let (number, id) = (turn.number, printable(&turn.playing.id));
                warn(&format!("no move for turn {number} of match {id}: {lost}"));
                Ok(())
            }
            Ok(_) if turn.playing.resigned => Ok(()),
            Ok(steps) => {
                let answer = answer(&mut turn, &steps, &mut self.told)?;
                self.connection.send(answer)
            }
            Err(error) => Err(error),
        }
    }

    fn event(&mut self, bot: &mut dyn Bot, message: &Message) -> Result<(), Error> {
        let id = message.string("match")?;
        let Some(playing) = self.matches.get_mut(&id) else { return Ok(()) };
        playing.follow(message)?;
        match message.kind() {
            "moved" => bot.moved(playing, &read_moved(message)?)?,
            "forfeited" => {
                let forfeited = read_forfeited(message)?;
                if forfeited.seat == playing.seat && !playing.resigned {
                    let (id, reason) = (printable(&id), printable(&forfeited.reason));
                    let detail = printable(&forfeited.detail);
                    warn(&format!("match {id} forfeited ({reason}): {detail}"));
                }
                bot.forfeited(playing, &forfeited)?;
            }
            _ => {
                let over = read_match_over(message)?;
                bot.match_over(playing, &over)?;
                self.matches.remove(&id);
            }
        }
        Ok(())
    }
}

/// The `move` of a turn.
fn answer(turn: &mut Turn, steps: &Steps, told: &mut bool) -> Result<Value, Error> {
    if steps.is_empty() {
        let text = r#"the bot gave no steps as its turn: give some, [["move", 12, 40]]"#;
        return Err(Error::BadTurn(text.to_owned()));
    }
    let id = &turn.playing.id;
    let mut answer = json!({"type": "move", "match": id, "turn": turn.number, "steps": steps});
    if let Some(info) = remarks::of(turn, told) {
        answer["info"] = info;
    }
    Ok(answer)
}

/// Tell the author of an error that is not fatal.
///
/// # Errors
/// [`Error::Server`] if it is.
fn report(message: &Message) -> Result<(), Error> {
    let code = printable(&message.string("code")?);
    let sentence = printable(&message.string("message")?);
    if message.get("fatal") != Some(&Value::Bool(false)) {
        return Err(Error::Server { code, message: sentence });
    }
    warn(&format!("the server says {code}: {sentence}"));
    Ok(())
}

/// Tell the author what the server wants him to know; nothing in it ends the bot.
fn tell(notice: &Message) {
    let text = |key| printable(notice.get(key).and_then(Value::as_str).unwrap_or_default());
    warn(&format!("the server says {}: {}", text("code"), text("message")));
}

/// What the server is told when the bot ends by this.
///
/// A type's name is known to its `Debug` only, which begins with it where it is derived.
fn farewell(error: &Error) -> String {
    let shown = match error {
        Error::Bot(own) => format!("{own:?}"),
        other => format!("{other:?}"),
    };
    let is_of_name = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '_';
    let kind: String = shown.chars().take_while(is_of_name).take(60).collect();
    if kind.starts_with(|first: char| first.is_ascii_uppercase()) {
        format!("the bot ended by an error ({kind})")
    } else {
        "the bot ended by an error".to_owned()
    }
}

/// Says goodbye when the bot's code panics.
struct Leaving(Arc<Connection>);

impl Drop for Leaving {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.leave("the bot ended by a panic");
        }
    }
}
