//! The turn that the server asks for in a match, and the bot's questions about it.
//!
//! The receiving thread and the bot's share it: one hears that the turn is over, the other thinks.

use std::collections::VecDeque;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::cancellation::Cancellation;
use crate::codec::Message;
use crate::connection::Connection;
use crate::error::{Error, printable};
use crate::events::{Legal, Step, read_legal};
use crate::fields::Fields;

/// What is asked of the bot in one match.
pub struct Asking {
    connection: Arc<Connection>,
    asked: Mutex<Option<Asked>>,
    /// Held while a question is sent, so that the answers come in the order of the questions.
    sending: Mutex<()>,
}

struct Asked {
    number: u64,
    cancellation: Cancellation,
    questions: VecDeque<SyncSender<Result<Legal, Error>>>,
}

impl Asking {
    pub fn new(connection: Arc<Connection>) -> Self {
        Self { connection, asked: Mutex::default(), sending: Mutex::default() }
    }

    /// Send a message of the match.
    pub fn send(&self, message: Value) -> Result<(), Error> {
        self.connection.send(message)
    }

    /// Another turn is being asked for.
    pub fn begin(&self, number: u64, cancellation: Cancellation) {
        self.abandon("another turn is being asked for");
        *self.asked() = Some(Asked { number, cancellation, questions: VecDeque::new() });
    }

    /// The server no longer waits for the turn that it has asked for, if it has.
    pub fn abandon(&self, why: &str) {
        if let Some(asked) = self.asked().take() {
            asked.cancellation.cancel();
            for question in asked.questions {
                let _ = question.send(Err(Error::TurnLost(why.to_owned())));
            }
        }
    }

    /// Whether the server still waits for this turn.
    pub fn is_asked(&self, number: u64) -> bool {
        self.asked().as_ref().is_some_and(|asked| asked.number == number)
    }

    /// The steps that may follow these in a turn, asked of the server.
    ///
    /// # Errors
    /// [`Error::TurnLost`] if the server refuses the question, or no longer waits for the turn.
    pub fn ask(&self, id: &str, number: u64, steps: &[Step]) -> Result<Legal, Error> {
        let (question, answer) = mpsc::sync_channel(1);
        {
            let _in_order = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
            match self.asked().as_mut().filter(|asked| asked.number == number) {
                Some(asked) => asked.questions.push_back(question),
                None => return Err(Error::TurnLost("it is not asked for any more".to_owned())),
            }
            self.send(json!({"type": "steps", "match": id, "turn": number, "steps": steps}))?;
        }
        answer.recv_timeout(self.connection.patience()).unwrap_or_else(|gone| {
            Err(Error::TurnLost(match gone {
                RecvTimeoutError::Timeout => "the server does not answer".to_owned(),
                RecvTimeoutError::Disconnected => "the connection has ended".to_owned(),
            }))
        })
    }

    /// Take an answer, `legal` or `error`; whether it was one. Answers come in the order of the
    /// questions; an error that names an earlier turn is none.
    ///
    /// # Errors
    /// [`Error::BadMessage`].
    pub fn answer(&self, message: &Message) -> Result<bool, Error> {
        let mut asked = self.asked();
        let Some(asked) = asked.as_mut() else { return Ok(false) };
        let turn = message.get("turn").filter(|turn| !turn.is_null());
        let may_be = match message.kind() {
            "error" => turn.is_none_or(|turn| *turn == asked.number),
            _ => turn.is_some_and(|turn| *turn == asked.number),
        };
        if !may_be {
            return Ok(false);
        }
        let Some(question) = asked.questions.pop_front() else { return Ok(false) };
        let answer = match message.kind() {
            "error" => Err(Error::TurnLost(printable(&message.string("message")?))),
            _ => Ok(read_legal(message)?),
        };
        let _ = question.send(answer); // the one who asked may have given up
        Ok(true)
    }

    fn asked(&self) -> MutexGuard<'_, Option<Asked>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
