//! Run a bot: connect, play, and come back after a lost connection.

use std::io::{self, IsTerminal};
use std::mem;
use std::process::{self, ExitCode};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

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

/// How long a bot that was interrupted has to end by itself.
const TIME_TO_END: Duration = Duration::from_secs(2);

/// Play on a server until the contest is over, and come back to it until then: what a program's `main`
/// calls.
///
/// The bot runs in the calling thread, a turn after the other, while another thread receives: it
/// answers pings, and ends searches that are not wanted any more. What goes wrong is printed on
/// standard error and gives the exit code 1; 75 if the bot gave up trying to reach the server, 76 if
/// another process plays as it now. Ctrl-C and SIGTERM say goodbye, which forfeits the matches at once,
/// and give 0.
pub fn run(mut bot: impl Bot, settings: &Settings) -> ExitCode {
    run_sessions(settings, |session| session.play(&mut bot))
}

/// As [`run`], with a bot of its own for each match, in a thread of its own: for
/// [`Settings::concurrency`], and for searches that cannot be cancelled.
///
/// `make` is called at the beginning of each match. What the bots share stands behind an `Arc`:
///
/// ```no_run
/// # use std::sync::Arc;
/// # use polynya_client::{BotResult, Settings, Steps, Turn, run_each};
/// fn main() -> std::process::ExitCode {
///     let book = Arc::new(vec![1, 2, 3]);
///     let bot = || {
///         let book = Arc::clone(&book);
///         move |turn: &mut Turn| Ok(vec![turn.legal()?[book.len() % turn.legal()?.len()].clone()])
///     };
///     run_each(bot, &Settings::named("many").wants(["legal"]).concurrency(4))
/// }
/// ```
pub fn run_each<B: Bot>(make: impl Fn() -> B + Sync, settings: &Settings) -> ExitCode {
    run_sessions(settings, |session| session.play_each(&make))
}

fn run_sessions(
    settings: &Settings,
    play: impl FnMut(Session) -> Result<String, Error>,
) -> ExitCode {
    let current = Current::default();
    let interrupted = current.clone();
    let handled = ctrlc::set_handler(move || {
        interrupted.interrupt();
        thread::sleep(TIME_TO_END); // for the destructors of the bot and of `main`
        process::exit(0);
    });
    if let Err(error) = handled {
        warn(&format!("Ctrl-C will not say goodbye: {error}"));
    }
    match play_sessions(settings, &current, play) {
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
pub fn play(mut bot: impl Bot, settings: &Settings) -> Result<(), Error> {
    play_sessions(settings, &Current::default(), |session| session.play(&mut bot))
}

/// As [`play`], with a bot of its own for each match, as from [`run_each`].
///
/// # Errors
/// As from [`play`].
pub fn play_each<B: Bot>(make: impl Fn() -> B + Sync, settings: &Settings) -> Result<(), Error> {
    play_sessions(settings, &Current::default(), |session| session.play_each(&make))
}

fn play_sessions(
    settings: &Settings,
    current: &Current,
    mut play: impl FnMut(Session) -> Result<String, Error>,
) -> Result<(), Error> {
    let mut settings = settings.in_force(Settings::environment)?;
    let mut retries = Retries::new(settings.reconnect);
    let mut servers = Servers::new(mem::take(&mut settings.servers));
    loop {
        let ended = connect(&mut settings, &mut servers, current).and_then(|session| {
            retries.welcome();
            servers.welcome();
            play(session)
        });
        if current.is_interrupted() {
            return Ok(());
        }
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
        if current.is_interrupted_within(pause) {
            return Ok(());
        }
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
    let receiver =
        servers.first_that_answers(|to, patience| Connection::open(settings, to, patience))?;
    current.set(&receiver.connection);
    let session = Session::introduce(receiver, settings.hello())?;
    settings.name = session.name.clone().or(settings.name.take());
    tell_connected(settings.name.as_deref().unwrap_or_default());
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

/// Say at a terminal that the bot is connected: nothing else is seen until a match.
fn tell_connected(name: &str) {
    if io::stderr().is_terminal() {
        eprintln!("connected as {}; waiting for a match", printable(name));
    }
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

/// The connection in use, for the signal on which the bot says goodbye.
#[derive(Clone, Default)]
struct Current(Arc<(Mutex<Use>, Condvar)>);

#[derive(Default)]
struct Use {
    connection: Weak<Connection>,
    is_interrupted: bool,
}

impl Current {
    fn set(&self, connection: &Arc<Connection>) {
        self.state().connection = Arc::downgrade(connection);
    }

    fn interrupt(&self) {
        let connection = {
            let mut state = self.state();
            state.is_interrupted = true;
            state.connection.upgrade()
        };
        self.0.1.notify_all();
        if let Some(connection) = connection {
            connection.leave("the bot was interrupted");
        }
    }

    fn is_interrupted(&self) -> bool {
        self.state().is_interrupted
    }

    /// Wait for this time, or until the bot is interrupted: whether it was.
    fn is_interrupted_within(&self, time: Duration) -> bool {
        let waited = self.0.1.wait_timeout_while(self.state(), time, |state| !state.is_interrupted);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_interrupted
    }

    fn state(&self) -> MutexGuard<'_, Use> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
