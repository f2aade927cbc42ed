package polynya.examples;

import java.util.List;
import java.util.Random;
import polynya.client.Polynya;
import polynya.client.Settings;
import polynya.client.Step;
import polynya.client.Turn;
import polynya.examples.PackeisPosition.Rated;

/** Packeis am Pol: takes the most it can get in this turn, without a thought for the next. */
public final class GreedyBot {
    private static final Random DICE = new Random();

    private GreedyBot() {}

    private static List<Step> choose(Turn turn) {
        List<Rated> steps = new PackeisPosition(turn.state()).steps(turn.seat());
        int best = steps.stream().mapToInt(Rated::value).max().orElseThrow();
        List<Rated> equal = steps.stream().filter(rated -> rated.value() == best).toList();
        return List.of(equal.get(DICE.nextInt(equal.size())).step());
    }

    /**
     * Play; {@code POLYNYA_SEED} in the environment plays the same again.
     *
     * @param arguments not used
     */
    public static void main(String[] arguments) {
        String seed = System.getenv("POLYNYA_SEED");
        if (seed != null) {
            DICE.setSeed(seed.hashCode());
        }
        Polynya.run(
                GreedyBot::choose, Settings.named("greedy").games("packeis").wants("state"));
    }
}
