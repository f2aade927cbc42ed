//! Remarks never cost a match: what cannot be sent as a whole is left out, and the move is sent.

use serde_json::{Map, Value};

use crate::codec::pack_map;
use crate::error::{printable, warn};
use crate::turn::Turn;

const MAX_INFO_BYTES: usize = 1024;
/// Maps and arrays inside each other; the message itself is one more.
const MAX_NESTING: usize = 15;

/// The remarks of a turn, `None` if there are none that can be sent; that is told once.
pub fn of(turn: &mut Turn, is_told: impl FnOnce() -> bool) -> Option<Value> {
    let info = std::mem::take(&mut turn.info);
    match sendable(&info) {
        Ok(()) => (!info.is_empty()).then_some(Value::Object(info)),
        Err(why) => {
            if !is_told() {
                let (number, id) = (turn.number, printable(&turn.playing.id));
                warn(&format!(
                    "turn {number} of match {id} is sent without its info: {why} (this is said once)"
                ));
            }
            None
        }
    }
}

fn sendable(info: &Map<String, Value>) -> Result<(), String> {
    if info.values().any(|value| is_deeper(value, MAX_NESTING - 1)) {
        return Err("it is nested too deep".to_owned());
    }
    let mut packed = Vec::new();
    pack_map(&mut packed, info)?;
    match packed.len() {
        size if size > MAX_INFO_BYTES => {
            Err(format!("it has {size} bytes, over the limit of {MAX_INFO_BYTES}"))
        }
        _ => Ok(()),
    }
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(values) => levels == 0 || values.iter().any(|v| is_deeper(v, levels - 1)),
        Value::Object(map) => levels == 0 || map.values().any(|v| is_deeper(v, levels - 1)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::sendable;

    fn deep(levels: usize) -> Value {
        (0..levels).fold(json!({}), |inner, _| json!({ "a": inner }))
    }

    fn is_sent(info: Value) -> bool {
        let info: Map<String, Value> = serde_json::from_value(info).unwrap();
        sendable(&info).is_ok()
    }

    #[test]
    fn what_is_too_large_or_too_deep_cannot_be_sent() {
        let large = json!({"text": "x".repeat(10_000_000)});
        assert_eq!([large, json!({"text": "x".repeat(1024)}), deep(15)].map(is_sent), [false; 3]);
    }

    #[test]
    fn shared_remarks_are_sent_or_left_out() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/shared/vectors/remarks.json");
        let cases: Vec<Value> =
            serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        // A JSON value here holds no integer beyond 64 bits, and no text that is no UTF-8.
        for case in cases.iter().filter(|case| case["needs"].is_null()) {
            assert_eq!(is_sent(case["info"].clone()), case["sent"] == true, "{}", case["name"]);
        }
    }

    #[test]
    fn fifteen_levels_and_a_kibibyte_can_be_sent() {
        assert_eq!([deep(14), json!({"text": "x".repeat(1015)})].map(is_sent), [true; 2]);
    }
}
