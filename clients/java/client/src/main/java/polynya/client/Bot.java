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
    /**
     * The whole turn, as a list of steps.
     *
     * @param turn what to decide on, and until when
     * @return the whole turn, as a list of steps
     * @throws Exception anything: it ends the bot
     */
    List<Step> turn(Turn turn) throws Exception;

    /**
     * A match begins (or is taken up again, see {@link Match#resumed}); clocks wait for us.
     *
     * @param match the match
     * @throws Exception anything: it ends the bot
     */
    default void matchStart(Match match) throws Exception {}

    /**
     * Think while the others do: called when this bot has nothing else to do in its match.
     *
     * <p>It runs in the bot's thread. {@code until} tells when to return: something has happened, perhaps
     * it is our turn, and its clock runs. After each event in which that is so it is called again.
     *
     * @param match the match
     * @param until tells when to return
     * @throws Exception anything: it ends the bot
     */
    default void ponder(Match match, Cancellation until) throws Exception {}

    /**
     * Another player has moved; in matches with joint turns or hidden parts, and if {@code "moved"} is
     * wanted, also we ourselves.
     *
     * @param match the match
     * @param moved what was played
     * @throws Exception anything: it ends the bot
     */
    default void moved(Match match, Moved moved) throws Exception {}

    /**
     * A player has forfeited, perhaps we ourselves.
     *
     * @param match the match
     * @param forfeited whose seat, and why
     * @throws Exception anything: it ends the bot
     */
    default void forfeited(Match match, Forfeited forfeited) throws Exception {}

    /**
     * The match has ended.
     *
     * @param match the match
     * @param over the result
     * @throws Exception anything: it ends the bot
     */
    default void matchOver(Match match, MatchOver over) throws Exception {}

    /**
     * A server has welcomed the bot: each time that it comes.
     *
     * <p>It runs before all other hooks of this session. {@link Polynya#runEach} does not call it.
     *
     * @param name the bot's name on this server; {@code null} if the server does not say
     * @throws Exception anything: it ends the bot
     */
    default void connected(String name) throws Exception {}

    /**
     * The session has ended, unless by an exception of the bot's own; the bot comes back unless the
     * contest is over. {@link Polynya#runEach} does not call it.
     *
     * @param reason that of the server's goodbye, such as {@code finished}, or a sentence about the lost connection
     * @throws Exception anything: it ends the bot
     */
    default void disconnected(String reason) throws Exception {}
}
