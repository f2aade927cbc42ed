package polynya.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
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
        Turn turn = turn(initial, increment, remaining);

        assertEquals(thinking, thinking(turn, turn.thinkUntil()));
    }

    private static long thinking(Turn turn, long until) {
        return Duration.ofNanos(until - turn.deadline()).toMillis() + turn.remainingMs();
    }

    private static Turn turn(Long initial, Long increment, long remaining) {
        return new Turn(match(initial, increment), fields(remaining), MOMENT, null);
    }

    private static Fields fields(long remaining) {
        return new Fields(Map.of("turn", 1L, "remaining_ms", remaining));
    }

    private static Match match(Long initial, Long increment) {
        Map<String, Object> clock = new HashMap<>();
        clock.put("initial_ms", initial);
        clock.put("increment_ms", increment);
        return new Match(
                new Fields(Map.of("type", "match_start", "match", "m1", "seq", 0L, "game", "packeis",
                        "seat", 0L, "players", List.of(), "options", Map.of(), "clock", clock,
                        "state", Map.of())),
                message -> { });
    }

    @Test
    void marginIsTheAuthorsToChoose() {
        Turn turn = turn(null, null, 100);

        assertEquals(70, thinking(turn, turn.thinkUntil(20, Duration.ofMillis(30))));
        assertEquals(30, thinking(turn, turn.thinkUntil(20, Duration.ofMillis(90))));
    }

    @Test
    void timeThatIsLeftIsNeverNegative() {
        Turn late = new Turn(match(null, null), fields(0), System.nanoTime(), null);

        assertEquals(Duration.ZERO, late.timeLeft());
        assertTrue(late.isCancelled());
    }
}
