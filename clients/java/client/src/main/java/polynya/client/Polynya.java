package polynya.client;

import static polynya.client.ClientException.printable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import polynya.client.ClientException.ConnectionLost;

/** Run a bot: connect, play, and come back after a lost connection. */
public final class Polynya {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final Bot bot;
    private final FrameLog log;
    private Settings settings;
    private volatile Connection connection;

    private Polynya(Bot bot, Settings settings, FrameLog log) {
        this.bot = bot;
        this.settings = settings;
        this.log = log;
    }

    /**
     * Play on a server until it says goodbye: what a program's {@code main} calls.
     *
     * <p>What goes wrong with the server is one line on standard error, and the program ends with
     * the exit code 1; so it does, with a stack trace, when the bot throws an exception. Ctrl-C says
     * goodbye, which forfeits the matches at once.
     */
    public static void run(Bot bot, Settings settings) {
        try {
            play(bot, settings);
        } catch (ClientException error) {
            System.err.println(error.getMessage());
            System.exit(1);
        } catch (Exception error) {
            error.printStackTrace();
            System.exit(1);
        }
    }

    /**
     * Play on a server until it says goodbye, for programs that handle errors themselves.
     *
     * <p>The bot runs in the calling thread, and pings wait while it thinks; another thread lets the
     * server know that it is still there.
     *
     * @throws ClientException.BadSettings if settings and environment do not say where to connect
     * @throws ConnectionLost if the server is not there (any more)
     * @throws ClientException.ServerError if it refused this bot; the message says what to do
     * @throws Exception what the bot throws; it has said goodbye then
     */
    public static void play(Bot bot, Settings settings) throws Exception {
        Settings inForce = settings.in(System.getenv());
        FrameLog log = inForce.log() == null ? null : FrameLog.open(inForce.log(), inForce.name());
        Polynya client = new Polynya(bot, inForce, log);
        Thread interrupted = new Thread(client::interrupt);
        Runtime.getRuntime().addShutdownHook(interrupted);
        try (log) {
            client.play();
        } finally {
            removeHook(interrupted);
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // it is running already
        }
    }

    private void interrupt() {
        if (connection != null) {
            connection.leave("the bot was interrupted");
        }
    }

    private String play() throws Exception {
        Session session = connect();
        while (true) {
            try (Connection current = connection) {
                return session.play();
            } catch (ConnectionLost lost) {
                if (settings.token() == null) {
                    throw lost;
                }
                session = comeBack(lost);
            }
        }
    }

    private Session connect() {
        Connection opened = Connection.open(settings, log);
        connection = opened;
        try {
            Session session = new Session(opened, bot, settings.hello());
            remember(session.name(), session.token());
            return session;
        } catch (RuntimeException error) {
            opened.close();
            throw error;
        }
    }

    /**
     * A new session in place of one that was lost; it takes over what is still going on.
     *
     * @throws ConnectionLost {@code lost} itself, when the server stays away for too long
     */
    private Session comeBack(ConnectionLost lost) throws InterruptedException {
        for (Duration pause : backoff(settings.reconnect())) {
            Session.LOGGER.warning(
                    lost.getMessage() + "; trying again in " + pause.toMillis() / 1000.0 + " s");
            Thread.sleep(pause.toMillis());
            try {
                return connect();
            } catch (ConnectionLost again) {
                // the next pause is longer
            }
        }
        throw lost;
    }

    /** Keep the name in force, and the token if it was registered just now: tell the author. */
    private void remember(String name, String token) {
        settings = settings.knownAs(name, token);
        if (token != null) {
            Session.LOGGER.warning("registered as " + printable(String.valueOf(name))
                    + "; to use the name again, set POLYNYA_TOKEN=" + printable(token));
        }
    }

    /** Pauses between attempts: doubling from 0.1 s to 5 s, {@code total} together. */
    static List<Duration> backoff(Duration total) {
        List<Duration> pauses = new ArrayList<>();
        Duration left = total;
        Duration pause = FIRST_PAUSE;
        while (left.compareTo(Duration.ZERO) > 0) {
            Duration next = pause.compareTo(left) < 0 ? pause : left;
            pauses.add(next);
            left = left.minus(next);
            Duration doubled = pause.multipliedBy(2);
            pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
        }
        return pauses;
    }
}
