package polynya.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static polynya.client.ScriptedServer.SECONDS;
import static polynya.client.ScriptedServer.STEP;
import static polynya.client.ScriptedServer.failure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import polynya.client.ClientException.BadFrame;
import polynya.client.ClientException.BadSettings;
import polynya.client.ClientException.ConnectionLost;
import polynya.client.ScriptedServer.Peer;

/** How the SDK connects, introduces itself, comes back and leaves, on real sockets. */
class ConnectionTest {
    private static final Settings ADA = Settings.named("ada");
    private static final Settings KNOWN = ADA.token("secret");
    private static final String LANGUAGE = "Java " + Runtime.version().feature();
    private static final Bot PLAY_STEP = turn -> List.of(STEP);

    private ScriptedServer server;

    @BeforeEach
    void listen() throws IOException {
        server = new ScriptedServer();
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    @Test
    void helloIntroducesTheBot() throws IOException {
        server.run(PLAY_STEP, KNOWN.games("packeis").wants("state").concurrency(3));
        Peer peer = server.accept();
        Map<String, Object> hello = peer.welcome();
        peer.sayGoodbye();

        assertEquals(
                List.of("hello", 1L, "ada", "secret", List.of("packeis"), 3L, List.of("state"),
                        1L << 20),
                List.of(hello.get("type"), hello.get("protocol"), hello.get("name"),
                        hello.get("token"), hello.get("games"), hello.get("concurrency"),
                        hello.get("wants"), hello.get("max_frame")));
    }

    @Test
    void botSaysItsNameAndVersion() {
        assertEquals(
                Map.of("name", "floe", "version", "2", "language", LANGUAGE),
                ADA.software("floe", "2").hello().get("software"));
    }

    @Test
    void botHasNoVersionButItsOwn() {
        assertEquals(
                Map.of("name", "polynya-client", "language", LANGUAGE),
                ADA.hello().get("software"));
    }

    @Test
    void environmentWinsOverTheProgram() {
        Settings settings = ADA.port(1).token("mine").in(Map.of(
                "POLYNYA_HOST", "192.0.2.7", "POLYNYA_PORT", "4242", "POLYNYA_NAME", "bob",
                "POLYNYA_TOKEN", "yours", "POLYNYA_TLS", "1", "POLYNYA_LOG", "-"));

        assertEquals(
                List.of(List.of(new Address("192.0.2.7", 4242)), "bob", "yours", true, "-"),
                List.of(settings.servers(), settings.name(), settings.token(),
                        settings.encrypts(), settings.log()));
    }

    @Test
    void environmentSaysWhichGamesHowManyMatchesAndWhomToTrust() {
        Settings settings = Settings.unnamed().port(1).in(Map.of(
                "POLYNYA_GAMES", "packeis, , icecult,", "POLYNYA_CONCURRENCY", "3",
                "POLYNYA_CA_FILE", "authority.pem", "SSL_CERT_FILE", "other.pem"));

        assertEquals(
                List.of(List.of("packeis", "icecult"), 3, Path.of("authority.pem")),
                List.of(settings.hello().get("games"), settings.hello().get("concurrency"),
                        settings.certificates()));
        assertFalse(settings.hello().containsKey("name"));
    }

    @Test
    void concurrencyThatIsNoneIsASentence() {
        for (String text : List.of("0", "two", "-1")) {
            BadSettings error = assertThrows(BadSettings.class,
                    () -> ADA.port(1).in(Map.of("POLYNYA_CONCURRENCY", text)));
            assertEquals("POLYNYA_CONCURRENCY is a number of matches, not " + text,
                    error.getMessage());
        }
    }

    @Test
    void lostConnectionIsTakenUpAgain() throws IOException {
        server.run(turn -> List.of(Step.of("resumed", turn.match().resumed() ? 1 : 0)), KNOWN);
        Peer peer = server.accept();
        peer.welcome();
        peer.beginMatch();
        peer.socket.close();

        peer = server.accept();
        Map<String, Object> hello = peer.welcome("matches", List.of("m1"));
        peer.send("match_resume", "match", "m1", "seq", 4, "game", "packeis", "seat", 1,
                "players", List.of(), "options", Map.of(), "clock", Map.of("move_ms", 100),
                "state", Map.of(), "remaining_ms", List.of());
        peer.ask("seq", 5, "turn", 3);

        assertEquals(List.of(List.of("resumed", 1L)), peer.receive().get("steps"));
        assertEquals("secret", hello.get("token"));
        peer.sayGoodbye();
    }

    @Test
    void tokenAndNameOfARegistrationBringTheBotBack() throws IOException {
        server.run(PLAY_STEP, ADA);
        Peer peer = server.accept();
        Map<String, Object> first = peer.welcome("token", "new", "bot", "ada.2");
        peer.socket.close();
        peer = server.accept();
        Map<String, Object> second = peer.welcome();
        peer.sayGoodbye();

        assertFalse(first.containsKey("token"));
        assertEquals(List.of("ada.2", "new"), List.of(second.get("name"), second.get("token")));
    }

    @Test
    void missingEventMakesTheBotConnectAgain() throws IOException {
        server.run(PLAY_STEP, KNOWN);
        Peer peer = server.accept();
        peer.welcome();
        peer.beginMatch();
        peer.ask("seq", 2);
        assertTrue(peer.ended());

        peer = server.accept();
        assertEquals("hello", peer.welcome().get("type"));
        peer.sayGoodbye();
    }

    @Test
    void replacedBotDoesNotComeBack() throws Exception {
        var run = server.run(PLAY_STEP, KNOWN);
        Peer peer = server.accept();
        peer.welcome();
        peer.send("goodbye", "reason", "replaced");

        assertInstanceOf(ClientException.Replaced.class, failure(run));
        assertTrue(peer.ended());
    }

    @Test
    void whoeverAnswersWithoutFramesIsNoPolynyaServer() throws Exception {
        var run = server.run(PLAY_STEP, KNOWN);
        Peer peer = server.accept();
        peer.receive();
        peer.sendBytes("HTTP/1.1 400 Bad Request".getBytes(US_ASCII));

        BadFrame error = assertInstanceOf(BadFrame.class, failure(run));
        assertTrue(error.getMessage().startsWith("what answers there is no Polynya server"));
    }

    @Test
    void lengthThatNoServerSendsEndsTheConnection() throws Exception {
        var run = server.run(PLAY_STEP, KNOWN);
        Peer peer = server.accept();
        peer.welcome();
        peer.sendBytes(new byte[] {-1, -1, -1, -1});

        BadFrame error = assertInstanceOf(BadFrame.class, failure(run));
        assertEquals("too_large", error.code());
    }

    @Test
    void logHoldsAllMessagesButNotTheToken(@TempDir Path folder) throws Exception {
        Path log = folder.resolve("frames.jsonl");
        var run = server.run(PLAY_STEP, KNOWN.log(log.toString()));
        Peer peer = server.accept();
        peer.welcome();
        peer.sayGoodbye();
        run.get(SECONDS, TimeUnit.SECONDS);

        List<String> seen = Files.readAllLines(log).stream()
                .map(line -> line.replaceAll(
                        ".*\"bot\":\"ada\",\"direction\":\"(\\w+)\".*\"type\":\"(\\w+)\".*", "$1 $2"))
                .toList();
        assertEquals(List.of("sent hello", "received welcome", "received goodbye"), seen);
        assertFalse(Files.readString(log).contains("secret"));
    }

    @Test
    void nobodyListeningIsASentence() {
        ConnectionLost lost =
                assertThrows(ConnectionLost.class, () -> Polynya.play(PLAY_STEP, ADA.port(1).reconnect(Duration.ZERO)));

        assertTrue(lost.getMessage().startsWith("cannot connect to 127.0.0.1:1: "));
    }

    @Test
    void missingPortIsASentence() {
        BadSettings error = assertThrows(BadSettings.class, () -> ADA.in(Map.of()));

        assertEquals("no port: set POLYNYA_PORT, or call Settings.port", error.getMessage());
    }

    @Test
    void pausesDoubleUpToFiveSecondsAndAreShortenedByChance() {
        Retries retries = new Retries(Duration.ofHours(1));
        for (long longest : new long[] {100, 200, 400, 800, 1600, 3200, 5000, 5000}) {
            long pause = retries.after(new ConnectionLost("lost"));
            assertTrue(longest / 2 <= pause && pause <= longest, pause + " of " + longest + " ms");
        }
    }

    @Test
    void lostSessionBeginsThePausesAnewAndOneThatTheServerEndedDoesNot() {
        Map<ClientException, Long> ends =
                Map.of(new ConnectionLost("lost"), 100L, new ClientException.ServerLeft("left"), 5_000L);
        ends.forEach((trouble, longest) -> {
            Retries retries = new Retries(Duration.ofHours(1));
            for (int attempt = 0; attempt < 8; attempt++) {
                retries.after(new ConnectionLost("lost"));
            }
            retries.welcome();
            long pause = retries.after(trouble);
            assertTrue(longest / 2 <= pause && pause <= longest, pause + " of " + longest + " ms");
        });
    }

    @Test
    void whereTheServerWantsNobodyNowTheFirstPauseIsLonger() {
        var full = new ClientException.ServerError("server_full", "no room");
        assertTrue(new Retries(Duration.ofHours(1)).after(full) >= 1_250);
    }

    @Test
    void remarksThatCannotBeSentAreFound() {
        List<Object> cycle = new java.util.ArrayList<>();
        for (int index = 0; index < 1000; index++) {
            cycle.add(cycle);
        }
        Map<String, Object> deep = Map.of();
        for (int level = 0; level < 14; level++) {
            deep = Map.of("a", deep);
        }
        Remarks.check(deep);
        for (Object value : List.of(
                "\ud800", java.math.BigInteger.TWO.pow(70), Double.NaN, java.time.Instant.EPOCH, 'c',
                new int[3], java.util.Set.of(1), java.util.Optional.of(1), cycle, deep,
                (Runnable) () -> {}, Float.NEGATIVE_INFINITY, Map.of(1, 2), Map.of("\ud800", 1),
                Thread.State.NEW, java.math.BigDecimal.ONE, new StringBuilder("x"),
                "x".repeat(10_000_000), "x".repeat(1024))) {
            assertThrows(RuntimeException.class, () -> Remarks.check(Map.of("a", value)));
        }
    }
}
