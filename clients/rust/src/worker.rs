//! The bot's own thread: the events of its matches, in their order, while another thread receives.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::bot::Bot;
use crate::cancellation::Cancellation;
use crate::codec::Message;
use crate::connection::Arrived;
use crate::error::{Error, printable, warn};
use crate::events::{Steps, read_forfeited, read_match_over, read_moved};
use crate::fields::Fields;
use crate::playing::Match;
use crate::remarks;
use crate::turn::Turn;

/// How many events may wait for the bot before the server has to.
const WAITING: usize = 1024;

/// Something for the bot to do.
pub enum Task {
    /// A match begins, or is taken up again.
    Begin(Box<Match>),
    /// The server asks for a turn of this match.
    Turn(String, Arrived, Cancellation),
    /// `moved`, `forfeited` or `match_over`.
    Event(String, Message),
}

/// Where the receiving thread puts tasks; what comes ends the thinking on the opponents' time, and so does
/// the end of the last clone.
#[derive(Clone)]
pub struct Queue(Arc<Inner>);

struct Inner {
    tasks: SyncSender<Task>,
    pondering: Arc<Pondering>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.pondering.end();
    }
}

/// What tells the bot to stop thinking on the opponents' time.
#[derive(Default)]
struct Pondering {
    /// Whether there will be no more tasks: then nothing ends the thinking that begins now.
    ended: AtomicBool,
    present: Mutex<Option<Cancellation>>,
}

impl Pondering {
    /// From now on this is what tells.
    fn begin(&self) -> Cancellation {
        let cancellation = Cancellation::new(None);
        *self.present() = Some(cancellation.clone());
        if self.ended.load(Ordering::SeqCst) {
            cancellation.cancel();
        }
        cancellation
    }

    fn wake(&self) {
        if let Some(cancellation) = &*self.present() {
            cancellation.cancel();
        }
    }

    fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        self.wake();
    }

    fn present(&self) -> MutexGuard<'_, Option<Cancellation>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    pub fn new() -> (Self, Tasks) {
        let (sender, receiver) = mpsc::sync_channel(WAITING);
        let pondering = Arc::<Pondering>::default();
        let tasks = Tasks { tasks: receiver, pondering: Arc::clone(&pondering) };
        (Self(Arc::new(Inner { tasks: sender, pondering })), tasks)
    }

    /// A task for the bot; nothing if it has ended.
    pub fn put(&self, task: Task) {
        let _ = self.0.tasks.send(task);
        self.0.pondering.wake();
    }
}

/// The other end of a [`Queue`].
pub struct Tasks {
    tasks: Receiver<Task>,
    pondering: Arc<Pondering>,
}

impl Tasks {
    /// The next task after letting the bot think until it comes; `None` if there are no more.
    fn next(
        &self,
        ponder: impl FnOnce(&Cancellation) -> Result<(), Error>,
    ) -> Result<Option<Task>, Error> {
        let until = self.pondering.begin();
        match self.tasks.try_recv() {
            Ok(task) => return Ok(Some(task)),
            Err(TryRecvError::Disconnected) => return Ok(None),
            Err(TryRecvError::Empty) => ponder(&until)?,
        }
        Ok(self.tasks.recv().ok())
    }
}

/// A bot with the matches that it plays in its thread.
pub struct Worker<'a> {
    bot: &'a mut dyn Bot,
    tasks: Tasks,
    matches: HashMap<String, Match>,
    /// The match of the last event: the one to think about while the others move.
    last: String,
    /// Whether the author knows that remarks were left out.
    told: &'a AtomicBool,
}

impl<'a> Worker<'a> {
    pub fn new(bot: &'a mut dyn Bot, tasks: Tasks, told: &'a AtomicBool) -> Self {
        Self { bot, tasks, matches: HashMap::new(), last: String::new(), told }
    }

