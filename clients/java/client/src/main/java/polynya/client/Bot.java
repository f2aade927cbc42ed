package polynya.client;

import java.util.List;

/**
 * A bot: a function from a turn to its steps, with hooks for those that follow their matches.
 *
 * <p>An exception in a method ends the bot: it says goodbye, which forfeits its matches, and the
 * exception leaves {@link Polynya#play}.
 */
@FunctionalInterface
public interface Bot {
    /** The whole turn, as a list of steps. */
    List<Step> turn(Turn turn) throws Exception;

    /** A match begins (or is taken up again, see {@link Match#resumed}); clocks wait for us. */
    default void matchStart(Match match) throws Exception {}

    /** Another player has moved (if {@code "moved"} is wanted also we ourselves). */
    default void moved(Match match, Moved moved) throws Exception {}

    /** A player has forfeited, perhaps we ourselves. */
    default void forfeited(Match match, Forfeited forfeited) throws Exception {}

    /** The match has ended. */
    default void matchOver(Match match, MatchOver over) throws Exception {}
}
