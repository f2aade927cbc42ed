//! The codec is held to the bytes in `protocol/vectors`, as every SDK is.

use std::fs;
use std::path::PathBuf;

use polynya_client::Value;
use polynya_client::codec::{FrameBuffer, decode, encode};
use polynya_client::{Error, json};

const LENGTH_BYTES: usize = 4;
const MAX_FRAME: usize = 64 * 1024;
/// Well-formed frames: a client ignores what it does not know, and looks at keys when it acts.
const NOT_THE_CODECS_BUSINESS: [&str; 5] = [
    "an unknown message",
    "a message of clients",
    "turn without remaining_ms",
    "an unknown reason",
    "pong before welcome",
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/shared/vectors")
}

fn read(name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(folder().join(name)).unwrap()).unwrap()
}

fn bytes(hex: &Value) -> Vec<u8> {
    let hex = hex.as_str().unwrap();
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

/// The cases of all messages that one of these sends.
fn cases(senders: [&str; 2]) -> Vec<Value> {
    let documents = fs::read_dir(folder()).unwrap().filter_map(|file| {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        (path.extension()? == "json").then(|| read(name))
    });
    let sent = documents.filter(|document| {
        document.get("from").and_then(Value::as_str).is_some_and(|from| senders.contains(&from))
    });
    let cases: Vec<Value> = sent.flat_map(|document| list(&document["cases"]).clone()).collect();
    assert!(cases.len() > 20, "there are vectors");
    cases
}

/// `left` is `right`, with numbers compared as numbers: 1500.0 may come as 1500.
fn says(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || (left.is_f64() != right.is_f64() && left.as_f64() == right.as_f64())
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(l, r)| says(l, r))
        }
        (Value::Object(left), Value::Object(right)) => {
            right.iter().all(|(key, value)| left.get(key).is_some_and(|found| says(found, value)))
        }
        _ => left == right,
    }
}

#[test]
fn message_is_encoded_to_a_frame_that_says_it() {
    for case in cases(["client", "either"]) {
        let frame = encode(&case["value"], MAX_FRAME).unwrap();
        assert_eq!(frame.len(), bytes(&case["hex"]).len(), "{}", case["name"]);
        let message = decode(&frame[LENGTH_BYTES..]).unwrap();
        assert_eq!(Value::Object(message), case["value"], "{}", case["name"]);
    }
}

#[test]
fn shared_bytes_are_decoded_in_all_their_forms() {
    for case in cases(["server", "either"]) {
        let others = list(&case["also"]).iter().map(|other| &other["hex"]);
        for hex in others.chain([&case["hex"]]) {
            let message = Value::Object(decode(&bytes(hex)[LENGTH_BYTES..]).unwrap());
            assert!(says(&message, &case["value"]), "{message} is {}", case["value"]);
        }
    }
}

#[test]
fn frame_that_is_no_message_is_refused_with_the_shared_code() {
    for case in list(&read("refused.json")["from_server"]) {
        let name = case["name"].as_str().unwrap();
        let verdict = decode(&bytes(&case["hex"])[LENGTH_BYTES..]);
        if NOT_THE_CODECS_BUSINESS.contains(&name) {
            assert!(verdict.is_ok(), "{name}");
        } else {
            assert_eq!(Some(code(verdict.unwrap_err())), case["code"].as_str(), "{name}");
        }
    }
}

#[test]
fn frames_come_out_of_any_pieces() {
    for case in list(&read("framing.json")) {
        let limit = usize::try_from(case["max_frame"].as_u64().unwrap()).unwrap();
        let (payloads, code) = drain(list(&case["chunks"]), limit);
        assert_eq!(payloads, list(&case["payloads"]).iter().map(bytes).collect::<Vec<_>>());
        assert_eq!(code, case["then"].as_str(), "{}", case["name"]);
    }
}

/// The payloads that come out of these chunks, and the code of the error that ends them.
fn drain(chunks: &[Value], max_frame: usize) -> (Vec<Vec<u8>>, Option<&'static str>) {
    let mut buffer = FrameBuffer::new(max_frame);
    let mut payloads = Vec::new();
    for chunk in chunks {
        buffer.add(&bytes(chunk));
        loop {
            match buffer.take() {
                Ok(Some(payload)) => payloads.push(payload.to_vec()),
                Ok(None) => break,
                Err(error) => return (payloads, Some(code(error))),
            }
        }
    }
    (payloads, None)
}

#[test]
fn message_that_the_server_would_not_take_is_refused_before_it_is_sent() {
    let message = json!({"type": "move", "text": "x".repeat(MAX_FRAME)});
    assert_eq!(code(encode(&message, MAX_FRAME).unwrap_err()), "too_large");
}

fn code(error: Error) -> &'static str {
    match error {
        Error::BadFrame { code, .. } => code,
        other => panic!("not a verdict on a frame: {other}"),
    }
}
