package polynya.client;

import java.util.Map;

/**
 * A seat has forfeited.
 *
 * @param seat whose
 * @param reason the protocol's word
 * @param detail a sentence
 * @param message the message as it came, with keys that have no method here
 */
public record Forfeited(
        int seat, String reason, String detail, Fields message) {

    /**
     * One that no message has told of, for tests.
     *
     * @param seat whose
     * @param reason the protocol's word
     * @param detail a sentence
     */
    public Forfeited(int seat, String reason, String detail) {
        this(seat, reason, detail, new Fields(Map.of()));
    }

    static Forfeited read(Fields message) {
        return new Forfeited(
                message.integer("seat"), message.string("reason"), message.string("detail"),
                message);
    }
}
