package polynya.client;

import static polynya.client.ClientException.printable;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** Remarks never cost a match: what cannot be sent as a whole is left out, and the move is sent. */
final class Remarks {
    private static final int MAX_INFO_BYTES = 1024;
    /** Maps and lists inside each other; the message itself is one more. */
    private static final int MAX_NESTING = 15;

    /** The numbers that are sent as they are. */
    private static final Set<Class<?>> SENT = Set.of(
            Byte.class, Short.class, Integer.class, Long.class, BigInteger.class,
            Float.class, Double.class);

    private final AtomicBoolean told = new AtomicBoolean();

    /** The remarks of a turn, {@code null} if there are none that can be sent; that is told once. */
    Map<String, Object> of(Turn turn) {
        try {
            if (turn.info().isEmpty()) {
                return null;
            }
            check(turn.info());
            return turn.info();
        } catch (RuntimeException error) { // values of any type, whose methods may do anything
            if (!told.getAndSet(true)) {
                Session.warn("turn " + turn.number() + " of match "
                        + printable(turn.match().id()) + " is sent without its info: "
                        + printable(String.valueOf(error.getMessage())) + " (this is said once)");
            }
            return null;
        }
    }

    /** An exception says why these cannot be sent. */
    static void check(Map<String, Object> info) {
        measure(info, MAX_NESTING, new int[] {MAX_INFO_BYTES});
        int around = Codec.LENGTH_BYTES + 1 + "info".length() + 1;
        int size = Codec.encode(Map.of("info", info), Codec.SERVER_MAX_FRAME).length - around;
        if (size > MAX_INFO_BYTES) {
            throw new IllegalArgumentException("it has " + size + " bytes, over the limit of 1,024");
        }
    }

    /** Follow a value no further than can be sent: it may lead back to itself. */
    private static void measure(Object value, int levels, int[] room) {
        room[0]--;
        if (room[0] < 0 || levels < 0) {
            throw new IllegalArgumentException("it is over 1,024 bytes, or nested too deep");
        }
        if (value instanceof String text) {
            checkText(text);
        } else if (value instanceof Number number) {
            checkNumber(number);
        } else if (value instanceof List<?> list) {
            checkLevel(levels);
            list.forEach(child -> measure(child, levels - 1, room));
        } else if (value instanceof Map<?, ?> map) {
            checkLevel(levels);
            map.forEach((key, child) -> {
                checkKey(key);
                measure(child, levels - 1, room);
            });
        }
    }

    private static void checkNumber(Number number) {
        if (!SENT.contains(number.getClass())) {
            throw new IllegalArgumentException("it holds a " + number.getClass().getName());
        }
        if (!Double.isFinite(number.doubleValue())) {
            throw new IllegalArgumentException("it holds " + number);
        }
    }

    /** Keys of other types could be the same text, and the server refuses a key that occurs twice. */
    private static void checkKey(Object key) {
        if (!(key instanceof String text)) {
            throw new IllegalArgumentException("it has the key " + key + ", which is no String");
        }
        checkText(text);
    }

    private static void checkLevel(int levels) {
        if (levels == 0) {
            throw new IllegalArgumentException("it is nested too deep");
        }
    }

    private static void checkText(String text) {
        if (text.length() > MAX_INFO_BYTES) {
            throw new IllegalArgumentException("it is over 1,024 bytes");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new IllegalArgumentException("it holds text that is no UTF-8");
        }
    }
}
