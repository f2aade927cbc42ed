package polynya.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import polynya.client.Fields;
import polynya.client.Positions.ArktiaState;
import polynya.client.Positions.IceCultState;
import polynya.client.Positions.PackeisState;

/** The records of positions are held to the games' vectors. */
class PositionsTest {
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);

    @ParameterizedTest
    @ValueSource(strings = {"packeis", "arktia", "icecult"})
    void positionsAreReadAsRecords(String game) throws IOException {
        List<String> lines = Files.readAllLines(Path.of("../../../games/vectors/" + game + ".jsonl"));
        assertFalse(lines.isEmpty());
        for (String line : lines) {
            Map<String, Object> vector = JSON.readValue(line, new TypeReference<>() { });
            Fields state = new Fields(vector).map("state");
            String read = switch (game) {
                case "packeis" -> PackeisState.read(state).game();
                case "arktia" -> ArktiaState.read(state).game();
                default -> IceCultState.read(state).game();
            };
            assertEquals(game, read);
        }
    }
}
