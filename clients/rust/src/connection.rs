//! One connection: messages out from any thread, messages in, blocking.

use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::addresses::Address;
use crate::codec::{self, DEFAULT_MAX_FRAME, FrameBuffer, Message, SERVER_MAX_FRAME};
use crate::error::Error;
use crate::framelog::FrameLog;
use crate::settings::Settings;
use crate::transport::{self, Transport};

/// The sending half, which every thread may use; reading passes through it for a moment only.
pub struct Connection {
    /// The largest frame that the server takes, in bytes.
    max_frame: AtomicUsize,
    socket: TcpStream,
    wire: Mutex<Wire>,
}

struct Wire {
    transport: Box<dyn Transport>,
    log: Option<FrameLog>,
    /// Whether we have said goodbye.
    left: bool,
}

/// A message and when it was read from the socket.
pub struct Arrived {
    pub message: Message,
    pub at: Instant,
}

impl Connection {
    /// A new connection, and what receives from it; `patience` is how long the server may take to
    /// connect, and then to welcome the bot.
    ///
    /// # Errors
    /// [`Error::ConnectionLost`] and [`Error::BadSettings`], as from [`transport::connect`].
    pub fn open(settings: &Settings, to: &Address, patience: Duration) -> Result<Receiver, Error> {
        let log = settings.log.as_deref();
        let log = log.map(|target| FrameLog::open(target, settings.name.as_deref())).transpose()?;
        let (socket, transport) =
            transport::connect(to, patience, settings.tls, settings.ca_file.as_deref())?;
        let connection = Arc::new(Self {
            max_frame: AtomicUsize::new(DEFAULT_MAX_FRAME),
            socket,
            wire: Mutex::new(Wire { transport, log, left: false }),
        });
        let buffer = FrameBuffer::new(SERVER_MAX_FRAME);
        Ok(Receiver { connection, buffer, chunk: Vec::new(), at: Instant::now() })
    }

    /// What the server's `welcome` says: the largest frame it takes, and how long it or we may be
    /// silent.
    pub fn agree(&self, max_frame: usize, patience: Duration) -> Result<(), Error> {
        self.max_frame.store(max_frame, Ordering::Relaxed);
        self.socket
            .set_read_timeout(Some(patience))
            .and_then(|()| self.socket.set_write_timeout(Some(patience)))
            .map_err(|error| Error::BadMessage(format!("heartbeat_ms makes no timeout: {error}")))
    }

    /// Send one message.
    ///
    /// # Errors
    /// [`Error::BadFrame`] if it is too large for the server, [`Error::ConnectionLost`].
    pub fn send(&self, message: Value) -> Result<(), Error> {
        let frame = codec::encode(&message, self.max_frame.load(Ordering::Relaxed))?;
        let mut wire = self.wire();
        if wire.left {
            return Err(Error::ConnectionLost("we have said goodbye".to_owned()));
        }
        wire.transport.write(&frame).map_err(|error| {
            Error::ConnectionLost(format!("the connection broke while sending: {error}"))
        })?;
        wire.log("sent", message);
        Ok(())
    }

    /// Say goodbye, if the connection still carries it, and hang up: nothing is sent or received
    /// after that.
    pub fn leave(&self, reason: &str) {
        let _ = self.send(json!({"type": "goodbye", "reason": reason}));
        self.wire().left = true;
        let _ = self.socket.shutdown(Shutdown::Both);
    }

    /// Leave because of this, and say so unless it came from the other side.
    pub fn fail(&self, error: &Error) {
        if !matches!(error, Error::ConnectionLost(_) | Error::Server { .. }) {
            self.leave(&farewell(error));
        }
        self.wire().left = true;
        let _ = self.socket.shutdown(Shutdown::Both);
    }

    /// How long the server may be silent.
    pub fn patience(&self) -> Duration {
        self.socket.read_timeout().ok().flatten().unwrap_or(Duration::MAX)
    }

    /// A thread that panicked while sending leaves nothing half changed that another would see.
    fn wire(&self) -> MutexGuard<'_, Wire> {
        self.wire.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wire {
    fn log(&mut self, direction: &str, message: Value) {
        if let Some(log) = &mut self.log {
            log.write(direction, message);
        }
    }
}

/// The receiving half, for one thread.
pub struct Receiver {
    pub connection: Arc<Connection>,
    buffer: FrameBuffer,
    chunk: Vec<u8>,
    at: Instant,
}

impl Receiver {
    /// Wait for the next message.
    ///
    /// # Errors
    /// [`Error::BadFrame`] if what came is no frame of the protocol, [`Error::ConnectionLost`] if
    /// the connection broke or was closed, or the server was silent for too long.
    pub fn receive(&mut self) -> Result<Arrived, Error> {
        loop {
            if let Some(payload) = self.buffer.take()? {
                let message = codec::decode(payload)?;
                let mut wire = self.connection.wire();
                if let Some(log) = &mut wire.log {
                    log.write("received", Value::Object(message.clone()));
                }
                return Ok(Arrived { message, at: self.at });
            }
            let open = self.read().map_err(|error| lost_while_receiving(&error))?;
            self.at = Instant::now();
            self.buffer.add(&self.chunk);
            if !open && self.chunk.is_empty() {
                let text = "the server closed the connection without a goodbye";
                return Err(Error::ConnectionLost(text.to_owned()));
            }
        }
    }

    /// Wait without holding back those who want to send, and read what is there.
    fn read(&mut self) -> io::Result<bool> {
        self.chunk.clear();
        while let Err(error) = self.connection.socket.peek(&mut [0]) {
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
        self.connection.wire().transport.read(&mut self.chunk)
    }
}

fn lost_while_receiving(error: &io::Error) -> Error {
    Error::ConnectionLost(match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            "the server was silent for three heartbeats".to_owned()
        }
        _ => format!("the connection broke while receiving: {error}"),
    })
}

/// What the server is told when the bot ends by this.
///
/// A type's name is known to its `Debug` only, which begins with it where it is derived.
fn farewell(error: &Error) -> String {
    let shown = match error {
        Error::Bot(own) => format!("{own:?}"),
        other => format!("{other:?}"),
    };
    let is_of_name = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '_';
    let kind: String = shown.chars().take_while(is_of_name).take(60).collect();
    if kind.starts_with(|first: char| first.is_ascii_uppercase()) {
        format!("the bot ended by an error ({kind})")
    } else {
        "the bot ended by an error".to_owned()
    }
}
