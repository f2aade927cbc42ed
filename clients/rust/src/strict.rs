//! One msgpack value, read without the liberties that serde takes: in this protocol there is no bin
//! and no ext, keys are strings and distinct, and nesting is bounded.

use std::fmt;

use rmp_serde::decode::Error as DecodeError;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Maps and arrays inside each other, the message itself included.
const MAX_NESTING: usize = 16;

/// The value that is all of `payload`.
pub fn decode(payload: &[u8]) -> Result<Value, DecodeError> {
    let mut rest = payload;
    let mut decoder = rmp_serde::Deserializer::new(&mut rest);
    let value = Strict { levels: MAX_NESTING }.deserialize(&mut decoder)?;
    match rest.len() {
        0 => Ok(value),
        count => Err(DecodeError::custom(format!("{count} bytes follow the value"))),
    }
}

/// Reads a value in which `levels` more levels of maps and arrays may be.
#[derive(Clone, Copy)]
struct Strict {
    levels: usize,
}

impl Strict {
    fn inside<E: serde::de::Error>(self) -> Result<Self, E> {
        let levels = self.levels.checked_sub(1);
        let levels = levels.ok_or_else(|| {
            E::custom(format!("maps and arrays are nested deeper than {MAX_NESTING}"))
        })?;
        Ok(Self { levels })
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, decoder: D) -> Result<Value, D::Error> {
        decoder.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("nil, a boolean, a number, a string, an array or a map")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    /// No message of a server holds NaN or infinity, but an unknown key may: it becomes null.
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut array = Vec::new();
        while let Some(value) = entries.next_element_seed(inside)? {
            array.push(value);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut map = Map::new();
        while let Some(key) = entries.next_key_seed(Key)? {
            if map.insert(key, entries.next_value_seed(inside)?).is_some() {
                return Err(A::Error::custom("a key occurs twice in a map"));
            }
        }
        Ok(Value::Object(map))
    }
}

/// Reads a key: a string and nothing that serde would take for one.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, decoder: D) -> Result<String, D::Error> {
        decoder.deserialize_any(self)
    }
}

impl Visitor<'_> for Key {
    type Value = String;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string as key")
    }

    fn visit_str<E>(self, value: &str) -> Result<String, E> {
        Ok(value.to_owned())
    }
}
