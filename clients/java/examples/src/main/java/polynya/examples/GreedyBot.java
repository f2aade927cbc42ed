package polynya.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import polynya.client.Fields;
import polynya.client.Polynya;
import polynya.client.Settings;
import polynya.client.Step;
import polynya.client.Turn;

/** Packeis am Pol: takes the most it can get in this turn, without a thought for the next. */
public final class GreedyBot {
    private static final Random DICE = new Random();
    private static final int OFTEN = 4;

    private GreedyBot() {}

    /** A step and what it is worth. */
    record Rated(Step step, int value) {}

    private static List<Step> choose(Turn turn) {
        List<Rated> steps = rated(turn.state(), turn.seat());
        int best = steps.stream().mapToInt(Rated::value).max().orElseThrow();
        List<Rated> equal = steps.stream().filter(rated -> rated.value == best).toList();
        return List.of(equal.get(DICE.nextInt(equal.size())).step);
    }

    /** All legal steps of a seat, with the fish that they promise. */
    static List<Rated> rated(Fields state, int seat) {
        int[] fish = state.integers("fish");
        PackeisBoard board = new PackeisBoard(state);
        return state.string("phase").equals("placement")
                ? placements(board, fish)
                : moves(board, fish, state.integerLists("penguins")[seat]);
    }

    /** Placed next to the most fish. */
    private static List<Rated> placements(PackeisBoard board, int[] fish) {
        List<Rated> steps = new ArrayList<>();
        for (int cell = 0; cell < PackeisBoard.CELLS; cell++) {
            if (fish[cell] == 1 && board.isFree(cell)) {
                int most = board.slides(cell).stream().mapToInt(near -> fish[near]).max().orElse(0);
                steps.add(new Rated(Step.of("place", cell), most));
            }
        }
        return steps;
    }

    /** Leave the floe with the most fish, for the floe with the most fish. */
    private static List<Rated> moves(PackeisBoard board, int[] fish, int[] penguins) {
        List<Rated> steps = new ArrayList<>();
        for (int from : penguins) {
            for (int to : board.slides(from)) {
                steps.add(new Rated(Step.of("move", from, to), OFTEN * fish[from] + fish[to]));
            }
        }
        return steps;
    }

    /** Play; {@code POLYNYA_SEED} in the environment plays the same again. */
    public static void main(String[] arguments) {
        String seed = System.getenv("POLYNYA_SEED");
        if (seed != null) {
            DICE.setSeed(seed.hashCode());
        }
        Polynya.run(
                GreedyBot::choose, Settings.named("greedy").games("packeis").wants("state"));
    }
}
