package polynya.client;

import static polynya.client.ClientException.printable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Logger;
import polynya.client.ClientException.BadFrame;
import polynya.client.ClientException.BadTurn;
import polynya.client.ClientException.ConnectionLost;
import polynya.client.ClientException.ServerError;
import polynya.client.ClientException.TurnLost;

/** A session: what the bot does with each message of one connection, from hello to goodbye. */
final class Session {
    static final Logger LOGGER = Logger.getLogger("polynya.client");

    private static final int SILENT_HEARTBEATS = 3;

    private final Connection connection;
    private final Bot bot;
    private final Fields welcome;
    private final Map<String, Match> matches = new HashMap<>();
    private final Remarks remarks = new Remarks();
    private final Deque<Arrival> putOff = new ArrayDeque<>();

    /** A message and when it was read from the socket. */
    private record Arrival(Fields message, long at) {}

    /**
     * Introduce the bot.
     *
     * @throws ServerError if the server refuses it
     * @throws ConnectionLost if the connection broke
     */
    Session(Connection connection, Bot bot, Map<String, ?> hello) {
        this.connection = connection;
        this.bot = bot;
        connection.send(hello);
        Fields answer = receiveBeforeWelcome();
        while (!type(answer).equals("welcome")) {
            if (type(answer).equals("error")) {
                error(answer);
            }
            answer = receiveBeforeWelcome();
        }
        welcome = answer;
        connection.agree(
                welcome.integer("max_frame"), SILENT_HEARTBEATS * welcome.integer("heartbeat_ms"));
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
     * Play whatever the server asks for until it says goodbye; its reason.
     *
     * <p>Matches that are going on when the bot itself fails are forfeited by a goodbye.
     *
     * @throws Exception what the bot throws, and all that {@link Polynya#play} speaks of
     */
    String play() throws Exception {
        Duration heartbeat = Duration.ofMillis(welcome.number("heartbeat_ms"));
        try (KeepAlive keepAlive = new KeepAlive(connection, heartbeat)) {
            Arrival next = next();
            while (!type(next.message).equals("goodbye")) {
                handle(next);
                next = next();
            }
            return printable(Objects.requireNonNullElse(next.message.optionalString("reason"), ""));
        } catch (ConnectionLost | ServerError ended) {
            throw ended;
        } catch (Throwable failure) {
            connection.leave("the bot ended by " + failure.getClass().getSimpleName());
            throw failure;
        }
    }

    /** The next message; those put off come first. */
    private Arrival next() {
        if (!putOff.isEmpty()) {
            return putOff.pop();
        }
        Fields message = connection.receive();
        return new Arrival(message, connection.arrived());
    }

    /** Act on a message; types and matches that we do not know are ignored. */
    private void handle(Arrival arrival) throws Exception {
        Fields message = arrival.message;
        switch (type(message)) {
            case "match_start", "match_resume" -> begin(message);
            case "ping" -> pong(message);
            case "error" -> error(message);
            case "notice" -> tell(message);
            case "turn", "moved", "forfeited", "match_over" -> {
                Match match = matches.get(message.string("match"));
                if (match != null) {
                    match.follow(message);
                    event(match, arrival);
                }
            }
            default -> { }
        }
    }

    private void begin(Fields message) throws Exception {
        Match match = new Match(message, connection::send);
        matches.put(match.id(), match);
        bot.matchStart(match);
        if (!match.resumed()) { // a bot that has come back counts as ready
            connection.send(Map.of("type", "ready", "match", match.id()));
        }
    }

    private void event(Match match, Arrival arrival) throws Exception {
        Fields message = arrival.message;
        switch (type(message)) {
            case "turn" -> turn(new Turn(match, message, arrival.at, this::legalAfter));
            case "moved" -> bot.moved(match, Moved.read(message));
            case "forfeited" -> forfeited(match, Forfeited.read(message));
            default -> {
                matches.remove(match.id());
                bot.matchOver(match, MatchOver.read(message));
            }
        }
    }

    private void forfeited(Match match, Forfeited forfeited) throws Exception {
        if (forfeited.seat() == match.seat() && !match.resigned()) {
            LOGGER.warning("match " + printable(match.id()) + " forfeited ("
                    + printable(forfeited.reason()) + "): " + printable(forfeited.detail()));
        }
        bot.forfeited(match, forfeited);
    }

    private void turn(Turn turn) throws Exception {
        List<Step> steps;
        try {
            steps = bot.turn(turn);
        } catch (TurnLost lost) {
            LOGGER.warning("no move for turn " + turn.number() + " of match "
                    + printable(turn.match().id()) + ": " + lost.getMessage());
            return;
        }
        if (!turn.match().resigned()) {
            move(turn, steps);
        }
    }

    private void move(Turn turn, List<Step> steps) {
        if (steps == null || steps.isEmpty()) {
            throw new BadTurn("the bot gave no steps as its turn: give some, "
                    + "List.of(Step.of(\"move\", 12, 40))");
        }
        Map<String, Object> move = about(turn, "move", steps);
        Map<String, Object> info = remarks.of(turn);
        if (info != null) {
            move.put("info", info);
        }
        connection.send(move);
    }

    private static Map<String, Object> about(Turn turn, String type, List<Step> steps) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("type", type);
        message.put("match", turn.match().id());
        message.put("turn", turn.number());
        message.put("steps", steps);
        return message;
    }

    /** Ask which steps may follow; everything else that arrives meanwhile is put off. */
    private Legal legalAfter(Turn turn, List<Step> steps) {
        connection.send(about(turn, "steps", steps));
        while (true) {
            Fields message = connection.receive();
            switch (type(message)) {
                case "ping" -> pong(message);
                case "legal" -> {
                    if (isAbout(turn, message)) {
                        return Legal.read(message);
                    }
                }
                default -> putOff(turn, message);
            }
        }
    }

    private void putOff(Turn turn, Fields message) {
        boolean fatal = !Boolean.FALSE.equals(message.values().get("fatal"));
        if (type(message).equals("error") && !fatal && isAbout(turn, message)) {
            throw new TurnLost(printable(message.string("message")));
        }
        putOff.add(new Arrival(message, connection.arrived()));
        if (ends(turn, message)) {
            throw new TurnLost("it ended by " + printable(type(message)));
        }
    }

    /** Whether a message is about this turn, not about an earlier one or another match. */
    private static boolean isAbout(Turn turn, Fields message) {
        Object number = message.values().get("turn");
        return turn.match().id().equals(message.values().get("match"))
                && (number == null || number.equals((long) turn.number()));
    }

    /** Whether nobody will answer what we asked about {@code turn} any more. */
    private static boolean ends(Turn turn, Fields message) {
        Map<String, Object> values = message.values();
        boolean ours = turn.match().id().equals(values.get("match"));
        return switch (type(message)) {
            case "goodbye" -> true;
            case "error" -> !Boolean.FALSE.equals(values.get("fatal"));
            case "match_over" -> ours;
            case "forfeited" -> ours && Objects.equals(values.get("seat"), (long) turn.seat());
            default -> false;
        };
    }

    private void pong(Fields message) {
        Map<String, Object> pong = new LinkedHashMap<>();
        pong.put("type", "pong");
        pong.put("nonce", message.values().get("nonce"));
        connection.send(pong);
    }

    /**
     * Tell the author of an error that is not fatal.
     *
     * @throws ServerError if it is
     */
    private static void error(Fields message) {
        String code = printable(message.string("code"));
        String sentence = printable(message.string("message"));
        if (!Boolean.FALSE.equals(message.values().get("fatal"))) {
            throw new ServerError(code, sentence);
        }
        LOGGER.warning("the server says " + code + ": " + sentence);
    }

    /** Tell the author what the server wants him to know; nothing in it ends the bot. */
    private static void tell(Fields notice) {
        String code = String.valueOf(notice.values().get("code"));
        String sentence = String.valueOf(notice.values().get("message"));
        LOGGER.warning("the server says " + printable(code) + ": " + printable(sentence));
    }

    private static String type(Fields message) {
        return message.string("type");
    }
}
