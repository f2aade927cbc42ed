"""Adds TLS between a connection and its socket, behind a socket's interface.

The connection and its writer use a :class:`TlsSocket` in a socket's place. It never waits either:
ciphertext is read and written as the socket allows, and the time of arrival is that of the
ciphertext, because the kernel knows no other.
"""

from __future__ import annotations

import contextlib
import errno
import socket
import ssl
from pathlib import Path

from polynya_server.log import log
from polynya_server.transport.base import Ancillary, Transport

RECORD = 16 * 1024
"""Maximum size of a TLS record in bytes (RFC 8446, section 5.1)."""

_MOST_UNSENT = 4 * RECORD


class TlsFilesError(ValueError):
    """An unusable certificate or key; the message is a sentence that names the file."""


def server_context(certificate: str, key: str) -> ssl.SSLContext:
    """Create a server's TLS context: TLS 1.2 or newer, no renegotiation, no session resumption.

    Args:
        certificate: a PEM file, with the certificates up to the authority's after the server's.
        key: a PEM file with the private key, not encrypted.

    Raises:
        TlsFilesError: one of them cannot be read, or they are no pair.
    """
    for path in (certificate, key):
        try:
            Path(path).read_bytes()
        except OSError as error:
            raise TlsFilesError(f"the TLS file {path} cannot be read: {error.strerror}") from error
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_TICKET
    context.num_tickets = 0
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except (ssl.SSLError, ValueError) as error:
        raise TlsFilesError(
            f"{certificate} and {key} are not a certificate and its unencrypted key in PEM form: "
            f"{error}"
        ) from error
    return context


def _no_password() -> str:
    """Keep OpenSSL from prompting for a password on the terminal."""
    raise ValueError("the key is encrypted")


class TlsSocket:
    """The server's end of a TLS connection on a non-blocking socket."""

    __slots__ = (
        "_greeted",
        "_incoming",
        "_outgoing",
        "_owed",
        "_session",
        "_shut",
        "_sock",
        "_unsent",
    )

    def __init__(self, sock: Transport, context: ssl.SSLContext) -> None:
        self._sock = sock
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._session = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._greeted = False  # whether the handshake is done
        self._shut = False  # whether this end has sent close_notify
        self._unsent = bytearray()  # ciphertext that the operating system has yet to take
        self._owed = 0  # the plaintext bytes that are in it

    def fileno(self) -> int:
        """See :class:`Transport`."""
        return self._sock.fileno()

    def recv(self, size: int, /) -> bytes:
        """See :meth:`recvmsg`."""
        return self._plaintext(self._sock.recv(size))

    def recvmsg(self, size: int, ancillary: int, /) -> tuple[bytes, Ancillary, int, object]:
        """Read ``size`` more bytes of ciphertext; return their plaintext and times of arrival.

        Raises:
            BlockingIOError: nothing has arrived, or only part of a record or of the handshake.
            OSError: the connection is broken, or the peer does not speak TLS as it should.
        """
        ciphertext, told, flags, address = self._sock.recvmsg(size, ancillary)
        return self._plaintext(ciphertext), told, flags, address

    def send(self, data: bytes | bytearray | memoryview, /) -> int:
        """Encrypt and send; return the number of bytes whose ciphertext the system took in full.

        As with any socket, the caller must offer the other bytes again first: they are counted
        when their ciphertext has been taken, and not encrypted twice.

        Raises:
            BlockingIOError: nothing could be handed over.
            OSError: the connection is broken, or the handshake has yet to be done.
        """
        if not self._greeted:
            raise OSError(errno.ENOTCONN, "the TLS handshake is not done")
        sent = self._settle()
        while sent < len(data) and not self._unsent:
            piece = memoryview(data)[sent : sent + RECORD]
            self._session.write(piece)
            self._owed = len(piece)
            self._unsent += self._outgoing.read()
            sent += self._settle()
        if not sent:
            raise BlockingIOError
        return sent

    def shutdown(self, how: int, /) -> None:
        """Send close_notify, then shut down the socket, too.

        Data that still arrives after that is not decrypted: it is only read to be dropped.
        """
        if how != socket.SHUT_RD and not self._shut:
            self._shut = True
            with contextlib.suppress(OSError):  # it waits for the peer's own farewell: we do not
                self._session.unwrap()
            with contextlib.suppress(OSError):
                self._send_own()
        self._sock.shutdown(how)

    def close(self) -> None:
        """See :class:`Transport`."""
        self._sock.close()

    def _plaintext(self, ciphertext: bytes) -> bytes:
        if not ciphertext or self._shut:
            return ciphertext
        self._incoming.write(ciphertext)
        try:
            return self._decrypt()
        finally:
            self._send_own()

    def _decrypt(self) -> bytes:
        parts: list[bytes] = []
        try:
            if not self._greeted:
                self._session.do_handshake()
                self._greeted = True
            while part := self._session.read(RECORD):
                parts.append(part)
        except ssl.SSLWantReadError:
            if not parts:
                raise BlockingIOError from None
        return b"".join(parts)

    def _send_own(self) -> None:
        """Send TLS's own records: handshake, alerts, key updates.

        Their few bytes fit the socket's buffer unless the peer takes nothing: then give it up.
        """
        own = self._outgoing.read()
        if not own:
            return
        if not self._unsent:
            with contextlib.suppress(BlockingIOError):
                own = own[self._sock.send(own) :]
            if not own:
                return
        elif len(self._unsent) + len(own) <= _MOST_UNSENT:
            self._unsent += own  # it leaves with the bytes that wait before it
            return
        raise OSError(errno.ENOBUFS, "the peer does not read the messages of TLS")

    def _settle(self) -> int:
        """Send ciphertext; return the number of its plaintext bytes once all of it is taken."""
        if self._unsent:
            with contextlib.suppress(BlockingIOError):
                del self._unsent[: self._sock.send(self._unsent)]
            if self._unsent:
                return 0
        owed, self._owed = self._owed, 0
        return owed


_Stamp = tuple[int, int, int]


class Certificate:
    """Keeps the TLS context for the next handshake up to date with its files.

    A check of both files takes a few microseconds, so each new connection makes one: the server
    notices changed files by itself.

    Args:
        certificate, key: see :func:`~polynya_server.transport.tls.server_context`.

    Raises:
        TlsFilesError: they cannot be used.
    """

    def __init__(self, certificate: str, key: str) -> None:
        self._files = certificate, key
        self._seen = self._stamps()
        self._context = server_context(certificate, key)

    def context(self) -> ssl.SSLContext:
        """The context of the current files, or of the last usable ones.

        A warning names unusable new files once: they may be half written, and are tried again
        when they change again.
        """
        found = self._stamps()
        if found != self._seen:
            self._seen = found
            self._read_again()
        return self._context

    def _read_again(self) -> None:
        try:
            self._context = server_context(*self._files)
        except TlsFilesError as error:
            log.warning("the new TLS files cannot be used; the old ones stay", error=str(error))
        else:
            log.info("the new TLS files are in use", certificate=self._files[0])

    def _stamps(self) -> tuple[_Stamp | None, ...]:
        return tuple(_stamp(Path(path)) for path in self._files)


def _stamp(path: Path) -> _Stamp | None:
    """Fingerprint that changes with a file: modification time, size, and inode."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
