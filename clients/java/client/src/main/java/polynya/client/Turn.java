package polynya.client;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import polynya.client.ClientException.NotWanted;

/** What a bot has to decide on, and until when. Moments are those of {@link System#nanoTime}. */
public final class Turn {
    private static final int TURNS_LEFT = 20;
    private static final Duration MARGIN = Duration.ofMillis(60);
    private static final double NANOSECONDS = 1_000_000;

    private final Match match;
    private final int number;
    private final long remainingMs;
    private final long deadline;
    private final Fields message;
    private final Cancellation cancellation;
    private final Map<String, Object> info = new LinkedHashMap<>();
    private final BiFunction<Turn, List<Step>, Legal> ask;

    Turn(Match match, Fields message, long arrived, BiFunction<Turn, List<Step>, Legal> ask) {
        this.match = match;
        this.number = message.integer("turn");
        this.remainingMs = message.number("remaining_ms");
        this.deadline = arrived + Duration.ofMillis(remainingMs).toNanos();
        this.message = message;
        this.cancellation = new Cancellation(deadline);
        this.ask = ask;
    }

    /** {@return the match it belongs to} */
    public Match match() {
        return match;
    }

    /** {@return the game's name} */
    public String game() {
        return match.game();
    }

    /** {@return our seat} */
    public int seat() {
        return match.seat();
    }

    /** {@return the turn's number in the match, from 1} */
    public int number() {
        return number;
    }

    /**
     * The position, as in the game's rules; if {@link Match#isView}, what we may know of it.
     *
     * @return the position, or what we may know of it
     * @throws NotWanted if the bot runs without {@code wants("state")}
     */
    public Fields state() {
        if (!message.has("state")) {
            throw new NotWanted("this turn has no state: ask for it with wants(\"state\")");
        }
        return message.map("state");
    }

    /**
     * The legal first steps of the turn.
     *
     * @return the legal first steps of the turn
     * @throws NotWanted if the bot runs without {@code wants("legal")}
     */
    public List<Step> legal() {
        if (!message.has("legal")) {
            throw new NotWanted("this turn has no legal steps: ask for them with wants(\"legal\")");
        }
        return message.steps("legal");
    }

    /**
     * The steps that may follow these, asked of the server while our clock runs.
     *
     * @param steps the first steps of the turn; may be empty
     * @return the steps that may follow these, asked of the server while our clock runs
     * @throws ClientException.TurnLost if a step is illegal, or the turn is not asked for any more
     */
    public Legal legalAfter(List<Step> steps) {
        return ask.apply(this, steps);
    }

    /**
     * Tells a search when to stop: the time is over, the match has ended, or the connection is lost.
     *
     * @return what to ask in the search
     */
    public Cancellation cancellation() {
        return cancellation;
    }

    /** {@return whether a search is to stop now, as {@link #cancellation} says} */
    public boolean isCancelled() {
        return cancellation.isCancelled();
    }

    /** {@return the {@code turn} as it came, with keys that have no method here} */
    public Fields message() {
        return message;
    }

    /**
     * Remarks to send with the move ({@code score}, {@code depth}, {@code text}, …), at most 1 KiB.
     *
     * @return a map to put them into
     */
    public Map<String, Object> info() {
        return info;
    }

    /** Give the match up. */
    public void resign() {
        match.resign();
    }

    /** {@return the time it had when it arrived, in ms} */
    public long remainingMs() {
        return remainingMs;
    }

    /** {@return when that time is over} */
    public long deadline() {
        return deadline;
    }

    /** {@return the time that is left now; zero when it is over} */
    public Duration timeLeft() {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    /** {@return the same as {@link #timeLeft}} */
    public Duration remaining() {
        return timeLeft();
    }

    /**
     * When to stop thinking, if the match may have 20 more turns of ours, with a margin of 60 ms.
     *
     * @return when to stop thinking, if the match may have 20 more turns of ours, with a margin of 60 ms
     */
    public long thinkUntil() {
        return thinkUntil(TURNS_LEFT, MARGIN);
    }

    /**
     * When to stop thinking, with a margin of 60 ms.
     *
     * @param turnsLeft how many more turns of ours the match may have
     * @return when to stop thinking, with a margin of 60 ms
     */
    public long thinkUntil(int turnsLeft) {
        return thinkUntil(turnsLeft, MARGIN);
    }

    /**
     * When to stop thinking: after four fifths of the turn's time, which with a budget for the match
     * is a part of that budget and the increment; the margin before the end at the latest, as long as
     * three tenths of the time remain to think.
     *
     * @param turnsLeft how many more turns of ours the match may have
     * @param margin what is kept for the network and for other programs on the same processor
     * @return when to stop thinking
     */
    public long thinkUntil(int turnsLeft, Duration margin) {
        Clock clock = match.clock();
        double allotted = remainingMs;
        if (clock.initialMs() != null) {
            long increment = clock.incrementMs() == null ? 0 : clock.incrementMs();
            allotted = Math.min(allotted, allotted / Math.max(turnsLeft, 1) + increment);
        }
        double thinking =
                Math.max(0.3 * allotted, Math.min(0.8 * allotted, remainingMs - margin.toMillis()));
        return deadline - (long) ((remainingMs - thinking) * NANOSECONDS);
    }
}
