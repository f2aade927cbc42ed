//! Where to connect, as whom, wanting what: the program's words, overridden by the environment.
//!
//! The environment wins, so that `polynya match` and tournaments can start any bot unchanged.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::addresses::{self, Address};
use crate::codec::SERVER_MAX_FRAME;
use crate::error::Error;
use crate::retries::random;
use crate::tokens;

const PROTOCOL_VERSION: u64 = 1;

/// Everything that [`run`](crate::run) needs to know besides the bot.
///
/// `POLYNYA_HOST`, `POLYNYA_PORT`, `POLYNYA_TOKEN`, `POLYNYA_TOKEN_FILE`, `POLYNYA_NAME`,
/// `POLYNYA_GAMES` (separated by commas), `POLYNYA_CONCURRENCY`, `POLYNYA_TLS` (1 or 0),
/// `POLYNYA_CA_FILE`, `POLYNYA_RECONNECT` (seconds, or `forever`) and `POLYNYA_LOG` in the environment
/// win over what is set here.
#[derive(Clone, Debug)]
pub struct Settings {
    pub(crate) host: String,
    pub(crate) port: Option<u16>,
    pub(crate) servers: Vec<Address>,
    pub(crate) name: Option<String>,
    pub(crate) token: Option<String>,
    pub(crate) tls: bool,
    pub(crate) ca_file: Option<String>,
    pub(crate) log: Option<String>,
    pub(crate) reconnect: Duration,
    pub(crate) token_file: PathBuf,
    /// Whether the token is of an earlier start.
    pub(crate) token_is_kept: bool,
    /// A text that is ours alone: a bot without a token, whose welcome was lost, proves with it that
    /// the name is its own.
    registration: String,
    games: Option<Vec<String>>,
    wants: Vec<String>,
    concurrency: u32,
    software: Map<String, Value>,
}

impl Settings {
    /// The settings of a bot that plays any game, gets state and legal steps in each turn, and is
    /// called `name`: 1 to 32 of `A-Za-z0-9_.-`.
    pub fn named(name: &str) -> Self {
        Self {
            host: "127.0.0.1".to_owned(),
            port: None,
            servers: Vec::new(),
            name: Some(name.to_owned()),
            token: None,
            tls: false,
            ca_file: None,
            log: None,
            reconnect: Duration::from_secs(60),
            token_file: PathBuf::new(),
            token_is_kept: false,
            registration: format!("{:016x}{:016x}", random(), random()),
            games: None,
            wants: vec!["state".to_owned(), "legal".to_owned()],
            concurrency: 1,
            software: Map::new(),
        }
    }

    /// The games it plays, in place of any.
    #[must_use]
    pub fn games<'a>(mut self, games: impl IntoIterator<Item = &'a str>) -> Self {
        self.games = Some(games.into_iter().map(str::to_owned).collect());
        self
    }

    /// What the server adds: `state` and `legal` in each turn, `moved` for our own.
    #[must_use]
    pub fn wants<'a>(mut self, wants: impl IntoIterator<Item = &'a str>) -> Self {
        self.wants = wants.into_iter().map(str::to_owned).collect();
        self
    }

    /// How many matches it plays at the same time: in threads of their own with
    /// [`run_each`](crate::run_each), a turn after the other with [`run`](crate::run).
    #[must_use]
    pub fn concurrency(mut self, matches: u32) -> Self {
        self.concurrency = matches;
        self
    }

    /// The server's host. Several servers of one contest are tried in turn:
    /// `HOST,HOST:PORT,[IPV6]:PORT`.
    #[must_use]
    pub fn host(mut self, host: &str) -> Self {
        host.clone_into(&mut self.host);
        self
    }

    /// The server's port, where [`Settings::host`] names none.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// What proves that the name is ours.
    #[must_use]
    pub fn token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Name and version of the bot, for the records; each version has a rating of its own.
    #[must_use]
    pub fn software(mut self, name: &str, version: &str) -> Self {
        self.software.insert("name".to_owned(), json!(name));
        self.software.insert("version".to_owned(), json!(version));
        self
    }

    /// Encrypt, and verify the server's certificate (with the feature `tls`).
    #[must_use]
    pub fn tls(mut self, tls: bool) -> Self {
        self.tls = tls;
        self
    }

    /// A file of certificates (PEM) to trust instead of those of this computer.
    #[must_use]
    pub fn ca_file(mut self, file: &str) -> Self {
        self.ca_file = Some(file.to_owned());
        self
    }

    /// A file for all messages sent and received as JSON lines, `-` for standard error.
    #[must_use]
    pub fn log(mut self, target: &str) -> Self {
        self.log = Some(target.to_owned());
        self
    }

    /// How long to try when the server is not there, has no room, or has said goodbye without meaning
    /// it for good; `Duration::MAX` for ever.
    #[must_use]
    pub fn reconnect(mut self, time: Duration) -> Self {
        self.reconnect = time;
        self
    }

    /// These settings, overridden by the environment.
    ///
    /// # Errors
    /// [`Error::BadSettings`] if no port is given anywhere, or it is no port.
    pub(crate) fn in_force(
        &self,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, Error> {
        let given = |name: &str| environment(name).filter(|value| !value.is_empty());
        let mut settings = self.clone();
        settings.host = given("POLYNYA_HOST").unwrap_or(settings.host);
        settings.token = given("POLYNYA_TOKEN").or(settings.token);
        settings.name = given("POLYNYA_NAME").or(settings.name);
        settings.log = given("POLYNYA_LOG").or(settings.log);
        settings.ca_file = given("POLYNYA_CA_FILE").or(settings.ca_file);
        settings.tls = given("POLYNYA_TLS").map_or(settings.tls, |value| value != "0");
        if let Some(games) = given("POLYNYA_GAMES") {
            let names = games.split(',').map(str::trim).filter(|name| !name.is_empty());
            settings.games = Some(names.map(str::to_owned).collect());
        }
        if let Some(text) = given("POLYNYA_CONCURRENCY") {
            settings.concurrency = read_concurrency(&text)?;
        }
        if let Some(port) = given("POLYNYA_PORT") {
            settings.port = Some(port.parse().map_err(|_| bad_port(&port))?);
        }
        if let Some(text) = given("POLYNYA_RECONNECT") {
            settings.reconnect = read_reconnect(&text)?;
        }
        if settings.port == Some(0) {
            return Err(bad_port("0"));
        }
        settings.servers = addresses::read(&settings.host, settings.port)?;
        settings.with_token(given)
    }

    /// With the token that an earlier start has kept, if none was given.
    fn with_token(mut self, given: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let name = self.name.as_deref().unwrap_or_default();
        self.token_file = tokens::path(&self.servers[0], name, &given);
        let is_named = given("POLYNYA_TOKEN_FILE").is_some();
        if given("POLYNYA_TOKEN").is_some() || (self.token.is_some() && !is_named) {
            return Ok(self);
        }
        if let Some(kept) = tokens::read(&self.token_file)? {
            self.token = Some(kept);
            self.token_is_kept = !is_named;
        }
        Ok(self)
    }

    pub(crate) fn environment(name: &str) -> Option<String> {
        env::var(name).ok()
    }

    pub(crate) fn no_port() -> Error {
        Error::BadSettings("no port: set POLYNYA_PORT, or use Settings::port".to_owned())
    }

    /// The message that introduces this bot.
    pub(crate) fn hello(&self) -> Value {
        let mut software = json!({
            "name": "polynya-client",
            "language": "Rust",
        });
        for (key, value) in &self.software {
            software[key] = value.clone();
        }
        let mut hello = json!({
            "type": "hello",
            "protocol": PROTOCOL_VERSION,
            "concurrency": self.concurrency,
            "wants": self.wants,
            "software": software,
            "max_frame": SERVER_MAX_FRAME,
        });
        let optional = [
            ("name", json!(self.name)),
            ("token", json!(self.token)),
            ("registration", json!(self.token.is_none().then_some(&self.registration))),
            ("games", json!(self.games)),
        ];
        for (key, value) in optional.into_iter().filter(|(_, value)| !value.is_null()) {
            hello[key] = value;
        }
        hello
    }
}

