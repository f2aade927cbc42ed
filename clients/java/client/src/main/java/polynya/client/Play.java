package polynya.client;

import static polynya.client.ClientException.printable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import polynya.client.ClientException.BadTurn;
import polynya.client.ClientException.ConnectionLost;
import polynya.client.ClientException.TurnLost;

/**
 * A match as it is played on a connection: the receiving thread gives it the events, the bot's thread
 * does what they ask for.
 */
final class Play {
    private final Connection connection;
    private final Match match;
    private final Tasks tasks;
    private final Remarks remarks;
    private long nextSeq;
    private volatile boolean over;

    /** Held while a question is sent, so that the answers come in the order of the questions. */
    private final Object sending = new Object();
    private final Object lock = new Object();
    /** The turn that the server waits for, {@code null} for none. Guarded, as the next, by the lock. */
    private Turn asked;
    private final Deque<CompletableFuture<Legal>> questions = new ArrayDeque<>();

    Play(Connection connection, Fields start, Tasks tasks, Remarks remarks) {
        this.connection = connection;
        this.match = new Match(start, connection::send);
        this.nextSeq = start.number("seq") + 1;
        this.tasks = tasks;
        this.remarks = remarks;
    }

    Match match() {
        return match;
    }

    Tasks tasks() {
        return tasks;
    }

    /** Whether there is something to think about while the others move. */
    boolean goesOn() {
        return !over && !match.isLost();
    }

    /** The match begins, or is taken up again. */
    void begin() throws InterruptedException {
        tasks.put(this, bot -> {
            bot.matchStart(match);
            if (!match.resumed()) { // a bot that has come back counts as ready
                connection.send(Map.of("type", "ready", "match", match.id()));
            }
        });
    }

    /** Take {@code turn}, {@code moved}, {@code forfeited} or {@code match_over}. */
    void event(Fields message, long arrived) throws InterruptedException {
        follow(message);
        switch (message.string("type")) {
            case "turn" -> turn(new Turn(match, message, arrived, this::legalAfter));
            case "moved" -> {
                Moved moved = Moved.read(message);
                tasks.put(this, bot -> {
                    match.follow(moved.acting());
                    bot.moved(match, moved);
                });
            }
            case "forfeited" -> forfeited(Forfeited.read(message));
            default -> {
                MatchOver result = MatchOver.read(message);
                abandon("the match is over");
                tasks.put(this, bot -> {
                    over = true;
                    bot.matchOver(match, result);
                });
            }
        }
    }

    /**
     * Count an event of this match.
     *
     * @throws ConnectionLost if one is missing: only connecting again can bring the match back
     */
    private void follow(Fields message) {
        long seq = message.number("seq");
        if (seq != nextSeq) {
            throw new ConnectionLost("match " + printable(match.id()) + ": event " + nextSeq
                    + " is missing, " + seq + " came instead");
        }
        nextSeq++;
    }

    private void turn(Turn turn) throws InterruptedException {
        abandon("another turn is being asked for");
        synchronized (lock) {
            asked = turn;
        }
        tasks.put(this, bot -> decide(bot, turn));
    }

    private void forfeited(Forfeited forfeited) throws InterruptedException {
        boolean ours = forfeited.seat() == match.seat();
        if (ours) {
            abandon("the match is forfeited");
        }
        tasks.put(this, bot -> {
            if (ours && !match.lose()) {
                Session.warn("match " + printable(match.id()) + " forfeited ("
                        + printable(forfeited.reason()) + "): " + printable(forfeited.detail()));
            }
            match.follow(forfeited.acting());
            bot.forfeited(match, forfeited);
        });
    }

    /** The server no longer waits for the turn that it has asked for, if it has. */
    void abandon(String why) {
        synchronized (lock) {
            if (asked != null) {
                asked.cancellation().cancel();
                asked = null;
            }
            questions.forEach(question -> question.completeExceptionally(new TurnLost(why)));
            questions.clear();
        }
    }

    private boolean isAsked(Turn turn) {
        synchronized (lock) {
            return asked == turn;
        }
    }

    /** Let the bot choose, and send its move unless the server no longer waits for it. */
    private void decide(Bot bot, Turn turn) throws Exception {
        if (!isAsked(turn)) {
            return; // it was lost before the bot came to it
        }
        String lost = "it is not asked for any more";
        try {
            List<Step> steps = bot.turn(turn);
            if (match.isLost()) {
                return;
            }
            if (isAsked(turn)) {
                move(turn, steps);
                return;
            }
        } catch (TurnLost refused) {
            lost = refused.getMessage();
        }
        Session.warn("no move for turn " + turn.number() + " of match " + printable(match.id()) + ": "
                + lost);
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

    /** Ask which steps may follow; any thread of the bot's may. */
    private Legal legalAfter(Turn turn, List<Step> steps) {
        CompletableFuture<Legal> answer = new CompletableFuture<>();
        synchronized (sending) {
            synchronized (lock) {
                if (asked != turn) {
                    throw new TurnLost("it is not asked for any more");
                }
                questions.add(answer);
            }
            connection.send(about(turn, "steps", steps));
        }
        try {
            return answer.get(connection.patienceMs(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            throw (ClientException) failed.getCause();
        } catch (TimeoutException silent) {
            throw new TurnLost("the server does not answer");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new TurnLost("the thread was interrupted");
        }
    }

    /**
     * Take an answer, {@code legal} or {@code error}; whether it was one. Answers come in the order of
     * the questions; one that names an earlier turn is none.
     */
    boolean answer(Fields message) {
        synchronized (lock) {
            if (asked == null || questions.isEmpty() || !isAbout(asked, message)) {
                return false;
            }
            CompletableFuture<Legal> question = questions.remove();
            if (message.string("type").equals("legal")) {
                question.complete(Legal.read(message));
            } else {
                question.completeExceptionally(new TurnLost(printable(message.string("message"))));
            }
            return true;
        }
    }

    private static boolean isAbout(Turn turn, Fields message) {
        Object number = message.values().get("turn");
        return number == null || Objects.equals(number, (long) turn.number());
    }
}
