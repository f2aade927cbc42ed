//! A server whose every word the test decides, on a real socket.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use polynya_client::codec::{DEFAULT_MAX_FRAME, decode, encode};
use polynya_client::{Bot, Error, Settings, Value, json, play};

const TIME: Duration = Duration::from_secs(120);

/// A listening socket for bots that run in threads.
pub struct ScriptedServer(TcpListener);

impl ScriptedServer {
    pub fn start() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    pub fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    /// A bot in another thread, against this server.
    pub fn run(
        &self,
        bot: impl Bot + Send + 'static,
        settings: Settings,
    ) -> JoinHandle<Result<(), Error>> {
        let settings = settings.port(self.port());
        thread::spawn(move || play(bot, &settings))
    }

    /// The next connection.
    pub fn accept(&self) -> Peer {
        let (socket, _) = self.0.accept().unwrap();
        socket.set_read_timeout(Some(TIME)).unwrap();
        Peer(socket)
    }
}

/// The server's end of one connection.
pub struct Peer(pub TcpStream);

impl Peer {
    pub fn send(&mut self, message: &Value) {
        self.0.write_all(&encode(message, DEFAULT_MAX_FRAME).unwrap()).unwrap();
    }

    pub fn receive(&mut self) -> Value {
        let mut length = [0; 4];
        self.0.read_exact(&mut length).unwrap();
        let mut payload = vec![0; u32::from_be_bytes(length) as usize];
        self.0.read_exact(&mut payload).unwrap();
        Value::Object(decode(&payload).unwrap())
    }

    /// Whether the bot has closed the connection, with nothing more to say.
    pub fn ended(&mut self) -> bool {
        self.0.read(&mut [0]).unwrap() == 0
    }

    /// Take the hello, answer it with these keys added; the hello.
    pub fn welcome(&mut self, more: &Value) -> Value {
        let hello = self.receive();
        self.send(&with(
            json!({
                "type": "welcome", "protocol": 1, "bot": "ada", "session": "s1",
                "server": {"name": "scripted", "version": "1"},
                "heartbeat_ms": 10_000, "max_frame": 65_536, "matches": [],
            }),
            more,
        ));
        hello
    }

    /// Start match `id` without waiting for the bot to be ready.
    pub fn begin(&mut self, id: &str, more: &Value) {
        self.send(&with(
            json!({
                "type": "match_start", "match": id, "seq": 0, "game": "packeis", "seat": 1,
                "players": [
                    {"seat": 0, "name": "bob", "rating": 1510.5},
                    {"seat": 1, "name": "ada", "rating": null},
                ],
                "options": {},
                "clock": {"initial_ms": null, "increment_ms": null, "move_ms": 5000},
                "state": {"game": "packeis"},
            }),
            more,
        ));
    }

    /// Start match `m1` and wait until the bot is ready.
    pub fn begin_match(&mut self) {
        self.begin("m1", &json!({}));
        assert_eq!(self.receive(), json!({"type": "ready", "match": "m1"}));
    }

    /// Ask for a turn of match `m1`, as event 1.
    pub fn ask(&mut self, more: &Value) {
        let turn = json!({
            "type": "turn", "match": "m1", "seq": 1, "turn": 1, "remaining_ms": 5000,
        });
        self.send(&with(turn, more));
    }

    pub fn say_goodbye(&mut self) {
        self.send(&json!({"type": "goodbye", "reason": "finished"}));
    }
}

fn with(mut message: Value, more: &Value) -> Value {
    let more = more.as_object().unwrap().clone();
    message.as_object_mut().unwrap().extend(more);
    message
}
