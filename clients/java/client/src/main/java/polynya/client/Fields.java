package polynya.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import polynya.client.ClientException.BadMessage;

/**
 * A map of the protocol: a message, a position, the options of a game.
 *
 * <p>The values are {@code Long} (or {@code BigInteger} from 2<sup>63</sup>), {@code Double}, {@code
 * String}, {@code Boolean}, {@code null}, and lists and maps of them. The methods look up what must
 * be there, and throw {@link BadMessage} if it is not, or is of another type.
 *
 * @param values what it holds by key; immutable
 */
public record Fields(Map<String, Object> values) {

    /**
     * Whether a key is there and not nil.
     *
     * @param key names the value
     * @return whether a key is there and not nil
     */
    public boolean has(String key) {
        return values.get(key) != null;
    }

    /**
     * A string.
     *
     * @param key names the value
     * @return a string
     */
    public String string(String key) {
        return field(key, String.class);
    }

    /**
     * A string, {@code null} if it is absent or nil.
     *
     * @param key names the value
     * @return a string, {@code null} if it is absent or nil
     */
    public String optionalString(String key) {
        return has(key) ? string(key) : null;
    }

    /**
     * An integer.
     *
     * @param key names the value
     * @return an integer
     */
    public long number(String key) {
        return field(key, Long.class);
    }

    /**
     * An integer, {@code null} if it is absent or nil.
     *
     * @param key names the value
     * @return an integer, {@code null} if it is absent or nil
     */
    public Long optionalNumber(String key) {
        return has(key) ? number(key) : null;
    }

    /**
     * An integer that is no larger than an {@code int}, such as a seat.
     *
     * @param key names the value
     * @return an integer that is no larger than an {@code int}, such as a seat
     */
    public int integer(String key) {
        return integer(values.get(key), key);
    }

    /** A number that may have a fraction, such as a rating. */
    double decimal(String key) {
        return field(key, Number.class).doubleValue();
    }

    /** As {@link #integer(String)}, {@code null} if it is absent or nil. */
    Integer optionalInteger(String key) {
        return has(key) ? integer(key) : null;
    }

    /**
     * True or false.
     *
     * @param key names the value
     * @return true or false
     */
    public boolean flag(String key) {
        return field(key, Boolean.class);
    }

    /**
     * A map.
     *
     * @param key names the value
     * @return a map
     */
    public Fields map(String key) {
        return of(values.get(key), key);
    }

    /**
     * A list of anything.
     *
     * @param key names the value
     * @return a list of anything
     */
    public List<?> list(String key) {
        return field(key, List.class);
    }

    /**
     * A list of maps.
     *
     * @param key names the value
     * @return a list of maps
     */
    public List<Fields> maps(String key) {
        return list(key).stream().map(value -> of(value, key)).toList();
    }

    /**
     * A list of integers, such as the fish on each cell.
     *
     * @param key names the value
     * @return a list of integers, such as the fish on each cell
     */
    public int[] integers(String key) {
        return integers(list(key), key);
    }

    /**
     * A list of lists of integers, such as the penguins of each seat.
     *
     * @param key names the value
     * @return a list of lists of integers, such as the penguins of each seat
     */
    public int[][] integerLists(String key) {
        Stream<?> lists = list(key).stream();
        return lists.map(value -> integers(value, key)).toArray(int[][]::new);
    }

    /**
     * A list of true and false, such as who is out.
     *
     * @param key names the value
     * @return as many, by index
     */
    public boolean[] flags(String key) {
        List<?> list = list(key);
        boolean[] flags = new boolean[list.size()];
        for (int index = 0; index < flags.length; index++) {
            flags[index] = cast(list.get(index), Boolean.class, key);
        }
        return flags;
    }

    /** Whether a key is there and true. */
    boolean isSet(String key) {
        return has(key) && flag(key);
    }

    /** A list of seats, {@code null} if it is absent or nil. */
    List<Integer> seatsOrNull(String key) {
        return has(key) ? list(key).stream().map(seat -> integer(seat, key)).toList() : null;
    }

    /** A list of maps, empty if it is absent or nil. */
    List<Fields> mapsOrNone(String key) {
        return has(key) ? maps(key) : List.of();
    }

    /** A list of records, each of which is a list: its values have the keys 0, 1 and so on. */
    <T> List<T> records(String key, Function<Fields, T> read) {
        return records(list(key), key, read);
    }

    /** A list of lists of records. */
    <T> List<List<T>> recordLists(String key, Function<Fields, T> read) {
        return list(key).stream().map(value -> records(value, key, read)).toList();
    }

    private <T> List<T> records(Object value, String key, Function<Fields, T> read) {
        Stream<?> lists = cast(value, List.class, key).stream();
        return lists.map(parts -> read.apply(byIndex(cast(parts, List.class, key)))).toList();
    }

    private static Fields byIndex(List<?> parts) {
        Map<String, Object> values = new HashMap<>();
        for (int index = 0; index < parts.size(); index++) {
            values.put(String.valueOf(index), parts.get(index));
        }
        return new Fields(values);
    }

    /** A list of integers in which nil stands for what there is not. */
    List<Long> numbersOrNull(String key) {
        List<Long> numbers = new ArrayList<>();
        for (Object value : list(key)) {
            numbers.add(value == null ? null : cast(value, Long.class, key));
        }
        return Collections.unmodifiableList(numbers);
    }

    /** The steps under a key. */
    List<Step> steps(String key) {
        return list(key).stream().map(value -> Step.read(cast(value, List.class, key))).toList();
    }

    private <T> T field(String key, Class<T> kind) {
        return cast(values.get(key), kind, key);
    }

    private int[] integers(Object value, String key) {
        Stream<?> numbers = cast(value, List.class, key).stream();
        return numbers.mapToInt(number -> integer(number, key)).toArray();
    }

    private int integer(Object value, String key) {
        long number = cast(value, Long.class, key);
        if (number != (int) number) {
            throw new BadMessage("the number under " + key + " is too large: " + number);
        }
        return (int) number;
    }

    @SuppressWarnings("unchecked") // the codec makes no other maps
    private Fields of(Object value, String key) {
        return new Fields((Map<String, Object>) cast(value, Map.class, key));
    }

    private <T> T cast(Object value, Class<T> kind, String key) {
        if (!kind.isInstance(value)) {
            throw new BadMessage("the server's "
                    + ClientException.printable(String.valueOf(values.getOrDefault("type", "map")))
                    + " has no " + kind.getSimpleName() + " under " + key);
        }
        return kind.cast(value);
    }
}
