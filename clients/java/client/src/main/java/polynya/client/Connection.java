package polynya.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Map;
import polynya.client.ClientException.BadFrame;
import polynya.client.ClientException.ConnectionLost;

/** One TCP (or TLS) connection: messages out from any thread, messages in to one, blocking. */
final class Connection implements AutoCloseable {
    private static final int CHUNK = 64 * 1024;

    private final Socket socket;
    private final InputStream input;
    private final OutputStream output;
    private final FrameLog log;
    private final FrameBuffer buffer = new FrameBuffer(Codec.SERVER_MAX_FRAME);
    private final byte[] chunk = new byte[CHUNK];
    private volatile int maxFrame = Codec.DEFAULT_MAX_FRAME;
    private volatile int patienceMs;
    private final WriteTimeout writeTimeout = new WriteTimeout(this::hangUp);
    private long arrived;
    private boolean left;

    /** Frames pass through {@code wrapped}; to close that would wait for the peer's farewell. */
    private Connection(Socket socket, Socket wrapped, int patienceMs, FrameLog log) throws IOException {
        this.socket = socket;
        this.input = wrapped.getInputStream();
        this.output = wrapped.getOutputStream();
        this.patienceMs = patienceMs;
        this.log = log;
    }

    /**
     * A new connection.
     *
     * @param patienceMs how long the server may take to connect, and then to welcome the bot, in ms
     * @param log where all messages are written, {@code null} for nowhere
     * @throws ConnectionLost if nobody listens there, or the certificate is not good
     */
    static Connection open(Address server, int patienceMs, Settings settings, FrameLog log) {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(server.host(), server.port()), patienceMs);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(patienceMs);
            Socket wrapped = settings.encrypts()
                    ? Tls.wrap(socket, server, settings.certificates())
                    : socket;
            return new Connection(socket, wrapped, patienceMs, log);
        } catch (IOException error) {
            hangUp(socket);
            throw new ConnectionLost("cannot connect to " + server, error);
        }
    }

    /** What the server's {@code welcome} says: the largest frame it takes, how long it is silent. */
    void agree(int maxFrame, int patienceMs) {
        this.maxFrame = maxFrame;
        this.patienceMs = patienceMs;
        try {
            socket.setSoTimeout(patienceMs);
        } catch (IOException error) {
            throw new ConnectionLost("the connection broke", error);
        }
    }

    /**
     * Send one message.
     *
     * @throws BadFrame if it is too large for the server, or cannot be encoded
     * @throws ConnectionLost if the connection broke, or we have said goodbye
     */
    void send(Map<String, ?> message) {
        byte[] frame = Codec.encode(message, maxFrame);
        synchronized (output) {
            if (left) {
                throw new ConnectionLost("we have said goodbye");
            }
            writeTimeout.begin(patienceMs);
            try {
                output.write(frame);
                output.flush();
            } catch (IOException error) {
                throw new ConnectionLost("the connection broke while sending", error);
            } finally {
                writeTimeout.end();
            }
            if (log != null) {
                log.write("sent", message);
            }
        }
    }

    /** How long the server may be silent, or refuse to read, in ms. */
    int patienceMs() {
        return patienceMs;
    }

    /** When the last message was read from the socket, on {@link System#nanoTime}. */
    long arrived() {
        return arrived;
    }

    /**
     * Wait for the next message.
     *
     * @throws BadFrame if what came is no frame of the protocol
     * @throws ConnectionLost if the connection broke or was closed, or the server was silent too long
     */
    Fields receive() {
        byte[] payload = buffer.take();
        while (payload == null) {
            buffer.add(chunk, read());
            arrived = System.nanoTime();
            payload = buffer.take();
        }
        Fields message = Codec.decode(payload);
        if (log != null) {
            log.write("received", message.values());
        }
        return message;
    }

    private int read() {
        try {
            int count = input.read(chunk);
            if (count < 0) {
                throw new ConnectionLost("the server closed the connection without a goodbye");
            }
            return count;
        } catch (SocketTimeoutException error) {
            throw new ConnectionLost("the server was silent for three heartbeats");
        } catch (IOException error) {
            throw new ConnectionLost("the connection broke while receiving", error);
        }
    }

    /** Say goodbye, if the connection still carries it, and hang up: nothing is sent after it. */
    void leave(String reason) {
        try {
            synchronized (output) {
                send(Map.of("type", "goodbye", "reason", reason));
                left = true;
            }
        } catch (ConnectionLost tooLate) {
            // nobody is there to be told
        }
        try {
            socket.shutdownInput(); // wakes the receiving thread, and lets the goodbye arrive
        } catch (IOException error) {
            // it is closed already
        }
    }

    /** Close the socket, without a word. */
    void hangUp() {
        hangUp(socket);
    }

    @Override
    public void close() {
        writeTimeout.close();
        hangUp(socket);
    }

    private static void hangUp(Socket socket) {
        try {
            socket.close();
        } catch (IOException error) {
            // it is closed all the same
        }
    }
}
