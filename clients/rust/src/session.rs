//! A session: what the bot does with each message of one connection.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::asking::Asking;
use crate::bot::Bot;
use crate::cancellation::Cancellation;
use crate::codec::Message;
use crate::connection::{Arrived, Connection, Receiver};
use crate::error::{Error, printable, warn};
use crate::fields::Fields;
use crate::playing::Match;
use crate::turn;
use crate::worker::{Queue, Task, Worker};

const SILENT_HEARTBEATS: u32 = 3;

/// A bot on a connection, from `hello` to `goodbye`.
///
/// One thread receives, answers pings and ends searches that are not wanted any more; the bot has
/// another one, or one for each match.
pub struct Session {
    /// What the server knows us by.
    pub name: Option<String>,
    /// Set if this session registered the name.
    pub token: Option<String>,
    pub connection: Arc<Connection>,
    receiver: Receiver,
}

/// A match as the receiving thread sees it.
struct Route {
    seat: usize,
    next_seq: u64,
    asking: Arc<Asking>,
    queue: Queue,
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
            receiver,
        })
    }

    /// Play with one bot, in this thread, whatever the server asks for until it says goodbye; its
    /// reason.
    ///
    /// Matches that are going on when the bot itself fails are forfeited by our goodbye.
    ///
    /// # Errors
    /// [`Error::ConnectionLost`], [`Error::Server`]; [`Error::BadFrame`] and [`Error::BadMessage`]
    /// if the server does not speak this protocol; [`Error::Bot`] and others of the bot's.
    pub fn play(mut self, bot: &mut dyn Bot) -> Result<String, Error> {
        let connection = Arc::clone(&self.connection);
        let name = self.name.take();
        let told = AtomicBool::new(false);
        let (queue, tasks) = Queue::new();
        let ended = thread::scope(|scope| {
            let receiving = scope.spawn(move || self.receive_all(|| queue.clone()));
            let played = {
                let _if_it_panics = Leaving(&connection);
                let connected = bot.connected(name.as_deref()).map_err(Error::from);
                connected.and_then(|()| Worker::new(bot, tasks, &told).run())
            };
            if let Err(error) = &played {
                connection.fail(error);
            }
            let received = receiving.join().unwrap_or_else(|panic| resume_unwind(panic));
            own_failure(played).map_or(received, Err)
        });
        match &ended {
            Ok(reason) => bot.disconnected(reason)?,
            Err(Error::Bot(_)) => {}
            Err(error) => bot.disconnected(&error.to_string())?,
        }
        ended
    }

    /// Play each match with a bot of its own, in a thread of its own.
    ///
    /// # Errors
    /// As from [`Session::play`].
    pub fn play_each<B: Bot>(mut self, make: &(impl Fn() -> B + Sync)) -> Result<String, Error> {
        let connection = Arc::clone(&self.connection);
        let told = AtomicBool::new(false);
        let failure = Mutex::new(None);
        let play_one = |tasks| {
            let _if_it_panics = Leaving(&connection);
            let mut bot = make();
            let played = Worker::new(&mut bot, tasks, &told).run();
            if let Err(error) = &played {
                connection.fail(error);
            }
            if let Some(own) = own_failure(played) {
                failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(own);
            }
        };
        let received = thread::scope(|scope| {
            let mut threads: Vec<Thread> = Vec::new();
            let received = self.receive_all(|| {
                let (queue, tasks) = Queue::new();
                let (ended, going_on) = threads.drain(..).partition(Thread::is_finished);
                threads = going_on;
                join_all(ended);
                threads.push(scope.spawn(|| play_one(tasks)));
                queue
            });
            join_all(threads);
            received
        });
        let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        failure.map_or(received, Err)
    }

    /// Receive until the server says goodbye; its reason. Each match gets one of these queues.
    fn receive_all(&mut self, queue: impl FnMut() -> Queue) -> Result<String, Error> {
        let mut router = Router { connection: &self.connection, queue, routes: HashMap::new() };
        loop {
            let received = self.receiver.receive();
            match received.and_then(|arrived| router.handle(arrived)) {
                Ok(None) => {}
                Ok(Some(reason)) => return Ok(reason),
                Err(error) => {
                    self.connection.fail(&error);
                    return Err(error);
                }
            }
        }
    }
}

type Thread<'scope> = thread::ScopedJoinHandle<'scope, ()>;

/// What ended the bot, unless the connection did: the receiving thread knows better why.
fn own_failure(played: Result<(), Error>) -> Option<Error> {
    played.err().filter(|error| !matches!(error, Error::ConnectionLost(_)))
}

