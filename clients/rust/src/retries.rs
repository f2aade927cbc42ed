//! How long to wait before the next attempt to connect, and when to give up.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, Instant};

use crate::error::Error;

const AFTER_A_LOSS: Duration = Duration::from_millis(100);
const AFTER_A_WORD: Duration = Duration::from_millis(2500);
const LONGEST: Duration = Duration::from_secs(5);
const STEADY: Duration = Duration::from_secs(5);

/// The pauses of a bot that wants to come back.
///
/// They double from 0.1 s to 5 s, from 2.5 s where the server has said that it wants nobody now, and
/// each is shortened by up to a half at random, so that bots that left together do not return
/// together. A session of 5 s begins them anew, and any session does that a lost connection ended: its
/// bot may be in a match.
pub struct Retries {
    total: Duration,
    pause: Duration,
    failing_since: Option<Instant>,
    welcome_at: Option<Instant>,
}

impl Retries {
    /// For attempts of `total`, from the first failure on or after any welcome.
    pub fn new(total: Duration) -> Self {
        Self { total, pause: AFTER_A_LOSS, failing_since: None, welcome_at: None }
    }

    /// A session has begun.
    pub fn welcome(&mut self) {
        self.welcome_at = Some(Instant::now());
        self.failing_since = None;
    }

    /// How long to wait after this.
    ///
    /// # Errors
    /// [`Error::GaveUp`] if the time for attempts is over, `trouble` itself if later would be no better.
    pub fn after(&mut self, trouble: Error) -> Result<(Duration, Error), Error> {
        if !comes_back_after(&trouble) {
            return Err(trouble);
        }
        let is_word = matches!(trouble, Error::Server { .. } | Error::ServerLeft(_));
        if self.welcome_at.take().is_some_and(|at| !is_word || at.elapsed() >= STEADY) {
            self.pause = AFTER_A_LOSS;
        }
        let since = *self.failing_since.get_or_insert_with(Instant::now);
        let left = self.total.saturating_sub(since.elapsed());
        if left.is_zero() {
            return Err(Error::GaveUp(format!("{trouble}; gave up")));
        }
        let pause = if is_word { self.pause.max(AFTER_A_WORD) } else { self.pause };
        self.pause = (pause * 2).min(LONGEST);
        Ok((shortened(pause).min(left), trouble))
    }
}

/// Whether this says nothing against the bot: later it is welcome.
fn comes_back_after(trouble: &Error) -> bool {
    match trouble {
        Error::Server { code, .. } => matches!(code.as_str(), "server_full" | "shutting_down"),
        Error::ConnectionLost(_) | Error::ServerLeft(_) => true,
        _ => false,
    }
}

/// Up to a half less, by chance.
fn shortened(pause: Duration) -> Duration {
    let thousandths = u32::try_from(random() % 501).unwrap_or(0);
    pause.saturating_sub(pause * thousandths / 1000)
}

/// A random number of the standard library's.
pub fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Error, Retries};

    fn lost() -> Error {
        Error::ConnectionLost("lost".to_owned())
    }

    #[test]
    fn pauses_double_up_to_five_seconds_and_are_shortened_by_chance() {
        let mut retries = Retries::new(Duration::MAX);
        for longest in [100, 200, 400, 800, 1600, 3200, 5000, 5000].map(Duration::from_millis) {
            let (pause, _) = retries.after(lost()).unwrap();
            assert!(longest / 2 <= pause && pause <= longest, "{pause:?} of {longest:?}");
        }
    }

    #[test]
    fn where_the_server_wants_nobody_now_the_first_pause_is_longer() {
        let full = Error::Server { code: "server_full".to_owned(), message: String::new() };
        let (pause, _) = Retries::new(Duration::MAX).after(full).unwrap();
        assert!(pause >= Duration::from_millis(1250));
    }

    #[test]
    fn a_lost_session_begins_the_pauses_anew_and_one_that_the_server_ended_does_not() {
        for (trouble, longest) in [(lost(), 100), (Error::ServerLeft("left".to_owned()), 5000)] {
            let mut retries = Retries::new(Duration::MAX);
            for _ in 0..8 {
                retries.after(lost()).unwrap();
            }
            retries.welcome();
            let (pause, _) = retries.after(trouble).unwrap();
            let longest = Duration::from_millis(longest);
            assert!(longest / 2 <= pause && pause <= longest, "{pause:?} of {longest:?}");
        }
    }

    #[test]
    fn no_time_means_no_attempt() {
        assert!(matches!(Retries::new(Duration::ZERO).after(lost()), Err(Error::GaveUp(_))));
    }
}
