package polynya.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import polynya.client.Legal;
import polynya.client.Polynya;
import polynya.client.Settings;
import polynya.client.Step;
import polynya.client.Turn;

/** A bot that knows no rules: it asks the server what is legal and picks any of it. */
public final class RandomBot {
    /** Of all matches, which are played in threads of their own. */
    private static final Random DICE = new Random();

    private RandomBot() {}

    private static List<Step> choose(Turn turn) {
        turn.info().put("choices", turn.legal().size());
        List<Step> steps = new ArrayList<>(List.of(any(turn.legal())));
        Legal legal = turn.legalAfter(steps);
        while (!legal.turnOver()) {
            steps.add(any(legal.steps()));
            legal = turn.legalAfter(steps);
        }
        return steps;
    }

    private static Step any(List<Step> steps) {
        return steps.get(DICE.nextInt(steps.size()));
    }

    /**
     * Play; {@code POLYNYA_SEED} in the environment plays the same again.
     *
     * @param arguments {@code --concurrency 2} for two matches at the same time
     */
    public static void main(String[] arguments) {
        boolean several = arguments.length == 2 && arguments[0].equals("--concurrency");
        int concurrency = several ? Integer.parseInt(arguments[1]) : 1;
        String seed = System.getenv("POLYNYA_SEED");
        if (seed != null) {
            DICE.setSeed(seed.hashCode());
        }
        Settings settings = Settings.named("random").wants("legal");
        Polynya.runEach(() -> RandomBot::choose, settings.concurrency(concurrency));
    }
}
