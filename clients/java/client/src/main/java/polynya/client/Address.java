package polynya.client;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import polynya.client.ClientException.BadSettings;

/** Where one server of the contest is. */
record Address(String host, int port) {
    private static final int LAST_PORT = 65_535;
    private static final Pattern WITH_PORT =
            Pattern.compile("(?:\\[([^\\s\\[\\]]+)\\]|([^\\s:\\[\\]]+)):([0-9]{1,5})");
    private static final Pattern BRACKETED = Pattern.compile("\\[([^\\s\\[\\]]+)\\]");
    private static final Pattern WITHOUT_PORT =
            Pattern.compile("[^\\s:\\[\\]]+|[^\\s\\[\\]]*:[^\\s\\[\\]]*:[^\\s\\[\\]]*");

    /**
     * The addresses in a list: {@code HOST,HOST:PORT,[IPV6]:PORT}.
     *
     * @param port of those that name none, {@code null} if there is none
     * @throws BadSettings if one of them is no address, or has no port
     */
    static List<Address> list(String text, Integer port) {
        return Stream.of(text.split(",", -1)).map(item -> read(item.strip(), port)).toList();
    }

    private static Address read(String item, Integer port) {
        Matcher withPort = WITH_PORT.matcher(item);
        if (withPort.matches()) {
            int given = Integer.parseInt(withPort.group(3));
            String host = withPort.group(1) == null ? withPort.group(2) : withPort.group(1);
            if (given < 1 || given > LAST_PORT) {
                throw bad(item);
            }
            return new Address(host, given);
        }
        Matcher bracketed = BRACKETED.matcher(item);
        if (!bracketed.matches() && !WITHOUT_PORT.matcher(item).matches()) {
            throw bad(item);
        }
        if (port == null) {
            throw new BadSettings("no port: set POLYNYA_PORT, or call Settings.port");
        }
        return new Address(bracketed.matches() ? bracketed.group(1) : item, port);
    }

    private static BadSettings bad(String item) {
        return new BadSettings("a server is HOST, HOST:PORT or [IPV6]:PORT with a port from 1 to 65535, "
                + "and several are separated by commas, not \"" + ClientException.printable(item)
                + "\"");
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
