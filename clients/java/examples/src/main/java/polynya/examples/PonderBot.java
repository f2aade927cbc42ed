package polynya.examples;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import polynya.client.Bot;
import polynya.client.Cancellation;
import polynya.client.Match;
import polynya.client.Moved;
import polynya.client.Polynya;
import polynya.client.Settings;
import polynya.client.Step;
import polynya.client.Turn;
import polynya.examples.PackeisPosition.Rated;

/**
 * Packeis am Pol: thinks on the opponents' time, and has its answer before they have moved.
 *
 * <p>While the others think, it works out its answer to each move that they may make, the likeliest
 * first. At its turn it looks the answer up, or works it out if it had not come to that.
 */
public final class PonderBot implements Bot {
    /** By the last step before our turn, as text. */
    private final Map<String, Step> answers = new HashMap<>();
    /** The present position, {@code null} while penguins are placed. */
    private PackeisPosition position;
    private String last;

    private PonderBot() {}

    @Override
    public void matchStart(Match match) {
        answers.clear();
        position = null;
        last = null;
    }

    @Override
    public List<Step> turn(Turn turn) {
        PackeisPosition now = new PackeisPosition(turn.state());
        Step prepared = answers.get(last);
        boolean isReady = now.steps(turn.seat()).stream()
                .anyMatch(rated -> rated.step().equals(prepared));
        turn.info().put("prepared", isReady);
        Step step = isReady ? prepared : best(now, turn.seat(), turn.match().players().size());
        answers.clear();
        position = now.isPlacement() ? null : now.after(turn.seat(), step);
        return List.of(step);
    }

    @Override
    public void moved(Match match, Moved moved) {
        Step step = moved.steps().get(moved.steps().size() - 1);
        last = step.toString();
        if (position != null) {
            position = position.after(moved.seat(), step);
        }
    }

    @Override
    public void ponder(Match match, Cancellation until) {
        if (position == null) {
            return;
        }
        int players = match.players().size();
        int before = (match.seat() + players - 1) % players;
        List<Rated> replies = new ArrayList<>(position.steps(before));
        replies.sort(Comparator.comparingInt(Rated::value).reversed());
        for (Rated reply : replies) {
            if (until.isCancelled()) {
                return;
            }
            PackeisPosition then = position.after(before, reply.step());
            if (!then.steps(match.seat()).isEmpty()) {
                answers.put(reply.step().toString(), best(then, match.seat(), players));
            }
        }
    }

    /** The step that brings the most after what it leaves to the next player. */
    private static Step best(PackeisPosition position, int seat, int players) {
        int next = (seat + 1) % players;
        return position.steps(seat).stream()
                .max(Comparator.comparingInt(rated -> rated.value() - position
                        .after(seat, rated.step())
                        .steps(next).stream().mapToInt(Rated::value).max().orElse(0)))
                .orElseThrow()
                .step();
    }

    /**
     * Play.
     *
     * @param arguments not used
     */
    public static void main(String[] arguments) {
        Polynya.run(new PonderBot(), Settings.named("ponder").games("packeis").wants("state"));
    }
}
