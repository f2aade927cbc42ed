//! Where a bot's token is kept from one start to the next: a file that only its owner may read.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;

use crate::addresses::Address;
use crate::error::Error;

/// The file that `POLYNYA_TOKEN_FILE` names, or one for a server and name in the user's state folder.
pub fn path(server: &Address, name: &str, given: impl Fn(&str) -> Option<String>) -> PathBuf {
    if let Some(file) = given("POLYNYA_TOKEN_FILE") {
        return file.into();
    }
    let state = given("XDG_STATE_HOME").map_or_else(
        || PathBuf::from(given("HOME").unwrap_or_default()).join(".local").join("state"),
        PathBuf::from,
    );
    let is_safe = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let file =
        format!("{}_{}_{name}", server.host, server.port).replace(|letter| !is_safe(letter), "_");
    state.join("polynya").join("tokens").join(file)
}

/// The token in a file, `None` if there is none yet.
///
/// # Errors
/// [`Error::BadSettings`] if there is a file that cannot be read.
pub fn read(path: &Path) -> Result<Option<String>, Error> {
    match fs::read_to_string(path) {
        Ok(text) => {
            let token = text.trim_start_matches('\u{feff}').trim();
            Ok((!token.is_empty()).then(|| token.to_owned()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let file = path.display();
            Err(Error::BadSettings(format!("the token in {file} cannot be read: {error}")))
        }
    }
}

/// Keep a token, whole or not at all.
pub fn keep(path: &Path, token: &str) -> io::Result<()> {
    let mut folder = DirBuilder::new();
    let mut file = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        folder.mode(0o700);
        file.mode(0o600);
    }
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        folder.recursive(true).create(parent)?;
    }
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(format!(".{}", process::id()));
    let mut file = file.write(true).create(true).truncate(true).open(&unfinished)?;
    writeln!(file, "{token}")?;
    fs::rename(&unfinished, path)
}
