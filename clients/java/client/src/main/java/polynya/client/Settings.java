package polynya.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import polynya.client.ClientException.BadSettings;

/**
 * Where to connect, as whom, wanting what. Immutable: each method gives changed settings.
 *
 * <p>{@code POLYNYA_HOST}, {@code POLYNYA_PORT}, {@code POLYNYA_TOKEN}, {@code POLYNYA_TOKEN_FILE},
 * {@code POLYNYA_NAME}, {@code POLYNYA_GAMES} (separated by commas), {@code POLYNYA_CONCURRENCY}, {@code
 * POLYNYA_TLS} (1 or 0), {@code POLYNYA_CA_FILE}, {@code POLYNYA_RECONNECT} (seconds, or {@code forever})
 * and {@code POLYNYA_LOG} in the environment win, so that a tournament can start any bot unchanged. {@code
 * SSL_CERT_FILE} names certificates to trust, if nothing else does.
 */
public final class Settings implements Cloneable {
    private static final int PROTOCOL = 1;
    private static final int LAST_PORT = 65_535;
    /** 31 years, in seconds. */
    private static final double FOREVER = 1e9;

    private String host = "127.0.0.1";
    private Integer port;
    private List<Address> servers;
    private String name;
    private String token;
    private List<String> games;
    private List<String> wants = List.of("state", "legal");
    private int concurrency = 1;
    private String softwareName = "polynya-client";
    private String softwareVersion;
    private boolean tls;
    private Path certificates;
    private String log;
    private Duration reconnect = Duration.ofMinutes(1);
    private Path tokenFile;
    private boolean tokenIsKept;
    /** With it a bot without a token, whose welcome was lost, proves that the name is its own. */
    private final String registration = UUID.randomUUID().toString();

    private Settings() {}

    /**
     * The settings of a bot with this name: 1 to 32 of {@code A-Za-z0-9_.-}.
     *
     * @param name any but those that another bot has
     * @return its settings
     */
    public static Settings named(String name) {
        Settings settings = new Settings();
        settings.name = name;
        return settings;
    }

    /**
     * The settings of a bot whose name {@code POLYNYA_NAME} says, or its token alone.
     *
     * @return its settings
     */
    public static Settings unnamed() {
        return new Settings();
    }

    /**
     * The server's host; 127.0.0.1 otherwise. Several servers of one contest are tried in turn:
     * {@code HOST,HOST:PORT,[IPV6]:PORT}.
     *
     * @param host one address or several
     * @return the changed settings
     */
    public Settings host(String host) {
        Settings changed = copy();
        changed.host = host;
        return changed;
    }

    /**
     * The server's port, where {@link #host} names none.
     *
     * @param port from 1 to 65535
     * @return the changed settings
     */
    public Settings port(int port) {
        Settings changed = copy();
        changed.port = port;
        return changed;
    }

    /**
     * What proves that the name is ours.
     *
     * @param token from the operator, or from the registration
     * @return the changed settings
     */
    public Settings token(String token) {
        Settings changed = copy();
        changed.token = token;
        return changed;
    }

    /**
     * The games it plays; any otherwise.
     *
     * @param games by their names
     * @return the changed settings
     */
    public Settings games(String... games) {
        Settings changed = copy();
        changed.games = List.of(games);
        return changed;
    }

    /**
     * What the server adds: state and legal in each turn (both otherwise), moved for our own.
     *
     * @param wants any of {@code state}, {@code legal} and {@code moved}
     * @return the changed settings
     */
    public Settings wants(String... wants) {
        Settings changed = copy();
        changed.wants = List.of(wants);
        return changed;
    }

    /**
     * How many matches it plays at the same time, 1 otherwise: in threads of their own with {@link
     * Polynya#runEach}, a turn after the other with {@link Polynya#run}.
     *
     * @param concurrency from 1
     * @return the changed settings
     */
    public Settings concurrency(int concurrency) {
        Settings changed = copy();
        changed.concurrency = concurrency;
        return changed;
    }

    /**
     * Name and version of the bot, for the records; each version has a rating of its own.
     *
     * @param name any text
     * @param version any text that changes when the bot does
     * @return the changed settings
     */
    public Settings software(String name, String version) {
        Settings changed = copy();
        changed.softwareName = name;
        changed.softwareVersion = version;
        return changed;
    }

    /**
     * Encrypt, and verify the server's certificate.
     *
     * @return the changed settings
     */
    public Settings tls() {
        Settings changed = copy();
        changed.tls = true;
        return changed;
    }

    /**
     * Encrypt, and trust the certificates in this PEM file instead of the computer's.
     *
     * @param certificates a file of certificates in PEM form
     * @return the changed settings
     */
    public Settings tls(Path certificates) {
        Settings changed = tls();
        changed.certificates = certificates;
        return changed;
    }

    /**
     * A file for all messages sent and received as JSON lines, {@code -} for standard error.
     *
     * @param target a path, or {@code -}
     * @return the changed settings
     */
    public Settings log(String target) {
        Settings changed = copy();
        changed.log = target;
        return changed;
    }

    /**
     * How long to try when the server is not there, has no room, or has said goodbye without meaning it
     * for good.
     *
     * @param longest from the first failure on
     * @return the changed settings
     */
    public Settings reconnect(Duration longest) {
        Settings changed = copy();
        changed.reconnect = longest;
        return changed;
    }

