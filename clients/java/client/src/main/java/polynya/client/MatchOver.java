package polynya.client;

import java.util.List;
import java.util.Map;

/**
 * The result of a match.
 *
 * @param reason {@code finished}, {@code forfeit}, {@code aborted} or {@code annulled}
 * @param ranking the rank of each seat, 1 the best; {@code null} without a result
 * @param scores the score of each seat; {@code null} without a result
 * @param detail a sentence where more is to be said, else {@code null}
 * @param replay the id under which the server keeps the replay, else {@code null}
 * @param ratings the ratings that changed
 * @param deal what the match's chance followed from, in hexadecimal; {@code null} without hidden chance
 * @param message the message as it came, with keys that have no method here
 */
public record MatchOver(
        String reason,
        List<Long> ranking,
        List<Long> scores,
        String detail,
        String replay,
        List<RatingChange> ratings,
        String deal,
        Fields message) {

    /**
     * One that no message has told of, for tests.
     *
     * @param reason {@code finished}, {@code forfeit}, {@code aborted} or {@code annulled}
     * @param ranking the rank of each seat, or {@code null}
     * @param scores the score of each seat, or {@code null}
     * @param detail a sentence, or {@code null}
     * @param replay the id of the replay, or {@code null}
     * @param ratings the ratings that changed
     */
    public MatchOver(
            String reason,
            List<Long> ranking,
            List<Long> scores,
            String detail,
            String replay,
            List<RatingChange> ratings) {
        this(reason, ranking, scores, detail, replay, ratings, null, new Fields(Map.of()));
    }

    /**
     * A rating that a match changed.
     *
     * @param name the bot's name
     * @param before the rating before
     * @param after the rating after
     */
    public record RatingChange(String name, double before, double after) {
        static RatingChange read(Fields fields) {
            return new RatingChange(
                    fields.string("name"), fields.decimal("before"), fields.decimal("after"));
        }
    }

    static MatchOver read(Fields message) {
        return new MatchOver(
                message.string("reason"),
                message.has("ranking") ? message.numbersOrNull("ranking") : null,
                message.has("scores") ? message.numbersOrNull("scores") : null,
                message.optionalString("detail"),
                message.optionalString("replay"),
                message.has("ratings")
                        ? message.maps("ratings").stream().map(RatingChange::read).toList()
                        : List.of(),
                message.optionalString("deal"),
                message);
    }
}
