//! Frames: a 4-byte big-endian length, then exactly one msgpack map with string keys.
//!
//! The length is checked before anything is decoded, and a frame is decoded once and as a whole.

use std::fmt::Display;

use rmp::encode;
use serde_json::{Map, Number, Value};

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
    pack(&mut frame, message)
        .map_err(|error| Error::malformed(format!("this message cannot be sent: {error}")))?;
    let length = frame.len() - LENGTH_BYTES;
    check_length(length, max_frame)?;
    let prefix = u32::try_from(length).map_err(|_| too_large(length, max_frame))?;
    frame[..LENGTH_BYTES].copy_from_slice(&prefix.to_be_bytes());
    Ok(frame)
}

/// Append a value as msgpack; an error says what it holds that msgpack does not.
///
/// The values' own way through serde would make maps of numbers where some crate of the program has
/// switched on `serde_json/arbitrary_precision`.
pub(crate) fn pack(out: &mut Vec<u8>, value: &Value) -> Result<(), String> {
    match value {
        Value::Null => said(encode::write_nil(out)),
        Value::Bool(value) => said(encode::write_bool(out, *value)),
        Value::Number(number) => pack_number(out, number),
        Value::String(text) => said(encode::write_str(out, text)),
        Value::Array(values) => {
            said(encode::write_array_len(out, size(values.len())?))?;
            values.iter().try_for_each(|value| pack(out, value))
        }
        Value::Object(map) => pack_map(out, map),
    }
}

/// Append a map as msgpack.
pub(crate) fn pack_map(out: &mut Vec<u8>, map: &Message) -> Result<(), String> {
    said(encode::write_map_len(out, size(map.len())?))?;
    map.iter().try_for_each(|(key, value)| {
        said(encode::write_str(out, key))?;
        pack(out, value)
    })
}

fn pack_number(out: &mut Vec<u8>, number: &Number) -> Result<(), String> {
    if let Some(unsigned) = number.as_u64() {
        return said(encode::write_uint(out, unsigned));
    }
    if let Some(signed) = number.as_i64() {
        return said(encode::write_sint(out, signed));
    }
    let is_fraction = number.to_string().contains(['.', 'e', 'E']);
    match number.as_f64().filter(|value| is_fraction && value.is_finite()) {
        Some(value) => said(encode::write_f64(out, value)),
        None => Err(format!("the number {number} has over 64 bits")),
    }
}

/// Whether it was written, with the error as a sentence.
fn said<T, E: Display>(written: Result<T, E>) -> Result<(), String> {
    written.map(drop).map_err(|error| error.to_string())
}

fn size(length: usize) -> Result<u32, String> {
    length.try_into().map_err(|_| format!("{length} entries are too many"))
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
