//! The bytes below the frames: a TCP socket, with or without TLS.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use crate::addresses::Address;
use crate::error::Error;

const CHUNK: usize = 64 * 1024;

/// What carries the bytes. Reading is asked for only when the socket has something.
pub trait Transport: Send {
    /// Send all of `data`.
    fn write(&mut self, data: &[u8]) -> io::Result<()>;

    /// Append what has arrived to `data`; false if the peer has closed the connection.
    fn read(&mut self, data: &mut Vec<u8>) -> io::Result<bool>;
}

impl Transport for TcpStream {
    fn write(&mut self, data: &[u8]) -> io::Result<()> {
        self.write_all(data)
    }

    fn read(&mut self, data: &mut Vec<u8>) -> io::Result<bool> {
        data.resize(CHUNK, 0);
        let count = Read::read(self, data)?;
        data.truncate(count);
        Ok(count > 0)
    }
}

/// A new connection: the socket, to wait on, and what carries the bytes over it. `patience` holds for
/// making it, and then for each read and write.
///
/// # Errors
/// [`Error::ConnectionLost`] if nobody listens there, or the certificate is not good;
/// [`Error::BadSettings`] if TLS is wanted and is not built in, or has no certificates to trust.
pub fn connect(
    to: &Address,
    patience: Duration,
    tls: bool,
    ca_file: Option<&str>,
) -> Result<(TcpStream, Box<dyn Transport>), Error> {
    let failed =
        |error: io::Error| Error::ConnectionLost(format!("cannot connect to {to}: {error}"));
    let socket = open(&to.host, to.port, patience).map_err(failed)?;
    let handle = socket.try_clone().map_err(failed)?;
    if !tls {
        return Ok((socket, Box::new(handle)));
    }
    Ok((socket, encrypted::wrap(handle, &to.host, ca_file, failed)?))
}

fn open(host: &str, port: u16, patience: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "no address of that name");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, patience) {
            Ok(socket) => {
                socket.set_nodelay(true)?;
                socket.set_read_timeout(Some(patience))?;
                socket.set_write_timeout(Some(patience))?;
                return Ok(socket);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(feature = "tls")]
mod encrypted {
    use std::io::{self, Read, Write};
    use std::net::TcpStream;
    use std::sync::Arc;

    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, ServerName};
    use rustls::{ClientConfig, ClientConnection, RootCertStore};

    use super::{Error, Transport};

    struct Tls {
        session: ClientConnection,
        socket: TcpStream,
    }

    impl Tls {
        fn flush(&mut self) -> io::Result<()> {
            while self.session.wants_write() {
                self.session.write_tls(&mut self.socket)?;
            }
            Ok(())
        }
    }

    impl Transport for Tls {
        fn write(&mut self, data: &[u8]) -> io::Result<()> {
            let mut rest = data;
            while !rest.is_empty() {
                let count = self.session.writer().write(rest)?;
                rest = &rest[count..];
                self.flush()?;
            }
            Ok(())
        }

        fn read(&mut self, data: &mut Vec<u8>) -> io::Result<bool> {
            let open = self.session.read_tls(&mut self.socket)? > 0;
            let state = self.session.process_new_packets().map_err(io::Error::other)?;
            self.flush()?;
            data.resize(state.plaintext_bytes_to_read(), 0);
            self.session.reader().read_exact(data)?;
            Ok(open && !state.peer_has_closed())
        }
    }

    pub fn wrap(
        mut socket: TcpStream,
        host: &str,
        ca_file: Option<&str>,
        failed: impl Fn(io::Error) -> Error,
    ) -> Result<Box<dyn Transport>, Error> {
        let config =
            ClientConfig::builder().with_root_certificates(trusted(ca_file)?).with_no_client_auth();
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| Error::BadSettings(format!("no certificate can be for {host:?}")))?;
        let session = ClientConnection::new(Arc::new(config), name).map_err(io::Error::other);
        let mut session = session.map_err(&failed)?;
        while session.is_handshaking() {
            session.complete_io(&mut socket).map_err(&failed)?;
        }
        Ok(Box::new(Tls { session, socket }))
    }

    /// The certificates in `ca_file`, or those that this computer trusts (`SSL_CERT_FILE` wins).
    fn trusted(ca_file: Option<&str>) -> Result<RootCertStore, Error> {
        let certificates = match ca_file {
            None => rustls_native_certs::load_native_certs().certs,
            Some(file) => CertificateDer::pem_file_iter(file)
                .and_then(Iterator::collect)
                .map_err(|error| Error::BadSettings(format!("cannot read {file}: {error}")))?,
        };
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(certificates);
        if roots.is_empty() {
            return Err(Error::BadSettings("there is no certificate to trust".to_owned()));
        }
        Ok(roots)
    }
}

#[cfg(not(feature = "tls"))]
mod encrypted {
    use std::io;
    use std::net::TcpStream;

    use super::{Error, Transport};

    pub fn wrap(
        _socket: TcpStream,
        _host: &str,
        _ca_file: Option<&str>,
        _failed: impl Fn(io::Error) -> Error,
    ) -> Result<Box<dyn Transport>, Error> {
        let text = "this bot is built without TLS: build it with `--features tls`";
        Err(Error::BadSettings(text.to_owned()))
    }
}
