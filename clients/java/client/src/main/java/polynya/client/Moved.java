package polynya.client;

import java.util.List;
import java.util.Map;

/**
 * A turn that was played.
 *
 * @param turn its number in the match, from 1
 * @param seat who played it
 * @param steps the whole turn; empty if it is concealed from us
 * @param concealed whether the steps are kept from us, in a match with hidden parts
 * @param elapsedMs the time it was charged
 * @param remainingMs each seat's budget after it, {@code null} without one
 * @param acting the seats that are asked next, in matches with joint turns or hidden parts: none at the
 *     end; {@code null} elsewhere, and before the last event of a turn
 * @param seen what we learnt by the turn beyond the steps that we were told
 * @param message the message as it came, with keys that have no method here
 */
public record Moved(
        int turn,
        int seat,
        List<Step> steps,
        boolean concealed,
        long elapsedMs,
        List<Long> remainingMs,
        List<Integer> acting,
        List<Fields> seen,
        Fields message) {

    /**
     * One that no message has told of, for tests.
     *
     * @param turn its number in the match, from 1
     * @param seat who played it
     * @param steps the whole turn; empty if it is concealed from us
     * @param elapsedMs the time it was charged
     * @param remainingMs each seat's budget after it, {@code null} without one
     */
    public Moved(int turn, int seat, List<Step> steps, long elapsedMs, List<Long> remainingMs) {
        this(turn, seat, steps, false, elapsedMs, remainingMs, null, List.of(), new Fields(Map.of()));
    }

    static Moved read(Fields message) {
        return new Moved(
                message.integer("turn"),
                message.integer("seat"),
                message.has("steps") ? message.steps("steps") : List.of(),
                !message.has("steps"),
                message.number("elapsed_ms"),
                message.numbersOrNull("remaining_ms"),
                message.seatsOrNull("acting"),
                message.mapsOrNone("seen"),
                message);
    }
}
