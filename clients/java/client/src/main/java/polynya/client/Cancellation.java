package polynya.client;

/**
 * Tells a search that its result is no longer wanted: the turn's time is over, the match has ended, or
 * the connection is lost.
 *
 * <p>It is cheap to ask, from any thread.
 */
public final class Cancellation {
    private final Long deadline;
    private volatile boolean cancelled;

    /** Cancelled at this moment of {@link System#nanoTime}, {@code null} for none, if not before. */
    Cancellation(Long deadline) {
        this.deadline = deadline;
    }

    /**
     * Whether the search is to stop now.
     *
     * @return true from the moment on at which its result is no longer wanted
     */
    public boolean isCancelled() {
        return cancelled || deadline != null && System.nanoTime() - deadline >= 0;
    }

    void cancel() {
        cancelled = true;
    }
}
