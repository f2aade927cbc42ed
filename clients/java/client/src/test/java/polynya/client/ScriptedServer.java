package polynya.client;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.function.Executable;

/** A server whose every word the test decides, on a real socket, and a bot in a thread against it. */
final class ScriptedServer implements AutoCloseable {
    static final int SECONDS = 120;
    static final Step STEP = Step.of("move", 12, 40);

    private final ServerSocket listener;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    ScriptedServer() throws IOException {
        listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        listener.setSoTimeout(SECONDS * 1000);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** The bot's run in another thread. */
    Future<Void> run(Bot bot, Settings settings) {
        return submit(() -> Polynya.play(bot, settings.port(port())));
    }

    /** The run of a bot for each match, in other threads. */
    Future<Void> runEach(Supplier<Bot> bots, Settings settings) {
        return submit(() -> Polynya.playEach(bots, settings.port(port())));
    }

    private Future<Void> submit(Executable play) {
        Callable<Void> run = () -> {
            try {
                play.execute();
            } catch (Throwable thrown) {
                throw (Exception) thrown;
            }
            return null;
        };
        return threads.submit(run);
    }

    /** The next connection. */
    Peer accept() throws IOException {
        return new Peer(listener.accept());
    }

    /** What a run has thrown. */
    static Throwable failure(Future<Void> run) throws Exception {
        try {
            run.get(SECONDS, TimeUnit.SECONDS);
            throw new AssertionError("the bot has not failed");
        } catch (ExecutionException error) {
            return error.getCause();
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        threads.shutdownNow();
    }

    /** A message: keys and values in turn, after its type. */
    static Map<String, Object> message(String type, Object... keysAndValues) {
        Map<String, Object> message = new HashMap<>(Map.of("type", type));
        for (int index = 0; index < keysAndValues.length; index += 2) {
            message.put((String) keysAndValues[index], keysAndValues[index + 1]);
        }
        return message;
    }

    /** The server's end of one connection. */
    static final class Peer {
        final Socket socket;
        private final DataInputStream input;

        Peer(Socket socket) throws IOException {
            socket.setSoTimeout(SECONDS * 1000);
            this.socket = socket;
            this.input = new DataInputStream(socket.getInputStream());
        }

        void send(String type, Object... keysAndValues) {
            send(message(type, keysAndValues));
        }

        void send(Map<String, Object> message) {
            sendBytes(Codec.encode(message, Codec.SERVER_MAX_FRAME));
        }

        void sendBytes(byte[] bytes) {
            try {
                socket.getOutputStream().write(bytes);
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }

        Map<String, Object> receive() throws IOException {
            return Codec.decode(input.readNBytes(input.readInt())).values();
        }

        /** Whether the bot has closed the connection, with nothing more to say. */
        boolean ended() throws IOException {
            return input.read() < 0;
        }

        /** Take the hello, answer it; the hello. */
        Map<String, Object> welcome(Object... more) throws IOException {
            Map<String, Object> hello = receive();
            Map<String, Object> welcome = message("welcome",
                    "protocol", 1, "server", Map.of("name", "scripted", "version", "1"),
                    "bot", "ada", "session", "s1", "heartbeat_ms", 10_000,
                    "max_frame", 65_536, "matches", List.of());
            welcome.putAll(message("welcome", more));
            send(welcome);
            return hello;
        }

        /** Start a match and wait until the bot is ready. */
        void beginMatch(Object... more) throws IOException {
            Map<String, Object> start = message("match_start",
                    "match", "m1", "seq", 0, "game", "packeis", "seat", 1,
                    "players", List.of(
                            message("", "seat", 0, "name", "bob", "rating", 1510.5),
                            message("", "seat", 1, "name", "ada", "rating", null)),
                    "options", Map.of(), "clock", Map.of("move_ms", 5000),
                    "state", Map.of("game", "packeis"));
            start.putAll(message("match_start", more));
            send(start);
            if (!receive().equals(message("ready", "match", start.get("match")))) {
                throw new AssertionError("the bot is not ready");
            }
        }

        /** Ask for a turn. */
        void ask(Object... more) {
            Map<String, Object> turn = message(
                    "turn", "match", "m1", "seq", 1, "turn", 1, "remaining_ms", 5000);
            turn.putAll(message("turn", more));
            send(turn);
        }

        void sayGoodbye() {
            send("goodbye", "reason", "finished");
        }
    }
}
