//! Frames: a 4-byte big-endian length, then exactly one msgpack map with string keys.
//!
//! The length is checked before anything is decoded, and a frame is decoded once and as a whole.

use serde_json::{Map, Value};

use crate::error::Error;
use crate::strict;

/// One message: what a frame holds.
pub type Message = Map<String, Value>;

/// What a server takes until its `welcome` says otherwise, in bytes.
pub const DEFAULT_MAX_FRAME: usize = 64 * 1024;
/// The largest frame that servers send, in bytes.
pub const SERVER_MAX_FRAME: usize = 1024 * 1024;

const LENGTH_BYTES: usize = 4;

/// The frame of a message, its length in front.
///
/// # Errors
/// [`Error::BadFrame`] if the message is larger than `max_frame` bytes.
pub fn encode(message: &Value, max_frame: usize) -> Result<Vec<u8>, Error> {
    let mut frame = vec![0; LENGTH_BYTES];
    rmp_serde::encode::write(&mut frame, message)
        .map_err(|error| Error::malformed(format!("this message cannot be sent: {error}")))?;
    let length = frame.len() - LENGTH_BYTES;
    check_length(length, max_frame)?;
    let prefix = u32::try_from(length).map_err(|_| too_large(length, max_frame))?;
    frame[..LENGTH_BYTES].copy_from_slice(&prefix.to_be_bytes());
    Ok(frame)
}

/// The message in a frame's payload (what follows the length).
///
/// # Errors
/// [`Error::BadFrame`] unless it is exactly one map with string keys, none of them twice, without
/// bin and ext, at most 16 levels deep, with a string under `type`.
pub fn decode(payload: &[u8]) -> Result<Message, Error> {
    let message = strict::decode(payload)
        .map_err(|error| Error::malformed(format!("not one msgpack map: {error}")))?;
    let Value::Object(message) = message else {
        return Err(Error::malformed("a frame holds a map"));
    };
    match message.get("type") {
        Some(Value::String(_)) => Ok(message),
        _ => Err(Error::malformed("the message has no type")),
    }
}

/// Bytes as they arrive in, payloads of whole frames out.
#[derive(Debug)]
pub struct FrameBuffer {
    max_frame: usize,
    bytes: Vec<u8>,
    taken: usize,
}

impl FrameBuffer {
    /// An empty buffer for frames of up to `max_frame` bytes.
    pub fn new(max_frame: usize) -> Self {
        Self { max_frame, bytes: Vec::new(), taken: 0 }
    }

    /// Append what has arrived.
    pub fn add(&mut self, data: &[u8]) {
        self.bytes.drain(..self.taken);
        self.taken = 0;
        self.bytes.extend_from_slice(data);
    }

    /// The payload of the next frame, `None` while it is not all there.
    ///
    /// # Errors
    /// [`Error::BadFrame`] if the length is 0 or above the bound; nothing can be read after that.
    pub fn take(&mut self) -> Result<Option<&[u8]>, Error> {
        let rest = &self.bytes[self.taken..];
        let Some((prefix, rest)) = rest.split_first_chunk::<LENGTH_BYTES>() else {
            return Ok(None);
        };
        let length = usize::try_from(u32::from_be_bytes(*prefix)).unwrap_or(usize::MAX);
        check_length(length, self.max_frame)?;
        if rest.len() < length {
            return Ok(None);
        }
        self.taken += LENGTH_BYTES + length;
        Ok(Some(&rest[..length]))
    }
}

fn check_length(length: usize, max_frame: usize) -> Result<(), Error> {
    match length {
        0 => Err(Error::malformed("a frame has at least one byte")),
        _ if length > max_frame => Err(too_large(length, max_frame)),
        _ => Ok(()),
    }
}

fn too_large(length: usize, max_frame: usize) -> Error {
    let message = format!("a frame of {length} bytes, at most {max_frame} are allowed");
    Error::BadFrame { code: "too_large", message }
}
