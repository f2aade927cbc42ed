package polynya.client;

import java.util.List;

/**
 * The positions of the games as types: {@code PackeisState.read(turn.state())}.
 *
 * <p>Made by games/schema/make_schemas.py.
 */
public final class Positions {
    private Positions() {}

    /**
     * A row of Packeis am Pol.
     *
     * @param length its length
     * @param indent its indent
     */
    public record PackeisRow(
            int length,
            int indent) {

        static PackeisRow read(Fields fields) {
            return new PackeisRow(
                    fields.integer("0"),
                    fields.integer("1"));
        }
    }

    /**
     * A position of Packeis am Pol.
     *
     * @param game its game
     * @param players 2 to 4; the number of seats
     * @param phase {@code movement}, {@code over}, {@code placement}
     * @param toMove a seat or null; null exactly when the match is over
     * @param fish 60 integers, 0 to 3; the fish on each floe; 0 where there is no floe any more
     * @param penguins a list of cells per seat; ascending
     * @param fishCaught an integer per seat
     * @param floesCaught an integer per seat
     * @param out true or false per seat; who makes no more turns; a forfeiter is out too
     * @param forfeited a list of seats; in the order of the forfeits
     * @param rows as in the option; only with that option
     */
    public record PackeisState(
            String game,
            int players,
            String phase,
            Integer toMove,
            int[] fish,
            int[][] penguins,
            int[] fishCaught,
            int[] floesCaught,
            boolean[] out,
            int[] forfeited,
            List<?> rows) {

        /**
         * Read it.
         *
         * @param fields the map that holds it
         * @return the same as a record
         */
        public static PackeisState read(Fields fields) {
            return new PackeisState(
                    fields.string("game"),
                    fields.integer("players"),
                    fields.string("phase"),
                    fields.has("to_move") ? fields.integer("to_move") : null,
                    fields.integers("fish"),
                    fields.integerLists("penguins"),
                    fields.integers("fish_caught"),
                    fields.integers("floes_caught"),
                    fields.flags("out"),
                    fields.integers("forfeited"),
                    fields.has("rows") ? fields.list("rows") : null);
        }
    }

    /**
     * A row of Arktia.
     *
     * @param length its length
     * @param indent its indent
     */
    public record ArktiaRow(
            int length,
            int indent) {

        static ArktiaRow read(Fields fields) {
            return new ArktiaRow(
                    fields.integer("0"),
                    fields.integer("1"));
        }
    }

    /**
     * A muglu of Arktia.
     *
     * @param colour its colour
     * @param kind {@code D}, {@code G}, {@code T}
     */
    public record ArktiaMuglu(
            int colour,
            String kind) {

        static ArktiaMuglu read(Fields fields) {
            return new ArktiaMuglu(
                    fields.integer("0"),
                    fields.string("1"));
        }
    }

    /**
     * A position of Arktia.
     *
     * @param game its game
     * @param players 2 to 4; the number of seats
     * @param phase {@code main}, {@code neutral}, {@code opening}, {@code over}
     * @param round an integer; of the main phase, from 1; 0 before it
     * @param toMove a seat or null; null exactly when the match is over
     * @param rows [[length, indent], …]; the board at the beginning
     * @param ice 1 or 0 per cell; 0: melted
     * @param stacks a list per cell; [[colour, kind], …], bottom to top; [] where nothing stands
     * @param reserve [G, D, T] per seat; what they can still place
     * @param neutralReserve [G, D, T] per seat; the neutral ones they can still place
     * @param taken an integer per seat; muglus taken, tiles melted
     * @param melted an integer per seat; muglus taken, tiles melted
     * @param points an integer per seat; what each would have if the match ended now
     * @param out true or false per seat; who makes no more turns; a forfeiter is out too
     * @param forfeited a list of seats; in the order of the forfeits
     * @param roundLimit an integer
     * @param owes what the seat to move still has to do in this turn
     */
    public record ArktiaState(
            String game,
            int players,
            String phase,
            int round,
            Integer toMove,
            List<?> rows,
            int[] ice,
            List<List<ArktiaMuglu>> stacks,
            int[][] reserve,
            int[][] neutralReserve,
            int[] taken,
            int[] melted,
            int[] points,
            boolean[] out,
            int[] forfeited,
            int roundLimit,
            String owes) {

        /**
         * Read it.
         *
         * @param fields the map that holds it
         * @return the same as a record
         */
        public static ArktiaState read(Fields fields) {
            return new ArktiaState(
                    fields.string("game"),
                    fields.integer("players"),
                    fields.string("phase"),
                    fields.integer("round"),
                    fields.has("to_move") ? fields.integer("to_move") : null,
                    fields.list("rows"),
                    fields.integers("ice"),
                    fields.recordLists("stacks", ArktiaMuglu::read),
                    fields.integerLists("reserve"),
                    fields.integerLists("neutral_reserve"),
                    fields.integers("taken"),
                    fields.integers("melted"),
                    fields.integers("points"),
                    fields.flags("out"),
                    fields.integers("forfeited"),
                    fields.integer("round_limit"),
                    fields.optionalString("owes"));
        }
    }

