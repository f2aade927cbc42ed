package polynya.client;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import polynya.client.ClientException.ConnectionLost;
import polynya.client.ClientException.GaveUp;
import polynya.client.ClientException.ServerError;
import polynya.client.ClientException.ServerLeft;

/**
 * The pauses of a bot that wants to come back, in ms.
 *
 * <p>They double from 100 to 5,000, from 2,500 where the server has said that it wants nobody now, and
 * each is shortened by up to a half at random, so that bots that left together do not return together.
 * A session of 5 s begins them anew, and any session does that a lost connection ended: its bot may be
 * in a match.
 */
final class Retries {
    private static final long AFTER_A_LOSS = 100;
    private static final long AFTER_A_WORD = 2_500;
    private static final long LONGEST = 5_000;
    private static final long STEADY = 5_000;
    private static final long NANOSECONDS = 1_000_000;

    private final Duration total;
    private long pause = AFTER_A_LOSS;
    private Long failingSince;
    private Long welcomeAt;

    /** For attempts of {@code total}, from the first failure on or after any welcome. */
    Retries(Duration total) {
        this.total = total;
    }

    /** A session has begun. */
    void welcome() {
        welcomeAt = now();
        failingSince = null;
    }

    /**
     * How long to wait after this, in ms.
     *
     * @throws GaveUp if the time for attempts is over
     * @throws ClientException {@code trouble} itself, if later would be no better
     */
    long after(ClientException trouble) {
        if (!comesBackAfter(trouble)) {
            throw trouble;
        }
        long now = now();
        boolean isWord = trouble instanceof ServerError || trouble instanceof ServerLeft;
        if (welcomeAt != null && (!isWord || now - welcomeAt >= STEADY)) {
            pause = AFTER_A_LOSS;
        }
        welcomeAt = null;
        if (failingSince == null) {
            failingSince = now;
        }
        Duration left = total.minusMillis(now - failingSince);
        if (left.isNegative() || left.isZero()) {
            throw new GaveUp(trouble.getMessage() + "; gave up");
        }
        long longest = isWord ? Math.max(pause, AFTER_A_WORD) : pause;
        pause = Math.min(2 * longest, LONGEST);
        long shortened = longest - ThreadLocalRandom.current().nextLong(longest / 2 + 1);
        return left.compareTo(Duration.ofMillis(shortened)) < 0 ? left.toMillis() : shortened;
    }

    /** Whether this says nothing against the bot: later it is welcome. */
    private static boolean comesBackAfter(ClientException trouble) {
        if (trouble instanceof ServerError refused) {
            return refused.code().equals("server_full") || refused.code().equals("shutting_down");
        }
        return trouble instanceof ConnectionLost;
    }

    private static long now() {
        return System.nanoTime() / NANOSECONDS;
    }
}
