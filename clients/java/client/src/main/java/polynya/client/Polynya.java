package polynya.client;

import static polynya.client.ClientException.printable;

import java.io.IOException;
import java.util.function.Supplier;
import polynya.client.ClientException.ConnectionLost;
import polynya.client.ClientException.GaveUp;
import polynya.client.ClientException.Replaced;
import polynya.client.ClientException.ServerError;
import polynya.client.ClientException.ServerLeft;

/** Run a bot: connect, play, and come back after a lost connection. */
public final class Polynya {
    private static final int GAVE_UP = 75;
    private static final int REPLACED = 76;

    private final FrameLog log;
    private Settings settings;
    private volatile Connection connection;

    private Polynya(Settings settings, FrameLog log) {
        this.settings = settings;
        this.log = log;
    }

    /**
     * Play on a server until the contest is over, and come back to it until then: what a program's {@code main} calls.
     *
     * <p>What goes wrong with the server is one line on standard error, and the program ends with
     * the exit code 1; so it does, with a stack trace, when the bot throws an exception. The exit code
     * is 75 if the bot gave up trying to reach the server, 76 if another process plays as it now.
     * Ctrl-C and SIGTERM say goodbye, which forfeits the matches at once, and give 0.
     *
     * @param bot plays all matches, a turn after the other, in the calling thread
     * @param settings where to connect and as whom, unless the environment says it
     */
    public static void run(Bot bot, Settings settings) {
        runSessions(session -> session.play(bot), settings);
    }

    /**
     * As {@link #run}, with a bot of its own for each match, in a thread of its own: for {@link
     * Settings#concurrency}, and for searches that cannot be cancelled.
     *
     * @param bots is asked for a bot when a match begins, in the match's thread
     * @param settings where to connect and as whom, unless the environment says it
     */
    public static void runEach(Supplier<? extends Bot> bots, Settings settings) {
        runSessions(session -> session.playEach(bots), settings);
    }

    private static void runSessions(Playing playing, Settings settings) {
        try {
            playSessions(playing, settings);
        } catch (ClientException error) {
            System.err.println(error.getMessage());
            System.exit(exitCode(error));
        } catch (Exception error) {
            error.printStackTrace();
            System.exit(1);
        }
    }

    /** What is done with a session: the reason of the server's goodbye. */
    @FunctionalInterface
    private interface Playing {
        String play(Session session) throws Exception;
    }

    private static int exitCode(ClientException error) {
        if (error instanceof GaveUp) {
            return GAVE_UP;
        }
        return error instanceof Replaced ? REPLACED : 1;
    }

    /**
     * Play on a server until the contest is over, for programs that handle errors themselves.
     *
     * <p>The bot runs in the calling thread; another one receives, answers pings and cancels searches
     * that are not wanted any more.
     *
     * @param bot plays all matches, a turn after the other, in the calling thread
     * @param settings where to connect and as whom, unless the environment says it
     * @throws ClientException.BadSettings if settings and environment do not say where to connect
     * @throws GaveUp if the server was not there, or had no room, for all the time
     * @throws Replaced if another process plays as this bot now
     * @throws ServerError if it refused this bot; the message says what to do
     * @throws Exception what the bot throws; it has said goodbye then
     */
    public static void play(Bot bot, Settings settings) throws Exception {
        playSessions(session -> session.play(bot), settings);
    }

    /**
     * As {@link #play}, with a bot of its own for each match, as from {@link #runEach}.
     *
     * @param bots is asked for a bot when a match begins, in the match's thread
     * @param settings where to connect and as whom, unless the environment says it
     * @throws Exception as from {@link #play}
     */
    public static void playEach(Supplier<? extends Bot> bots, Settings settings) throws Exception {
        playSessions(session -> session.playEach(bots), settings);
    }

    private static void playSessions(Playing playing, Settings settings) throws Exception {
        Settings inForce = settings.in(System.getenv());
        FrameLog log = inForce.log() == null ? null : FrameLog.open(inForce.log(), inForce.name());
        Polynya client = new Polynya(inForce, log);
        Thread interrupted = new Thread(client::interrupt, "polynya-goodbye");
        Runtime.getRuntime().addShutdownHook(interrupted);
        try (log) {
            client.play(playing);
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

    /** Ctrl-C and SIGTERM say goodbye; that is an end in order, so the exit code is 0. */
    private void interrupt() {
        if (connection != null) {
            connection.leave("the bot was interrupted");
        }
        boolean bySignal = Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .anyMatch(name -> name.equals("SIGINT handler") || name.equals("SIGTERM handler"));
        if (bySignal) {
            Runtime.getRuntime().halt(0);
        }
    }

    private void play(Playing playing) throws Exception {
        Retries retries = new Retries(settings.reconnect());
        Servers servers = new Servers(settings.servers());
        while (true) {
            try {
                takeGoodbye(playOnce(playing, retries, servers));
                return;
            } catch (ServerError | ConnectionLost trouble) {
                if (isMended(trouble)) {
                    continue;
                }
                servers.after(trouble);
                long pause = retries.after(trouble);
                Session.warn(
                        trouble.getMessage() + "; trying again in " + pause / 1000.0 + " s");
                Thread.sleep(pause);
            }
        }
    }

    /** One connection, from hello to goodbye; its reason. */
    private String playOnce(Playing playing, Retries retries, Servers servers)
            throws Exception {
        try (Connection opened =
                servers.connect((server, patienceMs) -> Connection.open(server, patienceMs, settings, log))) {
            connection = opened;
            Session session = new Session(opened, settings.hello());
            retries.welcome();
            servers.welcome();
            remember(session.name(), session.token());
            return playing.play(session);
        }
    }

    /**
     * Return if the contest is over; the author is told.
     *
     * @throws Replaced if another process plays as this bot now
     * @throws ServerLeft for any other reason; the bot comes back
     */
    private static void takeGoodbye(String reason) {
        if (reason.equals("replaced")) {
            throw new Replaced("the server says goodbye (replaced): this bot has connected a second "
                    + "time, and the other one plays on; this one stays away");
        }
        if (!reason.equals("finished")) {
            throw new ServerLeft("the server says goodbye (" + reason + ")");
        }
        Session.warn("the server says goodbye (finished): this contest is over");
    }

    /** Whether it may help to introduce ourselves anew: the kept token is of another server. */
    private boolean isMended(ClientException trouble) {
        boolean unauthorized =
                trouble instanceof ServerError refused && refused.code().equals("unauthorized");
        if (!unauthorized || !settings.tokenIsKept()) {
            return false;
        }
        Session.warn("the token in " + settings.tokenFile() + " is not good here");
        settings = settings.withoutToken();
        return true;
    }

    /** Say at a terminal that the bot is connected: nothing else is seen until a match. */
    private static void tellConnected(String name) {
        if (System.console() != null) {
            System.err.println("connected as " + printable(name) + "; waiting for a match");
        }
    }

    /** Keep the name in force, and a token that was registered just now: tell the author where. */
    private void remember(String name, String token) {
        settings = settings.knownAs(name, token);
        tellConnected(String.valueOf(name));
        if (token == null) {
            return;
        }
        String registered = "registered as " + printable(String.valueOf(name));
        try {
            Tokens.keep(settings.tokenFile(), token);
            Session.warn(registered + "; the token is kept in " + settings.tokenFile());
        } catch (IOException error) {
            Session.warn(registered + "; " + settings.tokenFile() + " cannot be written, so "
                    + "keep the token yourself: POLYNYA_TOKEN=" + printable(token));
        }
    }
}
