package polynya.examples;

import java.util.ArrayList;
import java.util.List;
import polynya.client.Fields;
import polynya.client.Step;

/** Packeis am Pol: a position, the steps in it and what they promise. Immutable. */
final class PackeisPosition {
    private static final int OFTEN = 4;

    private final PackeisBoard board;
    private final int[] fish;
    private final int[][] penguins;
    private final boolean placement;

    /** A step and what it is worth. */
    record Rated(Step step, int value) {}

    /** The position of a {@code state}. */
    PackeisPosition(Fields state) {
        this(new PackeisBoard(state), state.integers("fish"), state.integerLists("penguins"),
                state.string("phase").equals("placement"));
    }

    private PackeisPosition(
            PackeisBoard board, int[] fish, int[][] penguins, boolean placement) {
        this.board = board;
        this.fish = fish;
        this.penguins = penguins;
        this.placement = placement;
    }

    /** Whether penguins are still placed. */
    boolean isPlacement() {
        return placement;
    }

    /** All legal steps of a seat, with the fish that they promise. */
    List<Rated> steps(int seat) {
        return placement ? placements() : moves(penguins[seat]);
    }

    /** Placed next to the most fish. */
    private List<Rated> placements() {
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
    private List<Rated> moves(int[] own) {
        List<Rated> steps = new ArrayList<>();
        for (int from : own) {
            for (int to : board.slides(from)) {
                steps.add(new Rated(Step.of("move", from, to), OFTEN * fish[from] + fish[to]));
            }
        }
        return steps;
    }

    /** The position after a move of this seat; other steps leave it as it is. */
    PackeisPosition after(int seat, Step step) {
        if (!step.verb().equals("move")) {
            return this;
        }
        int from = step.number(1);
        int to = step.number(2);
        int[] left = fish.clone();
        left[from] = 0;
        int[][] moved = penguins.clone();
        moved[seat] = penguins[seat].clone();
        for (int index = 0; index < moved[seat].length; index++) {
            if (moved[seat][index] == from) {
                moved[seat][index] = to;
            }
        }
        return new PackeisPosition(board.without(to), left, moved, placement);
    }
}