    /**
     * A face of Ice Cult.
     *
     * @param symbol its symbol
     * @param direction {@code D}, {@code E}, {@code N}, {@code S}, {@code U}, {@code W}
     */
    public record IceCultFace(
            int symbol,
            String direction) {

        static IceCultFace read(Fields fields) {
            return new IceCultFace(
                    fields.integer("0"),
                    fields.optionalString("1"));
        }
    }

    /**
     * A tip of Ice Cult.
     *
     * @param pair {@code E}, {@code N}, {@code S}, {@code W}
     * @param direction {@code E}, {@code N}, {@code S}, {@code W}
     */
    public record IceCultTip(
            String pair,
            String direction) {

        static IceCultTip read(Fields fields) {
            return new IceCultTip(
                    fields.string("0"),
                    fields.string("1"));
        }
    }

    /**
     * The paths of a position of Ice Cult.
     *
     * @param n its N
     * @param e its E
     * @param s its S
     * @param w its W
     */
    public record IceCultPaths(
            int[][] n,
            int[][] e,
            int[][] s,
            int[][] w) {

        /**
         * Read it.
         *
         * @param fields the map that holds it
         * @return the same as a record
         */
        public static IceCultPaths read(Fields fields) {
            return new IceCultPaths(
                    fields.integerLists("N"),
                    fields.integerLists("E"),
                    fields.integerLists("S"),
                    fields.integerLists("W"));
        }
    }

    /**
     * A position of Ice Cult.
     *
     * @param game its game
     * @param players 2 to 4; the number of seats
     * @param phase action 1, action 2, the match is over
     * @param turn an integer from 1; counts all players' turns; when the match is over, the last
     *     one begun
     * @param toMove a seat or null; null exactly when the match is over
     * @param blocks per position six faces; in the order top, bottom, north, east, south, west;
     *     each is [symbol, direction], direction null for circle and arc
     * @param paths N, E, S, W: five stacks each; inside out, each a list of colours from bottom
     *     to top
     * @param start four integers; pawns of each colour in the start area and in the goal
     * @param goal four integers; pawns of each colour in the start area and in the goal
     * @param tips a list of [pair, direction]; the tips of this turn so far; both of them in
     *     phase act
     * @param uses four integers; how often the arrow at each position has been used in this turn
     * @param arcsLeft an integer; arcs not used yet in this turn
     * @param winners a list of seats, ascending; empty unless the match ended by tower or goal
     * @param forfeited a list of seats; in the order of the forfeits
     * @param turnLimit an integer
     */
    public record IceCultState(
            String game,
            int players,
            String phase,
            int turn,
            Integer toMove,
            List<List<IceCultFace>> blocks,
            IceCultPaths paths,
            int[] start,
            int[] goal,
            List<IceCultTip> tips,
            int[] uses,
            int arcsLeft,
            int[] winners,
            int[] forfeited,
            int turnLimit) {

        /**
         * Read it.
         *
         * @param fields the map that holds it
         * @return the same as a record
         */
        public static IceCultState read(Fields fields) {
            return new IceCultState(
                    fields.string("game"),
                    fields.integer("players"),
                    fields.string("phase"),
                    fields.integer("turn"),
                    fields.has("to_move") ? fields.integer("to_move") : null,
                    fields.recordLists("blocks", IceCultFace::read),
                    IceCultPaths.read(fields.map("paths")),
                    fields.integers("start"),
                    fields.integers("goal"),
                    fields.records("tips", IceCultTip::read),
                    fields.integers("uses"),
                    fields.integer("arcs_left"),
                    fields.integers("winners"),
                    fields.integers("forfeited"),
                    fields.integer("turn_limit"));
        }
    }
}