fn read_concurrency(text: &str) -> Result<u32, Error> {
    text.parse().ok().filter(|&matches| matches > 0).ok_or_else(|| {
        Error::BadSettings(format!("POLYNYA_CONCURRENCY is a number of matches, not {text:?}"))
    })
}

fn read_reconnect(text: &str) -> Result<Duration, Error> {
    if text == "forever" {
        return Ok(Duration::MAX);
    }
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| {
        Error::BadSettings(format!(
            "POLYNYA_RECONNECT is a number of seconds or \"forever\", not {text:?}"
        ))
    })
}

fn bad_port(text: &str) -> Error {
    Error::BadSettings(format!("a port is a number from 1 to 65535, not {text:?}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Settings;

    #[test]
    fn environment_wins_over_the_program() {
        let environment = |name: &str| match name {
            "POLYNYA_HOST" => Some("::1".to_owned()),
            "POLYNYA_PORT" => Some("4242".to_owned()),
            "POLYNYA_TOKEN" => Some("of the host".to_owned()),
            "POLYNYA_NAME" => Some("hosted".to_owned()),
            "POLYNYA_TLS" => Some("1".to_owned()),
            "POLYNYA_GAMES" => Some("packeis, , icecult,".to_owned()),
            "POLYNYA_CONCURRENCY" => Some("3".to_owned()),
            "POLYNYA_CA_FILE" => Some("authority.pem".to_owned()),
            _ => None,
        };
        let program = Settings::named("ada").host("nowhere.invalid").port(1).token("mine");
        let settings = program.in_force(environment).unwrap();

        assert_eq!(
            (settings.host.as_str(), settings.port, settings.tls),
            ("::1", Some(4242), true)
        );
        let hello = settings.hello();
        assert_eq!((&hello["name"], &hello["token"]), (&"hosted".into(), &"of the host".into()));
        assert_eq!(hello["games"], json!(["packeis", "icecult"]));
        assert_eq!(hello["concurrency"], 3);
        assert_eq!(settings.ca_file.as_deref(), Some("authority.pem"));
    }

    #[test]
    fn concurrency_that_is_none_is_a_sentence() {
        for text in ["0", "two", "-1"] {
            let environment = |name: &str| match name {
                "POLYNYA_CONCURRENCY" => Some(text.to_owned()),
                _ => None,
            };
            let error = Settings::named("ada").port(1).in_force(environment).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("POLYNYA_CONCURRENCY is a number of matches, not {text:?}")
            );
        }
    }

    #[test]
    fn port_that_is_none_is_a_sentence() {
        let environment = |name: &str| (name == "POLYNYA_PORT").then(|| "70000".to_owned());
        let error = Settings::named("ada").in_force(environment).unwrap_err();
        assert_eq!(error.to_string(), "a port is a number from 1 to 65535, not \"70000\"");
    }
}
