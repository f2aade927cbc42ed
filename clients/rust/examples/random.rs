//! A bot that knows no rules: it asks the server what is legal and picks any of it.
//!
//! `--concurrency 2` lets it play two matches at the same time.

use std::process::ExitCode;

use polynya_client::{BotResult, Settings, Step, Steps, Turn, run_each};

/// One random legal step after the other until the turn is over.
fn choose(turn: &mut Turn) -> BotResult<Steps> {
    let choices = turn.legal()?.len();
    turn.info.insert("choices".into(), choices.into());
    let mut steps = vec![any(turn.legal()?)];
    loop {
        let legal = turn.legal_after(&steps)?;
        if legal.turn_over {
            return Ok(steps);
        }
        steps.push(any(&legal.steps));
    }
}

fn any(steps: &[Step]) -> Step {
    steps[fastrand::usize(..steps.len())].clone()
}

fn main() -> ExitCode {
    if let Some(seed) = std::env::var("POLYNYA_SEED").ok().and_then(|seed| seed.parse().ok()) {
        fastrand::seed(seed);
    }
    let concurrency = std::env::args().skip_while(|word| word != "--concurrency").nth(1);
    let concurrency = concurrency.and_then(|count| count.parse().ok()).unwrap_or(1);
    run_each(|| choose, &Settings::named("random").wants(["legal"]).concurrency(concurrency))
}