/// Wait for threads that end; a panic of theirs goes on here.
fn join_all(threads: Vec<Thread<'_>>) {
    for thread in threads {
        thread.join().unwrap_or_else(|panic| resume_unwind(panic));
    }
}

/// Gives each message to the match that it belongs to.
struct Router<'a, Q> {
    connection: &'a Arc<Connection>,
    queue: Q,
    routes: HashMap<String, Route>,
}

impl<Q: FnMut() -> Queue> Router<'_, Q> {
    /// Act on a message; types and matches that we do not know are ignored. The reason of a goodbye.
    fn handle(&mut self, arrived: Arrived) -> Result<Option<String>, Error> {
        let message = &arrived.message;
        match message.kind() {
            "match_start" | "match_resume" => self.begin(arrived.message)?,
            "ping" => {
                self.connection.send(json!({"type": "pong", "nonce": message.get("nonce")}))?;
            }
            "error" => self.error(message)?,
            "notice" => tell(message),
            "legal" => {
                if let Some(route) = self.about(message) {
                    route.asking.answer(message)?;
                }
            }
            "turn" | "moved" | "forfeited" | "match_over" => self.event(arrived)?,
            "goodbye" => {
                let reason = message.optional("reason", Fields::string)?;
                return Ok(Some(printable(&reason.unwrap_or_default())));
            }
            _ => {}
        }
        Ok(None)
    }

    fn begin(&mut self, message: Message) -> Result<(), Error> {
        let next_seq = message.count("seq")?.saturating_add(1);
        let playing = Match::read(message, Arc::clone(self.connection))?;
        let (seat, asking) = (playing.seat, Arc::clone(&playing.asking));
        let route = Route { seat, next_seq, asking, queue: (self.queue)() };
        if let Some(before) = self.routes.remove(&playing.id) {
            before.asking.abandon("the match begins again");
        }
        let id = playing.id.clone();
        route.queue.put(Task::Begin(Box::new(playing)));
        self.routes.insert(id, route);
        Ok(())
    }

    fn event(&mut self, arrived: Arrived) -> Result<(), Error> {
        let message = &arrived.message;
        let id = message.string("match")?;
        let Some(route) = self.routes.get_mut(&id) else { return Ok(()) };
        route.follow(&id, message)?;
        match message.kind() {
            "turn" => {
                let cancellation = Cancellation::new(Some(turn::deadline(&arrived)?));
                route.asking.begin(message.count("turn")?, cancellation.clone());
                route.queue.put(Task::Turn(id, arrived, cancellation));
            }
            "match_over" => {
                route.asking.abandon("the match is over");
                route.queue.put(Task::Event(id.clone(), arrived.message));
                self.routes.remove(&id);
            }
            _ => {
                if message.kind() == "forfeited" && message.seat("seat")? == route.seat {
                    route.asking.abandon("the match is forfeited");
                }
                route.queue.put(Task::Event(id, arrived.message));
            }
        }
        Ok(())
    }

    /// The match that a message is about, if we know it.
    fn about(&self, message: &Message) -> Option<&Route> {
        self.routes.get(message.get("match")?.as_str()?)
    }

    fn error(&self, message: &Message) -> Result<(), Error> {
        let is_hint = message.get("fatal") == Some(&Value::Bool(false));
        match self.about(message) {
            Some(route) if is_hint && route.asking.answer(message)? => Ok(()),
            _ => report(message),
        }
    }
}

impl<Q> Drop for Router<'_, Q> {
    /// Nobody waits for the bot any more.
    fn drop(&mut self) {
        for route in self.routes.values() {
            route.asking.abandon("the connection has ended");
        }
    }
}

impl Route {
    /// Count an event of this match.
    ///
    /// # Errors
    /// [`Error::ConnectionLost`] if one is missing: only connecting again can bring the match back.
    fn follow(&mut self, id: &str, message: &Message) -> Result<(), Error> {
        let (seq, next) = (message.count("seq")?, self.next_seq);
        if seq != next {
            let id = printable(id);
            return Err(Error::ConnectionLost(format!(
                "match {id}: event {next} is missing, {seq} came instead"
            )));
        }
        self.next_seq = next.saturating_add(1);
        Ok(())
    }
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

/// Says goodbye when the bot's code panics.
struct Leaving<'a>(&'a Connection);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.leave("the bot ended by a panic");
        }
    }
}
