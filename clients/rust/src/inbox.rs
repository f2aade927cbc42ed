//! What a session receives: in order, except that the answer to a question comes at once.

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::codec::Message;
use crate::connection::{Arrived, Receiver};
use crate::error::{Error, printable};
use crate::events::{Legal, Step, read_legal};
use crate::fields::Fields;

/// Which turn a question is about.
pub struct About<'a> {
    pub id: &'a str,
    pub number: u64,
    pub seat: usize,
}

impl About<'_> {
    fn same_match(&self, message: &Message) -> bool {
        message.get("match").is_some_and(|id| id == self.id)
    }

    fn same_turn(&self, message: &Message) -> bool {
        self.same_match(message) && message.get("turn").is_some_and(|turn| *turn == self.number)
    }

    /// Whether an error about our match is about this turn, not about an earlier one.
    fn answered_by(&self, error: &Message) -> bool {
        let without_turn = error.get("turn").is_none_or(Value::is_null);
        self.same_match(error) && (without_turn || self.same_turn(error))
    }

    /// Whether nobody will answer what we asked about this turn any more.
    fn ended_by(&self, message: &Message) -> bool {
        match message.kind() {
            "goodbye" => true,
            "error" => !is_hint(message),
            "match_over" => self.same_match(message),
            "forfeited" => {
                self.same_match(message) && message.get("seat").is_some_and(|s| *s == self.seat)
            }
            _ => false,
        }
    }
}

/// Whether an error is not fatal.
fn is_hint(error: &Message) -> bool {
    error.get("fatal") == Some(&Value::Bool(false))
}

/// What a session receives: in order, with an exception for the answer to a question.
pub struct Inbox {
    receiver: Receiver,
    put_off: VecDeque<Arrived>,
}

impl Inbox {
    pub fn new(receiver: Receiver) -> Self {
        Self { receiver, put_off: VecDeque::new() }
    }

    /// The next message; those put off come first.
    pub fn next(&mut self) -> Result<Arrived, Error> {
        self.put_off.pop_front().map_or_else(|| self.receiver.receive(), Ok)
    }

    /// Echo a nonce.
    pub fn pong(&self, ping: &Message) -> Result<(), Error> {
        self.receiver.connection.send(json!({"type": "pong", "nonce": ping.get("nonce")}))
    }

    /// The steps that may follow these, asked of the server.
    pub fn ask(&mut self, about: &About, steps: &[Step]) -> Result<Legal, Error> {
        let (id, turn) = (about.id, about.number);
        let question = json!({"type": "steps", "match": id, "turn": turn, "steps": steps});
        self.receiver.connection.send(question)?;
        self.answer(about)
    }

    /// The answer to what was asked about a turn; everything else that arrives is put off.
    fn answer(&mut self, about: &About) -> Result<Legal, Error> {
        loop {
            let arrived = self.receiver.receive()?;
            let message = &arrived.message;
            match message.kind() {
                "legal" if about.same_turn(message) => return read_legal(message),
                "ping" => {
                    self.pong(message)?;
                    continue;
                }
                "error" if is_hint(message) && about.answered_by(message) => {
                    return Err(Error::TurnLost(printable(&message.string("message")?)));
                }
                kind if about.ended_by(message) => {
                    let text = format!("it ended by {}", printable(kind));
                    self.put_off.push_back(arrived);
                    return Err(Error::TurnLost(text));
                }
                _ => {}
            }
            self.put_off.push_back(arrived);
        }
    }
}
