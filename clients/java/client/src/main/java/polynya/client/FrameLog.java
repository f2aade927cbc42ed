package polynya.client;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import polynya.client.ClientException.BadSettings;

/** A log of what was sent and received: one JSON object a line, the token left out. */
final class FrameLog implements AutoCloseable {
    private static final double MICROSECONDS = 1_000_000;

    private final PrintStream stream;
    private final String bot;

    private FrameLog(PrintStream stream, String bot) {
        this.stream = stream;
        this.bot = bot;
    }

    /** The log for a file (which several bots may append to), {@code -} for standard error. */
    static FrameLog open(String target, String bot) {
        if (target.equals("-")) {
            return new FrameLog(System.err, bot);
        }
        try {
            FileOutputStream file = new FileOutputStream(target, true);
            return new FrameLog(new PrintStream(file, false, StandardCharsets.UTF_8), bot);
        } catch (IOException error) {
            throw new BadSettings("the log cannot be written: " + error.getMessage());
        }
    }

    /** One line: wall-clock time in seconds, the bot, {@code sent} or {@code received}, the message. */
    synchronized void write(String direction, Map<String, ?> message) {
        Map<String, Object> shown = new LinkedHashMap<>(message);
        shown.computeIfPresent("token", (key, token) -> "(left out)");
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("time", ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) / MICROSECONDS);
        entry.put("bot", bot);
        entry.put("direction", direction);
        byte[] line = (json(entry, shown) + "\n").getBytes(StandardCharsets.UTF_8);
        stream.write(line, 0, line.length);
        stream.flush();
    }

    /** JSON as msgpack's library writes it; a message may be one level deeper than a frame. */
    private static String json(Map<String, Object> entry, Map<String, Object> message) {
        String head = json(entry);
        return head.substring(0, head.length() - 1) + ",\"message\":" + json(message) + "}";
    }

    private static String json(Map<String, Object> map) {
        byte[] frame = Codec.encode(map, Integer.MAX_VALUE);
        int length = frame.length - Codec.LENGTH_BYTES;
        try (MessageUnpacker unpacker =
                MessagePack.newDefaultUnpacker(frame, Codec.LENGTH_BYTES, length)) {
            return unpacker.unpackValue().toJson();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    @Override
    public void close() {
        if (stream != System.err) {
            stream.close();
        }
    }
}
