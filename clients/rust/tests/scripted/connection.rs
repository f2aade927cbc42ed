//! How the SDK connects, introduces itself, comes back and leaves, on real sockets.

use std::fs;
use std::io::Write;
use std::sync::mpsc;
use std::time::Duration;

use crate::server::ScriptedServer;
use polynya_client::{BotResult, Error, Settings, Steps, Turn, Value, json, play};

fn settings() -> Settings {
    Settings::named("ada").token("secret")
}

fn play_step(_turn: &mut Turn) -> BotResult<Steps> {
    Ok(vec![json!(["move", 12, 40])])
}

#[test]
fn hello_introduces_the_bot() {
    let server = ScriptedServer::start();
    let settings = settings().games(["packeis"]).wants(["state"]).concurrency(3);
    let bot = server.run(play_step, settings.software("floe", "2"));
    let mut peer = server.accept();
    let hello = peer.welcome(&json!({}));
    peer.say_goodbye();

    assert!(matches!(bot.join().unwrap(), Ok(())));
    assert_eq!(
        hello,
        json!({
            "type": "hello", "protocol": 1, "name": "ada", "token": "secret",
            "games": ["packeis"], "concurrency": 3, "wants": ["state"],
            "software": {"name": "floe", "version": "2", "language": "Rust"},
            "max_frame": 1024 * 1024,
        })
    );
}

#[test]
fn a_bot_has_no_version_but_its_own() {
    let server = ScriptedServer::start();
    let bot = server.run(play_step, settings());
    let mut peer = server.accept();
    let hello = peer.welcome(&json!({}));
    peer.say_goodbye();

    assert!(matches!(bot.join().unwrap(), Ok(())));
    assert_eq!(hello["software"], json!({"name": "polynya-client", "language": "Rust"}));
}

#[test]
fn lost_connection_is_taken_up_again() {
    let (seen, turns) = mpsc::channel();
    let choose = move |turn: &mut Turn| {
        seen.send((turn.playing.resumed, turn.number))?;
        Ok(vec![json!(["end"])])
    };
    let server = ScriptedServer::start();
    let bot = server.run(choose, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    drop(peer);

    let mut peer = server.accept();
    let hello = peer.welcome(&json!({"matches": ["m1"]}));
    peer.begin(
        "m1",
        &json!({
            "type": "match_resume", "seq": 4, "remaining_ms": [null, null],
            "clock": {"move_ms": 100},
        }),
    );
    peer.ask(&json!({"seq": 5, "turn": 3}));
    assert_eq!(peer.receive()["turn"], 3);
    peer.say_goodbye();
    bot.join().unwrap().unwrap();

    assert_eq!(hello["token"], "secret");
    assert_eq!(turns.iter().collect::<Vec<_>>(), [(true, 3)]);
}

#[test]
fn name_in_force_and_token_of_a_registration_bring_the_bot_back() {
    let server = ScriptedServer::start();
    server.run(play_step, Settings::named("ada"));
    let mut peer = server.accept();
    let first = peer.welcome(&json!({"token": "new", "bot": "ada2"}));
    drop(peer);
    let mut peer = server.accept();
    let second = peer.welcome(&json!({}));
    peer.say_goodbye();

    assert_eq!(first.get("token"), None);
    assert_eq!(json!([second["name"], second["token"]]), json!(["ada2", "new"]));
}

#[test]
fn missing_event_makes_the_bot_connect_again() {
    let server = ScriptedServer::start();
    server.run(play_step, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    peer.ask(&json!({"seq": 2}));
    assert!(peer.ended());

    let mut peer = server.accept();
    assert_eq!(peer.welcome(&json!({}))["type"], "hello");
    peer.say_goodbye();
}

#[test]
fn replaced_bot_does_not_come_back() {
    let server = ScriptedServer::start();
    let bot = server.run(play_step, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.send(&json!({"type": "goodbye", "reason": "replaced"}));

    assert!(matches!(bot.join().unwrap(), Err(Error::Replaced)));
    assert!(peer.ended());
}

#[test]
fn whoever_answers_without_frames_is_no_polynya_server() {
    let server = ScriptedServer::start();
    let bot = server.run(play_step, settings());
    let mut peer = server.accept();
    peer.receive();
    peer.0.write_all(b"HTTP/1.1 400 Bad Request").unwrap();

    let said = bot.join().unwrap().unwrap_err().to_string();
    assert!(said.contains("what answers there is no Polynya server"), "{said}");
}

#[test]
fn length_that_no_server_sends_ends_the_connection() {
    let server = ScriptedServer::start();
    let bot = server.run(play_step, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.0.write_all(&[0xff; 4]).unwrap();

    assert_eq!(peer.receive()["type"], "goodbye");
    assert!(peer.ended());
    assert!(matches!(bot.join().unwrap(), Err(Error::BadFrame { code: "too_large", .. })));
}

#[test]
fn message_over_the_servers_limit_is_not_sent() {
    let server = ScriptedServer::start();
    let choose = |_turn: &mut Turn| Ok(vec![json!(["x".repeat(1000)])]);
    let bot = server.run(choose, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({"max_frame": 500}));
    peer.begin_match();
    peer.ask(&json!({}));

    assert_eq!(peer.receive()["type"], "goodbye");
    assert!(matches!(bot.join().unwrap(), Err(Error::BadFrame { code: "too_large", .. })));
}

#[test]
fn log_holds_all_messages_but_not_the_token() {
    let file = std::env::temp_dir().join(format!("polynya-log-{}.jsonl", std::process::id()));
    let server = ScriptedServer::start();
    let bot = server.run(play_step, settings().log(file.to_str().unwrap()));
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.say_goodbye();
    bot.join().unwrap().unwrap();

    let text = fs::read_to_string(&file).unwrap();
    fs::remove_file(&file).unwrap();
    let entries: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<Value> = entries
        .iter()
        .map(|entry| json!([entry["bot"], entry["direction"], entry["message"]["type"]]))
        .collect();
    assert_eq!(
        json!(told),
        json!([
            ["ada", "sent", "hello"],
            ["ada", "received", "welcome"],
            ["ada", "received", "goodbye"],
        ])
    );
    assert!(!text.contains("secret"));
}

#[test]
fn nobody_listening_is_a_sentence() {
    let error = play(play_step, &settings().port(1).reconnect(Duration::ZERO)).unwrap_err();
    assert!(error.to_string().starts_with("cannot connect to 127.0.0.1:1: "));
}

#[test]
fn missing_port_is_a_sentence() {
    let error = play(play_step, &settings()).unwrap_err();
    assert_eq!(error.to_string(), "no port: set POLYNYA_PORT, or use Settings::port");
}
