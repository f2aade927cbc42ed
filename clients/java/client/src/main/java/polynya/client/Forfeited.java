package polynya.client;

/**
 * A seat has forfeited.
 *
 * @param seat whose
 * @param reason the protocol's word
 * @param detail a sentence
 */
public record Forfeited(int seat, String reason, String detail) {
    static Forfeited read(Fields message) {
        return new Forfeited(
                message.integer("seat"), message.string("reason"), message.string("detail"));
    }
}
