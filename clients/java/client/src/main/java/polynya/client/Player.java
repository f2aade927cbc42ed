package polynya.client;

/**
 * Who sits at a seat.
 *
 * @param seat the seat, from 0
 * @param name the bot's name
 * @param rating its rating, {@code null} for a bot without one
 */
public record Player(int seat, String name, Double rating) {
    static Player read(Fields fields) {
        Object rating = fields.values().get("rating");
        return new Player(
                fields.integer("seat"),
                fields.string("name"),
                rating instanceof Number number ? (Double) number.doubleValue() : null);
    }
}
