//! What the SDK does with a server's messages, seen from the other end of a real socket.

use std::sync::mpsc::{self, Sender};

use crate::server::ScriptedServer;
use polynya_client::{
    Bot, BotResult, Error, Forfeited, Match, MatchOver, Moved, Settings, Step, Steps, Turn, Value,
    json,
};

fn settings() -> Settings {
    Settings::named("ada")
}

fn step() -> Step {
    json!(["move", 12, 40])
}

fn play_step(_turn: &mut Turn) -> BotResult<Steps> {
    Ok(vec![step()])
}

#[test]
fn move_answers_turn_with_info() {
    let choose = |turn: &mut Turn| {
        turn.info.insert("score".to_owned(), json!(2.5));
        Ok(vec![step()])
    };
    let server = ScriptedServer::start();
    server.run(choose, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    peer.ask(&json!({"turn": 7}));

    assert_eq!(
        peer.receive(),
        json!({"type": "move", "match": "m1", "turn": 7, "steps": [step()], "info": {"score": 2.5}})
    );
    peer.say_goodbye();
}

#[test]
fn turn_says_what_the_server_said() {
    let (seen, turns) = mpsc::channel();
    let choose = move |turn: &mut Turn| {
        let about = (turn.game().to_owned(), turn.seat(), turn.number, turn.remaining_ms);
        let ratings: Vec<_> = turn.playing.players.iter().map(|player| player.rating).collect();
        seen.send((about, turn.state()?.clone(), turn.legal()?.to_vec(), ratings))?;
        Ok(vec![step()])
    };
    let server = ScriptedServer::start();
    server.run(choose, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    peer.ask(&json!({"turn": 7, "state": {"fish": [1]}, "legal": [step()]}));
    peer.receive();
    peer.say_goodbye();

    let (about, state, legal, ratings) = turns.recv().unwrap();
    assert_eq!(about, ("packeis".to_owned(), 1, 7, 5000));
    assert_eq!((state, legal), (json!({"fish": [1]}), vec![step()]));
    assert_eq!(ratings, [Some(1510.5), None]);
}

#[test]
fn matches_on_one_connection_are_kept_apart() {
    let choose = |turn: &mut Turn| Ok(vec![json!([turn.playing.id, turn.number])]);
    let server = ScriptedServer::start();
    server.run(choose, settings().concurrency(2));
    let mut peer = server.accept();
    let hello = peer.welcome(&json!({}));
    peer.begin_match();
    peer.begin("m2", &json!({}));
    assert_eq!(peer.receive(), json!({"type": "ready", "match": "m2"}));
    peer.ask(&json!({"match": "m2", "turn": 2}));
    peer.ask(&json!({}));

    assert_eq!(hello["concurrency"], 2);
    assert_eq!(peer.receive()["steps"], json!([["m2", 2]]));
    assert_eq!(peer.receive()["steps"], json!([["m1", 1]]));
    peer.say_goodbye();
}

#[test]
fn unknown_types_keys_and_matches_are_ignored() {
    let server = ScriptedServer::start();
    server.run(play_step, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({"novelty": 1}));
    peer.send(&json!({"type": "weather", "ice": "thin"}));
    peer.send(&json!({"type": "turn", "match": "other", "seq": 9, "turn": 1, "remaining_ms": 1}));
    peer.begin_match();
    peer.ask(&json!({"hurry": true}));

    assert_eq!(peer.receive()["type"], "move");
    peer.say_goodbye();
}

#[test]
fn resigning_sends_no_move() {
    let choose = |turn: &mut Turn| {
        turn.resign()?;
        Ok(vec![])
    };
    let server = ScriptedServer::start();
    server.run(choose, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    peer.ask(&json!({}));
    peer.send(&json!({"type": "ping", "nonce": "abc"}));

    assert_eq!(peer.receive(), json!({"type": "resign", "match": "m1"}));
    assert_eq!(peer.receive(), json!({"type": "pong", "nonce": "abc"}));
    peer.say_goodbye();
}

#[test]
fn fatal_error_leaves_play_with_its_code() {
    let server = ScriptedServer::start();
    let bot = server.run(play_step, settings().token("secret"));
    let mut peer = server.accept();
    peer.receive();
    peer.send(
        &json!({"type": "error", "code": "name_taken", "message": "choose another", "fatal": true}),
    );

    let error = bot.join().unwrap().unwrap_err();
    assert!(matches!(&error, Error::Server { code, .. } if code == "name_taken"));
    assert_eq!(error.to_string(), "name_taken: choose another");
}

#[test]
fn error_in_the_bot_says_goodbye_and_leaves_play() {
    let choose = |_turn: &mut Turn| Err("a bug of the author's".into());
    let server = ScriptedServer::start();
    let bot = server.run(choose, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    peer.ask(&json!({}));

    assert_eq!(peer.receive(), json!({"type": "goodbye", "reason": "the bot ended by an error"}));
    assert!(peer.ended());
    let error = bot.join().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the bot failed: a bug of the author's");
}

#[test]
fn goodbye_names_the_type_of_an_error() {
    let choose = |_turn: &mut Turn| Err("seven".parse::<i32>().unwrap_err().into());
    let server = ScriptedServer::start();
    let bot = server.run(choose, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    peer.ask(&json!({}));

    assert_eq!(peer.receive()["reason"], "the bot ended by an error (ParseIntError)");
    assert!(bot.join().unwrap().is_err());
}

#[test]
fn panic_in_the_bot_says_goodbye() {
    let choose = |_turn: &mut Turn| panic!("a bug of the author's");
    let server = ScriptedServer::start();
    let bot = server.run(choose, settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    peer.ask(&json!({}));

    assert_eq!(peer.receive()["reason"], "the bot ended by a panic");
    assert!(peer.ended());
    assert!(bot.join().is_err());
}

#[test]
fn state_that_was_not_asked_for_is_explained() {
    let choose = |turn: &mut Turn| Ok(vec![turn.state()?.clone()]);
    let server = ScriptedServer::start();
    let bot = server.run(choose, settings().wants([]));
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin_match();
    peer.ask(&json!({}));

    assert!(matches!(bot.join().unwrap(), Err(Error::NotWanted(_))));
}

/// Tells what each event of a joint match tells, and which seats are asked then.
struct Observer(Sender<Value>);

impl Bot for Observer {
    fn match_start(&mut self, playing: &mut Match) -> BotResult<()> {
        let Match { is_view, is_joint, acting, state, .. } = &*playing;
        Ok(self.0.send(json!(["start", is_view, is_joint, acting, state]))?)
    }

    fn turn(&mut self, turn: &mut Turn) -> BotResult<Steps> {
        play_step(turn)
    }

    fn moved(&mut self, playing: &mut Match, moved: &Moved) -> BotResult<()> {
        let Moved { seat, concealed, steps, acting, seen, .. } = moved;
        let told = json!(["moved", seat, concealed, steps, acting, seen, playing.acting]);
        Ok(self.0.send(told)?)
    }

    fn forfeited(&mut self, playing: &mut Match, forfeited: &Forfeited) -> BotResult<()> {
        let Forfeited { turn, acting, seen, .. } = forfeited;
        Ok(self.0.send(json!(["forfeited", turn, acting, seen, playing.acting]))?)
    }

    fn match_over(&mut self, _playing: &mut Match, over: &MatchOver) -> BotResult<()> {
        Ok(self.0.send(json!(["over", over.deal]))?)
    }
}

#[test]
fn joint_turn_tells_what_the_seat_may_know() {
    let (told, events) = mpsc::channel();
    let server = ScriptedServer::start();
    let bot = server.run(Observer(told), settings());
    let mut peer = server.accept();
    peer.welcome(&json!({}));
    peer.begin(
        "m1",
        &json!({"state": {"hand": 5}, "acting": [0, 1, 2], "joint": true, "view": true}),
    );
    assert_eq!(peer.receive()["type"], "ready");
    peer.ask(&json!({}));
    assert_eq!(peer.receive()["turn"], 1);
    peer.send(&json!({
        "type": "moved", "match": "m1", "seq": 2, "turn": 1, "seat": 0, "steps": null,
        "elapsed_ms": 3, "remaining_ms": [null, null, null],
    }));
    peer.send(&json!({
        "type": "moved", "match": "m1", "seq": 3, "turn": 1, "seat": 1, "steps": [step()],
        "elapsed_ms": 3, "remaining_ms": [null, null, null], "acting": [0, 1],
        "seen": [{"lost": 7}],
    }));
    peer.ask(&json!({"seq": 4, "turn": 2}));
    assert_eq!(peer.receive()["turn"], 2);
    peer.send(&json!({
        "type": "forfeited", "match": "m1", "seq": 5, "turn": 2, "seat": 0, "reason": "resigned",
        "detail": "bob resigned", "acting": [], "seen": [{"won": true}],
    }));
    peer.send(&json!({
        "type": "match_over", "match": "m1", "seq": 6, "reason": "forfeit", "deal": "0a1b",
    }));
    peer.say_goodbye();
    bot.join().unwrap().unwrap();

    assert_eq!(
        events.iter().collect::<Vec<_>>(),
        [
            json!(["start", true, true, [0, 1, 2], {"hand": 5}]),
            json!(["moved", 0, true, [], null, [], [0, 1, 2]]),
            json!(["moved", 1, false, [step()], [0, 1], [{"lost": 7}], [0, 1]]),
            json!(["forfeited", 2, [], [{"won": true}], []]),
            json!(["over", "0a1b"]),
        ]
    );
}
