package polynya.client;

/** Hangs up when one write takes too long: Java's sockets have a timeout for reading only. */
final class WriteTimeout implements AutoCloseable {
    private static final long LOOK_MS = 500;
    private static final long NANOSECONDS = 1_000_000;

    private final Runnable hangUp;
    private final Thread thread = new Thread(this::run, "polynya-write-timeout");
    /** When the present write is to have ended, on {@link System#nanoTime}; {@code null} for none. */
    private volatile Long deadline;

    WriteTimeout(Runnable hangUp) {
        this.hangUp = hangUp;
        thread.setDaemon(true);
        thread.start();
    }

    /** A write begins that may take {@code patienceMs}. */
    void begin(long patienceMs) {
        deadline = System.nanoTime() + patienceMs * NANOSECONDS;
    }

    /** The write has ended. */
    void end() {
        deadline = null;
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(LOOK_MS);
                Long latest = deadline;
                if (latest != null && System.nanoTime() - latest > 0) {
                    hangUp.run();
                    return;
                }
            }
        } catch (InterruptedException closed) {
            // nothing more to do
        }
    }

    /** Look no more. */
    @Override
    public void close() {
        thread.interrupt();
    }
}
