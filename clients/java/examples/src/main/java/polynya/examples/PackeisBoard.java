package polynya.examples;

import java.util.ArrayList;
import java.util.List;

/** Packeis am Pol, as much of its rules as a greedy bot needs: where a penguin can slide to. */
final class PackeisBoard {
    static final int CELLS = 60;

    private static final int ROWS = 8;
    private static final int PAIR = 15;
    private static final int SHORT_ROW = 7;
    private static final int[][] DIRECTIONS = {{0, 2}, {0, -2}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
    private static final int[][] LINES = new int[CELLS * DIRECTIONS.length][];

    static {
        for (int line = 0; line < LINES.length; line++) {
            LINES[line] = line(line / DIRECTIONS.length, DIRECTIONS[line % DIRECTIONS.length]);
        }
    }

    private final boolean[] free;

    /** A board on which penguins slide over the cells that are free. */
    PackeisBoard(int[] fish, int[][] penguins) {
        free = new boolean[CELLS];
        for (int cell = 0; cell < CELLS; cell++) {
            free[cell] = fish[cell] > 0;
        }
        for (int[] own : penguins) {
            for (int cell : own) {
                free[cell] = false;
            }
        }
    }

    boolean isFree(int cell) {
        return free[cell];
    }

    /** The cells that a penguin on {@code from} can slide to. */
    List<Integer> slides(int from) {
        List<Integer> targets = new ArrayList<>();
        for (int direction = 0; direction < DIRECTIONS.length; direction++) {
            for (int cell : LINES[from * DIRECTIONS.length + direction]) {
                if (!free[cell]) {
                    break;
                }
                targets.add(cell);
            }
        }
        return targets;
    }

    /** The cells in a direction: rows down, and places to the right in half floes. */
    private static int[] line(int from, int[] direction) {
        List<Integer> cells = new ArrayList<>();
        int row = row(from) + direction[0];
        int place = place(from) + direction[1];
        for (int cell = cell(row, place); cell >= 0; cell = cell(row, place)) {
            cells.add(cell);
            row += direction[0];
            place += direction[1];
        }
        return cells.stream().mapToInt(Integer::intValue).toArray();
    }

    /** Two rows, of 7 and 8 cells, make a pair of 15. */
    private static int row(int cell) {
        return cell / PAIR * 2 + (cell % PAIR < SHORT_ROW ? 0 : 1);
    }

    private static int place(int cell) {
        int inPair = cell % PAIR;
        return inPair < SHORT_ROW ? 2 * inPair + 1 : 2 * (inPair - SHORT_ROW);
    }

    /** The cell at a place, -1 off the board. */
    private static int cell(int row, int place) {
        int last = row % 2 == 0 ? 2 * SHORT_ROW - 1 : 2 * SHORT_ROW;
        if (row < 0 || row >= ROWS || place < 0 || place > last) {
            return -1;
        }
        return row / 2 * PAIR + row % 2 * SHORT_ROW + place / 2;
    }
}
