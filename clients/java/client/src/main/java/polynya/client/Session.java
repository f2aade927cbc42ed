package polynya.client;

import static polynya.client.ClientException.printable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import polynya.client.ClientException.BadFrame;
import polynya.client.ClientException.ConnectionLost;
import polynya.client.ClientException.ServerError;

/**
 * A session: what is done with each message of one connection, from hello to goodbye.
 *
 * <p>One thread receives, answers pings and cancels searches; the bot has another one, or one for each
 * match.
 */
final class Session {
    private static final System.Logger LOGGER = System.getLogger("polynya.client");
    private static final int SILENT_HEARTBEATS = 3;

    private final Connection connection;
    private final Fields welcome;
    private final Map<String, Play> plays = new HashMap<>();
    private final Remarks remarks = new Remarks();

    /**
     * Introduce the bot.
     *
     * @throws ServerError if the server refuses it
     * @throws ConnectionLost if the connection broke
     */
    Session(Connection connection, Map<String, ?> hello) {
        this.connection = connection;
        connection.send(hello);
        Fields answer = receiveBeforeWelcome();
        while (!type(answer).equals("welcome")) {
            if (type(answer).equals("error")) {
                report(answer);
            }
            answer = receiveBeforeWelcome();
        }
        welcome = answer;
        connection.agree(
                welcome.integer("max_frame"), SILENT_HEARTBEATS * welcome.integer("heartbeat_ms"));
    }

    /** Tell the bot's author something that does not end the bot. */
    static void warn(String text) {
        LOGGER.log(System.Logger.Level.WARNING, text);
    }

    /** Who fails before a welcome is hardly a Polynya server, or one with TLS. */
    private Fields receiveBeforeWelcome() {
        String remedy = "is the port right, and does it ask for TLS (POLYNYA_TLS=1)?";
        try {
            return connection.receive();
        } catch (BadFrame error) {
            throw new BadFrame(
                    error.code(),
                    "what answers there is no Polynya server; " + remedy + " " + error.getMessage());
        } catch (ConnectionLost error) {
            throw new ConnectionLost(error.getMessage() + ", before any welcome; " + remedy);
        }
    }

    /** What the server knows us by, {@code null} if it does not say. */
    String name() {
        return welcome.optionalString("bot");
    }

    /** The token, if this session has registered the name, else {@code null}. */
    String token() {
        return welcome.optionalString("token");
    }

    /**
     * Play with one bot, in this thread, whatever the server asks for until it says goodbye; its reason.
     *
     * <p>Matches that are going on when the bot itself fails are forfeited by a goodbye.
     *
     * @throws Exception what the bot throws, and all that {@link Polynya#play} speaks of
     */
    String play(Bot bot) throws Exception {
        FutureTask<String> received = playMatches(bot);
        String reason;
        try {
            reason = received.get();
        } catch (ExecutionException failed) {
            Exception thrown = thrown(failed.getCause());
            bot.disconnected(thrown.getMessage());
            throw thrown;
        }
        bot.disconnected(reason);
        return reason;
    }

    /** Let the bot play in this thread until nothing comes any more; how the receiving thread has ended. */
    private FutureTask<String> playMatches(Bot bot) throws Exception {
        Tasks tasks = new Tasks();
        FutureTask<String> received = new FutureTask<>(() -> {
            try {
                return receiveAll(play -> tasks, ended -> { });
            } finally {
                tasks.end();
            }
        });
        start(received, "polynya-receive");
        try {
            bot.connected(name());
            tasks.work(bot);
        } catch (ConnectionLost lost) {
            connection.hangUp(); // the other thread knows better why
        } catch (Throwable failure) {
            fail(failure);
            throw failure;
        }
        return received;
    }

