package polynya.client;

/**
 * The time limits of a match in ms, {@code null} where there is no such limit.
 *
 * @param initialMs a player's budget for the whole match
 * @param incrementMs what is added to it after each of his turns
 * @param moveMs the cap of every single turn
 */
public record Clock(Long initialMs, Long incrementMs, Long moveMs) {
    static Clock read(Fields fields) {
        return new Clock(
                fields.optionalNumber("initial_ms"),
                fields.optionalNumber("increment_ms"),
                fields.optionalNumber("move_ms"));
    }
}
