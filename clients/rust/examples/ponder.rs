//! A Packeis bot that thinks on the opponents' time: it has its answer before they have moved.
//!
//! While the others think, it works out its answer to each move that they may make, the likeliest first.
//! At its turn it looks the answer up, or works it out if it had not come to that.

mod packeis;

use std::collections::HashMap;
use std::process::ExitCode;

use packeis::Position;
use polynya_client::{
    Bot, BotResult, Cancellation, Match, Moved, Settings, Step, Steps, Turn, json, run,
};

/// The present position, where it is known, and answers to what may happen in it.
#[derive(Default)]
struct Ponderer {
    position: Option<Position>,
    /// By the last step before our turn, as text.
    answers: HashMap<String, Step>,
    last: String,
}

impl Bot for Ponderer {
    fn match_start(&mut self, _playing: &mut Match) -> BotResult<()> {
        *self = Self::default();
        Ok(())
    }

    fn turn(&mut self, turn: &mut Turn) -> BotResult<Steps> {
        let (position, seat) = (Position::read(turn.state()?)?, turn.seat());
        let prepared = self.answers.remove(&self.last);
        let is_legal = |step: &Step| position.turns(seat).iter().any(|(_, legal)| legal == step);
        let prepared = prepared.filter(is_legal);
        turn.info.insert("prepared".to_owned(), json!(prepared.is_some()));
        let players = turn.playing.players.len();
        let step = match prepared {
            Some(step) => step,
            None => best(&position, seat, players).ok_or("there is no legal turn")?,
        };
        self.answers.clear();
        self.position = (!position.is_placement()).then(|| position.after(seat, &step));
        Ok(vec![step])
    }

    fn moved(&mut self, _playing: &mut Match, moved: &Moved) -> BotResult<()> {
        let step = moved.steps.last().ok_or("a turn has a step")?;
        self.position = self.position.take().map(|position| position.after(moved.seat, step));
        self.last = step.to_string();
        Ok(())
    }

    fn ponder(&mut self, playing: &mut Match, until: &Cancellation) -> BotResult<()> {
        let Some(position) = &self.position else { return Ok(()) };
        let (seat, players) = (playing.seat, playing.players.len());
        let before = (seat + players - 1) % players;
        let mut replies = position.turns(before);
        replies.sort_by_key(|&(worth, _)| std::cmp::Reverse(worth));
        for (_, reply) in replies {
            if until.is_cancelled() {
                break;
            }
            if let Some(answer) = best(&position.after(before, &reply), seat, players) {
                self.answers.insert(reply.to_string(), answer);
            }
        }
        Ok(())
    }
}

/// The step that brings the most after what it leaves to the next player.
fn best(position: &Position, seat: usize, players: usize) -> Option<Step> {
    let next = (seat + 1) % players;
    let left = |step: &Step| {
        let turns = position.after(seat, step).turns(next);
        turns.iter().map(|&(worth, _)| i64::from(worth)).max().unwrap_or(0)
    };
    let turns = position.turns(seat).into_iter();
    turns.max_by_key(|(worth, step)| i64::from(*worth) - left(step)).map(|(_, step)| step)
}

fn main() -> ExitCode {
    let settings = Settings::named("ponder").games(["packeis"]).wants(["state"]);
    run(Ponderer::default(), &settings)
}
