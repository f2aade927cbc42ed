package polynya.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a turn's time is shared out by {@link Turn#thinkUntil}. */
class TurnTest {
    private static final long MOMENT = 1_000_000_000_000L;

    @ParameterizedTest
    @CsvSource({
        // initial, increment, remaining, thinking
        ", , 100, 40", // 60 ms are kept of a short limit
        ", , 1000, 800", // a fifth is kept of a long limit
        ", , 50, 15", // three tenths are for thinking at least
        "60000, , 60000, 2400", // a turn gets its part of a budget
        "60000, 500, 60000, 2800", // and the increment
        "60000, 500, 300, 240", // but not more than is left
    })
    void timeToThink(Long initial, Long increment, long remaining, long thinking) {
        Map<String, Object> clock = new HashMap<>();
        clock.put("initial_ms", initial);
        clock.put("increment_ms", increment);
        Match match = new Match(
                new Fields(Map.of("type", "match_start", "match", "m1", "seq", 0L, "game", "packeis",
                        "seat", 0L, "players", List.of(), "options", Map.of(), "clock", clock,
                        "state", Map.of())),
                message -> { });
        Turn turn = new Turn(
                match, new Fields(Map.of("turn", 1L, "remaining_ms", remaining)), MOMENT, null);

        assertEquals(thinking, Duration.ofNanos(turn.thinkUntil() - MOMENT).toMillis());
    }
}
