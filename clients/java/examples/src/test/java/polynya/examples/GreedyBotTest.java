package polynya.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import polynya.client.Fields;

/** The greedy bot's rules are held to the referee's positions, and its taste to an example. */
class GreedyBotTest {
    private static final Path POSITIONS = Path.of("../../../games/vectors/packeis.jsonl");
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);

    static Stream<Map<String, Object>> positions() throws IOException {
        return Files.readAllLines(POSITIONS).stream()
                .map(GreedyBotTest::read)
                .filter(position -> state(position).has("to_move"));
    }

    @ParameterizedTest
    @MethodSource("positions")
    void legalStepsAreTheReferees(Map<String, Object> position) {
        Fields state = state(position);

        assertEquals(
                sorted(new Fields(position).list("legal").stream()),
                sorted(new PackeisPosition(state).steps(state.integer("to_move")).stream()
                        .map(rated -> rated.step().words())));
    }

    @Test
    void fishUnderThePenguinCountMoreThanFishAhead() {
        Integer[] fish = new Integer[60];
        Arrays.fill(fish, 0);
        fish[0] = 2;
        fish[1] = 1;
        fish[14] = 1;
        fish[13] = 3;
        Fields state = new Fields(read("{\"fish\": " + List.of(fish)
                + ", \"penguins\": [[0, 14], []], \"phase\": \"movement\"}"));

        assertEquals(
                Map.of(List.of("move", 0, 1), 9, List.of("move", 14, 13), 7),
                new PackeisPosition(state).steps(0).stream().collect(Collectors.toMap(
                        rated -> rated.step().words(), PackeisPosition.Rated::value)));
    }

    private static List<String> sorted(Stream<?> steps) {
        return steps.map(Object::toString).sorted().toList();
    }

    private static Fields state(Map<String, Object> position) {
        return new Fields(position).map("state");
    }

    private static Map<String, Object> read(String line) {
        try {
            return JSON.readValue(line, new TypeReference<>() { });
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
