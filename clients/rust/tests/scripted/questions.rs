//! What becomes of a question about a turn, and of all that arrives before its answer.

use std::sync::mpsc::{self, Sender};

use crate::server::ScriptedServer;
use polynya_client::{
    Bot, BotResult, Forfeited, Match, MatchOver, Moved, Settings, Step, Steps, Turn, json,
};

fn settings() -> Settings {
    Settings::named("ada")
}

fn step() -> Step {
    json!(["move", 12, 40])
}

#[test]
fn legal_after_asks_the_server_and_pings_are_answered_meanwhile() {
    let choose = |turn: &mut Turn| {
        let legal = turn.legal_after(&[step()])?;
        Ok([vec![step()], legal.steps].concat())
    };
    let server = ScriptedServer::start();
    server.run(choose, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    peer.ask(&json!({}));

    assert_eq!(
        peer.receive(),
        json!({"type": "steps", "match": "m1", "turn": 1, "steps": [step()]})
    );
    peer.send(&json!({"type": "ping", "nonce": 5}));
    assert_eq!(peer.receive(), json!({"type": "pong", "nonce": 5}));
    peer.send(&json!(
        {"type": "legal", "match": "m1", "turn": 1, "legal": [["end"]], "turn_over": false}
    ));
    assert_eq!(peer.receive()["steps"], json!([step(), ["end"]]));
    peer.say_goodbye();
}

#[test]
fn error_about_an_earlier_turn_is_no_answer() {
    let choose = |turn: &mut Turn| {
        turn.legal_after(&[])?;
        Ok(vec![step()])
    };
    let server = ScriptedServer::start();
    server.run(choose, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    peer.ask(&json!({"turn": 3}));
    peer.receive();
    peer.send(&json!({
        "type": "error", "code": "late", "message": "too late", "fatal": false,
        "match": "m1", "turn": 1,
    }));
    peer.send(&json!(
        {"type": "legal", "match": "m1", "turn": 3, "legal": [], "turn_over": true}
    ));

    assert_eq!(peer.receive()["type"], "move");
    peer.say_goodbye();
}

#[test]
fn turn_that_is_lost_gets_no_move_and_the_bot_goes_on() {
    let choose = |turn: &mut Turn| {
        turn.legal_after(&[])?;
        Ok(vec![step()])
    };
    let server = ScriptedServer::start();
    let bot = server.run(choose, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    peer.ask(&json!({}));
    assert_eq!(peer.receive()["type"], "steps");
    peer.send(&json!({
        "type": "error", "code": "late", "message": "too late", "fatal": false, "match": "m1",
    }));
    peer.send(&json!({"type": "ping", "nonce": 1}));

    assert_eq!(peer.receive(), json!({"type": "pong", "nonce": 1}));
    peer.say_goodbye();
    assert!(matches!(bot.join().unwrap(), Ok(())));
}

/// A bot that tells what happens, and asks what may follow before each move.
struct Follower(Sender<String>);

impl Follower {
    fn tell(&self, what: impl Into<String>) -> BotResult<()> {
        Ok(self.0.send(what.into())?)
    }
}

impl Bot for Follower {
    fn match_start(&mut self, playing: &mut Match) -> BotResult<()> {
        self.tell(format!("start {}", playing.id))
    }

    fn turn(&mut self, turn: &mut Turn) -> BotResult<Steps> {
        self.tell(format!("turn {}", turn.number))?;
        turn.legal_after(&[step()])?;
        Ok(vec![step()])
    }

    fn moved(&mut self, _playing: &mut Match, moved: &Moved) -> BotResult<()> {
        self.tell(format!("moved {} {:?}", moved.seat, moved.remaining_ms))
    }

    fn forfeited(&mut self, _playing: &mut Match, forfeited: &Forfeited) -> BotResult<()> {
        self.tell(format!("forfeited {} {}", forfeited.seat, forfeited.reason))
    }

    fn match_over(&mut self, playing: &mut Match, over: &MatchOver) -> BotResult<()> {
        self.tell(format!("over {} {:?} {:?}", playing.id, over.ranking, over.replay))
    }
}

#[test]
fn events_during_legal_after_are_handled_in_order_afterwards() {
    let (seen, events) = mpsc::channel();
    let server = ScriptedServer::start();
    let bot = server.run(Follower(seen), settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    peer.ask(&json!({}));
    peer.receive();
    for event in [
        json!({"type": "moved", "match": "m1", "seq": 2, "turn": 1, "seat": 0, "steps": [],
               "elapsed_ms": 3, "remaining_ms": [5, null]}),
        json!({"type": "forfeited", "match": "m1", "seq": 3, "seat": 0, "reason": "resigned",
               "detail": "bob resigned"}),
        json!({"type": "match_over", "match": "m1", "seq": 4, "ranking": [2, 1],
               "scores": [0, 1], "reason": "forfeit", "replay": "m1"}),
    ] {
        peer.send(&event);
    }
    peer.say_goodbye();
    bot.join().unwrap().unwrap();

    assert_eq!(
        events.iter().collect::<Vec<_>>(),
        [
            "start m1",
            "turn 1",
            "moved 0 [Some(5), None]",
            "forfeited 0 resigned",
            "over m1 Some([2, 1]) Some(\"m1\")",
        ]
    );
}
