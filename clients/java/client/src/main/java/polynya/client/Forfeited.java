package polynya.client;

import java.util.List;
import java.util.Map;

/**
 * A seat has forfeited.
 *
 * @param seat whose
 * @param reason the protocol's word
 * @param detail a sentence
 * @param turn the number of the turn, in matches with joint turns or hidden parts; {@code null} elsewhere
 * @param acting as in {@link Moved}
 * @param seen as in {@link Moved}
 * @param message the message as it came, with keys that have no method here
 */
public record Forfeited(
        int seat,
        String reason,
        String detail,
        Integer turn,
        List<Integer> acting,
        List<Fields> seen,
        Fields message) {

    /**
     * One that no message has told of, for tests.
     *
     * @param seat whose
     * @param reason the protocol's word
     * @param detail a sentence
     */
    public Forfeited(int seat, String reason, String detail) {
        this(seat, reason, detail, null, null, List.of(), new Fields(Map.of()));
    }

    static Forfeited read(Fields message) {
        return new Forfeited(
                message.integer("seat"),
                message.string("reason"),
                message.string("detail"),
                message.optionalInteger("turn"),
                message.seatsOrNull("acting"),
                message.mapsOrNone("seen"),
                message);
    }
}
