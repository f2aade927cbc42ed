package polynya.client;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

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
    private final boolean view;
    private final boolean joint;
    private volatile List<Integer> acting;
    private Object memory;
    private volatile boolean lost;

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
        this.view = start.isSet("view");
        this.joint = start.isSet("joint");
        this.acting = start.seatsOrNull("acting");
    }

    /** {@return the server's name for it} */
    public String id() {
        return id;
    }

    /** {@return {@code packeis}, {@code arktia}, {@code icecult} or another game} */
    public String game() {
        return game;
    }

    /** {@return our seat} */
    public int seat() {
        return seat;
    }

    /** {@return all players, by seat} */
    public List<Player> players() {
        return players;
    }

    /** {@return the game's set-up options} */
    public Fields options() {
        return options;
    }

    /** {@return the time limits} */
    public Clock clock() {
        return clock;
    }

    /**
     * The position when the match began (or was taken up again), as in the game's rules. If {@link #isView},
     * it is no position, but what we may know of one.
     *
     * @return the position, or what we may know of it
     */
    public Fields state() {
        return state;
    }

    /** {@return whether parts of the match are hidden from us} */
    public boolean isView() {
        return view;
    }

    /** {@return whether several seats can be asked at the same time} */
    public boolean isJoint() {
        return joint;
    }

    /**
     * The seats that are asked now, ascending, in matches with joint turns or hidden parts. The events of the
     * match change it.
     *
     * @return the seats; {@code null} in other matches
     */
    public List<Integer> acting() {
        return acting;
    }

    /** {@return whether it was taken up again after a lost connection or a new start} */
    public boolean resumed() {
        return start.string("type").equals("match_resume");
    }

    /**
     * The {@code match_start} or {@code match_resume} as it came, with keys that have no method here.
     *
     * @return the {@code match_start} or {@code match_resume} as it came, with keys that have no method here
     */
    public Fields message() {
        return start;
    }

    /** {@return what the bot has told it to remember, {@code null} at first} */
    public Object memory() {
        return memory;
    }

    /**
     * Keep whatever a bot wants to remember until the match is over.
     *
     * @param memory anything, also {@code null}
     */
    public void remember(Object memory) {
        this.memory = memory;
    }

    /** Give this match up; a turn that is chosen afterwards is not sent. */
    public void resign() {
        lost = true;
        send.accept(Map.of("type", "resign", "match", id));
    }

    /** Take the seats that an event says are asked next, {@code null} if it does not say. */
    void follow(List<Integer> next) {
        if (next != null) {
            acting = next;
        }
    }

    /** Whether we have resigned or forfeited. */
    boolean isLost() {
        return lost;
    }

    /** We have forfeited; whether that was known. */
    boolean lose() {
        boolean known = lost;
        lost = true;
        return known;
    }
}