    /**
     * Play each match with a bot of its own, in a thread of its own.
     *
     * @throws Exception as from {@link #play}
     */
    String playEach(Supplier<? extends Bot> bots) throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        Function<String, Tasks> tasksOf = id -> {
            Tasks tasks = new Tasks();
            threads.removeIf(thread -> !thread.isAlive());
            threads.add(start(() -> work(tasks, bots, failure), "polynya-match-" + id));
            return tasks;
        };
        try {
            return receiveAll(tasksOf, Tasks::end);
        } finally {
            for (Thread thread : threads) {
                thread.join();
            }
            if (failure.get() != null) {
                throw thrown(failure.get());
            }
        }
    }

    private void work(
            Tasks tasks, Supplier<? extends Bot> bots, AtomicReference<Throwable> failure) {
        try {
            tasks.work(bots.get());
        } catch (ConnectionLost lost) {
            connection.hangUp(); // the receiving thread knows better why
        } catch (Throwable thrown) {
            failure.compareAndSet(null, thrown);
            fail(thrown);
        }
    }

    private static Thread start(Runnable run, String name) {
        Thread thread = new Thread(run, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Say goodbye because of a failure of the bot's, or a message that is not of the protocol. */
    private void fail(Throwable failure) {
        connection.leave("the bot ended by " + failure.getClass().getSimpleName());
    }

    private static Exception thrown(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return (Exception) failure;
    }

    /** What is done with the tasks of a match that is over. */
    @FunctionalInterface
    private interface Ending {
        void end(Tasks tasks) throws InterruptedException;
    }

    /** Receive until the server says goodbye; its reason. */
    private String receiveAll(Function<String, Tasks> tasksOf, Ending ending) throws Exception {
        try {
            Fields message = connection.receive();
            while (!type(message).equals("goodbye")) {
                handle(message, tasksOf, ending);
                message = connection.receive();
            }
            return printable(Objects.requireNonNullElse(message.optionalString("reason"), ""));
        } catch (ConnectionLost | ServerError ended) {
            throw ended;
        } catch (ClientException notOfTheProtocol) {
            fail(notOfTheProtocol);
            throw notOfTheProtocol;
        } finally {
            for (Play play : plays.values()) {
                play.abandon("the connection has ended");
                ending.end(play.tasks());
            }
        }
    }

    /** Act on a message; types and matches that we do not know are ignored. */
    private void handle(Fields message, Function<String, Tasks> tasksOf, Ending ending)
            throws InterruptedException {
        switch (type(message)) {
            case "match_start", "match_resume" -> begin(message, tasksOf, ending);
            case "ping" -> pong(message);
            case "error" -> error(message);
            case "notice" -> tell(message);
            case "legal" -> {
                Play play = about(message);
                if (play != null) {
                    play.answer(message);
                }
            }
            case "turn", "moved", "forfeited", "match_over" -> {
                Play play = plays.get(message.string("match"));
                if (play != null) {
                    play.event(message, connection.arrived());
                    if (type(message).equals("match_over")) {
                        end(play, ending);
                    }
                }
            }
            default -> { }
        }
    }

    private void begin(Fields message, Function<String, Tasks> tasksOf, Ending ending)
            throws InterruptedException {
        String id = message.string("match");
        Play before = plays.get(id);
        if (before != null) {
            before.abandon("the match begins again");
            end(before, ending);
        }
        Play play = new Play(connection, message, tasksOf.apply(id), remarks);
        plays.put(id, play);
        play.begin();
    }

    private void end(Play play, Ending ending) throws InterruptedException {
        plays.remove(play.match().id());
        ending.end(play.tasks());
    }

    /** The match that a message is about, {@code null} if we do not know it. */
    private Play about(Fields message) {
        return plays.get(message.values().get("match"));
    }

    private void pong(Fields message) {
        Map<String, Object> pong = new LinkedHashMap<>();
        pong.put("type", "pong");
        pong.put("nonce", message.values().get("nonce"));
        connection.send(pong);
    }

    private void error(Fields message) {
        Play play = about(message);
        boolean isHint = Boolean.FALSE.equals(message.values().get("fatal"));
        if (!isHint || play == null || !play.answer(message)) {
            report(message);
        }
    }

    /**
     * Tell the author of an error that is not fatal.
     *
     * @throws ServerError if it is
     */
    private static void report(Fields message) {
        String code = printable(message.string("code"));
        String sentence = printable(message.string("message"));
        if (!Boolean.FALSE.equals(message.values().get("fatal"))) {
            throw new ServerError(code, sentence);
        }
        warn("the server says " + code + ": " + sentence);
    }

    /** Tell the author what the server wants him to know; nothing in it ends the bot. */
    private static void tell(Fields notice) {
        String code = String.valueOf(notice.values().get("code"));
        String sentence = String.valueOf(notice.values().get("message"));
        warn("the server says " + printable(code) + ": " + printable(sentence));
    }

    private static String type(Fields message) {
        return message.string("type");
    }
}