    /** These settings, with what the environment says instead. */
    Settings in(Map<String, String> environment) {
        Settings changed = copy();
        changed.host = given(environment, "POLYNYA_HOST", host);
        changed.name = given(environment, "POLYNYA_NAME", name);
        changed.token = given(environment, "POLYNYA_TOKEN", token);
        changed.log = given(environment, "POLYNYA_LOG", log);
        changed.tls = !given(environment, "POLYNYA_TLS", tls ? "1" : "0").equals("0");
        changed.certificates = trusted(environment);
        String played = given(environment, "POLYNYA_GAMES", null);
        if (played != null) {
            changed.games = Stream.of(played.split(","))
                    .map(String::strip)
                    .filter(game -> !game.isEmpty())
                    .toList();
        }
        String matches = given(environment, "POLYNYA_CONCURRENCY", null);
        if (matches != null) {
            changed.concurrency = readConcurrency(matches);
        }
        String port = given(environment, "POLYNYA_PORT", null);
        if (port != null) {
            changed.port = readPort(port);
        }
        changed.servers = Address.list(changed.host, changed.port);
        String seconds = given(environment, "POLYNYA_RECONNECT", null);
        if (seconds != null) {
            changed.reconnect = readReconnect(seconds);
        }
        changed.takeKeptToken(environment);
        return changed;
    }

    private Path trusted(Map<String, String> environment) {
        String file = given(environment, "POLYNYA_CA_FILE", null);
        if (file == null && certificates == null) {
            file = given(environment, "SSL_CERT_FILE", null);
        }
        return file == null ? certificates : Path.of(file);
    }

    /** Take the token that an earlier start has kept, if none was given. */
    private void takeKeptToken(Map<String, String> environment) {
        tokenFile = Tokens.path(servers.get(0), name, environment);
        boolean isNamed = given(environment, "POLYNYA_TOKEN_FILE", null) != null;
        if (given(environment, "POLYNYA_TOKEN", null) != null || token != null && !isNamed) {
            return;
        }
        String kept = Tokens.read(tokenFile);
        if (kept != null) {
            token = kept;
            tokenIsKept = !isNamed;
        }
    }

    private static int readConcurrency(String text) {
        try {
            int matches = Integer.parseInt(text);
            if (matches >= 1) {
                return matches;
            }
        } catch (NumberFormatException notANumber) {
            // said below
        }
        throw new BadSettings("POLYNYA_CONCURRENCY is a number of matches, not "
                + ClientException.printable(text));
    }

    private static Duration readReconnect(String text) {
        try {
            double seconds = text.equals("forever") ? FOREVER : Double.parseDouble(text);
            if (seconds >= 0) {
                return Duration.ofMillis((long) (Math.min(seconds, FOREVER) * 1000));
            }
        } catch (NumberFormatException notANumber) {
            // said below
        }
        throw new BadSettings("POLYNYA_RECONNECT is a number of seconds or \"forever\", not "
                + ClientException.printable(text));
    }

    private static String given(Map<String, String> environment, String key, String otherwise) {
        String value = environment.getOrDefault(key, "");
        return value.isEmpty() ? otherwise : value;
    }

    private static int readPort(String text) {
        try {
            int port = Integer.parseInt(text);
            if (port >= 1 && port <= LAST_PORT) {
                return port;
            }
        } catch (NumberFormatException notANumber) {
            // said below
        }
        throw new BadSettings("a port is a number from 1 to 65535, not "
                + ClientException.printable(text));
    }

    /** The message that introduces this bot. */
    Map<String, Object> hello() {
        Map<String, Object> hello = new LinkedHashMap<>();
        hello.put("type", "hello");
        hello.put("protocol", PROTOCOL);
        putUnlessNull(hello, "name", name);
        putUnlessNull(hello, "token", token);
        putUnlessNull(hello, "registration", token == null ? registration : null);
        putUnlessNull(hello, "games", games);
        hello.put("concurrency", concurrency);
        hello.put("wants", wants);
        hello.put("software", software());
        hello.put("max_frame", Codec.SERVER_MAX_FRAME);
        return hello;
    }

    private Map<String, Object> software() {
        Map<String, Object> software = new LinkedHashMap<>();
        putUnlessNull(software, "name", softwareName);
        putUnlessNull(software, "version", softwareVersion);
        software.put("language", "Java " + Runtime.version().feature());
        return software;
    }

    private static void putUnlessNull(Map<String, Object> map, String key, Object value) {
        if (value != null) {
            map.put(key, value);
        }
    }

    /** These settings, for the name and token that a server's welcome has put in force. */
    Settings knownAs(String name, String token) {
        Settings changed = copy();
        changed.name = name == null ? this.name : name;
        changed.token = token == null ? this.token : token;
        changed.tokenIsKept = tokenIsKept && token == null;
        return changed;
    }

    /** These settings, without a token that was kept. */
    Settings withoutToken() {
        Settings changed = copy();
        changed.token = null;
        changed.tokenIsKept = false;
        return changed;
    }

    Path tokenFile() {
        return tokenFile;
    }

    boolean tokenIsKept() {
        return tokenIsKept;
    }

    List<Address> servers() {
        return servers;
    }

    String name() {
        return name;
    }

    String token() {
        return token;
    }

    boolean encrypts() {
        return tls;
    }

    Path certificates() {
        return certificates;
    }

    String log() {
        return log;
    }

    Duration reconnect() {
        return reconnect;
    }

    private Settings copy() {
        try {
            return (Settings) clone();
        } catch (CloneNotSupportedException never) {
            throw new AssertionError(never);
        }
    }
}
