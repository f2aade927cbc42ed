//! Run a bot: connect, play, and come back after a lost connection.

use std::iter;
use std::process::{self, ExitCode};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use crate::bot::Bot;
use crate::connection::Connection;
use crate::error::{Error, printable, warn};
use crate::session::Session;
use crate::settings::Settings;

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
const INTERRUPTED: i32 = 130;

/// Play on a server until it says goodbye: what a program's `main` calls.
///
/// The bot runs in the calling thread, and pings wait while it thinks; another thread lets the
/// server know that it is still there. What goes wrong is printed on standard error and gives the
/// exit code 1. Ctrl-C says goodbye, which forfeits the matches at once, and gives 130.
pub fn run(bot: impl Bot, settings: &Settings) -> ExitCode {
    let current = Current::default();
    let interrupted = current.clone();
    let handled = ctrlc::set_handler(move || {
        interrupted.leave("the bot was interrupted");
        process::exit(INTERRUPTED);
    });
    if let Err(error) = handled {
        warn(&format!("Ctrl-C will not say goodbye: {error}"));
    }
    match play_with(bot, settings, &current) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            warn(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Play on a server until it says goodbye, for programs that have signals and errors in their own
/// hands.
///
/// # Errors
/// [`Error::BadSettings`] if the settings and the environment do not say where to connect;
/// [`Error::ConnectionLost`] if the server is not there (any more); [`Error::Server`] if it refused
/// this bot; [`Error::Bot`] and others from the bot's own code.
pub fn play(bot: impl Bot, settings: &Settings) -> Result<(), Error> {
    play_with(bot, settings, &Current::default())
}

fn play_with(mut bot: impl Bot, settings: &Settings, current: &Current) -> Result<(), Error> {
    let mut settings = settings.in_force(Settings::environment)?;
    let mut session = connect(&mut settings, current)?;
    loop {
        match session.play(&mut bot) {
            Err(lost @ Error::ConnectionLost(_)) if settings.token.is_some() => {
                session = come_back(&mut settings, current, lost)?;
            }
            ended => return ended.map(|_reason| ()),
        }
    }
}

/// A new session; the name in force is kept, and the token of one that it registers, which the author
/// is shown too.
fn connect(settings: &mut Settings, current: &Current) -> Result<Session, Error> {
    let receiver = Connection::open(settings)?;
    current.set(&receiver.connection);
    let session = Session::introduce(receiver, settings.hello())?;
    settings.name = session.name.clone().or(settings.name.take());
    if let Some(token) = &session.token {
        settings.token = Some(token.clone());
        let name = printable(session.name.as_deref().unwrap_or_default());
        let token = printable(token);
        warn(&format!("registered as {name}; to use the name again, set POLYNYA_TOKEN={token}"));
    }
    Ok(session)
}

/// A new session in place of one that was lost; it takes over what is still going on.
///
/// # Errors
/// `lost` itself, when the server stays away for too long.
fn come_back(settings: &mut Settings, current: &Current, lost: Error) -> Result<Session, Error> {
    for pause in backoff(settings.reconnect) {
        warn(&format!("{lost}; trying again in {:.1} s", pause.as_secs_f64()));
        thread::sleep(pause);
        match connect(settings, current) {
            Err(Error::ConnectionLost(_)) => {}
            other => return other,
        }
    }
    Err(lost)
}

/// Pauses between attempts: doubling from 0.1 s to 5 s, `total` together.
fn backoff(total: Duration) -> impl Iterator<Item = Duration> {
    let (mut pause, mut left) = (FIRST_PAUSE, total);
    iter::from_fn(move || {
        let next = pause.min(left);
        left -= next;
        pause = (pause * 2).min(LONGEST_PAUSE);
        (!next.is_zero()).then_some(next)
    })
}

/// The connection in use, for whoever has to say goodbye on it.
#[derive(Clone, Default)]
struct Current(Arc<Mutex<Weak<Connection>>>);

impl Current {
    fn set(&self, connection: &Arc<Connection>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(connection);
    }

    fn leave(&self, reason: &str) {
        let connection = self.0.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        if let Some(connection) = connection {
            connection.leave(reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::backoff;

    #[test]
    fn pauses_double_up_to_five_seconds_and_fill_the_time() {
        let pauses: Vec<u128> =
            backoff(Duration::from_secs(20)).map(|pause| pause.as_millis()).collect();
        assert_eq!(pauses, [100, 200, 400, 800, 1600, 3200, 5000, 5000, 3700]);
    }

    #[test]
    fn no_time_means_no_attempt() {
        assert_eq!(backoff(Duration::ZERO).count(), 0);
    }
}
