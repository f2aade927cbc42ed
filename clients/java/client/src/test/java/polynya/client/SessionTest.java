package polynya.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static polynya.client.ScriptedServer.SECONDS;
import static polynya.client.ScriptedServer.STEP;
import static polynya.client.ScriptedServer.failure;
import static polynya.client.ScriptedServer.message;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import polynya.client.ClientException.NotWanted;
import polynya.client.ClientException.ServerError;
import polynya.client.ScriptedServer.Peer;

/** What the SDK does with a server's messages, seen from the other end of a real socket. */
class SessionTest {
    private static final Settings ADA = Settings.named("ada");

    private ScriptedServer server;

    @BeforeEach
    void listen() throws IOException {
        server = new ScriptedServer();
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    /** A bot of this server, in a match. */
    private Peer playing(Bot bot) throws IOException {
        server.run(bot, ADA);
        Peer peer = server.accept();
        peer.welcome();
        peer.beginMatch();
        return peer;
    }

    @Test
    void moveAnswersTurnWithInfo() throws IOException {
        Peer peer = playing(turn -> {
            turn.info().put("score", 2.5);
            return List.of(STEP);
        });
        peer.ask("turn", 7);

        assertEquals(
                message("move", "match", "m1", "turn", 7L,
                        "steps", List.of(List.of("move", 12L, 40L)),
                        "info", Map.of("score", 2.5)),
                peer.receive());
        peer.sayGoodbye();
    }

    @Test
    void turnSaysWhatTheServerSaid() throws Exception {
        BlockingQueue<Turn> turns = new LinkedBlockingQueue<>();
        Peer peer = playing(turn -> {
            turns.add(turn);
            return List.of(STEP);
        });
        peer.ask("turn", 7, "state", Map.of("fish", List.of(1)), "legal", List.of(STEP));
        Turn turn = turns.poll(SECONDS, TimeUnit.SECONDS);
        peer.sayGoodbye();

        assertEquals("packeis", turn.game());
        assertEquals(List.of(1L, 7L, 5000L),
                List.of((long) turn.seat(), (long) turn.number(), turn.remainingMs()));
        assertEquals(1, turn.state().integers("fish")[0]);
        assertEquals("move", turn.legal().get(0).verb());
        assertEquals(12, turn.legal().get(0).number(1));
        assertEquals(
                List.of(new Player(0, "bob", 1510.5), new Player(1, "ada", null)),
                turn.match().players());
    }

    @Test
    void legalAfterAsksTheServerAndPingsAreAnsweredMeanwhile() throws IOException {
        Peer peer = playing(turn -> {
            List<Step> steps = new ArrayList<>(List.of(STEP));
            steps.addAll(turn.legalAfter(steps).steps());
            return steps;
        });
        peer.ask();

        List<Object> step = List.of("move", 12L, 40L);
        assertEquals(
                message("steps", "match", "m1", "turn", 1L, "steps", List.of(step)),
                peer.receive());
        peer.send("ping", "nonce", 5);
        assertEquals(message("pong", "nonce", 5L), peer.receive());
        peer.send("legal", "match", "m1", "turn", 1,
                "legal", List.of(List.of("end")), "turn_over", false);
        assertEquals(List.of(step, List.of("end")), peer.receive().get("steps"));
        peer.sayGoodbye();
    }

    /** Tells the test what it was told. */
    private static final class Follower implements Bot {
        private final List<String> told = new ArrayList<>();

        @Override
        public List<Step> turn(Turn turn) {
            told.add("turn " + turn.number());
            turn.legalAfter(List.of(STEP));
            return List.of(STEP);
        }

        @Override
        public void matchStart(Match match) {
            told.add("start " + match.id());
        }

        @Override
        public void moved(Match match, Moved moved) {
            told.add("moved " + moved.turn() + " " + moved.remainingMs());
        }

        @Override
        public void forfeited(Match match, Forfeited forfeited) {
            told.add("forfeited " + forfeited.reason());
        }

        @Override
        public void matchOver(Match match, MatchOver over) {
            told.add("over " + over.ranking());
        }
    }

    @Test
    void eventsDuringAQuestionAreHandledInOrderAfterwards() throws Exception {
        Follower bot = new Follower();
        var run = server.run(bot, ADA);
        Peer peer = server.accept();
        peer.welcome();
        peer.beginMatch();
        peer.ask();
        peer.receive();
        peer.send("moved", "match", "m1", "seq", 2, "turn", 2, "seat", 0,
                "steps", List.of(STEP), "elapsed_ms", 3,
                "remaining_ms", Arrays.asList(null, 5));
        peer.send("legal", "match", "m1", "turn", 1, "legal", List.of(), "turn_over", true);
        peer.receive();
        peer.send("forfeited", "match", "m1", "seq", 3, "seat", 0, "reason", "timeout", "detail", "x");
        peer.send("match_over", "match", "m1", "seq", 4,
                "ranking", List.of(2, 1), "scores", null, "reason", "forfeit");
        peer.sayGoodbye();
        run.get(SECONDS, TimeUnit.SECONDS);

        assertEquals(
                List.of("start m1", "turn 1", "moved 2 [null, 5]", "forfeited timeout", "over [2, 1]"),
                bot.told);
    }

    /** Tells the test what each event of a joint match tells, and which seats are asked then. */
    private static final class Observer implements Bot {
        private final List<List<Object>> told = new ArrayList<>();

        @Override
        public List<Step> turn(Turn turn) {
            return List.of(STEP);
        }

        @Override
        public void matchStart(Match match) {
            tell(match.isView(), match.isJoint(), match.acting(), match.state().values());
        }

        @Override
        public void moved(Match match, Moved moved) {
            tell(moved.seat(), moved.concealed(), moved.steps().size(), moved.acting(),
                    moved.seen().stream().map(Fields::values).toList(), match.acting());
        }

        @Override
        public void forfeited(Match match, Forfeited forfeited) {
            tell(forfeited.turn(), forfeited.acting(),
                    forfeited.seen().stream().map(Fields::values).toList(), match.acting());
        }

        @Override
        public void matchOver(Match match, MatchOver over) {
            tell(over.deal());
        }

        private void tell(Object... facts) {
            told.add(Arrays.asList(facts));
        }
    }

    @Test
    void jointTurnTellsWhatTheSeatMayKnow() throws Exception {
        Observer bot = new Observer();
        var run = server.run(bot, ADA);
        Peer peer = server.accept();
        peer.welcome();
        peer.beginMatch("state", Map.of("hand", 5), "acting", List.of(0, 1, 2),
                "joint", true, "view", true);
        peer.ask();
        peer.receive();
        List<Long> budgets = Arrays.asList(null, null, null);
        peer.send("moved", "match", "m1", "seq", 2, "turn", 1, "seat", 0, "steps", null,
                "elapsed_ms", 3, "remaining_ms", budgets);
        peer.send("moved", "match", "m1", "seq", 3, "turn", 1, "seat", 1, "steps", List.of(STEP),
                "elapsed_ms", 3, "remaining_ms", budgets, "acting", List.of(0, 1),
                "seen", List.of(Map.of("lost", 7)));
        peer.ask("seq", 4, "turn", 2);
        assertEquals(2L, peer.receive().get("turn"));
        peer.send("forfeited", "match", "m1", "seq", 5, "turn", 2, "seat", 0, "reason", "resigned",
                "detail", "x", "acting", List.of(), "seen", List.of(Map.of("won", true)));
        peer.send("match_over", "match", "m1", "seq", 6, "reason", "forfeit", "deal", "0a1b");
        peer.sayGoodbye();
        run.get(SECONDS, TimeUnit.SECONDS);

        assertEquals(
                List.of(
                        List.of(true, true, List.of(0, 1, 2), Map.of("hand", 5L)),
                        Arrays.asList(0, true, 0, null, List.of(), List.of(0, 1, 2)),
                        List.of(1, false, 1, List.of(0, 1), List.of(Map.of("lost", 7L)),
                                List.of(0, 1)),
                        List.of(2, List.of(), List.of(Map.of("won", true)), List.of()),
                        List.of("0a1b")),
                bot.told);
    }

    @Test
    void matchesOnOneConnectionAreKeptApart() throws IOException {
        Peer peer = playing(turn -> List.of(Step.of("in", turn.match().id())));
        peer.beginMatch("match", "m2");
        peer.ask("match", "m2", "turn", 4);
        assertEquals(List.of(List.of("in", "m2")), peer.receive().get("steps"));
        peer.ask("turn", 2);
        assertEquals(List.of(List.of("in", "m1")), peer.receive().get("steps"));
        peer.sayGoodbye();
    }

    @Test
    void unknownTypesAndMatchesAreIgnored() throws IOException {
        Peer peer = playing(turn -> List.of(STEP));
        peer.send("weather", "wind", 3);
        peer.ask("match", "m9");
        peer.ask("turn", 5);

        assertEquals(5L, peer.receive().get("turn"));
        peer.sayGoodbye();
    }

    @Test
    void resigningSendsNoMove() throws IOException {
        Peer peer = playing(turn -> {
            turn.resign();
            return List.of(STEP);
        });
        peer.ask();
        peer.send("ping", "nonce", 1);

        assertEquals(message("resign", "match", "m1"), peer.receive());
        assertEquals("pong", peer.receive().get("type"));
        peer.sayGoodbye();
    }

    @Test
    void refusedQuestionLeavesTheTurnWithoutAMove() throws IOException {
        Peer peer = playing(turn -> turn.legalAfter(List.of(STEP)).steps());
        peer.ask();
        peer.receive();
        peer.send("error", "code", "late", "message", "an old one", "fatal", false,
                "match", "m1", "turn", 0);
        peer.send("error", "code", "malformed", "message", "no verb", "fatal", false,
                "match", "m1", "turn", 1);
        peer.send("ping", "nonce", 1);

        assertEquals(message("pong", "nonce", 1L), peer.receive());
        peer.sayGoodbye();
    }

    @Test
    void matchThatEndsDuringAQuestionEndsTheTurn() throws IOException {
        Peer peer = playing(turn -> turn.legalAfter(List.of(STEP)).steps());
        peer.ask();
        peer.receive();
        peer.send("match_over", "match", "m1", "seq", 2, "reason", "annulled");
        peer.beginMatch("match", "m2");
        peer.sayGoodbye();
    }

    @Test
    void fatalErrorLeavesPlayWithItsCode() throws Exception {
        var run = server.run(turn -> List.of(STEP), ADA);
        Peer peer = server.accept();
        peer.receive();
        peer.send("error", "code", "unauthorized", "message", "not yours\u001b[2J", "fatal", true);

        ServerError error = assertInstanceOf(ServerError.class, failure(run));
        assertEquals("unauthorized", error.code());
        assertEquals("unauthorized: not yours\\u{1b}[2J", error.getMessage());
    }

    @Test
    void exceptionInTheBotSaysGoodbyeAndLeavesPlay() throws Exception {
        var run = server.run(turn -> {
            throw new IOException("my mistake");
        }, ADA);
        Peer peer = server.accept();
        peer.welcome();
        peer.beginMatch();
        peer.ask();

        assertEquals(
                message("goodbye", "reason", "the bot ended by IOException"), peer.receive());
        assertEquals("my mistake", failure(run).getMessage());
    }

    @Test
    void stateThatWasNotAskedForIsExplained() throws Exception {
        var run = server.run(turn -> List.of(Step.of(turn.state().string("game"))), ADA);
        Peer peer = server.accept();
        peer.welcome();
        peer.beginMatch();
        peer.ask();

        assertInstanceOf(NotWanted.class, failure(run));
    }
}