    /// Do the tasks until there are no more.
    ///
    /// # Errors
    /// What the bot gives, and what is wrong with the server's messages.
    pub fn run(&mut self) -> Result<(), Error> {
        while let Some(task) = self.next()? {
            self.handle(task)?;
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Task>, Error> {
        let Self { bot, tasks, matches, last, .. } = self;
        let playing = matches.get_mut(last).filter(|playing| !playing.is_lost());
        tasks.next(|until| match playing {
            Some(playing) => Ok(bot.ponder(playing, until)?),
            None => Ok(()),
        })
    }

    fn handle(&mut self, task: Task) -> Result<(), Error> {
        match task {
            Task::Begin(playing) => self.begin(*playing),
            Task::Turn(id, arrived, cancellation) => self.turn(&id, arrived, cancellation),
            Task::Event(id, message) => self.event(&id, message),
        }
    }

    fn begin(&mut self, mut playing: Match) -> Result<(), Error> {
        self.last.clone_from(&playing.id);
        self.bot.match_start(&mut playing)?;
        if !playing.resumed {
            // a bot that has come back counts as ready
            playing.send(json!({"type": "ready", "match": playing.id}))?;
        }
        self.matches.insert(playing.id.clone(), playing);
        Ok(())
    }

    fn turn(&mut self, id: &str, arrived: Arrived, until: Cancellation) -> Result<(), Error> {
        let Some(playing) = self.matches.get_mut(id) else { return Ok(()) };
        id.clone_into(&mut self.last);
        let mut turn = Turn::read(playing, arrived, until)?;
        if !turn.is_asked() {
            return Ok(()); // it was lost before the bot came to it
        }
        let chosen = self.bot.turn(&mut turn).map_err(Error::from);
        if turn.playing.is_lost() && chosen.is_ok() {
            return Ok(());
        }
        match chosen {
            Err(Error::TurnLost(lost)) => no_move(&turn, &lost),
            Ok(_) if !turn.is_asked() => no_move(&turn, "it is not asked for any more"),
            Ok(steps) => {
                let answer = answer(&mut turn, &steps, self.told)?;
                turn.playing.send(answer)?;
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn event(&mut self, id: &str, message: Message) -> Result<(), Error> {
        let Some(playing) = self.matches.get_mut(id) else { return Ok(()) };
        id.clone_into(&mut self.last);
        match message.kind() {
            "moved" => {
                let moved = read_moved(message)?;
                playing.follow(moved.acting.as_ref());
                self.bot.moved(playing, &moved)?;
            }
            "forfeited" => {
                let forfeited = read_forfeited(message)?;
                if forfeited.seat == playing.seat && !playing.lose() {
                    let (id, reason) = (printable(id), printable(&forfeited.reason));
                    let detail = printable(&forfeited.detail);
                    warn(&format!("match {id} forfeited ({reason}): {detail}"));
                }
                playing.follow(forfeited.acting.as_ref());
                self.bot.forfeited(playing, &forfeited)?;
            }
            _ => {
                self.bot.match_over(playing, &read_match_over(message)?)?;
                self.matches.remove(id);
            }
        }
        Ok(())
    }
}

fn no_move(turn: &Turn, why: &str) {
    let (number, id) = (turn.number, printable(&turn.playing.id));
    warn(&format!("no move for turn {number} of match {id}: {why}"));
}

/// The `move` of a turn.
fn answer(turn: &mut Turn, steps: &Steps, told: &AtomicBool) -> Result<Value, Error> {
    if steps.is_empty() {
        let text = r#"the bot gave no steps as its turn: give some, [["move", 12, 40]]"#;
        return Err(Error::BadTurn(text.to_owned()));
    }
    let id = &turn.playing.id;
    let mut answer = json!({"type": "move", "match": id, "turn": turn.number, "steps": steps});
    if let Some(info) = remarks::of(turn, || told.swap(true, Ordering::Relaxed)) {
        answer["info"] = info;
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::Queue;

    #[test]
    fn end_of_the_tasks_ends_the_thinking_on_the_opponents_time() {
        let (queue, tasks) = Queue::new();
        let mut queue = Some(queue);
        let ended = tasks.next(|until| {
            assert!(!until.is_cancelled());
            queue.take();
            while !until.is_cancelled() {
                thread::yield_now();
            }
            Ok(())
        });
        assert!(matches!(ended, Ok(None)));
    }

    #[test]
    fn thinking_that_begins_after_the_end_is_cancelled_at_once() {
        let (queue, tasks) = Queue::new();
        drop(queue);
        assert!(tasks.pondering.begin().is_cancelled());
    }
}
