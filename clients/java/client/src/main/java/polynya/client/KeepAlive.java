package polynya.client;

import java.time.Duration;
import java.util.Map;
import polynya.client.ClientException.ConnectionLost;

/** A sign of life while the bot thinks: servers drop a peer that is silent for three heartbeats. */
final class KeepAlive implements AutoCloseable {
    private final Connection connection;
    private final Duration heartbeat;
    private final Thread thread = new Thread(this::run, "polynya-keepalive");

    /** Send a {@code ping} whenever nothing else was sent for a heartbeat, in a thread of its own. */
    KeepAlive(Connection connection, Duration heartbeat) {
        this.connection = connection;
        this.heartbeat = heartbeat;
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(heartbeat.toMillis());
                if (System.nanoTime() - connection.sent() >= heartbeat.toNanos()) {
                    connection.send(Map.of("type", "ping", "nonce", 0));
                }
            }
        } catch (InterruptedException closed) {
            // nothing more to do
        } catch (ConnectionLost lost) {
            // whoever receives notices too
        }
    }

    /** Send no more. */
    @Override
    public void close() {
        thread.interrupt();
    }
}
