package polynya.examples;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import polynya.client.Fields;

/** Packeis am Pol, as much of its rules as a greedy bot needs: where a penguin can slide to. */
final class PackeisBoard {
    static final int CELLS = 60;

    private static final List<?> USUAL_ROWS = usualRows();
    private static final int[][] DIRECTIONS = {{0, 2}, {0, -2}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};

    /** A floe's row, and its place in it in half floes. */
    private record Place(int row, int half) {
        Place next(int[] direction) {
            return new Place(row + direction[0], half + direction[1]);
        }
    }

    private final List<Place> places;
    private final Map<Place, Integer> cells;
    private final boolean[] free;

    /** The board of a state, on which penguins slide over the cells that are free. */
    PackeisBoard(Fields state) {
        places = new ArrayList<>();
        cells = new HashMap<>();
        List<?> rows = state.has("rows") ? state.list("rows") : USUAL_ROWS;
        for (int row = 0; row < rows.size(); row++) {
            addRow(row, (List<?>) rows.get(row));
        }
        int[] fish = state.integers("fish");
        free = new boolean[CELLS];
        for (int cell = 0; cell < CELLS; cell++) {
            free[cell] = fish[cell] > 0;
        }
        for (int[] own : state.integerLists("penguins")) {
            for (int cell : own) {
                free[cell] = false;
            }
        }
    }

    private PackeisBoard(PackeisBoard before, int taken) {
        places = before.places;
        cells = before.cells;
        free = before.free.clone();
        free[taken] = false;
    }

    /** The board when this cell, too, is not free. */
    PackeisBoard without(int cell) {
        return new PackeisBoard(this, cell);
    }

    /** Rows of 7 and 8 floes in turn, those of 7 indented by a half floe. */
    private static List<?> usualRows() {
        List<?> both = List.of(List.of(7, 1), List.of(8, 0));
        return Stream.generate(() -> both).limit(4).flatMap(List::stream).toList();
    }

    /** A row is a segment, its length and its indent, or several with gaps between them. */
    private void addRow(int row, List<?> given) {
        if (given.get(0) instanceof Number) {
            int length = ((Number) given.get(0)).intValue();
            int indent = ((Number) given.get(1)).intValue();
            for (int floe = 0; floe < length; floe++) {
                Place place = new Place(row, indent + 2 * floe);
                cells.put(place, places.size());
                places.add(place);
            }
        } else {
            given.forEach(segment -> addRow(row, (List<?>) segment));
        }
    }

    boolean isFree(int cell) {
        return free[cell];
    }

    /** The cells that a penguin on {@code from} can slide to. */
    List<Integer> slides(int from) {
        List<Integer> targets = new ArrayList<>();
        for (int[] direction : DIRECTIONS) {
            Integer cell = cells.get(places.get(from).next(direction));
            while (cell != null && free[cell]) {
                targets.add(cell);
                cell = cells.get(places.get(cell).next(direction));
            }
        }
        return targets;
    }
}
