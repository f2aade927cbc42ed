//! A Packeis bot that takes the most it can get in this turn, without a thought for the next.
//!
//! Among equally good turns it picks any.

mod packeis;

use std::process::ExitCode;

use packeis::Position;
use polynya_client::{BotResult, Settings, Steps, Turn, json, run};

/// One of the turns that are worth most now.
fn choose(turn: &mut Turn) -> BotResult<Steps> {
    let mut turns = Position::read(turn.state()?)?.turns(turn.seat());
    let most = turns.iter().map(|&(worth, _)| worth).max().ok_or("there is no legal turn")?;
    turns.retain(|&(worth, _)| worth == most);
    turn.info.insert("score".to_owned(), json!(most));
    Ok(vec![turns.swap_remove(fastrand::usize(..turns.len())).1])
}

fn main() -> ExitCode {
    if let Some(seed) = std::env::var("POLYNYA_SEED").ok().and_then(|seed| seed.parse().ok()) {
        fastrand::seed(seed);
    }
    run(choose, &Settings::named("greedy").games(["packeis"]).wants(["state"]))
}
