//! Where a contest's servers are: a list of addresses, which are tried in turn.
//!
//! `HOST,HOST:PORT,[IPV6]:PORT`: a host without a port has the one that was given beside the list.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use crate::error::{Error, printable};
use crate::settings::Settings;

const PATIENCE: Duration = Duration::from_secs(10);

/// A server that stands still accepts connections and says nothing: another one may play meanwhile.
const PATIENCE_AMONG_SEVERAL: Duration = Duration::from_secs(3);

/// One server's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub host: String,
    pub port: u16,
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(formatter, "[{}]:{}", self.host, self.port)
        } else {
            write!(formatter, "{}:{}", self.host, self.port)
        }
    }
}

/// The addresses in a list; `port` is that of those that name none.
///
/// # Errors
/// [`Error::BadSettings`] if one of them is no address, or has no port.
pub fn read(text: &str, port: Option<u16>) -> Result<Vec<Address>, Error> {
    text.split(',').map(|item| read_one(item.trim(), port)).collect()
}

fn read_one(item: &str, port: Option<u16>) -> Result<Address, Error> {
    let (host, given) = split(item).ok_or_else(|| bad_address(item))?;
    let port = match given {
        Some(text) => Some(read_port(text).ok_or_else(|| bad_address(item))?),
        None => port,
    };
    let port = port.ok_or_else(Settings::no_port)?;
    Ok(Address { host: host.to_owned(), port })
}

/// Host and port, if there is one.
fn split(item: &str) -> Option<(&str, Option<&str>)> {
    let (host, port) = if let Some(bracketed) = item.strip_prefix('[') {
        let (host, rest) = bracketed.split_once(']')?;
        (host, if rest.is_empty() { None } else { Some(rest.strip_prefix(':')?) })
    } else {
        match item.matches(':').count() {
            1 => item.split_once(':').map(|(host, port)| (host, Some(port)))?,
            _ => (item, None), // a name, or IPv6 without brackets
        }
    };
    let is_odd = |letter: char| letter.is_whitespace() || letter == '[' || letter == ']';
    (!host.is_empty() && !host.contains(is_odd)).then_some((host, port))
}

fn read_port(text: &str) -> Option<u16> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|&port| is_number && port > 0)
}

fn bad_address(item: &str) -> Error {
    Error::BadSettings(format!(
        "a server is HOST, HOST:PORT or [IPV6]:PORT with a port from 1 to 65535, and several are \
         separated by commas, not \"{}\"",
        printable(item)
    ))
}

/// The addresses; the first is tried next.
///
/// A server that is not there, has no room or says goodbye is followed by the next one; a connection
/// that is lost in a session is made again with the same server first.
pub struct Servers {
    addresses: VecDeque<Address>,
    patience: Duration,
    is_welcome: bool,
}

impl Servers {
    pub fn new(addresses: Vec<Address>) -> Self {
        let is_one = addresses.iter().all(|other| *other == addresses[0]);
        let patience = if is_one { PATIENCE } else { PATIENCE_AMONG_SEVERAL };
        Self { addresses: addresses.into(), patience, is_welcome: false }
    }

    /// What `connect` makes of the first address that answers; it is told how long the server may take
    /// to connect, and then to welcome the bot.
    ///
    /// # Errors
    /// [`Error::ConnectionLost`] if none does; any other error of `connect` at once.
    pub fn first_that_answers<T>(
        &mut self,
        connect: impl Fn(&Address, Duration) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut failures = Vec::new();
        for _ in 0..self.addresses.len() {
            match connect(&self.addresses[0], self.patience) {
                Err(Error::ConnectionLost(failure)) => failures.push(failure),
                other => return other,
            }
            self.addresses.rotate_left(1);
        }
        Err(Error::ConnectionLost(failures.join("; ")))
    }

    /// The present server has begun a session.
    pub fn welcome(&mut self) {
        self.is_welcome = true;
    }

    /// The present server has ended it, or not begun it.
    pub fn after(&mut self, trouble: &Error) {
        let is_word = matches!(trouble, Error::Server { .. } | Error::ServerLeft(_));
        if !self.is_welcome || is_word {
            self.addresses.rotate_left(1);
        }
        self.is_welcome = false;
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::Value;

    use super::{Address, Error, Servers, read};

    fn lists(kind: &str) -> Vec<(String, Option<u16>, Value)> {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/shared/addresses.json");
        let lists: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let cases = lists[kind].as_array().unwrap().iter().map(|case| {
            let port = case["port"].as_u64().map(|port| u16::try_from(port).unwrap());
            (case["text"].as_str().unwrap().to_owned(), port, case["addresses"].clone())
        });
        cases.collect()
    }

    #[test]
    fn lists_are_read_as_in_every_language() {
        for (text, port, expected) in lists("read") {
            let read = read(&text, port).unwrap();
            let found: Value =
                read.iter().map(|one| serde_json::json!([one.host, one.port])).collect();
            assert_eq!(expected, found, "{text}");
        }
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for (text, port, _) in lists("refused") {
            assert!(matches!(read(&text, port), Err(Error::BadSettings(_))), "{text}");
        }
    }

    #[test]
    fn a_server_that_is_not_there_or_wants_nobody_is_followed_by_the_next() {
        let mut servers = Servers::new(read("a,b", Some(1)).unwrap());
        let connect = |address: &Address, _| match address.host.as_str() {
            "a" => Err(Error::ConnectionLost("a is not there".to_owned())),
            host => Ok(host.to_owned()),
        };
        assert_eq!(servers.first_that_answers(connect).unwrap(), "b");
        servers.welcome();
        servers.after(&Error::ConnectionLost("lost".to_owned()));
        assert_eq!(servers.first_that_answers(|to, _| Ok(to.host.clone())).unwrap(), "b");
        servers.welcome();
        servers.after(&Error::ServerLeft("left".to_owned()));
        assert_eq!(servers.first_that_answers(|to, _| Ok(to.host.clone())).unwrap(), "a");
        servers.after(&Error::ConnectionLost("no welcome".to_owned()));
        assert_eq!(servers.first_that_answers(|to, _| Ok(to.host.clone())).unwrap(), "b");
    }
}
