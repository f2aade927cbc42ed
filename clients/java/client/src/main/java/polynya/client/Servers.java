package polynya.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import polynya.client.ClientException.ConnectionLost;
import polynya.client.ClientException.ServerError;
import polynya.client.ClientException.ServerLeft;

/**
 * The addresses of a contest; the first is tried next.
 *
 * <p>A server that is not there, has no room or says goodbye is followed by the next one; a connection
 * that is lost in a session is made again with the same server first.
 */
final class Servers {
    private static final int PATIENCE_MS = 10_000;

    /** A server that stands still accepts connections and says nothing: another one may play meanwhile. */
    private static final int PATIENCE_AMONG_SEVERAL_MS = 3_000;

    private final List<Address> addresses;
    private final int patienceMs;
    private boolean isWelcome;

    Servers(List<Address> addresses) {
        this.addresses = new ArrayList<>(addresses);
        boolean isOne = Set.copyOf(addresses).size() == 1;
        this.patienceMs = isOne ? PATIENCE_MS : PATIENCE_AMONG_SEVERAL_MS;
    }

    /**
     * A connection to the first server that answers.
     *
     * @param open makes one, with how long the server may take to connect, and then to welcome the bot, in
     *     ms
     * @throws ConnectionLost if none does
     */
    Connection connect(BiFunction<Address, Integer, Connection> open) {
        List<String> failures = new ArrayList<>();
        for (int attempt = 0; attempt < addresses.size(); attempt++) {
            try {
                return open.apply(addresses.get(0), patienceMs);
            } catch (ConnectionLost lost) {
                failures.add(lost.getMessage());
                moveOn();
            }
        }
        throw new ConnectionLost(String.join("; ", failures));
    }

    /** The present server has begun a session. */
    void welcome() {
        isWelcome = true;
    }

    /** The present server has ended it, or not begun it. */
    void after(ClientException trouble) {
        if (!isWelcome || trouble instanceof ServerError || trouble instanceof ServerLeft) {
            moveOn();
        }
        isWelcome = false;
    }

    private void moveOn() {
        Collections.rotate(addresses, -1);
    }
}
