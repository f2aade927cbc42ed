//! Looking up what a message must hold.

use serde_json::{Map, Value};

use crate::codec::Message;
use crate::error::{Error, printable};

/// Reads the values under a message's keys.
///
/// Each method gives [`Error::BadMessage`] if the value is absent or of another type.
pub(crate) trait Fields {
    fn get_value(&self, key: &str) -> Option<&Value>;
    fn kind(&self) -> &str;

    fn read<'a, T>(
        &'a self,
        key: &str,
        kind: &str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<T, Error> {
        self.get_value(key).and_then(read).ok_or_else(|| {
            Error::BadMessage(format!(
                "the server's {} has no {kind} under {key:?}",
                printable(self.kind())
            ))
        })
    }

    /// What `read` makes of this map if `key` is there and not nil.
    fn optional<'a, T>(
        &'a self,
        key: &str,
        read: impl Fn(&'a Self, &str) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        match self.get_value(key) {
            None | Some(Value::Null) => Ok(None),
            Some(_) => read(self, key).map(Some),
        }
    }

    fn string(&self, key: &str) -> Result<String, Error> {
        self.read(key, "string", |value| value.as_str().map(str::to_owned))
    }

    fn boolean(&self, key: &str) -> Result<bool, Error> {
        self.read(key, "boolean", Value::as_bool)
    }

    fn number(&self, key: &str) -> Result<f64, Error> {
        self.read(key, "number", Value::as_f64)
    }

    fn count(&self, key: &str) -> Result<u64, Error> {
        self.read(key, "integer from 0", Value::as_u64)
    }

    fn seat(&self, key: &str) -> Result<usize, Error> {
        self.read(key, "seat", |value| value.as_u64().and_then(|seat| seat.try_into().ok()))
    }

    fn seats(&self, key: &str) -> Result<Vec<usize>, Error> {
        self.read(key, "array of seats", |value| {
            let seat = |seat: &Value| seat.as_u64()?.try_into().ok();
            value.as_array()?.iter().map(seat).collect()
        })
    }

    fn array(&self, key: &str) -> Result<&Vec<Value>, Error> {
        self.read(key, "array", Value::as_array)
    }

    fn integers(&self, key: &str) -> Result<Vec<i64>, Error> {
        self.read(key, "array of integers", |value| {
            value.as_array()?.iter().map(Value::as_i64).collect()
        })
    }

    fn map(&self, key: &str) -> Result<&Map<String, Value>, Error> {
        self.read(key, "map", Value::as_object)
    }

    fn maps(&self, key: &str) -> Result<Vec<&Map<String, Value>>, Error> {
        self.read(key, "array of maps", |value| {
            value.as_array()?.iter().map(Value::as_object).collect()
        })
    }
}

impl Fields for Message {
    fn get_value(&self, key: &str) -> Option<&Value> {
        self.get(key)
    }

    fn kind(&self) -> &str {
        self.get("type").and_then(Value::as_str).unwrap_or("map")
    }
}
