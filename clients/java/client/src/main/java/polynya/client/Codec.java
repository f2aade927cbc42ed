package polynya.client;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.CodingErrorAction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessageFormat;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePack.UnpackerConfig;
import org.msgpack.core.MessagePackException;
import org.msgpack.core.MessagePacker;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.ValueType;
import polynya.client.ClientException.BadFrame;

/** Frames: a 4-byte big-endian length, then exactly one msgpack map with string keys. */
final class Codec {
    /** What a server takes until its {@code welcome} says otherwise, in bytes. */
    static final int DEFAULT_MAX_FRAME = 64 * 1024;
    /** The largest frame that servers send, in bytes. */
    static final int SERVER_MAX_FRAME = 1024 * 1024;
    /** The bytes of a frame's length. */
    static final int LENGTH_BYTES = 4;

    private static final int MAX_NESTING = 16;
    private static final UnpackerConfig STRICT = new UnpackerConfig()
            .withActionOnMalformedString(CodingErrorAction.REPORT)
            .withActionOnUnmappableString(CodingErrorAction.REPORT);

    private Codec() {}

    /**
     * The frame of a message, its length in front.
     *
     * @throws BadFrame if it is larger than {@code maxFrame} bytes, or holds what the protocol does
     *     not know
     */
    static byte[] encode(Map<String, ?> message, int maxFrame) {
        try (MessageBufferPacker packer = MessagePack.newDefaultBufferPacker()) {
            packer.writePayload(new byte[LENGTH_BYTES]);
            pack(packer, message, MAX_NESTING);
            byte[] frame = packer.toByteArray();
            int length = frame.length - LENGTH_BYTES;
            checkLength(length, maxFrame);
            for (int index = 0; index < LENGTH_BYTES; index++) {
                frame[index] = (byte) (length >>> 8 * (LENGTH_BYTES - 1 - index));
            }
            return frame;
        } catch (IOException | IllegalArgumentException error) {
            throw malformed("this message cannot be sent: " + error.getMessage());
        }
    }

    private static void pack(MessagePacker packer, Object value, int levels) throws IOException {
        if (value == null) {
            packer.packNil();
        } else if (value instanceof String text) {
            packer.packString(text);
        } else if (value instanceof Boolean flag) {
            packer.packBoolean(flag);
        } else if (value instanceof Double || value instanceof Float) {
            packer.packDouble(((Number) value).doubleValue());
        } else if (value instanceof BigInteger number) {
            packer.packBigInteger(number);
        } else if (value instanceof Number number) {
            packer.packLong(number.longValue());
        } else if (value instanceof Step step) {
            packAll(packer, step.words(), levels);
        } else if (value instanceof List<?> list) {
            packAll(packer, list, levels);
        } else if (value instanceof Map<?, ?> map) {
            packMap(packer, map, levels);
        } else {
            throw malformed("this message cannot be sent: it holds a " + value.getClass().getName());
        }
    }

    private static void packAll(MessagePacker packer, List<?> values, int levels)
            throws IOException {
        enter(levels);
        packer.packArrayHeader(values.size());
        for (Object value : values) {
            pack(packer, value, levels - 1);
        }
    }

    private static void packMap(MessagePacker packer, Map<?, ?> map, int levels)
            throws IOException {
        enter(levels);
        packer.packMapHeader(map.size());
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            packer.packString(String.valueOf(entry.getKey()));
            pack(packer, entry.getValue(), levels - 1);
        }
    }

    /**
     * The message in a frame's payload (what follows the length).
     *
     * @throws BadFrame if it is not exactly one map with string keys, none of them twice, without
     *     bin and ext, at most 16 levels deep, with a str under {@code type}
     */
    static Fields decode(byte[] payload) {
        try (MessageUnpacker unpacker = STRICT.newUnpacker(payload)) {
            if (unpacker.getNextFormat().getValueType() != ValueType.MAP) {
                throw malformed("a frame holds a map");
            }
            Fields message = new Fields(unpackMap(unpacker, payload.length, MAX_NESTING));
            if (unpacker.hasNext()) {
                throw malformed("bytes follow the map");
            }
            if (!(message.values().get("type") instanceof String)) {
                throw malformed("the message has no type");
            }
            return message;
        } catch (IOException | MessagePackException error) {
            throw malformed("not one msgpack map: " + error.getMessage());
        }
    }

    private static Object unpack(MessageUnpacker unpacker, int most, int levels)
            throws IOException {
        switch (unpacker.getNextFormat().getValueType()) {
            case NIL:
                unpacker.unpackNil();
                return null;
            case BOOLEAN:
                return unpacker.unpackBoolean();
            case INTEGER:
                return unpackInteger(unpacker);
            case FLOAT:
                return unpacker.unpackDouble();
            case STRING:
                return unpacker.unpackString();
            case ARRAY:
                return unpackArray(unpacker, most, levels);
            case MAP:
                return unpackMap(unpacker, most, levels);
            default:
                throw malformed("bin and ext are not used in this protocol");
        }
    }

    private static Number unpackInteger(MessageUnpacker unpacker) throws IOException {
        if (unpacker.getNextFormat() != MessageFormat.UINT64) {
            return unpacker.unpackLong();
        }
        BigInteger number = unpacker.unpackBigInteger();
        return number.bitLength() < Long.SIZE ? (Number) number.longValue() : number;
    }

    private static List<Object> unpackArray(MessageUnpacker unpacker, int most, int levels)
            throws IOException {
        enter(levels);
        int size = bounded(unpacker.unpackArrayHeader(), most);
        List<Object> values = new ArrayList<>(Math.min(size, 64));
        for (int index = 0; index < size; index++) {
            values.add(unpack(unpacker, most, levels - 1));
        }
        return Collections.unmodifiableList(values);
    }

    private static Map<String, Object> unpackMap(MessageUnpacker unpacker, int most, int levels)
            throws IOException {
        enter(levels);
        int size = bounded(unpacker.unpackMapHeader(), most);
        Map<String, Object> values = new LinkedHashMap<>();
        for (int index = 0; index < size; index++) {
            values.put(unpackKey(unpacker), unpack(unpacker, most, levels - 1));
        }
        if (values.size() != size) {
            throw malformed("a key occurs twice in a map");
        }
        return Collections.unmodifiableMap(values);
    }

    /** A key; {@code unpackString} alone would take bin too. */
    private static String unpackKey(MessageUnpacker unpacker) throws IOException {
        if (unpacker.getNextFormat().getValueType() != ValueType.STRING) {
            throw malformed("a key is not a string");
        }
        return unpacker.unpackString();
    }

    /** A number of entries: each takes a byte at least, so there are no more than bytes. */
    private static int bounded(int size, int most) {
        if (size < 0 || size > most) {
            throw malformed("the map is not complete");
        }
        return size;
    }

    private static void enter(int levels) {
        if (levels == 0) {
            throw malformed("maps and arrays are nested deeper than " + MAX_NESTING);
        }
    }

    /**
     * Look at a frame's length before anything of it is held.
     *
     * @throws BadFrame if it is 0, or above the bound
     */
    static void checkLength(long length, int maxFrame) {
        if (length == 0) {
            throw malformed("a frame has at least one byte");
        }
        if (length > maxFrame) {
            throw new BadFrame("too_large",
                    "a frame of " + length + " bytes, at most " + maxFrame + " are allowed");
        }
    }

    private static BadFrame malformed(String why) {
        return new BadFrame("malformed", ClientException.printable(why));
    }
}
