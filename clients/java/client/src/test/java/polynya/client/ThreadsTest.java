package polynya.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static polynya.client.ScriptedServer.SECONDS;
import static polynya.client.ScriptedServer.STEP;
import static polynya.client.ScriptedServer.failure;
import static polynya.client.ScriptedServer.message;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import polynya.client.ScriptedServer.Peer;

/** What is received while the bot thinks, in its own thread, and what ends that. */
class ThreadsTest {
    private static final Settings ADA = Settings.named("ada").token("secret");
    private static final int HOUR_MS = 3_600_000;

    private ScriptedServer server;

    @BeforeEach
    void listen() throws IOException {
        server = new ScriptedServer();
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    /** Wait as a search does that looks at its cancellation. */
    private static void think(Cancellation until) {
        while (!until.isCancelled()) {
            Thread.onSpinWait();
        }
    }

    private Peer playing() throws IOException {
        Peer peer = server.accept();
        peer.welcome();
        peer.beginMatch();
        return peer;
    }

    @Test
    void pingsAreAnsweredWhileTheBotThinks() throws IOException {
        CountDownLatch enough = new CountDownLatch(1);
        server.run(turn -> {
            enough.await();
            return List.of(STEP);
        }, ADA);
        Peer peer = playing();
        peer.ask();
        peer.send("ping", "nonce", 7);

        assertEquals(message("pong", "nonce", 7L), peer.receive());
        enough.countDown();
        assertEquals("move", peer.receive().get("type"));
        peer.sayGoodbye();
    }

    @Test
    void endOfTheMatchEndsTheSearchAndTheNextMatchIsNotMissed() throws IOException {
        server.run(turn -> {
            if (turn.match().id().equals("m1")) {
                think(turn.cancellation());
            }
            return List.of(STEP);
        }, ADA);
        Peer peer = playing();
        peer.ask("remaining_ms", HOUR_MS);
        peer.send("match_over", "match", "m1", "seq", 2, "reason", "forfeit");
        peer.beginMatch("match", "m2");
        peer.ask("match", "m2", "turn", 5);

        assertEquals(5L, peer.receive().get("turn"));
        peer.sayGoodbye();
    }

    @Test
    void endOfTheTimeEndsTheSearch() throws IOException {
        server.run(turn -> {
            think(turn.cancellation());
            return List.of(STEP);
        }, ADA);
        Peer peer = playing();
        peer.ask("remaining_ms", 20);

        assertEquals("move", peer.receive().get("type")); // the server may still take it: it knows the lag
        peer.sayGoodbye();
    }

    @Test
    void lostConnectionEndsTheSearch() throws IOException {
        server.run(turn -> {
            think(turn.cancellation());
            return List.of(STEP);
        }, ADA);
        Peer peer = playing();
        peer.ask("remaining_ms", HOUR_MS);
        peer.socket.close();

        peer = server.accept();
        assertEquals("hello", peer.welcome().get("type"));
        peer.sayGoodbye();
    }

    @Test
    void questionCanBeAskedInAnotherThread() throws IOException {
        server.run(turn -> CompletableFuture.supplyAsync(
                () -> turn.legalAfter(List.of(STEP)).steps()).get(), ADA);
        Peer peer = playing();
        peer.ask();
        assertEquals("steps", peer.receive().get("type"));
        peer.send("legal", "match", "m1", "turn", 1, "legal", List.of(List.of("end")),
                "turn_over", false);

        assertEquals(List.of(List.of("end")), peer.receive().get("steps"));
        peer.sayGoodbye();
    }

    @Test
    void messagesKeepWhatThisVersionDoesNotKnow() throws Exception {
        List<Object> seen = new ArrayList<>();
        Bot curious = new Bot() {
            @Override
            public List<Step> turn(Turn turn) {
                seen.add(turn.match().message().values().get("wind"));
                seen.add(turn.message().values().get("ice"));
                return List.of(STEP);
            }

            @Override
            public void matchOver(Match match, MatchOver over) {
                seen.add(over.message().values().get("sun"));
            }
        };
        Future<Void> run = server.run(curious, ADA);
        Peer peer = server.accept();
        peer.welcome();
        peer.beginMatch("wind", 1);
        peer.ask("ice", 2);
        peer.receive();
        peer.send("match_over", "match", "m1", "seq", 2, "reason", "aborted", "sun", 3);
        peer.sayGoodbye();
        run.get(SECONDS, TimeUnit.SECONDS);

        assertEquals(List.of(1L, 2L, 3L), seen);
    }

    /** A bot that thinks on the opponents' time, and tells what it has done. */
    private record Ponderer(BlockingQueue<String> told) implements Bot {
        @Override
        public List<Step> turn(Turn turn) {
            told.add("turn");
            return List.of(STEP);
        }

        @Override
        public void ponder(Match match, Cancellation until) {
            told.add("pondering");
            think(until);
            told.add("cancelled");
        }

        String next() throws InterruptedException {
            return told.poll(SECONDS, TimeUnit.SECONDS);
        }
    }

    @Test
    void botThinksOnTheOpponentsTimeUntilSomethingHappens() throws Exception {
        Ponderer bot = new Ponderer(new LinkedBlockingQueue<>());
        Future<Void> run = server.run(bot, ADA);
        Peer peer = playing();
        assertEquals("pondering", bot.next());
        peer.ask();
        assertEquals(List.of("cancelled", "turn", "pondering"),
                List.of(bot.next(), bot.next(), bot.next()));
        assertEquals("move", peer.receive().get("type"));
        peer.send("match_over", "match", "m1", "seq", 2, "reason", "forfeit");
        assertEquals("cancelled", bot.next());
        peer.sayGoodbye();
        run.get(SECONDS, TimeUnit.SECONDS);

        assertTrue(bot.told().isEmpty()); // no match, nothing to think about
    }

    /** A bot that tells of its sessions. */
    private record Connected(List<String> told) implements Bot {
        @Override
        public List<Step> turn(Turn turn) {
            return List.of(STEP);
        }

        @Override
        public void connected(String name) throws IOException {
            told.add("connected " + name);
            if (name == null) {
                throw new IOException("no name");
            }
        }

        @Override
        public void matchStart(Match match) {
            told.add("match " + match.id());
        }

        @Override
        public void disconnected(String reason) {
            told.add("disconnected " + reason);
        }
    }

    @Test
    void hooksTellOfConnections() throws Exception {
        Connected bot = new Connected(new ArrayList<>());
        Future<Void> run = server.run(bot, ADA);
        Peer lost = playing();
        lost.socket.close();
        Peer peer = server.accept();
        peer.welcome();
        peer.sayGoodbye();
        run.get(SECONDS, TimeUnit.SECONDS);

        List<String> told = bot.told();
        assertEquals(List.of("connected ada", "match m1"), told.subList(0, 2));
        assertTrue(told.get(2).startsWith("disconnected "), told.get(2));
        assertEquals(List.of("connected ada", "disconnected finished"), told.subList(3, told.size()));
    }

    @Test
    void exceptionOfTheHookConnectedSaysGoodbye() throws Exception {
        Connected bot = new Connected(new ArrayList<>());
        Future<Void> run = server.run(bot, ADA);
        Peer peer = server.accept();
        peer.welcome("bot", null);

        assertEquals("goodbye", peer.receive().get("type"));
        assertEquals("no name", failure(run).getMessage());
        assertEquals(List.of("connected null"), bot.told());
    }

    @Test
    void matchesArePlayedAtTheSameTimeEachByABotOfItsOwn() throws IOException {
        CyclicBarrier both = new CyclicBarrier(2);
        server.runEach(() -> turn -> {
            both.await(SECONDS, TimeUnit.SECONDS);
            return List.of(STEP);
        }, ADA.concurrency(2));
        Peer peer = playing();
        peer.beginMatch("match", "m2");
        peer.ask();
        peer.ask("match", "m2");

        assertEquals(List.of("move", "move"),
                List.of(peer.receive().get("type"), peer.receive().get("type")));
        peer.sayGoodbye();
    }

    @Test
    void searchThatCannotBeCancelledDoesNotHoldUpTheNextMatchWithBotsOfTheirOwn()
            throws IOException {
        CountDownLatch stop = new CountDownLatch(1);
        server.runEach(() -> turn -> {
            if (turn.match().id().equals("m1")) {
                stop.await();
            }
            return List.of(STEP);
        }, ADA);
        Peer peer = playing();
        peer.ask();
        peer.send("match_over", "match", "m1", "seq", 2, "reason", "forfeit");
        peer.beginMatch("match", "m2");
        peer.ask("match", "m2", "turn", 5);

        assertEquals(5L, peer.receive().get("turn"));
        stop.countDown();
        peer.sayGoodbye();
    }

    @Test
    void exceptionOfOneOfTheBotsEndsAll() throws Exception {
        Future<Void> run = server.runEach(() -> turn -> {
            if (turn.match().id().equals("m1")) {
                throw new IOException("my mistake");
            }
            think(turn.cancellation());
            return List.of(STEP);
        }, ADA.concurrency(2));
        Peer peer = playing();
        peer.beginMatch("match", "m2");
        peer.ask("match", "m2", "remaining_ms", HOUR_MS);
        peer.ask();

        assertEquals(Map.of("type", "goodbye", "reason", "the bot ended by IOException"),
                peer.receive());
        assertEquals("my mistake", failure(run).getMessage());
    }

    @Test
    @Timeout(SECONDS)
    void serverThatReadsNothingIsGivenUp() throws IOException {
        server.run(turn -> List.of(STEP), ADA);
        Peer silent = server.accept();
        silent.welcome("heartbeat_ms", 200);
        byte[] ping = Codec.encode(message("ping", "nonce", "x".repeat(64)), 100);
        byte[] pings = new byte[1000 * ping.length];
        for (int start = 0; start < pings.length; start += ping.length) {
            System.arraycopy(ping, 0, pings, start, ping.length);
        }
        assertThrows(UncheckedIOException.class, () -> {
            while (true) { // until the bot cannot send its pongs, and hangs up
                silent.sendBytes(pings);
            }
        });

        Peer peer = server.accept();
        assertEquals("hello", peer.welcome().get("type"));
        peer.sayGoodbye();
    }
}
