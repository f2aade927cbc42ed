//! The bot's thread is not the connection's: what is received while the bot thinks, and what ends that.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::Duration;

use crate::server::{Peer, ScriptedServer};
use polynya_client::{
    Bot, BotResult, Cancellation, Match, MatchOver, Moved, Settings, Step, Steps, Turn, json,
    play_each,
};

const TIME: Duration = Duration::from_secs(120);

fn settings() -> Settings {
    Settings::named("ada")
}

fn step() -> Step {
    json!(["move", 12, 40])
}

fn over(peer: &mut Peer, id: &str, seq: u64) {
    peer.send(&json!({
        "type": "match_over", "match": id, "seq": seq, "ranking": [2, 1], "scores": [0, 1],
        "reason": "forfeit",
    }));
}

/// Wait as a search does that looks at its cancellation.
fn think(until: &Cancellation) {
    while !until.is_cancelled() {
        thread::yield_now();
    }
}

#[test]
fn turn_and_match_can_be_used_in_several_threads() {
    fn assert<T: Send + Sync>() {}
    assert::<Turn>();
    assert::<Match>();
    assert::<Cancellation>();
}

#[test]
fn pings_are_answered_while_the_bot_thinks() {
    let (think_enough, enough) = mpsc::channel::<()>();
    let choose = move |_turn: &mut Turn| {
        enough.recv()?;
        Ok(vec![step()])
    };
    let server = ScriptedServer::start();
    server.run(choose, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    peer.ask(&json!({}));
    peer.send(&json!({"type": "ping", "nonce": 7}));

    assert_eq!(peer.receive(), json!({"type": "pong", "nonce": 7}));
    think_enough.send(()).unwrap();
    assert_eq!(peer.receive()["type"], "move");
    peer.say_goodbye();
}

#[test]
fn end_of_the_match_ends_the_search_and_the_next_match_is_not_missed() {
    let choose = |turn: &mut Turn| {
        if turn.playing.id == "m1" {
            think(&turn.cancellation());
        }
        Ok(vec![step()])
    };
    let server = ScriptedServer::start();
    server.run(choose, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    peer.ask(&json!({"remaining_ms": 3_600_000}));
    over(&mut peer, "m1", 2);
    peer.begin("m2", &json!({}));

    assert_eq!(peer.receive(), json!({"type": "ready", "match": "m2"}));
    peer.ask(&json!({"match": "m2", "turn": 5}));
    assert_eq!(peer.receive()["turn"], 5);
    peer.say_goodbye();
}

#[test]
fn end_of_the_time_ends_the_search() {
    let choose = |turn: &mut Turn| {
        think(&turn.cancellation());
        assert_eq!((turn.is_cancelled(), turn.time_left()), (true, Duration::ZERO));
        Ok(vec![step()])
    };
    let server = ScriptedServer::start();
    server.run(choose, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    peer.ask(&json!({"remaining_ms": 20}));

    assert_eq!(peer.receive()["type"], "move"); // the server may still take it: it knows the lag
    peer.say_goodbye();
}

#[test]
fn lost_connection_ends_the_search() {
    let choose = |turn: &mut Turn| {
        think(&turn.cancellation());
        Ok(vec![step()])
    };
    let server = ScriptedServer::start();
    server.run(choose, settings().token("secret"));
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    peer.ask(&json!({"remaining_ms": 3_600_000}));
    drop(peer);

    let mut peer = server.accept();
    assert_eq!(peer.welcome(&json!({}))["type"], "hello");
    peer.say_goodbye();
}

#[test]
fn question_can_be_asked_in_another_thread() {
    let choose = |turn: &mut Turn| {
        let turn = &*turn;
        let legal = thread::scope(|scope| {
            scope.spawn(|| turn.legal_after(&[step()])).join().expect("it does not panic")
        })?;
        Ok(legal.steps)
    };
    let server = ScriptedServer::start();
    server.run(choose, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    peer.ask(&json!({}));
    assert_eq!(peer.receive()["type"], "steps");
    peer.send(&json!(
        {"type": "legal", "match": "m1", "turn": 1, "legal": [["end"]], "turn_over": false}
    ));

    assert_eq!(peer.receive()["steps"], json!([["end"]]));
    peer.say_goodbye();
}

#[test]
fn messages_keep_what_this_version_does_not_know() {
    struct Curious(Sender<String>);

    impl Bot for Curious {
        fn turn(&mut self, turn: &mut Turn) -> BotResult<Steps> {
            self.0.send(turn.message["ice"].to_string())?;
            self.0.send(turn.playing.message["wind"].to_string())?;
            Ok(vec![step()])
        }

        fn moved(&mut self, _playing: &mut Match, moved: &Moved) -> BotResult<()> {
            Ok(self.0.send(moved.message["snow"].to_string())?)
        }

        fn match_over(&mut self, _playing: &mut Match, over: &MatchOver) -> BotResult<()> {
            Ok(self.0.send(over.message["sun"].to_string())?)
        }
    }
    let (seen, told) = mpsc::channel();
    let server = ScriptedServer::start();
    server.run(Curious(seen), settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin("m1", &json!({"wind": 1}));
    peer.receive();
    peer.ask(&json!({"ice": 2}));
    peer.receive();
    peer.send(&json!({"type": "moved", "match": "m1", "seq": 2, "turn": 1, "seat": 0, "steps": [],
                      "elapsed_ms": 3, "remaining_ms": [5, null], "snow": 3}));
    peer.send(
        &json!({"type": "match_over", "match": "m1", "seq": 3, "reason": "aborted", "sun": 4}),
    );
    peer.say_goodbye();

    assert_eq!(told.iter().collect::<Vec<_>>(), ["2", "1", "3", "4"]);
}

/// A bot that thinks on the opponents' time, and tells what it has done.
struct Ponderer(Sender<&'static str>);

impl Bot for Ponderer {
    fn turn(&mut self, _turn: &mut Turn) -> BotResult<Steps> {
        self.0.send("turn")?;
        Ok(vec![step()])
    }

    fn ponder(&mut self, _playing: &mut Match, until: &Cancellation) -> BotResult<()> {
        self.0.send("pondering")?;
        think(until);
        self.0.send("cancelled")?;
        Ok(())
    }
}

fn heard(told: &Receiver<&'static str>, count: usize) -> Vec<&'static str> {
    (0..count).map(|_| told.recv_timeout(TIME).unwrap()).collect()
}

#[test]
fn bot_thinks_on_the_opponents_time_until_something_happens() {
    let (seen, told) = mpsc::channel();
    let server = ScriptedServer::start();
    server.run(Ponderer(seen), settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    assert_eq!(heard(&told, 1), ["pondering"]);
    peer.ask(&json!({}));
    assert_eq!(heard(&told, 3), ["cancelled", "turn", "pondering"]);
    assert_eq!(peer.receive()["type"], "move");
    over(&mut peer, "m1", 2);
    assert_eq!(heard(&told, 1), ["cancelled"]);
    peer.say_goodbye();

    assert_eq!(told.recv_timeout(TIME).ok(), None); // no match, nothing to think about
}

/// A bot that tells of its sessions.
struct Connected(Sender<String>);

impl Bot for Connected {
    fn turn(&mut self, _turn: &mut Turn) -> BotResult<Steps> {
        Ok(vec![step()])
    }

    fn connected(&mut self, name: Option<&str>) -> BotResult<()> {
        Ok(self.0.send(format!("connected {name:?}"))?)
    }

    fn match_start(&mut self, playing: &mut Match) -> BotResult<()> {
        Ok(self.0.send(format!("match {}", playing.id))?)
    }

    fn disconnected(&mut self, reason: &str) -> BotResult<()> {
        Ok(self.0.send(format!("disconnected {reason}"))?)
    }
}

#[test]
fn hooks_tell_of_connections() {
    let (tell, told) = mpsc::channel();
    let server = ScriptedServer::start();
    let run = server.run(Connected(tell), settings());
    let mut lost = server.accept();
    lost.welcome(&json!({}));
    lost.begin_match();
    drop(lost);
    let mut peer = server.accept();
    peer.welcome(&json!({"bot": null}));
    peer.say_goodbye();
    run.join().unwrap().unwrap();

    let told: Vec<String> = told.iter().collect();
    assert_eq!(told[..2], ["connected Some(\"ada\")", "match m1"]);
    assert!(told[2].starts_with("disconnected "), "{}", told[2]);
    assert_eq!(told[3..], ["connected None", "disconnected finished"]);
}

#[test]
fn error_of_the_hook_connected_says_goodbye() {
    struct Picky;
    impl Bot for Picky {
        fn turn(&mut self, _turn: &mut Turn) -> BotResult<Steps> {
            Ok(vec![step()])
        }
        fn connected(&mut self, _name: Option<&str>) -> BotResult<()> {
            Err("not this server".into())
        }
        fn disconnected(&mut self, _reason: &str) -> BotResult<()> {
            panic!("the bot itself has ended the session")
        }
    }
    let server = ScriptedServer::start();
    let run = server.run(Picky, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));

    assert_eq!(peer.receive()["type"], "goodbye");
    assert_eq!(run.join().unwrap().unwrap_err().to_string(), "the bot failed: not this server");
}

/// A server, and a client of it that gives each match a bot of its own.
fn many(choose: impl Fn(&mut Turn) -> BotResult<Steps> + Send + Sync + Copy + 'static) -> Peer {
    let server = ScriptedServer::start();
    let settings = settings().concurrency(2).port(server.port());
    thread::spawn(move || play_each(|| choose, &settings));
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer
}

#[test]
fn matches_are_played_at_the_same_time_each_by_a_bot_of_its_own() {
    let both: &Barrier = Box::leak(Box::new(Barrier::new(2)));
    let mut peer = many(move |_turn| {
        both.wait();
        Ok(vec![step()])
    });
    peer.begin_match();
    peer.begin("m2", &json!({}));
    assert_eq!(peer.receive()["type"], "ready");
    peer.ask(&json!({}));
    peer.ask(&json!({"match": "m2"}));

    assert_eq!([&peer.receive()["type"], &peer.receive()["type"]], ["move", "move"]);
    peer.say_goodbye();
}

#[test]
fn search_that_cannot_be_cancelled_does_not_hold_up_the_next_match_with_bots_of_their_own() {
    let (stop, stopped) = mpsc::channel::<()>();
    let stopped: &Mutex<_> = Box::leak(Box::new(Mutex::new(stopped)));
    let mut peer = many(move |turn| {
        if turn.playing.id == "m1" {
            let _ = stopped.lock().unwrap().recv();
        }
        Ok(vec![step()])
    });
    peer.begin_match();
    peer.ask(&json!({}));
    over(&mut peer, "m1", 2);
    peer.begin("m2", &json!({}));

    assert_eq!(peer.receive(), json!({"type": "ready", "match": "m2"}));
    peer.ask(&json!({"match": "m2", "turn": 5}));
    assert_eq!(peer.receive()["turn"], 5);
    stop.send(()).unwrap();
    peer.say_goodbye();
}

#[test]
fn error_of_one_of_the_bots_ends_all() {
    let server = ScriptedServer::start();
    let settings = settings().concurrency(2).port(server.port());
    let bot = thread::spawn(move || {
        let choose = |turn: &mut Turn| {
            if turn.playing.id == "m1" {
                return Err("a bug of the author's".into());
            }
            think(&turn.cancellation());
            Ok(vec![step()])
        };
        play_each(|| choose, &settings)
    });
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    peer.begin("m2", &json!({}));
    assert_eq!(peer.receive()["type"], "ready");
    peer.ask(&json!({"match": "m2", "remaining_ms": 3_600_000}));
    peer.ask(&json!({}));

    assert_eq!(peer.receive(), json!({"type": "goodbye", "reason": "the bot ended by an error"}));
    let error = bot.join().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the bot failed: a bug of the author's");
}
