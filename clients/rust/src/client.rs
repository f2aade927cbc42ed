//! Run a bot: connect, play, and come back after a lost connection.

use std::mem;
use std::process::{self, ExitCode};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;

use crate::addresses::Servers;
use crate::bot::Bot;
use crate::connection::Connection;
use crate::error::{Error, printable, warn};
use crate::retries::Retries;
use crate::session::Session;
use crate::settings::Settings;
use crate::tokens;

const GAVE_UP: u8 = 75;
const REPLACED: u8 = 76;

/// Play on a server until the contest is over, and come back to it until then: what a program's `main`
/// calls.
///
/// The bot runs in the calling thread, and pings wait while it thinks; another thread lets the
/// server know that it is still there. What goes wrong is printed on standard error and gives the
/// exit code 1; 75 if the bot gave up trying to reach the server, 76 if another process plays as it
/// now. Ctrl-C and SIGTERM say goodbye, which forfeits the matches at once, and give 0.
pub fn run(bot: impl Bot, settings: &Settings) -> ExitCode {
    let current = Current::default();
    let interrupted = current.clone();
    let handled = ctrlc::set_handler(move || {
        interrupted.leave("the bot was interrupted");
        process::exit(0);
    });
    if let Err(error) = handled {
        warn(&format!("Ctrl-C will not say goodbye: {error}"));
    }
    match play_with(bot, settings, &current) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            warn(&error.to_string());
            match error {
                Error::GaveUp(_) => ExitCode::from(GAVE_UP),
                Error::Replaced => ExitCode::from(REPLACED),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

/// Play on a server until the contest is over, for programs that have signals and errors in their own
/// hands.
///
/// # Errors
/// [`Error::BadSettings`] if the settings and the environment do not say where to connect;
/// [`Error::GaveUp`] if the server was not there for all the time; [`Error::Replaced`] if another
/// process plays as this bot; [`Error::Server`] if it was refused; [`Error::Bot`] and others from the bot's own code.
pub fn play(bot: impl Bot, settings: &Settings) -> Result<(), Error> {
    play_with(bot, settings, &Current::default())
}

fn play_with(mut bot: impl Bot, settings: &Settings, current: &Current) -> Result<(), Error> {
    let mut settings = settings.in_force(Settings::environment)?;
    let mut retries = Retries::new(settings.reconnect);
    let mut servers = Servers::new(mem::take(&mut settings.servers));
    loop {
        let ended = connect(&mut settings, &mut servers, current).and_then(|session| {
            retries.welcome();
            servers.welcome();
            session.play(&mut bot)
        });
        let trouble = match ended.and_then(|reason| take_goodbye(&reason)) {
            Ok(()) => return Ok(()),
            Err(trouble) => trouble,
        };
        if is_mended(&mut settings, &trouble) {
            continue;
        }
        servers.after(&trouble);
        let (pause, trouble) = retries.after(trouble)?;
        warn(&format!("{trouble}; trying again in {:.1} s", pause.as_secs_f64()));
        thread::sleep(pause);
    }
}

/// Nothing if the contest is over; the author is told.
///
/// # Errors
/// [`Error::Replaced`], and [`Error::ServerLeft`] after which a bot comes back.
fn take_goodbye(reason: &str) -> Result<(), Error> {
    match reason {
        "replaced" => Err(Error::Replaced),
        "finished" => {
            warn("the server says goodbye (finished): this contest is over");
            Ok(())
        }
        _ => Err(Error::ServerLeft(format!("the server says goodbye ({reason})"))),
    }
}

/// A new session; the name in force is kept, and the token of one that it registers.
fn connect(
    settings: &mut Settings,
    servers: &mut Servers,
    current: &Current,
) -> Result<Session, Error> {
    let receiver = servers.first_that_answers(|to| Connection::open(settings, to))?;
    current.set(&receiver.connection);
    let session = Session::introduce(receiver, settings.hello())?;
    settings.name = session.name.clone().or(settings.name.take());
    if let Some(token) = &session.token {
        let name = printable(settings.name.as_deref().unwrap_or_default());
        let file = settings.token_file.display();
        match tokens::keep(&settings.token_file, token) {
            Ok(()) => warn(&format!("registered as {name}; the token is kept in {file}")),
            Err(error) => warn(&format!(
                "registered as {name}; {error}, so keep the token yourself: POLYNYA_TOKEN={}",
                printable(token)
            )),
        }
        settings.token = Some(token.clone());
        settings.token_is_kept = false;
    }
    Ok(session)
}

/// Whether it may help to introduce ourselves anew: the kept token is of another server.
fn is_mended(settings: &mut Settings, refused: &Error) -> bool {
    let unauthorized = matches!(refused, Error::Server { code, .. } if code == "unauthorized");
    if !unauthorized || !settings.token_is_kept {
        return false;
    }
    warn(&format!("the token in {} is not good here", settings.token_file.display()));
    settings.token = None;
    settings.token_is_kept = false;
    true
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
