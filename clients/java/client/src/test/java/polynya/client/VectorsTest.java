package polynya.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import polynya.client.ClientException.BadFrame;

/** The codec is held to the bytes in protocol/vectors, as every SDK's is. */
class VectorsTest {
    private static final Path VECTORS = Path.of("../../../protocol/vectors");
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Well-formed frames: a client ignores what it does not know, and looks at keys when it acts. */
    private static final Set<String> NOT_THE_CODECS_BUSINESS = Set.of(
            "an unknown message",
            "a message of clients",
            "turn without remaining_ms",
            "an unknown reason",
            "pong before welcome");

    static Stream<Named<JsonNode>> sent() throws IOException {
        return cases("client");
    }

    static Stream<Named<JsonNode>> received() throws IOException {
        return cases("server");
    }

    static Stream<Named<JsonNode>> refused() throws IOException {
        return named(read("refused.json").get("from_server"))
                .filter(one -> !NOT_THE_CODECS_BUSINESS.contains(one.getName()));
    }

    static Stream<Named<JsonNode>> remarks() throws IOException {
        return named(read("remarks.json"));
    }

    static Stream<Named<JsonNode>> framing() throws IOException {
        return named(read("framing.json"));
    }

    @ParameterizedTest
    @MethodSource("sent")
    void messageIsEncodedToTheSharedBytes(JsonNode vector) {
        assertEquals(
                vector.get("hex").asText(),
                HexFormat.of().formatHex(
                        Codec.encode(map(vector.get("value")), Codec.DEFAULT_MAX_FRAME)));
    }

    @ParameterizedTest
    @MethodSource("received")
    void sharedBytesAreDecodedInAllTheirForms(JsonNode vector) {
        Map<String, Object> value = map(vector.get("value"));
        List<String> forms = new ArrayList<>(List.of(vector.get("hex").asText()));
        vector.get("also").forEach(other -> forms.add(other.get("hex").asText()));

        for (String form : forms) {
            Map<String, Object> known = new HashMap<>(Codec.decode(payload(form)).values());
            known.keySet().retainAll(value.keySet());
            assertEquals(numbersAsDecimals(value), numbersAsDecimals(known));
        }
    }

    @ParameterizedTest
    @MethodSource("refused")
    void frameThatIsNoMessageIsRefusedWithTheSharedCode(JsonNode vector) {
        BadFrame refusal = assertThrows(
                BadFrame.class, () -> Codec.decode(payload(vector.get("hex").asText())));

        assertEquals(vector.get("code").asText(), refusal.code());
    }

    @ParameterizedTest
    @MethodSource("remarks")
    void sharedRemarksAreSentOrLeftOut(JsonNode vector) {
        Map<String, Object> info = map(vector.get("info"));
        if (vector.get("sent").asBoolean()) {
            Remarks.check(info);
        } else {
            assertThrows(RuntimeException.class, () -> Remarks.check(info));
        }
    }

    @ParameterizedTest
    @MethodSource("framing")
    void framesComeOutOfAnyPieces(JsonNode vector) {
        List<String> payloads = new ArrayList<>();
        String then = drain(vector, payloads);

        assertEquals(texts(vector.get("payloads")), payloads);
        assertEquals(vector.get("then").isNull() ? null : vector.get("then").asText(), then);
    }

    @Test
    void messageThatCannotBeSentIsRefusedBeforeItIs() {
        BadFrame unknown = assertThrows(BadFrame.class,
                () -> Codec.encode(Map.of("type", new Object()), Codec.DEFAULT_MAX_FRAME));
        BadFrame large = assertThrows(BadFrame.class,
                () -> Codec.encode(Map.of("type", "x".repeat(100)), 100));

        assertArrayEquals(
                new String[] {"malformed", "too_large"},
                new String[] {unknown.code(), large.code()});
    }

    /** The code of the error that ends the frames, null if there is none. */
    private static String drain(JsonNode vector, List<String> payloads) {
        FrameBuffer buffer = new FrameBuffer(vector.get("max_frame").asInt());
        try {
            for (String chunk : texts(vector.get("chunks"))) {
                byte[] bytes = HexFormat.of().parseHex(chunk);
                buffer.add(bytes, bytes.length);
                byte[] payload;
                while ((payload = buffer.take()) != null) {
                    payloads.add(HexFormat.of().formatHex(payload));
                }
            }
            return null;
        } catch (BadFrame error) {
            return error.code();
        }
    }

    private static Stream<Named<JsonNode>> cases(String sender) throws IOException {
        List<Named<JsonNode>> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(VECTORS)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".json")).toList()) {
                JsonNode document = JSON.readTree(file.toFile());
                String from = document.path("from").asText();
                if (from.equals(sender) || from.equals("either")) {
                    named(document.get("cases"))
                            .map(one -> Named.of(
                                    document.get("message").asText() + ", " + one.getName(),
                                    one.getPayload()))
                            .forEach(found::add);
                }
            }
        }
        return found.stream();
    }

    private static Stream<Named<JsonNode>> named(JsonNode cases) {
        return StreamSupport.stream(cases.spliterator(), false)
                .map(one -> Named.of(one.get("name").asText(), one));
    }

    private static JsonNode read(String file) throws IOException {
        return JSON.readTree(VECTORS.resolve(file).toFile());
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(JsonNode value) {
        return JSON.convertValue(value, Map.class);
    }

    /** A rating may be an integer here and a float there, an integer of any class: compare values. */
    private static Object numbersAsDecimals(Object value) {
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> copy = new HashMap<>();
            map.forEach((key, child) -> copy.put(key, numbersAsDecimals(child)));
            return copy;
        }
        if (value instanceof List<?> list) {
            return list.stream().map(VectorsTest::numbersAsDecimals).toList();
        }
        return value instanceof Number number
                ? new BigDecimal(number.toString()).stripTrailingZeros().toPlainString()
                : value;
    }

    private static List<String> texts(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText).toList();
    }

    private static byte[] payload(String hex) {
        byte[] frame = HexFormat.of().parseHex(hex);
        return Arrays.copyOfRange(frame, Codec.LENGTH_BYTES, frame.length);
    }
}
