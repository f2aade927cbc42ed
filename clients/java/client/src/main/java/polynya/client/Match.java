package polynya.client;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import polynya.client.ClientException.ConnectionLost;

/** What is known of a match that this bot plays. */
public final class Match {
    private final Fields start;
    private final Consumer<Map<String, ?>> send;
    private final String id;
    private final String game;
    private final int seat;
    private final List<Player> players;
    private final Fields options;
    private final Clock clock;
    private final Fields state;
    private Object memory;
    private boolean resigned;
    private long nextSeq;

    Match(Fields start, Consumer<Map<String, ?>> send) {
        this.start = start;
        this.send = send;
        this.id = start.string("match");
        this.game = start.string("game");
        this.seat = start.integer("seat");
        this.players = start.maps("players").stream().map(Player::read).toList();
        this.options = start.map("options");
        this.clock = Clock.read(start.map("clock"));
        this.state = start.map("state");
        this.nextSeq = start.number("seq") + 1;
    }

    /** The server's name for it. */
    public String id() {
        return id;
    }

    /** {@code packeis}, {@code arktia}, {@code icecult} or another game. */
    public String game() {
        return game;
    }

    /** Our seat. */
    public int seat() {
        return seat;
    }

    /** All players, by seat. */
    public List<Player> players() {
        return players;
    }

    /** The game's set-up options. */
    public Fields options() {
        return options;
    }

    /** The time limits. */
    public Clock clock() {
        return clock;
    }

    /** The position when the match began (or was taken up again), as in the game's rules. */
    public Fields state() {
        return state;
    }

    /** Whether it was taken up again after a lost connection or a new start. */
    public boolean resumed() {
        return start.string("type").equals("match_resume");
    }

    /** What the bot has told it to remember, {@code null} at first. */
    public Object memory() {
        return memory;
    }

    /** Keep whatever a bot wants to remember until the match is over. */
    public void remember(Object memory) {
        this.memory = memory;
    }

    /** Give this match up; a turn that is chosen afterwards is not sent. */
    public void resign() {
        resigned = true;
        send.accept(Map.of("type", "resign", "match", id));
    }

    boolean resigned() {
        return resigned;
    }

    /**
     * Count an event of this match.
     *
     * @throws ConnectionLost if one is missing: only connecting again can bring the match back
     */
    void follow(Fields message) {
        long seq = message.number("seq");
        if (seq != nextSeq) {
            throw new ConnectionLost("match " + ClientException.printable(id) + ": event " + nextSeq
                    + " is missing, " + seq + " came instead");
        }
        nextSeq++;
    }
}
